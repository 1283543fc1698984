#include "harness/programs/serve/streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace lab::program {
namespace {

std::string_view called(WorkKind kind) {
  switch (kind) {
    case WorkKind::kCopy:
      return "the copy";
    case WorkKind::kFill:
      return "the fill";
    case WorkKind::kAllocation:
      return "the allocation";
    case WorkKind::kRelease:
      return "the release";
    default:
      return "the kernel";
  }
}

std::string name_of_work(const Work& work) {
  return work.name.empty() ? std::string(called(work.kind)) : work.name;
}

std::string placed(const Work& work) {
  const std::string place = work.line.place();
  return place.empty() ? "" : fmt::format(" ({})", place);
}

}  // namespace

void Streams::stream(const StreamCall& call, Site site, const Line& line) {
  if (call.order == StreamOrder::kGone) return order_.drop(call.stream);
  order_.add(call.stream, call.order);
  Known& known = known_[call.stream];
  known.order = call.order;
  if (call.order == StreamOrder::kPerThread || call.order == StreamOrder::kNode) return;
  std::vector<Site>& calls = calls_[line.place()];
  const auto at = std::find(calls.begin(), calls.end(), site);
  known.name = stream_name(line.text, static_cast<std::size_t>(at - calls.begin()));
  if (at == calls.end()) calls.push_back(site);
  known.number = ++names_[known.name];
}

void Streams::work(const WorkCall& call, const Line& line) {
  now_ = {};
  now_.moment = order_.queue(call.stream);
  now_.number = call.number;
  now_.stream = call.stream;
  now_.line = line;
  pending_[call.number] = now_.moment;
}

void Streams::record(const RecordCall& call) {
  if (call.gone != 0) return order_.forget(call.event);
  order_.record(call.event, call.stream);
}

void Streams::host_waits(const HostWaits& call) {
  switch (call.what) {
    case WaitFor::kAll:
      order_.host_waits_for_all();
      break;
    case WaitFor::kStream:
      order_.host_waits_for_stream(call.id);
      break;
    case WaitFor::kEvent:
      order_.host_waits_for_event(call.id);
      break;
    case WaitFor::kWork:
      const auto at = pending_.find(call.id);
      if (at != pending_.end()) order_.host_waits_for(at->second);
      break;
  }
  works_.forget(order_);
  std::erase_if(pending_, [&](const auto& one) { return order_.host_knows(one.second); });
}

bool Streams::is_done(std::uint64_t number) const { return !pending_.contains(number); }

std::string Streams::name_of(std::uint64_t stream) const {
  if (stream == Order::kDefault) return "the default stream";
  const auto at = known_.find(stream);
  if (at == known_.end()) return "a stream";
  const Known& known = at->second;
  if (known.order == StreamOrder::kPerThread) return "a thread's default stream";
  if (known.order == StreamOrder::kNode) return "a graph";
  if (known.name.empty()) return fmt::format("stream {}", known.number);
  const bool several = names_.at(known.name) > 1;
  return several ? fmt::format("stream {} (number {})", known.name, known.number)
                 : "stream " + known.name;
}

StreamOrder Streams::order_of(std::uint64_t stream) const {
  const auto at = known_.find(stream);
  return at == known_.end() ? StreamOrder::kBlocking : at->second.order;
}

std::string Streams::cure_of(const Work& later, const Work& earlier) const {
  const auto is_node = [&](const Work& one) { return order_of(one.stream) == StreamOrder::kNode; };
  if (is_node(later) && is_node(earlier)) {
    return "make one node of the graph depend on the other";
  }
  const auto stream_of = [&](const Work& one) {
    return is_node(one) ? "the graph's stream" : name_of(one.stream);
  };
  if (later.stream == Order::kDefault || earlier.stream == Order::kDefault) {
    return fmt::format(
        "the default stream and {}, which is non-blocking, do not wait for each other. "
        "Synchronise {} before (cudaStreamSynchronize), or put both into one stream",
        stream_of(later.stream == Order::kDefault ? earlier : later), stream_of(earlier));
  }
  return fmt::format(
      "record an event behind {} in {} and let {} wait for it (cudaEventRecord, "
      "cudaStreamWaitEvent), or synchronise {} before",
      is_node(earlier) ? "the graph" : name_of_work(earlier), stream_of(earlier), stream_of(later),
      stream_of(earlier));
}

std::string Streams::text_of(const Work& later, const Meeting& met) const {
  const Work& earlier = met.earlier;
  const std::string cure = cure_of(later, earlier);
  if (later.kind == WorkKind::kRelease) {
    return fmt::format("{} frees {}, which {} in {}{} may still use: {}", name_of(later.stream),
                       describe_(met.address), name_of_work(earlier), name_of(earlier.stream),
                       placed(earlier), cure);
  }
  if (earlier.kind == WorkKind::kAllocation) {
    return fmt::format(
        "{} in {} uses {}, which {} allocates{}, and nothing says that it is there "
        "by then: {}",
        name_of_work(later), name_of(later.stream), describe_(met.address), name_of(earlier.stream),
        placed(earlier), cure);
  }
  return fmt::format("{} in {} {} {}, which {} in {} {}{}, and nothing orders the two: {}",
                     name_of_work(later), name_of(later.stream),
                     met.later_writes ? "writes" : "reads", describe_(met.address),
                     name_of_work(earlier), name_of(earlier.stream),
                     met.earlier_writes ? "writes" : "reads", placed(earlier), cure);
}

std::vector<Streams::Mistake> Streams::use(WorkKind kind, const std::string& name, const Line& line,
                                           Uses uses) {
  std::vector<Mistake> mistakes;
  if (now_.number == 0) return mistakes;
  now_.kind = kind;
  now_.name = name;
  now_.line = line;
  for (const Meeting& met : works_.meet(now_, uses, order_)) {
    const std::string pair =
        fmt::format("{} {} {} {}", name, line.place(), met.earlier.name, placed(met.earlier));
    const auto [told, fresh] = told_.try_emplace(pair);
    if (fresh) told->second = text_of(now_, met);
    mistakes.push_back({told->second, line});
  }
  works_.keep(now_, std::move(uses));
  return mistakes;
}

std::optional<Streams::Mistake> Streams::free_at_once(Span memory, const Line& line) {
  const auto met = works_.meet_host({{}, {memory}, {}}, order_);
  if (!met) return {};
  return Mistake{
      fmt::format("cudaFree does not wait for memory from cudaMallocAsync: {} in {}{} may still "
                  "use {}. Synchronise {} before, or free it there (cudaFreeAsync)",
                  name_of_work(met->earlier), name_of(met->earlier.stream), placed(met->earlier),
                  describe_(met->address), name_of(met->earlier.stream)),
      line};
}

std::string Streams::named(std::uint64_t number) const {
  const Work* const work = works_.numbered(number);
  return work == nullptr ? std::string() : name_of_work(*work);
}

}  // namespace lab::program
