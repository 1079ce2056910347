# SUNDIALS, KLU and their parts, linked statically: a run starts in milliseconds, and twenty shared
# libraries would take a good part of them to load.
add_library(chi_sundials INTERFACE)
target_include_directories(chi_sundials SYSTEM INTERFACE /usr/include/suitesparse)
set(chi_sundials_names
  sundials_ida sundials_cvode sundials_kinsol sundials_nvecserial sundials_sunlinsolklu sundials_sunlinsoldense
  sundials_sunmatrixsparse sundials_sunmatrixdense sundials_generic klu btf amd colamd suitesparseconfig)
foreach(name IN LISTS chi_sundials_names)
  find_library(lib_${name} NAMES lib${name}.a ${name} REQUIRED)
  target_link_libraries(chi_sundials INTERFACE ${lib_${name}})
endforeach()
