#include "harness/labs/arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>

#include "harness/core/bits.h"
#include "harness/core/error.h"
#include "harness/core/text.h"

namespace lab::labs {
namespace {

constexpr CType kTypes[] = {
    {"float", ElementType::kF32},     {"double", ElementType::kF64},
    {"float2", ElementType::kF32, 2}, {"float4", ElementType::kF32, 4},
    {"int", ElementType::kI32},       {"unsigned", ElementType::kU32},
    {"char", ElementType::kI8},       {"uchar", ElementType::kU8},
    {"short", ElementType::kI16},     {"ushort", ElementType::kU16},
    {"long", ElementType::kI64},      {"ulong", ElementType::kU64},
    {"half", ElementType::kF16},      {"bfloat16", ElementType::kBf16},
    {"bool", ElementType::kBool},
};

constexpr std::uint64_t kWordBytes = 8;
constexpr std::uint64_t kSeedOfRecords = 7;

/// A structure's fields where C puts them.
struct Record {
  struct Field {
    ElementType type;
    std::uint64_t offset;
  };
  std::vector<Field> fields;
  std::uint64_t bytes = 0;
};

Record read_record(const PlacedText& text) {
  Record record;
  std::uint64_t widest = 1;
  for (const PlacedText& word : split_list(part_of(text, 1, text.text.size() - 2))) {
    const CType& type = told_at(word, [&]() -> const CType& { return type_called(word.text); });
    const std::uint64_t bytes = size_of(type.element);
    record.bytes = round_up(record.bytes, bytes);
    record.fields.push_back({type.element, record.bytes});
    record.bytes += bytes;
    widest = std::max(widest, bytes);
  }
  record.bytes = round_up(record.bytes, widest);
  return record;
}

double in_unit_interval(std::uint64_t random) {
  return static_cast<double>(random >> 11) * 0x1p-53;
}

// Words of 8 random bytes; a field of floating point is a number in [0, 1) made of its word.
std::vector<std::byte> bytes_of_records(const Record& record, std::uint64_t count) {
  const std::uint64_t words = (record.bytes + kWordBytes - 1) / kWordBytes;
  std::vector<std::byte> bytes(count * record.bytes);
  std::vector<std::uint64_t> random(words);
  std::uint64_t state = kSeedOfRecords;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::byte* into = &bytes[i * record.bytes];
    for (std::uint64_t& word : random) word = split_mix64(state);
    std::memcpy(into, random.data(), record.bytes);
    for (const Record::Field& field : record.fields) {
      const double number = in_unit_interval(random[field.offset / kWordBytes]);
      const auto single = static_cast<float>(number);
      if (field.type == ElementType::kF64) std::memcpy(into + field.offset, &number, sizeof number);
      if (field.type == ElementType::kF32) std::memcpy(into + field.offset, &single, sizeof single);
    }
  }
  return bytes;
}

// C++ leaves open what other doubles are as whole numbers.
std::int64_t whole_part(double value) {
  return std::fabs(value) < 0x1p63 ? static_cast<std::int64_t>(value) : 0;
}

template <typename T>
void put(double value, std::byte* into) {
  const T number =
      std::is_floating_point_v<T> ? static_cast<T>(value) : static_cast<T>(whole_part(value));
  std::memcpy(into, &number, sizeof number);
}

using Put = void (*)(double value, std::byte* into);
// In the order of ElementType; whole numbers wrap.
constexpr Put kPut[] = {put<std::int8_t>,   put<std::uint8_t>,  put<std::int16_t>,
                        put<std::uint16_t>, put<std::int32_t>,  put<std::uint32_t>,
                        put<std::int64_t>,  put<std::uint64_t>, put<float>,
                        put<double>};

/// What stands behind the `=` of a buffer.
struct FillFormula {
  Fill::Kind kind = Fill::Kind::kPoison;
  std::optional<Expr> formula = {};  ///< over `i`: the elements; or a ring's or a walk's step
};

bool names_element(const Expr& formula) {
  const std::vector<std::string> used = formula.names();
  return std::find(used.begin(), used.end(), "i") != used.end();
}

// After how many elements a formula over `i` begins anew: where `i` stands in `i % m` alone, at the
// latest after the least common multiple of all `m`; else never.
std::uint64_t period_of(const Expr& formula, const FormulaNames& names, std::uint64_t count) {
  if (!names_element(formula)) return 1;
  const std::vector<Expr>& args = formula.args();
  if (args.empty()) return count;
  const bool is_rest = formula.operation() == Operation::kModulo && args[0].args().empty();
  if (is_rest && !names_element(args[1])) {
    const double by = args[1].value(names);
    return by >= 1 && by < static_cast<double>(count) ? static_cast<std::uint64_t>(by) : count;
  }
  std::uint64_t period = 1;
  for (const Expr& part : args) period = std::lcm(period, period_of(part, names, count));
  return std::min(period, count);
}

Fill bytes_by_formula(const Expr& formula, const BufferSpec& spec, FormulaNames names) {
  const auto type = static_cast<std::size_t>(spec.type);
  if (type >= std::size(kPut)) {
    throw input_error(fmt::format("elements of {} have no formula", name_of(spec.type)));
  }
  std::vector<std::byte> bytes(bytes_of(spec));
  const std::size_t size = size_of(spec.type);
  double& index = names["i"];
  const std::uint64_t period = std::min(period_of(formula, names, spec.count), spec.count);
  for (std::size_t i = 0; i < period; ++i) {
    index = static_cast<double>(i);
    kPut[type](formula.value(names), &bytes[i * size]);
  }
  // The rest is a copy of what stands one period before it, which may itself be a copy.
  for (std::size_t at = period * size; at < bytes.size(); ++at)
    bytes[at] = bytes[at - period * size];
  Fill fill;
  fill.kind = Fill::Kind::kBytes;
  fill.bytes = std::move(bytes);
  return fill;
}

FillFormula read_fill(Scope& scope, const PlacedText& text, Uses& uses) {
  constexpr std::pair<std::string_view, Fill::Kind> kWords[] = {{"random", Fill::Kind::kRandom},
                                                                {"0", Fill::Kind::kZero},
                                                                {"1", Fill::Kind::kOnes},
                                                                {"i", Fill::Kind::kIota}};
  for (const auto& [word, kind] : kWords) {
    if (text.text == word) return {kind};
  }
  Fill::Kind kind = Fill::Kind::kBytes;
  PlacedText formula = text;
  for (const auto& [word, of] : {std::pair(std::string_view("ring("), Fill::Kind::kRing),
                                 std::pair(std::string_view("walk("), Fill::Kind::kWalk)}) {
    if (!text.text.starts_with(word) || !text.text.ends_with(")")) continue;
    formula = part_of(text, word.size(), text.text.size() - word.size() - 1);
    kind = of;
  }
  Scope of_elements = scope.with("i");
  const Expr number = of_elements.number(formula);
  add_uses(number, uses);
  return {kind, number};
}

Fill fill_of(const FillFormula& made, const BufferSpec& spec, const FormulaNames& names) {
  if (made.kind == Fill::Kind::kBytes) return bytes_by_formula(*made.formula, spec, names);
  Fill fill;
  fill.kind = made.kind;
  if (made.kind == Fill::Kind::kRing) {
    fill.seed = static_cast<std::uint64_t>(whole_part(made.formula->value(names)));
  }
  if (made.kind == Fill::Kind::kWalk) {
    const auto step = static_cast<std::uint64_t>(whole_part(made.formula->value(names)));
    if (step == 0 || spec.count % step != 0 || !std::has_single_bit(spec.count / step)) {
      throw input_error(fmt::format("a walk through {} elements in places of {}", spec.count, step),
                        "the number of places is a power of two");
    }
    fill.step = step;
  }
  return fill;
}

// Kernels' indices are 32 bits wide.
std::uint64_t elements_of(const WholeFormula& count, const FormulaNames& names) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  const std::int64_t elements = count.value(names);
  if (elements > kMost) {
    throw input_error(fmt::format("an array of {} elements is too large", elements),
                      fmt::format("the kernel's indices are 32 bits wide: {} elements at most; "
                                  "take fewer, or a smaller stride",
                                  kMost));
  }
  if (elements < 0) {
    throw input_error(fmt::format("an array of {} elements: {}", elements, count.text.text), {},
                      count.text.place);
  }
  return static_cast<std::uint64_t>(elements);
}

}  // namespace

