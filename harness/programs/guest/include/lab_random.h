// The random numbers of cuRAND's XORWOW and Philox, as its documentation and their authors define
// them: G. Marsaglia, "Xorshift RNGs" (2003); J. Salmon et al., "Parallel Random Numbers: As Easy
// as 1, 2, 3" (2011). One text for kernels and for the host: LAB_RANDOM says how functions are
// declared, LAB_RANDOM_TABLE how tables are.
#pragma once

// x^(2^k) modulo the characteristic polynomial of XORWOW's shift register over GF(2), which has
// degree 160: bits of five words, the lowest first. A jump by n is the polynomial x^n of the step.
// k = 0 to 31.
LAB_RANDOM_TABLE unsigned int lab_xorwow_steps[32][5] = {
    {0x00000002u, 0x00000000u, 0x00000000u, 0x00000000u, 0x00000000u},
    {0x00000004u, 0x00000000u, 0x00000000u, 0x00000000u, 0x00000000u},
    {0x00000010u, 0x00000000u, 0x00000000u, 0x00000000u, 0x00000000u},
    {0x00000100u, 0x00000000u, 0x00000000u, 0x00000000u, 0x00000000u},
    {0x00010000u, 0x00000000u, 0x00000000u, 0x00000000u, 0x00000000u},
    {0x00000000u, 0x00000001u, 0x00000000u, 0x00000000u, 0x00000000u},
    {0x00000000u, 0x00000000u, 0x00000001u, 0x00000000u, 0x00000000u},
    {0x00000000u, 0x00000000u, 0x00000000u, 0x00000000u, 0x00000001u},
    {0xbebd3534u, 0x7064f5bcu, 0x20be29ebu, 0x536d5b32u, 0x063a0069u},
    {0x9df022beu, 0x4c2ee09fu, 0x0939c7c8u, 0xe711c2f8u, 0xc6f135aeu},
    {0xed64ec08u, 0xafc48684u, 0xd81c59eeu, 0x1640314fu, 0x2bf0ccefu},
    {0x16ade0a0u, 0x3ff6a2d3u, 0x4746bd83u, 0x2e65a497u, 0x263e40a4u},
    {0x9d10e028u, 0xee56d79cu, 0xfb1b3286u, 0x0f747418u, 0x26f9476du},
    {0x284e9f80u, 0x95328d41u, 0x97ec0360u, 0x1e655d95u, 0x60a9306fu},
    {0x3f490634u, 0x9ae593fcu, 0x1a95bb6bu, 0xda10a3fcu, 0xa3abaf54u},
    {0xa80ecea0u, 0x392ca981u, 0x191e801eu, 0xceb66042u, 0x2f4edc3fu},
    {0xfb9680e9u, 0xbdaba0b2u, 0x3986540fu, 0x23fe6cccu, 0x0994e82fu},
    {0x4d53badbu, 0x3e30e97du, 0x19abbaf6u, 0x5cd52f87u, 0x98663641u},
    {0x32da6db4u, 0x80135829u, 0x3abd4734u, 0x2060c3f9u, 0x38b2dd97u},
    {0xbd3a57bdu, 0x066101a8u, 0x0b4f188eu, 0x16890623u, 0x8bf58771u},
    {0x0c5b636fu, 0x4407a814u, 0x60204515u, 0x5bd4dbd2u, 0x2509eeb5u},
    {0xa87f2bfeu, 0x0143dfcbu, 0x4b5142bau, 0xfd21a24bu, 0x3dac4527u},
    {0x21e9179du, 0x2b57aa94u, 0x5f06e1fcu, 0x6735dc98u, 0x9aa0181fu},
    {0x4a85a684u, 0x2ff777f0u, 0x8e58b0edu, 0xd4e84a39u, 0x6d37f6a0u},
    {0x793adf2bu, 0x3d3e75c8u, 0x0b091758u, 0x9deb3f50u, 0xbcd116ecu},
    {0x89c7a15du, 0x43629d41u, 0x8a870ba5u, 0xa7916f56u, 0x9db15489u},
    {0xfa8fc346u, 0x694921b1u, 0xf2bd4c48u, 0x8b05ae1bu, 0x2de7aee2u},
    {0xbc1bc6b9u, 0xd73ea395u, 0xfbdd753du, 0xe45dbacdu, 0x7b16eae0u},
    {0xf144e1f3u, 0xb9b4b3c4u, 0x8222f622u, 0x9072105au, 0x66083550u},
    {0xd88a6c5eu, 0x9ac20a72u, 0x209ef9a8u, 0xe8e4fd8au, 0x1ec855a5u},
    {0xbd734cf1u, 0x9254a905u, 0xfb38236du, 0x11e62fd3u, 0xf9e7d21eu},
    {0x8d333839u, 0x69fed6dfu, 0x79338fdeu, 0xa38a8714u, 0x0e538bcau},
};
// k = 67 to 98: a subsequence has 2^67 numbers.
LAB_RANDOM_TABLE unsigned int lab_xorwow_sequences[32][5] = {
    {0x26294934u, 0x77bbc248u, 0x1a87dad0u, 0x930052d4u, 0x947e6dd2u},
    {0x5f39c379u, 0x95e20ba6u, 0x20e9ff72u, 0x1244ce5eu, 0xe8fd228fu},
    {0xa7474d19u, 0x37c549e0u, 0x140877d2u, 0x24c43924u, 0xcd52ebecu},
    {0xe0360ec5u, 0xb1c96c24u, 0xdbb91766u, 0x666ff5dcu, 0xf19a7e52u},
    {0xfcc8f692u, 0x35aa698au, 0x04ebbf85u, 0x448304b0u, 0x082f3fd5u},
    {0x48c289bdu, 0xe851cf98u, 0x845ad581u, 0xfd70752au, 0x2c3e63f6u},
    {0xe502f5b3u, 0x77859d31u, 0x97e1cbb3u, 0xea09047au, 0x61d5f37eu},
    {0xb89326d0u, 0x5a8655a9u, 0xfb6e98f5u, 0x02102162u, 0x7e6fcf6fu},
    {0xb3a15db4u, 0xc6df3330u, 0x1a8be751u, 0xf1e4b221u, 0x6bb61c05u},
    {0x133de1d0u, 0x361e4422u, 0xc6131fcfu, 0xd9719f45u, 0x9658a164u},
    {0x19e2bee8u, 0xf8974218u, 0x4e65536au, 0xa2570336u, 0xe9b88082u},
    {0x7863644bu, 0x2a21ce84u, 0x112e86f1u, 0xed01ce0eu, 0xba143e84u},
    {0x0e2cae2eu, 0xd1011279u, 0x58923768u, 0x2bf650bau, 0xc985bcdau},
    {0x213a286au, 0x6596b510u, 0x6fc10eaeu, 0x38a13547u, 0x11c7749eu},
    {0x146281e7u, 0xa45b4452u, 0xafa8c695u, 0x74a0ac94u, 0x4b250e0au},
    {0x2306bc52u, 0x790f3b4cu, 0x2fe473b9u, 0xbc81d7c0u, 0x093efe98u},
    {0x89658c8bu, 0xf3914315u, 0xa73fe84bu, 0x3c5fadb6u, 0xadba8dd6u},
    {0x09e49814u, 0x09caf5edu, 0x6b2460d9u, 0x1b9981c1u, 0x2d1fefc3u},
    {0x82161afcu, 0x9bb13c55u, 0xfd20d7fbu, 0x306d90b9u, 0x92bf386fu},
    {0x96d32350u, 0x0e081864u, 0x69faa798u, 0xe7faecf5u, 0xf1f951beu},
    {0x3e9058c1u, 0x71da9705u, 0xe2cb1f2bu, 0x73456536u, 0xbd6501b6u},
    {0x990ffc6eu, 0xbfdd1b5du, 0xc83e520bu, 0xe972936au, 0xac79abb9u},
    {0xb1321eb5u, 0xb06d01a2u, 0x51532012u, 0x8fb59962u, 0x141d3b0bu},
    {0x3257dfe1u, 0xd8a3d601u, 0x3a58c735u, 0x845f36e4u, 0x0112c611u},
    {0xa0ffe9a4u, 0xf57be00eu, 0xe706880cu, 0x191211efu, 0xee5664fbu},
    {0x9a3385b8u, 0xc540c30au, 0xb241d1e0u, 0x00626569u, 0x6b355fe9u},
    {0xe129d45du, 0xac3e698bu, 0xd61f79fdu, 0x7a72a28bu, 0x7f4942beu},
    {0x612501bbu, 0xae7b767du, 0xaa66c165u, 0x09bfaf8eu, 0x3e55c16du},
    {0x874e26a7u, 0x33bc5a47u, 0xad95cba5u, 0x67651c39u, 0xf1f07dcau},
    {0xb5ed0732u, 0x30e7a573u, 0x5c056714u, 0x2304f8fau, 0xebc584e1u},
    {0x4b324c2eu, 0x2bdcc5a0u, 0x53eb4240u, 0xcac4fbc1u, 0x13e529e7u},
    {0xe1683e38u, 0xa2339994u, 0x7308a647u, 0xc7c3f0b1u, 0x4a3dcd33u},
};

