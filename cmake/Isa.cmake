# Kernels: engine/batch/kernels/*.cpp are compiled once per instruction set.
#
# Each build has its own inline namespace (SB_ISA, see engine/math/target.h) and two definitions:
# SB_ISA_NAME_<ISA> for the kernel's own instruction set, and, for the files that choose among them at
# start-up, SB_HAVE_ISA_<ISA> for each that was built.

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  set(isas_known baseline avx2 avx512)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(isas_known neon)
else()
  set(isas_known baseline)
endif()
set(SB_ISAS "${isas_known}" CACHE STRING
    "Instruction sets to build kernels for; fewer make sanitizer and check builds faster")

set(isa_flags_baseline "")
set(isa_flags_neon "")
set(isa_flags_avx2 -mavx2 -mfma -mbmi2)
# The set every AVX-512 server has had since 2017; prefer-vector-width makes the compiler keep 512-bit
# vectors whole, since one lane pack fills one register.
set(isa_flags_avx512 -mavx512f -mavx512dq -mavx512vl -mavx512bw -mavx512cd -mavx2 -mfma -mbmi2
                     -mprefer-vector-width=512)

# GCC 12 takes the intrinsics' own undefined operands for ours (GCC bug 105593).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND isa_flags_avx512 -Wno-maybe-uninitialized)
endif()

# sb_isa_options(<target> <isa>): compile a target's step code for an instruction set.
function(sb_isa_options target isa)
  string(TOUPPER ${isa} ISA)
  target_compile_definitions(${target} PRIVATE SB_ISA=isa_${isa} SB_ISA_NAME_${ISA}=1)
  target_compile_options(
    ${target}
    PRIVATE
      ${isa_flags_${isa}} $<$<CONFIG:Release>:-O3>
      # Kernels read neither errno nor the exception flags; both options change no result bits and let
      # select() become a blend.
      -fno-math-errno -fno-trapping-math)
endfunction()

# sb_host_isa(<variable>): the widest of SB_ISAS that this machine runs.
function(sb_host_isa variable)
  list(GET SB_ISAS 0 best)
  if(EXISTS /proc/cpuinfo)
    file(STRINGS /proc/cpuinfo flags REGEX "^flags" LIMIT_COUNT 1)
    if("avx2" IN_LIST SB_ISAS AND flags MATCHES " avx2" AND flags MATCHES " fma" AND flags MATCHES " bmi2")
      set(best avx2)
    endif()
    if("avx512" IN_LIST SB_ISAS AND flags MATCHES " avx512dq" AND flags MATCHES " avx512vl" AND flags MATCHES
                                                                                            " avx512bw")
      set(best avx512)
    endif()
  endif()
  set(${variable} ${best} PARENT_SCOPE)
endfunction()

# sb_kernels(<library> <folder>): add the kernels of `folder` to sb_<library>.
function(sb_kernels library folder)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/${folder}/*.cpp")
  if(NOT sources)
    return()
  endif()
  get_target_property(kind sb_${library} TYPE)
  set(scope PRIVATE)
  if(kind STREQUAL "INTERFACE_LIBRARY")
    set(scope INTERFACE)
  endif()
  foreach(isa IN LISTS SB_ISAS)
    if(NOT DEFINED isa_flags_${isa})
      message(FATAL_ERROR "SB_ISAS: unknown instruction set '${isa}'")
    endif()
    string(TOUPPER ${isa} ISA)
    set(target sb_kernels_${isa})
    add_library(${target} OBJECT ${sources})
    sb_isa_options(${target} ${isa})
    target_link_libraries(${target} PRIVATE sb_math sb_flags sb_warnings)
    target_sources(sb_${library} ${scope} $<TARGET_OBJECTS:${target}>)
    target_compile_definitions(sb_${library} ${scope} SB_HAVE_ISA_${ISA}=1)
  endforeach()
endfunction()
