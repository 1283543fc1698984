#include "harness/worker/messages.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "harness/worker/fields.h"

namespace lab::worker {
namespace {

using Json = nlohmann::json;

// What each message is called on the wire, in the order of the variants.
constexpr std::array<std::string_view, 6> kRequests = {"hello",   "environment", "chip_metrics",
                                                       "compile", "batch",       "calibrate"};
constexpr std::array<std::string_view, 11> kReplies = {
    "hello",    "environment", "chip_metrics", "compiled", "environment_item", "finished",
    "progress", "done",        "failed",       "spent",    "calibrated"};
static_assert(kRequests.size() == std::variant_size_v<Request>);
static_assert(kReplies.size() == std::variant_size_v<Reply>);

// JSON has no infinities and no NaN.
Json number_json(double value) {
  if (std::isfinite(value)) return value;
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

double number_of(const Json& json) {
  if (json.is_number()) return json.get<double>();
  const auto& text = json.get_ref<const std::string&>();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  return text == "inf" ? infinity : -infinity;
}

class Writer {
 public:
  Writer(Json& node, std::vector<std::byte>& blob) : node_(node), blob_(blob) {}

  template <typename T>
  void operator()(const char* name, const T& value) {
    node_[name] = json(value);
  }

  template <typename Bytes>
  void bytes(const char* name, const Bytes& value) {
    node_[name] = place(value);
  }

 private:
  // Where in the blob: [first, size].
  template <typename Bytes>
  Json place(const Bytes& value) {
    const std::size_t first = blob_.size();
    const auto* begin = reinterpret_cast<const std::byte*>(value.data());
    blob_.insert(blob_.end(), begin, begin + value.size());
    return Json::array({first, value.size()});
  }

  template <typename T>
  requires std::integral<T> || std::same_as<T, std::string> Json json(const T& value) {
    return value;
  }
  Json json(const double& value) { return number_json(value); }
  template <typename T>
  requires std::is_enum_v<T> Json json(const T& value) { return static_cast<int>(value); }
  template <typename T>
  Json json(const std::optional<T>& value) {
    return value ? json(*value) : Json(nullptr);
  }
  template <typename T>
  Json json(const std::vector<T>& values) {
    Json list = Json::array();
    for (const T& value : values) list.push_back(json(value));
    return list;
  }
  template <typename T, std::size_t N>
  Json json(const std::array<T, N>& values) {
    return Json(values);
  }
  template <typename A, typename B>
  Json json(const std::pair<A, B>& value) {
    return Json::array({value.first, value.second});
  }
  Json json(const std::map<std::string, std::string>& values) { return values; }
  Json json(const std::map<int, std::vector<std::byte>>& values) {
    Json list = Json::array();
    for (const auto& [index, contents] : values) {
      list.push_back(Json::array({index, place(contents)}));
    }
    return list;
  }
  Json json(const Params& params) {
    Json object = Json::object();
    for (const auto& [name, value] : params.all()) {
      const auto* number = std::get_if<std::int64_t>(&value);
      object[name] = number != nullptr ? Json(*number) : Json(std::get<std::string>(value));
    }
    return object;
  }
  Json json(const std::variant<double, Missing>& value) {
    const auto* number = std::get_if<double>(&value);
    if (number != nullptr) return number_json(*number);
    return record(std::get<Missing>(value));
  }
  Json json(const ArgSpec& spec) {
    return std::visit([&](const auto& value) { return record(value); }, spec);
  }
  template <typename T>
  requires requires(Writer& writer, const T& value) { fields(writer, value); }
  Json json(const T& value) { return record(value); }
  template <typename T>
  Json record(const T& value) {
    Json object = Json::object();
    Writer inner(object, blob_);
    fields(inner, value);
    return object;
  }

  Json& node_;
  std::vector<std::byte>& blob_;
};

class Reader {
 public:
  Reader(const Json& node, const std::vector<std::byte>& blob) : node_(node), blob_(blob) {}

  template <typename T>
  void operator()(const char* name, T& value) {
    read(node_.at(name), value);
  }

  template <typename Bytes>
  void bytes(const char* name, Bytes& value) {
    take(node_.at(name), value);
  }

 private:
  template <typename Bytes>
  void take(const Json& place, Bytes& value) {
    const auto first = place.at(0).get<std::size_t>();
    const auto size = place.at(1).get<std::size_t>();
    if (first > blob_.size() || size > blob_.size() - first) {
      throw internal_error("a worker's message points outside of its bytes");
    }
    value.resize(size);
    if (size > 0) std::memcpy(value.data(), blob_.data() + first, size);
  }

  template <typename T>
  requires std::integral<T> || std::same_as<T, std::string>
  void read(const Json& json, T& value) { value = json.get<T>(); }
  void read(const Json& json, double& value) { value = number_of(json); }
  template <typename T>
  requires std::is_enum_v<T>
  void read(const Json& json, T& value) { value = static_cast<T>(json.get<int>()); }
  template <typename T>
  void read(const Json& json, std::optional<T>& value) {
    value.reset();
    if (!json.is_null()) read(json, value.emplace());
  }
  template <typename T>
  void read(const Json& json, std::vector<T>& values) {
    values.clear();
    for (const Json& item : json) read(item, values.emplace_back());
  }
  template <typename T, std::size_t N>
  void read(const Json& json, std::array<T, N>& values) {
    values = json.get<std::array<T, N>>();
  }
  template <typename A, typename B>
  void read(const Json& json, std::pair<A, B>& value) {
    read(json.at(0), value.first);
    read(json.at(1), value.second);
  }
  void read(const Json& json, std::map<std::string, std::string>& values) {
    values = json.get<std::map<std::string, std::string>>();
  }
  void read(const Json& json, std::map<int, std::vector<std::byte>>& values) {
    values.clear();
    for (const Json& item : json) take(item.at(1), values[item.at(0).get<int>()]);
  }
  void read(const Json& json, Params& params) {
    params = {};
    for (const auto& [name, value] : json.items()) {
      if (value.is_string()) {
        params.set(name, value.get<std::string>());
      } else {
        params.set(name, value.get<std::int64_t>());
      }
    }
  }
  void read(const Json& json, std::variant<double, Missing>& value) {
    if (json.is_object()) {
      record(json, value.emplace<Missing>());
    } else {
      value = number_of(json);
    }
  }
  void read(const Json& json, ArgSpec& spec) {
    if (json.contains("bits")) {
      record(json, spec.emplace<ScalarSpec>());
    } else {
      record(json, spec.emplace<BufferSpec>());
    }
  }
  template <typename T>
  requires requires(Reader& reader, T& value) { fields(reader, value); }
  void read(const Json& json, T& value) { record(json, value); }
  template <typename T>
  void record(const Json& json, T& value) {
    Reader inner(json, blob_);
    fields(inner, value);
  }

  const Json& node_;
  const std::vector<std::byte>& blob_;
};

template <typename Variant, std::size_t N>
Frame encode_as(const Variant& message, const std::array<std::string_view, N>& names) {
  Frame frame;
  Json json = Json::object();
  json["kind"] = names[message.index()];
  Writer writer(json, frame.blob);
  std::visit([&](const auto& record) { fields(writer, record); }, message);
  // Names that are no UTF-8 must not end the run: the bytes at fault are shown as U+FFFD.
  frame.json = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  return frame;
}

template <typename Variant, std::size_t I = 0>
Variant make_at(std::size_t index) {
  if constexpr (I + 1 < std::variant_size_v<Variant>) {
    if (index != I) return make_at<Variant, I + 1>(index);
  }
  return Variant(std::in_place_index<I>);
}

template <typename Variant, std::size_t N>
Variant decode_as(const Frame& frame, const std::array<std::string_view, N>& names) {
  try {
    const Json json = Json::parse(frame.json);
    const std::string name = json.at("kind");
    for (std::size_t i = 0; i < N; ++i) {
      if (names[i] != name) continue;
      Variant message = make_at<Variant>(i);
      Reader reader(json, frame.blob);
      std::visit([&](auto& record) { fields(reader, record); }, message);
      return message;
    }
    throw internal_error(fmt::format("a worker's message of no known kind: '{}'", name));
  } catch (const Json::exception& error) {
    throw internal_error(fmt::format("a worker's message cannot be read: {}", error.what()));
  }
}

}  // namespace

Frame encode(const Request& request) { return encode_as(request, kRequests); }
Frame encode(const Reply& reply) { return encode_as(reply, kReplies); }
Request decode_request(const Frame& frame) { return decode_as<Request>(frame, kRequests); }
Reply decode_reply(const Frame& frame) { return decode_as<Reply>(frame, kReplies); }

}  // namespace lab::worker
