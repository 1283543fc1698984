#include "harness/classes/grade/check_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "harness/classes/grade/rubric.h"
#include "harness/core/text.h"
#include "harness/labs/registry.h"
#include "harness/run/kernels.h"
#include "harness/run/places.h"
#include "harness/run/plan.h"
#include "harness/run/probe.h"

namespace lab::grade {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostSharedBytes = 1 << 20;
constexpr std::int64_t kMostSeconds = 86400;

// `X`, `[X]`, `[X, Y]` or `[X, Y, Z]`.
Dim3 read_dim(const TomlTable& table, const char* key) {
  const auto text = table.list(key);
  if (!text) throw table.wrong(key, fmt::format("'{0}' is missing: {0} = [32, 32]", key));
  return table.placed(key, [&] { return run::parse_dim3(key, *text); });
}

KernelText read_file_at(const TomlTable& table, const fs::path& folder) {
  const std::string name = table.required("file", "a .cu or .ptx file");
  return table.placed("file", [&] {
    return run::read_source((folder / name).lexically_normal().string(), table.texts("options"));
  });
}

void read_probe(const TomlTable& table, const fs::path& folder, CheckCase& one) {
  table.expect_only({"name", "file", "options", "kernel", "grid", "block", "shared", "args",
                     "symbols", "require"});
  one.theirs = read_file_at(table, folder);
  Job spec;
  const auto kernel = table.text("kernel");
  spec.kernel = table.placed(kernel ? "kernel" : "file", [&] {
    return kernel ? run::named_kernel(*one.theirs, *kernel) : run::only_kernel(*one.theirs);
  });
  spec.launch.grid = read_dim(table, "grid");
  spec.launch.block = read_dim(table, "block");
  one.shared_given = table.has("shared");
  spec.launch.dynamic_shared_bytes =
      static_cast<std::uint32_t>(table.whole("shared", 0, kMostSharedBytes).value_or(0));
  table.placed("args", [&] {
    for (const std::string& text : table.texts("args")) run::add_arg(text, spec);
  });
  table.placed("symbols", [&] {
    for (const std::string& text : table.texts("symbols")) run::add_symbol(text, spec);
  });
  for (const ArgSpec& arg : spec.args) {
    if (const auto* buffer = std::get_if<BufferSpec>(&arg)) spec.dump.push_back(buffer->name);
  }
  CaseRequest request;
  request.job = std::move(spec);
  one.requests = {std::move(request)};
}

void read_lab_case(const TomlTable& table, const fs::path& folder, CheckCase& one) {
  table.expect_only({"name", "file", "options", "lab", "variant", "params", "all", "require"});
  const std::string lab = table.list("lab").value_or("");
  one.lab = table.placed("lab", [&] { return &find_lab(lab); });
  run::Selection selection;
  selection.variants = {table.required("variant", "of the lab")};
  table.placed("variant",
               [&] { static_cast<void>(find_variant(*one.lab, selection.variants[0])); });
  selection.all = table.flag("all").value_or(false);
  selection.sweeps = read_sweeps(table);
  one.requests = table.placed("params", [&] { return run::plan_cases(*one.lab, selection); });
  if (table.has("file")) one.theirs = read_file_at(table, folder);
}

CheckCase read_case(const TomlTable& table, const fs::path& folder) {
  CheckCase one;
  one.line = table.line();
  one.name = table.required("name", "of the case, for messages and the baseline");
  if (table.has("lab")) {
    read_lab_case(table, folder, one);
  } else {
    read_probe(table, folder, one);
  }
  bool about_status = false;
  for (const TomlTable& wanted : table.tables("require")) {
    one.criteria.push_back(read_criterion(wanted, About::kCase));
    about_status = about_status || one.criteria.back().demand == Demand::kStatus;
  }
  // A case that is not said to fail is to run.
  if (!about_status) {
    Criterion ran;
    ran.name = ran.threshold();
    ran.line = one.line;
    one.criteria.insert(one.criteria.begin(), std::move(ran));
  }
  return one;
}

}  // namespace

CheckFile read_check_file(const std::string& path) {
  const TomlTable root = read_toml(path, run::read_text(path, "the check file"));
  root.expect_only({"arch", "baseline", "timeout", "case"});
  const fs::path folder = fs::path(path).parent_path();
  CheckFile file;
  file.name = path;
  file.baseline =
      (folder / root.text("baseline").value_or(fs::path(path).stem().string() + ".baseline.toml"))
          .string();
  file.archs = root.texts("arch");
  if (file.archs.empty()) file.archs = {std::string(kDefaultArch)};
  file.timeout_s = static_cast<double>(root.whole("timeout", 1, kMostSeconds).value_or(0));
  std::set<std::string> names;
  for (const TomlTable& table : root.tables("case")) {
    file.cases.push_back(read_case(table, folder));
    if (!names.insert(file.cases.back().name).second) {
      throw table.wrong("name", "another case has this name", "the baseline knows cases by name");
    }
  }
  if (file.cases.empty()) {
    throw input_error(fmt::format("{} has no case", path), "begin each with [[case]]");
  }
  return file;
}

}  // namespace lab::grade
