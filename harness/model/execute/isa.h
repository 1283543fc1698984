// The files that execute instructions are compiled once for each level of the x86-64 psABI
// (baseline, v3, v4) and one of the three is chosen at start. Their code lives in an inline
// namespace named after the level, so that the linker never mixes them up.
#pragma once

#ifndef LAB_MODEL_ISA
#define LAB_MODEL_ISA isa_base
#endif

/// Marks a handler: everything it calls is inlined, so that loops over lanes vectorise and no
/// function compiled for a newer processor is shared with an older one's code.
#define LAB_HANDLER [[gnu::flatten]]

/// Goes before a loop over the 32 lanes in which each iteration touches only its own lane.
#if defined(__clang__)
#define LAB_LANES _Pragma("clang loop vectorize(assume_safety)")
#else
#define LAB_LANES _Pragma("GCC ivdep")
#endif
