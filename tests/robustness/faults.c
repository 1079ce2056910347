/* Makes one system call or allocation of a program fail: loaded before it (LD_PRELOAD). See faults.py.

   CHI_FAULT_CALL    the name of a call, or `allocation`, or `any`
   CHI_FAULT_AT      which one of those fails, from 1; 0: none, they are counted
   CHI_FAULT_ERROR   errno of a system call that fails
   CHI_FAULT_COUNT   a file to which the count is written at the end
   CHI_FAULT_SIGNAL  instead of a failure the process gets this signal

   Allocations count from the first line of `main` on, and only those asked for by the program itself and by the libraries that
   are linked into it: what the loader and the C library need for themselves is theirs. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static long fail_at = -1, seen;
static int fault_errno = EIO, fault_signal;
static char wanted[32];
static const char* count_file;
static int ready;
static unsigned long program_begin, program_end;

static int visit(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size;
  (void)data;
  if (info->dlpi_name[0] != '\0') return 0;  /* the program itself */
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
    unsigned long begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, end = begin + info->dlpi_phdr[i].p_memsz;
    if (program_begin == 0 || begin < program_begin) program_begin = begin;
    if (end > program_end) program_end = end;
  }
  return 1;
}

__attribute__((constructor)) static void start(void) {
  const char* call = getenv("CHI_FAULT_CALL");
  const char* at = getenv("CHI_FAULT_AT");
  const char* error = getenv("CHI_FAULT_ERROR");
  const char* number = getenv("CHI_FAULT_SIGNAL");
  count_file = getenv("CHI_FAULT_COUNT");
  if (call == NULL) return;
  snprintf(wanted, sizeof wanted, "%s", call);
  fail_at = at == NULL ? 0 : atol(at);
  if (error != NULL) fault_errno = atoi(error);
  if (number != NULL) fault_signal = atoi(number);
  dl_iterate_phdr(visit, NULL);
  ready = 1;
}

__attribute__((destructor)) static void finish(void) {
  if (count_file == NULL) return;
  ready = 0;
  char text[32];
  int length = snprintf(text, sizeof text, "%ld\n", seen);
  int file = open(count_file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file >= 0 && write(file, text, (size_t)length) != length) abort();
  if (file >= 0) close(file);
}

static int is_ours(const void* caller) {
  const unsigned long at = (unsigned long)caller;
  return at >= program_begin && at < program_end;
}

/* Whether this call is the one. */
static int fails(const char* call) {
  if (!ready || (strcmp(wanted, call) != 0 && strcmp(wanted, "any") != 0)) return 0;
  if (__atomic_add_fetch(&seen, 1, __ATOMIC_RELAXED) != fail_at) return 0;
  if (fault_signal != 0) {
    raise(fault_signal);
    return 0;
  }
  errno = fault_errno;
  return 1;
}

#define NEXT(type, name, ...) \
  static type (*next)(__VA_ARGS__); \
  if (next == NULL) next = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

/* Allocations. `operator new` of libstdc++ calls malloc: it counts where the program called it. */
extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);

static int allocation_fails(const void* caller) {
  if (!ready || strcmp(wanted, "allocation") != 0 || !is_ours(caller)) return 0;
  const int saved = fault_errno;
  fault_errno = ENOMEM;
  const int result = fails("allocation");
  fault_errno = saved;
  return result;
}

