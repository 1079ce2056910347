#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "diag/render.h"
#include "driver/compile.h"
#include "driver/read_source.h"
#include "syntax/format.h"

namespace chi {
namespace {

std::vector<std::filesystem::path> listings() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(CHI_SOURCE_DIR) +
                                                               "/tests/papers/listings")) {
    if (entry.path().extension() == ".chi") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string errors(const SourceFile& source, const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& d : diagnostics.sorted()) {
    if (severity_of(d.code) == Severity::Error) text += render_text(d, source, false);
  }
  return text;
}

// Every χ listing of the papers, as printed, and the small variants a user would write of each.
class Listing : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(Listing, IsAccepted) {
  Diagnostics diagnostics;
  const auto source = driver::read_source(GetParam().string(), diagnostics);
  ASSERT_TRUE(source);
  driver::check(*source, diagnostics);
  EXPECT_EQ(errors(*source, diagnostics), "");
}

TEST_P(Listing, MeansTheSameWhenFormatted) {
  Diagnostics diagnostics;
  const auto source = driver::read_source(GetParam().string(), diagnostics);
  ASSERT_TRUE(source);
  const auto once = syntax::format(*source, diagnostics);
  ASSERT_TRUE(once);
  const SourceFile formatted("formatted.chi", *once);
  EXPECT_EQ(syntax::format(formatted, diagnostics), once);
  driver::check(formatted, diagnostics);
  EXPECT_EQ(errors(formatted, diagnostics), "");
}

INSTANTIATE_TEST_SUITE_P(Papers, Listing, ::testing::ValuesIn(listings()),
                         [](const auto& listing) { return listing.param.stem().string(); });

}  // namespace
}  // namespace chi
