#include "harness/box/worker/messages.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <utility>

#include "harness/box/worker/frame_check.h"
#include "harness/box/worker/long_bytes.h"
#include "harness/core/backend_fields.h"
#include "harness/core/text.h"

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
inline constexpr auto kFieldsOf<AskCompile> = described<AskCompile>(field("request",
                                                                          &AskCompile::request));
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
inline constexpr auto kFieldsOf<CompileDone> =
    described<CompileDone>(field("compiled", &CompileDone::compiled));
template <>
inline constexpr auto kFieldsOf<Calibrated> = described<Calibrated>(field("ceilings",
                                                                          &Calibrated::ceilings));
template <>
inline constexpr auto kFieldsOf<AskCommand> = described<AskCommand>(field("command",
                                                                          &AskCommand::command));
template <>
inline constexpr auto kFieldsOf<AskProgram> = described<AskProgram>(field("program",
                                                                          &AskProgram::program));
template <>
inline constexpr auto kFieldsOf<Ended> = described<Ended>(field("end", &Ended::end));
template <>
inline constexpr auto kFieldsOf<ProgramDone> = described<ProgramDone>(field("report",
                                                                            &ProgramDone::report));
template <>
inline constexpr auto kFieldsOf<AskLaunch> = described<AskLaunch>(field("launch",
                                                                        &AskLaunch::launch));
template <>
inline constexpr auto kFieldsOf<LaunchDone> = described<LaunchDone>(field("launched",
                                                                          &LaunchDone::launched));
template <>
inline constexpr auto kFieldsOf<EnvironmentItem> = described<EnvironmentItem>(
    field("key", &EnvironmentItem::key), field("value", &EnvironmentItem::value));
template <>
inline constexpr auto kFieldsOf<Finished> = described<Finished>(field("outcome",
                                                                      &Finished::outcome));
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

using Json = nlohmann::json;

template <typename T>
concept Plain = std::is_arithmetic_v<T> || std::same_as<T, std::string>;
template <typename T>
concept Bytes =
    std::same_as<T, std::vector<std::byte>> || std::same_as<T, std::vector<std::uint8_t>>;

// A number of another kind, or beyond what T holds, is not rounded to one that was not sent.
template <typename T>
T whole(const Json& json) {
  const bool fits = json.is_number_unsigned()
                        ? std::in_range<T>(json.get<std::uint64_t>())
                        : json.is_number_integer() && std::in_range<T>(json.get<std::int64_t>());
  if (!fits) throw internal_error("a worker's message has another number than belongs there");
  return json.get<T>();
}

// Overloads of to_wire and from_wire, one for each shape of a member. Declared before any is
// defined, since they call each other.
template <Plain T>
Json to_wire(const T& value);
template <typename T>
requires std::is_enum_v<T> Json to_wire(T value);
template <Bytes T>
Json to_wire(const T& bytes);
template <Described T>
Json to_wire(const T& record);
template <typename T>
Json to_wire(const std::optional<T>& value);
template <typename T>
requires(!Bytes<std::vector<T>>) Json to_wire(const std::vector<T>& values);
template <typename T, std::size_t N>
Json to_wire(const std::array<T, N>& values);
template <typename A, typename B>
Json to_wire(const std::pair<A, B>& value);
template <typename Key, typename T, typename Less>
Json to_wire(const std::map<Key, T, Less>& values);
template <typename... T>
Json to_wire(const std::variant<T...>& value);
Json to_wire(const Params& params);
Json to_wire(const SharedBytes& bytes);

template <Plain T>
void from_wire(const Json& json, T& value);
template <typename T>
requires std::is_enum_v<T>
void from_wire(const Json& json, T& value);
template <Bytes T>
void from_wire(const Json& json, T& bytes);
template <Described T>
void from_wire(const Json& json, T& record);
template <typename T>
void from_wire(const Json& json, std::optional<T>& value);
template <typename T>
requires(!Bytes<std::vector<T>>) void from_wire(const Json& json, std::vector<T>& values);
template <typename T, std::size_t N>
void from_wire(const Json& json, std::array<T, N>& values);
template <typename A, typename B>
void from_wire(const Json& json, std::pair<A, B>& value);
template <typename Key, typename T, typename Less>
void from_wire(const Json& json, std::map<Key, T, Less>& values);
template <typename... T>
void from_wire(const Json& json, std::variant<T...>& value);
void from_wire(const Json& json, Params& params);
void from_wire(const Json& json, SharedBytes& bytes);

template <Plain T>
Json to_wire(const T& value) {
  return value;
}
template <Plain T>
void from_wire(const Json& json, T& value) {
  if constexpr (std::integral<T> && !std::same_as<T, bool>) {
    value = whole<T>(json);
  } else {
    json.get_to(value);
  }
}

template <typename T>
requires std::is_enum_v<T> Json to_wire(T value) { return static_cast<int>(value); }
template <typename T>
requires std::is_enum_v<T>
void from_wire(const Json& json, T& value) {
  value = static_cast<T>(whole<std::underlying_type_t<T>>(json));
  if constexpr (Worded<T>) {
    if (static_cast<std::size_t>(value) >= kWordsOf<T>.size()) {
      throw internal_error("a worker's message has a value that its type lacks");
    }
  }
}

template <Bytes T>
Json to_wire(const T& bytes) {
  const auto* begin = reinterpret_cast<const std::uint8_t*>(bytes.data());
  return Json::binary({begin, begin + bytes.size()});
}
template <Bytes T>
void from_wire(const Json& json, T& bytes) {
  const Json::binary_t& from = json.get_binary();
  bytes.resize(from.size());
  if (!from.empty()) std::memcpy(bytes.data(), from.data(), from.size());
}

