// The table of commands. A new command is a file NAME.cpp in this folder and a row in commands.cpp;
// one that no first table needs has its row in later.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/arguments/command.h"

namespace lab::cli {

Command list_command();
Command show_command();
Command run_command();
Command probe_command();
Command map_command();
Command explain_command();
Command fix_command();
Command runs_command();
Command compare_command();
Command query_command();
Command merge_command();
Command metrics_command();
Command ncu_command();
Command import_command();
Command calibrate_command();
Command doctor_command();
Command start_command();
Command watch_command();
Command guess_command();
Command quiz_command();
Command hint_command();
Command progress_command();
Command completion_command();
Command man_command();
Command new_command();

Command exec_command();
Command record_command();
Command report_command();
Command verify_command();
Command submit_command();
Command check_command();
Command grade_command();
Command copies_command();
Command test_command();

[[nodiscard]] std::vector<Command> all_commands();

/// An input error with the nearest name where there is no command of that name.
[[nodiscard]] Command find_command(std::string_view name);

/// Whether this build leaves out what `words` need, a command or the GPU backend. False where they
/// are answered without it: help, and words that no command takes.
[[nodiscard]] bool needs_the_rest(const std::vector<std::string>& words);

/// `lab __complete`: a line per word that may stand next, a tab and what it means; `:files` where a
/// file may.
void print_candidates(const std::vector<std::string>& typed);

/// `lab help --all`: every command.
[[nodiscard]] std::string all_commands_text(int width);
/// `lab` and `lab help`: eight commands to begin with, and `next`, lines that say what comes next.
[[nodiscard]] std::string first_page(const std::string& next, int width);

}  // namespace lab::cli
