#include "harness/core/checker.h"

#include <fmt/format.h>

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

// Equal keys, equal results.
std::string key_of(const Job& call) {
  const auto& [grid, block, shared] = call.launch;
  std::string key = fmt::format("{} {},{},{} {},{},{} {}", call.kernel, grid.x, grid.y, grid.z,
                                block.x, block.y, block.z, shared);
  for (const ArgSpec& arg : call.args) {
    if (const auto* spec = std::get_if<BufferSpec>(&arg)) {
      key += fmt::format(", {} {}", static_cast<int>(spec->direction), content_key(*spec));
    } else {
      const auto& number = std::get<ScalarSpec>(arg);
      key += fmt::format(", {}({:#x})", name_of(number.type), number.bits);
    }
  }
  return key;
}

}  // namespace

ReferenceError::ReferenceError(const ReferenceCall& call, const Error& cause)
    : Error(Fault::kInput,
            fmt::format("the lab's reference {} fails: {}", call.kernel, one_line(cause))) {}

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

std::uint64_t Checker::expect(const Job& job, const RunReference& run) {
  const Job call = reference_job(job);
  // The reference writes to all but the inputs.
  for (const BufferSpec* spec : specs_of(job)) {
    if (spec->direction != Direction::kIn) contents_[spec->name].clear();
  }
  const std::string key = key_of(call);
  const Made* made = find(key);
  if (made == nullptr) {
    const std::uint64_t took = run(call, before_);
    keep(key, call, took);
    return took;
  }
  for (const auto& [argument, bytes] : made->outputs) {
    const auto into = before_.raw(std::get<BufferSpec>(call.args[argument]).name);
    std::copy(bytes.begin(), bytes.end(), into.begin());
  }
  return made->took;
}

const Checker::Made* Checker::find(const std::string& call) const {
  const auto found =
      std::find_if(made_.begin(), made_.end(), [&](const Made& made) { return made.call == call; });
  return found == made_.end() ? nullptr : &*found;
}

void Checker::keep(const std::string& key, const Job& call, std::uint64_t took) {
  Made made{key, {}, 0, took};
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    const auto* spec = std::get_if<BufferSpec>(&call.args[i]);
    if (spec != nullptr && spec->direction != Direction::kIn) made.bytes += bytes_of(*spec);
  }
  if (made.bytes > kMostKept) return;
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    const auto* spec = std::get_if<BufferSpec>(&call.args[i]);
    if (spec == nullptr || spec->direction == Direction::kIn) continue;
    const auto bytes = before_.raw(spec->name);
    made.outputs[i].assign(bytes.begin(), bytes.end());
  }
  made_.push_back(std::move(made));
  kept_ += made_.back().bytes;
  for (; kept_ > kMostKept; made_.pop_front()) kept_ -= made_.front().bytes;
}

CheckResult Checker::check(const Job& job) { return check_outputs(job, after_, before_); }

}  // namespace lab
