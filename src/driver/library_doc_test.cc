#include "driver/library_doc.h"

#include <gtest/gtest.h>

#include "driver/library_page.h"

namespace chi::driver {
namespace {

constexpr LibraryFile kParts[] = {
    {"parts/pin.chi", "// A terminal\ntype pin = node { v: real, flow i: real }\n"},
    {"parts/valve.chi",
     "from parts.pin import pin\n"
     "\n"
     "// Not about it, for an empty line is between.\n"
     "\n"
     "// Valve: opens one way\n"
     "// It has no resistance: none.\n"
     "//   p, n: ends\n"
     "//   k: gain [V],\n"
     "//     of the whole\n"
     "proc Valve(p, n: pin, k: real := 2.0*pi, ref on: bool) =\n"
     "|[ v: real | |v|, v = k * (p.v - n.v), p.i + n.i = 0.0  // a balance\n"
     " , [ on and v > 0.0 -> v = 0.0 | not on -> p.i = 0.0, [ v < 1.0 -> n.i = 0.0 ] ]\n"
     " | *[ nabla on\n"
     "    ; skip ] ]|\n"
     "proc _Hidden() = |[ skip ]|\n"}};
constexpr LibraryFile kExamples[] = {
    {"parts/Valve.chi", "// It opens.\n// RUN: --end 1\n// EXPECT a = 1\nsys S() = |[ V() ]|\n\n"}};

DocumentedDefinition valve() { return document(kParts, kExamples).at(1); }

TEST(LibraryDoc, ListsWhatIsNotPrivate) {
  const auto all = document(kParts, kExamples);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "pin");
  EXPECT_EQ(all[0].kind, "type");
  EXPECT_EQ(all[1].module, "parts");
  EXPECT_EQ(all[1].file, "parts/valve.chi");
}

TEST(LibraryDoc, TakesTheCommentApart) {
  const DocumentedDefinition found = valve();
  EXPECT_EQ(found.summary, "Valve: opens one way");
  EXPECT_EQ(found.description, "Valve: opens one way\nIt has no resistance: none.");
  ASSERT_EQ(found.parameters.size(), 4u);
  EXPECT_EQ(found.parameters[1].description, "ends");
  EXPECT_TRUE(found.parameters[1].is_terminal);
  EXPECT_EQ(found.parameters[2].description, "gain [V], of the whole");
  EXPECT_EQ(found.parameters[2].initial, "2.0*pi");
  EXPECT_EQ(found.parameters[3].type, "ref bool");
  EXPECT_EQ(found.parameters[3].description, "");
}

TEST(LibraryDoc, TellsEquationsByMode) {
  const DocumentedDefinition found = valve();
  ASSERT_EQ(found.equations.size(), 4u);
  EXPECT_EQ(found.equations[0].equations,
            (std::vector<std::string>{"v = k * (p.v - n.v)", "p.i + n.i = 0.0"}));
  EXPECT_EQ(found.equations[1].guard, "on and v > 0.0");
  EXPECT_EQ(found.equations[3].guard, "not on, v < 1.0");
  EXPECT_EQ(found.statements, "*[ nabla on\n ; skip ]");
}

TEST(LibraryDoc, ShowsTheExampleWithoutItsExpectations) {
  EXPECT_EQ(valve().example, "// It opens.\nsys S() = |[ V() ]|\n");
}

TEST(LibraryPage, HasTheSectionsThatHaveSomething) {
  const std::string page = library_page(valve());
  EXPECT_NE(page.find("  from parts import Valve\n  Valve(p, n, k, on)\n"), std::string::npos)
      << page;
  EXPECT_NE(page.find("\nTerminals\n  p, n  pin  ends\n"), std::string::npos) << page;
  EXPECT_NE(page.find("  while not on:\n    p.i = 0.0\n"), std::string::npos) << page;
  EXPECT_EQ(page.find("Parts"), std::string::npos) << page;
  EXPECT_EQ(library_page(document(kParts, {}).at(0)).find("Parameters"), std::string::npos);
}

TEST(LibraryDoc, OfTheLibraryThatIsBuiltInIsNotEmpty) {
  EXPECT_GT(library_documentation().size(), 40u);
}

}  // namespace
}  // namespace chi::driver
