// A message of a program's runtime library, as it came over the socket.
#pragma once

#include <cstddef>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/programs/wire/wire.h"

namespace lab::program {

/// The program says what no runtime library says: it speaks to this process itself. That is a
/// mistake of the program's, whatever else it did.
class ProtocolFault : public Error {
 public:
  explicit ProtocolFault(const std::string& message) : Error(Fault::kInput, message) {}
};

struct Message {
  Head head;
  std::vector<std::byte> bytes;

  /// The call's own record. Throws a ProtocolFault where the message is too short for it.
  template <typename T>
  [[nodiscard]] T as() const {
    T record;
    if (bytes.size() < sizeof head + sizeof record)
      throw ProtocolFault("a message that is too short");
    std::memcpy(&record, bytes.data() + sizeof head, sizeof record);
    return record;
  }
  template <typename T>
  [[nodiscard]] std::span<const std::byte> tail() const {
    const std::size_t from = sizeof head + sizeof(T);
    if (bytes.size() < from) throw ProtocolFault("a message that is too short");
    return std::span(bytes).subspan(from);
  }
  [[nodiscard]] std::string body() const {
    return {reinterpret_cast<const char*>(bytes.data()) + sizeof head, bytes.size() - sizeof head};
  }
  template <typename T>
  [[nodiscard]] std::string text() const {
    const auto all = tail<T>();
    return {reinterpret_cast<const char*>(all.data()), all.size()};
  }
};

/// Waits for the next one. Empty: the program has closed its side, or `late` says that it has had
/// its time.
[[nodiscard]] std::optional<Message> next_message(int socket, const std::function<bool()>& late);

/// Sends an answer with its tail.
void send_answer(int socket, const Answer& answer, const void* tail);

}  // namespace lab::program
