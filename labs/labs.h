// The function that makes each lab's value; each is defined in its folder's lab.cpp.
#pragma once

#include "harness/core/lab.h"

namespace lab::labs {

[[nodiscard]] Lab coalescing();      // 01
[[nodiscard]] Lab bank_conflicts();  // 03
[[nodiscard]] Lab transpose();       // 04
[[nodiscard]] Lab participation();   // 05
[[nodiscard]] Lab powers();          // 06
[[nodiscard]] Lab traversal();       // 08
[[nodiscard]] Lab matmul();          // 07
[[nodiscard]] Lab reduction();       // 11
[[nodiscard]] Lab barriers();        // 12
[[nodiscard]] Lab layout();          // 02
[[nodiscard]] Lab dram();            // 10
[[nodiscard]] Lab capabilities();    // 09

}  // namespace lab::labs
