// What one student handed in: files, folders and archives within each other, and which of the
// files is the one that counts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/core/backend.h"

namespace lab::grade {

/// Why there is no text to grade.
enum class Unread : std::uint8_t {
  kNothing,     ///< there is none: an empty file or folder
  kForAPerson,  ///< there is something, which cannot be read here
};

struct Handed {
  std::string path = {};                ///< of the file that counts, for people
  std::optional<KernelText> text = {};  ///< empty: `problem` says why
  std::string problem = {};
  Unread unread = Unread::kForAPerson;
  std::string sha256 = {};                ///< of the text and all that it includes, or of `problem`
  std::vector<std::string> refused = {};  ///< files outside of it that it names in #include lines
  std::string changed_at = {};            ///< when the file was last changed, UTC; empty: not known
};

/// The names of kernels, without the arguments of templates; empty: any kernel will do.
using Wanted = std::set<std::string>;

/// A file or folder: where it is, and what people call the place (an archive's is unpacked).
struct Where {
  std::filesystem::path path;
  std::string shown;
};

/// Whether a file is a kernel's by its name: .cu or .ptx, in any case.
[[nodiscard]] bool is_kernel_file(const std::filesystem::path& path);
/// Whether a file is an archive that is looked into, or one that nobody here can open.
[[nodiscard]] bool is_zip(const std::filesystem::path& path);
[[nodiscard]] bool is_other_archive(const std::filesystem::path& path);
/// What systems and editors leave behind: hidden, or __MACOSX.
[[nodiscard]] bool is_left_over(const std::filesystem::path& path);

/// One file, which includes nothing of its folder: that holds the files of others.
[[nodiscard]] Handed read_one_file(const Where& file);

/// All of a folder: of several files the one that defines a wanted kernel counts, kernels.cu where
/// there is one of that name; of files of which one includes the other, the one that includes.
/// Archives in it are unpacked to `scratch`, which is the caller's. Links are not followed. Where
/// it stays open which file counts, that is for a person.
[[nodiscard]] Handed read_folder(const Where& folder, const Wanted& wanted,
                                 const std::filesystem::path& scratch);

/// It cannot be read, and why.
[[nodiscard]] Handed not_read(const Where& what, const std::string& why,
                              Unread unread = Unread::kForAPerson);

/// What a text and all that it includes is known by.
[[nodiscard]] std::string hash_of(const KernelText& text);

/// When a file was last changed, UTC; empty: not known.
[[nodiscard]] std::string changed_at(const std::filesystem::path& path);

/// An empty folder within `scratch`.
[[nodiscard]] std::filesystem::path fresh_folder(const std::filesystem::path& scratch);

}  // namespace lab::grade
