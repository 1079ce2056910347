#include "driver/read_source.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <sys/stat.h>

#include <fmt/format.h>

#include "base/cancel.h"
#include "base/doing.h"
namespace chi::driver {
namespace {

constexpr std::uint64_t kMostOfAStream = std::uint64_t{256} << 20;

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
  const Doing doing("reading files");
  const File file(std::fopen(path.c_str(), "rb"));
  struct stat info {};
  check_cancelled();
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
  // A device or a pipe tells no size beforehand, and may have no end.
  if (!S_ISREG(info.st_mode)) most_bytes = std::min(most_bytes, kMostOfAStream);
  std::string text;
  char buffer[1 << 16];
  while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, file.get())) {
    text.append(buffer, count);
    if (text.size() > most_bytes) return too_large();
    check_cancelled();
  }
  check_cancelled();  // which ends a wait for a writer
  if (std::ferror(file.get()) != 0) {
    report(diagnostics, DiagCode::CannotReadFile,
           fmt::format("cannot read `{}`: {}", path, std::strerror(errno)));
    return std::nullopt;
  }
  return text;
}

}  // namespace chi::driver
