#include "tools/cli/commands/later.h"

namespace lab::cli {

const LaterRuns kLaterRuns = {};

}  // namespace lab::cli
