#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace chi {

/// When a file takes its name.
enum class Naming : unsigned char {
  WhenComplete,
  WithFirstContent,  ///< as soon as the buffer has been written once: for logs, read while they
                     ///< grow
};

/// A file that takes its name when it is complete: written without a name where the file system can
/// do that, else beside its place under a random one, made exclusively; then renamed. No reader
/// meets half of it, no failure costs what was there, and a kill leaves nothing behind.
///
/// Symbolic links are followed first: what they lead to is replaced, not they. The mode of a file
/// that is there is kept, and one that may not be written is refused. What is no regular file (a
/// device, a pipe) is written as it is. Names may be as long as the system allows.
///
/// Errors are values of `errno`; after the first everything else fails with it. A write that waits
/// for a reader ends soon after a request to end the work (base/cancel.h) with EINTR.
class OutputFile {
 public:
  static constexpr std::size_t kBuffer = std::size_t{1} << 16;

  /// Opens it. Requires `error() == 0` for everything else.
  explicit OutputFile(const std::string& path, Naming naming = Naming::WhenComplete);
  ~OutputFile();  ///< without `commit`: as if it had never been, unless it has its name
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  int error() const { return error_; }
  bool is_regular() const { return folder_ >= 0; }
  bool write(std::string_view text);
  bool flush();
  /// Completes it: 0, or why that was not possible.
  int commit();

 private:
  bool fail(int error);
  bool open_target(const std::string& path);
  bool make_beside(unsigned mode);
  bool link_beside();
  bool take_name();
  bool write_through(std::string_view text);
  void discard();

  std::unique_ptr<char[]> buffer_;
  std::size_t buffered_ = 0;
  Naming naming_;
  int error_ = 0;
  int file_ = -1, folder_ = -1;
  std::string name_;    // in the folder
  std::string beside_;  // the random one, until it takes its name
  bool is_nameless_ = false;
};

/// Why a file cannot be written at this place, as far as that can be found out without changing
/// anything; 0 if it can.
int why_not_writable(const std::string& path);

}  // namespace chi
