#include "tests/support/references/references.h"

namespace lab::references {

const std::map<std::string, OfLab>& all() {
  static const std::map<std::string, OfLab> kAll = {
      {"coalescing", coalescing()},
      {"layout", layout()},
      {"bank_conflicts", bank_conflicts()},
      {"transpose", transpose()},
      {"participation", participation()},
      {"powers", powers()},
      {"matmul", matmul()},
      {"traversal", traversal()},
      {"capabilities", capabilities()},
      {"dram", dram()},
      {"reduction", reduction()},
      {"barriers", barriers()},
  };
  return kAll;
}

}  // namespace lab::references
