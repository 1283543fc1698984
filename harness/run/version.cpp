#include "harness/run/version.h"

#include "harness/run/commit.h"

namespace lab::run {

std::string program_version() { return LAB_VERSION; }

std::string program_commit() { return LAB_COMMIT; }

}  // namespace lab::run
