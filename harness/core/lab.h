// A lab is a plain value: its kernels, variants, parameters, theory and handout.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/core/buffer.h"
#include "harness/core/chip.h"
#include "harness/core/expression.h"
#include "harness/core/formula.h"
#include "harness/core/job.h"
#include "harness/core/lab_name.h"
#include "harness/core/launch.h"
#include "harness/core/params.h"
#include "harness/core/record.h"
#include "harness/core/screen.h"

namespace lab {

/// One prediction in closed form. `metric` is a key of the catalogue. Where caches decide, `high`
/// is the upper end of an interval and `formula` the lower. Where the compiler changes the lesson,
/// `as_written` is what the source asks for, beside what its machine code does.
struct TheoryRow {
  std::string metric;
  Expr formula;
  std::string why;  ///< one sentence of derivation
  Level level = Level::kAsCompiled;
  std::optional<Expr> high = {};
  std::optional<Expr> as_written = {};
};

struct Variant {
  std::string name;
  std::string summary;  ///< one line for `lab show`
  /// `extern "C"` name or template expression such as `transpose<32>` for these parameters.
  std::function<std::string(const Params&)> kernel;
  std::vector<std::string> reads = {};  ///< the lab's parameters that this variant reads
  std::vector<Params> points = {};      ///< default points of the model
  std::vector<Params> gpu_points = {};  ///< default points on a GPU; empty: as `points`
  /// Those of `points` and `gpu_points` that teach most, in the order in which they are shown.
  /// They are what runs without --all. Where none of them is among a backend's points, all run.
  std::vector<Params> telling = {};
  std::vector<std::string> options = {};  ///< compile options, such as --ptxas-options=-O0
  /// Throws an input error where parameters do not go together.
  std::function<Launch(const Params&)> launch;
  std::function<std::vector<ArgSpec>(const Params&)> args;
  /// The call of a kernel of reference.cu that computes the expected outputs. It gets buffers as
  /// they were before the launch (outputs hold poison) and leaves them as the kernel should. Empty:
  /// no result is right or wrong.
  std::function<std::optional<ReferenceCall>(const Params&)> reference = {};
  std::vector<TheoryRow> theory = {};
  /// Numbers that formulas use beside parameters and launch, worked out from the parameters, such
  /// as what a rule counts in a list of addresses.
  std::function<FormulaNames(const Params&)> counts = {};
  Tolerance tolerance = {};
  /// How many numbers, none of them negative, each float of the outputs adds up. A kernel may do so
  /// in any order: results may then differ by what the additions round, 2 * terms * 2^-24 of them.
  std::function<std::int64_t(const Params&)> terms = {};
  std::function<std::vector<Unchecked>(const Params&)> unchecked = {};
  std::vector<ExpectedFinding> expected_findings = {};
  bool needs_gpu = false;    ///< a library variant: the model has no source to run
  bool model_only = false;   ///< broken on purpose: never runs on a GPU
  std::string library = {};  ///< what the GPU backend runs instead, such as cublas_sgeam
  bool merged = false;       ///< the machine code is declared to differ from PTX
};

/// A table of a lab's own, beside those of cases and metrics.
struct TextTable {
  std::string title;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows = {};
};

struct CaseRecord;

/// How a line of kernels.cu begins that says what a starter leaves out; no reader is shown it.
inline constexpr std::string_view kStarterMark = "//@ ";

struct Lab {
  int number = 0;  ///< of its folder; one that has a name alone gets one made of it
  std::string id;  ///< the folder without its number, such as bank_conflicts
  std::string title;
  std::string summary;
  std::string lesson = {};  ///< what a lecturer would say, in one sentence
  std::vector<ParamSpec> params = {};
  std::vector<Variant> variants = {};
  std::vector<std::string> headline = {};  ///< 2 to 5 metric keys for the table
  std::string folder = {};                 ///< its name, such as 03_bank_conflicts
  std::string path = {};                   ///< where it lies
  std::optional<Screen> screen = {};       ///< what `lab run` shows of it unless more is asked for
  std::optional<Goal> goal = {};           ///< of the starter's variant
  std::optional<Picture> picture = {};
  /// Further tables that `lab show` and `lab run` print; cases that have not run hold no
  /// observations.
  std::function<std::vector<TextTable>(const std::vector<CaseRecord>&)> tables = {};

  /// As people call it: `3`, or `warp-scan`.
  [[nodiscard]] std::string called() const { return lab::lab_called(number, id); }
};

/// The points that a run takes: all of them, or the telling ones among them.
[[nodiscard]] std::vector<Params> default_points(const Variant& variant, bool for_gpu, bool all);

/// The names that formulas of this variant's theory may use: parameters, the launch, the variant's
/// own counts, and `fetch`, the bytes that DRAM of `arch` reads at once.
[[nodiscard]] FormulaNames formula_names(const Variant& variant, const Params& params,
                                         const Launch& launch,
                                         std::string_view arch = kDefaultArch);

/// The variant called `name`; an input error with the nearest name where there is none.
[[nodiscard]] const Variant& find_variant(const Lab& lab, std::string_view name);
/// What the task forbids as a cure of this case; `lab` may be null.
[[nodiscard]] Forbidden forbidden_in(const Lab* lab, const CaseRecord& record);
[[nodiscard]] const ParamSpec& find_param(const Lab& lab, std::string_view name);
/// The parameter that is a list of addresses; null where the lab has none.
[[nodiscard]] const ParamSpec* addresses_param(const Lab& lab);

}  // namespace lab
