#include "tools/cli/commands/commands.h"

namespace lab::cli {

std::vector<Command> later_commands() { return {}; }

}  // namespace lab::cli
