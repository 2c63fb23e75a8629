# sb_library(<name> FOLDER <folder> [EXCLUDE <path>...] [DEPS <target>...])
#
# Library sb_<name> of all .cpp files below `folder`; an INTERFACE library while there are none. DEPS
# are names of other folders' libraries or imported targets.
function(sb_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FOLDER" "EXCLUDE;DEPS")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/${arg_FOLDER}/*.cpp")
  foreach(path IN LISTS arg_EXCLUDE)
    string(REPLACE "." "\\." pattern "${CMAKE_SOURCE_DIR}/${path}")
    list(FILTER sources EXCLUDE REGEX "^${pattern}(/|$)")
  endforeach()

  set(deps)
  foreach(dep IN LISTS arg_DEPS)
    if(TARGET sb_${dep})
      list(APPEND deps sb_${dep})
    else()
      list(APPEND deps ${dep})
    endif()
  endforeach()

  if(sources)
    add_library(sb_${name} STATIC ${sources})
    target_link_libraries(sb_${name} PUBLIC sb_flags ${deps} PRIVATE sb_warnings)
  else()
    add_library(sb_${name} INTERFACE)
    target_link_libraries(sb_${name} INTERFACE sb_flags ${deps})
  endif()
endfunction()
