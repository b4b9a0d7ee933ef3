# cmake -D PACKAGE=name -D OUTPUT=folder [-D URL=address] -P archive.cmake: writes the archive of dyadic for one package manager.
#   arduino     dyadic-arduino-VERSION.zip
#   cmsis       dyadic.dyadic.VERSION.pack and dyadic.dyadic.pdsc; URL is the folder that serves both
#   esp         dyadic-esp-VERSION.zip
#   meson       dyadic-VERSION.zip and dyadic.wrap; URL is the folder that serves the archive
#   platformio  dyadic-platformio-VERSION.zip
#   zephyr      dyadic-zephyr-VERSION.zip, which needs no URL
# The folder of this name holds the files that the package manager reads. The script adds the headers, LICENSE, README.md and CHANGELOG.md.

cmake_minimum_required(VERSION 3.22)
set(recipes "${CMAKE_CURRENT_LIST_DIR}")
get_filename_component(root "${recipes}/../.." ABSOLUTE)
if(NOT PACKAGE MATCHES "^(arduino|cmsis|esp|meson|platformio|zephyr)$" OR NOT OUTPUT)
  message(FATAL_ERROR "name the package and the folder: -D PACKAGE=zephyr -D OUTPUT=build/packages")
endif()
if(NOT URL AND NOT PACKAGE STREQUAL zephyr)
  message(FATAL_ERROR "${PACKAGE} names the address of dyadic: -D URL=https://..")
endif()
get_filename_component(OUTPUT "${OUTPUT}" ABSOLUTE)

# The values that replace @VERSION@ and so on.
file(STRINGS "${root}/include/dyadic/config.hpp" VERSION REGEX "^#define DYADIC_VERSION_(MAJOR|MINOR|PATCH) ")
string(REGEX REPLACE "[^0-9;]" "" VERSION "${VERSION}")
list(JOIN VERSION "." VERSION)
file(READ "${root}/CMakeLists.txt" DESCRIPTION)
string(REGEX MATCH "DESCRIPTION \"([^\"]+)\"" DESCRIPTION "${DESCRIPTION}")
set(DESCRIPTION "${CMAKE_MATCH_1}")
string(REGEX REPLACE "/$" "" URL "${URL}")

set(DIRECTORY dyadic)
set(headers include)
set(ARCHIVE "dyadic-${PACKAGE}-${VERSION}.zip")
if(PACKAGE STREQUAL arduino)
  set(headers src)
elseif(PACKAGE STREQUAL cmsis)
  set(DIRECTORY .)
  set(ARCHIVE "dyadic.dyadic.${VERSION}.pack")
elseif(PACKAGE STREQUAL meson)
  set(DIRECTORY "dyadic-${VERSION}")
  set(ARCHIVE "${DIRECTORY}.zip")
endif()

set(stage "${OUTPUT}/${PACKAGE}.files")
file(REMOVE_RECURSE "${stage}")
file(COPY "${root}/include/dyadic" DESTINATION "${stage}/${DIRECTORY}/${headers}" FILES_MATCHING PATTERN "*.hpp" PATTERN "*.inc")
file(COPY "${root}/LICENSE" "${root}/README.md" "${root}/CHANGELOG.md" DESTINATION "${stage}/${DIRECTORY}")
file(GLOB_RECURSE files RELATIVE "${recipes}/${PACKAGE}" "${recipes}/${PACKAGE}/*")
foreach(file IN LISTS files)
  string(REGEX REPLACE "\\.in$" "" filled "${file}")
  configure_file("${recipes}/${PACKAGE}/${file}" "${stage}/${DIRECTORY}/${filled}" @ONLY)
endforeach()

file(GLOB entries RELATIVE "${stage}" "${stage}/*")
execute_process(COMMAND "${CMAKE_COMMAND}" -E tar cf "${OUTPUT}/${ARCHIVE}" --format=zip -- ${entries} WORKING_DIRECTORY "${stage}"
                COMMAND_ERROR_IS_FATAL ANY)
if(PACKAGE STREQUAL meson)
  file(SHA256 "${OUTPUT}/${ARCHIVE}" HASH)
  configure_file("${recipes}/dyadic.wrap.in" "${OUTPUT}/dyadic.wrap" @ONLY)
elseif(PACKAGE STREQUAL cmsis)
  file(COPY "${stage}/dyadic.dyadic.pdsc" DESTINATION "${OUTPUT}")
endif()
file(REMOVE_RECURSE "${stage}")
message(STATUS "${OUTPUT}/${ARCHIVE}")
