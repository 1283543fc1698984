// Any bytes give an Image; where they hold PTX text, it is mapped to its machine code.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "harness/core/error.h"
#include "harness/kernel/cubin/sass_map.h"
#include "harness/kernel/ptx/parser.h"

namespace {

void map_kernels(const lab::cubin::Image& image) {
  std::string text;
  for (const std::string& line : image.ptx) text += line + "\n";
  try {
    const lab::ptx::Module module = lab::ptx::parse(text, "fuzz.ptx");
    for (const lab::cubin::Function& function : image.functions) {
      const auto map = lab::cubin::sass_map(image, function.name, module);
      if (map.absent.empty() && map.functions.size() != module.functions.size()) std::abort();
    }
  } catch (const lab::Error&) {
    // Not PTX.
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const lab::cubin::Image image = lab::cubin::read({data, size});
  if (image.absent.empty()) map_kernels(image);
  return 0;
}
