#pragma once
#include <memory>
#include <optional>

#include "code/ir.h"
#include "code/lower.h"
#include "diag/diagnostic.h"
#include "flat/flat_model.h"
#include "flat/flatten.h"
#include "sema/typed_model.h"
#include "source/source_file.h"

namespace chi::driver {

class Dump;

/// Text to typed model: lexes, parses and checks the file and those that it imports, which
/// `read_model` has read. Errors are in `diagnostics`. `dump`, if given, sees what each stage made.
sema::TypedModel check(const SourceFile& source, Diagnostics& diagnostics, Dump* dump = nullptr);

/// A model ready to run. The program refers to the flat model, which therefore stays where it is.
struct Compiled {
  std::unique_ptr<flat::FlatModel> model;
  std::unique_ptr<code::Program> program;
};

/// Whether a run can end without an end time: there are no equations, or there is a `terminate`.
bool ends_by_itself(const Compiled& compiled);

/// Text to program. Empty exactly when an error was reported, or when `dump` has all that it is
/// for.
std::optional<Compiled> compile(const SourceFile& source, const flat::Request& request,
                                const code::LowerOptions& options, Diagnostics& diagnostics,
                                Dump* dump = nullptr);

}  // namespace chi::driver
