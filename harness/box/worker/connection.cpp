#include "harness/box/worker/connection.h"

#include <fmt/format.h>

#include <cstdlib>

#include "harness/box/worker/server.h"
#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/kernel/toolkit/toolkit.h"

namespace lab::worker {
namespace {

namespace fs = std::filesystem;

// A worker with CUDA's libraries answers within milliseconds once they are loaded; a cold disk or
// a busy machine takes longer.
constexpr auto kGreeting = std::chrono::seconds(60);
// How often printed text is fetched while waiting.
constexpr auto kSlice = std::chrono::milliseconds(100);
constexpr auto kBetweenLooks = std::chrono::seconds(1);
// A worker whose socket is closed ends by itself; what it ends with is worth waiting for.
constexpr auto kGrace = std::chrono::seconds(2);
// Of a line that never ends, the beginning is enough.
constexpr std::size_t kMostLine = 1 << 16;
constexpr std::string_view kLoader = "error while loading shared libraries";

fs::path program_of(const ClientSettings& settings) {
  fs::path program = settings.program.empty() ? default_worker() : settings.program;
  std::error_code ignored;
  if (fs::exists(program, ignored)) return program;
  throw machine_error(
      fmt::format("the program lab-worker, which runs kernels, is missing: {}", program.string()),
      "build it: ninja -C build/release lab-worker; lists, queries and reports work without it");
}

// CUPTI finds its helper libraries by the loader's search path alone, which must be set before the
// worker starts.
std::vector<std::string> environment_of(const ClientSettings& settings) {
  std::vector<std::string> environment = settings.environment;
  // The worker leaves the current folder.
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* value = std::getenv(name);
    std::error_code failed;
    if (value == nullptr || *value == '\0' || fs::path(value).is_absolute()) continue;
    environment.push_back(fmt::format("{}={}", name, fs::absolute(value, failed).string()));
  }
  const toolkit::ToolkitSearch search = toolkit::find_toolkit();
  if (!search.found) return environment;
  std::string path;
  for (const fs::path& folder : search.found->libraries)
    path += fs::absolute(folder).string() + ":";
  const char* before = std::getenv("LD_LIBRARY_PATH");
  if (before != nullptr && *before != '\0') {
    path += before;
  } else {
    path.pop_back();
  }
  environment.push_back("LD_LIBRARY_PATH=" + path);
  return environment;
}

}  // namespace

Client::Connection::Connection(const ClientSettings& settings)
    : settings_(settings), process_(program_of(settings), environment_of(settings)) {
  // Where this fails the worker is gone, and await_hello says why.
  closed_ = !send(AskHello{});
}

void Client::Connection::await_hello() {
  if (greeted_) return;
  const auto reply = receive(Clock::now() + kGreeting);
  if (reply && std::holds_alternative<Hello>(*reply)) {
    const int protocol = std::get<Hello>(*reply).protocol;
    if (protocol != kProtocol) {
      throw machine_error(
          fmt::format("lab-worker speaks version {} of the protocol, lab version {}", protocol,
                      kProtocol),
          "both programs must be of the same build");
    }
    greeted_ = true;
    return;
  }
  const bool late = !closed_;
  if (late) kill();
  const std::string end = obituary();
  if (late) {
    throw machine_error(
        fmt::format("lab-worker does not start: no answer within {} s", kGreeting.count()),
        "the machine is too busy, or the process was stopped");
  }
  if (printed_.find(kLoader) == std::string::npos) {
    const std::string text = fmt::format("lab-worker does not start: it {}", end);
    throw ended_by_machine() ? machine_error(text) : internal_error(text);
  }
  throw machine_error(
      fmt::format("lab-worker does not start: {}", trim(printed_)),
      "lab doctor says what this machine has; tools/setup installs what is missing");
}

std::optional<Reply> Client::Connection::receive(Clock::time_point until, std::uint64_t dumps) {
  Frame frame;
  while (!closed_) {
    const auto slice = std::min(until, Clock::now() + kSlice);
    const bool ended = process_.has_ended();
    try {
      const auto status = process_.channel().receive(frame, slice, kMostReplyBytes + dumps);
      drain();
      if (status == Channel::Status::kFrame) return decode_reply(frame);
      closed_ = status == Channel::Status::kClosed || ended;
    } catch (const Error& error) {
      // It runs others' kernels: what has taken it over may send anything.
      garbled_ = error.what();
      kill();
      closed_ = true;
    }
    if (Clock::now() >= until) break;
  }
  return std::nullopt;
}

bool Client::Connection::ended_by_machine() const {
  if (!garbled_.empty()) return false;
  const bool said_so =
      !ending_.signalled && (ending_.number == kExitMemory || ending_.number == kExitMachine);
  return said_so || came_from_outside(ending_);
}

std::chrono::seconds Client::Connection::idle() {
  const Clock::time_point now = Clock::now();
  if (now - looked_ >= kBetweenLooks) {
    looked_ = now;
    const double cpu = process_.cpu_seconds();
    if (cpu > cpu_) advanced_ = now;
    cpu_ = cpu;
  }
  return std::chrono::duration_cast<std::chrono::seconds>(now - advanced_);
}

std::string Client::Connection::obituary() {
  ending_ = process_.wait(kGrace);
  const Ending& ending = ending_;
  drain();
  if (!garbled_.empty()) return fmt::format("was ended for what it sent: {}", garbled_);
  if (!ending.signalled && ending.number == kExitMemory) return "ran out of memory";
  std::string text = describe(ending);
  if (!last_line_.empty()) text += fmt::format("; its last words: {}", last_line_);
  return text;
}

void Client::Connection::drain() {
  const std::string text = process_.errors();
  if (!greeted_ && printed_.size() < kMostLine) printed_ += text;
  for (const char c : text) {
    if (c != '\n') {
      if (line_.size() < kMostLine) line_ += c;
      continue;
    }
    if (settings_.log) settings_.log(line_);
    if (!trim(line_).empty()) last_line_ = trim(line_);
    line_.clear();
  }
}

}  // namespace lab::worker
