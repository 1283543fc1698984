#include "harness/box/memory_bound.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "harness/kernel/compile/in_subprocess.h"

namespace lab::box {

#ifndef LAB_SANITIZED  // a sanitizer's shadow takes terabytes of address space

namespace {

// $LAB_MEMORY: bytes that a grader gives the model beyond what the program itself takes; 0: none.
rlim_t given_memory() {
  const char* text = std::getenv("LAB_MEMORY");
  const rlim_t given = text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
  if (given == 0) return 0;
  return compile::address_space() + given;
}

}  // namespace

void bound_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return;
  rlim_t memory = static_cast<rlim_t>(pages) * static_cast<rlim_t>(page);
  const rlim_t given = given_memory();
  if (given > 0) memory = std::min(memory, given);
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0) return;
  if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < memory) return;
  limit.rlim_cur = memory;
  ::setrlimit(RLIMIT_AS, &limit);
}

#else

void bound_memory() {}

#endif

}  // namespace lab::box
