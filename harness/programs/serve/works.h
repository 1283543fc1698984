// What streams have done that others may meet: launches, copies, fills, with the bytes that they
// read and wrote, until the host has waited for them.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "harness/model/check/footprint.h"
#include "harness/programs/serve/lines.h"
#include "harness/programs/serve/order.h"

namespace lab::program {

using model::check::Span;
using model::check::Spans;

enum class WorkKind : std::uint8_t { kLaunch, kCopy, kFill, kLibrary, kAllocation, kRelease };

/// What is used of memory. Atomics do not meet each other.
struct Uses {
  Spans reads = {};
  Spans writes = {};
  Spans atomics = {};
  [[nodiscard]] std::size_t size() const { return reads.size() + writes.size() + atomics.size(); }
  friend bool operator==(const Uses&, const Uses&) = default;
};

struct Work {
  Moment moment;
  std::uint64_t number = 0;  ///< of the program's works
  std::uint64_t stream = 0;
  WorkKind kind = WorkKind::kLaunch;
  std::string name;  ///< a kernel's or a library call's
  Line line;
  Uses uses = {};
};

/// Two works that use one byte, at least one of which changes it, in no order.
struct Meeting {
  Work earlier;  ///< as the model ran them; without its uses
  std::uint64_t address = 0;
  bool earlier_writes = false;
  bool later_writes = false;
};

class Works {
 public:
  /// What `later`, the newest work of its stream, meets by `uses`, one of each stream: the newest.
  /// They count as ordered from then on, so that what follows from it is not told again.
  [[nodiscard]] std::vector<Meeting> meet(const Work& later, const Uses& uses, Order& order) const;
  /// The same of what the host does now.
  [[nodiscard]] std::optional<Meeting> meet_host(const Uses& uses, const Order& order) const;
  /// Keeps it. Uses of the work that was kept last are added to it.
  void keep(const Work& work, Uses uses);
  /// Forgets what the host knows to be over.
  void forget(const Order& order);
  /// Null: it is not kept.
  [[nodiscard]] const Work* numbered(std::uint64_t number) const;

 private:
  void bound();
  std::deque<Work> works_;
  std::size_t spans_ = 0;
};

/// Adds a span, keeping them in order and apart.
void add_span(Spans& spans, Span one);
/// The first byte that is in both.
[[nodiscard]] std::optional<std::uint64_t> common(const Spans& a, const Spans& b);

}  // namespace lab::program
