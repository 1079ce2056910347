#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <vector>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "commands.h"
#include "process.h"

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

/// What was printed is a result as well; a reader who went is none of our business, and one who
/// does not read is waited for until an interrupt.
int finish_output(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  const int error = errno;
  if (error == EPIPE || code != chi::cli::kSuccess) return code;
  if (chi::stop_cause() == chi::StopCause::Interrupt) return chi::cli::kInterrupted;
  if (chi::stop_cause() == chi::StopCause::TimeLimit) return chi::cli::kRunFailed;
  std::fprintf(stderr, "error: cannot write to stdout: %s\n", std::strerror(error));
  return chi::cli::kCallWrong;
}

int run(char** first, char** last) {
  try {
    return finish_output(chi::cli::run_call({first, last}));
  } catch (const std::bad_alloc&) {
    std::fputs("error: out of memory\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "internal error: %s\n", error.what());
    return 70;
  }
  return chi::cli::kRunFailed;
}

}  // namespace

int main(int argc, char** argv) {
  const chi::cli::Process process;
  keep_memory();
  return process.run([&] { return run(argv + 1, argv + argc); });
}
