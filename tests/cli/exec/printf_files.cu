#include <fstream>
#include <string>

#include "check.h"

__global__ void hello(int n) { printf("block %d thread %d of %d\n", blockIdx.x, threadIdx.x, n); }

int main(int argc, char** argv) {
  printf("before\n");
  hello<<<2, 2>>>(argc);
  CHECK(cudaDeviceSynchronize());
  printf("after\n");
  std::ofstream("written.txt") << "from the program\n";
  std::ifstream input("printf_files.cu");
  std::string line;
  std::getline(input, line);
  printf("%s\n", line.c_str());
  return argc - 1;
}
