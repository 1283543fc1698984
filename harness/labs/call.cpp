#include "harness/labs/call.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/core/error.h"

namespace lab::labs {
namespace {

KernelOf template_argument(Scope& scope, const PlacedText& text, Uses& uses) {
  if (is_type(text.text)) return [name = text.text](const FormulaNames&) { return name; };
  if (is_type_of_bytes(text.text)) {
    add_uses(scope.number(part_of(text, 5, text.text.size() - 6)), uses);
    return [type = read_type(scope, text)](const FormulaNames& names) {
      return std::string(type(names).name);
    };
  }
  const auto number = whole_formula(scope, text);
  add_uses(number.formula, uses);
  if (language::is_condition(number.formula)) {
    return [number](const FormulaNames& names) { return number.value(names) ? "true" : "false"; };
  }
  return [number](const FormulaNames& names) { return std::to_string(number.value(names)); };
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

constexpr std::string_view kScalars[] = {"int", "unsigned", "long", "ulong", "float", "double"};

// `float(0.25)`: its type, and what stands in the parentheses.
const CType* named_type(const PlacedText& text, PlacedText& inner) {
  for (const std::string_view name : kScalars) {
    const bool called = text.text.starts_with(name) && text.text.size() > name.size() + 1 &&
                        text.text[name.size()] == '(' && text.text.back() == ')';
    if (!called) continue;
    inner = part_of(text, name.size() + 1, text.text.size() - name.size() - 2);
    return &type_called(name);
  }
  return &type_called("int");
}

}  // namespace

std::span<const std::string_view> scalar_types() { return kScalars; }

KernelOf read_kernel(Scope& scope, const PlacedText& text, Uses& uses) {
  const std::size_t open = text.text.find('<');
  if (open == std::string::npos) {
    return [name = text.text](const FormulaNames&) { return name; };
  }
  if (!text.text.ends_with('>')) throw input_error("'>' is expected at its end", {}, text.place);
  std::vector<KernelOf> arguments;
  for (const PlacedText& part : split_list(part_of(text, open + 1, text.text.size() - open - 2))) {
    arguments.push_back(template_argument(scope, part, uses));
  }
  return [name = text.text.substr(0, open), arguments](const FormulaNames& names) {
    std::vector<std::string> words;
    for (const KernelOf& argument : arguments) words.push_back(argument(names));
    return fmt::format("{}<{}>", name, fmt::join(words, ", "));
  };
}

ScalarSpec ArgumentFormula::scalar(const FormulaNames& names) const {
  const double value = told_at(text, [&] { return number.value(names); });
  switch (type->element) {
    case ElementType::kF32:
      return scalar_f32(static_cast<float>(value));
    case ElementType::kF64:
      return scalar_f64(value);
    default:
      break;
  }
  const std::int64_t whole = WholeFormula{number, text}.value(names);
  if (type->element == ElementType::kI32) return scalar_i32(whole);
  return {type->element, static_cast<std::uint64_t>(whole)};
}

std::vector<ArgumentFormula> read_arguments(Scope& scope, const PlacedText& text,
                                            const ArgumentNames& known, Uses& uses) {
  std::vector<ArgumentFormula> arguments;
  if (text.text.empty()) return arguments;
  for (const PlacedText& part : split_list(text)) {
    ArgumentFormula one;
    one.text = part;
    if (contains(known.buffers, part.text)) {
      one.buffer = part.text;
    } else if (contains(known.addresses, part.text)) {
      one.addresses = part.text;
      uses.insert(part.text);
    } else {
      PlacedText inner = part;
      one.type = named_type(part, inner);
      one.number = scope.number(inner);
      add_uses(one.number, uses);
    }
    arguments.push_back(std::move(one));
  }
  return arguments;
}

CallText split_call(const PlacedText& text) {
  // Template arguments may have parentheses of their own.
  int angles = 0;
  for (std::size_t i = 0; i < text.text.size(); ++i) {
    angles += text.text[i] == '<';
    angles -= text.text[i] == '>';
    if (text.text[i] != '(' || angles > 0) continue;
    if (!text.text.ends_with(')')) break;
    return {part_of(text, 0, i), part_of(text, i + 1, text.text.size() - i - 2)};
  }
  throw input_error(fmt::format("'{}' is not a call", text.text),
                    "write a kernel of reference.cu and its arguments: sums(in, out, n)",
                    text.place);
}

}  // namespace lab::labs
