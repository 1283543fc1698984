// cuRAND's host API: the numbers that the library gives, in its order. It has many generators of
// one seed, which take turns: 4096 of XORWOW, 65536 of Philox, four numbers each time (cuRAND
// Library, "Generator Options"; what it does not say was read off the library's host generators).
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "harness/programs/guest/include/curand.h"
#include "harness/programs/guest/runtime/library.h"

#define LAB_RANDOM inline
#define LAB_RANDOM_TABLE constexpr
#include "harness/programs/guest/include/lab_random.h"

struct curandGenerator_st {
  curandRngType_t type = CURAND_RNG_PSEUDO_XORWOW;
  bool on_host = false;
  cudaStream_t stream = nullptr;
  std::uint64_t seed = 0;
  std::uint64_t next = 0;          // the first number that was not given yet
  std::vector<lab_xorwow> states;  // of XORWOW: each where it is at `next`
};

namespace lab::program {
namespace {

constexpr std::uint64_t kXorwows = 4096;
constexpr std::uint64_t kPhiloxes = 65536;
constexpr int kVersion = 10305;

bool is_xorwow(const curandGenerator_st& generator) {
  return generator.type == CURAND_RNG_PSEUDO_XORWOW;
}

void begin(curandGenerator_st& generator) {
  generator.states.clear();
  if (!is_xorwow(generator)) return;
  lab_xorwow state;
  lab_init(&state, generator.seed);
  for (std::uint64_t i = 0; i < kXorwows; ++i) {
    generator.states.push_back(state);
    lab_jump(lab_xorwow_sequences[0], state.v);
    const std::uint64_t turns = (generator.next + kXorwows - 1 - i) / kXorwows;
    lab_skip(&generator.states.back(), turns);
  }
}

/// Numbers of the sequence from `next` on, `words` of one generator at a time.
class Words {
 public:
  Words(curandGenerator_st& generator, unsigned words) : generator_(generator), words_(words) {
    if (is_xorwow(generator) && generator.states.empty()) begin(generator);
  }
  /// Group number `i` behind `next`.
  void take(std::uint64_t i, unsigned* out) {
    if (is_xorwow(generator_)) {
      lab_xorwow& state = generator_.states[(generator_.next / words_ + i) % kXorwows];
      for (unsigned k = 0; k < words_; ++k) out[k] = lab_next(&state);
      return;
    }
    for (unsigned k = 0; k < words_; ++k) out[k] = philox(generator_.next + i * words_ + k);
  }

 private:
  // Doubles take two blocks of a generator before the next one's turn.
  unsigned philox(std::uint64_t at) {
    const std::uint64_t each = words_ == 1 || pair_of_floats_ ? 4 : 8;
    const std::uint64_t turn = at / each;
    const std::uint64_t block = turn / kPhiloxes * (each / 4) + at % each / 4;
    if (!known_ || turn != turn_ || block != block_) {
      const unsigned counter[4] = {static_cast<unsigned>(block),
                                   static_cast<unsigned>(block >> 32U),
                                   static_cast<unsigned>(turn % kPhiloxes), 0};
      lab_philox(counter, static_cast<unsigned>(generator_.seed),
                 static_cast<unsigned>(generator_.seed >> 32U), now_);
      known_ = true;
      turn_ = turn;
      block_ = block;
    }
    return now_[at % 4];
  }

 public:
  void of_floats() { pair_of_floats_ = true; }

 private:
  curandGenerator_st& generator_;
  unsigned words_;
  bool pair_of_floats_ = false;
  bool known_ = false;
  std::uint64_t turn_ = 0;
  std::uint64_t block_ = 0;
  unsigned now_[4] = {};
};

/// The generator's sequence goes on from `next` in all of its states.
void advance(curandGenerator_st& generator, std::uint64_t words) { generator.next += words; }

template <typename T>
using Fill = std::function<void(curandGenerator_st&, T*, std::size_t)>;

template <typename T>
curandStatus_t generate(Entry& entry, curandGenerator_t generator, const char* name, T* out,
                        std::size_t count, const Fill<T>& fill) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  if (count == 0) return CURAND_STATUS_SUCCESS;
  if (generator->on_host) {
    fill(*generator, out, count);
    return CURAND_STATUS_SUCCESS;
  }
  const cudaError_t error = do_or_keep(entry, generator->stream, [=](Site site) {
    Entry later(site);
    LibraryCall library(later, name);
    T* const into = library.writes(out, count);
    if (into == nullptr) return static_cast<int>(kIllegalAddress);
    fill(*generator, into, count);
    take_library(count * sizeof(T), 20.0 * static_cast<double>(count), sizeof(T));
    return static_cast<int>(kSuccess);
  });
  return error == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}

// Normal numbers come in pairs (Box and Muller): XORWOW has no half of one.
bool is_whole(curandGenerator_t generator, std::size_t count) {
  return generator == nullptr || !is_xorwow(*generator) || count % 2 == 0;
}

void uniform(curandGenerator_st& generator, float* out, std::size_t count) {
  Words words(generator, 1);
  for (std::size_t i = 0; i < count; ++i) {
    unsigned x = 0;
    words.take(i, &x);
    out[i] = lab_uniform(x);
  }
  advance(generator, count);
}

void uniform_double(curandGenerator_st& generator, double* out, std::size_t count) {
  Words words(generator, 2);
  for (std::size_t i = 0; i < count; ++i) {
    unsigned x[2];
    words.take(i, x);
    out[i] = lab_uniform_double(x[0], x[1]);
  }
  advance(generator, 2 * count);
}

void normal(curandGenerator_st& generator, float* out, std::size_t count) {
  Words words(generator, 2);
  words.of_floats();
  for (std::size_t i = 0; i < count; i += 2) {
    unsigned x[2];
    words.take(i / 2, x);
    constexpr float kTurn = 2.3283064e-10F * 6.2831855F;
    const float length = std::sqrt(-2.0F * std::log(lab_uniform(x[0])));
    const float angle = static_cast<float>(x[1]) * kTurn + kTurn / 2;
    out[i] = std::sin(angle) * length;
    if (i + 1 < count) out[i + 1] = std::cos(angle) * length;
  }
  advance(generator, count);
}

void normal_double(curandGenerator_st& generator, double* out, std::size_t count) {
  Words words(generator, 4);
  for (std::size_t i = 0; i < count; i += 2) {
    unsigned x[4];
    words.take(i / 2, x);
    const double length = std::sqrt(-2.0 * std::log(lab_uniform_double(x[0], x[1])));
    const double angle = 2.0 * M_PI * lab_uniform_double(x[2], x[3]);
    out[i] = std::sin(angle) * length;
    if (i + 1 < count) out[i + 1] = std::cos(angle) * length;
  }
  advance(generator, 2 * count);
}

}  // namespace
}  // namespace lab::program

