# Tests: one GoogleTest program per folder of tests/, every test known to CTest by name.
# Label: the folder's name. Targets: small_tests, the set that runs under the address and
# undefined-behaviour sanitizers; threads_tests, the one under the thread sanitizer (the test presets in
# CMakePresets.json run the same folders by their labels; one label each, since gtest_discover_tests
# loses lists).

include(GoogleTest)
find_package(GTest REQUIRED)

# Folders whose tests are quick enough to run under the sanitizers, 10-20 times slower.
set(small_folders math model dynamics collide contact batch bench reports cli)
# Folders whose code starts threads.
set(threads_folders batch bench)
add_custom_target(small_tests)
add_custom_target(threads_tests)

# sb_tests(<folder below tests/> <library it tests>)
function(sb_tests folder library)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/${folder}/*.cpp")
  if(NOT sources)
    return()
  endif()
  string(REPLACE "/" "_" name "${folder}")
  set(target test_${name})
  add_executable(${target} ${sources})
  target_link_libraries(${target} PRIVATE sb_${library} sb_warnings GTest::gtest_main Eigen3::Eigen fmt::fmt
                                          SB::tinyxml2 SB::build_info)
  # Tests of step code instantiate whole stages for many lane types; -O1 compiles them in half the time,
  # and under sanitizers -O0 in half of that again.
  if(SB_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  else()
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  target_compile_definitions(${target} PRIVATE SB_SCENES_DIR="${CMAKE_SOURCE_DIR}/scenes"
                                               SB_TESTS_DIR="${CMAKE_SOURCE_DIR}/tests"
                                               SB_SHARED_MODELS="${CMAKE_SOURCE_DIR}/../shared/models")
  if(TARGET stepbench)
    # Tests of the program itself start it from here.
    target_compile_definitions(${target} PRIVATE SB_PROGRAM="$<TARGET_FILE:stepbench>")
    add_dependencies(${target} stepbench)
  endif()
  get_filename_component(leaf "${folder}" NAME)
  foreach(set small threads)
    if(leaf IN_LIST ${set}_folders)
      add_dependencies(${set}_tests ${target})
    endif()
  endforeach()
  gtest_discover_tests(${target} TEST_PREFIX "${name}/" DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                       PROPERTIES LABELS ${leaf} TIMEOUT 300)
endfunction()

sb_tests(engine/math math)
sb_tests(engine/model model)
sb_tests(engine/dynamics dynamics)
sb_tests(engine/collide collide)
sb_tests(engine/contact contact)
sb_tests(engine/batch batch)
sb_tests(bench bench)
sb_tests(reports reports)
sb_tests(cli cli)
sb_tests(scenes bench)

# Checks of the tree itself; exit code 77 means "skipped" in all of them.
function(sb_check name)
  add_test(NAME project/${name} COMMAND ${ARGN} WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
           COMMAND_EXPAND_LISTS)
  set_tests_properties(project/${name} PROPERTIES LABELS project SKIP_RETURN_CODE 77 TIMEOUT 600)
endfunction()

find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND AND NOT SB_SANITIZE)
  sb_check(includes "${Python3_EXECUTABLE}" scripts/check_includes)
  sb_check(sizes "${Python3_EXECUTABLE}" scripts/check_sizes)
  sb_check(headers "${Python3_EXECUTABLE}" scripts/check_headers "${CMAKE_CXX_COMPILER}" -std=c++20
           -Wall -Wextra -Wno-psabi -I. "-I${CMAKE_BINARY_DIR}/generated" -isystem "${csv_dir}" -isystem
           "${SB_DEPS_DIR}/mujoco/include" -isystem "${EIGEN3_INCLUDE_DIR}")
  set(kernel_objects)
  foreach(isa IN LISTS SB_ISAS)
    if(TARGET sb_kernels_${isa})
      list(APPEND kernel_objects $<TARGET_OBJECTS:sb_kernels_${isa}>)
    endif()
  endforeach()
  if(kernel_objects AND CMAKE_BUILD_TYPE STREQUAL "Release")
    sb_check(kernels "${Python3_EXECUTABLE}" scripts/check_kernels "${kernel_objects}")
  endif()
endif()
if(EXISTS "${CMAKE_SOURCE_DIR}/tests/project/device_compile.cu" AND NOT SB_SANITIZE)
  sb_check(device_compile sh scripts/device_compile "${CMAKE_BINARY_DIR}/device")
endif()
