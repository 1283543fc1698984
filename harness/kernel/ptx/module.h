// A PTX text as an immutable, validated value: what the parser makes and the model reads.
// Names and meanings are those of NVIDIA's "Parallel Thread Execution ISA" guide.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/kernel/ptx/opcode.h"

namespace lab::ptx {

inline constexpr std::uint32_t kNoIndex = 0xffffffffU;

/// One .loc: where code was written, and where it was inlined.
struct SourcePlace {
  std::uint32_t file = 0;  ///< index into Module::files; 0 is "none"
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t inlined_at = kNoIndex;  ///< index into Module::places, lower than this place's own
};

/// Where an instruction is: its line in the PTX text, and its source line by the nearest .loc
/// before it. For inlined code that is the innermost place in the file of the outermost function:
/// code from a header gets the line of the kernel that calls it, while code from the kernel's own
/// file keeps the line that it was written on.
struct Where {
  std::uint32_t ptx_line = 0;
  std::uint32_t file = 0;          ///< index into Module::files; 0 is "none"
  std::uint32_t line = 0;          ///< 0: no line information
  std::uint32_t place = kNoIndex;  ///< index into Module::places: where it was written
};

struct Register {
  std::string name;        ///< %r12
  Type type = Type::kB32;  ///< as declared: the register's width; an operation has its own type
};

/// %tid.x, %laneid, %clock64, ... `component` is 0..3 for x, y, z, w.
enum class Special : std::uint8_t {
  kTid,
  kNtid,
  kCtaid,
  kNctaid,
  kLaneid,
  kWarpid,
  kNwarpid,
  kSmid,
  kNsmid,
  kGridid,
  kLanemaskEq,
  kLanemaskLe,
  kLanemaskLt,
  kLanemaskGe,
  kLanemaskGt,
  kClock,
  kClockHi,
  kClock64,
  kGlobaltimer,
  kGlobaltimerLo,
  kGlobaltimerHi,
  kDynamicSmemSize,
  kTotalSmemSize,
  kReservedSmem,
  kEnvreg,  ///< `component` is its number, 0..31
  kClusterid,
  kNclusterid,
  kClusterCtaid,
  kClusterNctaid,
  kClusterCtarank,
  kClusterNctarank,
  kIsExplicitCluster,  ///< a predicate
  kUnmodelled,         ///< performance-monitor counters, ...: their instruction is refused
};

[[nodiscard]] constexpr bool is_of_cluster(Special special) {
  return special >= Special::kClusterid && special <= Special::kIsExplicitCluster;
}

/// Where the variable that an operand names is declared.
enum class Home : std::uint8_t {
  kModule,  ///< Module::variables
  kLocal,   ///< Function::variables
  kParam,   ///< Function::params
  kResult,  ///< Function::results
};

struct Operand {
  enum class Kind : std::uint8_t {
    kNone,
    kRegister,   ///< reg
    kImmediate,  ///< bits: an integer as two's complement in 64 bits, or the bit pattern of a
                 ///< float of the instruction's type (0f and 0d literals are converted to it)
    kSpecial,    ///< special, component
    kSymbol,     ///< address of a variable (or function) plus offset
    kAddress,    ///< memory operand: [reg + offset], [symbol + offset] or [offset]; of an image
                 ///< parts are its coordinates
    kVector,     ///< parts: registers, immediates, or kSink for `_`
    kPair,       ///< parts[0] | parts[1]: data and predicate destinations, as of shfl and setp
    kLabel,      ///< target: index of an instruction in the function
    kFunction,   ///< target: index into Module::functions
    kTargets,    ///< target: index into Function::branch_targets
    kList,       ///< parts: of a call's results or arguments
    kSink,       ///< `_`
  };
  Kind kind = Kind::kNone;
  bool negated = false;   ///< `!%p1`
  bool is_float = false;  ///< the immediate was written as 0f..., 0d... or with a point
  std::uint8_t component = 0;
  Special special = Special::kTid;
  std::uint32_t reg = kNoIndex;     ///< index into Function::registers
  std::uint32_t symbol = kNoIndex;  ///< index of a variable in the list that `home` names
  Home home = Home::kModule;
  std::uint32_t target = kNoIndex;
  std::int64_t offset = 0;
  std::uint64_t bits = 0;
  std::vector<Operand> parts = {};
};

/// One instruction. Fields that an opcode does not use keep their defaults. Operands stand as
/// written; a call has always three: kList of results, callee (kFunction or kRegister), kList of
/// arguments.
struct Instruction {
  Op op = Op::kNop;
  Type type = Type::kNone;  ///< the operation's type, the last in its name: add.s32, cvt.f32.s32
                            ///< has type f32 (destination)
  Type from = Type::kNone;  ///< second type: cvt's and set's source, mad.wide stays kNone
  Space space = Space::kGeneric;
  Compare compare = Compare::kNone;
  Combine combine = Combine::kNone;  ///< setp.lt.and
  Round round = Round::kNone;
  Sub sub = Sub::kNone;     ///< lo, hi, wide; up, down; ballot; atom's add, cas; bar's sync, ...
  Sub sub2 = Sub::kNone;    ///< a second one: popc of bar.red.popc, wrap of shf.l.wrap
  std::uint8_t vector = 1;  ///< .v2, .v4, .v8
  ImageShape image = ImageShape::kNone;  ///< of a texture or surface
  bool ftz = false;
  bool sat = false;
  bool satfinite = false;
  bool approx = false;
  bool full = false;  ///< div.full
  bool is_volatile = false;
  bool uni = false;           ///< bra.uni, call.uni; vote.uni is Sub::kUniVote
  bool carry_out = false;     ///< .cc
  bool non_coherent = false;  ///< ld.global.nc
  bool relu = false;
  bool has_noftz = false;
  bool nan = false;        ///< min.NaN, max.NaN: a NaN operand gives NaN
  bool xorsign = false;    ///< min.xorsign.abs: of the magnitudes, with the product's sign
  bool magnitude = false;  ///< its .abs: both or neither
  bool sync = false;
  bool aligned = false;
  Scope scope = Scope::kNone;
  Order order = Order::kNone;
  CacheOp cache = CacheOp::kNone;
  bool cache_hint = false;  ///< .L2::cache_hint: its operand, a policy, is checked and left out
  // Of matrices. `type` is D's; `types` are all that the name has, in its order.
  MatrixShape shape = {};
  std::uint8_t matrices = 1;  ///< .x2, .x4
  bool trans = false;
  std::array<MatrixLayout, 2> layouts = {};  ///< of A and B, or of the one that is moved
  std::array<Type, 4> types = {};
  std::uint32_t guard = kNoIndex;  ///< register of @%p, or none
  bool guard_negated = false;
  std::vector<Operand> operands;  ///< destination first
  Where where;
};

/// .global, .const, .shared or .local memory, or a .param.
struct Variable {
  std::string name;
  Space space = Space::kGlobal;
  Type type = Type::kB8;  ///< element type
  std::uint32_t align = 1;
  std::uint64_t bytes = 0;  ///< 0: extern array, such as dynamic shared memory
  bool is_extern = false;
  bool in_register =
      false;  ///< of a function's parameters and results: the body has it as a register
  std::vector<std::byte> init = {};  ///< the first bytes; those past its end are zero
  struct Relocation {
    std::uint64_t at;    ///< byte offset in init of an address, 8 bytes wide
    std::string symbol;  ///< a variable or function of the module
    std::int64_t offset;
    bool generic;  ///< written generic(symbol): the generic address of a .shared or .const one
  };
  std::vector<Relocation> relocations = {};
};

/// A basic block: instructions [first, last]. `successors` are in the order branch, fall-through; a
/// path that leaves the function adds none. `post_dominator`: the nearest other block that all
/// paths from here to the exit pass through, or the first of an endless loop; kNoIndex: they meet
/// only at the exit.
struct Block {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::vector<std::uint32_t> successors;
  std::uint32_t post_dominator = kNoIndex;
  bool endless = false;  ///< in a loop from which no path leads out
};

struct BranchTargets {
  std::string name;
  std::vector<std::uint32_t> targets;  ///< instruction indices
};

/// Why a function can't be run: its first instruction that the model has no semantics for. Such an
/// instruction is an unguarded kTrap in `instructions`.
struct Refusal {
  std::string what;  ///< "the instruction 'wgmma.fence' is not modelled"
  std::string hint;
  Where where;
};

struct Function {
  std::string name;
  bool is_entry = false;
  bool is_defined = true;        ///< false: a declaration, such as vprintf
  std::vector<Variable> params;  ///< byte layout: each at the next multiple of its alignment
  std::vector<Variable> results;
  std::vector<Register> registers;
  std::vector<Variable> variables;        ///< .local, .shared declared inside, call .params
  std::vector<Instruction> instructions;  ///< the last one never falls through
  std::vector<BranchTargets> branch_targets;
  std::vector<Block> blocks;
  std::uint32_t max_threads = 0;                            ///< .maxntid product; 0: not given
  std::array<std::uint32_t, 3> required_block = {0, 0, 0};  ///< .reqntid; zeros: not given
  std::array<std::uint32_t, 3> cluster = {0, 0, 0};  ///< .reqnctapercluster; zeros: not given
  std::optional<Refusal> refusal = {};
};

struct Module {
  std::string version;             ///< 9.0
  std::string target;              ///< sm_90
  std::vector<std::string> files;  ///< index 0 is ""
  std::vector<SourcePlace> places;
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::string name;                ///< as given to parse(), for messages
  std::vector<std::string> lines;  ///< the text, line by line: ptx_line - 1

  /// Index of the entry with this (mangled) name, or kNoIndex.
  [[nodiscard]] std::uint32_t find_entry(const std::string& name) const;
};

/// Byte offsets of parameters in a parameter buffer, and its length.
struct ParamLayout {
  std::vector<std::uint64_t> offsets;
  std::uint64_t bytes = 0;
};
[[nodiscard]] ParamLayout layout(const std::vector<Variable>& params);

/// The functions whose address the module takes, in code or in the initial value of a variable:
/// those that an indirect call may reach. Ascending.
[[nodiscard]] std::vector<std::uint32_t> taken_addresses(const Module& module);
/// Those of `taken` that an indirect call in `caller` may reach: they are defined, and their
/// parameters and results have the sizes that the call passes.
[[nodiscard]] std::vector<std::uint32_t> callees_of(const Module& module, const Function& caller,
                                                    const Instruction& call,
                                                    const std::vector<std::uint32_t>& taken);

/// Throws an input error for the first refused instruction of a function that `function` can reach
/// through calls (see callees_of for indirect ones), with its source line where there is line
/// information, else its PTX line.
void require_runnable(const Module& module, std::uint32_t function);

}  // namespace lab::ptx
