#include "harness/kernel/ptx/grammar.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/kernel/ptx/places.h"

namespace lab::ptx {

namespace {

constexpr std::uint64_t kMostRegisters = std::uint64_t{1} << 32;
constexpr std::uint64_t kMostLine = 0x7fffffff;

class Body {
 public:
  Body(Cursor& cursor, Module& module, ModuleNames& names, Function& function)
      : cursor_(cursor),
        module_(module),
        names_(names),
        function_(function),
        scopes_(cursor, names, function),
        places_(module.places) {}

  void parse() {
    scopes_.open(cursor_.peek());
    declare_signature();
    Instruction start;
    start.where.ptx_line = cursor_.peek().line;
    cursor_.expect('{', "before the body of a function");
    for (const Passed& each : parameters_) add_move(function_, each.move(Op::kLd), start);
    while (scopes_.depth() > 0) statement();
  }

 private:
  void declare_signature() {
    declare_all(function_.params, Home::kParam, parameters_);
    declare_all(function_.results, Home::kResult, results_);
  }

  void declare_all(const std::vector<Variable>& variables, Home home,
                   std::vector<Passed>& in_registers) {
    for (std::size_t i = 0; i < variables.size(); ++i) {
      Token name = cursor_.peek();
      name.text = variables[i].name;
      if (name.text == "_") continue;
      const auto index = static_cast<std::uint32_t>(i);
      if (!variables[i].in_register) {
        scopes_.declare(name, {Meaning::Kind::kVariable, home, index});
        continue;
      }
      scopes_.declare_register(name, {variables[i].type});
      Operand reg{Operand::Kind::kRegister};
      reg.reg = scopes_.find(name.text)->index;
      in_registers.push_back({std::move(reg), variables[i].type, home, index});
    }
  }

  void add_return(Instruction ret) {
    // Results in registers are stored where the ret is, and under its guard.
    for (const Passed& result : results_) add_move(function_, result.move(Op::kSt), ret);
    function_.instructions.push_back(std::move(ret));
  }

  void statement() {
    const Token& token = cursor_.peek();
    if (cursor_.is('{')) return scopes_.open(cursor_.next());
    if (cursor_.is('}')) return close();
    if (cursor_.accept(';')) return;
    if (token.kind == Token::Kind::kEnd) throw cursor_.fail("this function's '}' is missing");
    if (token.kind == Token::Kind::kDot) return directive();
    if (token.kind == Token::Kind::kWord && cursor_.is(':', 1)) return label();
    Where where = where_;
    where.ptx_line = token.line;
    parse_instruction(cursor_, scopes_, module_, function_, where);
    if (results_.empty() || function_.instructions.back().op != Op::kRet) return;
    Instruction ret = std::move(function_.instructions.back());
    function_.instructions.pop_back();
    add_return(std::move(ret));
  }

  // A label or a fall-through at the end of a body needs an instruction to go to: a ret.
  void close() {
    const Token& brace = cursor_.next();
    if (scopes_.depth() == 1) {
      Instruction end;
      end.op = Op::kRet;
      end.where = where_;
      end.where.ptx_line = brace.line;
      const bool labelled = last_label_ == function_.instructions.size();
      if (!ends() || labelled) add_return(std::move(end));
    }
    scopes_.close();
  }

  [[nodiscard]] bool ends() const {
    if (function_.instructions.empty()) return false;
    const Instruction& last = function_.instructions.back();
    const bool leaves = last.op == Op::kRet || last.op == Op::kExit || last.op == Op::kTrap;
    return last.guard == kNoIndex && leaves;
  }

  void label() {
    const Token& name = cursor_.next();
    cursor_.next();
    if (cursor_.is_dot("branchtargets") || cursor_.is_dot("callprototype") ||
        cursor_.is_dot("calltargets")) {
      return parse_labelled_directive(cursor_, scopes_, function_, name);
    }
    scopes_.declare_label(name, static_cast<std::uint32_t>(function_.instructions.size()));
    last_label_ = function_.instructions.size();
  }

  void directive() {
    const Token& token = cursor_.next();
    if (token.text == "reg") return registers();
    if (token.text == "loc") return location();
    if (token.text == "pragma") return cursor_.skip_statement();
    if (const auto space = declared_space(token.text)) return variables(*space);
    throw cursor_.fail(token, fmt::format("unknown directive '.{}' in a function", token.text));
  }

