// Properties of instructions: an instruction as PTX writes it, against what the host computes, over
// the edges of its operands' types and random bits between them, on every instruction set.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "harness/kernel/ptx/parser.h"
#include "harness/model/execute/warp.h"
#include "harness/model/instructions/handlers.h"
#include "tests/unit/model/semantics/samples.h"

namespace lab::model::property {

template <typename T>
std::uint64_t bits_of(T value) {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<std::uint32_t>(value);
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<std::uint64_t>(value);
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? 1 : 0;
  } else {
    return static_cast<std::make_unsigned_t<T>>(value);
  }
}
template <typename T>
T from_bits(std::uint64_t bits) {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<double>(bits);
  } else {
    return static_cast<T>(bits);
  }
}

template <typename T>
std::vector<T> samples(int random, std::uint64_t seed) {
  if constexpr (std::is_same_v<T, bool>) {
    return {false, true};
  } else if constexpr (std::is_floating_point_v<T>) {
    return semantics::test::numbers<T>(random, seed);
  } else {
    return semantics::test::integers<T>(random, seed);
  }
}

using Operands = std::array<std::uint64_t, 4>;
inline constexpr std::size_t kRegisterBytes = 256;  // room for 32 lanes of 8 bytes

/// One instruction on a warp: result %h0 %r0 %d0 or %p0, sources %_1, %_2, ...
class Instruction {
 public:
  explicit Instruction(const std::string& text)
      : text_(text),
        module_(ptx::parse(".version 8.8\n.target sm_100\n.address_size 64\n.visible .entry k()\n"
                           "{\n.reg .b16 %h<9>;\n.reg .b32 %r<9>;\n.reg .b64 %d<9>;\n"
                           ".reg .pred %p<9>;\n" +
                               text + ";\nret;\n}\n",
                           "one.ptx")) {}

  /// Results of up to 32 tuples of operands, with the handler of `table`.
  [[nodiscard]] std::vector<std::uint64_t> run(const HandlerTable& table, const Operands* tuples,
                                               std::size_t count) const {
    const ptx::Function& function = module_.functions.front();
    const ptx::Instruction& parsed = function.instructions.front();
    const Lookup find = table.rows[static_cast<std::size_t>(parsed.op)];
    const Found found = find == nullptr ? Found() : find({parsed, function});
    if (found.fn == nullptr) {
      ADD_FAILURE() << text_ << " has no handler";
      return std::vector<std::uint64_t>(count);
    }
    alignas(64) std::array<std::byte, 6 * kRegisterBytes> frame{};
    for (std::size_t s = 0; s < 4; ++s) {
      for (std::size_t lane = 0; lane < count; ++lane) {
        const bool fixed = s + 1 < parsed.operands.size() &&
                           parsed.operands[s + 1].kind == ptx::Operand::Kind::kImmediate;
        put(frame.data() + (2 + s) * kRegisterBytes, found.sources[s], lane,
            fixed ? parsed.operands[s + 1].bits : tuples[lane][s]);
      }
    }
    const auto slot = [](std::uint32_t n) {
      return Slot(Bank::kFrame, n * static_cast<std::uint32_t>(kRegisterBytes));
    };
    std::array<Ins, 2> code{};
    code[0].fn = found.fn;
    code[0].imm = found.imm;
    code[0].d = slot(0);
    code[0].d2 = slot(1);
    code[0].a = slot(2);
    code[0].b = slot(3);
    code[0].c = slot(4);
    code[0].e = slot(5);
    Warp warp;
    for (auto& bank : warp.bank) bank = frame.data();
    warp.mask = warp.live = 0xffffffffU;
    EXPECT_EQ(found.fn(code.data(), warp), &code[1]);
    std::vector<std::uint64_t> results;
    for (std::size_t lane = 0; lane < count; ++lane) {
      results.push_back(get(frame.data(), found.results[0], lane));
    }
    return results;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  static void put(std::byte* reg, std::uint8_t width, std::size_t lane, std::uint64_t value) {
    if (width == Found::kPredicate) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, reg, sizeof bits);
      bits |= (value & 1U) << lane;
      std::memcpy(reg, &bits, sizeof bits);
    } else {
      std::memcpy(reg + lane * width, &value, width);
    }
  }
  static std::uint64_t get(const std::byte* reg, std::uint8_t width, std::size_t lane) {
    std::uint64_t value = 0;
    if (width == Found::kPredicate) {
      std::memcpy(&value, reg, 4);
      return (value >> lane) & 1U;
    }
    std::memcpy(&value, reg + lane * width, width);
    return value;
  }

  std::string text_;
  ptx::Module module_;
};

/// All tuples of one or two operands' samples, and random ones of three.
template <typename... S>
std::vector<Operands> tuples() {
  constexpr std::size_t kOperands = sizeof...(S);
  constexpr int kRandom = kOperands == 1 ? 300 : 12;
  std::uint64_t seed = 1;
  const std::vector<std::vector<std::uint64_t>> each = {[&] {
    std::vector<std::uint64_t> bits;
    for (const S value : samples<S>(kRandom, seed++)) bits.push_back(bits_of<S>(value));
    return bits;
  }()...};
  std::vector<Operands> all;
  semantics::test::Random random(7);
  if constexpr (kOperands == 1) {
    for (const std::uint64_t a : each[0]) all.push_back({a});
  } else if constexpr (kOperands == 2) {
    for (const std::uint64_t a : each[0]) {
      for (const std::uint64_t b : each[1]) all.push_back({a, b});
    }
  } else {
    for (int i = 0; i < 2000; ++i) {
      Operands tuple{};
      for (std::size_t s = 0; s < kOperands; ++s) {
        tuple[s] = each[s][static_cast<std::size_t>(random.next() % each[s].size())];
      }
      all.push_back(tuple);
    }
  }
  return all;
}

template <typename... S, typename F, std::size_t... I>
std::uint64_t host_result(const F& want, const Operands& in, std::index_sequence<I...>) {
  return bits_of(want(from_bits<S>(in[I])...));
}

/// `text` gives what want(sources...) gives, bit for bit, for all of these sources of types S.
template <typename... S, typename F>
void expect_each(const std::string& text, const std::vector<Operands>& all, const F& want) {
  const Instruction instruction(text);
  for (const HandlerTable* table : all_tables()) {
    int wrong = 0;
    for (std::size_t at = 0; at < all.size() && wrong < 3; at += kLanes) {
      const std::size_t count = std::min<std::size_t>(kLanes, all.size() - at);
      const auto got = instruction.run(*table, &all[at], count);
      for (std::size_t i = 0; i < count; ++i) {
        const Operands& in = all[at + i];
        const auto host = host_result<S...>(want, in, std::index_sequence_for<S...>());
        if (got[i] == host) continue;
        ++wrong;
        ADD_FAILURE() << std::hex << text << " of " << in[0] << ' ' << in[1] << ' ' << in[2]
                      << " is " << got[i] << ", not " << host;
      }
    }
  }
}
/// The same for the edges of the types S and random numbers between them.
template <typename... S, typename F>
void expect_always(const std::string& text, const F& want) {
  expect_each<S...>(text, tuples<S...>(), want);
}

}  // namespace lab::model::property