void* malloc(size_t size) { return allocation_fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return allocation_fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size); }
void* realloc(void* old, size_t size) { return allocation_fails(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size); }
void* aligned_alloc(size_t alignment, size_t size) {
  return allocation_fails(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
}

/* `operator new`, under its mangled names, so that its caller is known. */
extern void throw_bad_alloc(void) __asm__("_ZSt17__throw_bad_allocv") __attribute__((noreturn, weak));
static void* allocate(size_t size, size_t alignment, const void* caller) {
  void* memory = allocation_fails(caller) ? NULL : alignment == 0 ? __libc_malloc(size == 0 ? 1 : size) : __libc_memalign(alignment, size);
  if (memory == NULL) throw_bad_alloc();
  return memory;
}
void* _Znwm(size_t size) { return allocate(size, 0, __builtin_return_address(0)); }
void* _Znam(size_t size) { return allocate(size, 0, __builtin_return_address(0)); }
void* _ZnwmSt11align_val_t(size_t size, size_t alignment) { return allocate(size, alignment, __builtin_return_address(0)); }
void* _ZnamSt11align_val_t(size_t size, size_t alignment) { return allocate(size, alignment, __builtin_return_address(0)); }

/* System calls, as the program and its libraries make them through the C library's functions. */
ssize_t write(int file, const void* data, size_t size) {
  NEXT(ssize_t, write, int, const void*, size_t);
  return fails("write") ? -1 : next(file, data, size);
}
ssize_t read(int file, void* data, size_t size) {
  NEXT(ssize_t, read, int, void*, size_t);
  return fails("read") ? -1 : next(file, data, size);
}
static int mode_of(int flags, va_list list) { return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(list, int) : 0; }
int open(const char* path, int flags, ...) {
  NEXT(int, open, const char*, int, ...);
  va_list list;
  va_start(list, flags);
  const int mode = mode_of(flags, list);
  va_end(list);
  return fails("open") ? -1 : next(path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
  NEXT(int, openat, int, const char*, int, ...);
  va_list list;
  va_start(list, flags);
  const int mode = mode_of(flags, list);
  va_end(list);
  return fails("openat") ? -1 : next(folder, path, flags, mode);
}
FILE* fopen(const char* path, const char* mode) {
  NEXT(FILE*, fopen, const char*, const char*);
  return fails("fopen") ? NULL : next(path, mode);
}
/* glibc's mark of an error in a stream. */
static void mark(FILE* file) { file->_flags |= 0x20; }
size_t fread(void* data, size_t size, size_t count, FILE* file) {
  NEXT(size_t, fread, void*, size_t, size_t, FILE*);
  if (!fails("fread")) return next(data, size, count, file);
  mark(file);
  return 0;
}
size_t fwrite(const void* data, size_t size, size_t count, FILE* file) {
  NEXT(size_t, fwrite, const void*, size_t, size_t, FILE*);
  if (!fails("fwrite")) return next(data, size, count, file);
  mark(file);
  return 0;
}
int fflush(FILE* file) {
  NEXT(int, fflush, FILE*);
  if (!fails("fflush")) return next(file);
  mark(file);
  return EOF;
}
int close(int file) {
  NEXT(int, close, int);
  if (!fails("close")) return next(file);
  const int error = errno;
  next(file);  /* as Linux does: it is closed all the same */
  errno = error;
  return -1;
}
int fchmod(int file, mode_t mode) {
  NEXT(int, fchmod, int, mode_t);
  return fails("fchmod") ? -1 : next(file, mode);
}
int fchown(int file, uid_t user, gid_t group) {
  NEXT(int, fchown, int, uid_t, gid_t);
  return fails("fchown") ? -1 : next(file, user, group);
}
int linkat(int from, const char* a, int to, const char* b, int flags) {
  NEXT(int, linkat, int, const char*, int, const char*, int);
  return fails("linkat") ? -1 : next(from, a, to, b, flags);
}
int renameat(int from, const char* a, int to, const char* b) {
  NEXT(int, renameat, int, const char*, int, const char*);
  return fails("renameat") ? -1 : next(from, a, to, b);
}
ssize_t readlink(const char* path, char* data, size_t size) {
  NEXT(ssize_t, readlink, const char*, char*, size_t);
  return fails("readlink") ? -1 : next(path, data, size);
}
int access(const char* path, int mode) {
  NEXT(int, access, const char*, int);
  return fails("access") ? -1 : next(path, mode);
}
int stat(const char* path, struct stat* info) {
  NEXT(int, stat, const char*, struct stat*);
  return fails("stat") ? -1 : next(path, info);
}
int fstat(int file, struct stat* info) {
  NEXT(int, fstat, int, struct stat*);
  return fails("fstat") ? -1 : next(file, info);
}
int setrlimit(__rlimit_resource_t what, const struct rlimit* limit) {
  NEXT(int, setrlimit, __rlimit_resource_t, const struct rlimit*);
  return fails("setrlimit") ? -1 : next(what, limit);
}
int timer_create(clockid_t clock, struct sigevent* event, timer_t* timer) {
  NEXT(int, timer_create, clockid_t, struct sigevent*, timer_t*);
  return fails("timer_create") ? -1 : next(clock, event, timer);
}
ssize_t getrandom(void* data, size_t size, unsigned flags) {
  NEXT(ssize_t, getrandom, void*, size_t, unsigned);
  return fails("getrandom") ? -1 : next(data, size, flags);
}
