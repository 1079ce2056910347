# As a script (-P): writes the files NAMES of FOLDER into OUTPUT, each after a line with its name and a line with its
# size in bytes. `configure_file`-like reading would change the texts; HEX keeps every byte countable.
set(bundle "")
foreach(name IN LISTS NAMES)
  file(SIZE "${FOLDER}/${name}" size)
  file(READ "${FOLDER}/${name}" text)
  string(APPEND bundle "${name}\n${size}\n${text}")
endforeach()
file(WRITE "${OUTPUT}" "${bundle}")
