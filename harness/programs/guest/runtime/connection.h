// The program's line to the process that runs its launches, and the memory that both map.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <type_traits>
#include <vector>

#include "harness/programs/wire/wire.h"

namespace lab::program {

/// One for all threads of the program. Every entry of the API takes it for as long as it works.
class Connection {
 public:
  /// Opens it where it is not open yet; ends the program where there is nobody at the other end.
  static Connection& the();

  template <typename T>
  void note(const T& record, Site site, const void* tail = nullptr, std::size_t bytes = 0) {
    static_assert(std::is_trivially_copyable_v<T>);
    send(T::kCall, site, &record, sizeof record, tail, bytes);
  }
  template <typename T>
  Answer ask(const T& record, Site site, const void* tail = nullptr, std::size_t bytes = 0) {
    note(record, site, tail, bytes);
    return receive();
  }
  /// What came with the last answer.
  [[nodiscard]] const std::vector<std::byte>& tail() const { return tail_; }

  /// Where the program may reach the bytes at a device address, for copies.
  [[nodiscard]] std::byte* host(std::uint64_t address) const {
    return alias_ + (address - kArenaBase);
  }
  [[nodiscard]] static bool in_arena(std::uint64_t address) {
    return address - kArenaBase < kArenaBytes;
  }
  [[nodiscard]] std::recursive_mutex& mutex() { return mutex_; }

 private:
  Connection();
  void send(Call call, Site site, const void* record, std::size_t record_bytes, const void* tail,
            std::size_t tail_bytes);
  Answer receive();

  std::byte* alias_ = nullptr;
  std::vector<std::byte> message_;
  std::vector<std::byte> tail_;
  std::recursive_mutex mutex_;
};

/// A sentence to the program's stderr.
void say(std::string_view text);
/// Says it and ends the program.
[[noreturn]] void give_up(std::string_view text);

}  // namespace lab::program
