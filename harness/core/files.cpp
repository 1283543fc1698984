#include "harness/core/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "harness/core/error.h"

namespace lab {

namespace {

namespace fs = std::filesystem;

using FileInfo = struct stat;

std::string kind_of_file(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

std::string first_bytes(const std::string& path, std::size_t count) {
  const OpenFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  std::string bytes(count, '\0');
  const ssize_t got = file.get() < 0 ? 0 : ::read(file.get(), bytes.data(), count);
  bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return bytes;
}

// "Database File Format", section 1.3: the header begins so.
bool is_database(const std::string& path) {
  constexpr std::string_view kMagic = "SQLite format 3";
  return first_bytes(path, kMagic.size()) == kMagic;
}

bool are_same(const std::string& a, const std::string& b) {
  FileInfo one{};
  FileInfo other{};
  if (::stat(a.c_str(), &one) == 0 && ::stat(b.c_str(), &other) == 0) {
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
  }
  std::error_code failed;
  return fs::weakly_canonical(a, failed) == fs::weakly_canonical(b, failed);
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw input_error(fmt::format("'{}' is not written: {}", path, why), "name another file");
}

}  // namespace

OpenFile::~OpenFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::string read_file(const std::string& path, std::string_view what, std::uint64_t most) {
  const auto fail = [&](const std::string& why) -> void {
    throw input_error(fmt::format("cannot read {} '{}': {}", what, path, why));
  };
  // A disk that fails, and a system with nothing left, are not what the user gave.
  const auto fail_by_errno = [&] {
    const int why = errno;
    if (why != EIO && why != ENOMEM && why != EMFILE && why != ENFILE) fail(std::strerror(why));
    throw machine_error(fmt::format("cannot read {} '{}': {}", what, path, std::strerror(why)));
  };
  const OpenFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.get() < 0) fail_by_errno();
  FileInfo info{};
  if (::fstat(file.get(), &info) != 0) fail_by_errno();
  if (!S_ISREG(info.st_mode)) fail("it is " + kind_of_file(info.st_mode));
  const std::string too_large = fmt::format("it has more than {} bytes", most);
  if (info.st_size > 0 && static_cast<std::uint64_t>(info.st_size) > most) fail(too_large);
  std::string text;
  for (;;) {
    // One byte more than the size tells a file that grew, or one of /proc, which has no size.
    constexpr std::size_t kMore = 65536;
    const std::size_t had = text.size();
    const std::size_t whole = static_cast<std::size_t>(info.st_size) + 1;
    const std::size_t left = had < whole ? whole - had : kMore;
    text.resize(had + left);
    const ssize_t got = ::read(file.get(), text.data() + had, left);
    text.resize(had + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_by_errno();
    if (text.size() > most) fail(too_large);
    if (got == 0) return text;
  }
}

std::string file_limit_hint(int error) {
  rlimit limit{};
  if (error != EFBIG || ::getrlimit(RLIMIT_FSIZE, &limit) != 0) return {};
  if (limit.rlim_cur == RLIM_INFINITY) return {};
  constexpr rlim_t kKiB = 1024;
  return fmt::format("`ulimit -f` allows files of {} KiB: `ulimit -f unlimited` lifts that",
                     limit.rlim_cur / kKiB);
}

void require_output(const std::string& path, std::span<const std::string> inputs) {
  for (const std::string& input : inputs) {
    for (const char* suffix : {"", "-journal", "-wal"}) {
      if (!input.empty() && are_same(path, input + suffix)) {
        refuse(path, fmt::format("it is an input, '{}'", input + suffix));
      }
    }
  }
  FileInfo info{};
  if (::lstat(path.c_str(), &info) != 0) return;  // there is none yet
  if (S_ISLNK(info.st_mode)) refuse(path, "it is a link");
  if (!S_ISREG(info.st_mode)) refuse(path, "it is " + kind_of_file(info.st_mode));
  if (is_database(path)) refuse(path, "it is a database");
}

OutputFile::OutputFile(std::string path, std::string_view what)
    : path_(std::move(path)), what_(what) {
  const fs::path target(path_);
  temporary_ = (target.parent_path() / ("." + target.filename().string() + ".XXXXXX")).string();
  descriptor_ = ::mkostemp(temporary_.data(), O_CLOEXEC);
  if (descriptor_ < 0) {
    temporary_.clear();
    fail();
  }
  // mkostemp makes it private; others may read it as they may the file that it replaces.
  FileInfo info{};
  const mode_t mask = ::umask(0);
  ::umask(mask);
  const bool replaces = ::stat(path_.c_str(), &info) == 0;
  ::fchmod(descriptor_, replaces ? info.st_mode & 0777U : 0666U & ~mask);
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::fail() const {
  const int why = errno;
  const std::string hint = file_limit_hint(why);
  throw machine_error(
      fmt::format("cannot write {} '{}': {}", what_, path_, std::strerror(why)),
      hint.empty() ? "name a file in a folder that exists and that you may write to" : hint);
}

void OutputFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(descriptor_, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) fail();
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
}

void OutputFile::commit() {
  // The new name must not be on the disk before the bytes are.
  if (::fsync(descriptor_) != 0) fail();
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail();
  temporary_.clear();
}

void write_file(const std::string& path, std::string_view bytes, std::string_view what,
                std::span<const std::string> inputs) {
  require_output(path, inputs);
  OutputFile file(path, what);
  file.write(bytes);
  file.commit();
}

}  // namespace lab
