// The checks of labtest.cpp's table.
#pragma once

#include <string>
#include <string_view>

#include "harness/classes/labtest/labtest.h"
#include "harness/core/lab.h"

namespace lab::labtest {

/// A lab that is looked at, and what it is run with.
struct Subject {
  const Lab& lab;
  const Settings& settings;
  run::EngineSet& engines;

  [[nodiscard]] bool stopped() const { return settings.cancelled && settings.cancelled(); }
};

// Without running anything (texts.cpp).
void check_files(const Subject& subject, Check& check);
void check_formulas(const Subject& subject, Check& check);
void check_headlines(const Subject& subject, Check& check);
// In the model (cases.cpp).
void check_kernels(const Subject& subject, Check& check);
void check_default_points(const Subject& subject, Check& check);
void check_random_points(const Subject& subject, Check& check);
// What students are given (students.cpp, commands.cpp).
void check_study(const Subject& subject, Check& check);
void check_starter(const Subject& subject, Check& check);
void check_rubric(const Subject& subject, Check& check);
void check_commands(const Subject& subject, Check& check);

/// `lab.toml:26`: where a variant's row of theory for a metric stands, in it or in what it is like;
/// else the variant itself.
[[nodiscard]] std::string place_of(const Lab& lab, std::string_view variant,
                                   std::string_view metric = {});

/// `1 kernel`, `12 kernels`; `more` is what stands behind several.
[[nodiscard]] std::string counted(std::size_t count, std::string_view what,
                                  std::string_view more = "s");

}  // namespace lab::labtest