Json to_wire(const SharedBytes& bytes) {
  const auto* begin = reinterpret_cast<const std::uint8_t*>(bytes.data());
  return Json::binary({begin, begin + bytes.size()});
}
void from_wire(const Json& json, SharedBytes& bytes) {
  std::vector<std::byte> read;
  from_wire(json, read);
  bytes = std::move(read);
}

template <Described T>
Json to_wire(const T& record) {
  Json object = Json::object();
  visit_fields(record, [&](const auto& field, const auto& member) {
    object[std::string(field.name)] = to_wire(member);
  });
  return object;
}
template <Described T>
void from_wire(const Json& json, T& record) {
  visit_fields(record, [&](const auto& field, auto& member) {
    from_wire(json.at(std::string(field.name)), member);
  });
}

template <typename T>
Json to_wire(const std::optional<T>& value) {
  return value ? to_wire(*value) : Json(nullptr);
}
template <typename T>
void from_wire(const Json& json, std::optional<T>& value) {
  value.reset();
  if (!json.is_null()) from_wire(json, value.emplace());
}

template <typename T>
requires(!Bytes<std::vector<T>>) Json to_wire(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(to_wire(value));
  return list;
}
template <typename T>
requires(!Bytes<std::vector<T>>) void from_wire(const Json& json, std::vector<T>& values) {
  values.clear();
  for (const Json& item : json) from_wire(item, values.emplace_back());
}

template <typename T, std::size_t N>
Json to_wire(const std::array<T, N>& values) {
  return values;
}
template <typename T, std::size_t N>
void from_wire(const Json& json, std::array<T, N>& values) {
  for (std::size_t i = 0; i < N; ++i) from_wire(json.at(i), values[i]);
}

template <typename A, typename B>
Json to_wire(const std::pair<A, B>& value) {
  return Json::array({to_wire(value.first), to_wire(value.second)});
}
template <typename A, typename B>
void from_wire(const Json& json, std::pair<A, B>& value) {
  from_wire(json.at(0), value.first);
  from_wire(json.at(1), value.second);
}

template <typename Key, typename T, typename Less>
Json to_wire(const std::map<Key, T, Less>& values) {
  Json list = Json::array();
  for (const auto& [key, value] : values) {
    list.push_back(Json::array({to_wire(key), to_wire(value)}));
  }
  return list;
}
template <typename Key, typename T, typename Less>
void from_wire(const Json& json, std::map<Key, T, Less>& values) {
  values.clear();
  for (const Json& item : json) {
    Key key{};
    from_wire(item.at(0), key);
    from_wire(item.at(1), values[key]);
  }
}

// [which, value]
template <typename... T>
Json to_wire(const std::variant<T...>& value) {
  return Json::array(
      {value.index(), std::visit([](const auto& held) { return to_wire(held); }, value)});
}

template <typename Variant, std::size_t I = 0>
Variant make_at(std::size_t index) {
  if constexpr (I + 1 < std::variant_size_v<Variant>) {
    if (index != I) return make_at<Variant, I + 1>(index);
  }
  return Variant(std::in_place_index<I>);
}
template <typename... T>
void from_wire(const Json& json, std::variant<T...>& value) {
  const auto index = whole<std::size_t>(json.at(0));
  if (index >= sizeof...(T)) throw internal_error("a worker's message of no known kind");
  value = make_at<std::variant<T...>>(index);
  std::visit([&](auto& held) { from_wire(json.at(1), held); }, value);
}

Json to_wire(const Params& params) { return to_wire(params.all()); }
void from_wire(const Json& json, Params& params) {
  params = {};
  std::map<std::string, ParamValue> values;
  from_wire(json, values);
  for (auto& [name, value] : values) params.set(name, std::move(value));
}

std::size_t bytes_in(const Json& json) {
  if (json.is_binary()) return json.get_binary().size();
  std::size_t bytes = 0;
  if (json.is_structured()) {
    for (const Json& part : json) bytes += bytes_in(part);
  }
  return bytes;
}

// A frame that grows while it is written is copied, and lies there twice.
Frame write_frame(const Json& json) {
  constexpr std::size_t kRest = 65536;
  const std::size_t bytes = bytes_in(json);
  Frame frame;
  if (bytes > 0) frame.reserve(bytes + kRest);
  Json::to_cbor(json, frame);
  return frame;
}

// nlohmann's reader takes a byte string byte by byte: long ones are cut out before, and put in
// here, in the order in which they came.
void put_back(Json& json, const std::vector<std::span<const std::uint8_t>>& cut,
              std::size_t& next) {
  if (json.is_binary() && json.get_binary().empty()) {
    const auto bytes = next < cut.size() ? cut[next++] : std::span<const std::uint8_t>();
    json.get_binary().assign(bytes.begin(), bytes.end());
  } else if (json.is_structured()) {
    for (Json& part : json) put_back(part, cut, next);
  }
}

Json read_frame(const Frame& frame) {
  const LongBytes cut = without_long_bytes(frame);
  Json json = Json::from_cbor(cut.frame);
  std::size_t next = 0;
  put_back(json, cut.strings, next);
  return json;
}

template <typename Variant>
Variant decode_as(const Frame& frame) {
  try {
    check_frame(frame);
    const Json json = read_frame(frame);
    Variant message;
    from_wire(json, message);
    return message;
  } catch (const Json::exception& error) {
    throw internal_error(fmt::format("a worker's message cannot be read: {}", error.what()));
  }
}

}  // namespace

Frame encode(const Request& request) { return write_frame(to_wire(request)); }
Frame encode(const Reply& reply) { return write_frame(to_wire(reply)); }
Request decode_request(const Frame& frame) { return decode_as<Request>(frame); }
Reply decode_reply(const Frame& frame) { return decode_as<Reply>(frame); }

}  // namespace lab::worker
