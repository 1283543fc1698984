#include "harness/programs/build/symbols.h"

#include <map>
#include <set>

#include "harness/programs/build/elf.h"
#include "harness/programs/wire/names.h"

namespace lab::program {

std::vector<std::string> kernels_in(std::string_view object) {
  std::map<std::string, std::set<std::string>> kernels;  // their signatures, by expression
  std::vector<std::string> order;
  for (const ElfSymbol& symbol : symbols_of(object, SHT_SYMTAB)) {
    if (!symbol.defined || symbol.name.find("__device_stub__") == symbol.name.npos) continue;
    const std::string kernel = kernel_expression(std::string(symbol.name));
    if (!kernels.contains(kernel)) order.push_back(kernel);
    kernels[kernel].insert(kernel_signature(std::string(symbol.name)));
  }
  std::vector<std::string> named;
  for (const std::string& kernel : order) {
    const std::set<std::string>& signatures = kernels[kernel];
    if (signatures.size() == 1) {
      named.push_back(kernel);
    } else {
      named.insert(named.end(), signatures.begin(), signatures.end());
    }
  }
  return named;
}

}  // namespace lab::program
