#include "driver/read_source.h"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace chi::driver {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

void report(Diagnostics& diagnostics, DiagCode code, std::string message) {
  diagnostics.report({.code = code, .message = std::move(message)});
}

}  // namespace

std::optional<SourceFile> read_source(const std::string& path, Diagnostics& diagnostics) {
  std::optional<std::string> text = read_file(path, kMaxSourceBytes, diagnostics);
  if (!text) return std::nullopt;
  return SourceFile(path, std::move(*text));
}

std::optional<std::string> read_file(const std::string& path, std::uint64_t most_bytes,
                                     Diagnostics& diagnostics) {
  const File file(std::fopen(path.c_str(), "rb"));
  struct stat info {};
  if (!file || fstat(fileno(file.get()), &info) != 0) {
    report(diagnostics, DiagCode::CannotReadFile,
           fmt::format("cannot read `{}`: {}", path, std::strerror(errno)));
    return std::nullopt;
  }
  if (S_ISDIR(info.st_mode)) {
    report(diagnostics, DiagCode::CannotReadFile,
           fmt::format("cannot read `{}`: it is a directory", path));
    return std::nullopt;
  }
  const auto too_large = [&]() -> std::optional<std::string> {
    report(diagnostics, DiagCode::FileTooLarge,
           fmt::format("`{}` is larger than {} MiB", path, most_bytes >> 20));
    return std::nullopt;
  };
  if (static_cast<std::uint64_t>(info.st_size) > most_bytes) return too_large();
  std::string text;
  char buffer[1 << 16];
  while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, file.get())) {
    text.append(buffer, count);
    if (text.size() > most_bytes) return too_large();  // a pipe tells no size beforehand
  }
  if (std::ferror(file.get()) != 0) {
    report(diagnostics, DiagCode::CannotReadFile,
           fmt::format("cannot read `{}`: {}", path, std::strerror(errno)));
    return std::nullopt;
  }
  return text;
}

namespace {

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// What to try about a file that cannot be written.
std::string cure(const std::string& path, int error) {
  switch (error) {
    case ENOENT: return fmt::format("the folder is not there; mkdir -p {}", folder_of(path));
    case ENOTDIR: return fmt::format("`{}` is not a folder", folder_of(path));
    case EISDIR: return "a folder has this name; choose another one";
    case EACCES:
    case EPERM:
    case EROFS: return "write it to a place that is yours";
    case ENOSPC:
    case EDQUOT: return "make room there, or keep less: `--vars` and `--points` choose what";
    default: return "";
  }
}

void report_unwritable(const std::string& path, int error, Diagnostics& diagnostics) {
  diagnostics.report({.code = DiagCode::CannotWriteFile,
                      .message = fmt::format("cannot write `{}`: {}", path, std::strerror(error)),
                      .help = cure(path, error)});
}

}  // namespace

bool can_write_file(const std::string& path, Diagnostics& diagnostics) {
  struct stat info {};
  const bool exists = stat(path.c_str(), &info) == 0;
  int error = exists || errno == ENOENT ? 0 : errno;
  if (exists && S_ISDIR(info.st_mode)) error = EISDIR;
  if (error == 0 && exists && access(path.c_str(), W_OK) != 0) error = errno;
  // A new file is made in the folder, which then takes the name.
  const bool special = exists && !S_ISREG(info.st_mode);
  if (error == 0 && !special && access(folder_of(path).c_str(), W_OK) != 0) error = errno;
  if (error != 0) report_unwritable(path, error, diagnostics);
  return error == 0;
}

bool write_file(const std::string& path, const std::string& text, Diagnostics& diagnostics) {
  struct stat info {};
  const bool special = stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
  const std::string target = special ? path : fmt::format("{}.{}.part", path, getpid());
  const auto failed = [&] {
    report_unwritable(path, errno, diagnostics);
    if (!special) std::remove(target.c_str());
    return false;
  };
  File file(std::fopen(target.c_str(), "wb"));
  if (!file) return failed();
  if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size()) return failed();
  if (std::fclose(file.release()) != 0) return failed();
  if (!special && std::rename(target.c_str(), path.c_str()) != 0) return failed();
  return true;
}

}  // namespace chi::driver
