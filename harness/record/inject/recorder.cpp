#include "harness/record/inject/recorder.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <memory>

namespace lab::record {

namespace {

std::atomic<Recorder*> the_recorder = nullptr;
// It is a fork of the process that has begun.
std::atomic<bool> forked = false;

void forget_in_fork() { forked.store(true, std::memory_order_relaxed); }

// The words of the command line, as proc(5) has them.
std::string command_line() {
  std::string words(4096, '\0');
  const int file = ::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  const ssize_t got = file < 0 ? 0 : ::read(file, words.data(), words.size());
  if (file >= 0) ::close(file);
  words.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return words;
}

bool open_in(Writer& writer, const char* folder) {
  constexpr int kMostPrograms = 1000;  // that one process becomes by execve
  for (int program = 0; program < kMostPrograms; ++program) {
    std::string path = std::string(folder) + "/" + std::to_string(::getpid());
    if (program > 0) path += "." + std::to_string(program);
    if (writer.open(path + ".labrec")) return true;
    if (errno != EEXIST) return false;
  }
  return false;
}

}  // namespace

Time now() {
  timespec time{};
  ::clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<Time>(time.tv_sec) * 1000000000U + static_cast<Time>(time.tv_nsec);
}

std::uint32_t thread_number() {
  thread_local const auto kNumber = static_cast<std::uint32_t>(::syscall(SYS_gettid));
  return kNumber;
}

Recorder* Recorder::current() {
  return forked.load(std::memory_order_relaxed) ? nullptr
                                                : the_recorder.load(std::memory_order_acquire);
}

Recorder* Recorder::begin(const char* folder, std::uint32_t cupti) {
  // Never freed: threads may record until the process is gone.
  std::unique_ptr<Recorder> made(new Recorder);
  if (!open_in(made->writer_, folder)) return nullptr;
  Begin begin;
  begin.process = static_cast<std::uint32_t>(::getpid());
  begin.parent = static_cast<std::uint32_t>(::getppid());
  begin.cupti = cupti;
  begin.time = now();
  made->writer_.append(Kind::kBegin, begin, command_line());
  ::pthread_atfork(nullptr, nullptr, forget_in_fork);
  the_recorder.store(made.get(), std::memory_order_release);
  return made.release();
}

template <typename Write>
void Recorder::locked(const Write& write) {
  const std::lock_guard<std::mutex> guard(mutex_);
  try {
    write();
  } catch (...) {
    writer_.append(Kind::kTrouble, Trouble{Problem::kFull, ENOMEM, 0});
    writer_.close();
  }
}

TextId Recorder::text(std::string_view text) {
  if (text.empty()) return kNoText;
  if (text.size() > kMostText) text = text.substr(0, kMostText);
  if (const auto known = ids_.find(text); known != ids_.end()) return known->second;
  if (texts_.size() >= kMostTexts) {
    if (!too_many_texts_) writer_.append(Kind::kTrouble, Trouble{Problem::kTexts, 0, 0});
    too_many_texts_ = true;
    return kOtherText;
  }
  const auto id = static_cast<TextId>(kFirstText + texts_.size());
  texts_.emplace_back(text);
  ids_.emplace(texts_.back(), id);
  writer_.append(Kind::kText, Text{id}, text);
  return id;
}

void Recorder::launch(Launch record, const char* name, std::string_view range) {
  locked([&] {
    record.name = text(name == nullptr ? "" : name);
    record.range = text(range);
    if (writer_.append(Kind::kLaunch, record)) ++launches_;
  });
}

void Recorder::kernel(Kernel record, const char* name) {
  locked([&] {
    record.name = text(name == nullptr ? "" : name);
    if (writer_.append(Kind::kKernel, record)) ++kernels_;
  });
}

void Recorder::device(Device record, const char* name) {
  locked([&] {
    record.name = text(name == nullptr ? "" : name);
    writer_.append(Kind::kDevice, record);
  });
}

void Recorder::range(Range record, std::string_view path) {
  locked([&] {
    record.range = text(path);
    writer_.append(Kind::kRange, record);
  });
}

void Recorder::copy(const Copy& record) {
  locked([&] { writer_.append(Kind::kCopy, record); });
}

void Recorder::module(const Module& record) {
  locked([&] { writer_.append(Kind::kModule, record); });
}

void Recorder::counted(std::uint32_t correlation, std::string_view metrics,
                       const std::vector<double>& values) {
  locked([&] {
    const Counted record{correlation, text(metrics)};
    writer_.append(Kind::kCounted, record,
                   {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)});
  });
}

void Recorder::trouble(const Trouble& record, std::string_view text) {
  locked([&] { writer_.append(Kind::kTrouble, record, text.substr(0, kMostText)); });
}

void Recorder::end() {
  locked([&] {
    writer_.append(Kind::kEnd, End{launches_, kernels_, now()});
    writer_.close();
  });
}

}  // namespace lab::record
