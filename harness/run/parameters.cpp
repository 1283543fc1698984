#include "harness/run/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <set>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/run/kernels.h"

namespace lab::run {

namespace {

bool is_of_name(char one) {
  return std::isalnum(static_cast<unsigned char>(one)) != 0 || one == '_';
}

// The texts between the outermost commas.
std::vector<std::string_view> parts_of(std::string_view list) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const char one = list[i];
    depth += one == '<' || one == '(' || one == '[' ? 1 : 0;
    depth -= one == '>' || one == ')' || one == ']' ? 1 : 0;
    if (one != ',' || depth > 0) continue;
    parts.push_back(trim(list.substr(begin, i - begin)));
    begin = i + 1;
  }
  parts.push_back(trim(list.substr(begin)));
  return parts;
}

std::string without_qualifiers(std::string_view type) {
  constexpr std::array<std::string_view, 5> kQualifiers = {"const", "volatile", "__restrict__",
                                                           "__restrict", "restrict"};
  std::string text;
  for (std::size_t i = 0; i < type.size();) {
    std::size_t end = i;
    while (end < type.size() && is_of_name(type[end])) ++end;
    const std::string_view word = type.substr(i, end - i);
    if (word.empty()) {
      if (type[i] != ' ') text += type[i];
      ++i;
      continue;
    }
    if (std::find(kQualifiers.begin(), kQualifiers.end(), word) == kQualifiers.end()) {
      if (!text.empty() && is_of_name(text.back())) text += ' ';
      text += word;
    }
    i = end;
  }
  return text;
}

// `const float* __restrict__ in`, `float in[]`.
std::optional<Parameter> parameter_of(std::string_view text) {
  const bool array = text.ends_with("]");
  if (array) text = trim(text.substr(0, text.rfind('[')));
  std::size_t begin = text.size();
  while (begin > 0 && is_of_name(text[begin - 1])) --begin;
  Parameter made;
  made.name = text.substr(begin);
  made.type = without_qualifiers(text.substr(0, begin)) + (array ? "*" : "");
  if (made.name.empty() || made.type.empty()) return {};
  return made;
}

// How `--arg` writes a number of a type of C++.
struct NumberRow {
  std::string_view type;
  std::string_view written;
};
constexpr NumberRow kNumbers[] = {
    {"float", "f32"},
    {"double", "f64"},
    {"__half", "f16"},
    {"half", "f16"},
    {"__nv_bfloat16", "bf16"},
    {"bool", "bool"},
    {"char", "i8"},
    {"signed char", "i8"},
    {"int8_t", "i8"},
    {"unsigned char", "u8"},
    {"uint8_t", "u8"},
    {"short", "i16"},
    {"int16_t", "i16"},
    {"unsigned short", "u16"},
    {"uint16_t", "u16"},
    {"int", "i32"},
    {"int32_t", "i32"},
    {"unsigned", "u32"},
    {"unsigned int", "u32"},
    {"uint32_t", "u32"},
    {"long", "i64"},
    {"long long", "i64"},
    {"int64_t", "i64"},
    {"ptrdiff_t", "i64"},
    {"size_t", "u64"},
    {"std::size_t", "u64"},
    {"unsigned long", "u64"},
    {"unsigned long long", "u64"},
    {"uint64_t", "u64"},
};

bool is_number(const std::string& text) {
  constexpr std::string_view kOfNumbers = "0123456789+-.eE";
  const bool begins = !text.empty() && (text[0] == '-' || text[0] == '.' ||
                                        std::isdigit(static_cast<unsigned char>(text[0])) != 0);
  return begins && text.find_first_not_of(kOfNumbers) == std::string::npos;
}

enum class Kind : std::uint8_t { kOther, kInteger, kFloating };

Kind kind_of(std::string_view type) {
  constexpr std::array<std::string_view, 2> kFloats = {"float", "double"};
  constexpr std::array<std::string_view, 10> kIntegers = {
      "int",   "unsigned int", "unsigned", "long",    "long long",
      "short", "size_t",       "uint32_t", "int32_t", "unsigned long long"};
  if (std::find(kFloats.begin(), kFloats.end(), type) != kFloats.end()) return Kind::kFloating;
  const bool integer = std::find(kIntegers.begin(), kIntegers.end(), type) != kIntegers.end();
  return integer ? Kind::kInteger : Kind::kOther;
}

bool is_floating(ElementType type) {
  return std::string_view(name_of(type)).find('f') != std::string_view::npos;
}

void require_kind(const Parameter& parameter, const ScalarSpec& given, std::size_t number) {
  const Kind kind = kind_of(parameter.type);
  const bool fits = kind == Kind::kOther || (kind == Kind::kFloating) == is_floating(given.type);
  if (fits) return;
  throw input_error(fmt::format("argument {} is '{} {}', and --arg gives it {}", number,
                                parameter.type, parameter.name, name_of(given.type)),
                    kind == Kind::kFloating ? "write f32=3 for a float, f64=3 for a double"
                                            : "write i32=3 for an int, u64=3 for a size_t");
}

