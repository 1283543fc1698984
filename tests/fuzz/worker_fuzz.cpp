// Any bytes from a worker are a message or an internal error; a message that is sent on is the
// same.
#include <cstdint>
#include <cstdlib>

#include "harness/box/worker/messages.h"
#include "harness/core/error.h"

namespace {

template <typename Decode>
void round_trip(const lab::worker::Frame& frame, const Decode& decode) {
  try {
    const lab::worker::Frame sent = encode(decode(frame));
    if (encode(decode(sent)) != sent) std::abort();
  } catch (const lab::Error& error) {
    if (error.fault() != lab::Fault::kInternal) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const lab::worker::Frame frame(data, data + size);
  round_trip(frame, lab::worker::decode_reply);
  round_trip(frame, lab::worker::decode_request);
  return 0;
}