std::vector<std::string_view> type_names() {
  std::vector<std::string_view> names;
  for (const CType& type : kTypes) names.push_back(type.name);
  return names;
}

const CType& type_called(std::string_view name) {
  std::vector<std::string> names;
  for (const CType& type : kTypes) {
    if (type.name == name) return type;
    names.emplace_back(type.name);
  }
  throw input_error(fmt::format("there is no type '{}' here", name), suggestion(name, names));
}

const CType& type_of_bytes(std::int64_t bytes) {
  constexpr std::pair<std::int64_t, std::string_view> kByBytes[] = {
      {1, "char"}, {2, "short"}, {4, "float"}, {8, "double"}, {16, "float4"}};
  for (const auto& [size, name] : kByBytes) {
    if (size == bytes) return type_called(name);
  }
  throw input_error(fmt::format("there is no type of {} bytes", bytes), "1, 2, 4, 8 or 16");
}

bool is_type(std::string_view text) {
  return std::any_of(std::begin(kTypes), std::end(kTypes),
                     [&](const CType& type) { return type.name == text; });
}

bool is_type_of_bytes(std::string_view text) {
  return text.starts_with("type(") && text.ends_with(")");
}

TypeOf read_type(Scope& scope, const PlacedText& text) {
  if (is_type_of_bytes(text.text)) {
    const auto bytes = whole_formula(scope, part_of(text, 5, text.text.size() - 6));
    return [bytes](const FormulaNames& names) -> const CType& {
      const std::int64_t size = bytes.value(names);
      return told_at(bytes.text, [&]() -> const CType& { return type_of_bytes(size); });
    };
  }
  const CType& type = told_at(text, [&]() -> const CType& { return type_called(text.text); });
  return [&type](const FormulaNames&) -> const CType& { return type; };
}

