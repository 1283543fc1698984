// Notes what the accesses of a few blocks do to global memory, for the time that they take.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "harness/core/kernel_facts.h"
#include "harness/model/code/decoded.h"
#include "harness/model/execute/observer.h"
#include "harness/model/memory/memory.h"

namespace lab::model {

/// The log of blocks that run one after the other on one core. It outlives its observers.
class BlockLog {
 public:
  /// `begins`: how far into a page of 4 KiB the launch's arrays are taken to begin.
  BlockLog(const Program& program, const GlobalMemory& memory, std::uint64_t begins = 0)
      : program_(program), memory_(memory), begins_(begins) {}

  [[nodiscard]] std::unique_ptr<Observer> observer();
  /// `blocks`: of the whole launch.
  void write(std::uint64_t blocks, KernelFacts& facts) const;

 private:
  class Logger;
  /// How often a place was asked for, and by how many of the blocks.
  struct Use {
    double times = 0;
    std::uint64_t blocks = 0;
    std::uint64_t first_block = 0;
    std::uint64_t last_block = ~std::uint64_t{0};
  };
  using Uses = std::unordered_map<std::uint64_t, Use>;
  /// Bytes of a sector that a store names, one bit each.
  struct Part {
    std::uint64_t sector = 0;
    std::uint32_t bits = 0;
  };
  using Parts = std::vector<Part>;
  struct Stored {
    std::uint32_t bits = 0;
    Use use = {};
  };
  static constexpr std::size_t kSectorsPerLine = 4;
  using StoredLine = std::array<Stored, kSectorsPerLine>;
  /// Stores that a warp made with no load, atomic or barrier between.
  struct Row {
    Parts parts;
    std::uint64_t stores = 0;
    std::uint64_t sectors = 0;  ///< as each store names them
    std::uint64_t lines = 0;
    std::uint64_t whole = 0;  ///< sectors that one store filled
  };

  void load(const AccessEvent& event);
  void note_lines(const std::vector<std::uint64_t>& lines);
  void note_reloads(const std::vector<std::uint64_t>& sectors);
  void store(const AccessEvent& event);
  void atomic(const AccessEvent& event);
  void note_turns(bool real);
  void end_row(std::uint32_t warp);
  void end_rows();
  static void join(Parts& parts);
  [[nodiscard]] const ptx::Instruction& text(const Site& site) const;
  [[nodiscard]] double of_all(const Use& use, std::uint64_t blocks) const;
  [[nodiscard]] double hottest(const Uses& uses, std::uint64_t blocks) const;
  [[nodiscard]] double busiest_part(const Uses& lines, std::uint64_t blocks) const;
  [[nodiscard]] std::uint64_t placed(std::uint64_t address) const;
  void note(Use& use, double times) const;
  void write_stores(std::uint64_t blocks, KernelFacts& facts) const;

  const Program& program_;
  const GlobalMemory& memory_;
  std::uint64_t begins_;
  std::uint64_t block_ = 0;
  std::uint64_t blocks_ = 0;
  std::unordered_map<std::uint64_t, StoredLine> stored_;
  std::unordered_map<std::uint64_t, std::uint8_t> loaded_;  // a bit for each sector of a line
  std::vector<Row> rows_;                                   // by warp
  StoreFacts sums_;
  Uses float_adds_;  // by sector
  Uses adds_;        // by line, of numbers of any kind
  Uses loads_;       // by line, of loads past L1
  // Of one access; kept for their room.
  std::vector<std::uint64_t> words_;
  Parts touched_;
  std::vector<std::uint64_t> addresses_;
  double load_sectors_ = 0;
  double past_l1_sectors_ = 0;
  double load_lines_ = 0;
  double reloaded_sectors_ = 0;
  double line_gaps_ = 0;  ///< between the lines of a load, added up
  double gaps_ = 0;       ///< how many
  double tag_cycles_ = 0;
  double data_cycles_ = 0;
};

}  // namespace lab::model
