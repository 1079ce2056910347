#include "driver/write_file.h"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "base/output_file.h"

namespace chi::driver {
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
    case EROFS: return "write it to a place that is yours; `chmod u+w` makes a file writable";
    case ENAMETOOLONG: return "choose a shorter name";
    case EINTR: return "nobody reads it";
    case EFBIG: return "`ulimit -f` limits the size of files";
    case ENOSPC:
    case EDQUOT: return "make room there, or keep less: `--vars` and `--points` choose what";
    default: return "";
  }
}

}  // namespace

void report_unwritable(const std::string& path, int error, Diagnostics& diagnostics) {
  diagnostics.report({.code = DiagCode::CannotWriteFile,
                      .message = fmt::format("cannot write `{}`: {}", path, std::strerror(error)),
                      .help = cure(path, error)});
}

bool can_write_file(const std::string& path, Diagnostics& diagnostics) {
  const int error = why_not_writable(path);
  if (error != 0) report_unwritable(path, error, diagnostics);
  return error == 0;
}

bool write_file(const std::string& path, const std::function<void(const TextSink&)>& write,
                Diagnostics& diagnostics) {
  OutputFile file(path);
  if (file.error() == 0) write([&file](std::string_view piece) { return file.write(piece); });
  const int error = file.error() == 0 ? file.commit() : file.error();
  if (error != 0) report_unwritable(path, error, diagnostics);
  return error == 0;
}

bool write_file(const std::string& path, std::string_view text, Diagnostics& diagnostics) {
  return write_file(
      path, [text](const TextSink& sink) { sink(text); }, diagnostics);
}

}  // namespace chi::driver
