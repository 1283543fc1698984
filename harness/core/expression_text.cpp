// Formulas as text, for slides and for browsers: one walk, three notations.
#include <fmt/format.h>

#include <algorithm>

#include "harness/core/expression.h"
#include "harness/core/text.h"

namespace lab {
namespace {

using enum Operation;

// How tightly an operation binds.
enum Binding : int { kLoose = 0, kComparison, kSum, kFactor, kAtom };

struct Symbol {
  Operation operation;
  Binding level;
  const char* text;
  const char* latex;
  const char* mathml;
};
constexpr Symbol kSymbols[] = {
    {kAdd, kSum, "+", "+", "+"},
    {kSubtract, kSum, "-", "-", "&#8722;"},
    {kMultiply, kFactor, "*", "\\cdot", "&#183;"},
    {kDivide, kFactor, "/", "/", "/"},
    {kModulo, kFactor, "%", "\\bmod", "mod"},
    {kLess, kComparison, "<", "<", "&lt;"},
    {kLessEqual, kComparison, "<=", "\\le", "&#8804;"},
    {kGreater, kComparison, ">", ">", "&gt;"},
    {kGreaterEqual, kComparison, ">=", "\\ge", "&#8805;"},
    {kEqual, kComparison, "==", "=", "="},
    {kNotEqual, kComparison, "!=", "\\ne", "&#8800;"},
};

const Symbol* symbol_of(Operation operation) {
  const auto* at = std::find_if(std::begin(kSymbols), std::end(kSymbols),
                                [&](const Symbol& s) { return s.operation == operation; });
  return at == std::end(kSymbols) ? nullptr : at;
}

const char* function_name(const Expr& e) {
  switch (e.operation()) {
    case kMin:
      return "min";
    case kMax:
      return "max";
    case kGcd:
      return "gcd";
    case kCeil:
      return "ceil";
    case kFloor:
      return "floor";
    case kIf:
      return "if";
    case kUnits:
      return "units_of_ranges";
    default:
      return e.node().name.c_str();
  }
}

Binding binding_of(const Expr& e) {
  const auto* symbol = symbol_of(e.operation());
  return symbol == nullptr ? kAtom : symbol->level;
}

// Of a term the first argument is its definition, which its name stands for.
std::vector<Expr> shown_args(const Expr& e) {
  auto args = e.args();
  if (e.operation() == kTerm) args.erase(args.begin());
  return args;
}

// How one notation writes what is not an operator between two operands.
struct Notation {
  std::string (*number)(double);
  std::string (*name)(const std::string&);
  std::string (*parentheses)(const std::string&);
  std::string (*between)(const Symbol&, const std::string&, const std::string&);
  std::string (*call)(const Expr&, const std::vector<std::string>&);
  bool fractions;  ///< a division is drawn with a bar and needs no parentheses
};

std::string written(const Expr& e, const Notation& notation, int at_least) {
  if (e.operation() == kNumber) return notation.number(e.node().number);
  if (e.operation() == kName) return notation.name(e.node().name);
  const auto* symbol = symbol_of(e.operation());
  if (symbol == nullptr) {
    std::vector<std::string> args;
    for (const auto& arg : shown_args(e)) args.push_back(written(arg, notation, kLoose));
    if (args.empty()) return notation.name(e.node().name);
    return notation.call(e, args);
  }
  const bool bar = notation.fractions && e.operation() == kDivide;
  const auto left = written(e.args()[0], notation, bar ? kLoose : symbol->level);
  const auto right = written(e.args()[1], notation, bar ? kLoose : symbol->level + 1);
  auto all = notation.between(*symbol, left, right);
  const bool tight = !bar && binding_of(e) < at_least;
  return tight ? notation.parentheses(all) : all;
}

// ---- text ---------------------------------------------------------------------------------------

const Notation kText = {
    number_text,
    [](const std::string& name) { return name; },
    [](const std::string& inner) { return "(" + inner + ")"; },
    [](const Symbol& symbol, const std::string& a, const std::string& b) {
      return a + " " + symbol.text + " " + b;
    },
    [](const Expr& e, const std::vector<std::string>& args) {
      return fmt::format("{}({})", function_name(e), fmt::join(args, ", "));
    },
    false,
};

// ---- TeX ----------------------------------------------------------------------------------------

std::string latex_name(const std::string& name) {
  std::string escaped;
  for (const char c : name) {
    if (c == '_') escaped += '\\';
    escaped += c;
  }
  return name.size() == 1 ? escaped : "\\mathit{" + escaped + "}";
}

std::string latex_call(const Expr& e, const std::vector<std::string>& args) {
  switch (e.operation()) {
    case kCeil:
      return "\\left\\lceil " + args[0] + " \\right\\rceil";
    case kFloor:
      return "\\left\\lfloor " + args[0] + " \\right\\rfloor";
    case kIf:
      return fmt::format(
          "\\begin{{cases}} {} & \\text{{if }} {} \\\\ {} & \\text{{otherwise}} \\end{{cases}}",
          args[1], args[0], args[2]);
    case kMin:
    case kMax:
    case kGcd:
      return fmt::format("\\{}({})", function_name(e), fmt::join(args, ", "));
    default:
      return fmt::format("{}({})", latex_name(function_name(e)), fmt::join(args, ", "));
  }
}

const Notation kLatex = {
    number_text,
    latex_name,
    [](const std::string& inner) { return "\\left(" + inner + "\\right)"; },
    [](const Symbol& symbol, const std::string& a, const std::string& b) {
      if (symbol.operation == kDivide) return "\\frac{" + a + "}{" + b + "}";
      return a + " " + symbol.latex + " " + b;
    },
    latex_call,
    true,
};

// ---- MathML -------------------------------------------------------------------------------------

std::string row(const std::string& inner) { return "<mrow>" + inner + "</mrow>"; }
std::string mo(const std::string& symbol) { return "<mo>" + symbol + "</mo>"; }

std::string mathml_call(const Expr& e, const std::vector<std::string>& args) {
  if (e.operation() == kCeil) return row(mo("&#8968;") + args[0] + mo("&#8969;"));
  if (e.operation() == kFloor) return row(mo("&#8970;") + args[0] + mo("&#8971;"));
  if (e.operation() == kIf) {
    const auto line = [](const std::string& value, const std::string& when) {
      return "<mtr><mtd>" + value + "</mtd><mtd>" + when + "</mtd></mtr>";
    };
    return row(mo("{") + "<mtable>" + line(args[1], "<mtext>if&#160;</mtext>" + args[0]) +
               line(args[2], "<mtext>otherwise</mtext>") + "</mtable>");
  }
  return row(fmt::format("<mi>{}</mi>{}{}{}", function_name(e), mo("("), fmt::join(args, mo(",")),
                         mo(")")));
}

const Notation kMathml = {
    [](double value) { return "<mn>" + number_text(value) + "</mn>"; },
    [](const std::string& name) { return "<mi>" + name + "</mi>"; },
    [](const std::string& inner) { return row(mo("(") + inner + mo(")")); },
    [](const Symbol& symbol, const std::string& a, const std::string& b) {
      if (symbol.operation == kDivide) return "<mfrac>" + row(a) + row(b) + "</mfrac>";
      return row(a + mo(symbol.mathml) + b);
    },
    mathml_call,
    true,
};

// ---- terms --------------------------------------------------------------------------------------

void collect(const Expr& e, std::vector<Definition>& all) {
  if (e.operation() != kTerm) {
    for (const auto& arg : e.args()) collect(arg, all);
    return;
  }
  const auto shown = shown_args(e);
  for (const auto& arg : shown) collect(arg, all);
  const auto name = e.text();
  const bool known =
      std::any_of(all.begin(), all.end(), [&](const Definition& d) { return d.name == name; });
  if (!known) all.push_back({name, e.args().front(), e.node().why});
}

}  // namespace

std::string Expr::text() const { return written(*this, kText, kLoose); }

std::string latex(const Expr& expression) { return written(expression, kLatex, kLoose); }

std::string mathml(const Expr& expression) {
  return "<math>" + written(expression, kMathml, kLoose) + "</math>";
}

std::vector<Definition> definitions_of(const Expr& expression) {
  std::vector<Definition> all;
  collect(expression, all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Expr body = all[i].body;  // the list grows
    collect(body, all);
  }
  return all;
}

namespace {

// Broken at spaces.
std::vector<std::string> broken(const std::string& text, std::size_t width) {
  std::vector<std::string> lines;
  std::size_t from = 0;
  while (text.size() - from > width) {
    auto at = text.rfind(' ', from + width);
    if (at == std::string::npos || at <= from) at = from + width;  // a word longer than a line
    lines.push_back(text.substr(from, at - from));
    from = text[at] == ' ' ? at + 1 : at;
  }
  lines.push_back(text.substr(from));
  return lines;
}

// With the first `count` definitions of its terms.
std::string text_with(const Expr& e, const std::vector<Definition>& terms, std::size_t count) {
  std::string all = e.text();
  for (std::size_t i = 0; i < count; ++i) {
    all += (i == 0 ? " where " : ", ") + terms[i].name + " = " + terms[i].body.text();
  }
  return all;
}

// Functions of the field are documented: they need no definition beside.
std::vector<Definition> terms_of(const Expr& e) {
  auto all = definitions_of(e);
  all.erase(std::remove_if(all.begin(), all.end(),
                           [](const Definition& d) { return d.name.back() == ')'; }),
            all.end());
  return all;
}

}  // namespace

std::vector<std::string> lines_of(const Expr& expression, std::size_t width, std::size_t most) {
  const auto opened = expression.opened();
  const auto constants = terms_of(opened);
  const auto bare = broken(text_with(opened, constants, constants.size()), width);
  if (bare.size() == 1) return bare;
  const auto terms = terms_of(expression);
  for (std::size_t count = terms.size() + 1; count-- > 0;) {
    auto lines = broken(text_with(expression, terms, count), width);
    const bool whole = count == terms.size();
    if (lines.size() <= most && whole) return lines;
    if (bare.size() <= most) return bare;
    if (lines.size() <= most) return lines;
  }
  return {};
}

std::string Expr::text_with_terms() const {
  const auto terms = terms_of(*this);
  return text_with(*this, terms, terms.size());
}

const std::string& Expr::general_text() const {
  return node().memo.get([this] { return simplified().text_with_terms(); });
}

}  // namespace lab
