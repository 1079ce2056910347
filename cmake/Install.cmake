# What `make install` puts below PREFIX and `make package` into packages. The archive is relocatable: the program finds
# its library of compiled code beside itself, and the library of χ models is inside of it.
include(GNUInstallDirs)
install(TARGETS chi RUNTIME)
if(TARGET chi_native)
  install(TARGETS chi_native LIBRARY DESTINATION lib/chi/native)  # a folder that ldconfig does not look into
endif()
install(FILES docs/man/chi.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES LICENSE THIRD-PARTY-NOTICES.md CHANGELOG.md CITATION.cff README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples FILES_MATCHING PATTERN "*.chi" PATTERN "README.md")
install(DIRECTORY library/ DESTINATION ${CMAKE_INSTALL_DATADIR}/chi/library FILES_MATCHING PATTERN "*.chi")
# Completion is made by the program itself, so that it knows the options that there are.
foreach(shell_and_file IN ITEMS bash:bash-completion/completions/chi zsh:zsh/site-functions/_chi fish:fish/vendor_completions.d/chi.fish)
  string(REPLACE ":" ";" pair ${shell_and_file})
  list(GET pair 0 shell)
  list(GET pair 1 file)
  get_filename_component(folder ${file} DIRECTORY)
  get_filename_component(name ${file} NAME)
  set(script ${CMAKE_BINARY_DIR}/completion/${shell}/${name})
  add_custom_command(OUTPUT ${script}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/completion/${shell}
    COMMAND chi completion ${shell} > ${script} DEPENDS chi VERBATIM)
  list(APPEND completion_scripts ${script})
  install(FILES ${script} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder})
endforeach()
add_custom_target(completion ALL DEPENDS ${completion_scripts})

set(CPACK_PACKAGE_NAME chi-simulator)
set(CPACK_PACKAGE_VENDOR "the χ developers")
set(CPACK_PACKAGE_CONTACT "the χ developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "language and simulator for hybrid systems")
set(CPACK_PACKAGE_DESCRIPTION "Physics as differential algebraic equations, control as communicating processes.
 The number of equations, the unknowns and the index may change from mode to mode.")
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_FILE_NAME chi-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_SOURCE_DIR}/cmake/Package.cmake)
include(CPack)
