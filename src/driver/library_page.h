#pragma once
#include <span>
#include <string>

#include "driver/library_doc.h"

namespace chi::driver {

/// One definition for people: what it is, how it is used, terminals, parameters, equations by mode,
/// an example.
std::string library_page(const DocumentedDefinition& definition);

/// A line for each definition, under the names of their modules.
std::string library_list(std::span<const DocumentedDefinition> definitions);

/// The same as one object of JSON, on one line.
std::string library_json(const DocumentedDefinition& definition);

}  // namespace chi::driver
