// Matrix instructions: their loads, stores and products, and the cost of their rows.
#include <bit>

#include "tests/conformance/suite.h"

namespace lab::conformance {
namespace {

constexpr auto kHalfWord = ElementType::kU16;
constexpr auto kByte = ElementType::kU8;
constexpr std::size_t kTileElements = 32 * 64 + 64;  // elements of the kernels' tile

class Matrices : public Suite {
 protected:
  Matrices() : Suite("matrices.cu") {}

  CaseOutcome rows(const std::string& kernel, BufferSpec out, std::int32_t pitch,
                   std::int32_t turn) {
    return run(kernel, line(1, 32), {std::move(out), scalar_i32(pitch), scalar_i32(turn)});
  }
};
INSTANTIATE_TEST_SUITE_P(Backends, Matrices, backends(), backend_name);

/// Element `column` of row `row` in the kernels' tile: its value is where it lies.
std::uint32_t tile_element(std::uint32_t row, std::uint32_t column, std::uint32_t pitch,
                           std::uint32_t turn) {
  const std::uint32_t chunk = turn > 0 ? row % turn : 0;
  return (row * pitch + chunk * 16) / 2 + column;
}

TEST_P(Matrices, RowsOfEightAreLoadedToTheirLanes) {
  const std::pair<const char*, std::uint32_t> kernels[] = {
      {"load_x1", 1}, {"load_x2", 2}, {"load_x4", 4}};
  for (const auto& [kernel, count] : kernels) {
    const auto got = buffer<std::uint32_t>(rows(kernel, out(kU32, 32 * count), 80, 0), 0);
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      for (std::uint32_t i = 0; i < count; ++i) {
        // Lane l has two neighbours of row l / 4 of matrix i, whose rows are 8 i, 8 i + 1, ...
        const std::uint32_t first = tile_element(8 * i + lane / 4, lane % 4 * 2, 80, 0);
        EXPECT_EQ(got[lane * count + i], first | (first + 1) << 16U) << kernel << ' ' << lane;
      }
    }
  }
}

TEST_P(Matrices, TransposedRowsAreColumns) {
  const auto got = buffer<std::uint32_t>(rows("load_x4_trans", out(kU32, 128), 128, 8), 0);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    for (std::uint32_t i = 0; i < 4; ++i) {
      const std::uint32_t row = 8 * i + lane % 4 * 2;
      const std::uint32_t low = tile_element(row, lane / 4, 128, 8);
      const std::uint32_t high = tile_element(row + 1, lane / 4, 128, 8);
      EXPECT_EQ(got[lane * 4 + i], low | high << 16U) << lane << ' ' << i;
    }
  }
}

TEST_P(Matrices, StoresAreTheLoadsTurnedAround) {
  std::vector<std::uint16_t> want(kTileElements, 0xffff);
  std::vector<std::uint16_t> turned = want;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    for (std::uint32_t i = 0; i < 4; ++i) {
      for (std::uint32_t half = 0; half < 2; ++half) {
        const auto value = static_cast<std::uint16_t>(1000 * i + 2 * lane + half);
        const std::uint32_t along = lane / 4;
        const std::uint32_t across = lane % 4 * 2 + half;
        want[tile_element(8 * i + along, across, 80, 0)] = value;
        if (i < 2) turned[tile_element(8 * i + across, along, 80, 0)] = value;
      }
    }
  }
  EXPECT_EQ(buffer<std::uint16_t>(rows("store_x4", out(kHalfWord, kTileElements), 80, 0), 0), want);
  EXPECT_EQ(buffer<std::uint16_t>(rows("store_x2_trans", out(kHalfWord, kTileElements), 80, 0), 0),
            turned);
}

TEST_P(Matrices, AMatrixIsTransposedBetweenLanes) {
  const auto got = buffer<std::uint32_t>(run("turned", line(1, 32), {out(kU32, 32)}), 0);
  // Element (r, c) of the matrix is 8 r + c; lane l has (2 m, l / 4) and (2 m + 1, l / 4).
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const std::uint32_t low = 8 * (lane % 4 * 2) + lane / 4;
    EXPECT_EQ(got[lane], low | (low + 8) << 16U) << lane;
  }
}

