#include "tools/worker/read_binary.h"

#include "harness/box/box.h"
#include "harness/box/worker/server.h"
#include "harness/programs/build/load.h"
#include "harness/programs/build/unpack.h"

namespace lab::worker {
namespace {

// For one file of 64 MiB and what its device code unpacks to.
constexpr box::Bounds kReading{std::uint64_t{2} << 30U};

}  // namespace

BinaryFacts read_binary(const BinaryQuestion& question, bool boxed) {
  static bool closed = false;
  if (boxed && !closed) {
    program::prepare_unpacking();
    unwatched([] { box::close_box({}, kReading); });
    closed = true;
  }
  return program::read_binary(question);
}

}  // namespace lab::worker
