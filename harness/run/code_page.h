// The memory instructions of a kernel's machine code beside the PTX and the source that they were
// made from, as a page.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "harness/core/compiled.h"
#include "harness/page/page.h"
#include "harness/run/machine_code.h"

namespace lab::run {

/// Per line of `source` what became of its memory instructions: `4 ld.shared.f32 compiled to 1
/// LDS.128`.
[[nodiscard]] std::map<int, std::string> compiled_lines(const MachineCode& code,
                                                        const KernelText& source);

/// Registers and memory of the kernel, on a line; why there is no machine code where there is none.
[[nodiscard]] std::string resources_text(const MachineCode& code);

/// Registers and memory, then one row per instruction, by source line. Of each line's accesses of
/// one kind `most` are shown; the others are counted.
[[nodiscard]] page::Page code_page(const MachineCode& code, const KernelText& source,
                                   std::size_t most);

}  // namespace lab::run
