#include "harness/core/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/text.h"

namespace lab {

FormulaNames formula_names(const Params& params, const Launch& launch) {
  FormulaNames names;
  for (const auto& [name, value] : params.all()) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      names[name] = static_cast<double>(*number);
    }
  }
  const auto threads = static_cast<double>(launch.block.count());
  const auto blocks = static_cast<double>(launch.grid.count());
  const double warps = std::ceil(threads / 32);
  const std::pair<const char*, double> of_launch[] = {
      {"grid_x", launch.grid.x},
      {"grid_y", launch.grid.y},
      {"grid_z", launch.grid.z},
      {"block_x", launch.block.x},
      {"block_y", launch.block.y},
      {"block_z", launch.block.z},
      {"blocks", blocks},
      {"threads", threads},
      {"warps", warps},
      {"all_threads", blocks * threads},
      {"all_warps", blocks * warps},
  };
  for (const auto& [name, value] : of_launch) names[name] = value;
  return names;
}

namespace {

// One row an operation. `run` gets its arguments, `arity` of them; NaN says "not defined there".
struct Operation {
  std::string_view name;
  int arity;
  double (*run)(const double*);
};

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

bool whole(double x) { return std::floor(x) == x && std::fabs(x) < 0x1p53; }

double modulo(const double* a) {
  return a[1] == 0 || !whole(a[0]) || !whole(a[1]) ? kUndefined : std::fmod(a[0], a[1]);
}
double gcd_of(const double* a) {
  if (!whole(a[0]) || !whole(a[1])) return kUndefined;
  return static_cast<double>(
      std::gcd(static_cast<std::int64_t>(a[0]), static_cast<std::int64_t>(a[1])));
}
double lcm_of(const double* a) {
  const double gcd = gcd_of(a);
  return gcd == 0 ? 0 : std::fabs(a[0] / gcd * a[1]);
}

// Sum of floor((a i + b) / m) for i from 0 to n - 1, by the Euclidean algorithm on (a, m): like gcd
// it takes logarithmic time. See Graham, Knuth, Patashnik: Concrete Mathematics, section 3.5.
double floor_sum(const double* arguments) {
  for (int i = 0; i < 4; ++i) {
    // Sums of products of such numbers stay below 2^63.
    if (!whole(arguments[i]) || arguments[i] < 0 || arguments[i] >= 0x1p30) return kUndefined;
  }
  auto n = static_cast<std::int64_t>(arguments[0]);
  auto m = static_cast<std::int64_t>(arguments[1]);
  auto a = static_cast<std::int64_t>(arguments[2]);
  auto b = static_cast<std::int64_t>(arguments[3]);
  if (m == 0) return kUndefined;
  double sum = 0;
  while (n > 0) {
    const auto pairs = n * (n - 1) / 2;
    const auto slope = a / m;
    const auto offset = b / m;
    sum += static_cast<double>(slope) * static_cast<double>(pairs);
    sum += static_cast<double>(offset) * static_cast<double>(n);
    a %= m;
    b %= m;
    const std::int64_t highest = a * n + b;
    n = highest / m;
    b = highest % m;
    std::swap(a, m);
  }
  return sum;
}

constexpr std::array<Operation, 20> kOperations = {{
    {"+", 2, [](const double* a) { return a[0] + a[1]; }},
    {"-", 2, [](const double* a) { return a[0] - a[1]; }},
    {"*", 2, [](const double* a) { return a[0] * a[1]; }},
    {"/", 2, [](const double* a) { return a[1] == 0 ? kUndefined : a[0] / a[1]; }},
    {"%", 2, modulo},
    {"negate", 1, [](const double* a) { return -a[0]; }},
    {"==", 2, [](const double* a) { return a[0] == a[1] ? 1.0 : 0.0; }},
    {"!=", 2, [](const double* a) { return a[0] != a[1] ? 1.0 : 0.0; }},
    {"<", 2, [](const double* a) { return a[0] < a[1] ? 1.0 : 0.0; }},
    {"<=", 2, [](const double* a) { return a[0] <= a[1] ? 1.0 : 0.0; }},
    {">", 2, [](const double* a) { return a[0] > a[1] ? 1.0 : 0.0; }},
    {">=", 2, [](const double* a) { return a[0] >= a[1] ? 1.0 : 0.0; }},
    {"min", 2, [](const double* a) { return std::min(a[0], a[1]); }},
    {"max", 2, [](const double* a) { return std::max(a[0], a[1]); }},
    {"gcd", 2, gcd_of},
    {"lcm", 2, lcm_of},
    {"ceil", 1, [](const double* a) { return std::ceil(a[0]); }},
    {"floor", 1, [](const double* a) { return std::floor(a[0]); }},
    {"floor_sum", 4, floor_sum},
    // Both branches are computed: an undefined one that is not taken does no harm.
    {"if", 3, [](const double* a) { return a[0] != 0 ? a[1] : a[2]; }},
}};

const Operation* find_operation(std::string_view name) {
  const auto at = std::find_if(kOperations.begin(), kOperations.end(),
                               [&](const Operation& op) { return op.name == name; });
  return at == kOperations.end() ? nullptr : &*at;
}

bool is_function_name(std::string_view name) {
  return std::isalpha(static_cast<unsigned char>(name.front())) != 0 && name != "negate" &&
         find_operation(name) != nullptr;
}

Error error_at(const std::string& text, std::size_t column, const std::string& what,
               std::string hint) {
  return input_error("formula: " + what, std::move(hint),
                     Place{"", 0, static_cast<int>(column) + 1, text});
}

constexpr std::string_view kWriteHint =
    "formulas have numbers, names, + - * / % ( ), comparisons and min max gcd lcm ceil floor if "
    "floor_sum";

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace

// Recursive descent, one function a level of precedence; writes the postfix program.
class Formula::Parser {
 public:
  explicit Parser(Formula& formula) : formula_(formula), text_(formula.text_) {}

