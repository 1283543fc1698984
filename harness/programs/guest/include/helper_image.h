// In place of the samples' header of this name: comparisons of arrays, and grey pictures (PGM).
#pragma once

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "helper_string.h"

template <class T, class S>
inline bool compareData(const T* expected, const T* data, const unsigned int count, const S epsilon,
                        const float threshold) {
  unsigned int wrong = 0;
  for (unsigned int i = 0; i < count; ++i) {
    const double apart = std::fabs(static_cast<double>(expected[i]) - static_cast<double>(data[i]));
    wrong += apart <= static_cast<double>(epsilon) ? 0U : 1U;
  }
  return static_cast<float>(wrong) <= threshold * static_cast<float>(count);
}
inline bool sdkCompareL2fe(const float* expected, const float* data, const unsigned int count,
                           const float epsilon) {
  double apart = 0;
  double all = 0;
  for (unsigned int i = 0; i < count; ++i) {
    apart += static_cast<double>(expected[i] - data[i]) * (expected[i] - data[i]);
    all += static_cast<double>(expected[i]) * expected[i];
  }
  return all > 0 && std::sqrt(apart / all) < epsilon;
}
template <class T>
inline bool sdkWriteFile(const char* name, const T* data, unsigned int count, const T& epsilon,
                         bool, bool = false) {
  std::ofstream file(name);
  file << "# " << epsilon << "\n";
  for (unsigned int i = 0; i < count; ++i) file << data[i] << ' ';
  return static_cast<bool>(file);
}
inline bool lab_load_pgm(const char* name, std::vector<unsigned char>& into, unsigned int* width,
                         unsigned int* height) {
  std::ifstream file(name, std::ios::binary);
  std::string kind;
  int most = 0;
  const auto number = [&](int fallback) {
    while (file >> std::ws && file.peek() == '#') std::getline(file, kind);
    file >> fallback;
    return fallback;
  };
  if (!(file >> kind) || kind != "P5") return false;
  *width = static_cast<unsigned int>(number(0));
  *height = static_cast<unsigned int>(number(0));
  most = number(0);
  file.get();
  into.resize(std::size_t{*width} * *height);
  file.read(reinterpret_cast<char*>(into.data()), static_cast<std::streamsize>(into.size()));
  return most == 255 && static_cast<bool>(file);
}
template <class T>
inline bool sdkLoadPGM(const char* name, T** data, unsigned int* width, unsigned int* height) {
  std::vector<unsigned char> bytes;
  if (!lab_load_pgm(name, bytes, width, height)) return false;
  if (*data == nullptr) *data = static_cast<T*>(std::malloc(bytes.size() * sizeof(T)));
  const T scale = sizeof(T) == 1 ? T(1) : T(1) / T(255);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    (*data)[i] = sizeof(T) == 1 ? static_cast<T>(bytes[i]) : static_cast<T>(bytes[i]) * scale;
  }
  return true;
}
template <class T>
inline bool sdkSavePGM(const char* name, T* data, unsigned int width, unsigned int height) {
  std::ofstream file(name, std::ios::binary);
  file << "P5\n" << width << ' ' << height << "\n255\n";
  for (std::size_t i = 0; i < std::size_t{width} * height; ++i) {
    const auto value =
        sizeof(T) == 1 ? static_cast<double>(data[i]) : static_cast<double>(data[i]) * 255;
    file.put(static_cast<char>(static_cast<unsigned char>(value)));
  }
  return static_cast<bool>(file);
}
