#include "harness/worker/channel.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "harness/core/error.h"

namespace lab::worker {
namespace {

constexpr std::array<char, 4> kMagic = {'L', 'A', 'B', '1'};
constexpr std::size_t kHeader = 4 + 4 + 8;
// A stray write into the channel must not make us wait for gigabytes.
constexpr std::uint64_t kMostJson = 1ULL << 30;
constexpr std::uint64_t kMostBlob = 1ULL << 38;
constexpr std::size_t kChunk = 1 << 18;

void put_number(std::byte* at, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) at[i] = static_cast<std::byte>((value >> (8 * i)) & 0xff);
}

std::uint64_t get_number(const std::byte* at, int bytes) {
  std::uint64_t value = 0;
  for (int i = 0; i < bytes; ++i) value |= std::to_integer<std::uint64_t>(at[i]) << (8 * i);
  return value;
}

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
  std::array<std::byte, kHeader> header{};
  std::memcpy(header.data(), kMagic.data(), kMagic.size());
  put_number(header.data() + 4, frame.json.size(), 4);
  put_number(header.data() + 8, frame.blob.size(), 8);
  if (frame.json.size() > kMostJson) throw internal_error("a message to the worker is too long");
  return send_all(get(), header.data(), header.size()) &&
         send_all(get(), frame.json.data(), frame.json.size()) &&
         send_all(get(), frame.blob.data(), frame.blob.size());
}

bool Channel::take_frame(Frame& frame) {
  if (pending_.size() < kHeader) return false;
  const std::uint64_t json = get_number(pending_.data() + 4, 4);
  const std::uint64_t blob = get_number(pending_.data() + 8, 8);
  if (std::memcmp(pending_.data(), kMagic.data(), kMagic.size()) != 0 || json > kMostJson ||
      blob > kMostBlob) {
    throw internal_error("the worker's channel holds something that is no message");
  }
  if (pending_.size() - kHeader < json + blob) return false;
  const auto begin = pending_.begin() + kHeader;
  const auto middle = begin + static_cast<std::ptrdiff_t>(json);
  const auto end = middle + static_cast<std::ptrdiff_t>(blob);
  frame.json.assign(reinterpret_cast<const char*>(pending_.data() + kHeader), json);
  frame.blob.assign(middle, end);
  pending_.erase(pending_.begin(), end);
  return true;
}

Channel::Status Channel::receive(Frame& frame, Clock::time_point until) {
  while (!take_frame(frame)) {
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
