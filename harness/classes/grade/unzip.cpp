#include "harness/classes/grade/unzip.h"

#include <fmt/format.h>
#include <minizip/unzip.h>
#include <sys/stat.h>
#include <utime.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <fstream>
#include <memory>
#include <optional>
#include <vector>

#include "harness/core/error.h"

namespace lab::grade {

namespace {

namespace fs = std::filesystem;

// Reading it is minizip's; this file decides what is taken from it.
struct Close {
  void operator()(void* archive) const { static_cast<void>(unzClose(archive)); }
};
using Archive = std::unique_ptr<void, Close>;

constexpr std::size_t kLongestName = 1024;

struct Entry {
  std::string name;
  unz_file_info64 info = {};
};

std::optional<Entry> current(const Archive& archive) {
  Entry entry;
  std::array<char, kLongestName + 1> name = {};
  if (unzGetCurrentFileInfo64(archive.get(), &entry.info, name.data(), kLongestName, nullptr, 0,
                              nullptr, 0) != UNZ_OK ||
      entry.info.size_filename > kLongestName) {
    return {};
  }
  entry.name = name.data();
  std::replace(entry.name.begin(), entry.name.end(), '\\', '/');  // Windows 7 writes them so
  return entry;
}

bool leads_out(const std::string& name) {
  if (name.empty() || name.front() == '/') return true;
  if (name.size() > 1 && name[1] == ':') return true;
  const fs::path path(name);
  return std::find(path.begin(), path.end(), "..") != path.end();
}

// Of the systems that keep a file's kind, Unix and macOS do so in the upper half.
bool is_regular(const Entry& entry) {
  constexpr unsigned kUnix = 3;
  constexpr unsigned kMac = 19;
  const auto system = static_cast<unsigned>(entry.info.version >> 8U);
  const auto mode = static_cast<unsigned>(entry.info.external_fa >> 16U);
  if ((system != kUnix && system != kMac) || (mode & S_IFMT) == 0) return true;
  return S_ISREG(mode);
}

bool is_folder(const Entry& entry) { return entry.name.back() == '/'; }

// Archives say when in the time of where they were made, which is taken for that of here.
void set_time(const fs::path& path, const Entry& entry) {
  std::tm when = {};
  when.tm_year = static_cast<int>(entry.info.tmu_date.tm_year) - 1900;
  when.tm_mon = static_cast<int>(entry.info.tmu_date.tm_mon);
  when.tm_mday = static_cast<int>(entry.info.tmu_date.tm_mday);
  when.tm_hour = static_cast<int>(entry.info.tmu_date.tm_hour);
  when.tm_min = static_cast<int>(entry.info.tmu_date.tm_min);
  when.tm_sec = static_cast<int>(entry.info.tmu_date.tm_sec);
  when.tm_isdst = -1;
  const std::time_t time = std::mktime(&when);
  const utimbuf times = {time, time};
  if (time > 0) static_cast<void>(::utime(path.c_str(), &times));
}

/// One archive on its way into a folder.
class Unpacking {
 public:
  Unpacking(Archive archive, const fs::path& folder, UnzipBounds& left)
      : archive_(std::move(archive)), folder_(folder), left_(left) {}

  std::string run() {
    int at = unzGoToFirstFile(archive_.get());
    for (; at == UNZ_OK; at = unzGoToNextFile(archive_.get())) {
      if (left_.files == 0) return "it holds too many files";
      --left_.files;
      const std::optional<Entry> entry = current(archive_);
      if (!entry) return kDamaged;
      if (std::string why = take(*entry); !why.empty()) return why;
    }
    return at == UNZ_END_OF_LIST_OF_FILE ? std::string() : kDamaged;
  }

 private:
  static constexpr const char* kDamaged = "it is damaged";
  static constexpr const char* kNoName = "a name in it cannot be a file's here";

  std::string take(const Entry& entry) {
    constexpr uLong kEncrypted = 1;
    if (leads_out(entry.name)) return "a name in it leads out of its folder";
    if (is_folder(entry) || !is_regular(entry)) return {};
    if ((entry.info.flag & kEncrypted) != 0) return "it is encrypted";
    const fs::path path = folder_ / entry.name;
    std::error_code failed;
    fs::create_directories(path.parent_path(), failed);
    if (failed) return kNoName;
    if (fs::exists(fs::symlink_status(path, failed))) return "two files in it have one name";
    if (unzOpenCurrentFile(archive_.get()) != UNZ_OK) return "it is packed in a way unknown here";
    std::string why = write(path);
    const bool whole = unzCloseCurrentFile(archive_.get()) == UNZ_OK;  // with its checksum
    if (why.empty() && !whole) why = kDamaged;
    if (why.empty()) set_time(path, entry);
    return why;
  }

  std::string write(const fs::path& path) {
    std::ofstream out(path, std::ios::binary);
    if (!out.is_open()) return kNoName;
    std::array<char, 65536> bytes = {};
    for (;;) {
      const int count = unzReadCurrentFile(archive_.get(), bytes.data(), bytes.size());
      if (count == 0) break;
      if (count < 0) return kDamaged;
      if (left_.bytes < static_cast<std::uint64_t>(count)) return "it holds too much";
      left_.bytes -= static_cast<std::uint64_t>(count);
      out.write(bytes.data(), count);
    }
    out.close();
    if (out.fail()) throw machine_error(fmt::format("cannot unpack to {}", path.string()));
    return {};
  }

  Archive archive_;
  const fs::path& folder_;
  UnzipBounds& left_;
};

}  // namespace

std::string unzip(const std::string& file, const fs::path& folder, UnzipBounds& left) {
  Archive archive(unzOpen64(file.c_str()));
  if (!archive) return "it is no zip archive, or damaged";
  return Unpacking(std::move(archive), folder, left).run();
}

}  // namespace lab::grade
