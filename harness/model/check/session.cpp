#include "harness/model/check/session.h"

namespace lab::model::check {

Session::Session(const Program& program, const Launch& launch, const GlobalMemory& memory,
                 Checks asked)
    : program_(program),
      shared_bytes_(program.shared_bytes + launch.dynamic_shared_bytes),
      asked_(asked),
      on_(asked != Checks::kOff) {
  if (on_) shadows_ = make_shadows(memory);
}

void Session::expect(std::uint64_t warp_instructions) {
  if (asked_ == Checks::kAuto) on_ = warp_instructions <= kMostChecked;
}

std::unique_ptr<Observer> Session::observer() const {
  const bool anything = shared_bytes_ > 0 || !shadows_.empty();
  if (!on_ || !anything) return nullptr;
  return std::make_unique<Checker>(program_, shared_bytes_, shadows_);
}

}  // namespace lab::model::check
