#include "harness/reading/case_name.h"

#include <utility>

#include "harness/page/make.h"

namespace lab::reading {

std::string name_of(const CaseRecord& record) {
  return record.variant.empty() ? record.kernel : record.variant;
}

std::string title_of(const CaseRecord& record) {
  const std::string params = record.params.text();
  return params.empty() ? name_of(record) : name_of(record) + "  " + params;
}

page::Heading case_heading(const CaseRecord& record, std::string fact) {
  return page::heading(2, name_of(record), {record.params.text(), std::move(fact)});
}

}  // namespace lab::reading
