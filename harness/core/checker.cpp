#include "harness/core/checker.h"

#include <algorithm>
#include <set>
#include <utility>

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

std::set<std::string> names_of(const std::vector<const BufferSpec*>& specs) {
  std::set<std::string> names;
  for (const BufferSpec* spec : specs) names.insert(spec->name);
  return names;
}

}  // namespace

Buffers& Checker::before(const Job& job) {
  const auto specs = specs_of(job);
  before_.keep(names_of(specs));
  std::map<std::string, std::string> held;
  for (const BufferSpec* spec : specs) {
    const std::string content = content_key(*spec);
    const auto kept = contents_.find(spec->name);
    const bool there = kept != contents_.end() && kept->second == content;
    held[spec->name] = content;
    if (there) continue;
    before_.resize(spec->name, bytes_of(*spec));
    put_initial_bytes(*spec, before_.raw(spec->name));
  }
  contents_ = std::move(held);
  return before_;
}

Buffers& Checker::after(const Job& job, const std::vector<std::string>& fetched) {
  const auto specs = specs_of(job);
  after_.keep(names_of(specs));
  for (const BufferSpec* spec : specs) {
    const bool wanted = spec->direction != Direction::kIn ||
                        std::find(fetched.begin(), fetched.end(), spec->name) != fetched.end();
    after_.resize(spec->name, wanted ? bytes_of(*spec) : 0);
  }
  return after_;
}

Buffers& Checker::launched(const Job& job) {
  const auto specs = specs_of(job);
  after_.keep(names_of(specs));
  for (const BufferSpec* spec : specs) {
    after_.resize(spec->name, bytes_of(*spec));
    put_initial_bytes(*spec, after_.raw(spec->name));
  }
  return after_;
}

CheckResult Checker::check(const Job& job) {
  CheckResult result = check_outputs(job, after_, before_);
  // The reference wrote to all but the inputs.
  for (const BufferSpec* spec : specs_of(job)) {
    if (spec->direction != Direction::kIn) contents_[spec->name].clear();
  }
  return result;
}

}  // namespace lab
