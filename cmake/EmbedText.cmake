# chi_embed(<module> <function> <files>): texts that go into the program. Defines, in chi::<module>,
# std::string_view <function>(), all files one after the other; a change of a file rebuilds it.
# As a script (-P): writes OUTPUT from FILES.
if(CMAKE_SCRIPT_MODE_FILE)
  set(pieces "")
  foreach(file IN LISTS FILES)
    file(READ "${file}" text HEX)
    string(LENGTH "${text}" length)
    # As numbers: nothing to escape, and no limit on the length of a literal. In pieces, for CMake's sake.
    set(at 0)
    while(at LESS length)
      string(SUBSTRING "${text}" ${at} 4096 piece)
      string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," piece "${piece}")
      string(APPEND pieces "${piece}\n")
      math(EXPR at "${at} + 4096")
    endwhile()
  endforeach()
  file(WRITE "${OUTPUT}" "#include <string_view>\nnamespace chi::${MODULE} {\nstd::string_view ${FUNCTION}();\n\
std::string_view ${FUNCTION}() {\n  static constexpr unsigned char kText[] = {\n${pieces}0};\n\
  return {reinterpret_cast<const char*>(kText), sizeof kText - 1};\n}\n}  // namespace chi::${MODULE}\n")
  return()
endif()

function(chi_embed module function)
  set(output ${CMAKE_BINARY_DIR}/embedded/${function}.cc)
  list(TRANSFORM ARGN PREPEND ${CMAKE_SOURCE_DIR}/ OUTPUT_VARIABLE files)
  string(REPLACE ";" "\\;" quoted "${files}")
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DMODULE=${module} -DFUNCTION=${function} -DFILES=${quoted} -DOUTPUT=${output}
      -P ${CMAKE_SOURCE_DIR}/cmake/EmbedText.cmake
    DEPENDS ${files} ${CMAKE_SOURCE_DIR}/cmake/EmbedText.cmake VERBATIM)
  target_sources(chi_${module} PRIVATE ${output})
endfunction()

# chi_embed_folder(<module> <function> <folder>): the .chi files of a folder with their names. Defines, in chi::<module>,
# <function>(), a text in which each file is a line with its name, a line with its size in bytes, and the file.
function(chi_embed_folder module function folder)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/${folder} ${CMAKE_SOURCE_DIR}/${folder}/*.chi)
  list(SORT files)
  set(bundle ${CMAKE_BINARY_DIR}/embedded/${function}.bundle)
  set(inputs ${files})
  list(TRANSFORM inputs PREPEND ${CMAKE_SOURCE_DIR}/${folder}/)
  string(REPLACE ";" "\\;" names "${files}")
  add_custom_command(OUTPUT ${bundle}
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${CMAKE_SOURCE_DIR}/${folder} -DNAMES=${names} -DOUTPUT=${bundle}
      -P ${CMAKE_SOURCE_DIR}/cmake/BundleFiles.cmake
    DEPENDS ${inputs} ${CMAKE_SOURCE_DIR}/cmake/BundleFiles.cmake VERBATIM)
  set(output ${CMAKE_BINARY_DIR}/embedded/${function}.cc)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DMODULE=${module} -DFUNCTION=${function} -DFILES=${bundle} -DOUTPUT=${output}
      -P ${CMAKE_SOURCE_DIR}/cmake/EmbedText.cmake
    DEPENDS ${bundle} ${CMAKE_SOURCE_DIR}/cmake/EmbedText.cmake VERBATIM)
  target_sources(chi_${module} PRIVATE ${output})
endfunction()
