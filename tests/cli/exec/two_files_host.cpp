#include "two_files.h"

bool all_are(const float* h, int n, float value) {
  for (int i = 0; i < n; ++i)
    if (h[i] != value) return false;
  return true;
}
