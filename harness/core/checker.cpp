#include "harness/core/checker.h"

#include <algorithm>
#include <set>

namespace lab {

namespace {

std::vector<const BufferSpec*> specs_of(const Job& job) {
  std::vector<const BufferSpec*> specs;
  for (const ArgSpec& arg : job.args) {
    if (const auto* spec = std::get_if<BufferSpec>(&arg)) specs.push_back(spec);
  }
  for (const BufferSpec& spec : job.buffers) specs.push_back(&spec);
  return specs;
}

// Gives back the memory of buffers that this job does not have.
template <typename Kept>
void drop_others(const std::vector<const BufferSpec*>& specs, Kept& kept, Buffers& buffers) {
  std::set<std::string> names;
  for (const BufferSpec* spec : specs) names.insert(spec->name);
  std::erase_if(kept, [&](const auto& one) {
    if (names.count(one.first) > 0) return false;
    buffers.add(one.first, {});
    return true;
  });
}

}  // namespace

Buffers& Checker::before(const Job& job) {
  const auto specs = specs_of(job);
  drop_others(specs, contents_, before_);
  for (const BufferSpec* spec : specs) {
    const std::string content = content_key(*spec);
    const auto kept = contents_.find(spec->name);
    if (kept != contents_.end() && kept->second == content) continue;
    const bool there = kept != contents_.end();
    if (!there || !refill(*spec, before_.raw(spec->name))) {
      before_.add(spec->name, initial_bytes(*spec));
    }
    contents_[spec->name] = content;
  }
  return before_;
}

Buffers& Checker::after(const Job& job, const std::vector<std::string>& fetched) {
  const auto specs = specs_of(job);
  drop_others(specs, sizes_, after_);
  for (const BufferSpec* spec : specs) {
    const bool wanted = spec->direction != Direction::kIn ||
                        std::find(fetched.begin(), fetched.end(), spec->name) != fetched.end();
    const std::size_t bytes = wanted ? spec->count * size_of(spec->type) : 0;
    const auto kept = sizes_.find(spec->name);
    if (kept != sizes_.end() && kept->second == bytes) continue;
    after_.add(spec->name, std::vector<std::byte>(bytes));
    sizes_[spec->name] = bytes;
  }
  return after_;
}

CheckResult Checker::check(const Job& job) {
  CheckResult result = check_with(job, after_, before_);
  // The reference wrote to all but the inputs.
  for (const BufferSpec* spec : specs_of(job)) {
    if (spec->direction != Direction::kIn) contents_[spec->name].clear();
  }
  return result;
}

}  // namespace lab
