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
  /// What has arrived is kept, so that a frame may take several calls. Throws an internal error
  /// where the bytes are not a frame.
  [[nodiscard]] Status receive(Frame& frame, Clock::time_point until);

 private:
  [[nodiscard]] bool take_frame(Frame& frame);

  Descriptor socket_;
  Frame pending_;
};

}  // namespace lab::worker