BufferOf read_buffer(Scope& scope, const std::string& name, const PlacedText& text,
                     Direction direction, Uses& uses) {
  const std::size_t open = text.text.find('[');
  const std::size_t close = text.text.find(']', std::min(open, text.text.size()));
  if (open == std::string::npos || close == std::string::npos) {
    throw input_error(fmt::format("'{}' is not a buffer", text.text),
                      "write a type and a number of elements: float[rows * cols]", text.place);
  }
  const PlacedText type_text = part_of(text, 0, open);
  const auto count = whole_formula(scope, part_of(text, open + 1, close - open - 1));
  add_uses(count.formula, uses);
  if (type_text.text.starts_with("{")) {
    const Record record = read_record(type_text);
    return [=](const FormulaNames& names) {
      const std::uint64_t records = elements_of(count, names);
      Fill fill;
      fill.kind = Fill::Kind::kBytes;
      fill.bytes = bytes_of_records(record, records);
      return TypedBuffer{{name, ElementType::kU8, records * record.bytes, direction, fill},
                         static_cast<std::int64_t>(record.bytes)};
    };
  }
  FillFormula fill;
  if (direction == Direction::kIn) fill.kind = Fill::Kind::kRandom;
  const PlacedText rest = part_of(text, close + 1, std::string::npos);
  if (!rest.text.empty()) {
    if (rest.text[0] != '=') throw input_error("'=' is expected", {}, rest.place);
    fill = read_fill(scope, part_of(rest, 1, std::string::npos), uses);
    if (direction == Direction::kOut) direction = Direction::kInOut;
  }
  if (is_type_of_bytes(type_text.text)) {
    add_uses(scope.number(part_of(type_text, 5, type_text.text.size() - 6)), uses);
  }
  const TypeOf type = read_type(scope, type_text);
  return [=](const FormulaNames& names) {
    const CType& of = type(names);
    BufferSpec spec{name,
                    of.element,
                    elements_of(count, names) * static_cast<std::uint64_t>(of.parts),
                    direction,
                    {}};
    spec.fill = fill_of(fill, spec, names);
    return TypedBuffer{std::move(spec), of.parts};
  };
}

}  // namespace lab::labs
