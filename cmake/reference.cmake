# The target `reference` makes an API reference with Doxygen, in build/.../reference/html. The target and the test compile.reference
# fail if a public name has no comment.

find_package(Doxygen QUIET)
if(NOT DOXYGEN_FOUND)
  add_custom_target(reference COMMAND "${CMAKE_COMMAND}" -E echo "Doxygen is not installed: package doxygen" COMMAND "${CMAKE_COMMAND}" -E false)
  return()
endif()
set(DOXYGEN_PROJECT_BRIEF "${PROJECT_DESCRIPTION}")
set(DOXYGEN_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/reference")
set(DOXYGEN_STRIP_FROM_PATH "${PROJECT_SOURCE_DIR}/include")
set(DOXYGEN_USE_MDFILE_AS_MAINPAGE "${PROJECT_SOURCE_DIR}/README.md")
# The pages of a backend's folder describe its kernels.
set(DOXYGEN_FILE_PATTERNS *.hpp *.md)
set(DOXYGEN_EXCLUDE_SYMBOLS "dyadic::detail" "dyadic::*::detail" "dyadic::kernel<*" "DYADIC_*")
# The filter removes the inline namespace, so that names are shown as users write them. It removes includes of private files. It removes the
# base classes of a chain of fallbacks, because Doxygen would take such a class for one that inherits from itself.
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
     "${PROJECT_SOURCE_DIR}/tests/*/README.md" "${PROJECT_SOURCE_DIR}/tests/examples/*/README.md" "${PROJECT_SOURCE_DIR}/cmake/packaging/README.md")
doxygen_add_docs(reference "${PROJECT_SOURCE_DIR}/include/dyadic" ${pages} COMMENT "API reference: reference/html/index.html")
