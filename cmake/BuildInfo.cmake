# Generated header build_info.h: version, compiler, flags and commit, for env.json and --version.
# Rewritten at build time only when its content changes, so that a null build stays null.

string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
set(build_info_dir "${CMAKE_BINARY_DIR}/generated")
string(JOIN " " build_flags ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}} -ffp-contract=off)
string(STRIP "${build_flags}" build_flags)

string(JOIN " " build_isas ${SB_ISAS})
set(build_info_command
    ${CMAKE_COMMAND} -D "OUT=${build_info_dir}/build_info.h" -D "SOURCE_DIR=${CMAKE_SOURCE_DIR}"
    -D "VERSION=${PROJECT_VERSION}" -D "BUILD_TYPE=${CMAKE_BUILD_TYPE}" -D "FLAGS=${build_flags}"
    -D "COMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" -D "SANITIZE=${SB_SANITIZE}"
    -D "ISAS=${build_isas}" -P "${CMAKE_SOURCE_DIR}/cmake/WriteBuildInfo.cmake")
add_custom_target(sb_build_info_header BYPRODUCTS "${build_info_dir}/build_info.h"
                  COMMAND ${build_info_command} COMMENT "" VERBATIM)
add_library(sb_build_info INTERFACE)
target_include_directories(sb_build_info INTERFACE "${build_info_dir}")
add_dependencies(sb_build_info sb_build_info_header)
add_library(SB::build_info ALIAS sb_build_info)
