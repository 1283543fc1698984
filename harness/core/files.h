// Files that a user names: read without waiting for what is not a file, written without losing one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lab {

/// A descriptor that is closed when it goes; negative: there is none.
class OpenFile {
 public:
  explicit OpenFile(int descriptor) : descriptor_(descriptor) {}
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  [[nodiscard]] int get() const { return descriptor_; }

 private:
  int descriptor_;
};

/// Texts have at most this many bytes: a source with its macros, a report of thousands of launches.
constexpr std::uint64_t kMostTextBytes = std::uint64_t{64} << 20U;

/// The bytes of a regular file. A pipe, a device or a folder is refused at once: opening one may
/// wait for ever. `what` names the file's purpose: `the kernel file`. Throws an input error where
/// it cannot be read or has more than `most` bytes, a machine error where the disk fails.
[[nodiscard]] std::string read_file(const std::string& path, std::string_view what,
                                    std::uint64_t most = kMostTextBytes);

/// What to do where a write failed with `error`, an errno: `ulimit -f` where that forbids files of
/// such a size; empty: there is nothing to say. Written beside the error's own text.
[[nodiscard]] std::string file_limit_hint(int error);

/// Throws an input error where writing to `path` would lose what is not an earlier output: where
/// it is, or stands for, one of `inputs` or its journal, a database, or anything but a regular
/// file. A link is refused, not followed.
void require_output(const std::string& path, std::span<const std::string> inputs);

/// A file that is there whole or not at all: written beside the target, then renamed.
class OutputFile {
 public:
  /// Throws a machine error, naming `what` (`the report`), where nothing can be written there.
  OutputFile(std::string path, std::string_view what);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  /// Where the bytes are until commit().
  [[nodiscard]] const std::string& temporary() const { return temporary_; }
  void commit();

 private:
  [[noreturn]] void fail() const;

  std::string path_;
  std::string what_;
  std::string temporary_;  // empty: renamed
  int descriptor_ = -1;
};

/// All of it at once, after require_output().
void write_file(const std::string& path, std::string_view bytes, std::string_view what,
                std::span<const std::string> inputs = {});

}  // namespace lab
