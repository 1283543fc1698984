#include "harness/programs/serve/message.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

namespace lab::program {

std::optional<Message> next_message(int socket, const std::function<bool()>& late) {
  constexpr int kSliceMs = 100;
  pollfd wait{socket, POLLIN, 0};
  for (;;) {
    const int ready = ::poll(&wait, 1, kSliceMs);
    if (late && late()) return std::nullopt;
    if (ready <= 0) continue;
    Message message;
    message.bytes.resize(kMostMessage);
    const ssize_t got = ::recv(socket, message.bytes.data(), message.bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    if (got < static_cast<ssize_t>(sizeof message.head)) {
      throw ProtocolFault("a message that is too short");
    }
    message.bytes.resize(static_cast<std::size_t>(got));
    std::memcpy(&message.head, message.bytes.data(), sizeof message.head);
    return message;
  }
}

void send_answer(int socket, const Answer& answer, const void* tail) {
  std::vector<std::byte> all(sizeof answer + answer.tail_bytes);
  std::memcpy(all.data(), &answer, sizeof answer);
  if (answer.tail_bytes > 0) std::memcpy(all.data() + sizeof answer, tail, answer.tail_bytes);
  while (::send(socket, all.data(), all.size(), MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
}

}  // namespace lab::program
