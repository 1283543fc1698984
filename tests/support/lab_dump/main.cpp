// All that the registry's labs say, as lines of JSON: two ways to write labs are compared by it
// (tests/support/compare_labs.py). lab_dump [LAB...] > labs.jsonl
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/lab.h"
#include "harness/core/text.h"
#include "harness/labs/registry.h"
#include "tests/support/lab_dump/points.h"

namespace lab {
namespace {

using nlohmann::json;

constexpr int kRandomPoints = 200;
constexpr std::size_t kMostHashed = std::size_t{1} << 16;  // bytes of a buffer
// Contents that are written out byte by byte take as long as they are large.
constexpr std::int64_t kLargestWritten = 1024;

// Either what `make` makes or what it throws.
template <typename Make>
json made(Make make) {
  try {
    return make();
  } catch (const std::exception& error) {
    return json{{"error", error.what()}};
  }
}

json of(const ParamValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  return std::get<std::string>(value);
}

json of(const Params& params) {
  json object = json::object();
  for (const auto& [name, value] : params.all()) object[name] = of(value);
  return object;
}

json of(const std::vector<Params>& points) {
  json list = json::array();
  for (const Params& point : points) list.push_back(of(point));
  return list;
}

json of(const ParamSpec& spec) {
  return {{"name", spec.name}, {"help", spec.help},         {"fallback", of(spec.fallback)},
          {"min", spec.min},   {"max", spec.max},           {"choices", spec.choices},
          {"only", spec.only}, {"text", bool(spec.accepts)}};
}

json of(const Dim3& dim) { return {dim.x, dim.y, dim.z}; }

json of(const Launch& launch) {
  return {{"grid", of(launch.grid)},
          {"block", of(launch.block)},
          {"dynamic_shared", launch.dynamic_shared_bytes}};
}

std::string hash_of(const BufferSpec& buffer) {
  if (bytes_of(buffer) > kMostHashed) return "";
  const auto bytes = initial_bytes(buffer);
  return sha256_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

json of(const BufferSpec& buffer) {
  return {{"buffer", buffer.name},
          {"type", name_of(buffer.type)},
          {"count", buffer.count},
          {"direction", static_cast<int>(buffer.direction)},
          {"fill", static_cast<int>(buffer.fill.kind)},
          {"seed", buffer.fill.seed},
          {"sha256", hash_of(buffer)}};
}

json of(const ScalarSpec& scalar) {
  return {{"scalar", name_of(scalar.type)}, {"bits", scalar.bits}};
}

json of(const BytesSpec& bytes) { return {{"bytes", bytes.bytes.size()}}; }

json of(const std::vector<ArgSpec>& args) {
  json list = json::array();
  for (const auto& arg : args) {
    list.push_back(std::visit([](const auto& one) { return of(one); }, arg));
  }
  return list;
}

json of(const std::vector<Unchecked>& ranges) {
  json list = json::array();
  for (const auto& range : ranges) {
    list.push_back({{"buffer", range.buffer},
                    {"first", range.first},
                    {"count", range.count},
                    {"across_blocks", range.across_blocks}});
  }
  return list;
}

json of(const std::vector<ExpectedFinding>& findings) {
  json list = json::array();
  for (const auto& finding : findings) list.push_back({finding.kind, finding.line_has});
  return list;
}

std::string value_of(const Expr& formula, const FormulaNames& names) {
  try {
    return fmt::format("{:.17g}", formula.value(names));
  } catch (const std::exception& error) {
    return std::string("error: ") + error.what();
  }
}

json values_of(const TheoryRow& row, const FormulaNames& names) {
  json values = {{"is", value_of(row.formula, names)}};
  if (row.high) values["high"] = value_of(*row.high, names);
  if (row.as_written) values["as_written"] = value_of(*row.as_written, names);
  return values;
}

// At each chip's DRAM: `fetch` is 32 or 64 bytes.
json theory_of(const Variant& variant, const Params& point) {
  auto names = formula_names(variant, point, variant.launch(point));
  json theory = json::object();
  for (const auto& row : variant.theory) {
    names["fetch"] = 64;
    json values = values_of(row, names);
    names["fetch"] = 32;
    const json others = values_of(row, names);
    if (others != values) values["fetch_32"] = others;
    theory[row.metric] = values;
  }
  return theory;
}

json point_of(const Variant& variant, const Params& point) {
  return {{"kernel", made([&] { return json(variant.kernel(point)); })},
          {"launch", made([&] { return of(variant.launch(point)); })},
          {"args", made([&] { return of(variant.args(point)); })},
          {"terms", made([&] { return json(variant.terms ? variant.terms(point) : 0); })},
          {"unchecked", made([&] {
             return of(variant.unchecked ? variant.unchecked(point) : std::vector<Unchecked>{});
           })},
          {"theory", made([&] { return theory_of(variant, point); })}};
}

json of(const TheoryRow& row) {
  json object = {{"metric", row.metric},
                 {"why", row.why},
                 {"level", static_cast<int>(row.level)},
                 {"is", row.formula.general_text()}};
  if (row.high) object["high"] = row.high->general_text();
  if (row.as_written) object["as_written"] = row.as_written->general_text();
  return object;
}

json head_of(const Variant& variant) {
  json rows = json::array();
  for (const auto& row : variant.theory) rows.push_back(of(row));
  return {{"summary", variant.summary},
          {"reads", variant.reads},
          {"points", of(variant.points)},
          {"gpu_points", of(variant.gpu_points)},
          {"telling", of(variant.telling)},
          {"options", variant.options},
          {"needs_gpu", variant.needs_gpu},
          {"model_only", variant.model_only},
          {"library", variant.library},
          {"merged", variant.merged},
          {"expected_findings", of(variant.expected_findings)},
          {"tolerance", {variant.tolerance.absolute, variant.tolerance.relative}},
          {"rows", rows}};
}

json head_of(const Lab& lab) {
  json params = json::array();
  for (const auto& spec : lab.params) params.push_back(of(spec));
  json names = json::array();
  for (const auto& variant : lab.variants) names.push_back(variant.name);
  return {{"number", lab.number}, {"id", lab.id},           {"folder", lab.folder},
          {"title", lab.title},   {"summary", lab.summary}, {"headline", lab.headline},
          {"params", params},     {"variants", names},      {"tables", bool(lab.tables)}};
}

void print(json line, const Lab& lab, const std::string& variant, const char* kind) {
  line["lab"] = lab.id;
  line["variant"] = variant;
  line["kind"] = kind;
  std::puts(line.dump().c_str());
}

bool writes_contents_out(const Variant& variant) {
  const auto is_written = [](const ArgSpec& arg) {
    const auto* buffer = std::get_if<BufferSpec>(&arg);
    return buffer != nullptr && buffer->fill.kind == Fill::Kind::kBytes;
  };
  const auto args = variant.args(variant.points.front());
  return std::any_of(args.begin(), args.end(), is_written);
}

void dump(const Lab& lab, const Variant& variant) {
  print(head_of(variant), lab, variant.name, "variant");
  auto points = variant.points;
  points.insert(points.end(), variant.gpu_points.begin(), variant.gpu_points.end());
  const auto largest =
      writes_contents_out(variant) ? kLargestWritten : std::numeric_limits<std::int64_t>::max();
  for (auto& point : named_points(lab, variant, kRandomPoints, largest)) points.push_back(point);
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  for (const auto& point : points) {
    json line = point_of(variant, point);
    line["params"] = of(point);
    print(line, lab, variant.name, "point");
  }
}

void dump(const Lab& lab) {
  print(head_of(lab), lab, "", "lab");
  for (const auto& variant : lab.variants) dump(lab, variant);
}

// Folders that can't be read are not silently missing.
int report_broken() {
  for (const BrokenLab& broken : broken_labs()) {
    fmt::print(stderr, "{}", render(broken.error));
  }
  return broken_labs().empty() ? 0 : 1;
}

int dump_labs(const std::vector<std::string>& names) {
  for (const auto& lab : all_labs()) {
    const auto is_named = [&](const std::string& name) { return &find_lab(name) == &lab; };
    if (names.empty() || std::any_of(names.begin(), names.end(), is_named)) dump(lab);
  }
  return report_broken();
}

}  // namespace
}  // namespace lab

int main(int argc, char** argv) {
  try {
    return lab::dump_labs({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "lab_dump: {}\n", error.what());
    return 1;
  }
}
