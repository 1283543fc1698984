// Limits of a worker's use of the machine.
#pragma once

namespace lab::box {

/// Bounds this process's address space by the machine's memory: a case that wants more gets an
/// error it can report, instead of the whole machine running out. Not for the GPU, whose driver
/// reserves address space without using it.
void bound_memory();

}  // namespace lab::box
