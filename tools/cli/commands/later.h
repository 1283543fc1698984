// The commands that a first build leaves out (LAB_LATER): no first table needs what they are made
// of. Their rows are in every build, so that help, completion and tools/lab know them; what runs
// them is not.
#pragma once

#include "tools/cli/arguments/command.h"

namespace lab::cli {

int run_calibrate(const Arguments& arguments, const Console& console);
int run_check(const Arguments& arguments, const Console& console);
int run_copies(const Arguments& arguments, const Console& console);
int run_exec(const Arguments& arguments, const Console& console);
int run_grade(const Arguments& arguments, const Console& console);
int run_import(const Arguments& arguments, const Console& console);
int run_ncu(const Arguments& arguments, const Console& console);
int run_new(const Arguments& arguments, const Console& console);
int run_record(const Arguments& arguments, const Console& console);
int run_report(const Arguments& arguments, const Console& console);
int run_submit(const Arguments& arguments, const Console& console);
int run_test(const Arguments& arguments, const Console& console);
int run_verify(const Arguments& arguments, const Console& console);

/// What runs them: all null in a first build.
struct LaterRuns {
  CommandRun calibrate = nullptr;
  CommandRun check = nullptr;
  CommandRun copies = nullptr;
  CommandRun exec = nullptr;
  CommandRun grade = nullptr;
  CommandRun import_ = nullptr;
  CommandRun ncu = nullptr;
  CommandRun new_lab = nullptr;
  CommandRun record = nullptr;
  CommandRun report = nullptr;
  CommandRun submit = nullptr;
  CommandRun test = nullptr;
  CommandRun verify = nullptr;
};
/// Defined by the program: in with_later.cpp or without_later.cpp.
extern const LaterRuns kLaterRuns;

}  // namespace lab::cli
