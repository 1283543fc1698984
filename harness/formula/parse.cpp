#include "harness/formula/parse.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/formula/functions.h"

namespace lab::language {
namespace {

constexpr int kDeepest = 32;             // parentheses in parentheses
constexpr std::size_t kLongest = 10000;  // characters
// Of what a formula stands for, with all that its names stand for: it is walked as a tree.
constexpr std::uint32_t kMostNodes = 20000;
constexpr std::uint32_t kDeepestTree = 200;

template <Expr (*make)(const Expr&, const Expr&)>
Value numbers(const Value& a, const Value& b) {
  return make(number_of(a), number_of(b));
}

Expr both(const Expr& a, const Expr& b) { return a * b; }
Expr less(const Expr& a, const Expr& b) { return a < b; }
Expr less_equal(const Expr& a, const Expr& b) { return a <= b; }
Expr greater(const Expr& a, const Expr& b) { return a > b; }
Expr greater_equal(const Expr& a, const Expr& b) { return a >= b; }
Expr minus(const Expr& a, const Expr& b) { return a - b; }
Expr over(const Expr& a, const Expr& b) { return a / b; }
Expr modulo(const Expr& a, const Expr& b) { return a % b; }

struct BinaryRule {
  std::string_view sign;
  Value (*make)(const Value&, const Value&);
};

struct Rank {
  std::string_view meaning;
  std::vector<BinaryRule> rules;  ///< the longer signs first
};

// The weakest first.
const std::array<Rank, 5>& ranks() {
  static const std::array<Rank, 5> kRanks = {{
      {"1 where one of two conditions holds, else 0; printed as `max`", {{"or", numbers<max>}}},
      {"1 where both conditions hold, else 0; printed as `*`", {{"and", numbers<both>}}},
      {"a condition: 1 where it holds, else 0",
       {{"<=", numbers<less_equal>},
        {">=", numbers<greater_equal>},
        {"==", numbers<equal>},
        {"!=", numbers<differ>},
        {"<", numbers<less>},
        {">", numbers<greater>}}},
      {"accesses and regions are added, too", {{"+", add}, {"-", numbers<minus>}}},
      {"`/` divides real numbers, `%` takes whole ones. Accesses and regions are multiplied by a "
       "number",
       {{"*", multiply}, {"/", numbers<over>}, {"%", numbers<modulo>}}},
  }};
  return kRanks;
}

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

class Parser {
 public:
  Parser(std::string_view text, const Lookup& lookup) : text_(text), lookup_(lookup) {}

  Value whole() {
    if (text_.size() > kLongest) fail("it is too long");
    Value value = binary(0);
    if (at_ < text_.size()) fail("an operator is expected");
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& message, const std::string& hint = {}) const {
    throw input_error(fmt::format("a formula: {}", message), hint,
                      Place{"formula", 1, static_cast<int>(at_) + 1, std::string(text_)});
  }

  // Errors of what stands at `first` are told there.
  template <typename Make>
  Value made_at(std::size_t first, Make make) {
    try {
      return make();
    } catch (const Error& error) {
      if (error.place()) throw;
      at_ = first;
      fail(error.what(), error.hint());
    }
  }

  // A name that stands for two of another, and so on, would be walked without end.
  static Value bounded(Value value) {
    const Extent extent = extent_of(value);
    if (extent.nodes > kMostNodes || extent.depth > kDeepestTree) {
      throw input_error("it is too large once its names are put in",
                        fmt::format("a formula has at most {} parts, one in another {} deep",
                                    kMostNodes, kDeepestTree));
    }
    return value;
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  bool take(std::string_view sign) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(sign)) return false;
    const std::size_t end = at_ + sign.size();
    // `order` does not begin with `or`.
    if (is_name(sign.back()) && end < text_.size() && is_name(text_[end])) return false;
    at_ = end;
    skip_blanks();
    return true;
  }

  const BinaryRule* take_rule(std::size_t rank) {
    for (const BinaryRule& rule : ranks()[rank].rules) {
      if (take(rule.sign)) return &rule;
    }
    return nullptr;
  }

  Value binary(std::size_t rank) {
    if (rank == ranks().size()) return primary();
    Value left = binary(rank + 1);
    for (;;) {
      skip_blanks();
      const std::size_t sign = at_;
      const BinaryRule* rule = take_rule(rank);
      if (rule == nullptr) return left;
      const Value right = binary(rank + 1);
      left = made_at(sign, [&] { return bounded(rule->make(left, right)); });
    }
  }

  Value primary() {
    if (++depth_ > kDeepest) fail("it is too deep");
    skip_blanks();
    Value value = take("-") ? multiply(Expr(-1), primary()) : take("(") ? parenthesised() : leaf();
    skip_blanks();
    --depth_;
    return value;
  }

  Value parenthesised() {
    Value inner = binary(0);
    if (!take(")")) fail("')' is expected");
    return inner;
  }

  Value leaf() {
    const std::size_t first = at_;
    while (at_ < text_.size() && (is_name(text_[at_]) || text_[at_] == '.')) ++at_;
    const std::string word(text_.substr(first, at_ - first));
    if (word.empty()) fail("a number or a name is expected");
    if (word[0] >= '0' && word[0] <= '9') return number(word, first);
    if (word.find('.') != std::string::npos) fail("a name has no point");
    if (take("(")) return call(word, first);
    return made_at(first, [&] { return lookup_(word); });
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

  Value call(const std::string& name, std::size_t first) {
    std::vector<Value> args;
    do {
      args.push_back(binary(0));
    } while (take(","));
    if (!take(")")) fail("')' is expected");
    return made_at(first, [&] { return bounded(called(name, args)); });
  }

  static Value called(const std::string& name, const std::vector<Value>& args) {
    const Function* function = find_function(name);
    if (function == nullptr) {
      std::vector<std::string> names;
      for (const Function& one : functions()) names.emplace_back(one.name);
      throw input_error(fmt::format("there is no function '{}'", name), suggestion(name, names));
    }
    if (args.size() < function->least || args.size() > function->most) {
      throw input_error(fmt::format("there is no function {} of {} argument{}", name, args.size(),
                                    args.size() == 1 ? "" : "s"),
                        fmt::format("it is {}({})", name, function->parameters));
    }
    return function->make(args);
  }

  std::string_view text_;
  const Lookup& lookup_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::vector<OperatorRank> operator_ranks() {
  std::vector<OperatorRank> all;
  for (const Rank& rank : ranks()) {
    OperatorRank& one = all.emplace_back();
    one.meaning = rank.meaning;
    for (const BinaryRule& rule : rank.rules) one.signs.push_back(rule.sign);
  }
  return all;
}

Value parse_value(std::string_view text, const Lookup& lookup) {
  return Parser(text, lookup).whole();
}

Expr parse_expression(std::string_view text) {
  const Lookup itself = [](const std::string& name) { return Value(Expr(name)); };
  Parser parser(text, itself);
  return number_of(parser.whole());
}

}  // namespace lab::language
