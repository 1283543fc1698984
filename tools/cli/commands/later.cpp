#include "tools/cli/commands/later.h"

#include <utility>

#include "harness/run/engines.h"
#include "tools/cli/arguments/run_options.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/commands/print_page.h"

namespace lab::cli {

namespace {

Option rubric_option() {
  return {"rubric", "FILE", "Criteria and points (default: the lab's rubric.toml)"};
}

}  // namespace

Command exec_command() {
  std::vector<Option> options = {
      {"keep", "FOLDER", "Where the files go that the program writes (default: they are lost)"},
      {"force", "", "Let --keep replace files that are there"},
      {"read", "FOLDER", "What the program may read beside its own folder", true},
      {"each", "", "One case per launch, where launches of one shape are one"},
      {"compiler",
       "NAME",
       "Of the host's part (default: clang, and nvcc where clang cannot)",
       false,
       {"auto", "clang", "nvcc"}},
      {"default-stream",
       "WHICH",
       "What stream 0 is, as nvcc's option of this name (default: legacy)",
       false,
       {"legacy", "per-thread"}},
      {"build", "COMMAND", "How the program is built; it stands behind --"},
      {"exact", "", "Run and check every launch, also those that repeat an earlier one"},
      {"sample", "", "Run a sample of the blocks of very large launches: outputs are incomplete"},
      {"backend", "NAME",
       "What runs the launches (default model; both: the model, and the GPU counts the same "
       "launches)",
       false, run::backend_choices()},
      device_option(),
      {"repeat", "N", "Collect the GPU's counters N times"},
      {"no-counters", "", "Do not read the GPU's counters"},
      {"no-timing", "", "Skip the timing loop on the GPU"},
      {"arch", "SM", "Architecture to compile for (default: the GPU's, else sm_90)"},
      gpu_option(),
      {"check", "HOW", "The model's checkers", false, {"auto", "full", "off"}},
      {"timeout", "SECONDS", "End the program after this long"},
      {"memory", "SIZE",
       "What the program may use, its device memory included (default: 7/8 of the machine's)"},
      {"files", "SIZE", "What the files may take that it writes (default: 512M)"},
      {"threads", "N", "CPU threads of the model (default: all cores)"},
      {"no-sandbox", "", "Let the program reach your files, as one that you trust may"},
      database_option(),
      {"no-store", "", "Don't store the run"},
      {"student", "NAME", "Whose run it is"},
      page_option()};
  for (Option& option : compile_option_rows()) options.push_back(std::move(option));
  Command command = {
      "exec",
      "Run a whole CUDA program, main and all: its launches in the model, or on the GPU",
      {"FILE", "Its .cu, .cpp and .c files, or the program", 0, 64},
      std::move(options),
      "  lab exec app.cu -- 1024          words behind -- go to the program\n"
      "  lab exec main.cu kernels.cu -I include --keep out\n"
      "  lab exec app.cu --backend both",
      kLaterRuns.exec};
  command.passes_rest = true;
  return command;
}

Command record_command() {
  Command command = {
      "record",
      "Run any program and record its kernels: their times on this machine's GPU, shapes and gaps",
      {"FILE", "Recordings that were kept, to be shown again", 0, 64},
      {{"output", "FILE", "Keep the recording in FILE"},
       {"replace", "", "Let --output replace a file"},
       {"counters", "", "Count each launch: time, DRAM and L2, in one pass"},
       {"metrics", "NAMES", "Count these, by CUPTI's names, as far as they fit one pass", true},
       {"all", "", "Show all kernels, not the 20 that took longest"}},
      "  lab record -- ./app 1024          words behind -- are the program and its arguments\n"
      "  lab record --output app.labrec -- python train.py\n"
      "  lab record --counters -- ./app\n"
      "  lab record app.labrec --all",
      kLaterRuns.record};
  command.passes_rest = true;
  return command;
}

Command report_command() {
  return {"report",
          "Write a stored run as one HTML page with charts; it needs no network",
          {"RUN", "A run's id, the start of its uuid, or last (default)", 0, 1},
          {database_option(),
           {"output", "FILE", "Where to write it (default lab-report-ID.html; -: standard output)"},
           {"force", "", "Replace a source that is there"}},
          "  lab report\n  lab report 3 --db class.db --output lab3.html",
          kLaterRuns.report};
}

Command verify_command() {
  return {"verify",
          "Run stored kernels again in the model and compare: finds an edited database",
          {"RUN", "Runs by id or uuid; all (default): every run", 0, 1000},
          {{"jobs", "N", "Runs at a time (default: the cores)"},
           {"sample", "N",
            "Of each run, run only N cases again, or for all of them 60s; drawn anew each time"},
           {"seal", "", "Seal names, deadlines and adjustments as they are, with LAB_SEAL_KEY"},
           database_option()},
          "  lab verify --db class.db\n  lab verify last\n"
          "  lab verify --db class.db --sample 60s",
          kLaterRuns.verify};
}

Command submit_command() {
  return {"submit",
          "Make what is handed in: the kernel as one file, and a record of what it is",
          {"LAB", "A lab's number or name", 1, 1},
          {{"kernel", "FILE", "Your kernels"},
           {"student", "NAME", "Your name as the roster has it"},
           {"out", "FOLDER", "Where the two files go (default: the current folder)"},
           {"force", "", "Replace a source that is there"}},
          "  lab submit 3 --kernel mine.cu --student ada",
          kLaterRuns.submit};
}

Command check_command() {
  return {"check",
          "Hold kernels against what a file asks of them and against their baseline: for "
          "continuous integration, without a GPU",
          {"FILE", "Cases, requirements and architectures as TOML", 1, 1},
          {{"update", "", "Write the baseline: each kernel's counters, registers and accesses"},
           {"allow-missing", "",
            "Exit 0 also where nothing is compared: no baseline, or one that lacks a case"},
           {"annotations", "", "Also write ::error lines, which GitHub shows at the source's line"},
           {"junit", "FILE", "Also write the results as JUnit XML"},
           {"arch", "LIST", "Architectures in place of the file's: sm_80,sm_90", true}},
          "  lab check kernels.toml --update\n  lab check kernels.toml --junit results.xml",
          kLaterRuns.check};
}

Command grade_command() {
  return {
      "grade",
      "Grade a class's submissions of a lab by its rubric; goes on where it was stopped",
      {"LAB FILES",
       "A lab, or the folder of a program's rubric, then submissions: ada.cu, ada.zip, or a folder "
       "or platform's export with them; none with --again",
       1, 100000},
      {rubric_option(),
       {"students", "FILE", "The roster, as CSV: student,name,email, or a platform's export"},
       {"jobs", "N", "Submissions at a time (default: the cores)"},
       {"budget", "TIME", "CPU time that one submission may take (default 60s)"},
       {"memory", "SIZE", "What one submission may use (default 2G)"},
       {"out", "FOLDER",
        "Write gradebooks (CSV, HTML, Canvas, Moodle, Brightspace, JUnit), feedback and "
        "Gradescope's results there"},
       {"again", "",
        "Grade anew what has its grade; without submissions, give stored runs the points of a "
        "changed rubric and run nothing"},
       {"dry-run", "", "With --again and no submissions: show what would change, store nothing"},
       {"no-sandbox", "", "Grade kernels that you trust where the system has no sandbox"},
       {"engine", "NAME", "Who does the work (default local)", false, {"local", "slurm"}},
       {"parts", "N",
        "With --engine slurm: tasks of its job array (default 8), of which --jobs at a time"},
       {"task-time", "TIME", "With --engine slurm: what sbatch takes as --time of a task"},
       {"task-memory", "SIZE", "With --engine slurm: what sbatch takes as --mem of a task"},
       {"partition", "NAME", "With --engine slurm: where the tasks run"},
       {"shard", "I/N", "Only part I of N; lab merge --grades puts the databases together"},
       database_option()},
      "  lab grade 4 submissions --db class.db --out grades\n"
      "  lab grade 4 ada.cu --budget 20s --memory 1G\n"
      "  lab grade 4 --again --db class.db --rubric rubric.toml --dry-run",
      kLaterRuns.grade};
}

Command copies_command() {
  return {"copies",
          "Show which submissions of a class are copies of each other, one row for each group",
          {"LAB", "A lab's number or name", 1, 1},
          {{"with", "FILE", "Compare with another class's database, too", true}, database_option()},
          "  lab copies 4 --db class.db\n"
          "  lab copies 4 --db class.db --with last_year.db",
          kLaterRuns.copies};
}

Command test_command() {
  return {"test",
          "Hold labs to account: formulas, kernels, starter, rubric, texts",
          {"LAB", "Labs by number, name or folder; all: every lab", 1, 100},
          {{"points", "N", "Random points of each variant (default 20)"},
           {"seed", "N", "Draw other points"},
           {"show", "", "Then print what a student sees first"},
           {"no-sandbox", "",
            "Let the compiler and the model reach your files, as kernels you trust may"}},
          "  lab test 8\n  lab test ./warp-scan --points 100",
          kLaterRuns.test};
}

Command new_command() {
  return {"new",
          "Make a folder that is a lab, for you to change",
          {"NAME", "The new lab's: warp-scan; 13_scan is lab 13", 1, 1},
          {{"from", "LAB", "The lab to copy (default: a small example)"},
           {"output", "FOLDER", "Where to make the new folder (default: here)"}},
          "  lab new warp-scan\n  lab new 13_scan --from 8",
          kLaterRuns.new_lab};
}

Command ncu_command() {
  std::vector<Option> options = {
      {"variant", "NAMES", "Run these variants only", true},
      {"param", "NAME=VALUES", "Values of a parameter: 3; 1,2,4; 2^20; 1..32; 1..32*2; 0..128+16",
       true},
      {"kernel", "FILE", "Run the kernels of this file in place of the lab's own"},
      {"all", "", "Run every point of each sweep, not the telling ones alone"},
      {"set", "NAME", "A set of lab (arbitration) or of Nsight Compute (basic, full)", true},
      {"keep", "FILE", "Keep the report: FILE.ncu-rep opens in Nsight Compute"},
      {"cache-control", "MODE", "Of ncu (default all: lab flushes, too)", false, {"all", "none"}},
      {"clock-control", "MODE", "Of ncu (default none, as lab does)", false, {"none", "base"}},
      {"inside", "", "Used by lab ncu itself: what it starts under ncu"},
      page_option()};
  for (Option& option : compile_option_rows()) options.push_back(std::move(option));
  for (Option& option : batch_options()) {
    if (option.name != "no-store") options.push_back(std::move(option));
  }
  return {"ncu",
          "Run the same cases under Nsight Compute and show its values beside ours",
          {"LAB|RUN", "A lab, which is run first, or a stored run: its uuid's beginning, or last",
           1, 1},
          std::move(options),
          "  lab ncu 3 --variant stride --param stride=1,2,32\n"
          "  lab ncu last --set full --keep stride.ncu-rep",
          kLaterRuns.ncu};
}

Command import_command() {
  return {"import",
          "Add values from Nsight Compute's CSV to a stored run, beside lab's own",
          {"FILE", "The output of ncu --csv, in either page layout", 1, 1},
          {{"run", "RUN", "The run they belong to: id, beginning of the uuid, or last (default)"},
           {"decimal",
            "CHARACTER",
            "The decimal separator, where the file does not show it",
            false,
            {"point", "comma"}},
           {"cache-control", "MODE", "The mode that ncu was given", false, {"all", "none"}},
           {"clock-control", "MODE", "The mode that ncu was given", false, {"base", "none"}},
           {"ncu-version", "VERSION", "The version of ncu, as ncu --version prints it"},
           page_option(),
           database_option()},
          "  lab import ncu.csv --run last\n"
          "where this makes ncu.csv:\n"
          "ncu --target-processes all --nvtx --nvtx-include lab@check/ --csv --page raw \\\n"
          "--print-units base lab run 3 --backend gpu --no-counters > ncu.csv",
          kLaterRuns.import_};
}

Command calibrate_command() {
  return {"calibrate",
          "Measure the most this GPU can do: percent of ceiling and time bounds refer to it",
          {},
          {device_option(), database_option(), {"no-store", "", "Don't store the ceilings"}},
          "  lab calibrate",
          kLaterRuns.calibrate};
}

}  // namespace lab::cli
