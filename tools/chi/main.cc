#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

#include "commands.h"

int main(int argc, char** argv) {
  try {
    const int code = chi::cli::run_call({argv + 1, argv + argc});
    // What was printed is a result as well; a reader who went is none of our business.
    if ((std::fflush(stdout) != 0 || std::ferror(stdout) != 0) && errno != EPIPE && code == 0) {
      std::fprintf(stderr, "error: cannot write to stdout: %s\n", std::strerror(errno));
      return chi::cli::kCallWrong;
    }
    return code;
  } catch (const std::bad_alloc&) {
    std::fputs("error: out of memory\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "internal error: %s\n", error.what());
    return 70;
  }
  return chi::cli::kRunFailed;
}
