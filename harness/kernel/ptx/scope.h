// Looks up names: in the module, and in the nested blocks of a function's body.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/kernel/ptx/cursor.h"
#include "harness/kernel/ptx/module.h"

namespace lab::ptx {

/// The names of a module under construction; they refer to the text that is being parsed.
struct ModuleNames {
  std::unordered_map<std::string_view, std::uint32_t> variables;
  std::unordered_map<std::string_view, std::uint32_t> functions;
  std::unordered_map<std::uint64_t, std::uint32_t> files;  ///< a .file number -> Module::files
};

/// The meaning of a name in a function's body.
struct Meaning {
  enum class Kind : std::uint8_t { kRegister, kVariable, kTargets, kPrototype, kFunction };
  Kind kind = Kind::kRegister;
  Home home = Home::kModule;  ///< of a variable
  std::uint32_t index = kNoIndex;
  std::uint8_t lanes = 1;  ///< of a register declared .v2 or .v4: its components follow each other
};

/// The declaration of a .reg: a register, or a vector of 2 or 4 of them.
struct RegisterShape {
  Type type = Type::kB32;
  std::uint8_t lanes = 1;
};

/// The blocks of one function's body, innermost last. PTX names, labels too, are local to the
/// `{ }` that they are declared in, and hide those outside.
class Scopes {
 public:
  Scopes(const Cursor& cursor, const ModuleNames& module, Function& function)
      : cursor_(cursor), module_(module), function_(function) {}

  static constexpr std::size_t kDeepest = 64;
  void open(const Token& brace);
  /// Closes the innermost block and resolves the branches that wait for its labels. Branches whose
  /// labels are not found go on waiting in the enclosing block; in the outermost they are an error.
  void close();
  [[nodiscard]] std::size_t depth() const { return blocks_.size(); }

  void declare_register(const Token& name, RegisterShape shape);
  /// `prefix<count>` declares prefix0 .. prefix(count-1); they become registers when used.
  void declare_registers(const Token& prefix, std::uint64_t count, RegisterShape shape);
  void declare(const Token& name, Meaning meaning);
  void declare_label(const Token& name, std::uint32_t instruction);

  [[nodiscard]] std::optional<Meaning> find(std::string_view name);

  /// Branches and branch targets, to be resolved when their block closes.
  void want_label(const Token& name, std::uint32_t instruction, std::uint32_t operand);
  void want_target(const Token& name, std::uint32_t list, std::uint32_t position);

 private:
  struct Range {
    RegisterShape shape;
    std::uint64_t count;
  };
  struct Wanted {
    Token name;
    bool in_list;
    std::uint32_t owner;     ///< instruction, or index in branch_targets
    std::uint32_t position;  ///< operand, or position in the list
  };
  struct Block {
    std::unordered_map<std::string_view, Meaning> names;
    std::unordered_map<std::string_view, RegisterShape> undemanded;  ///< registers not used so far
    std::unordered_map<std::string_view, Range> ranges;
    std::unordered_map<std::string_view, std::uint32_t> labels;
    std::vector<Wanted> wanted;
  };

  std::optional<Meaning> find_in(Block& block, std::string_view name);
  Meaning add_register(Block& block, std::string_view name, RegisterShape shape);
  void refuse_twice(const Token& name) const;
  void resolve(const Wanted& wanted, std::uint32_t instruction);

  const Cursor& cursor_;
  const ModuleNames& module_;
  Function& function_;
  std::vector<Block> blocks_;
};

}  // namespace lab::ptx