  void run() {
    tokenize();
    comparison();
    if (now().kind != Token::Kind::kEnd) throw error("unexpected '" + now().text + "'");
  }

 private:
  // Deeper nesting than any person writes; bounds the stack.
  static constexpr int kDeepest = 100;

  [[nodiscard]] const Token& now() const { return formula_.tokens_[at_]; }
  [[nodiscard]] Error error(const std::string& what) const {
    return error_at(text_, now().column, what, std::string(kWriteHint));
  }
  [[nodiscard]] bool is(std::string_view symbol) const {
    return now().kind == Token::Kind::kSymbol && now().text == symbol;
  }
  void expect(std::string_view symbol) {
    if (!is(symbol)) throw error(fmt::format("expected '{}'", symbol));
    ++at_;
  }
  void call(std::string name, std::size_t column) {
    formula_.steps_.push_back({Step::Kind::kCall, 0, std::move(name), column});
  }

  void tokenize() {
    std::size_t i = 0;
    while (i < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(text_[i])) != 0) {
        ++i;
      } else if (std::isdigit(static_cast<unsigned char>(text_[i])) != 0) {
        i = number(i);
      } else if (is_word(text_[i])) {
        i = word(i);
      } else {
        i = symbol(i);
      }
    }
    formula_.tokens_.push_back({Token::Kind::kEnd, "end", 0, text_.size()});
  }

  std::size_t number(std::size_t i) {
    double value = 0;
    const auto [end, code] = std::from_chars(text_.data() + i, text_.data() + text_.size(), value);
    if (code != std::errc{}) throw error_at(text_, i, "not a number", std::string(kWriteHint));
    const auto next = static_cast<std::size_t>(end - text_.data());
    formula_.tokens_.push_back({Token::Kind::kNumber, text_.substr(i, next - i), value, i});
    return next;
  }

  std::size_t word(std::size_t i) {
    std::size_t end = i;
    while (end < text_.size() && is_word(text_[end])) ++end;
    const std::string name = text_.substr(i, end - i);
    const auto kind = is_function_name(name) ? Token::Kind::kFunction : Token::Kind::kName;
    formula_.tokens_.push_back({kind, name, 0, i});
    return end;
  }

  std::size_t symbol(std::size_t i) {
    static constexpr std::string_view kSymbols[] = {"==", "!=", "<=", ">=", "<", ">", "+",
                                                    "-",  "*",  "/",  "%",  "(", ")", ","};
    for (const std::string_view candidate : kSymbols) {
      if (text_.compare(i, candidate.size(), candidate) != 0) continue;
      formula_.tokens_.push_back({Token::Kind::kSymbol, std::string(candidate), 0, i});
      return i + candidate.size();
    }
    throw error_at(text_, i, fmt::format("unexpected '{}'", text_[i]), std::string(kWriteHint));
  }

  template <typename Next>
  void left_associative(std::initializer_list<std::string_view> symbols, Next next) {
    next();
    for (;;) {
      const auto found = std::find_if(symbols.begin(), symbols.end(),
                                      [this](std::string_view symbol) { return is(symbol); });
      if (found == symbols.end()) return;
      const std::size_t column = now().column;
      ++at_;
      next();
      call(std::string(*found), column);
    }
  }

  void comparison() {
    if (++depth_ > kDeepest) throw error("nested too deeply");
    left_associative({"==", "!=", "<=", ">=", "<", ">"}, [this] { sum(); });
    --depth_;
  }
  void sum() {
    left_associative({"+", "-"}, [this] { term(); });
  }
  void term() {
    left_associative({"*", "/", "%"}, [this] { unary(); });
  }
  void unary() {
    std::size_t minuses = 0;
    const std::size_t column = now().column;
    for (; is("-"); ++at_) ++minuses;
    primary();
    if (minuses % 2 == 1) call("negate", column);
  }

  void primary() {
    const Token token = now();
    if (token.kind == Token::Kind::kNumber) {
      formula_.steps_.push_back({Step::Kind::kNumber, token.number, {}, token.column});
      ++at_;
    } else if (token.kind == Token::Kind::kName) {
      formula_.steps_.push_back({Step::Kind::kName, 0, token.text, token.column});
      ++at_;
    } else if (token.kind == Token::Kind::kFunction) {
      ++at_;
      arguments(token);
    } else if (is("(")) {
      ++at_;
      comparison();
      expect(")");
    } else {
      throw error(token.kind == Token::Kind::kEnd ? "it ends too early"
                                                  : "unexpected '" + token.text + "'");
    }
  }

  void arguments(const Token& function) {
    expect("(");
    const int arity = find_operation(function.text)->arity;
    for (int i = 0; i < arity; ++i) {
      if (i > 0) expect(",");
      comparison();
    }
    expect(")");
    call(function.text, function.column);
  }

  Formula& formula_;
  const std::string& text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

