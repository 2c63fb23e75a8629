# Third-party libraries. Debian packages: libcli11-dev libfmt-dev libtinyxml2-dev libeigen3-dev
# libbenchmark-dev libgtest-dev pkg-config; the rest comes from scripts/deps.

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(CLI11 2 REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(PkgConfig REQUIRED)
pkg_check_modules(tinyxml2 REQUIRED IMPORTED_TARGET tinyxml2)
add_library(SB::tinyxml2 ALIAS PkgConfig::tinyxml2)
find_package(benchmark QUIET)

# Vince's CSV Parser, from the source package fastpycsv. A file that includes csv.hpp costs 9 s to
# compile: exactly one does (checked by scripts/check_includes).
set(csv_dir "${SB_DEPS_DIR}/fastpycsv/include")
if(NOT EXISTS "${csv_dir}/csv.hpp")
  message(FATAL_ERROR "${csv_dir}/csv.hpp is missing: run scripts/deps, which brings it")
endif()
file(GLOB_RECURSE csv_sources "${csv_dir}/internal/*.cpp")
add_library(sb_csv STATIC EXCLUDE_FROM_ALL ${csv_sources})
target_include_directories(sb_csv SYSTEM INTERFACE "${csv_dir}")
target_include_directories(sb_csv PRIVATE "${csv_dir}")
# No worker thread inside the parser: our files are small, and a reader that starts no threads is
# easier to reason about under the thread sanitizer.
target_compile_definitions(sb_csv PUBLIC CSV_ENABLE_THREADS=0
                                         CLASSIFY_SCALAR_USE_STD_FLOAT_FROM_CHARS=1)
target_compile_options(sb_csv PRIVATE -w)
# Its C++20 interface uses ranges that Clang 14 cannot compile with GCC 12's library.
set_target_properties(sb_csv PROPERTIES CXX_STANDARD 17)
set_source_files_properties("${CMAKE_SOURCE_DIR}/reports/csv.cpp" PROPERTIES COMPILE_OPTIONS -std=c++17)
target_link_libraries(sb_csv PRIVATE sb_flags)
add_library(SB::csv ALIAS sb_csv)

# MuJoCo: headers at compile time, the library by dlopen at run time. The program builds without.
add_library(sb_mujoco_headers INTERFACE)
add_library(SB::mujoco_headers ALIAS sb_mujoco_headers)
set(mujoco_dir "${SB_DEPS_DIR}/mujoco")
# Where the program looks first when STEPBENCH_MUJOCO is not set.
target_compile_definitions(sb_mujoco_headers
                           INTERFACE SB_MUJOCO_LIBRARY="${mujoco_dir}/libmujoco.so.4.0.0")
if(EXISTS "${mujoco_dir}/include/mujoco/mujoco.h")
  target_include_directories(sb_mujoco_headers SYSTEM INTERFACE "${mujoco_dir}/include")
  target_compile_definitions(sb_mujoco_headers INTERFACE SB_HAVE_MUJOCO_HEADERS=1)
else()
  message(STATUS "MuJoCo headers not found: building without the peer engine (scripts/deps brings them)")
endif()
