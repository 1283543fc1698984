#include "harness/labs/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "harness/core/error.h"
#include "harness/core/output_check.h"
#include "harness/core/resolve.h"

namespace lab {
namespace {

std::string text_of(const std::filesystem::path& path) {
  const std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Registry, FindsByNumberIdAndFolder) {
  for (const auto* name : {"3", "03", "bank_conflicts", "03_bank_conflicts"}) {
    EXPECT_EQ(find_lab(name).number, 3) << name;
  }
}

TEST(Registry, UnknownNamesAreInputErrorsWithASuggestion) {
  try {
    (void)find_lab("bank_conflict");
    FAIL() << "found a lab that is not there";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kInput);
    EXPECT_STREQ(error.what(), "there is no lab 'bank_conflict'");
    EXPECT_EQ(error.hint(), "did you mean 'bank_conflicts'?");
  }
}

TEST(Registry, NumbersIdsAndFoldersAreUniqueAndOrdered) {
  std::set<std::string> ids;
  int last = 0;
  for (const auto& lab : all_labs()) {
    EXPECT_GT(lab.number, last);
    last = lab.number;
    EXPECT_TRUE(ids.insert(lab.id).second) << lab.id;
    const auto prefix = (lab.number < 10 ? "0" : "") + std::to_string(lab.number) + "_";
    EXPECT_EQ(lab.folder, prefix + lab.id);
  }
}

TEST(Registry, EveryFolderIsWhole) {
  for (const auto& lab : all_labs()) {
    const auto folder = std::filesystem::path("labs") / lab.folder;
    for (const auto* file :
         {"kernels.cu", "lab.toml", "reference.cu", "README.md", "answers.md", "rubric.toml"}) {
      EXPECT_FALSE(text_of(folder / file).empty()) << folder / file;
    }
  }
}

class EveryVariant : public testing::Test {
 protected:
  template <typename Visit>
  static void each(Visit visit) {
    for (const auto& lab : all_labs()) {
      for (const auto& variant : lab.variants) {
        SCOPED_TRACE(lab.folder + " " + variant.name);
        visit(lab, variant);
      }
    }
  }
};

TEST_F(EveryVariant, HasPointsOfJustTheParametersItReads) {
  each([](const Lab& lab, const Variant& variant) {
    EXPECT_FALSE(variant.points.empty());
    const std::set<std::string> reads(variant.reads.begin(), variant.reads.end());
    for (const auto& point : variant.points) {
      std::set<std::string> names;
      for (const auto& [name, value] : point.all()) {
        names.insert(name);
        const auto& spec = find_param(lab, name);
        if (const auto* number = std::get_if<std::int64_t>(&value)) {
          EXPECT_GE(*number, spec.min) << name;
          EXPECT_LE(*number, spec.max) << name;
        }
      }
      EXPECT_EQ(names, reads);
    }
  });
}

TEST_F(EveryVariant, NamesAKernelThatItsFileDefines) {
  each([](const Lab& lab, const Variant& variant) {
    if (variant.needs_gpu) return;
    const auto source = text_of(std::filesystem::path("labs") / lab.folder / "kernels.cu");
    auto name = variant.kernel(variant.points.front());
    name = name.substr(0, name.find('<'));
    EXPECT_NE(source.find(" " + name + "("), std::string::npos) << name;
  });
}

TEST_F(EveryVariant, FormulasParseAndHaveValuesAtEveryPoint) {
  each([](const Lab&, const Variant& variant) {
    if (variant.needs_gpu || variant.theory.empty()) return;
    for (const auto& point : variant.points) {
      const auto names = formula_names(variant, point, variant.launch(point));
      for (const auto& row : variant.theory) {
        EXPECT_FALSE(row.why.empty()) << row.metric;
        const double low = row.formula.value(names);
        EXPECT_GE(low, 0) << row.metric << " at " << point.text();
        if (row.high) {
          EXPECT_GE(row.high->value(names), low);
        }
      }
    }
  });
}

// A metric has one prediction.
TEST_F(EveryVariant, PredictsEachMetricOnce) {
  each([](const Lab&, const Variant& variant) {
    std::set<std::string> metrics;
    for (const auto& row : variant.theory) {
      EXPECT_TRUE(metrics.insert(row.metric).second) << row.metric;
    }
  });
}

// It is called with buffers of the variant, all outputs among them.
TEST_F(EveryVariant, HasAReferenceOfItsBuffers) {
  each([](const Lab&, const Variant& variant) {
    EXPECT_EQ(static_cast<bool>(variant.reference), !variant.model_only);
    if (!variant.reference) return;
    const Job job = make_job(variant, variant.points.back(), 7);
    std::set<std::string> given;
    for (const ArgSpec& arg : reference_job(job).args) {
      if (const auto* buffer = std::get_if<BufferSpec>(&arg)) given.insert(buffer->name);
    }
    for (const ArgSpec& arg : job.args) {
      const auto* buffer = std::get_if<BufferSpec>(&arg);
      if (buffer == nullptr || buffer->direction == Direction::kIn) continue;
      EXPECT_TRUE(given.contains(buffer->name)) << buffer->name;
    }
  });
}

// 2^22 floats, 4097 apart: 17,184,059,392 elements, beyond a kernel's 32-bit index.
TEST(Registry, AnArrayThatAnIntCannotIndexIsAnInputError) {
  const auto& strides = find_variant(find_lab("10"), "strides");
  EXPECT_NO_THROW((void)strides.args({{"n", 32768}, {"stride", 4097}}));
  try {
    (void)strides.args({{"n", 1 << 22}, {"stride", 4097}});
    FAIL() << "an index would overflow";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kInput);
    EXPECT_STREQ(error.what(), "an array of 17184059392 elements is too large");
  }
}

// What a person sees first fits a screen: a few points, each of them one of the sweep.
TEST(Registry, TellingPointsAreFewAndOfTheSweep) {
  constexpr std::size_t kMost = 10;
  for (const Lab& lab : all_labs()) {
    for (const Variant& v : lab.variants) {
      for (const Params& point : v.telling) {
        const auto among = [&](const std::vector<Params>& points) {
          return std::find(points.begin(), points.end(), point) != points.end();
        };
        EXPECT_TRUE(among(v.points) || among(v.gpu_points)) << v.name << " " << point.text();
      }
      EXPECT_LE(default_points(v, false, false).size(), kMost) << lab.number << " " << v.name;
      EXPECT_LE(default_points(v, true, false).size(), kMost) << lab.number << " " << v.name;
    }
  }
}

}  // namespace
}  // namespace lab