void require_count(const std::vector<Parameter>& parameters, std::size_t given) {
  if (given == parameters.size()) return;
  std::string list;
  for (const Parameter& one : parameters) {
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ", one.type, one.name);
  }
  throw input_error(fmt::format("the kernel has {} parameter{}, and --arg gives {}",
                                parameters.size(), parameters.size() == 1 ? "" : "s", given),
                    fmt::format("one --arg for each of: {}", list));
}

// A number for a pointer, an array for a number. Of types that are not known the model tells.
void require_pointer(const Parameter& parameter, const ArgSpec& given, std::size_t number) {
  const bool pointer = parameter.type.ends_with("*");
  const auto* scalar = std::get_if<ScalarSpec>(&given);
  if (pointer && scalar != nullptr && size_of(scalar->type) < sizeof(std::uint64_t)) {
    throw input_error(fmt::format("argument {} is '{} {}', and --arg gives it a number", number,
                                  parameter.type, parameter.name),
                      "write f32[1024]=zero for an array of 1024 floats");
  }
  const auto* buffer = std::get_if<BufferSpec>(&given);
  if (kind_of(parameter.type) == Kind::kOther || buffer == nullptr || buffer->image) return;
  throw input_error(fmt::format("argument {} is '{} {}', and --arg gives it an array", number,
                                parameter.type, parameter.name),
                    "write i32=3 for an int, f32=3 for a float");
}

using Names = std::map<std::string, std::string>;

void rename(const Names& names, std::string& name) {
  const auto found = names.find(name);
  if (found != names.end()) name = found->second;
}

void rename(const Names& names, std::vector<PointerSpec>& pointers) {
  for (PointerSpec& one : pointers) rename(names, one.buffer);
}

void rename(const Names& names, BufferSpec& buffer) {
  rename(names, buffer.name);
  rename(names, buffer.pointers);
}

void rename(const Names& names, Job& job) {
  for (ArgSpec& argument : job.args) {
    if (auto* buffer = std::get_if<BufferSpec>(&argument)) rename(names, *buffer);
    if (auto* bytes = std::get_if<BytesSpec>(&argument)) rename(names, bytes->pointers);
  }
  for (BufferSpec& buffer : job.buffers) rename(names, buffer);
}

// The kernel's signature, where one declaration alone has its name.
std::string signature_of(const KernelText& source, const std::string& kernel) {
  const auto base = [](const std::string& name) { return name.substr(0, name.find('<')); };
  std::set<std::string> found;
  for (const KernelName& one : kernel_names(source)) {
    if (base(one.name) == base(kernel)) found.insert(one.signature);
  }
  return found.size() == 1 ? *found.begin() : std::string();
}

}  // namespace

std::vector<Parameter> parameters_of(std::string_view signature) {
  const std::size_t end = signature.rfind(')');
  if (end == std::string_view::npos) return {};
  int depth = 0;
  std::size_t begin = end;
  for (;; --begin) {
    depth += signature[begin] == ')' ? 1 : signature[begin] == '(' ? -1 : 0;
    if (depth == 0) break;
    if (begin == 0) return {};
  }
  std::vector<Parameter> all;
  for (const std::string_view part : parts_of(signature.substr(begin + 1, end - begin - 1))) {
    const auto parameter = parameter_of(part);
    if (!parameter) return {};
    all.push_back(*parameter);
  }
  return all;
}

std::string typed_argument(const std::string& text, const KernelText& source, const Job& job) {
  if (!is_number(text) || source.name.ends_with(".ptx")) return text;
  const std::vector<Parameter> parameters = parameters_of(signature_of(source, job.kernel));
  if (job.args.size() >= parameters.size()) return text;
  const std::string& type = parameters[job.args.size()].type;
  const auto* row = std::find_if(std::begin(kNumbers), std::end(kNumbers),
                                 [&](const NumberRow& one) { return one.type == type; });
  if (row != std::end(kNumbers)) return fmt::format("{}={}", row->written, text);
  // Of any type: name_arguments() says that a pointer takes none.
  return type.ends_with("*") ? "f32=" + text : text;
}

void name_arguments(const KernelText& source, Job& job) {
  if (source.name.ends_with(".ptx")) return;
  const std::vector<Parameter> parameters = parameters_of(signature_of(source, job.kernel));
  if (parameters.empty()) return;
  require_count(parameters, job.args.size());
  Names names;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    require_pointer(parameters[i], job.args[i], i);
    if (const auto* scalar = std::get_if<ScalarSpec>(&job.args[i])) {
      require_kind(parameters[i], *scalar, i);
    } else if (const auto* buffer = std::get_if<BufferSpec>(&job.args[i])) {
      names[buffer->name] = parameters[i].name;
    }
  }
  rename(names, job);
}

}  // namespace lab::run