struct lab_xorwow {
  unsigned int d;
  unsigned int v[5];
};

LAB_RANDOM void lab_step(unsigned int* v) {
  const unsigned int t = v[0] ^ (v[0] >> 2);
  for (int i = 0; i < 4; ++i) v[i] = v[i + 1];
  v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
}

LAB_RANDOM void lab_jump(const unsigned int* polynomial, unsigned int* v) {
  unsigned int sum[5] = {0, 0, 0, 0, 0};
  for (int bit = 0; bit < 160; ++bit) {
    const unsigned int mask = 0u - (polynomial[bit / 32] >> (bit % 32) & 1u);
    for (int i = 0; i < 5; ++i) sum[i] ^= v[i] & mask;
    lab_step(v);
  }
  for (int i = 0; i < 5; ++i) v[i] = sum[i];
}

LAB_RANDOM void lab_skip(lab_xorwow* state, unsigned long long count) {
  for (int k = 0; k < 32 && count >> k != 0; ++k) {
    if ((count >> k & 1) != 0) lab_jump(lab_xorwow_steps[k], state->v);
  }
  state->d += 362437u * (unsigned int)count;
}

LAB_RANDOM void lab_skip_sequences(lab_xorwow* state, unsigned long long count) {
  for (int k = 0; k < 32 && count >> k != 0; ++k) {
    if ((count >> k & 1) != 0) lab_jump(lab_xorwow_sequences[k], state->v);
  }
}

