#include "harness/kernel/ptx/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/core/text.h"

namespace lab::ptx {

namespace {

using Kind = Operand::Kind;

// The letters of an opcode's row are compared with these.
struct Fit {
  const Function& function;
  const Instruction& instruction;
};

Type second_type(const Instruction& i) { return i.from == Type::kNone ? i.type : i.from; }

bool is_pred(const Fit& fit, const Operand& o) {
  return o.kind == Kind::kRegister && fit.function.registers[o.reg].type == Type::kPred;
}

// 0 for anything but a register.
int register_bits(const Fit& fit, const Operand& o) {
  return o.kind == Kind::kRegister ? bits_of(fit.function.registers[o.reg].type) : 0;
}

bool is_exact(const Fit& fit, const Operand& o, int bits) {
  return !o.negated && register_bits(fit, o) == bits;
}

bool is_wide_enough(const Fit& fit, const Operand& o, Type type) {
  return !o.negated && !is_pred(fit, o) && o.kind == Kind::kRegister &&
         register_bits(fit, o) >= bits_of(type);
}

bool is_source(const Fit& fit, const Operand& o, int bits) {
  if (bits == 1) return is_pred(fit, o) || o.kind == Kind::kImmediate;
  return is_exact(fit, o, bits) || (o.kind == Kind::kImmediate && !o.negated);
}

bool is_special(const Operand& o, int bits) {
  if (o.kind != Kind::kSpecial) return false;
  if (o.special == Special::kIsExplicitCluster) return bits == 1;
  const bool wide = o.special == Special::kClock64 || o.special == Special::kGlobaltimer ||
                    o.special == Special::kGridid;
  return o.special == Special::kUnmodelled || bits == (wide ? 64 : 32);
}

template <typename Part>
bool is_vector_of(const Operand& o, std::size_t size, Part fits) {
  return o.kind == Kind::kVector && o.parts.size() == size &&
         std::all_of(o.parts.begin(), o.parts.end(), fits);
}

template <typename First>
bool is_pair_of(const Fit& fit, const Operand& o, First fits) {
  return o.kind == Kind::kPair && (o.parts[0].kind == Kind::kSink || fits(o.parts[0])) &&
         (o.parts[1].kind == Kind::kSink || (is_pred(fit, o.parts[1]) && !o.parts[1].negated));
}

// mov.b64 {%r1, %r2}: together the parts are as wide as the type.
template <typename Part>
bool is_packed(const Operand& o, int bits, Part fits) {
  const std::size_t parts = o.parts.size();
  if (o.kind != Kind::kVector || (parts != 2 && parts != 4)) return false;
  const int each = bits / static_cast<int>(parts);
  return each >= 8 && is_vector_of(o, parts, [&](const Operand& part) { return fits(part, each); });
}

// The registers of a vector are equally wide.
bool has_one_width(const Fit& fit, const Operand& o) {
  int width = 0;
  for (const Operand& part : o.parts) {
    if (part.kind != Kind::kRegister) continue;
    if (width != 0 && width != register_bits(fit, part)) return false;
    width = register_bits(fit, part);
  }
  return true;
}

bool fits_load(const Fit& fit, const Operand& o) {
  const auto one = [&](const Operand& part) {
    return part.kind == Kind::kSink || is_wide_enough(fit, part, fit.instruction.type);
  };
  const std::size_t lanes = fit.instruction.vector;
  if (lanes == 1) return o.kind != Kind::kSink && one(o);
  return is_vector_of(o, lanes, one) && has_one_width(fit, o);
}

bool fits_store(const Fit& fit, const Operand& o) {
  const auto one = [&](const Operand& part) {
    return is_wide_enough(fit, part, fit.instruction.type) || part.kind == Kind::kImmediate;
  };
  const std::size_t lanes = fit.instruction.vector;
  if (lanes == 1) return one(o);
  return is_vector_of(o, lanes, one) && has_one_width(fit, o);
}

bool fits_mov_to(const Fit& fit, const Operand& o) {
  const int bits = bits_of(fit.instruction.type);
  const std::size_t lanes = fit.instruction.vector;
  if (lanes > 1) {
    return is_vector_of(o, lanes, [&](const Operand& part) {
      return part.kind == Kind::kSink || is_exact(fit, part, bits);
    });
  }
  return is_exact(fit, o, bits) || is_packed(o, bits, [&](const Operand& part, int each) {
           return part.kind == Kind::kSink || is_exact(fit, part, each);
         });
}

bool fits_mov_from(const Fit& fit, const Operand& o) {
  const int bits = bits_of(fit.instruction.type);
  const std::size_t lanes = fit.instruction.vector;
  if (lanes > 1) {
    return is_vector_of(o, lanes, [&](const Operand& part) { return is_source(fit, part, bits); });
  }
  if (is_source(fit, o, bits) || is_special(o, bits)) return true;
  if (o.kind == Kind::kSymbol) return bits == 32 || bits == 64;
  if (o.kind == Kind::kFunction) return bits == 64;
  return is_packed(o, bits,
                   [&](const Operand& part, int each) { return is_source(fit, part, each); });
}

// A pair fills its register.
bool fits_convert(const Fit& fit, const Operand& o, Type type) {
  const bool pair = is_fp8_pair(type) || type == Type::kF16x2 || type == Type::kBF16x2;
  return pair ? is_exact(fit, o, bits_of(type)) : is_wide_enough(fit, o, type);
}

bool fits_address(const Fit& fit, const Operand& o) {
  if (o.kind != Kind::kAddress || !o.parts.empty()) return false;
  if (o.reg == kNoIndex) return true;
  const int bits = bits_of(fit.function.registers[o.reg].type);
  return bits == 32 || bits == 64;
}

bool fits_texels(const Fit& fit, const Operand& o, bool source) {
  const auto one = [&](const Operand& part) {
    return is_wide_enough(fit, part, fit.instruction.type) ||
           part.kind == (source ? Kind::kImmediate : Kind::kSink);
  };
  return is_vector_of(o, fit.instruction.vector, one);
}

bool fits_image(const Fit& fit, const Operand& o) {
  const std::size_t count = coordinates_of(fit.instruction.image);
  return o.kind == Kind::kAddress && count > 0 && o.parts.size() == count &&
         std::all_of(o.parts.begin(), o.parts.end(),
                     [&](const Operand& part) { return is_source(fit, part, 32); });
}

// How many there must be is known to what decodes the shape.
bool fits_fragment(const Fit& fit, const Operand& o) {
  const auto one = [&](const Operand& part) {
    return is_exact(fit, part, 32) || is_exact(fit, part, 64) ||
           (part.kind == Kind::kImmediate && !part.negated);
  };
  if (o.kind != Kind::kVector) return one(o);
  return std::all_of(o.parts.begin(), o.parts.end(), one);
}

int wide_bits(const Instruction& i) { return bits_of(i.type) * (i.sub == Sub::kWide ? 2 : 1); }

// One letter of OpcodeRow::operands: what it expects, and whether an operand fits it.
struct Letter {
  char letter;
  std::string_view expects;
  bool (*fits)(const Fit&, const Operand&);
};
constexpr std::string_view kRegisterOfType = "a register of the instruction's width";
constexpr std::string_view kSourceOfType = "a register or constant of the instruction's width";

bool fits_d(const Fit& f, const Operand& o) { return is_exact(f, o, bits_of(f.instruction.type)); }
bool fits_u(const Fit& f, const Operand& o) { return is_exact(f, o, 32); }

constexpr std::array kLetters{
    Letter{'D', kRegisterOfType, fits_d},
    Letter{'d', "a register of the destination type's width or more",
           [](const Fit& f, const Operand& o) { return fits_convert(f, o, f.instruction.type); }},
    Letter{'U', "a 32-bit register", fits_u},
    Letter{'W', "a register of the result's width",
           [](const Fit& f, const Operand& o) { return is_exact(f, o, wide_bits(f.instruction)); }},
    Letter{'A', kRegisterOfType,
           [](const Fit& f, const Operand& o) { return o.kind == Kind::kSink || fits_d(f, o); }},
    Letter{'V', "a register, or a vector of as many as .v2, .v4 or .v8 says, wide enough",
           fits_load},
    Letter{'X', "a register of the instruction's width, or a vector of that width together",
           fits_mov_to},
    Letter{'P', "a predicate", [](const Fit& f, const Operand& o) { return is_exact(f, o, 1); }},
    Letter{'Q', "a predicate or a pair of them",
           [](const Fit& f, const Operand& o) {
             const auto pred = [&](const Operand& part) { return is_exact(f, part, 1); };
             return pred(o) || is_pair_of(f, o, pred);
           }},
    Letter{'M', "a 32-bit register, with |predicate or without",
           [](const Fit& f, const Operand& o) {
             return fits_u(f, o) ||
                    is_pair_of(f, o, [&](const Operand& part) { return fits_u(f, part); });
           }},
    Letter{'B', "a 32-bit register, with |predicate or without",
           [](const Fit& f, const Operand& o) {
             return fits_d(f, o) ||
                    is_pair_of(f, o, [&](const Operand& part) { return fits_d(f, part); });
           }},
    Letter{'T', kSourceOfType,
           [](const Fit& f, const Operand& o) {
             return is_source(f, o, bits_of(f.instruction.type));
           }},
    Letter{'S', "a register or constant of the second type's width",
           [](const Fit& f, const Operand& o) {
             return is_source(f, o, bits_of(second_type(f.instruction)));
           }},
    Letter{'s', "a register of the source type's width or more, or a constant",
           [](const Fit& f, const Operand& o) {
             return o.kind == Kind::kImmediate || o.kind == Kind::kSpecial ||
                    fits_convert(f, o, second_type(f.instruction));
           }},
    Letter{
        'w', "a register or constant of the result's width",
        [](const Fit& f, const Operand& o) { return is_source(f, o, wide_bits(f.instruction)); }},
    Letter{'v', "a register or constant, or a vector of as many as .v2, .v4 or .v8 says",
           fits_store},
    Letter{'x', "a register, constant, special register or symbol of the instruction's width",
           fits_mov_from},
    Letter{'u', "a 32-bit register or constant",
           [](const Fit& f, const Operand& o) { return is_source(f, o, 32); }},
    Letter{'p', "a predicate", [](const Fit& f, const Operand& o) { return is_source(f, o, 1); }},
    Letter{'f', "a 32-bit register or floating-point constant",
           [](const Fit& f, const Operand& o) { return is_source(f, o, 32); }},
    Letter{'i', "an integer constant",
           [](const Fit&, const Operand& o) { return o.kind == Kind::kImmediate && !o.is_float; }},
    Letter{'g', "an address in a register, or a variable",
           [](const Fit& f, const Operand& o) {
             return is_exact(f, o, 32) || is_exact(f, o, 64) || o.kind == Kind::kSymbol;
           }},
    Letter{'Y', "a vector of as many registers as .v2 or .v4 says, wide enough",
           [](const Fit& f, const Operand& o) { return fits_texels(f, o, false); }},
    Letter{'y', "a vector of as many registers or constants as .v2 or .v4 says",
           [](const Fit& f, const Operand& o) { return fits_texels(f, o, true); }},
    Letter{'I', "an image and its coordinates in brackets, such as [%rd1, {%r1, %r2}]", fits_image},
    Letter{'F', "a register, or a vector of registers of one width", fits_fragment},
    Letter{'m', "an address in brackets", fits_address},
    Letter{'l', "a label", [](const Fit&, const Operand& o) { return o.kind == Kind::kLabel; }},
    Letter{'t', "a list made by .branchtargets",
           [](const Fit&, const Operand& o) { return o.kind == Kind::kTargets; }},
    Letter{'c', "an operand of call", [](const Fit&, const Operand&) { return true; }},
};

const Letter& find_letter(char letter) {
  const auto* it = std::find_if(kLetters.begin(), kLetters.end(),
                                [=](const Letter& row) { return row.letter == letter; });
  return *it;
}

std::optional<std::string> misfit_of(const Fit& fit, std::string_view pattern) {
  const auto& operands = fit.instruction.operands;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const Letter& letter = find_letter(pattern[i]);
    if (!letter.fits(fit, operands[i])) {
      return fmt::format("operand {} of '{}' must be {}", i + 1, name_of(fit.instruction.op),
                         letter.expects);
    }
  }
  return {};
}

}  // namespace

std::optional<std::string> misfit(const Function& function, const Instruction& instruction) {
  const Fit fit{function, instruction};
  const std::size_t given = instruction.operands.size();
  std::optional<std::string> problem;
  std::string counts;
  for (const std::string_view pattern : split(row_of(instruction.op).operands, '/')) {
    const std::string count = fmt::format("{}", pattern.size());
    if (counts.find(count) == std::string::npos) counts += (counts.empty() ? "" : " or ") + count;
    if (pattern.size() != given) continue;
    problem = misfit_of(fit, pattern);
    if (!problem) return {};
  }
  if (problem) return problem;
  return fmt::format("'{}' takes {} operands, not {}", name_of(instruction.op), counts, given);
}

}  // namespace lab::ptx
