#include "metrics/stalls.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace lab::metrics {

namespace {

// Nsight Compute's documentation, "Metrics Reference: Warp Stall Reasons".
const std::vector<StallReason> kStallReasons = {
    {"long_scoreboard", "long scoreboard",
     "the result of a global or local access: L1, L2 or DRAM has not answered yet"},
    {"short_scoreboard", "short scoreboard",
     "the result of a shared-memory access, or of another unit behind the MIO queue: bank "
     "conflicts make it longer"},
    {"mio_throttle", "MIO throttle",
     "a place in the queue of shared memory, special functions and dynamic branches: too many such "
     "instructions, or each takes many wavefronts"},
    {"lg_throttle", "LG throttle",
     "a place in the queue of global and local memory: too many such instructions at once, or each "
     "touches many sectors"},
    {"barrier", "barrier", "other warps of the block, at __syncthreads()"},
    {"membar", "memory barrier", "its earlier memory operations, at a __threadfence()"},
    {"drain", "drain", "its stores to leave, at the end of the kernel"},
    {"tex_throttle", "TEX throttle", "a place in the queue of textures"},
    {"wait", "wait", "a fixed number of cycles that the compiler set after an instruction"},
    {"math_pipe_throttle", "math pipe throttle", "an arithmetic unit that other warps use"},
    {"no_instruction", "no instruction", "its next instruction to be fetched"},
    {"imc_miss", "IMC miss", "a constant that is not in the constant cache yet"},
    {"branch_resolving", "branch resolving", "a branch's target"},
    {"dispatch_stall", "dispatch stall", "the dispatcher, which holds the instruction back"},
    {"sleeping", "sleeping", "the end of its __nanosleep()"},
    {"gmma", "GMMA", "the tensor cores"},
    {"misc", "misc", "something that has no name of its own"},
    {"not_selected", "not selected", "nothing: it could issue, and another warp was chosen"},
    {"selected", "selected", "nothing: it issued an instruction"},
};

void add_reasons(const std::map<std::string, double>& sums, LineStalls& into) {
  for (const auto& [reason, count] : sums) {
    into.samples += count;
    if (!is_stall(reason) || count == 0) continue;
    into.waiting += count;
    into.reasons.emplace_back(reason, count);
  }
  std::stable_sort(into.reasons.begin(), into.reasons.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
}

// The reason that an observation counts; empty: it counts something else.
std::string reason_counted(const LineObservation& one) {
  if (one.metric.rfind(kStallPrefix, 0) != 0) return {};
  return one.metric.substr(kStallPrefix.size());
}

}  // namespace

const std::vector<StallReason>& stall_reasons() { return kStallReasons; }

const StallReason* find_stall(std::string_view name) {
  const auto found = std::find_if(kStallReasons.begin(), kStallReasons.end(),
                                  [&](const StallReason& reason) { return reason.name == name; });
  return found == kStallReasons.end() ? nullptr : &*found;
}

std::string stall_text(std::string_view name) {
  if (const StallReason* known = find_stall(name)) return std::string(known->text);
  std::string text(name);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

bool is_stall(std::string_view name) { return name != "selected" && name != "not_selected"; }

std::vector<LineStalls> stalls_by_line(const std::vector<LineObservation>& lines) {
  std::map<std::pair<std::string, int>, std::map<std::string, double>> sums;
  for (const LineObservation& one : lines) {
    const std::string reason = reason_counted(one);
    if (!reason.empty()) sums[{one.file, one.line}][reason] += one.value;
  }
  std::vector<LineStalls> out;
  for (const auto& [place, reasons] : sums) {
    LineStalls line{place.first, place.second};
    add_reasons(reasons, line);
    if (line.waiting > 0) out.push_back(std::move(line));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const LineStalls& a, const LineStalls& b) { return a.waiting > b.waiting; });
  return out;
}

LineStalls all_stalls(const std::vector<LineObservation>& lines) {
  std::map<std::string, double> sums;
  for (const LineObservation& one : lines) {
    const std::string reason = reason_counted(one);
    if (!reason.empty()) sums[reason] += one.value;
  }
  LineStalls all;
  add_reasons(sums, all);
  return all;
}

std::string stall_shares(const LineStalls& stalls, std::size_t most) {
  constexpr double kPercent = 100;
  if (stalls.waiting == 0) return "no stalls";
  std::string out;
  for (std::size_t i = 0; i < stalls.reasons.size() && i < most; ++i) {
    const auto& [reason, count] = stalls.reasons[i];
    out += fmt::format("{}{} {:.0f} %", i == 0 ? "" : ", ", stall_text(reason),
                       kPercent * count / stalls.waiting);
  }
  return out;
}

}  // namespace lab::metrics
