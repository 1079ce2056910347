#include "syntax/foreign.h"

namespace chi::syntax {
namespace {

struct Word {
  std::string_view word;
  std::string_view help;
};

constexpr std::string_view kProcess = "equations and statements stand in `proc P() = |[ ... ]|`";
constexpr std::string_view kFunction =
    "a function is written `func f(x: real) -> real = e`, or with `|[ ... ret e ]|`";
constexpr std::string_view kConstant = "a constant is written `const k = 2.0`";
constexpr std::string_view kPrint = "`!x, \"\\n\"` prints x and ends the line";
constexpr std::string_view kLoop =
    "a repetition is written `*[ b -> S ]`; it counts as in `*[ i < n -> S; i := i + 1 ]`";
constexpr std::string_view kChoice = "a choice is written `[ b -> S | not b -> T ]`";
constexpr std::string_view kWait = "`delta t` waits for a time, `nabla b` for a condition";
constexpr std::string_view kSend = "`c!e` sends over channel c, `c?x` receives";
constexpr std::string_view kLength = "the length of a list is `len(xs)`, of a set `size(s)`";
constexpr std::string_view kNoPrefix = "functions of the library have no prefix: `sin(x)`";
constexpr std::string_view kReal = "a real number is of type `real`";
constexpr std::string_view kInteger = "a whole number is of type `nat` or `int`";
constexpr std::string_view kBoolean = "a truth value is of type `bool`";
constexpr std::string_view kList = "a list of numbers is of type `real*`, an array `real^3`";

constexpr Word kDefinitions[] = {
    {"model", kProcess},
    {"block", kProcess},
    {"class", kProcess},
    {"package", kProcess},
    {"connector", kProcess},
    {"automaton", kProcess},
    {"def", kFunction},
    {"parameter", kConstant},
    {"let", kConstant},
    {"var", "variables are declared in a process or system: `|[ x: real := 1.0 | ... ]|`"},
    {"import", "an import is written `from a.b import *` or `import a.b as c`"},
    {"from", "an import is written `from a.b import *` or `import a.b as c`"},
    {"include", "an import is written `from a.b import *` or `import a.b as c`"},
    {"struct", "a record type is written `type r = { a: real, n: nat }`"},
    {"record", "a record type is written `type r = { a: real, n: nat }`"}};

constexpr Word kStatements[] = {
    {"while", kLoop},
    {"for", kLoop},
    {"loop", kLoop},
    {"repeat", kLoop},
    {"switch", kChoice},
    {"case", kChoice},
    {"elif", kChoice},
    {"elseif", kChoice},
    {"when", "to wait until b holds and then act, write `nabla b; S`"},
    {"wait", kWait},
    {"sleep", kWait},
    {"pause", kWait},
    {"hold", kWait},
    {"print", kPrint},
    {"println", kPrint},
    {"printf", kPrint},
    {"fprintf", kPrint},
    {"disp", kPrint},
    {"display", kPrint},
    {"write", kPrint},
    {"puts", kPrint},
    {"send", kSend},
    {"put", kSend},
    {"receive", kSend},
    {"recv", kSend},
    {"get", kSend},
    {"append", "a list grows by `xs := xs ++ [x]`"},
    {"push", "a list grows by `xs := xs ++ [x]`"},
    {"add", "a list grows by `xs := xs ++ [x]`"},
    {"pop", "the first element goes by `x, xs := hd(xs), tl(xs)`"},
    {"return", "a function gives its value by `ret e`"},
    {"break", "a repetition ends when no guard holds: `*[ b -> S ]`"},
    {"continue", "a repetition ends when no guard holds: `*[ b -> S ]`"},
    {"pass", "the statement that does nothing is `skip`"},
    {"exit", "`terminate` ends the run"},
    {"quit", "`terminate` ends the run"},
    {"stop", "`terminate` ends the run"},
    {"var", "variables are declared at the start of the block: `|[ x: real := 1.0 | ... ]|`"},
    {"let", "variables are declared at the start of the block: `|[ x: real := 1.0 | ... ]|`"}};

constexpr Word kEquations[] = {
    {"when", "what happens at an event stands in the statements: `nabla b; x := e`"},
    {"for", "equations are repeated by an unwinding: `i: nat <- 0..n-1: x.i' = e`"},
    {"connect", "what is connected shares a variable: pass it as a `ref` parameter"},
    {"reinit", "a variable jumps by an assignment in the statements: `nabla b; x := e`"},
    {"assert", "a condition is watched by a statement: `nabla not b; !\"...\"; terminate`"},
    {"der", "the derivative of x is written `x'`"}};

constexpr Word kValues[] = {
    {"der", "the derivative of x is written `x'`"},
    {"ddt", "the derivative of x is written `x'`"},
    {"diff", "the derivative of x is written `x'`"},
    {"t", "the time is `time`"},
    {"pre", "a statement reads a variable as it was before it is assigned: `x := -0.8 * x`"},
    {"edge", "`nabla b` in the statements waits until b becomes true"},
    {"length", kLength},
    {"numel", kLength},
    {"count", kLength},
    {"math", kNoPrefix},
    {"Math", kNoPrefix},
    {"np", kNoPrefix},
    {"numpy", kNoPrefix},
    {"std", kNoPrefix},
    {"pow", "a power is written `x^y`"},
    {"fabs", "the absolute value is `abs(x)`"},
    {"arcsin", "it is called `asin`"},
    {"arccos", "it is called `acos`"},
    {"arctan", "it is called `atan`"},
    {"log10", "the logarithm to the base ten is `log(x)`, the natural one `ln(x)`"},
    {"ceiling", "it is called `ceil`"},
    {"rand", "a random number is `sample uniform(0.0, 1.0)`"},
    {"random", "a random number is `sample uniform(0.0, 1.0)`"},
    {"randn", "a random number is `sample normal(0.0, 1.0)`"},
    {"PI", "it is called `pi`"},
    {"None", "every variable has a value from the start: 0, false, \"\" or an empty list"},
    {"null", "every variable has a value from the start: 0, false, \"\" or an empty list"},
    {"nil", "every variable has a value from the start: 0, false, \"\" or an empty list"}};

constexpr Word kTypes[] = {{"float", kReal},
                           {"double", kReal},
                           {"Float", kReal},
                           {"Double", kReal},
                           {"number", kReal},
                           {"Integer", kInteger},
                           {"integer", kInteger},
                           {"long", kInteger},
                           {"unsigned", kInteger},
                           {"uint", kInteger},
                           {"Boolean", kBoolean},
                           {"boolean", kBoolean},
                           {"logical", kBoolean},
                           {"list", kList},
                           {"array", kList},
                           {"vector", kList},
                           {"str", "text is of type `string`"},
                           {"char", "text is of type `string`"}};

template <std::size_t n>
std::string_view find(const Word (&words)[n], std::string_view word) {
  for (const Word& row : words) {
    if (row.word == word) return row.help;
  }
  return {};
}

}  // namespace

std::string_view foreign_word(std::string_view word, Wanting wanting) {
  switch (wanting) {
    case Wanting::Definition: return find(kDefinitions, word);
    case Wanting::Statement: return find(kStatements, word);
    case Wanting::Equation: {
      const std::string_view help = find(kEquations, word);
      return help.empty() ? find(kStatements, word) : help;
    }
    case Wanting::Value: return find(kValues, word);
    case Wanting::Type: return find(kTypes, word);
  }
  return {};
}

}  // namespace chi::syntax
