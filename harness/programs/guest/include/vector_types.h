// Vector types of CUDA: one to four values of a type, with the alignment that devices need.
#pragma once

#if defined(__CUDA__)
#define LAB_BOTH_SIDES __attribute__((host)) __attribute__((device))
#else
#define LAB_BOTH_SIDES
#endif

#define LAB_VECTOR_1(name, type) \
  struct name##1 {               \
    type x;                      \
  };                             \
  typedef struct name##1 name##1;
#define LAB_VECTOR_2(name, type, align)            \
  struct __attribute__((aligned(align))) name##2 { \
    type x, y;                                     \
  };                                               \
  typedef struct name##2 name##2;
#define LAB_VECTOR_3(name, type) \
  struct name##3 {               \
    type x, y, z;                \
  };                             \
  typedef struct name##3 name##3;
#define LAB_VECTOR_4(name, type, align)            \
  struct __attribute__((aligned(align))) name##4 { \
    type x, y, z, w;                               \
  };                                               \
  typedef struct name##4 name##4;
#define LAB_VECTORS(name, type, align2, align4) \
  LAB_VECTOR_1(name, type)                      \
  LAB_VECTOR_2(name, type, align2)              \
  LAB_VECTOR_3(name, type)                      \
  LAB_VECTOR_4(name, type, align4)
LAB_VECTORS(char, signed char, 2, 4)
LAB_VECTORS(uchar, unsigned char, 2, 4)
LAB_VECTORS(short, short, 4, 8)
LAB_VECTORS(ushort, unsigned short, 4, 8)
LAB_VECTORS(int, int, 8, 16)
LAB_VECTORS(uint, unsigned int, 8, 16)
LAB_VECTORS(long, long, 16, 16)
LAB_VECTORS(ulong, unsigned long, 16, 16)
LAB_VECTORS(longlong, long long, 16, 16)
LAB_VECTORS(ulonglong, unsigned long long, 16, 16)
LAB_VECTORS(float, float, 8, 16)
LAB_VECTORS(double, double, 16, 16)
#undef LAB_VECTORS
#undef LAB_VECTOR_1
#undef LAB_VECTOR_2
#undef LAB_VECTOR_3
#undef LAB_VECTOR_4

struct dim3 {
  unsigned int x, y, z;
#ifdef __cplusplus
  LAB_BOTH_SIDES constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1)
      : x(x_), y(y_), z(z_) {}
  LAB_BOTH_SIDES constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  LAB_BOTH_SIDES constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
};
typedef struct dim3 dim3;
