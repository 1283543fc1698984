#include "harness/gpu/cupti/passes.h"

#include <fmt/format.h>

#include <charconv>
#include <iterator>
#include <optional>

#include "harness/core/error.h"
#include "harness/core/text.h"

namespace lab::gpu {

namespace {

void append(PassPlan& plan, std::vector<ConfigImage> groups) {
  for (ConfigImage& image : groups) {
    const auto first = static_cast<int>(plan.passes);
    plan.passes += image.passes;
    plan.groups.push_back({std::move(image), first});
  }
}

// Fields of the cache's files: `length:bytes`, numbers as text.
void put(std::string& out, std::string_view field) {
  out += fmt::format("{}:", field.size());
  out += field;
}
void put(std::string& out, std::size_t number) { put(out, fmt::format("{}", number)); }

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  std::string_view field() {
    std::size_t length = 0;
    const auto [end, failed] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), length);
    const auto used = static_cast<std::size_t>(end - rest_.data());
    if (failed != std::errc{} || used >= rest_.size() || rest_[used] != ':' ||
        length > rest_.size() - used - 1) {
      throw internal_error("a stored pass plan is malformed");
    }
    const std::string_view found = rest_.substr(used + 1, length);
    rest_.remove_prefix(used + 1 + length);
    return found;
  }
  std::size_t number() {
    const std::string_view text = field();
    std::size_t value = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed != std::errc{} || end != text.data() + text.size()) {
      throw internal_error("a stored pass plan is malformed");
    }
    return value;
  }
  std::vector<std::string> names() {
    std::vector<std::string> out;
    for (std::size_t count = number(); count > 0; --count) out.emplace_back(field());
    return out;
  }

 private:
  std::string_view rest_;
};

void put_names(std::string& out, const std::vector<std::string>& names) {
  put(out, names.size());
  for (const std::string& name : names) put(out, name);
}

}  // namespace

std::vector<std::string> sort_out(std::span<const TriedMetric> metrics, PassPlan& plan) {
  std::vector<std::string> there;
  for (const auto& [metric, tried] : metrics) {
    const std::optional<NoValue> cause = cause_of(metric, tried);
    if (!cause) {
      there.push_back(metric);
    } else if (*cause == NoValue::kUnsupported) {
      plan.lacking.push_back(metric);
    } else if (*cause == NoValue::kWithheld) {
      plan.withheld.push_back(metric);
    } else {
      const bool failed_here = answer_of(tried.here, metric) == Answer::kNone;
      plan.unanswered.emplace(metric, failed_here ? tried.here : tried.in_general);
    }
  }
  return there;
}

PassPlan plan_passes(const Host& host, std::span<const std::string> metrics) {
  std::optional<Host> general;  // the chip's, asked about what this GPU does not have
  std::vector<TriedMetric> all;
  for (const std::string& metric : metrics) {
    Tried tried{host.try_metric(metric), CUPTI_SUCCESS};
    tried.in_general = tried.here;
    if (host.is_of_one_gpu() && answer_of(tried.here, metric) == Answer::kLacks) {
      if (!general) general.emplace(host.chip());
      tried.in_general = general->try_metric(metric);
    }
    all.emplace_back(metric, tried);
  }
  PassPlan plan;
  const std::vector<std::string> there = sort_out(all, plan);
  std::vector<ConfigImage> whole;
  if (!there.empty()) whole.push_back(host.configure(there));
  append(plan, std::move(whole));
  return plan;
}

FileCache cupti_cache() { return FileCache(user_cache_folder("cupti")); }

PassPlan kept_plan(const FileCache& cache, const std::string& key,
                   const std::function<PassPlan()>& make) {
  const std::string entry = sha256_hex(key);
  if (const auto kept = cache.get(entry)) return read_plan(*kept);
  PassPlan plan = make();
  if (plan.unanswered.empty()) cache.put(entry, write_plan(plan));
  return plan;
}

PassPlan cached_passes(const Host& host, std::span<const std::string> metrics,
                       const std::string& availability_hash, const FileCache& cache) {
  std::string key =
      fmt::format("passes 3 {} {} {}", host.chip(), cupti_version(), availability_hash);
  for (const std::string& metric : metrics) key += " " + metric;
  return kept_plan(cache, key, [&] { return plan_passes(host, metrics); });
}

std::string write_plan(const PassPlan& plan) {
  std::string out;
  put_names(out, plan.lacking);
  put_names(out, plan.withheld);
  put(out, plan.groups.size());
  for (const PassGroup& group : plan.groups) {
    put_names(out, group.image.metrics);
    put(out, group.image.passes);
    put(out, std::string_view(reinterpret_cast<const char*>(group.image.bytes.data()),
                              group.image.bytes.size()));
  }
  return out;
}

PassPlan read_plan(const std::string& bytes) {
  Reader reader(bytes);
  PassPlan plan;
  plan.lacking = reader.names();
  plan.withheld = reader.names();
  std::vector<ConfigImage> images;
  for (std::size_t count = reader.number(); count > 0; --count) {
    ConfigImage image;
    image.metrics = reader.names();
    image.passes = reader.number();
    const std::string_view raw = reader.field();
    image.bytes.assign(raw.begin(), raw.end());
    images.push_back(std::move(image));
  }
  append(plan, std::move(images));
  return plan;
}

}  // namespace lab::gpu