Formula::Formula(std::string text) : text_(std::move(text)) { Parser(*this).run(); }

double Formula::value(const FormulaNames& names) const {
  std::vector<double> stack;
  for (const Step& step : steps_) {
    if (step.kind == Step::Kind::kNumber) {
      stack.push_back(step.number);
    } else if (step.kind == Step::Kind::kName) {
      const auto at = names.find(step.name);
      if (at == names.end()) {
        std::vector<std::string> known;
        for (const auto& [name, value] : names) known.push_back(name);
        throw error_at(text_, step.column, fmt::format("unknown name '{}'", step.name),
                       suggestion(step.name, known));
      }
      stack.push_back(at->second);
    } else {
      const Operation& operation = *find_operation(step.name);
      const auto arity = static_cast<std::size_t>(operation.arity);
      const double result = operation.run(stack.data() + (stack.size() - arity));
      stack.resize(stack.size() - arity + 1);
      stack.back() = result;
    }
  }
  if (!std::isfinite(stack.back())) {
    throw error_at(text_, 0, "its value is not defined here",
                   "it divides by zero, or takes % or gcd of a number that is not whole");
  }
  return stack.back();
}

std::string Formula::with_values(const FormulaNames& names) const {
  std::string out;
  std::size_t from = 0;
  for (const Token& token : tokens_) {
    if (token.kind != Token::Kind::kName) continue;
    const auto at = names.find(token.text);
    if (at == names.end()) continue;
    out.append(text_, from, token.column - from);
    out += number_text(at->second);
    from = token.column + token.text.size();
  }
  return out.append(text_, from, std::string::npos);
}

std::vector<std::string> Formula::names() const {
  std::vector<std::string> names;
  for (const Step& step : steps_) {
    if (step.kind == Step::Kind::kName) names.push_back(step.name);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace lab
