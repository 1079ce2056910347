#include "base/output_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <climits>

#include "base/cancel.h"

namespace chi {
namespace {

/// So many interrupted writes after a request to end: whoever repeats the signal decides how long
/// that is (tools/chi/process.cc: 20 ms each).
constexpr int kLastAttempts = 4;
constexpr int kAttempts = 100;  // to find a name that is free
constexpr int kMostLinks = 40;  // in a row, as the system has it

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string descriptor_path(int file) { return "/proc/self/fd/" + std::to_string(file); }

std::string random_name() {
  std::uint64_t bits = 0;
  if (getrandom(&bits, sizeof bits, 0) != static_cast<ssize_t>(sizeof bits)) {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);  // exclusive creation is what protects, not the number
    bits = (static_cast<std::uint64_t>(getpid()) << 40) ^ static_cast<std::uint64_t>(now.tv_nsec);
  }
  char name[32];
  std::snprintf(name, sizeof name, ".chi-%016llx", static_cast<unsigned long long>(bits));
  return name;
}

/// Where the links at the end of this path lead, whether or not something is there.
int follow_links(std::string& path) {
  for (int i = 0; i < kMostLinks; ++i) {
    char target[PATH_MAX];
    const ssize_t length = readlink(path.c_str(), target, sizeof target);
    if (length < 0) return errno == EINVAL || errno == ENOENT ? 0 : errno;  // it is no link
    const std::string to(target, static_cast<std::size_t>(length));
    path = to.starts_with('/') ? to : folder_of(path) + "/" + to;
  }
  return ELOOP;
}

/// Of a file that is there. A file without any permission to write is not for us even where the
/// system would let us, as it lets root.
int why_not_replaceable(const std::string& path, const struct stat& info) {
  if (S_ISDIR(info.st_mode)) return EISDIR;
  if (access(path.c_str(), W_OK) != 0) return errno;
  if (S_ISREG(info.st_mode) && (info.st_mode & 0222) == 0) return EACCES;
  return 0;
}

}  // namespace

OutputFile::OutputFile(const std::string& path, Naming naming)
    : buffer_(std::make_unique_for_overwrite<char[]>(kBuffer)), naming_(naming) {
  if (!open_target(path)) discard();
}

OutputFile::~OutputFile() { discard(); }

bool OutputFile::fail(int error) {
  if (error_ == 0) error_ = error != 0 ? error : EIO;
  return false;
}

bool OutputFile::open_target(const std::string& path) {
  std::string target = path;
  struct stat info {};
  const bool exists = stat(target.c_str(), &info) == 0;
  if (!exists && errno != ENOENT) return fail(errno);
  if (exists) {
    if (const int error = why_not_replaceable(target, info)) return fail(error);
  }
  if (exists && !S_ISREG(info.st_mode)) {
    do {
      file_ = open(target.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    } while (file_ < 0 && errno == EINTR && !is_cancelled());
    return file_ >= 0 || fail(errno);
  }
  if (const int error = follow_links(target)) return fail(error);
  name_ = target.substr(target.rfind('/') + 1);
  if (name_.size() > NAME_MAX) return fail(ENAMETOOLONG);
  if (name_.empty()) return fail(ENOENT);
  folder_ = open(folder_of(target).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (folder_ < 0) return fail(errno);
  if (!make_beside(exists ? 0600 : 0666)) return false;
  if (!exists) return true;
  // The owner is kept where that is possible; a set-id bit must not change hands.
  const bool owned = fchown(file_, info.st_uid, info.st_gid) == 0;
  return fchmod(file_, info.st_mode & (owned ? 07777 : 0777)) == 0 || fail(errno);
}

bool OutputFile::make_beside(unsigned mode) {
  file_ = openat(folder_, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
  is_nameless_ = file_ >= 0 && access(descriptor_path(file_).c_str(), F_OK) == 0;
  if (is_nameless_) return true;
  if (file_ >= 0) close(file_);
  for (int i = 0; i < kAttempts; ++i) {
    std::string name = random_name();
    file_ =
        openat(folder_, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (file_ >= 0) {
      beside_ = std::move(name);
      return true;
    }
    if (errno != EEXIST && errno != EINTR) return fail(errno);
  }
  return fail(EEXIST);
}

/// A rename takes the place of a file that is there, a link does not.
bool OutputFile::link_beside() {
  for (int i = 0; i < kAttempts; ++i) {
    std::string name = random_name();
    if (linkat(AT_FDCWD, descriptor_path(file_).c_str(), folder_, name.c_str(),
               AT_SYMLINK_FOLLOW) == 0) {
      beside_ = std::move(name);
      is_nameless_ = false;
      return true;
    }
    if (errno != EEXIST && errno != EINTR) return fail(errno);
  }
  return fail(EEXIST);
}

bool OutputFile::write(std::string_view text) {
  if (error_ != 0) return false;
  if (text.size() > kBuffer - buffered_) {
    if (!flush()) return false;
    if (text.size() > kBuffer) return write_through(text);
  }
  std::memcpy(buffer_.get() + buffered_, text.data(), text.size());
  buffered_ += text.size();
  return true;
}

bool OutputFile::flush() {
  if (error_ != 0) return false;
  const std::string_view text(buffer_.get(), buffered_);
  buffered_ = 0;
  return write_through(text);
}

bool OutputFile::write_through(std::string_view text) {
  const std::size_t before = text.size();
  int interrupted = 0;
  while (!text.empty()) {
    const ssize_t count = ::write(file_, text.data(), text.size());
    if (count >= 0) {
      text.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR || (is_cancelled() && ++interrupted > kLastAttempts)) {
      fail(errno);
      break;
    }
  }
  // Of a log the lines count that found room.
  if (naming_ == Naming::WithFirstContent && text.size() < before) take_name();
  return error_ == 0;
}

bool OutputFile::take_name() {
  if (is_nameless_ && !link_beside()) return false;
  if (beside_.empty()) return true;
  if (renameat(folder_, beside_.c_str(), folder_, name_.c_str()) != 0) return fail(errno);
  beside_.clear();
  return true;
}

int OutputFile::commit() {
  if (flush() && is_nameless_) link_beside();
  // Closing first: some systems tell only then that there is no room.
  if (error_ == 0 && close(std::exchange(file_, -1)) != 0 && errno != EINTR) fail(errno);
  if (error_ == 0) take_name();
  discard();
  return error_;
}

void OutputFile::discard() {
  if (file_ >= 0) close(file_);
  if (!beside_.empty()) unlinkat(folder_, beside_.c_str(), 0);
  if (folder_ >= 0) close(folder_);
  file_ = folder_ = -1;
  beside_.clear();
}

int why_not_writable(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode))
    return why_not_replaceable(path, info);
  return OutputFile(path).error();
}

}  // namespace chi
