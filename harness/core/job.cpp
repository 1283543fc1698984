#include "harness/core/job.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "harness/core/error.h"
#include "harness/core/text.h"

namespace lab {

namespace {

// Buffers are known by their names from here on: two of one name would be one.
// Every pointer leads to a buffer of the job, and lies within the buffer that holds it.
void require_targets(const Job& job) {
  std::set<std::string> names;
  const auto check = [&](const std::vector<PointerSpec>& pointers) {
    for (const PointerSpec& pointer : pointers) {
      if (names.contains(pointer.buffer)) continue;
      throw internal_error(fmt::format("a pointer leads to no buffer: '{}'", pointer.buffer));
    }
  };
  for (const BufferSpec& buffer : job.buffers) names.insert(buffer.name);
  for (const ArgSpec& arg : job.args) {
    if (const auto* buffer = std::get_if<BufferSpec>(&arg)) names.insert(buffer->name);
  }
  for (const BufferSpec& buffer : job.buffers) check(buffer.pointers);
  for (const ArgSpec& arg : job.args) {
    if (const auto* buffer = std::get_if<BufferSpec>(&arg)) check(buffer->pointers);
    if (const auto* bytes = std::get_if<BytesSpec>(&arg)) check(bytes->pointers);
  }
  for (const SymbolSpec& symbol : job.symbols) check(symbol.value.pointers);
}

void require_distinct_names(const std::vector<ArgSpec>& args) {
  std::map<std::string, std::size_t> first;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const auto* buffer = std::get_if<BufferSpec>(&args[i]);
    if (buffer == nullptr) continue;
    const auto [at, fresh] = first.emplace(buffer->name, i);
    if (fresh) continue;
    throw input_error(
        fmt::format("arguments {} and {} are both buffers named '{}'", at->second, i, buffer->name),
        "give each buffer a name of its own");
  }
}

}  // namespace

void require_sound(const Job& job) {
  require_distinct_names(job.args);
  require_targets(job);
}

std::map<std::string, const BufferSpec*> buffers_of(const Job& job) {
  std::map<std::string, const BufferSpec*> buffers;
  for (const ArgSpec& arg : job.args) {
    if (const auto* buffer = std::get_if<BufferSpec>(&arg)) buffers[buffer->name] = buffer;
  }
  for (const BufferSpec& buffer : job.buffers) buffers[buffer.name] = &buffer;
  return buffers;
}

Job reference_job(const Job& job) {
  const ReferenceCall& call = job.expected.reference.value();
  const auto buffers = buffers_of(job);
  Job made;
  made.kernel = call.kernel;
  made.launch = call.launch;
  for (const auto& arg : call.args) {
    if (const auto* number = std::get_if<ScalarSpec>(&arg)) {
      made.args.emplace_back(*number);
      continue;
    }
    const auto& name = std::get<std::string>(arg);
    const auto found = buffers.find(name);
    if (found == buffers.end()) {
      std::vector<std::string> names;
      for (const auto& [known, spec] : buffers) names.push_back(known);
      throw input_error(fmt::format("the variant has no buffer '{}'", name),
                        suggestion(name, names));
    }
    made.args.emplace_back(*found->second);
  }
  require_sound(made);
  return made;
}

Buffers initial_buffers(const Job& job) {
  Buffers buffers;
  for (const ArgSpec& arg : job.args) {
    if (const auto* spec = std::get_if<BufferSpec>(&arg)) {
      buffers.add(spec->name, initial_bytes(*spec));
    }
  }
  for (const BufferSpec& spec : job.buffers) buffers.add(spec.name, initial_bytes(spec));
  return buffers;
}

std::string content_key(const BufferSpec& spec) {
  std::string key = fmt::format("{} {} {} {}", name_of(spec.type), spec.count,
                                static_cast<int>(spec.fill.kind), spec.fill.seed);
  if (spec.fill.kind == Fill::Kind::kWalk) key += fmt::format(" {}", spec.fill.step);
  if (spec.fill.kind != Fill::Kind::kBytes) return key;
  const auto* text = reinterpret_cast<const char*>(spec.fill.bytes.data());
  return key + " " + sha256_hex({text, spec.fill.bytes.size()});
}

}  // namespace lab
