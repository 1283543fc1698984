// Loaded before the C library into `lab` alone: one of its calls fails, or all that changes files
// is written down, so that what a loss of power leaves can be made of it.
//
//   LAB_FAIL=KIND:N:ERRNO   the N-th of a kind fails: write, rename, sync, open, alloc
//   LAB_FAIL_COUNT=FILE     how many there were of each kind, when it ends
//   LAB_FAIL_TRACE=FILE     each change: a head of five numbers, its path, its bytes
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { kWrite, kRename, kSync, kOpen, kAlloc, kKinds };
static const char* const kNames[kKinds] = {"write", "rename", "sync", "open", "alloc"};

static bool armed = false;
static int fails = -1;
static long nth = 0;
static int with = 0;
static long counts[kKinds];
static int trace = -1;

extern "C" void* __libc_malloc(size_t bytes);
extern "C" void* __libc_calloc(size_t count, size_t bytes);
extern "C" void* __libc_realloc(void* old, size_t bytes);

// The C library's own, of this name.
template <typename Call>
static Call* real_of(const char* name) {
  return reinterpret_cast<Call*>(::dlsym(RTLD_NEXT, name));
}

static bool is_ours() {
  char path[300] = "";
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  return length > 4 && strcmp(path + length - 4, "/lab") == 0;
}

static void arm() {
  if (!is_ours()) return;
  const char* const fault = getenv("LAB_FAIL");
  if (fault != nullptr) {
    for (int i = 0; i < kKinds; ++i) {
      const size_t length = strlen(kNames[i]);
      if (strncmp(fault, kNames[i], length) != 0 || fault[length] != ':') continue;
      char* rest = nullptr;
      nth = strtol(fault + length + 1, &rest, 10);
      with = *rest == ':' ? atoi(rest + 1) : EIO;
      fails = i;
    }
  }
  const char* const path = getenv("LAB_FAIL_TRACE");
  if (path != nullptr)
    trace =
        fcntl(open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600), F_DUPFD_CLOEXEC, 900);
  armed = true;
}

__attribute__((destructor)) static void tell() {
  const char* const path = armed ? getenv("LAB_FAIL_COUNT") : nullptr;
  if (path == nullptr) return;
  const long now[kKinds] = {counts[0], counts[1], counts[2], counts[3], counts[4]};
  armed = false;
  FILE* const out = fopen(path, "w");
  if (out == nullptr) return;
  for (int i = 0; i < kKinds; ++i) fprintf(out, "%s %ld\n", kNames[i], now[i]);
  fclose(out);
}

static bool is_due(int kind) {
  if (!armed) return false;
  const long count = __atomic_add_fetch(&counts[kind], 1, __ATOMIC_RELAXED);
  if (kind != fails || count != nth) return false;
  errno = with;
  return true;
}

static bool is_file(int file) {
  struct stat info;
  return armed && fstat(file, &info) == 0 && S_ISREG(info.st_mode);
}

static void note(int op, const char* path, int64_t at, const void* bytes, int64_t size) {
  if (trace < 0) return;
  static auto* const real = real_of<ssize_t(int, const struct iovec*, int)>("writev");
  const int64_t head[5] = {op, static_cast<int64_t>(strlen(path)), at, size, bytes != nullptr};
  const struct iovec parts[3] = {
      {const_cast<std::int64_t*>(head), sizeof head},
      {const_cast<char*>(path), strlen(path)},
      {const_cast<void*>(bytes), bytes != nullptr ? static_cast<size_t>(size) : 0}};
  if (real(trace, parts, 3) < 0) _exit(99);
}

static void note_file(int op, int file, int64_t at, const void* bytes, int64_t size) {
  if (trace < 0) return;
  char name[40];
  char path[4096] = "";
  snprintf(name, sizeof name, "/proc/self/fd/%d", file);
  if (readlink(name, path, sizeof path - 1) > 0) note(op, path, at, bytes, size);
}

enum { kToWrite = 1, kToCut, kToSync, kToUnlink };