LAB_RANDOM void lab_init(lab_xorwow* state, unsigned long long seed) {
  const unsigned int low = 1099087573u * ((unsigned int)seed ^ 0xaad26b49u);
  const unsigned int high = 2591861531u * ((unsigned int)(seed >> 32) ^ 0xf7dcefddu);
  state->d = 6615241u + high + low;
  state->v[0] = 123456789u + low;
  state->v[1] = 362436069u ^ low;
  state->v[2] = 521288629u + high;
  state->v[3] = 88675123u ^ high;
  state->v[4] = 5783321u + low;
}

LAB_RANDOM unsigned int lab_next(lab_xorwow* state) {
  lab_step(state->v);
  state->d += 362437u;
  return state->v[4] + state->d;
}

// Four numbers of a counter and a key, by ten rounds.
LAB_RANDOM void lab_philox(const unsigned int* counter, unsigned int key0, unsigned int key1,
                           unsigned int* out) {
  unsigned int c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
  for (int round = 0; round < 10; ++round) {
    const unsigned long long a = 0xd2511f53ull * c0;
    const unsigned long long b = 0xcd9e8d57ull * c2;
    c0 = (unsigned int)(b >> 32) ^ c1 ^ key0;
    c1 = (unsigned int)b;
    c2 = (unsigned int)(a >> 32) ^ c3 ^ key1;
    c3 = (unsigned int)a;
    key0 += 0x9e3779b9u;
    key1 += 0xbb67ae85u;
  }
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
  out[3] = c3;
}

// In (0, 1].
LAB_RANDOM float lab_uniform(unsigned int x) {
  return (float)x * 2.3283064e-10f + 2.3283064e-10f / 2;
}
// Of 53 bits.
LAB_RANDOM double lab_uniform_double(unsigned int x, unsigned int y) {
  const unsigned long long bits = x ^ ((unsigned long long)y << 21);
  return (double)bits * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2;
}
