#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace chi::conformance {

/// What a call of the executable gave.
struct Called {
  int code = -1;  ///< exit code; 128 + n when signal n ended it
  std::string out, err;
};

/// A folder of its own for one test, gone when it ends.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path(std::string_view name) const;
  void write(std::string_view name, std::string_view text) const;
  std::string read(std::string_view name) const;  ///< empty if there is no such file
  bool has(std::string_view name) const;
  /// Calls `chi` in this folder. With `interrupt`, it gets SIGINT once it has written `interrupt`
  /// to its output.
  Called chi(const std::vector<std::string>& arguments, std::string_view interrupt = "") const;

 private:
  std::string path_;
};

std::vector<std::string> lines(const std::string& text);

}  // namespace chi::conformance
