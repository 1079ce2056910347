#include "diag/diagnostic.h"

#include <algorithm>
#include <array>

namespace chi {
namespace {

struct CodeInfo {
  std::string_view text;
  Severity severity;
};

constexpr std::array kCodes = {
#define CHI_DIAG(name, code, severity) CodeInfo{code, Severity::severity},
#include "diag/codes.def"
#undef CHI_DIAG
};

const CodeInfo& info(DiagCode code) { return kCodes[static_cast<std::size_t>(code)]; }

}  // namespace

std::string_view code_text(DiagCode code) { return info(code).text; }
Severity severity_of(DiagCode code) { return info(code).severity; }

std::string_view severity_text(Severity severity) {
  switch (severity) {
    case Severity::Note: return "note";
    case Severity::Warning: return "warning";
    case Severity::Error: return "error";
  }
  return "";
}

void Diagnostics::report(Diagnostic diagnostic) {
  if (severity_of(diagnostic.code) == Severity::Error) ++errors_;
  all_.push_back(std::move(diagnostic));
}

std::vector<Diagnostic> Diagnostics::sorted() const {
  std::vector<Diagnostic> result = all_;
  const auto key = [](const Diagnostic& d) { return d.span ? d.span->begin : -1; };
  std::stable_sort(result.begin(), result.end(),
                   [&](const Diagnostic& a, const Diagnostic& b) { return key(a) < key(b); });
  return result;
}

}  // namespace chi
