// The declarations of a source text: which of them are for the GPU, what they are called, and what
// they name. Not a C++ parser: it knows where a declaration ends, not what it means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/kernel/compile/source/macros.h"
#include "harness/kernel/compile/source/tokens.h"

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
  /// Where macros of the text make it, or a kernel's head: the text with them put in, and the
  /// declarations in that.
  std::shared_ptr<const std::string> expansion = {};
  std::vector<Declaration> expanded = {};
};

/// All declarations, those in namespaces and extern "C" { } blocks too, in order.
[[nodiscard]] std::vector<Declaration> declarations_of(const std::vector<Token>& tokens,
                                                       const Macros& macros);

/// A text on one line, without directives.
[[nodiscard]] std::string one_line(std::string_view text);

/// The parameters behind `template <` of a declaration's head; none: it is not a template.
[[nodiscard]] std::vector<std::string> template_parameters(std::string_view head);

}  // namespace lab::source
