#pragma once
void fill(float* d, int n, float value);
bool all_are(const float* h, int n, float value);
