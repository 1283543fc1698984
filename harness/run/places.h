// Files of labs, and texts of kernels.
#pragma once

#include <cstdint>
#include <string>

#include "harness/core/backend.h"
#include "harness/core/lab.h"

namespace lab::run {

/// A file of a lab, such as kernels.cu or README.md.
[[nodiscard]] std::string lab_file(const Lab& lab, const std::string& name);

/// Whether the lab has that file. Only lab.toml, kernels.cu and reference.cu are a must.
[[nodiscard]] bool has_lab_file(const Lab& lab, const std::string& name);

/// A whole file; an input error, naming `what` it is, where it cannot be read.
[[nodiscard]] std::string read_text(const std::string& path, const std::string& what);

/// The lab's kernels.cu, named as seen from the current directory where it lies below it.
[[nodiscard]] KernelText own_kernels(const Lab& lab);
/// Its reference.cu, named in the same way; empty: it has none.
[[nodiscard]] KernelText reference_text(const Lab& lab);

/// Whether `text` is the lab's kernels.cu as it came: its SHA-256 is the one in `shipped.sums` of
/// the folder that the lab is in (written by sha256sum). A lab that is not listed there counts as
/// such.
[[nodiscard]] bool is_as_shipped(const Lab& lab, const std::string& text);

/// What one file of a source may have at most: more than large libraries have in one, with their
/// headers in it.
constexpr std::uint64_t kMostSourceBytes = std::uint64_t{16} << 20U;

/// Whose text a source is, and so which files of this machine its #include lines may name: headers,
/// and anything in `-I` folders. Where a file may not be, nobody looks: whether there is one
/// changes nothing.
enum class Author {
  kUser,     ///< in its folder, or up to three folders above: ../common.h
  kProgram,  ///< in its folder, or any above, as its own build has it; sources: #include
             ///< "kernels.cu"
  kStudent,  ///< in its folder, which is the student's own; other kernel files, too
  kOneFile,  ///< in `-I` folders alone: its folder holds the files of others
};

/// A file of CUDA or PTX text with all that it includes as `author` may; links are not followed.
/// `options` are the user's for the compiler, without blanks in them. `refused`, where given, gets
/// the names of files outside of where they may be. `root` is the author's folder where that is
/// not the file's own, but one above it.
[[nodiscard]] KernelText read_source(const std::string& path, std::vector<std::string> options,
                                     Author author = Author::kUser,
                                     std::vector<std::string>* refused = nullptr,
                                     const std::string& root = {});

/// A file of CUDA or PTX text; input errors also where it is empty or holds zero bytes.
[[nodiscard]] std::string read_kernels(const std::string& path);

}  // namespace lab::run
