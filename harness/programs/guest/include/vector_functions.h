// make_float4 and its like.
#pragma once

#include "vector_types.h"

#define LAB_MAKERS(name, type)                                                                   \
  LAB_BOTH_SIDES static inline name##1 make_##name##1(type x) { return name##1 {x}; }            \
  LAB_BOTH_SIDES static inline name##2 make_##name##2(type x, type y) { return name##2 {x, y}; } \
  LAB_BOTH_SIDES static inline name##3 make_##name##3(type x, type y, type z) {                  \
    return name##3 {x, y, z};                                                                    \
  }                                                                                              \
  LAB_BOTH_SIDES static inline name##4 make_##name##4(type x, type y, type z, type w) {          \
    return name##4 {x, y, z, w};                                                                 \
  }
LAB_MAKERS(char, signed char)
LAB_MAKERS(uchar, unsigned char)
LAB_MAKERS(short, short)
LAB_MAKERS(ushort, unsigned short)
LAB_MAKERS(int, int)
LAB_MAKERS(uint, unsigned int)
LAB_MAKERS(long, long)
LAB_MAKERS(ulong, unsigned long)
LAB_MAKERS(longlong, long long)
LAB_MAKERS(ulonglong, unsigned long long)
LAB_MAKERS(float, float)
LAB_MAKERS(double, double)
#undef LAB_MAKERS
