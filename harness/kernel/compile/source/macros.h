// The macros that a text defines itself, put in as the preprocessor does: some make whole kernels.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/kernel/compile/source/tokens.h"

namespace lab::source {

struct Macro {
  bool function_like = false;
  std::vector<std::string> parameters = {};  ///< `...` is __VA_ARGS__
  std::string body = {};
};

/// Macros known before a text is read. The names that it declares are read from the text itself.
struct Macros {
  std::set<std::string, std::less<>> device;  ///< whose text has __device__ or its like
  std::set<std::string, std::less<>> kernel;  ///< whose text has __global__
  std::map<std::string, Macro, std::less<>> defined;
};

/// __device__, __global__ and their like.
[[nodiscard]] bool is_device_word(std::string_view text);

/// Adds the macros that `tokens` define. Of several with one name the last that makes a kernel
/// counts, else the first.
void add_macros(const std::vector<Token>& tokens, Macros& macros);

/// The token that closes the bracket at `open`; tokens.size() where none does.
[[nodiscard]] std::size_t closing(const std::vector<Token>& tokens, std::size_t open);

/// `text` with its macros put in. `budget` is what it may grow by, in characters, and is used up;
/// empty where it is not enough: macros can grow without end.
[[nodiscard]] std::optional<std::string> expanded(std::string_view text, const Macros& macros,
                                                  std::size_t& budget);

}  // namespace lab::source