// Rows 64 bytes apart meet in 4 of 8, rows 128 bytes apart in all 8; padding to 80 bytes and a
// permutation of the columns by row % 8 free them. The tile is filled by 66 stores of 2 bytes and
// the rows of each matrix are one group.
TEST_P(Matrices, RowsInTheSameBanksConflict) {
  if (on_gpu()) GTEST_SKIP() << "the hardware counts them with the shared loads";
  struct Spacing {
    std::int32_t pitch, turn;
    double wavefronts;
  };
  for (const Spacing& row : {Spacing{16, 0, 4}, Spacing{64, 0, 16}, Spacing{80, 0, 4},
                             Spacing{128, 0, 32}, Spacing{128, 8, 4}, Spacing{64, 4, 8}}) {
    for (const char* kernel : {"load_x4", "load_x4_trans"}) {
      const auto got = rows(kernel, out(kU32, 128), row.pitch, row.turn);
      EXPECT_EQ(value(got, "matrix_load_requests"), 1);
      EXPECT_EQ(value(got, "matrix_load_wavefronts"), row.wavefronts) << row.pitch;
      EXPECT_EQ(value(got, "matrix_load_bank_conflicts"), row.wavefronts - 4);
      EXPECT_EQ(value(got, "shared_load_wavefronts"), row.wavefronts);
      EXPECT_EQ(value(got, "shared_load_requests"), 0);
    }
  }
}

// ---- products: small whole numbers, whose sums are exact in every order ------------------------

std::uint16_t f16_of(int value) {
  if (value == 0) return 0;
  const auto magnitude = static_cast<std::uint32_t>(value < 0 ? -value : value);
  const int exponent = static_cast<int>(std::bit_width(magnitude)) - 1;
  const std::uint32_t bits =
      static_cast<std::uint32_t>(exponent + 15) << 10U | ((magnitude << (10 - exponent)) & 0x3ffU);
  return static_cast<std::uint16_t>(bits | (value < 0 ? 0x8000U : 0U));
}
std::uint16_t bf16_of(int value) {
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16U);
}

/// Whole numbers from -7 to 7, in an order that repeats nowhere near.
int number(std::size_t i, unsigned salt) {
  return static_cast<int>((i * 2654435761U + salt * 40503U) >> 7U & 0xffffU) % 15 - 7;
}

struct Sizes {
  std::size_t m, n, k;
};

/// D = A B + C of the numbers with salts 1, 2 and 3; B by columns.
std::vector<int> whole_product(const Sizes& s) {
  std::vector<int> d(s.m * s.n);
  for (std::size_t i = 0; i < s.m; ++i) {
    for (std::size_t j = 0; j < s.n; ++j) {
      int sum = number(i * s.n + j, 3);
      for (std::size_t k = 0; k < s.k; ++k) sum += number(i * s.k + k, 1) * number(j * s.k + k, 2);
      d[i * s.n + j] = sum;
    }
  }
  return d;
}

template <typename T, typename F>
std::vector<T> numbers(std::size_t count, unsigned salt, F make) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = make(number(i, salt));
  return values;
}
float float_of(int value) { return static_cast<float>(value); }
double double_of(int value) { return static_cast<double>(value); }

TEST_P(Matrices, ProductsOfHalves) {
  struct Product {
    const char* kernel;
    Sizes shape;
    std::uint16_t (*make)(int);
  };
  for (const Product& f :
       {Product{"f16_16816", {16, 8, 16}, f16_of}, Product{"f16_1688", {16, 8, 8}, f16_of},
        Product{"bf16_16816", {16, 8, 16}, bf16_of}, Product{"bf16_1688", {16, 8, 8}, bf16_of}}) {
    const Sizes& s = f.shape;
    const auto got = run(
        f.kernel, line(1, 32),
        {out(kF32, s.m * s.n), given(kHalfWord, numbers<std::uint16_t>(s.m * s.k, 1, f.make), "a"),
         given(kHalfWord, numbers<std::uint16_t>(s.n * s.k, 2, f.make), "b"),
         given(kF32, numbers<float>(s.m * s.n, 3, float_of), "c")});
    const auto d = buffer<float>(got, 0);
    const auto want = whole_product(s);
    for (std::size_t i = 0; i < want.size(); ++i) EXPECT_EQ(d[i], float_of(want[i])) << f.kernel;
  }
}

