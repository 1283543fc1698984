// A lab's texts in a batch, as the program puts them there.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

#include "harness/core/backend.h"
#include "harness/core/lab.h"

namespace lab {

/// A batch with the kernels of `lab` and its references, and no cases. Tests run in the root.
inline BatchRequest batch_of_lab(const Lab& lab) {
  const auto text_of = [&](const std::string& file) -> KernelText {
    const std::string path = "labs/" + lab.folder + "/" + file;
    std::ifstream stream(path);
    return {path, std::string(std::istreambuf_iterator<char>(stream), {})};
  };
  BatchRequest batch;
  batch.lab = lab.number;
  batch.source = text_of("kernels.cu");
  batch.reference = text_of("reference.cu");
  return batch;
}

}  // namespace lab