  // .reg .b32 %r<45>; .reg .pred p, q; .reg .v2 .f32 v;
  void registers() {
    RegisterShape shape;
    if (cursor_.is_dot("v2") || cursor_.is_dot("v4")) {
      shape.lanes = cursor_.next().text == "v2" ? 2 : 4;
    }
    const Token& token = cursor_.expect(Token::Kind::kDot, "a type after '.reg'");
    const auto type = find_type(token.text);
    if (!type || is_fp8_pair(*type) || (*type == Type::kPred && shape.lanes > 1)) {
      throw cursor_.fail(token, fmt::format("a register can't have type '.{}'", token.text));
    }
    shape.type = *type;
    do {
      const Token& name = cursor_.expect(Token::Kind::kWord, "the name of a register");
      if (cursor_.accept('<')) {
        const std::uint64_t count = parse_unsigned(cursor_, "a register count", kMostRegisters);
        cursor_.expect('>', "after the register count");
        scopes_.declare_registers(name, count, shape);
      } else {
        scopes_.declare_register(name, shape);
      }
    } while (cursor_.accept(','));
    cursor_.expect(';', "after the registers");
  }

  void variables(Space space) {
    for (Declared& declared : parse_variables(cursor_, space, false)) {
      if (space == Space::kGlobal || space == Space::kConst) {
        module_variable(std::move(declared));
        continue;
      }
      const auto index = static_cast<std::uint32_t>(function_.variables.size());
      scopes_.declare(declared.name, {Meaning::Kind::kVariable, Home::kLocal, index});
      function_.variables.push_back(std::move(declared.variable));
    }
  }

  // One of the module that only this block can name. Others may have its name: the module's is
  // k::g, k::g.2, ..., which no PTX can write.
  void module_variable(Declared declared) {
    const auto index = static_cast<std::uint32_t>(module_.variables.size());
    Variable& variable = declared.variable;
    const std::string own = function_.name + "::" + variable.name;
    variable.name = own;
    for (int n = 2; is_taken(variable.name); ++n) variable.name = fmt::format("{}.{}", own, n);
    scopes_.declare(declared.name, {Meaning::Kind::kVariable, Home::kModule, index});
    for (Variable::Relocation& relocation : variable.relocations) {
      const auto meaning = scopes_.find(relocation.symbol);
      const bool known = meaning && meaning->kind == Meaning::Kind::kVariable &&
                         meaning->home == Home::kModule && meaning->index < index;
      if (known) relocation.symbol = module_.variables[meaning->index].name;
    }
    module_.variables.push_back(std::move(variable));
  }

  [[nodiscard]] bool is_taken(const std::string& name) const {
    return std::any_of(module_.variables.begin(), module_.variables.end(),
                       [&](const Variable& variable) { return variable.name == name; });
  }

  // .loc FILE LINE COLUMN, function_name LABEL, inlined_at FILE LINE COLUMN: the first is where
  // the instruction was written, the last where that function was called.
  void location() {
    const SourcePlace written = place();
    std::optional<SourcePlace> caller;
    while (cursor_.accept(',')) {
      const Token& what = cursor_.expect(Token::Kind::kWord, "function_name or inlined_at");
      if (what.text == "function_name") {
        cursor_.expect(Token::Kind::kWord, "a label");
        if (cursor_.accept('+')) (void)parse_unsigned(cursor_, "an offset", kMostLine);
      } else if (what.text == "inlined_at") {
        caller = place();
      } else {
        throw cursor_.fail(what, "'" + std::string(what.text) + "' says nothing in a .loc");
      }
    }
    cursor_.accept(';');
    where_ = places_.add(written, caller);
  }

  SourcePlace place() {
    SourcePlace place;
    place.file = file_index(module_, names_, parse_unsigned(cursor_, "a file", kMostLine));
    place.line = static_cast<std::uint32_t>(parse_unsigned(cursor_, "a line", kMostLine));
    if (cursor_.is(Token::Kind::kNumber)) {
      place.column = static_cast<std::uint32_t>(parse_unsigned(cursor_, "a column", kMostLine));
    }
    return place;
  }

  Cursor& cursor_;
  Module& module_;
  ModuleNames& names_;
  Function& function_;
  Scopes scopes_;
  std::vector<Passed> parameters_;  // those in registers
  std::vector<Passed> results_;
  Places places_;
  Where where_;
  std::size_t last_label_ = SIZE_MAX;
};

}  // namespace

std::uint32_t file_index(Module& module, ModuleNames& names, std::uint64_t number) {
  const auto [it, fresh] =
      names.files.emplace(number, static_cast<std::uint32_t>(module.files.size()));
  if (fresh) module.files.emplace_back();
  return it->second;
}

void parse_body(Cursor& cursor, Module& module, ModuleNames& names, Function& function) {
  Body(cursor, module, names, function).parse();
}

}  // namespace lab::ptx