extern "C" {

ssize_t write(int file, const void* bytes, size_t size) {
  static auto* const real = real_of<ssize_t(int, const void*, size_t)>("write");
  const bool counted = is_file(file);
  if (counted && is_due(kWrite)) return -1;
  const int64_t at = counted ? lseek(file, 0, SEEK_CUR) : 0;
  const ssize_t put = real(file, bytes, size);
  if (counted && put > 0) note_file(kToWrite, file, at, bytes, put);
  return put;
}

static ssize_t write_at(ssize_t (*real)(int, const void*, size_t, off_t), int file,
                        const void* bytes, size_t size, off_t at) {
  const bool counted = is_file(file);
  if (counted && is_due(kWrite)) return -1;
  const ssize_t put = real(file, bytes, size, at);
  if (counted && put > 0) note_file(kToWrite, file, at, bytes, put);
  return put;
}
ssize_t pwrite(int file, const void* bytes, size_t size, off_t at) {
  static auto* const real = real_of<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  return write_at(real, file, bytes, size, at);
}
ssize_t pwrite64(int file, const void* bytes, size_t size, off_t at) {
  static auto* const real = real_of<ssize_t(int, const void*, size_t, off_t)>("pwrite64");
  return write_at(real, file, bytes, size, at);
}

int ftruncate64(int file, off_t size) noexcept {
  static auto* const real = real_of<int(int, off_t)>("ftruncate64");
  if (is_file(file) && is_due(kWrite)) return -1;
  const int done = real(file, size);
  if (done == 0 && armed) note_file(kToCut, file, size, nullptr, 0);
  return done;
}

int rename(const char* from, const char* to) noexcept {
  static auto* const real = real_of<int(const char*, const char*)>("rename");
  return is_due(kRename) ? -1 : real(from, to);
}

static int synced(int (*real)(int), int file) {
  if (is_due(kSync)) return -1;
  const int done = real(file);
  if (done == 0) note_file(kToSync, file, 0, nullptr, 0);
  return done;
}
int fsync(int file) {
  static auto* const real = real_of<int(int)>("fsync");
  return synced(real, file);
}
int fdatasync(int file) {
  static auto* const real = real_of<int(int)>("fdatasync");
  return synced(real, file);
}

int unlink(const char* path) noexcept {
  static auto* const real = real_of<int(const char*)>("unlink");
  const int done = real(path);
  if (done == 0 && armed) note(kToUnlink, path, 0, nullptr, 0);
  return done;
}

static int opened(const char* name, const char* path, int flags, mode_t mode) {
  auto* const real = reinterpret_cast<int (*)(const char*, int, mode_t)>(::dlsym(RTLD_NEXT, name));
  if ((flags & O_CREAT) != 0 && is_due(kOpen)) return -1;
  return real(path, flags, mode);
}
int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return opened("open", path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return opened("open64", path, flags, mode);
}

void* malloc(size_t bytes) noexcept { return is_due(kAlloc) ? nullptr : __libc_malloc(bytes); }
void* calloc(size_t count, size_t bytes) noexcept {
  return is_due(kAlloc) ? nullptr : __libc_calloc(count, bytes);
}
void* realloc(void* old, size_t bytes) noexcept {
  return is_due(kAlloc) ? nullptr : __libc_realloc(old, bytes);
}

// What is made before main() has nobody who could be told that it failed: calls count from there.
static int (*main_of_lab)(int, char**, char**) = nullptr;
static int armed_main(int count, char** words, char** environment) {
  arm();
  return main_of_lab(count, words, environment);
}
int __libc_start_main(int (*main)(int, char**, char**), int count, char** words, void (*init)(),
                      void (*fini)(), void (*loader)(), void* stack) {
  static auto* const real = real_of<int(int (*)(int, char**, char**), int, char**, void (*)(),
                                        void (*)(), void (*)(), void*)>("__libc_start_main");
  main_of_lab = main;
  return real(armed_main, count, words, init, fini, loader, stack);
}

}  // extern "C"
