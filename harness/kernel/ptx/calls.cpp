#include "harness/kernel/ptx/grammar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lab::ptx {

namespace {

using Kind = Operand::Kind;

// One entry of a call's list of results or arguments.
struct Item {
  Token start;
  Operand value;
};

// The type of the callee's parameter or result `index`; nothing is known of a pointer's callee.
Type formal_type(const std::vector<Variable>* formal, std::size_t index) {
  return formal != nullptr && index < formal->size() ? (*formal)[index].type : Type::kNone;
}

std::vector<Item> parse_items(Cursor& cursor, Scopes& scopes, const std::vector<Variable>* formal) {
  std::vector<Item> items;
  cursor.expect('(', "before the parameters");
  while (!cursor.is(')')) {
    const Token start = cursor.peek();
    const Type type = formal_type(formal, items.size());
    items.push_back(
        {start, parse_operand(cursor, scopes, type == Type::kNone ? Type::kB64 : type)});
    if (!cursor.accept(',')) break;
  }
  cursor.expect(')', "after the parameters");
  return items;
}

// A register or constant gets a variable, through which it moves.
Operand pass(const Cursor& cursor, const Item& item, Function& caller, Type formal,
             std::vector<Passed>& passed) {
  const bool is_register = item.value.kind == Kind::kRegister;
  const Type type = is_register ? caller.registers[item.value.reg].type : formal;
  if (type == Type::kNone || type == Type::kPred || bits_of(type) > 64) {
    throw cursor.fail(item.start, "a call can't pass this",
                      "pass registers of 8 to 64 bits, and constants to a function by its name");
  }
  Operand variable{Kind::kSymbol};
  variable.home = Home::kLocal;
  variable.symbol = static_cast<std::uint32_t>(caller.variables.size());
  const auto bytes = static_cast<std::uint32_t>(bits_of(type)) / 8;
  caller.variables.push_back({std::string(item.start.text), Space::kParam, type, bytes, bytes});
  if (item.value.kind != Kind::kSink) {
    passed.push_back({item.value, type, Home::kLocal, variable.symbol});
  }
  return variable;
}

// `other`: what may stand there beside registers and variables.
Operand pass_all(const Cursor& cursor, const std::vector<Item>& items, Kind other, Function& caller,
                 const std::vector<Variable>* formal, std::vector<Passed>& passed) {
  Operand list{Kind::kList};
  for (const Item& item : items) {
    const Operand& value = item.value;
    if (value.kind == Kind::kSymbol && value.offset == 0) {
      list.parts.push_back(value);
    } else if ((value.kind == Kind::kRegister || value.kind == other) && !value.negated) {
      const Type type = formal_type(formal, list.parts.size());
      list.parts.push_back(pass(cursor, item, caller, type, passed));
    } else {
      throw cursor.fail(item.start,
                        "what a call passes and gets must be .param variables or registers",
                        "store the value into a .param variable first");
    }
  }
  return list;
}

Operand parse_callee(Cursor& cursor, Scopes& scopes, const Function& function) {
  const Token& name = cursor.peek();
  if (!cursor.is(Token::Kind::kWord)) throw cursor.fail("expected the name of a function");
  Operand callee = parse_operand(cursor, scopes, Type::kB64);
  const bool indirect =
      callee.kind == Kind::kRegister && bits_of(function.registers[callee.reg].type) == 64;
  if (callee.kind == Kind::kFunction || indirect) return callee;
  throw cursor.fail(name,
                    fmt::format("'{}' is neither a function nor a 64-bit register", name.text));
}

// A direct call passes what the callee takes.
void check_sizes(const Cursor& cursor, const Token& start, const Function& caller,
                 const Operand& list, const std::vector<Variable>& formal) {
  if (list.parts.size() != formal.size()) {
    throw cursor.fail(start,
                      fmt::format("the callee declares {} parameters or results here, not {}",
                                  formal.size(), list.parts.size()));
  }
  for (std::size_t i = 0; i < formal.size(); ++i) {
    const Operand& part = list.parts[i];
    const Variable* actual = nullptr;
    if (part.home == Home::kLocal) actual = &caller.variables[part.symbol];
    if (part.home == Home::kParam) actual = &caller.params[part.symbol];
    if (part.home == Home::kResult) actual = &caller.results[part.symbol];
    if (actual == nullptr || actual->space != Space::kParam || actual->bytes != formal[i].bytes) {
      throw cursor.fail(start, fmt::format("parameter or result {} of the callee is a .param of {} "
                                           "bytes",
                                           i + 1, formal[i].bytes));
    }
  }
}

// A call as it is written.
struct CallText {
  Token start;
  std::vector<Item> gets;
  Operand callee;
  const Function* target = nullptr;  // null: whatever the callee points to
  std::vector<Item> gives;
};

CallText parse_text(Cursor& cursor, Scopes& scopes, const Module& module,
                    const Function& function) {
  CallText text;
  text.start = cursor.peek();
  if (cursor.is('(')) {
    text.gets = parse_items(cursor, scopes, nullptr);
    cursor.expect(',', "after the results");
  }
  text.callee = parse_callee(cursor, scopes, function);
  if (text.callee.kind == Kind::kFunction) text.target = &module.functions[text.callee.target];
  bool more = cursor.accept(',');
  if (more && cursor.is('(')) {
    text.gives =
        parse_items(cursor, scopes, text.target == nullptr ? nullptr : &text.target->params);
    more = cursor.accept(',');
  }
  if (more) cursor.expect(Token::Kind::kWord, "the name of a prototype");
  cursor.expect(';', "after the call");
  return text;
}

}  // namespace

