// Puts the rows of all families into one table. Compiled once for each instruction set.
#include "harness/model/instructions/handlers.h"

namespace lab::model {
inline namespace LAB_MODEL_ISA {
namespace {

HandlerTable make_table() {
  HandlerTable table{};
  for (const auto rows : {control_rows(), move_rows(), arithmetic_rows(), bits_rows(),
                          compare_rows(), convert_rows(), warp_rows(), sync_rows()}) {
    for (const Row& row : rows) table.rows[static_cast<std::size_t>(row.op)] = row.find;
  }
  table.core = core_handlers();
  table.async = async_handlers();
  table.matrix = matrix_handlers();
  table.image = image_handlers();
  table.mbarrier = &mbarrier_handler;
  table.bulk_copy = bulk_copy_handler();
  table.count_past_l1 = past_l1_handler();
  table.copy_size = copy_size_handler();
  table.memory = &memory_handler;
  table.atomic = &atomic_handler;
  table.copy = &copy_handler;
  table.part = &part_handler;
  return table;
}

}  // namespace

const HandlerTable& table() {
  static const HandlerTable made = make_table();
  return made;
}

}  // namespace LAB_MODEL_ISA
}  // namespace lab::model
