// Follows values that nobody wrote through a warp's registers, from the load that read them to the
// instruction whose effect depends on them. Compilers load first and select later, so that a load
// alone is not a mistake.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "harness/model/code/decoded.h"
#include "harness/model/execute/warp.h"

namespace lab::model::check {

/// One lane's read of something that nobody had written.
struct Unwritten {
  std::uint64_t address = 0;   ///< of the access
  std::uint64_t location = 0;  ///< of shared memory: the first that was not written
  std::uint32_t site = 0;
  std::uint32_t lane = 0;
};

/// The lanes of a register whose value comes from such a read, and which read that was.
struct Marks {
  std::uint32_t lanes = 0;
  std::array<Unwritten, kLanes> reads{};

  void add(unsigned lane, const Unwritten& read);
};

class Follower {
 public:
  /// Takes each lane's use of such a value, at an index into Program::code.
  using Used = std::function<void(std::uint32_t, const Unwritten&)>;

  /// `program` outlives the follower.
  explicit Follower(const Program& program) : program_(program) {}

  /// A new block of `warps` warps: nothing is marked.
  void begin(std::size_t warps);
  /// The load that `warp` executes puts what `read` read into element `element` of its registers.
  void loads(const Warp& warp, const Unwritten& read, unsigned element);
  /// `warp` is about to execute `ins`. Returns false where nothing is marked any more.
  bool executes(const Ins& ins, Warp& warp, const Used& used);

 private:
  using Registers = std::unordered_map<std::uint32_t, Marks>;  ///< by offset in the frame

  [[nodiscard]] const Marks* find(Slot slot) const;
  /// All marks of `slots` together; of two in a lane the earlier slot's.
  [[nodiscard]] Marks join(std::initializer_list<Slot> slots) const;
  /// The active lanes of `slot` have `marks` now, and no others.
  void set(Slot slot, const Marks& marks);
  void use(Slot slot) const;
  void move(const Ins& ins);
  void compare(const Ins& ins);
  void shuffle(const Ins& ins);
  void across(const Ins& ins);
  void access(const Ins& ins, bool store);
  void matrix(const Ins& ins);
  void multiply(const MatrixOp& op);
  void image(const Ins& ins);
  [[nodiscard]] std::uint32_t changing(const Ins& ins, std::initializer_list<Slot> tried,
                                       std::uint32_t bytes, std::uint32_t lanes) const;
  [[nodiscard]] const ptx::Instruction& text(const Ins& ins) const;

  const Program& program_;
  std::vector<Registers> warps_;
  // While an instruction is looked at:
  Registers* now_ = nullptr;
  Warp* warp_ = nullptr;
  const Used* used_ = nullptr;
  std::uint32_t where_ = 0;
};

}  // namespace lab::model::check