Instruction Passed::move(Op op) const {
  constexpr std::array kTypes{Type::kB8, Type::kB16, Type::kB32, Type::kB64};
  Instruction out;
  out.op = op;
  out.space = Space::kParam;
  out.type = *std::find_if(kTypes.begin(), kTypes.end(),
                           [&](Type each) { return bits_of(each) == bits_of(type); });
  Operand address{Kind::kAddress};
  address.home = home;
  address.symbol = variable;
  out.operands = op == Op::kLd ? std::vector{value, address} : std::vector{address, value};
  return out;
}

void add_move(Function& function, Instruction move, const Instruction& beside) {
  move.guard = beside.guard;
  move.guard_negated = beside.guard_negated;
  move.where = beside.where;
  function.instructions.push_back(std::move(move));
}

void parse_call(Cursor& cursor, Scopes& scopes, const Module& module, Function& function,
                Instruction call) {
  const CallText text = parse_text(cursor, scopes, module, function);
  const auto* declared = text.target == nullptr ? nullptr : &text.target->results;
  const auto* params = text.target == nullptr ? nullptr : &text.target->params;
  std::vector<Passed> before;
  std::vector<Passed> after;
  Operand results = pass_all(cursor, text.gets, Kind::kSink, function, declared, after);
  Operand arguments = pass_all(cursor, text.gives, Kind::kImmediate, function, params, before);
  if (text.target != nullptr) {
    check_sizes(cursor, text.start, function, results, *declared);
    check_sizes(cursor, text.start, function, arguments, *params);
  }
  call.operands = {std::move(results), text.callee, std::move(arguments)};
  for (const Passed& passed : before) add_move(function, passed.move(Op::kSt), call);
  function.instructions.push_back(call);
  for (const Passed& passed : after) add_move(function, passed.move(Op::kLd), call);
}

void parse_labelled_directive(Cursor& cursor, Scopes& scopes, Function& function,
                              const Token& name) {
  const Token& directive = cursor.next();
  if (directive.text != "branchtargets") {
    scopes.declare(name, {Meaning::Kind::kPrototype});
    return cursor.skip_statement();
  }
  const auto list = static_cast<std::uint32_t>(function.branch_targets.size());
  scopes.declare(name, {Meaning::Kind::kTargets, Home::kModule, list});
  function.branch_targets.push_back({std::string(name.text), {}});
  std::vector<std::uint32_t>& targets = function.branch_targets.back().targets;
  do {
    const Token& label = cursor.expect(Token::Kind::kWord, "a label");
    scopes.want_target(label, list, static_cast<std::uint32_t>(targets.size()));
    targets.push_back(kNoIndex);
  } while (cursor.accept(','));
  cursor.expect(';', "after the branch targets");
}

}  // namespace lab::ptx
