// Lab 2, your part: update_float4. Particles as two arrays of float4: position x, y, z and mass,
// velocity x, y, z and charge. Move each particle with two loads and one store of 16 bytes. Run it:
// lab run 2 --variant update_float4 --kernel starter.cu

extern "C" __global__ void update_float4(float4* position, const float4* velocity, int n,
                                         float dt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  // Expected: position += velocity * dt in x, y and z; the mass stays as it is.
}
