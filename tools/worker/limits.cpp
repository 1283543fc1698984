#include "tools/worker/limits.h"

#include <sys/resource.h>
#include <unistd.h>

namespace lab::worker {

void bound_memory() {
#ifndef LAB_SANITIZED  // a sanitizer's shadow takes terabytes of address space
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return;
  const rlim_t memory = static_cast<rlim_t>(pages) * static_cast<rlim_t>(page);
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0) return;
  if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < memory) return;
  limit.rlim_cur = memory;
  ::setrlimit(RLIMIT_AS, &limit);
#endif
}

}  // namespace lab::worker
