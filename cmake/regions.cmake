# cmake -P cmake/regions.cmake: writes backend/new_region.inc and backend/new_products.inc, which #undef the guards of private files.
#   The test compile.house includes this file and compares the two files with the texts that it would write.

# Files of gemm/ that an inner region does not copy. A file is left out if it does not multiply. It is also left out if the inner region
# passes types of the outer region to its functions. A second copy of a function would make such a call ambiguous.
set(dyadic_not_products block_ends elements pack_rhs)
list(JOIN dyadic_not_products "|" dyadic_not_products)

# dyadic_guard(result file): the guard of a private file, named after its path.
function(dyadic_guard result file)
  string(REGEX REPLACE "[/.]" "_" guard "${file}")
  string(TOUPPER "${guard}" guard)
  set(${result} "${guard}" PARENT_SCOPE)
endfunction()

# dyadic_regions(include region products): the texts of both files.
function(dyadic_regions include region products)
  set(licence "// SPDX-License-Identifier: Apache-2.0\n")
  set(of_region "${licence}// Begins a region: its private files are not included yet. Written by cmake/regions.cmake. Private.\n\n"
                "#include <dyadic/backend/new_products.inc>\n")
  set(of_products "${licence}// Begins a region inside another one, which has the matrix product anew: gemm/ and the micro-kernels of wide/. Written by\n"
                  "// cmake/regions.cmake. Private.\n\n")
  file(GLOB_RECURSE private RELATIVE "${include}" "${include}/dyadic/backend/*.inc")
  list(SORT private)
  foreach(file IN LISTS private)
    file(STRINGS "${include}/${file}" guard REGEX "^#ifndef DYADIC_BACKEND_.*_INC$" LIMIT_COUNT 1)
    if(NOT guard)
      continue()  # a region, or the inside of a class
    endif()
    dyadic_guard(guard "${file}")
    if(file MATCHES "/gemm/(${dyadic_not_products})\\.inc$")
      list(APPEND of_region "#undef ${guard}\n")
    elseif(file MATCHES "/gemm/|/wide/(micro_kernel|group_tile|int[0-9]+_(pair|quad|dot))\\.inc$")
      list(APPEND of_products "#undef ${guard}\n")
    else()
      list(APPEND of_region "#undef ${guard}\n")
    endif()
  endforeach()
  list(JOIN of_region "" of_region)
  list(JOIN of_products "" of_products)
  set(${region} "${of_region}" PARENT_SCOPE)
  set(${products} "${of_products}" PARENT_SCOPE)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  cmake_minimum_required(VERSION 3.22)
  get_filename_component(include "${CMAKE_CURRENT_LIST_DIR}/../include" ABSOLUTE)
  dyadic_regions("${include}" region products)
  file(WRITE "${include}/dyadic/backend/new_region.inc" "${region}")
  file(WRITE "${include}/dyadic/backend/new_products.inc" "${products}")
endif()
