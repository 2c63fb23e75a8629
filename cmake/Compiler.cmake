# Flags of every target: language level, floating-point rules, warnings, sanitizers.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, RelWithDebInfo or Debug" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
# Asserts stay alive here; -O1 compiles about twice as fast as -O2 and is what the sanitizers like.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1")

find_program(SB_CCACHE ccache)
mark_as_advanced(SB_CCACHE)
if(SB_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${SB_CCACHE}")
endif()

# Floating point and sanitizers: every target of the project, ours or third-party source.
add_library(sb_flags INTERFACE)
target_include_directories(sb_flags INTERFACE "${CMAKE_SOURCE_DIR}")
target_compile_options(
  sb_flags
  INTERFACE
    # The same bits from every compiler, optimisation level and instruction set: a*b+c may not become an
    # fma behind our back (GCC's default for -mfma). Where fused is wanted the source says fma().
    -ffp-contract=off
    # Vectors wider than the baseline's registers are passed between inlined functions only, so the
    # change of calling convention that this note warns of cannot bite.
    -Wno-psabi)

if(SB_SANITIZE)
  target_compile_options(sb_flags INTERFACE -fsanitize=${SB_SANITIZE} -fno-sanitize-recover=all
                                            -fno-omit-frame-pointer -g1)
  target_link_options(sb_flags INTERFACE -fsanitize=${SB_SANITIZE})
endif()

if(SB_FUZZ)
  target_compile_options(sb_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# Warnings: our own code.
add_library(sb_warnings INTERFACE)
target_compile_options(sb_warnings INTERFACE -Wall -Wextra -Wconversion -Wshadow
                                             $<$<BOOL:${SB_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  # GCC 12 and 13 see overlapping copies in string::insert and operator+ (GCC bug 105651).
  target_compile_options(sb_warnings INTERFACE -Wno-restrict)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False alarms on `"text" + std::string` at -O2 (GCC bug 105651).
  target_compile_options(sb_warnings INTERFACE -Wno-restrict)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND SB_SANITIZE)
  # GCC 12 reports "maybe uninitialized" and array bounds through its own instrumentation.
  target_compile_options(sb_warnings INTERFACE -Wno-maybe-uninitialized -Wno-array-bounds
                                               -Wno-stringop-overflow)
endif()
