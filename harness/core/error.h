// The one error type: what went wrong, where, and what to do about it.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>

namespace lab {

/// Whose fault an error is; the value is the exit status of the program.
enum class Fault {
  kInput = 2,     ///< bad usage or bad input: unknown name, kernel that does not compile
  kMachine = 3,   ///< this machine can't: no GPU, no permission, no toolkit, disk full
  kInternal = 4,  ///< our own mistake
};

/// A position in a text the user wrote. `line` and `column` count from 1; 0 means unknown.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
  std::string text = {};  ///< the source line itself, for the caret; may be empty
};

/// Thrown everywhere; caught in the mains, the worker client and tests alone.
class Error : public std::runtime_error {
 public:
  Error(Fault fault, const std::string& message, std::string hint = {},
        std::optional<Place> place = {})
      : std::runtime_error(message),
        fault_(fault),
        hint_(std::move(hint)),
        place_(std::move(place)) {}

  [[nodiscard]] Fault fault() const { return fault_; }
  [[nodiscard]] const std::string& hint() const { return hint_; }
  [[nodiscard]] const std::optional<Place>& place() const { return place_; }

 private:
  Fault fault_;
  std::string hint_;
  std::optional<Place> place_;
};

[[nodiscard]] inline Error input_error(const std::string& message, std::string hint = {},
                                       std::optional<Place> place = {}) {
  return Error(Fault::kInput, message, std::move(hint), std::move(place));
}
[[nodiscard]] inline Error machine_error(const std::string& message, std::string hint = {}) {
  return Error(Fault::kMachine, message, std::move(hint));
}
[[nodiscard]] inline Error internal_error(const std::string& message) {
  return Error(Fault::kInternal, message);
}

/// The kernel does what the model has no rule for: a refusal, and nobody's mistake.
class NotModelled : public Error {
 public:
  explicit NotModelled(const std::string& message, std::string hint = {},
                       std::optional<Place> place = {})
      : Error(Fault::kInput, message, std::move(hint), std::move(place)) {}
};

/// The text shown to a person, ending in a newline:
///     file.cu:3:7: error: message
///       the source line
///             ^
///     hint: what to do
[[nodiscard]] std::string render(const Error& error);

/// The error in words for a record: `file.cu:3: message; what to do`.
[[nodiscard]] std::string one_line(const Error& error);

}  // namespace lab
