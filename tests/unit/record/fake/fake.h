// How the driver without a GPU and the CUPTI without a GPU know of each other.
#pragma once

#include <cuda.h>

#include <cstdint>

/// A call of the driver's at its beginning or its end.
struct FakeCall {
  std::uint32_t id = 0;  ///< CUPTI_DRIVER_TRACE_CBID_...
  bool ends = false;
  const char* function = nullptr;
  const void* params = nullptr;
  CUresult* result = nullptr;
  const char* symbol = nullptr;
  std::uint64_t* data = nullptr;  ///< kept from the beginning to the end
  std::uint32_t correlation = 0;
};

/// What the device without a GPU has done.
struct FakeWork {
  const char* kernel = nullptr;  ///< null: a copy from the device
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  unsigned shared = 0;
  std::uint64_t bytes = 0;
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t node = 0;
  std::uint32_t correlation = 0;
};

struct FakeHooks {
  void (*call)(const FakeCall& call);
  void (*work)(const FakeWork& work);
  void (*module)(std::uint32_t number, const void* bytes, std::size_t size);
};

/// In libcuda: CUPTI calls it when somebody subscribes.
extern "C" void fake_attach(const FakeHooks* hooks);
