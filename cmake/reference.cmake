# The target `reference`: an API reference by Doxygen, in build/.../reference/html. A public name without a comment
# fails it, and the test compile.reference.

find_package(Doxygen QUIET)
if(NOT DOXYGEN_FOUND)
  add_custom_target(reference COMMAND "${CMAKE_COMMAND}" -E echo "Doxygen is not installed: package doxygen" COMMAND "${CMAKE_COMMAND}" -E false)
  return()
endif()
set(DOXYGEN_PROJECT_BRIEF "${PROJECT_DESCRIPTION}")
set(DOXYGEN_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/reference")
set(DOXYGEN_STRIP_FROM_PATH "${PROJECT_SOURCE_DIR}/include")
set(DOXYGEN_USE_MDFILE_AS_MAINPAGE "${PROJECT_SOURCE_DIR}/README.md")
# Kernels are described by the pages of their folder.
set(DOXYGEN_FILE_PATTERNS *.hpp *.md)
set(DOXYGEN_EXCLUDE_SYMBOLS "dyadic::detail" "dyadic::*::detail" "dyadic::kernel<*" "DYADIC_*")
# Names are shown as one writes them, without the inline namespace; private files are not read; a chain of fallbacks would be taken for
# a class that inherits from itself.
set(DOXYGEN_INPUT_FILTER "sed -E -e 's!^inline namespace DYADIC_ISA [{]!!' -e 's!^}  // namespace DYADIC_ISA!!' -e 's!^#include .*[.]inc>!!' -e 's! : (kernel|runs_here|backend_and_fallbacks)<typename [^{]*! !'")
set(DOXYGEN_MACRO_EXPANSION YES)
set(DOXYGEN_EXPAND_ONLY_PREDEF YES)
set(DOXYGEN_PREDEFINED "DYADIC_API=" "DYADIC_ALWAYS_INLINE=inline" "DYADIC_KEEP_LOOP=" "DYADIC_LIFETIME_BOUND=" "DYADIC_ISA=isa" "__GNUC__=12" "__cplusplus=201703L" "__attribute__(x)=")
set(DOXYGEN_DISTRIBUTE_GROUP_DOC YES)
set(DOXYGEN_EXTRACT_ALL NO)
set(DOXYGEN_QUIET YES)
set(DOXYGEN_WARN_IF_UNDOCUMENTED YES)
set(DOXYGEN_WARN_IF_DOC_ERROR YES)
set(DOXYGEN_WARN_NO_PARAMDOC NO)
set(DOXYGEN_WARN_AS_ERROR FAIL_ON_WARNINGS)
set(DOXYGEN_GENERATE_LATEX NO)
set(DOXYGEN_GENERATE_XML YES)  # for tests/compile/contracts.py
set(DOXYGEN_XML_PROGRAMLISTING NO)
set(DOXYGEN_HAVE_DOT NO)
set(DOXYGEN_MARKDOWN_SUPPORT YES)
file(GLOB pages "${PROJECT_SOURCE_DIR}/*.md" "${PROJECT_SOURCE_DIR}/bench/README.md" "${PROJECT_SOURCE_DIR}/tests/README.md"
     "${PROJECT_SOURCE_DIR}/tests/*/README.md")
doxygen_add_docs(reference "${PROJECT_SOURCE_DIR}/include/dyadic" ${pages} COMMENT "API reference: reference/html/index.html")
