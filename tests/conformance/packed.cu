// Several integers in a word: CUDA's SIMD intrinsics, and its dot products; packed_test.cpp has
// what each is to give.

extern "C" __global__ void packed(unsigned* out, const unsigned* in) {
  int t = threadIdx.x;
  unsigned a = in[3 * t];
  unsigned b = in[3 * t + 1];
  unsigned c = in[3 * t + 2];
  unsigned* mine = out + t * 56;
  mine[0] = __vadd2(a, b);
  mine[1] = __vsub2(a, b);
  mine[2] = __vaddss2(a, b);
  mine[3] = __vsubss2(a, b);
  mine[4] = __vaddus2(a, b);
  mine[5] = __vsubus2(a, b);
  mine[6] = __vmins2(a, b);
  mine[7] = __vmaxs2(a, b);
  mine[8] = __vminu2(a, b);
  mine[9] = __vmaxu2(a, b);
  mine[10] = __vavgu2(a, b);
  mine[11] = __vhaddu2(a, b);
  mine[12] = __vabsdiffu2(a, b);
  mine[13] = __vabsdiffs2(a, b);
  mine[14] = __vabs2(a);
  mine[15] = __vabsss2(a);
  mine[16] = __vneg2(a);
  mine[17] = __vnegss2(a);
  mine[18] = __vcmpgtu2(a, b);
  mine[19] = __vsetles2(a, b);
  mine[20] = __vsadu2(a, b);
  mine[21] = __vsads2(a, b);
  mine[22] = __vadd4(a, b);
  mine[23] = __vsub4(a, b);
  mine[24] = __vaddss4(a, b);
  mine[25] = __vsubss4(a, b);
  mine[26] = __vaddus4(a, b);
  mine[27] = __vsubus4(a, b);
  mine[28] = __vmins4(a, b);
  mine[29] = __vmaxs4(a, b);
  mine[30] = __vminu4(a, b);
  mine[31] = __vmaxu4(a, b);
  mine[32] = __vavgu4(a, b);
  mine[33] = __vhaddu4(a, b);
  mine[34] = __vabsdiffu4(a, b);
  mine[35] = __vabsdiffs4(a, b);
  mine[36] = __vabs4(a);
  mine[37] = __vabsss4(a);
  mine[38] = __vneg4(a);
  mine[39] = __vnegss4(a);
  mine[40] = __vcmpgtu4(a, b);
  mine[41] = __vsetles4(a, b);
  mine[42] = __vsadu4(a, b);
  mine[43] = __vsads4(a, b);
  mine[44] = __viaddmax_s16x2(a, b, c);
  mine[45] = __vimax3_s16x2(a, b, c);
  mine[46] = __viaddmin_s16x2(a, b, c);
  mine[47] = __vimin3_s16x2(a, b, c);
  mine[48] = __viaddmax_u16x2(a, b, c);
  mine[49] = __vimax3_u16x2(a, b, c);
  mine[50] = __viaddmin_u16x2(a, b, c);
  mine[51] = __vimin3_u16x2(a, b, c);
  mine[52] = __vimax_s16x2_relu(a, b);
  mine[53] = __viaddmax_s16x2_relu(a, b, c);
  mine[54] = __vimin_s16x2_relu(a, b);
  mine[55] = __viaddmin_s16x2_relu(a, b, c);
}

// Where both halves of a pair come from: first or second.
extern "C" __global__ void chosen(unsigned* out, const unsigned* in) {
  int t = threadIdx.x;
  bool high = false;
  bool low = false;
  out[4 * t] = __vibmax_s16x2(in[3 * t], in[3 * t + 1], &high, &low);
  out[4 * t + 1] = (high ? 2u : 0u) + (low ? 1u : 0u);
  out[4 * t + 2] = __vibmin_u16x2(in[3 * t], in[3 * t + 1], &high, &low);
  out[4 * t + 3] = (high ? 2u : 0u) + (low ? 1u : 0u);
}

extern "C" __global__ void dots(unsigned* out, const unsigned* in) {
  int t = threadIdx.x;
  unsigned a = in[3 * t];
  unsigned b = in[3 * t + 1];
  unsigned c = in[3 * t + 2];
  unsigned* mine = out + t * 6;
  mine[0] = __dp4a((int)a, (int)b, (int)c);
  mine[1] = __dp4a(a, b, c);
  mine[2] = __dp2a_lo((int)a, (int)b, (int)c);
  mine[3] = __dp2a_hi((int)a, (int)b, (int)c);
  mine[4] = __dp2a_lo(a, b, c);
  mine[5] = __dp2a_hi(a, b, c);
}
