#include "harness/core/error.h"
#include "tools/worker/read_binary.h"
#include "tools/worker/serve_program.h"

namespace lab::worker {
namespace {

constexpr const char* kNoPrograms = "a first build of lab runs no programs";
constexpr const char* kBuildsThem = "tools/lab exec builds the rest";

}  // namespace

BinaryFacts read_binary(const BinaryQuestion&, bool) {
  throw machine_error(kNoPrograms, kBuildsThem);
}

ProgramReport run_program(const ProgramRequest&, const BatchSink&, const Compiler&, bool) {
  throw machine_error(kNoPrograms, kBuildsThem);
}

}  // namespace lab::worker
