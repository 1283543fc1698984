#include "harness/record/inject/writer.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>

namespace lab::record {

namespace {

constexpr std::size_t kWindow = std::size_t{1} << 20U;
constexpr std::size_t kPage = 65536;  // a multiple of every system's page size
// Stays free for the record that says why the others end, and for the last one.
constexpr std::size_t kReserve = 4096;

// The limit of file sizes is met with a signal, which would end the program.
bool below_limit(std::uint64_t bytes) {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
         bytes <= limit.rlim_cur;
}

// Blocks are allocated now: a store into a mapping that finds the disk full is a signal.
unsigned char* map_part(const std::string& path, int flags, std::uint64_t from, std::size_t bytes) {
  if (from + bytes > kMostBytes || !below_limit(from + bytes)) {
    errno = EFBIG;
    return nullptr;
  }
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
  if (file < 0) return nullptr;
  void* mapped = MAP_FAILED;
  const int failed = ::posix_fallocate(file, static_cast<off_t>(from), static_cast<off_t>(bytes));
  if (failed == 0) {
    mapped =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(from));
  } else {
    errno = failed;
  }
  const int why = errno;
  ::close(file);
  errno = why;
  if (mapped == MAP_FAILED) return nullptr;
  // A fork must not write into its parent's file.
  ::madvise(mapped, bytes, MADV_DONTFORK);
  return static_cast<unsigned char*>(mapped);
}

}  // namespace

bool Writer::open(std::string path) {
  window_ = map_part(path, O_CREAT | O_EXCL, 0, kWindow);
  if (window_ == nullptr) {
    const int why = errno;
    if (why != EEXIST) ::unlink(path.c_str());
    errno = why;
    return false;
  }
  path_ = std::move(path);
  window_bytes_ = kWindow;
  return true;
}

bool Writer::fits(std::size_t bytes, std::size_t reserve) const {
  return used_ + sizeof(Header) + padded(bytes) + reserve <= window_bytes_;
}

bool Writer::next_window(std::size_t bytes) {
  const std::size_t kept = used_ % kPage;
  const std::uint64_t begins_at = begins_at_ + (used_ - kept);
  const std::size_t size = std::max(kWindow, 2 * kPage + padded(bytes) + kReserve);
  unsigned char* const next = map_part(path_, 0, begins_at, size);
  if (next == nullptr) return false;
  ::munmap(window_, window_bytes_);
  window_ = next;
  window_bytes_ = size;
  used_ = kept;
  begins_at_ = begins_at;
  return true;
}

bool Writer::append(Kind kind, const void* record, std::size_t bytes, std::string_view tail) {
  if (window_ == nullptr) return false;
  const std::size_t all = bytes + tail.size();
  if (!fits(all, kReserve) && !next_window(all)) {
    const auto why = static_cast<std::uint32_t>(errno);
    const Trouble full{Problem::kFull, why, 0};
    if (fits(sizeof full, 0)) store(Kind::kTrouble, &full, sizeof full, {});
    close();
    return false;
  }
  store(kind, record, bytes, tail);
  return true;
}

void Writer::store(Kind kind, const void* record, std::size_t bytes, std::string_view tail) {
  const std::size_t all = bytes + tail.size();
  unsigned char* const at = window_ + used_;
  unsigned char* const body = at + sizeof(Header);
  std::memcpy(body, record, bytes);
  if (!tail.empty()) std::memcpy(body + bytes, tail.data(), tail.size());
  Header header{0, kind, checksum(kind, body, all), 0};
  std::memcpy(at, &header, sizeof header);
  // A reader takes what stands behind a length that is not zero for whole.
  std::atomic_ref<std::uint32_t>(*reinterpret_cast<std::uint32_t*>(at))
      .store(static_cast<std::uint32_t>(all), std::memory_order_release);
  used_ += sizeof(Header) + padded(all);
}

void Writer::close() {
  if (window_ == nullptr) return;
  // Without this the file ends with zeros, which a reader skips.
  static_cast<void>(!::truncate(path_.c_str(), static_cast<off_t>(begins_at_ + used_)));
  ::munmap(window_, window_bytes_);
  window_ = nullptr;
}

}  // namespace lab::record
