#include "harness/kernel/compile/nvcc.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/text.h"

namespace lab::compile {
namespace {

namespace fs = std::filesystem;

// A folder of this user's alone, gone when its owner is.
class Workplace {
 public:
  Workplace() {
    std::error_code failed;
    std::string name = (fs::temp_directory_path(failed) / "lab-nvcc-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~Workplace() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }  // empty: none could be made

 private:
  fs::path path_;
};

// Lines keep their numbers and the file its name, wherever the copy is.
bool write_source(const fs::path& path, const source::File& file) {
  std::ofstream out(path, std::ios::binary);
  out << "#line 1 " << json_quote(file.name) << "\n" << file.text << "\n";
  out.close();
  return out.good();
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// True where it ended well. What it says goes to `log`. It dies with this process.
bool run(const std::vector<std::string>& command, const fs::path& log) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const pid_t child = ::fork();
  if (child < 0) return false;
  if (child == 0) {
    constexpr mode_t kOwner = 0600;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kOwner);
    const int in = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::dup2(in, STDIN_FILENO);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(out, STDERR_FILENO);
    ::execv(words.front(), words.data());
    ::_exit(127);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool is_on_path(std::string_view program) {
  const char* path = std::getenv("PATH");
  for (const std::string_view folder : split(path == nullptr ? "" : path, ':')) {
    if (!folder.empty() && ::access((fs::path(folder) / program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

// `Cuda compilation tools, release 13.0, V13.0.88`
std::string version_of(const fs::path& nvcc, const fs::path& log) {
  constexpr std::string_view kRelease = "release ";
  if (!run({nvcc.string(), "--version"}, log)) return "nvcc";
  const std::string text = read_file(log);
  const std::size_t at = text.find(kRelease);
  if (at == std::string::npos) return "nvcc";
  const std::size_t from = at + kRelease.size();
  return "nvcc " + text.substr(from, text.find(',', from) - from);
}

}  // namespace

fs::path find_nvcc(const fs::path& nvrtc_library) {
  if (!is_on_path("gcc") && std::getenv("NVCC_CCBIN") == nullptr) return {};
  std::error_code failed;
  fs::path folder = fs::weakly_canonical(nvrtc_library, failed).parent_path();
  for (int up = 0; up < 4 && folder.has_relative_path(); ++up, folder = folder.parent_path()) {
    const fs::path nvcc = folder / "bin" / "nvcc";
    if (::access(nvcc.c_str(), X_OK) == 0) return nvcc;
  }
  return {};
}

std::optional<Compiled> nvcc_compile(const CompileRequest& request, const source::Program& program,
                                     const fs::path& nvcc) {
  const Workplace place;
  if (place.path().empty()) return std::nullopt;
  const auto path_of = [&](std::size_t file) {
    return place.path() / (file == 0 ? std::string("program.cu") : fmt::format("{}.h", file));
  };
  const std::vector<source::File> files =
      program.renamed([&](std::size_t file) { return path_of(file).string(); });
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!write_source(path_of(i), files[i])) return std::nullopt;
  }
  std::vector<std::string> command = {nvcc.string(),
                                      "--cubin",
                                      "-lineinfo",
                                      "-arch=" + request.arch,
                                      "--keep",
                                      "--keep-dir",
                                      place.path().string(),
                                      "-o",
                                      (place.path() / "program.cubin").string(),
                                      "--expt-relaxed-constexpr",
                                      "--extended-lambda"};
  for (const std::string& option : request.source.options) {
    if (!option.starts_with("-I")) command.push_back(option);
  }
  command.insert(command.end(), request.options.begin(), request.options.end());
  command.push_back(path_of(0).string());
  const fs::path log = place.path() / "log";
  if (!run(command, log)) return std::nullopt;
  Compiled compiled;
  compiled.ptx = read_file(place.path() / "program.ptx");
  const std::string cubin = read_file(place.path() / "program.cubin");
  compiled.cubin.assign(cubin.begin(), cubin.end());
  compiled.log = read_file(log);
  compiled.way = "compiled by " + version_of(nvcc, log);
  if (compiled.ptx.empty()) return std::nullopt;
  return compiled;
}

}  // namespace lab::compile
