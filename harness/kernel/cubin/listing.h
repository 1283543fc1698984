// A kernel's memory instructions for a reader: machine code, and the PTX that it was made from.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/kernel/cubin/cubin.h"
#include "harness/kernel/ptx/module.h"

namespace lab::cubin {

/// A PTX instruction by its lines; 0: not known.
struct PtxPlace {
  std::uint32_t ptx_line = 0;
  std::uint32_t source_line = 0;
  friend bool operator==(const PtxPlace&, const PtxPlace&) = default;
};

struct ListedAccess {
  MemoryInstruction machine;
  std::string text;                        ///< LDS.128 [R20+0x40]
  std::vector<PtxPlace> merged_from = {};  ///< for a wide access: all that were merged, in order
};

/// The accesses of the kernel in order of pc, without indexed constants. `module` is the PTX that
/// the image was made from; where SassMap is absent, nothing is merged. Empty: no such kernel.
[[nodiscard]] std::vector<ListedAccess> listing(const Image& image, const std::string& kernel,
                                                const ptx::Module& module);

/// LDS.128, STG, ATOMS, ...: name and width as disassemblers write them; 4 bytes have no suffix.
[[nodiscard]] std::string mnemonic(const Access& access);

/// The machine code of one kernel by pc, from what `nvdisasm -c` printed; empty where it is not
/// there. Operands are as printed, without the semicolon.
[[nodiscard]] std::map<std::uint32_t, std::string> read_nvdisasm(std::string_view text,
                                                                 std::string_view kernel);

/// `merged from lines 12, 13` of the source where the parts are on several lines, otherwise
/// `merged from PTX lines 40, 41, 42, 43`; empty where nothing was merged.
[[nodiscard]] std::string merged_text(const ListedAccess& access);

}  // namespace lab::cubin
