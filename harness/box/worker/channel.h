// Frames over a socket: how the program and its worker process talk.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace lab::worker {

/// One message: a record as CBOR (RFC 8949).
using Frame = std::vector<std::uint8_t>;

/// A descriptor that is closed when it goes.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  [[nodiscard]] int get() const { return number_; }
  [[nodiscard]] bool open() const { return number_ >= 0; }
  int release();
  void close();

 private:
  int number_ = -1;
};

using Clock = std::chrono::steady_clock;

/// The largest frame to a worker: memory for buffers that are sent whole. The program is trusted;
/// the bound is for bytes that are not a frame.
constexpr std::uint64_t kMostRequestBytes = 1ULL << 38U;
/// The largest frame from a worker, beside the buffers that it was asked for: 16 times the most
/// that a source and its headers may have (32 MiB), for PTX and machine code. A trace of 32,768
/// instructions, the largest part of any other, takes 64 MiB.
constexpr std::uint64_t kMostReplyBytes = 1ULL << 29U;

/// A frame on the wire: the four bytes "LAB2", its length (8 bytes, least significant first), then
/// the frame.
class Channel {
 public:
  enum class Status { kFrame, kTimeout, kClosed };

  Channel() = default;
  explicit Channel(Descriptor socket) : socket_(std::move(socket)) {}

  [[nodiscard]] int get() const { return socket_.get(); }
  [[nodiscard]] bool open() const { return socket_.open(); }
  void close() { socket_.close(); }

  /// False where the other side is gone. Never raises SIGPIPE.
  [[nodiscard]] bool send(const Frame& frame);
  /// Keeps the bytes that have arrived, so that a frame may take several calls. Throws an internal
  /// error where the bytes are not a frame, or announce one of more than `most` bytes.
  [[nodiscard]] Status receive(Frame& frame, Clock::time_point until,
                               std::uint64_t most = kMostRequestBytes);

 private:
  [[nodiscard]] bool take_frame(Frame& frame, std::uint64_t most);

  Descriptor socket_;
  Frame pending_;
};

}  // namespace lab::worker
