#include "harness/reading/advice_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "harness/core/numbers.h"
#include "harness/page/make.h"
#include "harness/reading/case_name.h"
#include "harness/reading/run_reading.h"

namespace lab::reading {

namespace {

constexpr std::string_view kMap = "lab map ";

// `Also line 9.`
std::string also_of(const metrics::Advice& advice) {
  if (advice.also.empty()) return {};
  return fmt::format(" Also line{} {}.", advice.also.size() == 1 ? "" : "s",
                     fmt::join(advice.also, ", "));
}

std::string saving_of(const metrics::Advice& advice) {
  if (advice.unit == metrics::Saving::kNone) return {};
  return fmt::format(" Saves {} of {} {}{}.", brief_text(advice.saved), brief_text(advice.total),
                     metrics::name_of(advice.unit), metrics::gain_text(advice));
}

std::string says_of(const metrics::Advice& advice) {
  return advice.finding + "." + also_of(advice);
}

std::string cure_of(const metrics::Advice& advice) {
  return std::string(advice.cure) + saving_of(advice);
}

// Accesses that were not counted may cost anything.
std::string nothing_text(const RunRecord& run) {
  const std::string why = uncounted(run);
  return why.empty()
             ? "I looked for bank conflicts, wasted sectors, idle threads, contended atomics "
               "and what is loaded or stored again, and found none worth a change."
             : fmt::format("Nothing to say about accesses that were not counted: {}.", why);
}

page::Block step(std::string words, std::string command) {
  return {page::Steps{{{std::move(words), std::move(command)}}}};
}

// A launch that is written out is long, and both commands have the same: one of them is enough.
std::vector<page::Block> steps_of(const std::vector<metrics::Advice>& all, const std::string& map) {
  std::vector<page::Block> steps;
  const bool layout = std::any_of(all.begin(), all.end(), metrics::is_of_layout);
  const bool is_long = map.find(" --grid ") != std::string::npos;
  if (!map.empty() && !(layout && is_long)) steps.push_back(step("To see the accesses", map));
  if (layout && map.starts_with(kMap)) {
    steps.push_back(step("To find the best layout", "lab fix " + map.substr(kMap.size())));
  }
  return steps;
}

void add(std::vector<page::Block>& blocks, std::string title,
         const std::vector<metrics::Advice>& all, bool hidden, const RunRecord& run) {
  for (const metrics::Advice& advice : all) {
    if (advice.hidden != hidden) continue;
    if (!title.empty()) blocks.push_back(page::sentence(std::exchange(title, {})));
    blocks.push_back({remark_of(advice, run)});
  }
}

}  // namespace

std::string hint_command(const Lab* lab) {
  return lab != nullptr && lab->goal ? "lab hint " + lab->called() : std::string();
}

std::string text_of(const metrics::Advice& advice) {
  return says_of(advice) + " " + cure_of(advice);
}

page::Remark remark_of(const metrics::Advice& advice, const RunRecord& run) {
  page::Remark remark;
  remark.kind = page::RemarkKind::kCost;
  remark.key = metrics::name_of(advice.rule);
  remark.kernel = run.source_name;
  remark.at = {advice.file, advice.line};
  if (advice.file == run.source_name) remark.at.text = source_line(run, advice.line);
  remark.says = says_of(advice);
  remark.cure = cure_of(advice);
  return remark;
}

std::vector<page::Block> advice_blocks(const std::vector<metrics::Advice>& all,
                                       const RunRecord& run, const std::string& map) {
  std::vector<page::Block> blocks;
  add(blocks, "What to change:", all, false, run);
  // A change that the expected time does not depend on is not the first to make.
  add(blocks, "Wasted, though a change saves no time here:", all, true, run);
  if (blocks.empty()) return {page::sentence(nothing_text(run))};
  for (page::Block& block : steps_of(all, map)) blocks.push_back(std::move(block));
  return blocks;
}

}  // namespace lab::reading
