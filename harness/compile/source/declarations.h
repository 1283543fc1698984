// The declarations of a source text: which of them are for the GPU, what they are called, and what
// they name. Not a C++ parser: it knows where a declaration ends, not what it means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/compile/source/tokens.h"

namespace lab::source {

enum class DeclarationKind : std::uint8_t {
  kFunction,   ///< with a body
  kClass,      ///< struct, class, union or enum, with a body
  kMacro,      ///< #define
  kInclude,    ///< #include
  kDirective,  ///< any other directive
  kOther,      ///< variables, prototypes, types, using, templates of them
};

struct Declaration {
  DeclarationKind kind = DeclarationKind::kOther;
  std::size_t begin = 0;  ///< offsets in the source, its last brace or semicolon included
  std::size_t end = 0;
  bool for_device = false;  ///< has __device__, __global__, __constant__, __shared__, __managed__
  bool kernel = false;      ///< has __global__
  bool host_only = false;   ///< __host__ and no __device__, main, or it uses what no kernel can
  std::vector<std::string_view> names = {};  ///< that it declares
  std::set<std::string_view> uses = {};      ///< every name in it
  std::size_t head_end = 0;                  ///< a function's `{`; else `end`
  std::vector<Declaration> members = {};     ///< of a class
};

/// What is told of a text before it is read: the names that it declares are read from it.
struct Macros {
  std::set<std::string, std::less<>> device;  ///< whose text has __device__ or its like
  std::set<std::string, std::less<>> kernel;  ///< whose text has __global__
};

/// Adds the macros of `tokens` that stand for __device__, __global__ and their like.
void add_macros(const std::vector<Token>& tokens, Macros& macros);

/// All declarations, those in namespaces and extern "C" { } blocks too, in order.
[[nodiscard]] std::vector<Declaration> declarations_of(const std::vector<Token>& tokens,
                                                       const Macros& macros);

}  // namespace lab::source
