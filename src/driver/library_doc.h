#pragma once
#include <span>
#include <string>
#include <vector>

#include "driver/read_model.h"

namespace chi::driver {

/// A parameter of a definition, as its text has it.
struct DocumentedParameter {
  std::string name;
  std::string type = {};
  std::string initial = {};      ///< its default value; empty: it must be given
  std::string description = {};  ///< empty: the comment has no line about it
  bool is_terminal = false;      ///< of a node type: a place to connect
};

/// Equations that hold together: those of a mode, or with an empty guard those of all modes.
struct DocumentedEquations {
  std::string guard;  ///< of a mode within a mode: both
  std::vector<std::string> equations = {};
};

/// What people want to know of a definition: its comment, taken apart, and its text.
///
/// The comment is the block of `//` lines that ends right above the definition. Its lines up to the
/// first end of a sentence are the summary. A line `//   R, L: text`, indented by at least two
/// spaces, describes the parameters R and L; lines indented as much and without such a head go on
/// with it.
struct DocumentedDefinition {
  std::string name;
  std::string module;  ///< how it is imported: the folder, or the file that is in none
  std::string file;    ///< within the library
  std::string kind;    ///< "type", "const", "func", "proc" or "sys"
  std::string summary, description;
  std::vector<DocumentedParameter> parameters;
  std::vector<DocumentedEquations> equations;  ///< of a process
  std::vector<std::string> parts;  ///< instances of a system, or the text of what has no sections
  std::string statements;          ///< of a process
  std::string example;             ///< a model that uses it; may be empty
};

/// All definitions of χ files that do not begin with `_`, in the order of `files`. `examples` are
/// models named by module and definition, `electrical/Resistor.chi`. Requires texts without syntax
/// errors.
std::vector<DocumentedDefinition> document(std::span<const LibraryFile> files,
                                           std::span<const LibraryFile> examples);

/// The definitions of the library that is built in.
std::vector<DocumentedDefinition> library_documentation();

}  // namespace chi::driver
