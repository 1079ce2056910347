#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "diag/diagnostic.h"
#include "experiment/subject.h"

namespace chi::experiment {

/// Results of runs in a file, by what they were made with: model text, options, measures,
/// parameters, seed. A study that was killed at any moment goes on where the file ends; a run that
/// is there is not made again. Several processes may use one file.
///
/// The file is an SQLite database with a write-ahead log; what was added in the last half second
/// may be lost in a kill. Functions may be called by several threads.
class Store {
 public:
  /// Null exactly when it reported: no such folder, no database, held by somebody else.
  static std::unique_ptr<Store> open(const std::string& path, const Subject& subject,
                                     const Setting& setting, Diagnostics& diagnostics);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  bool find(const Point& point, RunResult& result);
  /// Results that were ended from outside, or never came, are not to be added.
  void add(const Point& point, const RunResult& result);
  /// Writes all that was added. Empty, or what went wrong since it was opened.
  std::string close();

 private:
  struct Database;
  explicit Store(std::unique_ptr<Database> database);
  std::unique_ptr<Database> database_;
};

/// 128 bits that two texts share by chance with probability 2^-128.
std::array<std::uint64_t, 2> text_hash(std::string_view text);

}  // namespace chi::experiment
