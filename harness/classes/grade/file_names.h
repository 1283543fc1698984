// Students' names as names of files, and back.
#pragma once

#include <string>

namespace lab::grade {

/// A student's name as a file's, without an ending: no two students share one, on no file system.
/// What is not an ASCII letter, a digit or one of . - _ @ + is percent-encoded (RFC 3986), as is
/// the first character where a shell or a system would take the name for something else (-rf,
/// .ada, con). Where letters are capitals, `~` and their places (a hexadecimal number whose bit i
/// is set for byte i) follow, since some systems do not tell Ada from ada. A name of more than 200
/// bytes ends in its SHA-256 instead.
[[nodiscard]] std::string file_name_of(const std::string& student);

/// The student whose name as a file's is `stem`; `stem` itself where it is nobody's.
[[nodiscard]] std::string named_by_file(const std::string& stem);

}  // namespace lab::grade
