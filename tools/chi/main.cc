#include <cstdio>
#include <exception>
#include <new>

#include "commands.h"

int main(int argc, char** argv) {
  try {
    return chi::cli::run_call({argv + 1, argv + argc});
  } catch (const std::bad_alloc&) {
    std::fputs("error: out of memory\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "internal error: %s\n", error.what());
    return 70;
  }
  return chi::cli::kRunFailed;
}
