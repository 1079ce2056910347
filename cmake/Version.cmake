# chi_version(<target>): defines, in chi::cli, std::string_view version_text(): what `chi --version` prints. The version
# is that of project(); the commit is looked up at every build, and the file is written only if it changed.
# As a script (-P): writes OUTPUT from VERSION and LIBRARIES for the checkout SOURCE.
if(CMAKE_SCRIPT_MODE_FILE)
  execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --exclude=*
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  set(text "chi ${VERSION}")
  if(NOT failed)
    string(APPEND text " (commit ${commit})")
  endif()
  file(CONFIGURE OUTPUT ${OUTPUT} @ONLY NEWLINE_STYLE UNIX CONTENT [=[
#include <string_view>
namespace chi::cli {
std::string_view version_text();
std::string_view version_text() { return "@text@\nwith @LIBRARIES@\n"; }
}  // namespace chi::cli
]=])
  return()
endif()

function(chi_version target)
  file(STRINGS /usr/include/sundials/sundials_config.h sundials REGEX "define SUNDIALS_VERSION ")
  string(REGEX MATCH "[0-9][0-9.]*" sundials "${sundials}")
  set(suitesparse "")
  foreach(part IN ITEMS MAIN SUB SUBSUB)
    file(STRINGS /usr/include/suitesparse/SuiteSparse_config.h line REGEX "define SUITESPARSE_${part}_VERSION ")
    string(REGEX MATCH "[0-9]+$" number "${line}")
    list(APPEND suitesparse ${number})
  endforeach()
  list(JOIN suitesparse "." suitesparse)
  set(libraries "SUNDIALS ${sundials}, SuiteSparse ${suitesparse}, Eigen ${Eigen3_VERSION}, fmt ${fmt_VERSION}")
  string(APPEND libraries ", nlohmann-json ${nlohmann_json_VERSION}")
  if(LLVM_14)
    string(APPEND libraries ", LLVM 14")
  else()
    string(APPEND libraries ", without LLVM")
  endif()
  set(output ${CMAKE_BINARY_DIR}/embedded/version_text.cc)
  add_custom_target(${target}_version BYPRODUCTS ${output}
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DVERSION=${PROJECT_VERSION} -DLIBRARIES=${libraries}
      -DOUTPUT=${output} -P ${CMAKE_SOURCE_DIR}/cmake/Version.cmake VERBATIM)
  set_source_files_properties(${output} PROPERTIES GENERATED TRUE)
  target_sources(${target} PRIVATE ${output})
  add_dependencies(${target} ${target}_version)
endfunction()
