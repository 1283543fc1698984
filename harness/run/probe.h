// `lab probe`: the texts in which a person describes a launch, read into records.
#pragma once

#include <string>
#include <vector>

#include "harness/core/backend.h"
#include "harness/core/compiled.h"

namespace lab::run {

/// `X`, `X,Y` or `X,Y,Z`, each 1 or more. `option` (such as --grid) is for the error's text.
[[nodiscard]] Dim3 parse_dim3(const std::string& option, const std::string& text);

/// One kernel argument, `number` counted from 0; the buffer is named argN.
///   scalar: i32=5 u32= i64= u64= i8= ... f32=1.5 f64=
///   buffer: f32[1048576]=zero | ones | iota | random:SEED | @file.bin
/// The types are i8 to u64, f16, bf16, f32, f64 and bool. A file holds exactly that many elements,
/// raw little-endian. Throws an input error with place and hint.
[[nodiscard]] ArgSpec parse_arg(int number, const std::string& text);

/// The next argument of `probe`: one of these, or
///   {i32=4, f32[16]=ones, {u8=1}}    a struct by value; a buffer in it is a pointer to one
///   arg0, arg0+16                    the buffer of an argument before this one, or 16 elements
///   into it ptr[2]={f32[16]=zero, arg0}      an array of pointers
void add_arg(const std::string& text, Job& probe);

/// `NAME=VALUE`: what the __constant__ or __device__ variable NAME holds. VALUE is as above; a
/// buffer is the variable's own content: `filter=f32[9]=ones`; a variable that is a pointer is
/// `{f32[9]=ones}`.
void add_symbol(const std::string& text, Job& probe);

/// Throws an input error where the PTX has no variable of a symbol's name.
void require_symbols(const Compiled& compiled, const Job& probe);

/// `1=out.bin`: argument 1 goes to the file; `2.0=x.bin`: the buffer that the first field of
/// argument 2 points to, a struct or an array of pointers. An input error where that is not a
/// buffer.
struct Dump {
  std::string buffer;
  std::string file;
};
[[nodiscard]] Dump parse_dump(const std::string& text, const Job& probe);

}  // namespace lab::run
