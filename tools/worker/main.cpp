// The program lab-worker: runs kernels for `lab`, which starts it and talks to it over a socket.
#include <sys/socket.h>
#include <unistd.h>

#include <spdlog/cfg/env.h>
#include <spdlog/spdlog.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "harness/box/worker/server.h"
#include "harness/core/error.h"
#include "tools/worker/gpu_side.h"
#include "tools/worker/services.h"

namespace {

bool started_by_lab() {
  int type = 0;
  socklen_t size = sizeof(type);
  return ::getsockopt(STDIN_FILENO, SOL_SOCKET, SO_TYPE, &type, &size) == 0;
}

}  // namespace

int main() {
  if (!started_by_lab()) {
    std::fputs("lab-worker is started by lab, not by hand: try `lab run 3`\n", stderr);
    return 2;
  }
  lab::worker::live([] {
    // Lines go to the program's log, which adds the level. SPDLOG_LEVEL=trace logs every CUPTI and
    // driver call, each with its time.
    spdlog::cfg::load_env_levels();
    spdlog::set_pattern(spdlog::should_log(spdlog::level::trace) ? lab::worker::kTracePattern
                                                                 : "%v");
    lab::worker::Options options;
    const char* sandbox = std::getenv("LAB_SANDBOX");
    options.boxed = sandbox == nullptr || std::string_view(sandbox) != "off";
    // The compiler writes into its code where a source lies, and when that file was changed: from
    // here it finds none, so that the same text gives the same bytes.
    if (::chdir("/") != 0) throw lab::machine_error("the folder / cannot be entered");
    lab::worker::serve(lab::worker::take_channel(), lab::worker::make_services(options));
  });
}
