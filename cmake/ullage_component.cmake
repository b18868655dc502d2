# ullage_component(<name>
#   HEADERS  <path relative to include/ullage>...   folders are taken with all below them, patterns are globbed
#   EXCLUDE  <path relative to include/ullage>...   left out of what HEADERS found
#   DEPENDS  <target>...)
#
# One component = an INTERFACE target `ullage_<name>` with the alias `ullage::<name>`, its headers as a file set, and its
# own export file, so that the installed package loads one component without the dependencies of another.
#
# A dependency that was not found is not an error here: it becomes one for the target that links the component.
# The header list is left in `ullage_<name>_headers` of the caller, relative to include/.
function(ullage_component name)
  cmake_parse_arguments(arg "" "" "HEADERS;EXCLUDE;DEPENDS" ${ARGN})
  set(root "${ullage_SOURCE_DIR}/include")

  set(headers "")
  foreach(entry IN LISTS arg_HEADERS)
    if(entry MATCHES "\\.hpp$")
      file(GLOB found CONFIGURE_DEPENDS RELATIVE "${root}" "${root}/ullage/${entry}")
    else()
      file(GLOB_RECURSE found CONFIGURE_DEPENDS RELATIVE "${root}" "${root}/ullage/${entry}/*.hpp")
    endif()
    list(APPEND headers ${found})
  endforeach()
  foreach(entry IN LISTS arg_EXCLUDE)
    list(REMOVE_ITEM headers "ullage/${entry}")
  endforeach()
  list(SORT headers)
  set(ullage_${name}_headers "${headers}" PARENT_SCOPE)

  set(target ullage_${name})
  add_library(${target} INTERFACE)
  add_library(ullage::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(${target} INTERFACE cxx_std_20)
  target_link_libraries(${target} INTERFACE ${arg_DEPENDS})

  list(TRANSFORM headers PREPEND "${root}/" OUTPUT_VARIABLE files)
  target_sources(${target} INTERFACE FILE_SET HEADERS BASE_DIRS "${root}" FILES ${files})

  # Each header compiled alone: `cmake --build … --target all_verify_interface_header_sets`.
  set(complete "${PROJECT_IS_TOP_LEVEL}")
  foreach(dependency IN LISTS arg_DEPENDS)
    if(NOT TARGET ${dependency})
      set(complete FALSE)
    endif()
  endforeach()
  if(complete AND headers)
    set_target_properties(${target} PROPERTIES VERIFY_INTERFACE_HEADER_SETS TRUE)
  endif()

  if(ULLAGE_INSTALL)
    install(
      TARGETS ${target}
      EXPORT ullage_${name}_targets
      FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
    )
    install(
      EXPORT ullage_${name}_targets
      NAMESPACE ullage::
      FILE "ullage-${name}-targets.cmake"
      DESTINATION "${ullage_package_dir}"
    )
  endif()
endfunction()
