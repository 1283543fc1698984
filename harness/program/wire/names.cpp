#include "harness/program/wire/names.h"

#include <string_view>

#include "harness/core/text.h"

namespace lab::program {

std::string kernel_expression(const std::string& mangled) {
  std::string name = symbol_name(mangled);
  constexpr std::string_view kNameless = "(anonymous namespace)::";
  constexpr std::string_view kStub = "__device_stub__";
  for (const std::string_view gone : {kNameless, kStub}) {
    for (std::size_t at = name.find(gone); at != std::string::npos; at = name.find(gone)) {
      name.erase(at, gone.size());
    }
  }
  return name;
}

}  // namespace lab::program
