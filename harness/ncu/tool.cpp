#include "harness/ncu/tool.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "harness/core/text.h"

namespace lab::ncu {

namespace fs = std::filesystem;

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

// Folders below `parent` whose name begins with this, last name first, so newer versions first.
std::vector<fs::path> folders_in(const fs::path& parent, std::string_view beginning) {
  std::vector<fs::path> found;
  std::error_code failed;
  for (fs::directory_iterator it(parent, failed), end; !failed && it != end; it.increment(failed)) {
    if (it->path().filename().string().rfind(beginning, 0) == 0) found.push_back(it->path());
  }
  std::sort(found.rbegin(), found.rend());
  return found;
}

std::vector<fs::path> candidates(const ToolPlaces& places) {
  std::vector<fs::path> folders;
  for (const std::string_view folder : split(places.path, ':')) {
    if (!folder.empty()) folders.emplace_back(folder);
  }
  if (!places.cuda_home.empty()) folders.push_back(fs::path(places.cuda_home) / "bin");
  folders.push_back(places.local / "cuda" / "bin");
  for (const fs::path& cuda : folders_in(places.local, "cuda-")) folders.push_back(cuda / "bin");
  for (const fs::path& version : folders_in(places.nsight, "")) folders.push_back(version);
  return folders;
}

// A refusal of ncu: what its output says, and what that means.
struct Refusal {
  std::string_view text;
  Fault fault;
  std::string_view message;
  std::string_view hint;
};
constexpr Refusal kRefusals[] = {
    {"ERR_NVGPUCTRPERM", Fault::kMachine, "ncu may not read this GPU's counters (ERR_NVGPUCTRPERM)",
     "run it as root, or let every user read them: write 'options nvidia "
     "NVreg_RestrictProfilingToAdminUsers=0' into a file in /etc/modprobe.d and reboot"},
    {"LibraryNotLoaded", Fault::kMachine, "ncu could not start its profiler (LibraryNotLoaded)",
     "the counters are out of reach here, as in a container or sandbox that hides the driver's "
     "profiling interface"},
    {"resource was unavailable", Fault::kMachine, "another program holds the GPU's counters",
     "end other profilers; where DCGM watches the GPU: dcgmi profile --pause"},
    {"is not supported on this device", Fault::kMachine, "this ncu does not support the GPU",
     "a newer Nsight Compute may: developer.nvidia.com/nsight-compute"},
    {"unrecognised option", Fault::kInput, "this ncu does not know an option",
     "Nsight Compute 2022.1 or newer is needed"},
    {"Failed to find metric", Fault::kInput, "ncu does not know a metric that was asked for",
     "ncu --query-metrics lists them"},
    {"Could not find set", Fault::kInput, "ncu does not know a set that was asked for",
     "ncu --list-sets lists them"},
    {"No kernels were profiled", Fault::kMachine, "ncu saw no kernel in the cases' NVTX ranges",
     "lab run LAB --backend gpu says whether the cases run at all"},
};

// The last lines that have any text.
std::string tail(std::string_view text) {
  constexpr std::size_t kLines = 4;
  std::vector<std::string_view> lines;
  for (const std::string_view line : split(text, '\n')) {
    if (!trim(line).empty()) lines.push_back(trim(line));
  }
  std::string out;
  for (std::size_t i = lines.size() > kLines ? lines.size() - kLines : 0; i < lines.size(); ++i) {
    out += (out.empty() ? "" : "; ") + std::string(lines[i]);
  }
  return out;
}

}  // namespace

ToolPlaces usual_places() {
  ToolPlaces places;
  places.path = variable("PATH");
  places.cuda_home = variable("CUDA_HOME");
  if (places.cuda_home.empty()) places.cuda_home = variable("CUDA_PATH");
  return places;
}

ToolSearch find_tool(const std::string& name, const ToolPlaces& places) {
  ToolSearch search;
  for (const fs::path& folder : candidates(places)) {
    const fs::path program = folder / name;
    std::error_code ignored;
    if (fs::is_regular_file(program, ignored) && ::access(program.c_str(), X_OK) == 0) {
      search.found = program;
      return search;
    }
    search.looked.push_back(folder.string());
  }
  return search;
}

Error ncu_not_found(const ToolSearch& search) {
  std::string folders;
  for (const std::string& folder : search.looked) folders += (folders.empty() ? "" : ", ") + folder;
  return machine_error(
      "Nsight Compute's program ncu was not found; looked in " + folders,
      "it comes with the CUDA toolkit (package cuda-nsight-compute-13-0, or nsight-compute); lab "
      "import reads a CSV that ncu made on another machine");
}

std::vector<std::string> profile_command(const ProfileRequest& request) {
  std::vector<std::string> words = {request.ncu.string(),
                                    "--target-processes",
                                    "all",
                                    "--check-exit-code",
                                    "no",
                                    "--cache-control",
                                    request.cache_control,
                                    "--clock-control",
                                    request.clock_control,
                                    "--nvtx",
                                    "--nvtx-include",
                                    "lab@check/",
                                    "--log-file",
                                    request.log.string(),
                                    "--force-overwrite",
                                    "--export",
                                    request.report.string()};
  for (const std::string& set : request.sets) {
    words.emplace_back("--set");
    words.push_back(set);
  }
  if (!request.metrics.empty()) {
    words.emplace_back("--metrics");
    words.push_back(fmt::format("{}", fmt::join(request.metrics, ",")));
  }
  words.insert(words.end(), request.program.begin(), request.program.end());
  return words;
}

std::vector<std::string> export_command(const fs::path& ncu, const fs::path& report) {
  return {ncu.string(), "--import", report.string(), "--csv",
          "--page",     "raw",      "--print-units", "base"};
}

Error explain_failure(const Ended& ended, std::string_view log) {
  const std::string all = std::string(log) + "\n" + ended.out + "\n" + ended.err;
  for (const Refusal& refusal : kRefusals) {
    if (all.find(refusal.text) == std::string::npos) continue;
    return Error(refusal.fault, std::string(refusal.message), std::string(refusal.hint));
  }
  const std::string said = tail(all);
  return machine_error(fmt::format("ncu ended with status {} and left no report{}{}", ended.status,
                                   said.empty() ? "" : ": ", said));
}

std::string version_in(std::string_view text) {
  constexpr std::string_view kWord = "Version ";
  const std::size_t at = text.find(kWord);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + kWord.size());
  return std::string(rest.substr(0, rest.find_first_not_of("0123456789.")));
}

}  // namespace lab::ncu
