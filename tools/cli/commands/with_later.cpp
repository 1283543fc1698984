#include "tools/cli/commands/later.h"

namespace lab::cli {

const LaterRuns kLaterRuns = {run_calibrate, run_check, run_copies, run_exec,   run_grade,
                              run_import,    run_ncu,   run_new,    run_record, run_report,
                              run_submit,    run_test,  run_verify};

}  // namespace lab::cli
