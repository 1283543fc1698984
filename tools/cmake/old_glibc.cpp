// What GCC 12's static libraries take of a newer glibc than the oldest that the archive runs on
// (2.31), for programs that are linked against that one: see tools/get-debs.
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

// Of each program and library alone: a newer glibc's own must stay what others find.
#pragma GCC visibility push(hidden)
extern "C" {

// glibc 2.32, read by std::shared_ptr: false costs an atomic instruction and is always right.
char __libc_single_threaded = 0;

// glibc 2.36, of std::random_device.
std::uint32_t arc4random() {
  std::uint32_t value = 0;
  if (getentropy(&value, sizeof value) != 0) std::abort();
  return value;
}

// glibc 2.35, by which libgcc finds the unwind table of an address: asked at each throw.
int _dl_find_object(void* address, dl_find_object* found) {
  struct Search {
    std::uintptr_t address;
    dl_find_object* found;
  } search{reinterpret_cast<std::uintptr_t>(address), found};
  const auto look = [](dl_phdr_info* object, std::size_t, void* data) -> int {
    auto* const wanted = static_cast<Search*>(data);
    void* table = nullptr;
    bool inside = false;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
      const auto& header = object->dlpi_phdr[i];
      const std::uintptr_t begin = object->dlpi_addr + header.p_vaddr;
      if (header.p_type == PT_GNU_EH_FRAME) table = reinterpret_cast<void*>(begin);
      if (header.p_type != PT_LOAD || wanted->address < begin ||
          wanted->address >= begin + header.p_memsz) {
        continue;
      }
      inside = true;
      wanted->found->dlfo_map_start = reinterpret_cast<void*>(begin);
      wanted->found->dlfo_map_end = reinterpret_cast<void*>(begin + header.p_memsz);
    }
    if (!inside || table == nullptr) return 0;
    wanted->found->dlfo_eh_frame = table;
    return 1;
  };
  return dl_iterate_phdr(look, &search) == 1 ? 0 : -1;
}

}  // extern "C"
#pragma GCC visibility pop
