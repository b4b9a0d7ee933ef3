# cmake -D "PROGRAM=emulator;image" -D EXPECTED=file -D GOT=file -P same_output.cmake: a program must print the text of the file EXPECTED.
execute_process(COMMAND ${PROGRAM} OUTPUT_FILE "${GOT}" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" -E compare_files "${GOT}" "${EXPECTED}" COMMAND_ERROR_IS_FATAL ANY)
