#include "harness/ncu/match.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/core/range_name.h"
#include "harness/ncu/kernel_name.h"

namespace lab::ncu {

namespace {

// Names of ranges in a cell such as "1 lab:lab.03.stride.stride=1:none, 1 lab:check:none".
std::set<std::string> range_names(const std::string& text) {
  std::set<std::string> names;
  std::string word;
  for (const char c : text + '\n') {
    if (in_range_name(c)) {
      word += c;
    } else if (!word.empty()) {
      names.insert(std::move(word));
      word.clear();
    }
  }
  return names;
}

bool is_case_range(const std::string& name) {
  return name.size() > 7 && name.rfind("lab.", 0) == 0 && name[6] == '.';
}

std::string shape_text(const KernelLaunch& launch) {
  const auto text = [](const Dim3& d) { return fmt::format("({}, {}, {})", d.x, d.y, d.z); };
  std::string out = launch.kernel;
  if (launch.grid) out += fmt::format(", grid {}", text(*launch.grid));
  if (launch.block) out += fmt::format(", block {}", text(*launch.block));
  return out;
}

bool has_shape(const CaseRecord& record, const KernelLaunch& launch) {
  if (record.kernel.empty()) return false;
  if (!may_be_same(kernel_name(record.kernel), kernel_name(launch.kernel))) return false;
  return (!launch.grid || *launch.grid == record.launch.grid) &&
         (!launch.block || *launch.block == record.launch.block);
}

struct Found {
  std::vector<std::size_t> checked;  // from the range `check`
  std::vector<std::size_t> others;
  bool by_range = false;
};

class Matcher {
 public:
  explicit Matcher(const RunRecord& run) : run_(run), found_(run.cases.size()) {
    for (std::size_t i = 0; i < run.cases.size(); ++i) {
      by_range_[range_name(run.lab, run.cases[i].variant, run.cases[i].params)] = i;
    }
  }

  void take(std::size_t at, const KernelLaunch& launch) {
    const auto names = range_names(launch.ranges + launch.kernel);
    const auto name = std::find_if(names.begin(), names.end(), is_case_range);
    if (name == names.end()) {
      by_shape(at, launch);
    } else {
      in_range(at, launch, *name, names.count("check") > 0);
    }
  }

  Matching finish() {
    for (std::size_t i = 0; i < found_.size(); ++i) {
      Found& found = found_[i];
      const bool library = run_.cases[i].kernel.empty();
      if (library) {
        for (const std::size_t at : found.others) {
          leave(at, "a library's launches can be told apart within the range check alone");
        }
        found.others.clear();
      }
      auto& launches = found.checked.empty() ? found.others : found.checked;
      if (!launches.empty()) matching_.matches.push_back({i, std::move(launches), found.by_range});
    }
    std::sort(matching_.unmatched.begin(), matching_.unmatched.end(),
              [](const Unmatched& a, const Unmatched& b) { return a.launch < b.launch; });
    return std::move(matching_);
  }

 private:
  void leave(std::size_t at, std::string why) {
    matching_.unmatched.push_back({at, std::move(why)});
  }

  void in_range(std::size_t at, const KernelLaunch& launch, const std::string& name, bool checked) {
    const auto found = by_range_.find(name);
    if (found == by_range_.end()) {
      leave(at, "the run has no case of the range " + name);
      return;
    }
    const CaseRecord& record = run_.cases[found->second];
    const bool renamed = launch.kernel == name || launch.kernel == "check";
    if (!record.kernel.empty() && !renamed && !has_shape(record, launch)) {
      leave(at, fmt::format("{} ran in the range {}, whose kernel is {}", shape_text(launch), name,
                            record.kernel));
      return;
    }
    Found& slot = found_[found->second];
    slot.by_range = true;
    (checked ? slot.checked : slot.others).push_back(at);
  }

  void by_shape(std::size_t at, const KernelLaunch& launch) {
    std::vector<std::size_t> fits;
    for (std::size_t i = 0; i < run_.cases.size(); ++i) {
      if (has_shape(run_.cases[i], launch)) fits.push_back(i);
    }
    if (fits.empty()) {
      leave(at, "no case launches " + shape_text(launch));
    } else if (fits.size() > 1) {
      leave(at, fmt::format("{} cases launch {}: only an NVTX range (ncu --nvtx) tells them apart",
                            fits.size(), shape_text(launch)));
    } else {
      found_[fits.front()].others.push_back(at);
    }
  }

  const RunRecord& run_;
  std::map<std::string, std::size_t> by_range_;
  std::vector<Found> found_;
  Matching matching_;
};

}  // namespace

Matching match(const RunRecord& run, const Report& report) {
  Matcher matcher(run);
  for (std::size_t i = 0; i < report.launches.size(); ++i) matcher.take(i, report.launches[i]);
  return matcher.finish();
}

}  // namespace lab::ncu
