#include "harness/kernel/ptx/places.h"

namespace lab::ptx {

Where Places::add(SourcePlace written, const std::optional<SourcePlace>& caller) {
  if (caller) {
    const auto known = last_.find({caller->file, caller->line, caller->column});
    written.inlined_at = known == last_.end() ? push(*caller) : known->second;
  }
  const std::uint32_t index = push(written);
  const Shown& shown = shown_[index - first_];
  return {0, shown.line == 0 ? 0 : shown.file, shown.line, index};
}

// Line 0 is code that the compiler made. Where it is inlined, it gets its caller's line.
std::uint32_t Places::push(const SourcePlace& place) {
  const auto index = static_cast<std::uint32_t>(places_.size());
  if (shown_.empty()) first_ = index;
  Shown shown{place.file, place.line, place.file};
  if (place.inlined_at != kNoIndex) {
    const Shown& caller = shown_[place.inlined_at - first_];
    shown.outermost_file = caller.outermost_file;
    if (place.line == 0 || place.file != caller.outermost_file) shown = caller;
  }
  shown_.push_back(shown);
  places_.push_back(place);
  last_[{place.file, place.line, place.column}] = index;
  return index;
}

}  // namespace lab::ptx
