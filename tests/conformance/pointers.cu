// Calls through pointers; pointers_test.cpp derives each number.

typedef float (*Function)(float, float);
__device__ float add(float a, float b) { return a + b; }
__device__ float mul(float a, float b) { return a * b; }
__device__ __noinline__ float from_memory(float a, float b) {
  __shared__ float tile[32];
  tile[threadIdx.x] = a;
  __syncwarp();
  return tile[31 - threadIdx.x] + b;
}
__device__ int negative(int a) { return -a; }
__device__ Function table[3] = {add, mul, from_memory};
__constant__ Function fixed[2] = {mul, add};
__device__ int (*other)(int) = negative;

// Lanes with different targets.
extern "C" __global__ void by_lane(float* out, const float* in) {
  int t = threadIdx.x;
  out[t] = table[t % 2](in[t], 2);
}

// One target, which has shared memory of its own, behind a branch and from constant memory.
extern "C" __global__ void by_argument(float* out, const float* in, int n) {
  int t = threadIdx.x;
  float value = table[n](in[t], 2);
  if (t < 20) value = fixed[t / 10](value, 3);
  out[t] = value + other(t);
}

// A lambda without captures is a function too.
extern "C" __global__ void lambdas(float* out) {
  int t = threadIdx.x;
  Function f = [](float a, float b) { return a - b; };
  if (t % 3 != 0) f = table[0];
  out[t] = f(t, 1);
}

struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual float scaled(float by) const { return area() * by; }
};
struct Square : Shape {
  float side;
  __device__ explicit Square(float a) : side(a) {}
  __device__ float area() const override { return side * side; }
};
struct Frame : Shape {
  float side;
  __device__ explicit Frame(float a) : side(a) {}
  __device__ float area() const override { return 4 * side; }
  __device__ float scaled(float by) const override { return area() * by + 1; }
};
extern "C" __global__ void shapes(float* out) {
  int t = threadIdx.x;
  Square square(t);
  Frame frame(t);
  const Shape* shape = t % 2 == 0 ? static_cast<const Shape*>(&square) : &frame;
  out[t] = shape->scaled(10);
}
