#include "harness/programs/wire/names.h"

#include <string_view>

#include "harness/core/text.h"

namespace lab::program {

namespace {

std::string without_stub(std::string name) {
  constexpr std::string_view kNameless = "(anonymous namespace)::";
  constexpr std::string_view kStub = "__device_stub__";
  for (const std::string_view gone : {kNameless, kStub}) {
    for (std::size_t at = name.find(gone); at != std::string::npos; at = name.find(gone)) {
      name.erase(at, gone.size());
    }
  }
  return name;
}

}  // namespace

std::string kernel_expression(const std::string& mangled) {
  return without_stub(symbol_name(mangled));
}

std::string kernel_signature(const std::string& mangled) {
  return without_stub(symbol_signature(mangled));
}

}  // namespace lab::program
