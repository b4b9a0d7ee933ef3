# cmake -D COMPILER=name -D LEVEL=-O2 -D INCLUDE=directory [-D FLAGS=flag...] -P read.cmake
# Compiles kernels.cpp and reads its disassembly. Prints a message and succeeds if a program is missing.

cmake_minimum_required(VERSION 3.22)
foreach(program ${COMPILER} objdump awk)
  find_program(found_${program} ${program})
  if(NOT found_${program})
    message(STATUS "${program} is not here: nothing was read")
    return()
  endif()
endforeach()

execute_process(COMMAND ${COMPILER} --version OUTPUT_VARIABLE version)
string(REGEX REPLACE "\n.*" "" version "${version}")
message(STATUS "${version}, ${LEVEL} ${FLAGS}")
string(RANDOM suffix)
set(object "kernels_${suffix}.o")
execute_process(COMMAND ${COMPILER} -std=c++17 ${LEVEL} ${FLAGS} -I "${INCLUDE}" -c "${CMAKE_CURRENT_LIST_DIR}/kernels.cpp"
                        -o ${object} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND objdump -d -C --no-show-raw-insn -M intel ${object}
                COMMAND awk -f "${CMAKE_CURRENT_LIST_DIR}/spills.awk" RESULTS_VARIABLE results)
file(REMOVE ${object})
if(NOT results STREQUAL "0;0")
  message(FATAL_ERROR "objdump and spills.awk returned ${results}")
endif()
