# The warnings that this project's own sources are compiled with. They are never passed on to a consumer.
option(ULLAGE_WARNINGS_AS_ERRORS "Stop at a warning in ullage's own tests, examples and program" OFF)

function(ullage_warnings target)
  # nvcc's own generated code trips the pedantic ones.
  target_compile_options(
    ${target}
    PRIVATE
      "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wconversion;-Wsign-conversion;-Wshadow>"
      "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>"
  )
  if(ULLAGE_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-Werror>")
  endif()
endfunction()
