#include "harness/model/check/follower.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "harness/core/bits.h"
#include "harness/model/memory/memory.h"
#include "harness/model/semantics/warp.h"

namespace lab::model::check {
namespace {

// Slot 0 of the frame takes results that nobody reads, and stands for operands that are not there.
bool is_register(Slot slot) {
  return slot.bank() == static_cast<std::uint32_t>(Bank::kFrame) && slot.offset() != 0;
}

/// A register's bytes: 32 lanes of `width` bytes each, or a predicate's mask.
std::size_t bytes_of(std::uint32_t width) {
  return width == Found::kPredicate ? sizeof(std::uint32_t) : std::size_t{width} * kLanes;
}

void fill(std::byte* at, std::uint32_t width, std::uint32_t lanes, bool ones) {
  if (width == Found::kPredicate) {
    std::uint32_t mask = 0;
    std::memcpy(&mask, at, sizeof mask);
    mask = ones ? mask | lanes : mask & ~lanes;
    std::memcpy(at, &mask, sizeof mask);
    return;
  }
  each_lane(lanes, [&](unsigned i) { std::memset(at + i * width, ones ? 0xff : 0, width); });
}

std::uint32_t differing(const std::byte* a, const std::byte* b, std::uint32_t width) {
  if (width == Found::kPredicate) {
    std::uint32_t x = 0;
    std::uint32_t y = 0;
    std::memcpy(&x, a, sizeof x);
    std::memcpy(&y, b, sizeof y);
    return x ^ y;
  }
  std::uint32_t lanes = 0;
  for (unsigned i = 0; i < kLanes; ++i) {
    lanes |= std::uint32_t{std::memcmp(a + i * width, b + i * width, width) != 0} << i;
  }
  return lanes;
}

std::uint32_t width_of(ptx::Type type) {
  const int bits = ptx::bits_of(type);
  return bits == 1 ? std::uint32_t{Found::kPredicate} : static_cast<std::uint32_t>(bits) / 8;
}

/// The lane whose value each lane gets.
semantics::Lanes<std::uint32_t> shuffled(ptx::Sub mode, const Warp& w, const Ins& ins) {
  using ptx::Sub;
  std::array<std::uint32_t, kLanes> self{};
  std::array<std::uint32_t, kLanes> b{};
  std::array<std::uint32_t, kLanes> c{};
  for (unsigned i = 0; i < kLanes; ++i) {
    self[i] = i;
    b[i] = w.in<std::uint32_t>(ins.b)[i];
    c[i] = w.in<std::uint32_t>(ins.c)[i];
  }
  const auto by = [&](auto shuffle) { return shuffle(self.data(), b.data(), c.data(), w.mask); };
  const auto values = [&](const semantics::Shuffled& s) { return s.values; };
  switch (mode) {
    case Sub::kUp:
      return values(by(&semantics::shuffle<Sub::kUp>));
    case Sub::kDown:
      return values(by(&semantics::shuffle<Sub::kDown>));
    case Sub::kBfly:
      return values(by(&semantics::shuffle<Sub::kBfly>));
    default:
      return values(by(&semantics::shuffle<Sub::kIdx>));
  }
}

/// wmma.load: whoever reads an element, the lanes that get it are those of its row, or in B those
/// of its column (see Follower::multiply).
std::uint32_t holders_of(const Warp& w, const Ins& ins, const MatrixOp& op, const Unwritten& read,
                         unsigned element) {
  const bool wide = (ins.next_block & 1U) != 0;
  std::uint64_t first = ins.imm + (wide ? std::uint64_t{w.in<std::uint64_t>(ins.a)[0]}
                                        : std::uint64_t{w.in<std::uint32_t>(ins.a)[0]});
  if (first - kSharedWindow < kWindowBytes) first -= kSharedWindow;
  const std::uint64_t bytes = width_of(op.d);
  const std::uint64_t stride = std::max<std::uint64_t>(w.in<std::uint32_t>(ins.b)[0], 1);
  const std::uint64_t index = (read.address - first) / bytes + element;
  const bool apart = (op.part == 'b') == op.by_column;  // such rows, or columns, are a stride apart
  return 0xfU << ((apart ? index / stride : index % stride) % 8 * 4);
}

}  // namespace

void Marks::add(unsigned lane, const Unwritten& read) {
  if (((lanes >> lane) & 1U) != 0) return;
  lanes |= 1U << lane;
  reads[lane] = read;
}

void Follower::begin(std::size_t warps) {
  warps_.resize(warps);
  for (Registers& registers : warps_) registers.clear();
}

const Marks* Follower::find(Slot slot) const {
  if (!is_register(slot)) return nullptr;
  const auto found = now_->find(slot.offset());
  return found == now_->end() ? nullptr : &found->second;
}

Marks Follower::join(std::initializer_list<Slot> slots) const {
  Marks all;
  for (const Slot slot : slots) {
    const Marks* one = find(slot);
    if (one == nullptr) continue;
    each_lane(one->lanes & warp_->mask, [&](unsigned i) { all.add(i, one->reads[i]); });
  }
  return all;
}

void Follower::set(Slot slot, const Marks& marks) {
  if (!is_register(slot)) return;
  const std::uint32_t lanes = marks.lanes & warp_->mask;
  auto found = now_->find(slot.offset());
  if (found == now_->end()) {
    if (lanes == 0) return;
    found = now_->try_emplace(slot.offset()).first;
  }
  found->second.lanes &= ~warp_->mask;
  each_lane(lanes, [&](unsigned i) { found->second.add(i, marks.reads[i]); });
  if (found->second.lanes == 0) now_->erase(found);
}

void Follower::use(Slot slot) const {
  const Marks* marks = find(slot);
  if (marks == nullptr) return;
  each_lane(marks->lanes & warp_->mask, [&](unsigned i) { (*used_)(where_, marks->reads[i]); });
}

const ptx::Instruction& Follower::text(const Ins& ins) const {
  const Origin& origin = program_.origins[static_cast<std::size_t>(&ins - program_.code.data())];
  return program_.module->functions[origin.function].instructions[origin.instruction];
}

/// The lanes among `lanes` where the result is another one with all bits of `tried` 0 than with all
/// of them 1. `ins` is executed twice, and its operands are restored.
std::uint32_t Follower::changing(const Ins& ins, std::initializer_list<Slot> tried,
                                 std::uint32_t bytes, std::uint32_t lanes) const {
  constexpr std::size_t kMost = 8 * kLanes;
  using Saved = std::array<std::byte, kMost>;
  const bool compares = ins.flow == Flow::kCompare;
  const std::uint32_t result = compares ? std::uint32_t{Found::kPredicate} : bytes;
  std::array<Slot, 5> slots{ins.d, ins.d2, ins.a, ins.b, ins.c};
  std::array<Saved, 5> before{};
  std::array<Saved, 2> after{};
  // Any register is 64 bytes and more, but for predicates: no more than what it has is touched.
  const auto size = [&](Slot slot) {
    const bool is_predicate =
        compares ? slot != ins.a && slot != ins.b : slot == ins.c && slot != ins.a && slot != ins.b;
    return bytes_of(is_predicate || bytes == Found::kPredicate ? std::uint32_t{Found::kPredicate}
                                                               : bytes);
  };
  const auto restore = [&] {
    for (std::size_t k = 0; k < slots.size(); ++k) {
      if (is_register(slots[k])) std::memcpy(warp_->at(slots[k]), before[k].data(), size(slots[k]));
    }
  };
  for (std::size_t k = 0; k < slots.size(); ++k) {
    if (is_register(slots[k])) std::memcpy(before[k].data(), warp_->at(slots[k]), size(slots[k]));
  }
  for (const bool ones : {false, true}) {
    for (const Slot slot : tried) {
      const Marks* marks = find(slot);
      if (marks == nullptr) continue;
      const bool is_predicate = size(slot) == sizeof(std::uint32_t);
      fill(warp_->at(slot), is_predicate ? std::uint32_t{Found::kPredicate} : bytes,
           marks->lanes & lanes, ones);
    }
    ins.fn(&ins, *warp_);
    std::memcpy(after[ones ? 1 : 0].data(), warp_->at(ins.d), bytes_of(result));
    restore();
  }
  return differing(after[0].data(), after[1].data(), result) & lanes;
}

void Follower::move(const Ins& ins) {
  Marks marks = join({ins.a, ins.b, ins.c, ins.e});
  if (ins.flow == Flow::kPart && ins.imm != 0) marks = join({ins.a, ins.d});
  if (ins.flow == Flow::kByBit && marks.lanes != 0 && is_register(ins.d)) {
    marks.lanes = changing(ins, {ins.a, ins.b, ins.c}, width_of(text(ins).type), marks.lanes);
  }
  set(ins.d, marks);
  set(ins.d2, marks);
}

// (a < b) && c: where c is false, nothing depends on a and b; where a < b is false, nothing on c.
void Follower::compare(const Ins& ins) {
  Marks compared = join({ins.a, ins.b});
  const Marks third = join({ins.c});
  const std::uint32_t c = warp_->predicate(ins.c);
  const ptx::Combine how = text(ins).combine;
  const std::uint32_t decided = (how == ptx::Combine::kAnd  ? ~c
                                 : how == ptx::Combine::kOr ? c
                                                            : 0U) &
                                ~third.lanes;
  const std::uint32_t only_third = third.lanes & ~compared.lanes;
  std::uint32_t lanes = compared.lanes & ~decided;
  if (only_third != 0 && is_register(ins.d)) {
    lanes |= changing(ins, {ins.c}, width_of(text(ins).type), only_third);
  }
  each_lane(third.lanes, [&](unsigned i) { compared.add(i, third.reads[i]); });
  compared.lanes = lanes;
  set(ins.d, compared);
  set(ins.d2, compared);
}

void Follower::shuffle(const Ins& ins) {
  Marks marks = join({ins.b, ins.c, ins.e});
  set(ins.d2, marks);
  if (const Marks* values = find(ins.a); values != nullptr) {
    const auto from = shuffled(text(ins).sub, *warp_, ins);
    each_lane(warp_->mask, [&](unsigned i) {
      if (((values->lanes >> from[i]) & 1U) != 0) marks.add(i, values->reads[from[i]]);
    });
  }
  set(ins.d, marks);
}

void Follower::across(const Ins& ins) {
  const Marks given = join({ins.a});
  Marks marks = join({ins.b});
  each_lane(warp_->mask, [&](unsigned i) {
    const std::uint32_t among = given.lanes & warp_->in<std::uint32_t>(ins.b)[i];
    if (among != 0) marks.add(i, given.reads[static_cast<unsigned>(std::countr_zero(among))]);
  });
  set(ins.d, marks);
  set(ins.d2, marks);
}

void Follower::access(const Ins& ins, bool store) {
  const Site& site = program_.sites[ins.extra];
  use(ins.a);
  for (unsigned e = 0; e < site.elements; ++e) {
    const Slot slot = site.elements == 1 ? ins.d : site.registers[e];
    store ? use(slot) : set(slot, {});
  }
}

// Which lanes hold a row of A, C and D and a column of B: see instructions/fragment.h. Lane = 4 *
// row + 2 columns of a tile; rows and columns of other tiles are in the same lanes.
void Follower::multiply(const MatrixOp& op) {
  const auto all = [&](const std::vector<Slot>& slots) {
    Marks marks;
    for (const Slot slot : slots) {
      const Marks one = join({slot});
      each_lane(one.lanes, [&](unsigned i) { marks.add(i, one.reads[i]); });
    }
    return marks;
  };
  const Marks a = all(op.a_registers);
  const Marks b = all(op.b_registers);
  Marks d = all(op.c_registers);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    each_lane(a.lanes & (0xfU << (lane / 4 * 4)), [&](unsigned i) { d.add(lane, a.reads[i]); });
    each_lane(b.lanes & (0xffU << (lane % 4 * 8)), [&](unsigned i) { d.add(lane, b.reads[i]); });
  }
  for (const Slot slot : op.d_registers) set(slot, d);
}

