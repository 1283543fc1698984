#include "harness/box/worker/messages.h"

#include "harness/box/worker/wire.h"
#include "harness/core/backend_fields.h"

namespace lab {

using namespace worker;  // NOLINT: descriptions stand in lab, beside those of the records

template <>
inline constexpr auto kFieldsOf<AskHello> = described<AskHello>(field("protocol",
                                                                      &AskHello::protocol));
template <>
inline constexpr auto kFieldsOf<AskEnvironment> = described<AskEnvironment>(
    field("gpu", &AskEnvironment::gpu), field("counters", &AskEnvironment::counters));
template <>
inline constexpr auto kFieldsOf<AskChipMetrics> = described<AskChipMetrics>(
    field("chip", &AskChipMetrics::chip), field("metrics", &AskChipMetrics::metrics),
    field("list", &AskChipMetrics::list));
template <>
inline constexpr auto kFieldsOf<AskBatch> =
    described<AskBatch>(field("backend", &AskBatch::backend), field("batch", &AskBatch::batch));
template <>
inline constexpr auto kFieldsOf<AskCalibrate> = described<AskCalibrate>();
template <>
inline constexpr auto kFieldsOf<Hello> = described<Hello>(field("protocol", &Hello::protocol),
                                                          field("pid", &Hello::pid));
template <>
inline constexpr auto kFieldsOf<Environment> = described<Environment>(
    field("values", &Environment::values), field("gpu_arch", &Environment::gpu_arch));
template <>
inline constexpr auto kFieldsOf<ChipMetric> = described<ChipMetric>(
    field("name", &ChipMetric::name), field("description", &ChipMetric::description),
    field("unit", &ChipMetric::unit), field("counter", &ChipMetric::counter));
template <>
inline constexpr auto kFieldsOf<ChipMetrics> = described<ChipMetrics>(
    field("chip", &ChipMetrics::chip), field("chips", &ChipMetrics::chips),
    field("lacking", &ChipMetrics::lacking), field("passes", &ChipMetrics::passes),
    field("list", &ChipMetrics::list));
template <>
inline constexpr auto kFieldsOf<EnvironmentItem> = described<EnvironmentItem>(
    field("key", &EnvironmentItem::key), field("value", &EnvironmentItem::value));
template <>
inline constexpr auto kFieldsOf<Progress> =
    described<Progress>(field("index", &Progress::index), field("fraction", &Progress::fraction));
template <>
inline constexpr auto kFieldsOf<Done> = described<Done>();
template <>
inline constexpr auto kFieldsOf<Spent> = described<Spent>();
template <>
inline constexpr auto kFieldsOf<Failed> = described<Failed>(field("fault", &Failed::fault),
                                                            field("message", &Failed::message),
                                                            field("hint", &Failed::hint),
                                                            field("place", &Failed::place));

}  // namespace lab

namespace lab::worker {
namespace {

// Its bytes are counted first: a frame that grows while it is written is copied, and lies there
// twice.
template <typename Message>
Frame written(const Message& message) {
  CborWriter counted;
  to_wire(message, counted);
  Frame frame;
  frame.reserve(counted.size());
  CborWriter writer(frame);
  to_wire(message, writer);
  return frame;
}

template <typename Message>
Message read(const Frame& frame) {
  CborReader reader(frame);
  Message message;
  from_wire(reader, message);
  reader.end();
  return message;
}

}  // namespace

Frame encode(const Request& request) { return written(request); }
Frame encode(const Reply& reply) { return written(reply); }
Request decode_request(const Frame& frame) { return read<Request>(frame); }
Reply decode_reply(const Frame& frame) { return read<Reply>(frame); }

}  // namespace lab::worker
