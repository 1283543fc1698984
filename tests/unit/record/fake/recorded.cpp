// A program that is recorded in tests: its words say what it does, in their order. It calls the
// driver of fake_cuda.cpp.
#include <cuda.h>
#include <nvtx3/nvToolsExt.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

// Their names as a compiler makes them: scale(float*, int), and sum<32>(float*).
char kScale[] = "_Z5scalePfi";
char kSum[] = "_Z3sumILi32EEvPf";

CUresult launch(char* kernel, unsigned grid, unsigned block, unsigned shared = 0) {
  return cuLaunchKernel(reinterpret_cast<CUfunction>(kernel), grid, 1, 1, block, 1, 1, shared,
                        nullptr, nullptr, nullptr);
}

void launch_each_way() {
  launch(kScale, 4, 256);
  CUlaunchConfig config{};
  config.gridDimX = 8;
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.blockDimX = 128;
  config.sharedMemBytes = 2048;
  cuLaunchKernelEx(&config, reinterpret_cast<CUfunction>(kSum), nullptr, nullptr);
  cuLaunchCooperativeKernel(reinterpret_cast<CUfunction>(kScale), 4, 1, 1, 256, 1, 1, 0, nullptr,
                            nullptr);
}

void launch_graph() {
  CUgraph graph = nullptr;
  cuStreamBeginCapture(nullptr, CU_STREAM_CAPTURE_MODE_GLOBAL);
  launch(kScale, 2, 64);
  launch(kSum, 3, 64);
  cuStreamEndCapture(nullptr, &graph);
  for (int i = 0; i < 3; ++i) cuGraphLaunch(reinterpret_cast<CUgraphExec>(graph), nullptr);
}

void launch_in_threads() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int k = 0; k < 50; ++k) launch(kScale, 1, 32);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

void launch_in_ranges() {
  nvtxRangePushA("step");
  launch(kScale, 1, 32);
  nvtxRangePushW(L"forw\u00e4rd");
  launch(kScale, 1, 32);
  launch(kScale, 1, 32);
  nvtxRangePop();
  nvtxRangePop();
  launch(kScale, 1, 32);
}

void in_child(const std::string& how, char** words) {
  const pid_t child = fork();
  if (child == 0) {
    if (how == "fork") {  // a child of a program that has used CUDA may not
      launch(kScale, 1, 32);
      std::exit(0);
    }
    ::execl(words[0], words[0], "each", nullptr);
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (status != 0) std::exit(9);
}

volatile std::sig_atomic_t interrupts = 0;
volatile std::sig_atomic_t done = 0;

void count_interrupts() {
  std::signal(SIGINT, [](int) { interrupts = interrupts + 1; });
  std::signal(SIGUSR1, [](int) { done = 1; });
  std::puts("waiting");
  std::fflush(stdout);
  while (done == 0) ::usleep(10000);
  std::printf("interrupts %d\n", static_cast<int>(interrupts));
}

void act(const std::string& word, char** words) {
  char bytes[64];
  if (word == "each") launch_each_way();
  if (word == "graph") launch_graph();
  if (word == "threads") launch_in_threads();
  if (word == "ranges") launch_in_ranges();
  if (word == "fails") launch(kScale, 1, 2048);
  if (word == "module") {
    CUmodule module = nullptr;
    cuModuleLoadData(&module, "image");
  }
  if (word == "copy") cuMemcpyDtoH(bytes, 0, sizeof bytes);
  if (word == "wait") cuCtxSynchronize();
  if (word == "fork" || word == "child") in_child(word, words);
  if (word.rfind("many=", 0) == 0) {
    for (int i = std::atoi(word.c_str() + 5); i > 0; --i) launch(kScale, 1, 32);
  }
  if (word == "print") std::puts("printed");
  if (word == "read") std::printf("read %d\n", std::getchar());
  if (word == "files") {  // the next descriptor that is free
    std::printf("descriptor %d\n", ::dup(0));
  }
  if (word == "memory") {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    std::fprintf(stderr, "peak %ld\n", used.ru_maxrss);
  }
  if (word == "becomes") ::execl(words[0], words[0], "each", nullptr);
  if (word == "counts") count_interrupts();
  if (word == "_exit") ::_exit(7);
  if (word == "exit") std::exit(7);
  if (word == "pipe") ::raise(SIGPIPE);
  if (word == "kill") ::raise(SIGKILL);
  if (word == "crash") ::raise(SIGSEGV);
  if (word == "term") {
    std::puts("waiting");
    std::fflush(stdout);
    for (;;) ::pause();
  }
}

}  // namespace

int main(int count, char** words) {
  if (count > 1 && std::strcmp(words[1], "no-cuda") == 0) return 0;
  cuInit(0);
  for (int i = 1; i < count; ++i) act(words[i], words);
  return 0;
}