void Follower::matrix(const Ins& ins) {
  if (ins.block == kNone) {  // movmatrix
    const Marks from = join({ins.a});
    Marks to;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const unsigned first = lane % 4 * 8 + lane / 8;
      each_lane(from.lanes & (0x11U << first), [&](unsigned i) { to.add(lane, from.reads[i]); });
    }
    return set(ins.d, to);
  }
  const MatrixOp& op = program_.matrices[ins.block];
  if (ins.extra == kNone) return multiply(op);
  use(ins.a);
  use(ins.b);
  for (const Slot slot : op.a_registers) use(slot);
  for (const Slot slot : op.d_registers) set(slot, {});
}

void Follower::image(const Ins& ins) {
  const ImageOp& op = program_.images[ins.block];
  use(ins.a);
  for (const Slot slot : op.coordinates) use(slot);
  use(op.layer);
  const bool store = text(ins).op == ptx::Op::kSust;
  for (unsigned e = 0; e < op.elements; ++e) {
    store ? use(op.registers[e]) : set(op.registers[e], {});
  }
}

bool Follower::executes(const Ins& ins, Warp& warp, const Used& used) {
  now_ = &warps_[warp.index];
  warp_ = &warp;
  used_ = &used;
  where_ = static_cast<std::uint32_t>(&ins - program_.code.data());
  switch (ins.flow) {
    case Flow::kByLane:
    case Flow::kByBit:
    case Flow::kPart:
      move(ins);
      break;
    case Flow::kCompare:
      compare(ins);
      break;
    case Flow::kShuffle:
      shuffle(ins);
      break;
    case Flow::kAcross:
      across(ins);
      break;
    case Flow::kUses:
      for (const Slot slot : {ins.a, ins.b, ins.c, ins.e}) use(slot);
      set(ins.d, {});
      set(ins.d2, {});
      break;
    case Flow::kLoad:
    case Flow::kStore:
      access(ins, ins.flow == Flow::kStore);
      break;
    case Flow::kMatrix:
      matrix(ins);
      break;
    case Flow::kImage:
      image(ins);
      break;
  }
  return !now_->empty();
}

void Follower::loads(const Warp& warp, const Unwritten& read, unsigned element) {
  Registers& registers = warps_[warp.index];
  const auto mark = [&](Slot slot, std::uint32_t lanes) {
    if (!is_register(slot)) return;
    each_lane(lanes, [&](unsigned i) { registers[slot.offset()].add(i, read); });
  };
  const Site& site = program_.sites[read.site];
  const Ins& ins = program_.code[site.where];
  const std::uint32_t own = 1U << read.lane;
  if (ins.flow != Flow::kMatrix) {
    return mark(site.elements == 1 ? ins.d : site.registers[element], own);
  }
  const MatrixOp& op = program_.matrices[ins.block];
  if (op.part == 'd') {  // ldmatrix: lane 8 i + r reads row r of matrix i
    const unsigned row = read.lane % 8;
    const std::uint32_t holders = op.trans ? 0x11111111U << (row / 2) : 0xfU << (4 * row);
    return mark(op.d_registers[read.lane / 8], holders);
  }
  for (const Slot slot : op.d_registers) mark(slot, holders_of(warp, ins, op, read, element));
}

}  // namespace lab::model::check
