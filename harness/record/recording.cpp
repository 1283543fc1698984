#include "harness/record/recording.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/core/text.h"

namespace lab::record {

namespace {

/// A record's place in the file, its kind and its bytes.
struct Found {
  std::uint64_t at = 0;
  Kind kind = {};
  std::string_view bytes;
};

/// Takes records from bytes that anybody may have written.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  /// The next whole record; none at the end, or where damage() says what is wrong.
  std::optional<Found> next() {
    Header header;
    if (bytes_.size() - at_ < sizeof header) return stop(at_ == bytes_.size() ? "" : "is cut off");
    std::memcpy(&header, bytes_.data() + at_, sizeof header);
    if (header.bytes == 0) return stop("");
    const std::string_view rest = bytes_.substr(at_ + sizeof header);
    if (rest.size() < padded(header.bytes)) return stop("is cut off");
    const std::string_view body = rest.substr(0, header.bytes);
    if (checksum(header.kind, body.data(), body.size()) != header.check) {
      return stop("has another checksum than it should");
    }
    Found found{at_, header.kind, body};
    at_ += sizeof header + padded(header.bytes);
    return found;
  }
  [[nodiscard]] std::uint64_t at() const { return at_; }
  [[nodiscard]] const std::string& damage() const { return damage_; }
  /// `record` was whole, and says what cannot be.
  std::nullopt_t refuse(const Found& record, std::string_view why) {
    at_ = record.at;
    return stop(why);
  }

 private:
  std::nullopt_t stop(std::string_view why) {
    if (!why.empty()) damage_ = fmt::format("the record at byte {} {}", at_, why);
    return std::nullopt;
  }

  std::string_view bytes_;
  std::uint64_t at_ = 0;
  std::string damage_;
};

// Records may be longer than what we know of them, never shorter.
template <typename Record>
bool take(const Found& found, Record& into) {
  if (found.bytes.size() < sizeof into) return false;
  std::memcpy(&into, found.bytes.data(), sizeof into);
  return true;
}

bool known(const Process& process, TextId id) {
  return id == kNoText || id == kOtherText ||
         (id >= kFirstText && id - kFirstText < process.texts.size());
}

template <typename Record, typename Valid>
bool keep(const Found& found, std::vector<Record>& into, const Valid& valid) {
  Record record;
  if (!take(found, record) || !valid(record)) return false;
  into.push_back(record);
  return true;
}

// Texts are numbered in the order in which they stand.
bool keep_text(const Found& found, Process& process) {
  Text text;
  if (!take(found, text) || text.id != kFirstText + process.texts.size()) return false;
  if (process.texts.size() >= kMostTexts) return false;
  process.texts.emplace_back(found.bytes.substr(sizeof text));
  return true;
}

bool keep_trouble(const Found& found, Process& process) {
  Trouble trouble;
  if (!take(found, trouble)) return false;
  process.troubles.push_back({trouble, std::string(found.bytes.substr(sizeof trouble))});
  return true;
}

bool keep_counters(const Found& found, Process& process) {
  LaunchCounters counters;
  if (!take(found, counters.counted) || !known(process, counters.counted.metrics)) return false;
  const std::string_view values = found.bytes.substr(sizeof counters.counted);
  const std::size_t count = metric_names(process.text(counters.counted.metrics)).size();
  if (values.size() != count * sizeof(double)) return false;
  counters.values.resize(count);
  if (count > 0) std::memcpy(counters.values.data(), values.data(), values.size());
  process.counters.push_back(std::move(counters));
  return true;
}

bool keep_end(const Found& found, Process& process) {
  End end;
  if (!take(found, end)) return false;
  process.end = end;
  return true;
}

// False: the record is shorter than its kind, or names a text that there is not.
bool keep_record(const Found& found, Process& process) {
  const auto always = [](const auto& /*record*/) { return true; };
  const auto named = [&](const auto& record) { return known(process, record.name); };
  const auto ranged = [&](const auto& record) { return known(process, record.range); };
  switch (found.kind) {
    case Kind::kText:
      return keep_text(found, process);
    case Kind::kDevice:
      return keep(found, process.devices, named);
    case Kind::kModule:
      return keep(found, process.modules, always);
    case Kind::kLaunch:
      return keep(found, process.launches,
                  [&](const Launch& launch) { return named(launch) && ranged(launch); });
    case Kind::kKernel:
      return keep(found, process.kernels, named);
    case Kind::kCopy:
      return keep(found, process.copies, always);
    case Kind::kRange:
      return keep(found, process.ranges, ranged);
    case Kind::kTrouble:
      return keep_trouble(found, process);
    case Kind::kEnd:
      return keep_end(found, process);
    case Kind::kCounted:
      return keep_counters(found, process);
    case Kind::kBegin:
      break;
  }
  return true;  // of a kind that came later
}

Process begun(const Found& found, const Begin& begin) {
  Process process;
  process.begin = begin;
  for (const std::string_view word : split(found.bytes.substr(sizeof begin), '\0')) {
    process.command.emplace_back(word);
  }
  // Each word is ended by its zero byte: nothing stands behind the last one.
  if (!process.command.empty() && process.command.back().empty()) process.command.pop_back();
  return process;
}

void require_format(const Begin& begin, const std::string& name) {
  if (begin.format <= kFormat) return;
  throw input_error(fmt::format("'{}' is a recording of format {}", name, begin.format),
                    fmt::format("this lab reads formats up to {}: take a newer one", kFormat));
}

}  // namespace

std::vector<std::string_view> metric_names(std::string_view text) {
  return text.empty() ? std::vector<std::string_view>() : split(text, ',');
}

std::string_view Process::text(TextId id) const {
  if (id == kOtherText) return "(one of too many names)";
  if (id < kFirstText || id - kFirstText >= texts.size()) return {};
  return texts[id - kFirstText];
}

bool is_recording(std::string_view bytes) {
  Header header;
  if (bytes.size() < sizeof header + sizeof(Begin)) return false;
  std::memcpy(&header, bytes.data(), sizeof header);
  return header.kind == Kind::kBegin && bytes.substr(sizeof header, kMagic.size()) ==
                                            std::string_view(kMagic.data(), kMagic.size());
}

Recording read_recording(std::string_view bytes, const std::string& name) {
  if (!is_recording(bytes)) {
    throw input_error(fmt::format("'{}' is not a recording", name),
                      "lab record --output FILE -- PROGRAM makes one");
  }
  Reader reader(bytes);
  Recording recording;
  while (const std::optional<Found> found = reader.next()) {
    if (found->kind == Kind::kBegin) {
      Begin begin;
      if (!take(*found, begin) || begin.magic != kMagic) {
        reader.refuse(*found, "begins a process and lacks its mark");
        break;
      }
      require_format(begin, name);
      recording.processes.push_back(begun(*found, begin));
    } else if (!keep_record(*found, recording.processes.back())) {
      reader.refuse(*found, "is too short, or names a text that is not there");
      break;
    }
  }
  recording.whole_bytes = reader.at();
  recording.damage = reader.damage();
  return recording;
}

}  // namespace lab::record
