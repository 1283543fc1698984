#include "harness/reading/case_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "harness/core/text.h"
#include "harness/page/make.h"

namespace lab::reading {

std::string name_of(const CaseRecord& record) {
  return record.variant.empty() ? record.kernel : record.variant;
}

std::string name_of(const Section& section) { return name_of(*section.cases.front()); }

std::string title_of(const CaseRecord& record, std::string_view gap) {
  const std::string params = record.params.text();
  return params.empty() ? name_of(record) : fmt::format("{}{}{}", name_of(record), gap, params);
}

page::Heading case_heading(const CaseRecord& record, std::string fact) {
  return page::heading(2, name_of(record), {record.params.text(), std::move(fact)});
}

std::string param_text(const ParamValue& value) {
  constexpr std::int64_t kLong = 1 << 16;  // shorter ones are read at a glance
  const auto* number = std::get_if<std::int64_t>(&value);
  if (number == nullptr || *number < kLong) return to_text(value);
  const auto bits = static_cast<std::uint64_t>(*number);
  return std::has_single_bit(bits) ? fmt::format("2^{}", std::countr_zero(bits)) : to_text(value);
}

std::string values_of(const CaseRecord& record, const std::vector<std::string>& names) {
  std::vector<std::string> values;
  for (const std::string& name : names) {
    const ParamValue* const value = param_of(record, name);
    if (value != nullptr) values.push_back(name + "=" + param_text(*value));
  }
  return fmt::format("{}", fmt::join(values, " "));
}

const ParamValue* param_of(const CaseRecord& record, const std::string& name) {
  const auto found = record.params.all().find(name);
  return found == record.params.all().end() ? nullptr : &found->second;
}

bool agree(const Params& a, const Params& b) {
  return std::all_of(a.all().begin(), a.all().end(), [&](const auto& param) {
    const auto found = b.all().find(param.first);
    return found == b.all().end() || found->second == param.second;
  });
}

std::string source_line(const RunRecord& run, int number) {
  return std::string(trim(line_of(run.source_text, number)));
}

}  // namespace lab::reading
