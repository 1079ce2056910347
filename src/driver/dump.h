#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "code/ir.h"
#include "flat/flat_model.h"
#include "sema/typed_model.h"
#include "source/source_file.h"
#include "syntax/ast.h"
#include "syntax/dump.h"
#include "syntax/lexer.h"

namespace chi::driver {

struct ModelStructure;
struct ModeStructure;

/// The stages on the way from a text to a run, in order. `Plan` and `Modes` are of the equations:
/// the plans with which the run begins, and those of all modes that it meets.
enum class Stage : std::uint8_t { Tokens, Ast, Typed, Flat, Ir, Plan, Modes };
std::span<const std::string_view> stage_names();  ///< in that order: "tokens", ...
std::optional<Stage> stage_named(std::string_view name);

/// Prints what one stage made, in a form that stays the same as long as that does: `--dump`.
class Dump {
 public:
  /// `source` outlives it. `filter`: the name, with `*` and `?`, of what is printed; see the
  /// `dump.h` of each stage for what has a name. Of plans it is a variable: the parts in which it
  /// occurs. Empty: all.
  Dump(Stage stage, std::string filter, const SourceFile& source);
  Dump(const Dump&) = delete;
  Dump& operator=(const Dump&) = delete;

  /// What the stages made, in their order; the one that is asked for is printed.
  void after(const syntax::Tokens& tokens);
  void after(const syntax::Ast& ast);
  void after(const sema::TypedModel& typed);
  void after(const flat::FlatModel& flat);
  void after(const code::Program& program);
  void after(const ModelStructure& structure);

  Stage stage() const { return stage_; }
  bool is_complete() const { return complete_; }  ///< no later stage is needed
  const std::string& text() const { return text_; }

 private:
  bool mentions(const ModeStructure& mode) const;

  Stage stage_;
  std::string filter_;
  const SourceFile& source_;
  syntax::Wanted wanted_;
  std::string text_;
  bool complete_ = false;
};

}  // namespace chi::driver
