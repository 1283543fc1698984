# One target a module: lab_module(core SOURCES a.cpp HEADERS a.h DEPS metrics LIBS fmt::fmt).
# Includes are written from the repository's root: #include "harness/core/error.h".

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
# What no kernel's time depends on: -O1 would take a quarter longer to compile, and no lab would
# run faster.
set(CMAKE_CXX_FLAGS_RELEASE "-Og -DNDEBUG")
# What runs for every case, and for a kernel's every instruction. Unoptimised, it would take half of
# a check's time.
set(LAB_WARM_FLAGS $<$<CONFIG:Release>:-O1>)
set(LAB_HOT_FLAGS $<$<CONFIG:Release>:-O3> $<$<CONFIG:Debug>:-O1>)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Tests: what is tested is optimised, not the test.
set(LAB_TEST_FLAGS $<$<CONFIG:Release>:-O0> $<$<BOOL:${LAB_SANITIZE}>:-fno-sanitize=undefined>)

# Looked for once: a first build has none, and when tools/check brings it, nothing is compiled again.
if(NOT DEFINED CACHE{LAB_CCACHE})
  find_program(LAB_CCACHE ccache)
endif()
if(LAB_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      "${CMAKE_SOURCE_DIR}/tools/cmake/ccache" "${CMAKE_SOURCE_DIR}" "${CMAKE_BINARY_DIR}")
endif()

add_library(lab_flags INTERFACE)
target_include_directories(lab_flags INTERFACE "${CMAKE_SOURCE_DIR}")
# Everywhere, so that all files are compiled with its definitions and share a precompiled header.
target_link_libraries(lab_flags INTERFACE lab_fmt)
# A contracted host expression would compute other results than the GPU does.
target_compile_options(lab_flags INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow
                                           -ffp-contract=off
                                           # No clone's folder is in what is compiled.
                                           -ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 warns of overlaps in std::string's own operator+ (GCC bug 105651).
  target_compile_options(lab_flags INTERFACE -Wno-restrict)
  # Or ccache does not see which precompiled header a file was compiled with.
  target_compile_options(lab_flags INTERFACE -fpch-preprocess)
  # Collects garbage only above 600 MB: without it, modules took a third longer to compile.
  target_compile_options(lab_flags INTERFACE "SHELL:--param ggc-min-heapsize=600000")
endif()
if(LAB_WERROR)
  target_compile_options(lab_flags INTERFACE -Werror)
endif()
if(LAB_SANITIZE)
  file(RELATIVE_PATH not_ours "${CMAKE_BINARY_DIR}" "${CMAKE_SOURCE_DIR}/tools/cmake/not_ours.txt")
  # What the four are to find ends the program by itself, is beyond what clang knows without
  # optimising, or is found where the pointer is used; they are a third of a build's time.
  target_compile_options(lab_flags INTERFACE
                         -fsanitize=address,undefined
                         -fno-sanitize=null,vptr,object-size,pointer-overflow
                         # An option of clang's.
                         $<$<CXX_COMPILER_ID:Clang>:-fsanitize-ignorelist=${not_ours}>
                         -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # Links the 38 programs in a third of the time.
  target_link_options(lab_flags INTERFACE -fsanitize=address,undefined -fuse-ld=lld)
  target_compile_definitions(lab_flags INTERFACE LAB_SANITIZED)
endif()
# Fuzzers are led by what they reach in these modules; elsewhere it would only cost compile time.
set(LAB_FUZZED core cubin labs language model model_cost model_engine model_races ncu ptx record semantics toml worker)
if(LAB_FUZZ)
  set(LAB_FUZZ_FLAGS -fsanitize=fuzzer-no-link)
  target_link_options(lab_flags INTERFACE ${LAB_FUZZ_FLAGS})
endif()
if(LAB_PORTABLE)
  target_link_options(lab_flags INTERFACE -static-libstdc++ -static-libgcc)
endif()
# Of tools/get-debs: headers are this machine's, and what they call is looked up in the old library.
if(LAB_OLD_GLIBC)
  # GCC looks into its own machine's folder before the root's, unless -B names that.
  file(GLOB old_folder "${LAB_OLD_GLIBC}/usr/lib/*-linux-gnu")
  set(LAB_OLD_GLIBC_LINK "--sysroot=${LAB_OLD_GLIBC}" "-B${old_folder}/" "-L${old_folder}")
  add_library(lab_old_glibc OBJECT "${CMAKE_SOURCE_DIR}/tools/cmake/old_glibc.cpp")
  target_link_options(lab_flags INTERFACE ${LAB_OLD_GLIBC_LINK})
  target_link_libraries(lab_flags INTERFACE "$<TARGET_OBJECTS:lab_old_glibc>" dl pthread)
endif()

# A header that needs another one includes it: each is compiled alone.
function(lab_check_headers target)
  foreach(header IN LISTS ARGN)
    string(REPLACE "/" "_" unit "${header}")
    set(source "${CMAKE_CURRENT_BINARY_DIR}/self_${unit}.cpp")
    cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY "${CMAKE_SOURCE_DIR}"
               OUTPUT_VARIABLE folder)
    set(text "#include \"${folder}/${header}\"  // IWYU pragma: keep\n")
    file(CONFIGURE OUTPUT "${source}" CONTENT "${text}" @ONLY)
    list(APPEND units "${source}")
  endforeach()
  if(units)
    add_library(${target}_headers OBJECT EXCLUDE_FROM_ALL ${units})
    target_link_libraries(${target}_headers PRIVATE ${target})
    set_property(GLOBAL APPEND PROPERTY LAB_HEADER_TARGETS ${target}_headers)
  endif()
endfunction()

# First builds and checks compile several files of a module as one (LAB_UNITY): past what is
# precompiled, most of a file's time goes into templates that its neighbours need as well. ALONE
# names the files that stay on their own: another file of the module has their local names. A module
# is one file; to compile twelve at a time took a fifth longer. Tests' local names are more alike.
option(LAB_UNITY "Compile several files of a module as one" OFF)
set(CMAKE_UNITY_BUILD ${LAB_UNITY})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 60)

