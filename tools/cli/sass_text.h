// The memory instructions of a kernel's machine code, as a table.
#pragma once

#include <string>
#include <string_view>

#include "harness/cubin/cubin.h"
#include "tools/cli/terminal.h"

namespace lab::cli {

/// Instructions of one kind, width and source line are one row with their number.
[[nodiscard]] std::string sass_text(const cubin::Function& function, const cubin::Image& image,
                                    std::string_view source, const Terminal& terminal);

/// LDS.128, STG, ATOMS, ...: name and width as disassemblers write them; 4 bytes have no suffix.
[[nodiscard]] std::string mnemonic(const cubin::Access& access);

}  // namespace lab::cli
