#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/span.h"

namespace chi {

enum class Severity { Note, Warning, Error };

enum class DiagCode {
#define CHI_DIAG(name, code, severity) name,
#include "diag/codes.def"
#undef CHI_DIAG
};
std::string_view code_text(DiagCode code);  ///< "E2014"
Severity severity_of(DiagCode code);
std::string_view severity_text(Severity severity);  ///< "error", "warning", "note"

struct Label {
  Span span;
  std::string text;
};

/// One thing to tell the modeller. `message` describes the situation found, not an order: lower
/// case, no full stop, code in backticks. `span` is the narrowest text that is wrong.
struct Diagnostic {
  DiagCode code;
  std::optional<Span> span = {};  ///< none: about the call or a file, not about text
  std::string message = {};
  std::vector<Label> labels = {};
  std::vector<std::string> notes = {};  ///< further facts, each a line or more
  std::string help = {};
};

/// Where stages report. Reporting never stops the stage.
class Diagnostics {
 public:
  void report(Diagnostic diagnostic);

  bool has_errors() const { return errors_ > 0; }
  int error_count() const { return errors_; }
  const std::vector<Diagnostic>& all() const { return all_; }
  /// By position in the text, in order of report where equal. Every stage walks the text its own
  /// way; the reader reads it from the top.
  std::vector<Diagnostic> sorted() const;

 private:
  std::vector<Diagnostic> all_;
  int errors_ = 0;
};

}  // namespace chi
