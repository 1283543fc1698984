#include "harness/core/expression_parse.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <string>
#include <vector>

#include "harness/core/error.h"

namespace lab {

namespace {

constexpr int kDeepest = 64;  // parentheses in parentheses

struct BinaryRule {
  std::string_view sign;
  Expr (*make)(const Expr&, const Expr&);
};

// By rank, the weakest first; of one rank the longer signs first.
const std::array<std::vector<BinaryRule>, 3>& binary_rules() {
  static const std::array<std::vector<BinaryRule>, 3> kRules = {{
      {{"<=", [](const Expr& a, const Expr& b) { return a <= b; }},
       {">=", [](const Expr& a, const Expr& b) { return a >= b; }},
       {"==", [](const Expr& a, const Expr& b) { return equal(a, b); }},
       {"!=", [](const Expr& a, const Expr& b) { return differ(a, b); }},
       {"<", [](const Expr& a, const Expr& b) { return a < b; }},
       {">", [](const Expr& a, const Expr& b) { return a > b; }}},
      {{"+", [](const Expr& a, const Expr& b) { return a + b; }},
       {"-", [](const Expr& a, const Expr& b) { return a - b; }}},
      {{"*", [](const Expr& a, const Expr& b) { return a * b; }},
       {"/", [](const Expr& a, const Expr& b) { return a / b; }},
       {"%", [](const Expr& a, const Expr& b) { return a % b; }}},
  }};
  return kRules;
}

struct Function {
  std::string_view name;
  std::size_t arity;
  Expr (*make)(const std::vector<Expr>&);
};

constexpr std::array<Function, 6> kFunctions = {{
    {"min", 2, [](const std::vector<Expr>& a) { return min(a[0], a[1]); }},
    {"max", 2, [](const std::vector<Expr>& a) { return max(a[0], a[1]); }},
    {"gcd", 2, [](const std::vector<Expr>& a) { return gcd(a[0], a[1]); }},
    {"ceil", 1, [](const std::vector<Expr>& a) { return ceil(a[0]); }},
    {"floor", 1, [](const std::vector<Expr>& a) { return floor(a[0]); }},
    {"if", 3, [](const std::vector<Expr>& a) { return choose(a[0], a[1], a[2]); }},
}};

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Expr whole() {
    Expr expression = binary(0);
    if (at_ < text_.size()) fail("an operator is expected");
    return expression;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw input_error(fmt::format("a formula: {}", message), {},
                      Place{"formula", 1, static_cast<int>(at_) + 1, std::string(text_)});
  }

  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  bool take(std::string_view sign) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    skip_blanks();
    return true;
  }

  const BinaryRule* take_rule(std::size_t rank) {
    for (const BinaryRule& rule : binary_rules()[rank]) {
      if (take(rule.sign)) return &rule;
    }
    return nullptr;
  }

  Expr binary(std::size_t rank) {
    if (rank == binary_rules().size()) return primary();
    Expr left = binary(rank + 1);
    while (const BinaryRule* rule = take_rule(rank)) left = rule->make(left, binary(rank + 1));
    return left;
  }

  Expr primary() {
    if (++depth_ > kDeepest) fail("it is too deep");
    skip_blanks();
    Expr expression = take("(") ? parenthesised() : leaf();
    skip_blanks();
    --depth_;
    return expression;
  }

  Expr parenthesised() {
    Expr inner = binary(0);
    if (!take(")")) fail("')' is expected");
    return inner;
  }

  Expr leaf() {
    const std::size_t first = at_;
    while (at_ < text_.size() && (is_name(text_[at_]) || text_[at_] == '.')) ++at_;
    const std::string word(text_.substr(first, at_ - first));
    if (word.empty()) fail("a number or a name is expected");
    if (word[0] >= '0' && word[0] <= '9') return number(word, first);
    if (word.find('.') != std::string::npos) fail("a name has no point");
    if (take("(")) return call(word);
    return Expr(word);
  }

  Expr number(const std::string& word, std::size_t first) {
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size()) {
      at_ = first;
      fail(fmt::format("'{}' is not a number", word));
    }
    return Expr(value);
  }

  Expr call(const std::string& name) {
    std::vector<Expr> args;
    do {
      args.push_back(binary(0));
    } while (take(","));
    if (!take(")")) fail("')' is expected");
    for (const Function& function : kFunctions) {
      if (function.name == name && function.arity == args.size()) return function.make(args);
    }
    fail(fmt::format("there is no function {} of {} arguments", name, args.size()));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Expr parse_expression(std::string_view text) { return Parser(text).whole(); }

}  // namespace lab