# HOT runs for a kernel's every instruction, WARM for every case: too slow when unoptimised.
function(lab_module name)
  cmake_parse_arguments(arg "HOT;WARM" "" "SOURCES;HEADERS;DEPS;LIBS;ALONE" ${ARGN})
  set(target lab_${name})
  list(TRANSFORM arg_DEPS PREPEND lab_)
  set_source_files_properties(${arg_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(arg_SOURCES)
    add_library(${target} STATIC ${arg_SOURCES} ${arg_HEADERS})
    target_link_libraries(${target} PUBLIC lab_flags ${arg_DEPS} ${arg_LIBS})
    set(options)  # as tools/cmake/LabPrecompiled.cmake names them
    if(LAB_FUZZ AND name IN_LIST LAB_FUZZED)
      target_compile_options(${target} PRIVATE ${LAB_FUZZ_FLAGS})
      list(APPEND options fuzzed)
    endif()
    if(arg_HOT)
      target_compile_options(${target} PRIVATE ${LAB_HOT_FLAGS})
      list(APPEND options hot)
    elseif(arg_WARM)
      target_compile_options(${target} PRIVATE ${LAB_WARM_FLAGS})
      list(APPEND options warm)
    endif()
    if(NOT options)
      set(options plain)
    endif()
    list(JOIN options "_" options)
    lab_use_precompiled(${target} ${options})
  else()
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE lab_flags ${arg_DEPS} ${arg_LIBS})
  endif()
  lab_check_headers(${target} ${arg_HEADERS})
endfunction()

# lab_test(unit_core SOURCES a_test.cpp DEPS core): one CTest test, run in the repository's root.
# OPTIMISED: the test itself computes so much that it takes less time that way. COST: about how many
# seconds it takes in a check; the long ones begin first, so that none runs alone at the end.
function(lab_test name)
  cmake_parse_arguments(arg "OPTIMISED" "COST" "SOURCES;DEPS;LIBS;ALONE" ${ARGN})
  list(TRANSFORM arg_DEPS PREPEND lab_)
  set_source_files_properties(${arg_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  add_executable(test_${name} ${arg_SOURCES})
  set_target_properties(test_${name} PROPERTIES UNITY_BUILD_BATCH_SIZE 12)
  target_link_libraries(test_${name} PRIVATE lab_flags ${arg_DEPS} ${arg_LIBS} GTest::gtest_main)
  if(arg_OPTIMISED)
    lab_use_precompiled(test_${name} plain)
  else()
    target_compile_options(test_${name} PRIVATE ${LAB_TEST_FLAGS})
    lab_use_precompiled(test_${name} test)
  endif()
  file(RELATIVE_PATH build "${CMAKE_SOURCE_DIR}" "${CMAKE_BINARY_DIR}")
  target_compile_definitions(test_${name} PRIVATE LAB_SOURCE_DIR="." LAB_BINARY_DIR="${build}")
  add_test(NAME ${name} COMMAND test_${name} --gtest_brief=1
           WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}")
  # Ends what hangs: how long a test takes depends on who else is there.
  set_tests_properties(${name} PROPERTIES TIMEOUT 1800)
  if(arg_COST)
    set_tests_properties(${name} PROPERTIES COST ${arg_COST})
  endif()
endfunction()
