#include "tools/cli/terminal/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace lab::cli {

namespace {

constexpr auto kPatience = std::chrono::seconds(1);
constexpr auto kBetween = std::chrono::milliseconds(100);

}  // namespace

std::string progress_line(const std::string& label, double fraction, long seconds,
                          const Terminal& terminal) {
  const double held = std::clamp(fraction, 0.0, 1.0);
  const std::string end = fmt::format("] {:3.0f} %  {} s", held * 100, seconds);
  const int room = terminal.width - 1 - display_width(label) - display_width(end) - 3;
  if (room < 5) return fmt::format("{:.0f} %", held * 100);
  const auto width = static_cast<std::size_t>(std::min(room, 40));
  const auto filled = static_cast<std::size_t>(held * static_cast<double>(width));
  return label + "  [" + std::string(filled, '#') + std::string(width - filled, '.') + end;
}

void Progress::clear() {
  if (visible_) std::fputs("\r\x1b[K", stderr);
  visible_ = false;
}

void Progress::show(const std::string& label, double fraction) {
  const auto now = Clock::now();
  if (!terminal_.tty || now - started_ < kPatience || now - drawn_ < kBetween) return;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - started_).count();
  std::fputs(("\r\x1b[K" + progress_line(label, fraction, seconds, terminal_)).c_str(), stderr);
  visible_ = true;
  drawn_ = now;
}

}  // namespace lab::cli
