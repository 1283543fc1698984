#include "harness/reading/remarks.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/page/make.h"
#include "harness/reading/finding_text.h"

namespace lab::reading {

namespace {

constexpr std::size_t kMost = 6;

page::RemarkKind kind_of(const Finding& finding, bool is_expected) {
  if (is_expected) return page::RemarkKind::kExpected;
  return severity_of(finding.kind) == Severity::kRemark ? page::RemarkKind::kNoMistake
                                                        : page::RemarkKind::kMistake;
}

void add(std::vector<page::Block>& blocks, const std::vector<Finding>& findings) {
  const std::size_t shown = std::min(findings.size(), kMost);
  for (std::size_t i = 0; i < shown; ++i) {
    blocks.push_back({remark_of(findings[i]), page::Rank::kAlways});
  }
}

}  // namespace

page::Remark remark_of(const Finding& finding, const RemarkOf& of) {
  page::Remark remark;
  remark.kind = kind_of(finding, of.is_expected);
  remark.key = name_of(finding.kind);
  remark.at = {finding.file, finding.line, finding.source};
  remark.kernel = finding.kernel;
  remark.of = of.cases;
  remark.says = sentence_of(finding);
  remark.seen = finding.count;
  if (!of.is_expected) remark.cure = cure_of(finding);
  return remark;
}

std::vector<page::Block> remarks_of(const CaseRecord& record) {
  std::vector<page::Block> blocks;
  add(blocks, record.findings);
  if (record.findings.size() > kMost) {
    blocks.push_back(page::sentence(
        fmt::format("and {} more: --json has them all", record.findings.size() - kMost),
        page::Role::kItem));
  }
  add(blocks, record.remarks);
  return blocks;
}

}  // namespace lab::reading
