#include "harness/programs/guest/runtime/connection.h"

#include <link.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace lab::program {
namespace {

constexpr int kGivenUp = 125;

}  // namespace

void say(std::string_view text) {
  std::string line(text);
  line += '\n';
  if (::write(STDERR_FILENO, line.data(), line.size()) < 0) return;
}

void give_up(std::string_view text) {
  say(text);
  ::_exit(kGivenUp);
}

Connection& Connection::the() {
  // Never taken apart: a program's destructors may still free memory.
  static auto* connection = new Connection;
  return *connection;
}

Connection::Connection() {
  void* visible = ::mmap(reinterpret_cast<void*>(kArenaBase), kArenaBytes, PROT_NONE,
                         MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, kArena, 0);
  void* alias =
      ::mmap(nullptr, kArenaBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, kArena, 0);
  if (visible != reinterpret_cast<void*>(kArenaBase) || alias == MAP_FAILED) {
    give_up("lab's CUDA runtime: run this program by `lab exec`");
  }
  alias_ = static_cast<std::byte*>(alias);
  // The first object is the program itself.
  std::uint64_t base = 0;
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* into) {
        *static_cast<std::uint64_t*>(into) = info->dlpi_addr;
        return 1;
      },
      &base);
  note(Hello{kWireVersion, base}, 0);
}

void Connection::send(Call call, Site site, const void* record, std::size_t record_bytes,
                      const void* tail, std::size_t tail_bytes) {
  const Head head{call, static_cast<std::uint32_t>(tail_bytes), site};
  message_.resize(sizeof head + record_bytes + tail_bytes);
  std::memcpy(message_.data(), &head, sizeof head);
  std::memcpy(message_.data() + sizeof head, record, record_bytes);
  if (tail_bytes > 0) std::memcpy(message_.data() + sizeof head + record_bytes, tail, tail_bytes);
  while (::send(kSocket, message_.data(), message_.size(), MSG_NOSIGNAL) < 0) {
    if (errno != EINTR) give_up("lab's CUDA runtime: the model is gone");
  }
}

Answer Connection::receive() {
  message_.resize(kMostMessage);
  ssize_t got = -1;
  while ((got = ::recv(kSocket, message_.data(), message_.size(), 0)) < 0 && errno == EINTR) {
  }
  Answer answer;
  if (got < static_cast<ssize_t>(sizeof answer)) give_up("lab's CUDA runtime: the model is gone");
  std::memcpy(&answer, message_.data(), sizeof answer);
  tail_.assign(message_.begin() + sizeof answer, message_.begin() + got);
  return answer;
}

}  // namespace lab::program
