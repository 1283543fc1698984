// Arithmetic opcodes. Each is looked up in the family of its type.
#include "harness/model/instructions/handlers.h"

namespace lab::model {
inline namespace LAB_MODEL_ISA {
namespace {

using ptx::Op;

Found find_by_type(const Shape& s) {
  if (is_half(s.ins.type)) return find_half(s);
  return ptx::is_float(s.ins.type) ? find_float(s) : find_integer(s);
}

constexpr Row kRows[] = {
    {Op::kAbs, find_by_type},       {Op::kAdd, find_by_type},      {Op::kAddc, find_by_type},
    {Op::kSub, find_by_type},       {Op::kSubc, find_by_type},     {Op::kMul, find_by_type},
    {Op::kMul24, find_by_type},     {Op::kMad, find_by_type},      {Op::kMad24, find_by_type},
    {Op::kMadc, find_by_type},      {Op::kSad, find_by_type},      {Op::kDiv, find_by_type},
    {Op::kRem, find_by_type},       {Op::kNeg, find_by_type},      {Op::kMin, find_by_type},
    {Op::kMax, find_by_type},       {Op::kFma, find_by_type},      {Op::kRcp, find_by_type},
    {Op::kSqrt, find_by_type},      {Op::kRsqrt, find_by_type},    {Op::kSin, find_by_type},
    {Op::kCos, find_by_type},       {Op::kLg2, find_by_type},      {Op::kEx2, find_by_type},
    {Op::kTanh, find_by_type},      {Op::kCopysign, find_by_type}, {Op::kTestp, find_by_type},
    {Op::kDp4a, find_by_type},      {Op::kDp2a, find_by_type},     {Op::kVabsdiff2, find_by_type},
    {Op::kVabsdiff4, find_by_type},
};

}  // namespace

std::span<const Row> arithmetic_rows() { return kRows; }

}  // namespace LAB_MODEL_ISA
}  // namespace lab::model
