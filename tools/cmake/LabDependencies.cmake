# Libraries from Debian packages (tools/setup installs them) and the CUDA toolkit where there is one.
# Portable builds link what has a static archive and take the rest header-only.

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
if(LAB_PORTABLE)
  # What SQLiteCpp's own search would otherwise take as a shared library.
  find_library(LAB_SQLITE_ARCHIVE libsqlite3.a REQUIRED)
  set(SQLite3_LIBRARY "${LAB_SQLITE_ARCHIVE}" CACHE FILEPATH "in the program itself" FORCE)
endif()
find_package(SQLiteCpp REQUIRED)
if(LAB_TESTS)
  find_package(GTest REQUIRED)
endif()

add_library(lab_fmt INTERFACE)
add_library(lab_spdlog INTERFACE)
# Header-only costs each file twice its compile time, so only portable builds, which may not need
# the shared libraries, take it.
if(LAB_PORTABLE)
  target_link_libraries(lab_fmt INTERFACE fmt::fmt-header-only)
  # As spdlog::spdlog_header_only has it, which would link the shared fmt, too.
  target_compile_definitions(lab_spdlog INTERFACE SPDLOG_FMT_EXTERNAL)
  target_link_libraries(lab_spdlog INTERFACE lab_fmt Threads::Threads)
else()
  target_link_libraries(lab_fmt INTERFACE fmt::fmt)
  target_link_libraries(lab_spdlog INTERFACE lab_fmt spdlog::spdlog)
endif()
add_library(lab_json INTERFACE)
target_link_libraries(lab_json INTERFACE nlohmann_json::nlohmann_json)
# SHA-256. The archive in every build: it is small, and a shared one would be one more to have.
find_library(LAB_MD_ARCHIVE libmd.a REQUIRED)
add_library(lab_md INTERFACE)
target_link_libraries(lab_md INTERFACE "${LAB_MD_ARCHIVE}")
# What is handed in is in zips, and Gradescope's metadata in YAML. Archives, too, where a release has them.
find_library(LAB_MINIZIP_ARCHIVE NAMES libminizip.a minizip REQUIRED)
find_library(LAB_ZLIB_ARCHIVE NAMES libz.a z REQUIRED)
add_library(lab_minizip INTERFACE)
target_link_libraries(lab_minizip INTERFACE "${LAB_MINIZIP_ARCHIVE}" "${LAB_ZLIB_ARCHIVE}")
find_library(LAB_YAML_ARCHIVE NAMES libyaml-cpp.a yaml-cpp REQUIRED)
add_library(lab_yaml INTERFACE)
target_link_libraries(lab_yaml INTERFACE "${LAB_YAML_ARCHIVE}")
add_library(lab_cli11 INTERFACE)
target_link_libraries(lab_cli11 INTERFACE CLI11::CLI11)
# Header-only: the package's CMake target forces its shared library.
add_library(lab_tomlplusplus INTERFACE)
target_compile_definitions(lab_tomlplusplus INTERFACE TOML_HEADER_ONLY=1)
add_library(lab_sqlite INTERFACE)
target_link_libraries(lab_sqlite INTERFACE SQLiteCpp)

# The GPU backend is built where a toolkit's headers are: of the driver, of NVTX, and of CUPTI's range
# profiler, which came with CUDA 12.6. No library of CUDA is linked: all are loaded at run time.
find_program(LAB_NVCC nvcc)
if(LAB_NVCC)
  file(REAL_PATH "${LAB_NVCC}" nvcc)
  cmake_path(GET nvcc PARENT_PATH nvcc_root)
  cmake_path(GET nvcc_root PARENT_PATH nvcc_root)
endif()
# A toolkit that was there when this folder was configured may have gone since.
foreach(found LAB_CUDA_INCLUDE/cudaTypedefs.h LAB_CUPTI_INCLUDE/cupti_range_profiler.h)
  cmake_path(GET found PARENT_PATH variable)
  cmake_path(GET found FILENAME header)
  if(${variable} AND NOT EXISTS "${${variable}}/${header}")
    unset(${variable} CACHE)
  endif()
endforeach()
find_path(LAB_CUDA_INCLUDE cudaTypedefs.h
          HINTS ENV CUDA_HOME ENV CUDA_PATH
          PATHS /usr/local/cuda /usr/local/cuda-13 /usr/local/cuda-13.0 /opt/cuda ${nvcc_root}
          PATH_SUFFIXES include targets/x86_64-linux/include NO_DEFAULT_PATH)
if(LAB_CUDA_INCLUDE)
  cmake_path(GET LAB_CUDA_INCLUDE PARENT_PATH LAB_CUDA_ROOT)
  find_path(LAB_CUPTI_INCLUDE cupti_range_profiler.h
            PATHS "${LAB_CUDA_INCLUDE}" "${LAB_CUDA_ROOT}/extras/CUPTI/include" NO_DEFAULT_PATH)
endif()
# No first table needs it where there is no driver.
set(LAB_GPU_LEFT_OUT OFF)
if(LAB_CUDA_INCLUDE AND LAB_CUPTI_INCLUDE AND NOT LAB_LATER)
  find_file(LAB_CUDA_DRIVER libcuda.so.1
            PATHS ENV LD_LIBRARY_PATH
            PATHS /usr/lib /usr/lib64 /usr/lib/wsl/lib /usr/local/nvidia/lib64 /run/opengl-driver/lib
            PATH_SUFFIXES ${CMAKE_LIBRARY_ARCHITECTURE} NO_CACHE NO_DEFAULT_PATH)
  if(NOT LAB_CUDA_DRIVER)
    set(LAB_GPU_LEFT_OUT ON)
  endif()
endif()
if(LAB_GPU_LEFT_OUT)
  set(LAB_HAVE_GPU OFF)
  message(STATUS "GPU backend: later, with the first command that needs it (no libcuda.so.1)")
elseif(LAB_CUDA_INCLUDE AND LAB_CUPTI_INCLUDE)
  set(LAB_HAVE_GPU ON)
  message(STATUS "GPU backend: with the headers of ${LAB_CUDA_ROOT}")
  add_library(lab_cupti INTERFACE)
  target_include_directories(lab_cupti SYSTEM INTERFACE "${LAB_CUDA_INCLUDE}"
                                                        "${LAB_CUPTI_INCLUDE}")
  if(LAB_SANITIZE)
    add_library(lab_no_deepbind OBJECT "${CMAKE_SOURCE_DIR}/tools/cmake/no_deepbind.cpp")
    target_link_libraries(lab_cupti INTERFACE "$<TARGET_OBJECTS:lab_no_deepbind>")
  endif()
else()
  set(LAB_HAVE_GPU OFF)
  message(STATUS "GPU backend: left out, with its tests: no headers of a CUDA toolkit 12.6 or newer"
                 " (CUDA_HOME, CUDA_PATH, /usr/local/cuda, nvcc on PATH)")
endif()