TEST_P(Matrices, ProductsOfHalvesInHalves) {
  const auto got =
      run("f16_to_f16", line(1, 32),
          {out(kHalfWord, 128), given(kHalfWord, numbers<std::uint16_t>(256, 1, f16_of), "a"),
           given(kHalfWord, numbers<std::uint16_t>(128, 2, f16_of), "b"),
           given(kHalfWord, numbers<std::uint16_t>(128, 3, f16_of), "c")});
  const auto d = buffer<std::uint16_t>(got, 0);
  const auto want = whole_product({16, 8, 16});  // at most 16 * 49 + 7: exact in a half
  for (std::size_t i = 0; i < want.size(); ++i) EXPECT_EQ(d[i], f16_of(want[i])) << i;
}

TEST_P(Matrices, ProductsOfTf32) {
  for (const auto& [kernel, k] : {std::pair{"tf32_1688", std::size_t{8}}, {"tf32_1684", 4}}) {
    const auto got = run(kernel, line(1, 32),
                         {out(kF32, 128), given(kF32, numbers<float>(16 * k, 1, float_of), "a"),
                          given(kF32, numbers<float>(8 * k, 2, float_of), "b"),
                          given(kF32, numbers<float>(128, 3, float_of), "c")});
    const auto d = buffer<float>(got, 0);
    const auto want = whole_product({16, 8, k});
    for (std::size_t i = 0; i < want.size(); ++i) EXPECT_EQ(d[i], float_of(want[i])) << kernel;
  }
}

TEST_P(Matrices, ProductsOfDoubles) {
  for (const auto& [kernel, s] :
       {std::pair{"f64_884", Sizes{8, 8, 4}}, {"f64_16816", Sizes{16, 8, 16}}}) {
    const auto got =
        run(kernel, line(1, 32),
            {out(kF64, s.m * s.n), given(kF64, numbers<double>(s.m * s.k, 1, double_of), "a"),
             given(kF64, numbers<double>(s.n * s.k, 2, double_of), "b"),
             given(kF64, numbers<double>(s.m * s.n, 3, double_of), "c")});
    const auto d = buffer<double>(got, 0);
    const auto want = whole_product(s);
    for (std::size_t i = 0; i < want.size(); ++i) EXPECT_EQ(d[i], double_of(want[i])) << kernel;
  }
}

TEST_P(Matrices, ProductsOfBytes) {
  const auto signed_byte = [](int value) { return static_cast<std::uint8_t>(value); };
  const auto a = numbers<std::uint8_t>(512, 1, signed_byte);
  const auto b = numbers<std::uint8_t>(256, 2, signed_byte);
  const std::vector<std::int32_t> c(128, 2147483600);  // near the largest
  const auto args = [&](const std::vector<std::int32_t>& addend) {
    return std::vector<ArgSpec>{out(kI32, 128), given(kByte, a, "a"), given(kByte, b, "b"),
                                given(kI32, addend, "c")};
  };
  const auto sums = [&](bool unsigned_a, const std::vector<std::int32_t>& addend) {
    std::vector<std::int64_t> d(128);
    for (std::size_t i = 0; i < 16; ++i) {
      for (std::size_t j = 0; j < 8; ++j) {
        std::int64_t sum = addend[i * 8 + j];
        for (std::size_t k = 0; k < 32; ++k) {
          const int left =
              unsigned_a ? int{a[i * 32 + k]} : int{static_cast<std::int8_t>(a[i * 32 + k])};
          sum += left * int{static_cast<std::int8_t>(b[j * 32 + k])};
        }
        d[i * 8 + j] = sum;
      }
    }
    return d;
  };
  const std::vector<std::int32_t> small(128, 5);
  const auto plain = buffer<std::int32_t>(run("s8_16832", line(1, 32), args(small)), 0);
  const auto mixed = buffer<std::int32_t>(run("u8_s8_16832", line(1, 32), args(small)), 0);
  const auto wrapped = buffer<std::int32_t>(run("s8_16832", line(1, 32), args(c)), 0);
  const auto full = buffer<std::int32_t>(run("s8_saturated", line(1, 32), args(c)), 0);
  std::size_t over = 0;
  for (std::size_t i = 0; i < 128; ++i) {
    EXPECT_EQ(plain[i], sums(false, small)[i]);
    EXPECT_EQ(mixed[i], sums(true, small)[i]);
    const std::int64_t sum = sums(false, c)[i];
    over += sum > 2147483647 ? 1 : 0;
    EXPECT_EQ(wrapped[i], static_cast<std::int32_t>(static_cast<std::uint32_t>(sum)));
    EXPECT_EQ(full[i], std::min<std::int64_t>(sum, 2147483647));
  }
  EXPECT_GT(over, 0U);  // else nothing was saturated
}

