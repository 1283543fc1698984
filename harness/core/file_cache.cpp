#include "harness/core/file_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "harness/core/files.h"
#include "harness/core/text.h"

namespace lab {
namespace {

namespace fs = std::filesystem;

// An entry is this line, the SHA-256 of the rest in hex, and a newline; then the key, a newline and
// the text. An entry under another's name is not that one's.
constexpr std::string_view kEntryMagic = "lab entry 1\n";
constexpr std::size_t kHashSize = 64;
constexpr mode_t kPrivate = 0700;

std::string entry_of(const std::string& key, std::string_view text) {
  const std::string body = fmt::format("{}\n{}", key, text);
  return fmt::format("{}{}\n{}", kEntryMagic, sha256_hex(body), body);
}

std::optional<std::string> text_of(const std::string& key, std::string_view file) {
  if (!file.starts_with(kEntryMagic)) return std::nullopt;
  file.remove_prefix(kEntryMagic.size());
  if (file.size() < kHashSize + 1) return std::nullopt;
  const std::string_view hash = file.substr(0, kHashSize);
  std::string_view body = file.substr(kHashSize + 1);
  if (sha256_hex(body) != hash || !body.starts_with(key + "\n")) return std::nullopt;
  body.remove_prefix(key.size() + 1);
  return std::string(body);
}

// Only what this user wrote is trusted: another's entry would be another's machine code.
bool is_own(const struct stat& info, mode_t type) {
  return (info.st_mode & S_IFMT) == type && info.st_uid == ::geteuid() &&
         (info.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

bool make_private_folder(const fs::path& folder) {
  std::error_code ignored;
  fs::create_directories(folder.parent_path(), ignored);
  ::mkdir(folder.c_str(), kPrivate);
  struct stat info {};
  return ::lstat(folder.c_str(), &info) == 0 && is_own(info, S_IFDIR) &&
         ::access(folder.c_str(), W_OK | X_OK) == 0;
}

std::optional<std::string> read_own(const fs::path& path) {
  const OpenFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat info {};
  if (file.get() < 0 || ::fstat(file.get(), &info) != 0 || !is_own(info, S_IFREG)) {
    return std::nullopt;
  }
  std::string text(static_cast<std::size_t>(info.st_size), '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t got = ::read(file.get(), text.data() + done, text.size() - done);
    if (got <= 0) return std::nullopt;
    done += static_cast<std::size_t>(got);
  }
  ::futimens(file.get(), nullptr);  // the time of use is what trimming goes by
  return text;
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(descriptor, text.data(), text.size());
    if (put <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

}  // namespace

fs::path user_cache_folder(std::string_view part) {
  const char* xdg = std::getenv("XDG_CACHE_HOME");
  if (xdg != nullptr && fs::path(xdg).is_absolute()) return fs::path(xdg) / "lab" / part;
  const char* home = std::getenv("HOME");
  if (home != nullptr && fs::path(home).is_absolute()) {
    return fs::path(home) / ".cache" / "lab" / part;
  }
  return {};
}

FileCache::FileCache(const fs::path& folder, std::uint64_t bound) : bound_(bound) {
  if (!folder.empty() && make_private_folder(folder)) folder_ = folder;
}

std::optional<std::string> FileCache::get(const std::string& key) const {
  if (!usable()) return std::nullopt;
  const auto text = read_own(folder_ / key);
  if (!text) return std::nullopt;
  return text_of(key, *text);
}

void FileCache::put(const std::string& key, std::string_view text) const {
  if (!usable()) return;
  std::string name = (folder_ / ".new-XXXXXX").string();
  bool whole = false;
  {
    const OpenFile file(::mkostemp(name.data(), O_CLOEXEC));
    if (file.get() < 0) return;
    whole = write_all(file.get(), entry_of(key, text));
  }
  // Renaming is atomic: readers see the old entry or the whole new one.
  if (!whole || ::rename(name.c_str(), (folder_ / key).c_str()) != 0) {
    ::unlink(name.c_str());
    return;
  }
  trim_to_bound();
}

void FileCache::trim_to_bound() const {
  struct Entry {
    fs::file_time_type used;
    std::uint64_t size;
    fs::path path;
  };
  std::vector<Entry> entries;
  std::uint64_t total = 0;
  std::error_code failed;
  for (fs::directory_iterator it(folder_, failed), end; !failed && it != end;
       it.increment(failed)) {
    std::error_code gone;
    const auto size = it->file_size(gone);
    const auto used = gone ? fs::file_time_type{} : it->last_write_time(gone);
    if (gone) continue;  // another process trimmed it
    entries.push_back({used, size, it->path()});
    total += size;
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (total <= bound_) return;
    std::error_code gone;
    fs::remove(entry.path, gone);
    total -= entry.size;
  }
}

}  // namespace lab
