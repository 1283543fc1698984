#include "harness/kernel/compile/source/includes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/kernel/compile/source/tokens.h"

namespace lab::source {
namespace {

namespace fs = std::filesystem;

// The C library's and the system's that programs name most; those of C++ have no ending.
constexpr std::array<std::string_view, 46> kSystemHeaders = {
    "assert.h",    "complex.h", "ctype.h",   "errno.h",    "fenv.h",   "float.h",    "inttypes.h",
    "limits.h",    "locale.h",  "math.h",    "setjmp.h",   "signal.h", "stdalign.h", "stdarg.h",
    "stdatomic.h", "stdbool.h", "stddef.h",  "stdint.h",   "stdio.h",  "stdlib.h",   "string.h",
    "tgmath.h",    "threads.h", "time.h",    "wchar.h",    "wctype.h", "unistd.h",   "pthread.h",
    "fcntl.h",     "dirent.h",  "getopt.h",  "malloc.h",   "memory.h", "strings.h",  "semaphore.h",
    "sched.h",     "poll.h",    "netdb.h",   "dlfcn.h",    "libgen.h", "glob.h",     "endian.h",
    "omp.h",       "mpi.h",     "windows.h", "immintrin.h"};

constexpr std::array<std::string_view, 4> kSystemFolders = {"sys/", "arpa/", "netinet/", "bits/"};

// How names of the CUDA toolkit's headers begin.
constexpr std::array<std::string_view, 18> kCudaPrefixes = {"cuda",     "cooperative_groups",
                                                            "cub/",     "thrust/",
                                                            "nv/",      "mma.h",
                                                            "curand",   "cuComplex.h",
                                                            "cublas",   "cufft",
                                                            "nvtx",     "nvToolsExt",
                                                            "nvml.h",   "nvrtc.h",
                                                            "cusparse", "vector_types.h",
                                                            "device_",  "cusolver"};

class Gathering {
 public:
  Gathering(const std::vector<std::string>& folders, const ReadFile& read, std::string first)
      : folders_(folders), read_(read), first_(std::move(first)) {}

  void scan(const std::string& name, std::string_view text) {
    for (const Token& token : tokens_of(text)) {
      if (token.kind != TokenKind::kDirective) continue;
      if (directive_of(token.text).name != "include") continue;
      take(header_of(token.text), name);
    }
  }

  std::vector<File> run(std::string_view text) {
    scan(first_, text);
    // Files are appended while this goes on, so they are named by index.
    for (std::size_t i = 0; i < found_.size(); ++i) {
      const File file = found_[i];
      scan(file.name, file.text);
    }
    return std::move(found_);
  }

 private:
  void take(const HeaderName& header, const std::string& from) {
    for (const std::string& name : candidates(header, from, folders_)) {
      const bool known =
          name == first_ ||
          std::any_of(found_.begin(), found_.end(), [&](const File& f) { return f.name == name; });
      if (known) return;
      auto text = read_(name);
      if (!text) continue;
      bytes_ += text->size();
      found_.push_back({name, std::move(*text)});
      if (found_.size() > kMostIncluded || bytes_ > kMostIncludedBytes) {
        throw input_error(fmt::format("{} includes more than {} files or {} MiB", first_,
                                      kMostIncluded, kMostIncludedBytes >> 20));
      }
      return;
    }
  }

  const std::vector<std::string>& folders_;
  const ReadFile& read_;
  std::string first_;
  std::vector<File> found_;
  std::size_t bytes_ = 0;
};

}  // namespace

std::vector<File> files_of(const KernelText& source) {
  std::vector<File> files = {{source.name, source.text}};
  for (const IncludedText& one : source.included) files.push_back({one.name, one.text});
  return files;
}

HeaderName header_of(std::string_view directive) {
  const std::string_view rest = directive_of(directive).rest;
  if (!rest.starts_with("<") && !rest.starts_with("\"")) return {};
  const bool quoted = rest.front() == '"';
  const std::size_t end = rest.find(quoted ? '"' : '>', 1);
  if (end == std::string_view::npos) return {};
  return {std::string(rest.substr(1, end - 1)), quoted};
}

namespace {

template <std::size_t N>
bool begins_one_of(const std::string& name, const std::array<std::string_view, N>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace

bool is_system_header(const HeaderName& header) {
  const std::string& name = header.name;
  if (!header.quoted && name.find_first_of("./") == std::string::npos) return true;
  return std::find(kSystemHeaders.begin(), kSystemHeaders.end(), name) != kSystemHeaders.end() ||
         begins_one_of(name, kSystemFolders);
}

bool is_library_header(const HeaderName& header) {
  return is_system_header(header) || begins_one_of(header.name, kCudaPrefixes);
}

std::vector<std::string> candidates(const HeaderName& header, std::string_view from,
                                    const std::vector<std::string>& folders) {
  std::vector<std::string> names;
  if (header.name.empty()) return names;
  const fs::path path(header.name);
  if (path.is_absolute()) return {path.lexically_normal().string()};
  if (header.quoted) {
    names.push_back((fs::path(from).parent_path() / path).lexically_normal().string());
  }
  for (const std::string& folder : folders) {
    names.push_back((fs::path(folder) / path).lexically_normal().string());
  }
  return names;
}

std::vector<File> included_files(const std::string& name, std::string_view text,
                                 const std::vector<std::string>& folders, const ReadFile& read) {
  return Gathering(folders, read, name).run(text);
}

}  // namespace lab::source
