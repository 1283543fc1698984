# What nearly every file includes is parsed once for all files that are compiled with the same
# options. No header of this project is in it, and each file still includes what it uses: the
# presets `clang` (which clang-tidy reads) and `full` build without.

# lab_precompiled(NAME OPTIONS -O1 HEADERS <gtest/gtest.h> LIBS GTest::gtest): a set of options.
function(lab_precompiled name)
  cmake_parse_arguments(arg "" "" "OPTIONS;HEADERS;LIBS" ${ARGN})
  add_library(lab_precompiled_${name} OBJECT EXCLUDE_FROM_ALL
              "${CMAKE_SOURCE_DIR}/tools/cmake/precompiled.cpp")
  target_link_libraries(lab_precompiled_${name} PRIVATE lab_flags ${arg_LIBS})
  target_compile_options(lab_precompiled_${name} PRIVATE ${arg_OPTIONS})
  target_precompile_headers(lab_precompiled_${name} PRIVATE
    <algorithm> <array> <cmath> <cstdint> <functional> <map> <memory> <optional> <set> <span>
    <string> <string_view> <utility> <variant> <vector> <fmt/format.h> ${arg_HEADERS})
endfunction()

# Compiles `target`, whose options are those of lab_precompiled(NAME), with what that set has parsed.
function(lab_use_precompiled target name)
  target_precompile_headers(${target} REUSE_FROM lab_precompiled_${name})
  # A program's files would be compiled with -fPIE, and GCC refuses what was precompiled without.
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
endfunction()

# One for each level of optimisation: GCC 12 crashes where they differ.
lab_precompiled(plain)
lab_precompiled(warm OPTIONS ${LAB_WARM_FLAGS})
lab_precompiled(hot OPTIONS ${LAB_HOT_FLAGS})
lab_precompiled(fuzzed OPTIONS ${LAB_FUZZ_FLAGS})
lab_precompiled(fuzzed_warm OPTIONS ${LAB_FUZZ_FLAGS} ${LAB_WARM_FLAGS})
lab_precompiled(fuzzed_hot OPTIONS ${LAB_FUZZ_FLAGS} ${LAB_HOT_FLAGS})
if(LAB_TESTS)
  lab_precompiled(test OPTIONS ${LAB_TEST_FLAGS} HEADERS <gtest/gtest.h> LIBS GTest::gtest)
endif()
