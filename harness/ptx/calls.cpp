#include "harness/ptx/grammar.h"

#include <fmt/format.h>

namespace lab::ptx {

namespace {

using Kind = Operand::Kind;

Operand parse_list(Cursor& cursor, Scopes& scopes) {
  Operand list{Kind::kList};
  cursor.expect('(', "before the parameters");
  while (!cursor.is(')')) {
    const Token& start = cursor.peek();
    Operand item = parse_operand(cursor, scopes, Type::kB64);
    if (item.kind != Kind::kSymbol || item.offset != 0) {
      throw cursor.fail(start, "what a call passes and gets must be .param variables",
                        "store the value into a .param variable first");
    }
    list.parts.push_back(std::move(item));
    if (!cursor.accept(',')) break;
  }
  cursor.expect(')', "after the parameters");
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

}  // namespace

std::vector<Operand> parse_call(Cursor& cursor, Scopes& scopes, const Module& module,
                                const Function& function) {
  const Token& start = cursor.peek();
  Operand results{Kind::kList};
  Operand arguments{Kind::kList};
  if (cursor.is('(')) {
    results = parse_list(cursor, scopes);
    cursor.expect(',', "after the results");
  }
  Operand callee = parse_callee(cursor, scopes, function);
  bool more = cursor.accept(',');
  if (more && cursor.is('(')) {
    arguments = parse_list(cursor, scopes);
    more = cursor.accept(',');
  }
  if (more) cursor.expect(Token::Kind::kWord, "the name of a prototype");
  cursor.expect(';', "after the call");
  if (callee.kind == Kind::kFunction) {
    const Function& target = module.functions[callee.target];
    check_sizes(cursor, start, function, results, target.results);
    check_sizes(cursor, start, function, arguments, target.params);
  }
  return {std::move(results), std::move(callee), std::move(arguments)};
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
