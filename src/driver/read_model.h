#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "source/source_file.h"

namespace chi::driver {

/// A file of the library that is built into the program: `electrical.chi`, `control/pid.chi`.
struct LibraryFile {
  std::string_view name, text;
};
std::span<const LibraryFile> library_files();
/// What is imported to have a file of the library: its folder, or the file that is in none.
std::string_view module_of(const LibraryFile& file);
/// The models that show how its definitions are used, by module and definition:
/// `electrical/Resistor.chi`.
std::span<const LibraryFile> library_examples();

/// Reads a model: the file at `path` and all files that it imports, each once (language.md,
/// "Files"). A module `a.b` is `a/b.chi`, or all files of the folder `a/b`. It is looked for in the
/// folder of the importing file, in `folders` one after the other, then in the library.
///
/// Empty exactly when the file itself cannot be read, which is reported then. What goes wrong with
/// imports is reported at the import: not found, not readable, a cycle of imports.
std::optional<SourceFile> read_model(const std::string& path,
                                     const std::vector<std::string>& folders,
                                     Diagnostics& diagnostics);

/// The folders to look in: those of `--include`, then those of the variable CHI_PATH of the
/// environment, with colons between. Reports an included one that is not there.
std::vector<std::string> import_folders(const std::vector<std::string>& included,
                                        Diagnostics& diagnostics);

/// The χ files below a folder, or the file itself, in order of their names.
std::vector<std::string> model_files(const std::string& path);

}  // namespace chi::driver