// 4 warps x 4 steps of k x (1 + 4) loads of 4 matrices: 320 wavefronts with rows of 144 bytes,
// which lie in different banks, and 8 times as many with rows of 128 bytes.
TEST_P(Matrices, ATiledProductCostsWhatItsPitchMakesOfIt) {
  std::vector<int> want(64 * 64);
  for (std::size_t i = 0; i < 64; ++i) {
    for (std::size_t j = 0; j < 64; ++j) {
      for (std::size_t k = 0; k < 64; ++k)
        want[i * 64 + j] += number(i * 64 + k, 1) * number(k * 64 + j, 2);
    }
  }
  for (const auto& [kernel, wavefronts] : {std::pair{"tiled_64", 2560.0}, {"tiled_72", 320.0}}) {
    const auto got =
        run(kernel, line(1, 128),
            {out(kF32, 4096), given(kHalfWord, numbers<std::uint16_t>(4096, 1, f16_of), "a"),
             given(kHalfWord, numbers<std::uint16_t>(4096, 2, f16_of), "b")});
    const auto c = buffer<float>(got, 0);
    for (std::size_t i = 0; i < want.size(); ++i) ASSERT_EQ(c[i], float_of(want[i])) << kernel;
    if (on_gpu()) continue;  // its counter has arbitration in it
    EXPECT_EQ(value(got, "shared_load_wavefronts"), wavefronts) << kernel;
    EXPECT_EQ(value(got, "matrix_load_requests"), 80) << kernel;
  }
}

// The compiler loads A once: each of 4 warps executes 4 loads of 4 matrices and 32 of 2. Rows 144
// bytes apart lie in different banks, a wavefront for each matrix: 4 * (16 + 64). Rows 128 bytes
// apart all lie in the same: 8 wavefronts for each. An H200 measured 320 and 2,560.
TEST_P(Matrices, AMatrixThatTheCompilerLoadsOnceIsCountedOnce) {
  constexpr std::uint16_t kOne = 0x3c00;
  const std::vector<std::uint16_t> ones(4096, kOne);
  for (const auto& [pitch, wavefronts] : {std::pair(72, 320.0), std::pair(64, 2560.0)}) {
    const auto got = run("product", line(1, 128),
                         {out(kF32, 4096), given(kHalfWord, ones, "a"), given(kHalfWord, ones, "b"),
                          scalar_i32(pitch)});
    EXPECT_EQ(buffer<float>(got, 0), std::vector<float>(4096, 64));
    EXPECT_EQ(value(got, "shared_load_requests"), 0);
    if (on_gpu()) {
      EXPECT_GE(value(got, "shared_load_wavefronts"), wavefronts);
      continue;
    }
    EXPECT_EQ(value(got, "shared_load_wavefronts"), wavefronts);
    EXPECT_EQ(value(got, "matrix_load_wavefronts"), wavefronts);
    EXPECT_EQ(value(got, "matrix_load_requests"), 4 * (4 + 32));
    // All of them are in the PTX.
    const auto written = run("product", line(1, 128),
                             {out(kF32, 4096), given(kHalfWord, ones, "a"),
                              given(kHalfWord, ones, "b"), scalar_i32(pitch)},
                             AccessLevel::kPtx);
    EXPECT_EQ(value(written, "matrix_load_requests"), 4 * (32 + 32));
  }
}

}  // namespace
}  // namespace lab::conformance
