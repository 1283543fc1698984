#include "harness/box/worker/channel.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "harness/core/error.h"

namespace lab::worker {
namespace {

constexpr std::array<std::uint8_t, 4> kMagic = {'L', 'A', 'B', '2'};
constexpr std::size_t kHeader = kMagic.size() + sizeof(std::uint64_t);
constexpr std::size_t kChunk = 1 << 18;
// Room for a frame is made at once up to here, as it comes beyond: its size is only said.
constexpr std::uint64_t kMostAtOnce = 1ULL << 28;

// x86-64 and aarch64 are little-endian: a length's bytes are in the order of the wire.
static_assert(std::endian::native == std::endian::little);

bool send_all(int socket, const void* data, std::size_t size) {
  const auto* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t sent = ::send(socket, at, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

int milliseconds_until(Clock::time_point until) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000'000));
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    close();
    number_ = other.release();
  }
  return *this;
}

int Descriptor::release() { return std::exchange(number_, -1); }

void Descriptor::close() {
  if (number_ >= 0) ::close(std::exchange(number_, -1));
}

bool Channel::send(const Frame& frame) {
  std::array<std::uint8_t, kHeader> header{};
  const std::uint64_t size = frame.size();
  std::memcpy(header.data(), kMagic.data(), kMagic.size());
  std::memcpy(header.data() + kMagic.size(), &size, sizeof size);
  return send_all(get(), header.data(), header.size()) &&
         send_all(get(), frame.data(), frame.size());
}

bool Channel::take_frame(Frame& frame, std::uint64_t most) {
  if (pending_.size() < kHeader) return false;
  std::uint64_t size = 0;
  std::memcpy(&size, pending_.data() + kMagic.size(), sizeof size);
  if (!std::equal(kMagic.begin(), kMagic.end(), pending_.begin())) {
    throw internal_error("the worker's channel holds something that is not a message");
  }
  if (size > most) {
    throw internal_error(
        fmt::format("a worker's message of {} bytes, where {} are the most", size, most));
  }
  if (pending_.size() - kHeader < size) {
    pending_.reserve(kHeader + static_cast<std::size_t>(std::min(size, kMostAtOnce)) + kChunk);
    return false;
  }
  // The bytes behind it are the next one's, and few of those have come.
  const auto end = pending_.begin() + static_cast<std::ptrdiff_t>(kHeader + size);
  Frame rest(end, pending_.end());
  pending_.erase(end, pending_.end());
  pending_.erase(pending_.begin(), pending_.begin() + kHeader);
  frame = std::exchange(pending_, std::move(rest));
  return true;
}

Channel::Status Channel::receive(Frame& frame, Clock::time_point until, std::uint64_t most) {
  while (!take_frame(frame, most)) {
    pollfd wait{get(), POLLIN, 0};
    const int ready = ::poll(&wait, 1, milliseconds_until(until));
    if (ready < 0 && errno != EINTR) return Status::kClosed;
    if (ready <= 0) {
      if (Clock::now() >= until) return Status::kTimeout;
      continue;
    }
    const std::size_t had = pending_.size();
    pending_.resize(had + kChunk);
    const ssize_t got = ::recv(get(), pending_.data() + had, kChunk, 0);
    pending_.resize(had + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) return Status::kClosed;
  }
  return Status::kFrame;
}

}  // namespace lab::worker
