# Defines the library dyadic_model_parts if flatbuffers is installed: everything of the program but main(). Otherwise DYADIC_MODEL_LACKS
# names what is missing. Included by tests/examples/model and by bench.

find_program(DYADIC_FLATC flatc)
find_path(DYADIC_FLATBUFFERS flatbuffers/flatbuffers.h)
set(DYADIC_MODEL_LACKS "")
if(NOT DYADIC_FLATC)
  list(APPEND DYADIC_MODEL_LACKS flatc)
endif()
if(NOT DYADIC_FLATBUFFERS)
  list(APPEND DYADIC_MODEL_LACKS flatbuffers/flatbuffers.h)
endif()
if(DYADIC_MODEL_LACKS)
  return()
endif()

set(folder "${CMAKE_CURRENT_LIST_DIR}")
set(generated "${CMAKE_CURRENT_BINARY_DIR}/tflite")
add_custom_command(OUTPUT "${generated}/tflite_generated.h" COMMAND "${DYADIC_FLATC}" --cpp -o "${generated}" "${folder}/tflite.fbs"
                   DEPENDS "${folder}/tflite.fbs" VERBATIM)
set(sources backends moves network operators program recurrent report tensor_file verdict)
list(TRANSFORM sources REPLACE "(.+)" "${folder}/\\1.cpp")
add_library(dyadic_model_parts STATIC EXCLUDE_FROM_ALL ${sources} "${generated}/tflite_generated.h")
target_include_directories(dyadic_model_parts PUBLIC "${folder}")
target_include_directories(dyadic_model_parts SYSTEM PUBLIC "${generated}" "${DYADIC_FLATBUFFERS}")
target_link_libraries(dyadic_model_parts PUBLIC dyadic_strict)
