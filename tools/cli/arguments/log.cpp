#include "tools/cli/arguments/log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/unicode.h"

namespace lab::cli {

namespace {

// A line of the log may be a student's text.
class SafeMessage : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&,
              spdlog::memory_buf_t& out) override {
    const std::string text = safe_text({message.payload.data(), message.payload.size()});
    out.append(text.data(), text.data() + text.size());
  }
  [[nodiscard]] std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<SafeMessage>();
  }
};

std::shared_ptr<spdlog::sinks::sink> sink_of(const Arguments& arguments) {
  const auto file = arguments.value("log");
  if (!file) return std::make_shared<spdlog::sinks::stderr_sink_mt>();
  std::vector<std::string> inputs = files_read(arguments);
  inputs.erase(std::find(inputs.begin(), inputs.end(), *file));  // the log itself, once
  require_output(*file, inputs);
  try {
    return std::make_shared<spdlog::sinks::basic_file_sink_mt>(*file);
  } catch (const spdlog::spdlog_ex&) {
    throw machine_error("cannot write the log file '" + *file + "'",
                        "name a file in a folder that exists and that you may write to");
  }
}

}  // namespace

void start_log(const Arguments& arguments) {
  const auto file = arguments.value("log");
  auto logger = std::make_shared<spdlog::logger>("lab", sink_of(arguments));
  const std::size_t verbosity = arguments.values("v").size() + (file ? 1 : 0);
  logger->set_level(verbosity == 0   ? spdlog::level::warn
                    : verbosity == 1 ? spdlog::level::info
                                     : spdlog::level::debug);
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<SafeMessage>('*').set_pattern(file ? "%Y-%m-%d %H:%M:%S.%e %l %*"
                                                         : "lab: %l: %*");
  logger->set_formatter(std::move(formatter));
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace lab::cli
