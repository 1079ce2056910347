#pragma once
#include <string_view>

// What is fuzzed. Each takes any bytes, and aborts if what it promises does not hold: under
// libFuzzer (entry.cc), and when the corpora are replayed (replay_test.cc).
namespace chi::fuzz {

/// Lexer, parser, checker, formatter, instantiation and lowering. No crash, every diagnostic can be
/// shown, and formatting a formatted text changes nothing.
void frontend(std::string_view bytes);

/// The readers of results, and what `chi plot` does with what was read. No crash; a trace that was
/// read is whole, and what is written of it reads back as it was.
void results(std::string_view bytes);

/// Statements in the interpreter. The bytes choose a program that is right by construction
/// (random_program.h). It compiles; it runs, as itself and formatted, to the same end with the same
/// output; and an expression has the value that it has as a constant.
void statements(std::string_view bytes);

}  // namespace chi::fuzz