using lab::program::Entry;

extern "C" {

curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t type) {
  if (type == CURAND_RNG_PSEUDO_DEFAULT) type = CURAND_RNG_PSEUDO_XORWOW;
  if (type != CURAND_RNG_PSEUDO_XORWOW && type != CURAND_RNG_PSEUDO_PHILOX4_32_10) {
    Entry entry(LAB_SITE);
    entry.line().note(lab::program::Refused{lab::program::RefusedCall::kRandomGenerator},
                      entry.site());
    return CURAND_STATUS_TYPE_ERROR;
  }
  *generator = new curandGenerator_st;
  (*generator)->type = type;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t type) {
  const curandStatus_t status = curandCreateGenerator(generator, type);
  if (status == CURAND_STATUS_SUCCESS) (*generator)->on_host = true;
  return status;
}
curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  delete generator;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetVersion(int* version) {
  *version = lab::program::kVersion;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  generator->stream = stream;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                  unsigned long long seed) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  generator->seed = seed;
  generator->next = 0;
  generator->states.clear();
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  generator->next = offset;
  generator->states.clear();
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  return order == CURAND_ORDERING_PSEUDO_SEEDED || order == CURAND_ORDERING_PSEUDO_DYNAMIC
             ? CURAND_STATUS_OUT_OF_RANGE
             : CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGenerateSeeds(curandGenerator_t generator) {
  return generator == nullptr ? CURAND_STATUS_NOT_INITIALIZED : CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGenerate(curandGenerator_t generator, unsigned int* out, size_t count) {
  Entry entry(LAB_SITE);
  return lab::program::generate<unsigned>(
      entry, generator, "curandGenerate", out, count,
      [](curandGenerator_st& of, unsigned* into, std::size_t n) {
        lab::program::Words words(of, 1);
        for (std::size_t i = 0; i < n; ++i) words.take(i, into + i);
        lab::program::advance(of, n);
      });
}
curandStatus_t curandGenerateUniform(curandGenerator_t generator, float* out, size_t count) {
  Entry entry(LAB_SITE);
  return lab::program::generate<float>(entry, generator, "curandGenerateUniform", out, count,
                                       lab::program::uniform);
}
curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double* out, size_t count) {
  Entry entry(LAB_SITE);
  return lab::program::generate<double>(entry, generator, "curandGenerateUniformDouble", out, count,
                                        lab::program::uniform_double);
}
curandStatus_t curandGenerateNormal(curandGenerator_t generator, float* out, size_t count,
                                    float mean, float deviation) {
  Entry entry(LAB_SITE);
  if (!lab::program::is_whole(generator, count)) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  return lab::program::generate<float>(entry, generator, "curandGenerateNormal", out, count,
                                       [=](curandGenerator_st& of, float* into, std::size_t n) {
                                         lab::program::normal(of, into, n);
                                         for (std::size_t i = 0; i < n; ++i)
                                           into[i] = mean + deviation * into[i];
                                       });
}
curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double* out, size_t count,
                                          double mean, double deviation) {
  Entry entry(LAB_SITE);
  if (!lab::program::is_whole(generator, count)) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  return lab::program::generate<double>(entry, generator, "curandGenerateNormalDouble", out, count,
                                        [=](curandGenerator_st& of, double* into, std::size_t n) {
                                          lab::program::normal_double(of, into, n);
                                          for (std::size_t i = 0; i < n; ++i)
                                            into[i] = mean + deviation * into[i];
                                        });
}
curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float* out, size_t count,
                                       float mean, float deviation) {
  Entry entry(LAB_SITE);
  if (!lab::program::is_whole(generator, count)) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  return lab::program::generate<float>(entry, generator, "curandGenerateLogNormal", out, count,
                                       [=](curandGenerator_st& of, float* into, std::size_t n) {
                                         lab::program::normal(of, into, n);
                                         for (std::size_t i = 0; i < n; ++i)
                                           into[i] = std::exp(mean + deviation * into[i]);
                                       });
}
curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double* out, size_t count,
                                             double mean, double deviation) {
  Entry entry(LAB_SITE);
  if (!lab::program::is_whole(generator, count)) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  return lab::program::generate<double>(entry, generator, "curandGenerateLogNormalDouble", out,
                                        count,
                                        [=](curandGenerator_st& of, double* into, std::size_t n) {
                                          lab::program::normal_double(of, into, n);
                                          for (std::size_t i = 0; i < n; ++i)
                                            into[i] = std::exp(mean + deviation * into[i]);
                                        });
}

}  // extern "C"
