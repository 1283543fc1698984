#include "tools/cli/version.h"

#include "tools/cli/commit.h"

namespace lab::cli {

std::string program_commit() { return LAB_COMMIT; }

}  // namespace lab::cli
