// The array of shared or local memory that an access goes through.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/core/backend.h"
#include "harness/core/launch.h"
#include "harness/model/code/decoded.h"

namespace lab::model {

struct BaseArray {
  std::string name;          ///< as the kernel declares it
  std::uint64_t offset = 0;  ///< its first byte in the block's shared or the thread's local memory
  std::uint64_t bytes = 0;
};

/// The array that the address of the shared access at `where` is computed from, wherever the
/// address lies. Empty: from several, or none is named, as through a pointer in memory.
[[nodiscard]] std::optional<BaseArray> shared_base(const Program& program, const Launch& launch,
                                                   std::uint32_t where);
/// The array of shared memory that has byte `byte`: a static one, or the dynamic one where the
/// kernel declares a single one.
[[nodiscard]] std::optional<BaseArray> shared_array_at(const Program& program, const Launch& launch,
                                                       std::uint64_t byte);
/// The array of local memory that line `line` of `source` indexes: compiled code does not name
/// them. Empty: the thread's local memory is not that array alone, as where it has several.
[[nodiscard]] std::optional<BaseArray> local_array(const Program& program, std::string_view source,
                                                   int line);

}  // namespace lab::model
