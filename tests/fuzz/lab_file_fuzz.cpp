// Any bytes are a lab or an input error; of a lab each variant's kernel, launch, arguments and
// theory have values at its first points, or say why not.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "harness/core/error.h"
#include "harness/labs/lab_file.h"

namespace {

// Whether arguments have contents that are worked out, element by element: these are as many as the
// lab says, and take as long.
bool has_contents(const std::string& text) {
  for (std::size_t at = text.find(']'); at != std::string::npos; at = text.find(']', at + 1)) {
    const std::size_t next = text.find_first_not_of(" \t\r\n", at + 1);
    if (next != std::string::npos && text[next] == '=') return true;
  }
  return text.find("\"{") != std::string::npos;
}

// What throws is an input error, or a fault of ours.
template <typename Body>
void tried(Body body) {
  try {
    body();
  } catch (const lab::Error& error) {
    if (error.fault() != lab::Fault::kInput) std::abort();
  }
}

void evaluate(const lab::Variant& variant, const lab::Params& point) {
  tried([&] { (void)variant.kernel(point); });
  tried([&] {
    const lab::FormulaNames names = formula_names(variant, point, variant.launch(point));
    for (const lab::TheoryRow& row : variant.theory) {
      tried([&] { (void)row.formula.value(names); });
      if (row.high) tried([&] { (void)row.high->value(names); });
    }
  });
}

void evaluate_arguments(const lab::Variant& variant, const lab::Params& point) {
  tried([&] { (void)variant.args(point); });
  tried([&] {
    if (variant.reference) (void)variant.reference(point);
  });
  tried([&] {
    if (variant.unchecked) (void)variant.unchecked(point);
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const bool with_arguments = !has_contents(text);
  tried([&] {
    const lab::Lab lab = lab::labs::read_lab("99_fuzzed", "lab.toml", text);
    for (const lab::Variant& variant : lab.variants) {
      for (std::size_t i = 0; i < std::min<std::size_t>(2, variant.points.size()); ++i) {
        evaluate(variant, variant.points[i]);
        if (with_arguments) evaluate_arguments(variant, variant.points[i]);
      }
    }
  });
  return 0;
}
