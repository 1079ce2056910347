#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "commands.h"

namespace {

// Large tables come and go while a model is prepared. Kept by the process, their memory need not be
// cleared by the system each time: a tenth of the time to the first step of a large model.
void keep_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 1 << 25);  // the most it takes
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 1 << 24);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  keep_memory();
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
