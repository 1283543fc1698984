// Names the mistake behind a race, where the usual cure would not help.
#pragma once

#include "harness/core/finding.h"
#include "harness/model/code/decoded.h"
#include "harness/model/execute/observer.h"

namespace lab::model {

/// kLostUpdate: a statement reads an element and stores what it made of it, in several threads; a
/// barrier would order nothing that matters. kUnfenced: a block writes and tells others by an
/// atomic or a flag, without a fence between; these read what was written. kNone: neither, as far
/// as the code tells.
[[nodiscard]] FindingCause cause_of_race(const Fault& race, const Program& program);

}  // namespace lab::model
