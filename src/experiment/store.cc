#include "experiment/store.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <mutex>

#include <fmt/format.h>

#ifndef CHI_WITHOUT_SQLITE
#include <sqlite3.h>
#endif

namespace chi::experiment {
namespace {

/// Everything but the point that a result depends on.
std::string common_text(const Subject& subject, const Setting& setting) {
  const SourceFile& source = subject.source();
  const sim::RunOptions& o = setting.run;
  std::string text = "chi study 1\n";
  for (std::int32_t f = 0; f < source.file_count(); ++f)
    text += fmt::format("{}:{}", source.file(f).text().size(), source.file(f).text());
  // All that a user can choose about a run: a field that is not here would make two runs one.
  text += fmt::format("\n{}\n{} {} {} {} {} {} {}\n", setting.top, o.end, o.random_choice, o.rtol,
                      o.atol, o.max_step, o.step_size, o.theta);
  for (const int choice :
       {static_cast<int>(o.solver), static_cast<int>(o.root_finder),
        static_cast<int>(o.root_detection), static_cast<int>(o.sliding), static_cast<int>(o.zeno),
        static_cast<int>(o.jumps), static_cast<int>(o.initial), static_cast<int>(o.requirements),
        static_cast<int>(o.start)})
    text += fmt::format("{} ", choice);
  text += fmt::format("{} {}\n", o.max_actions, setting.warmup);
  for (const auto& [name, value] : setting.fixed) text += fmt::format("{}={}\n", name, value);
  for (const Measure& measure : setting.measures) text += fmt::format("{}\n", measure.text);
  for (const std::string& name : setting.samples.names) text += name + "\n";
  for (const double time : setting.samples.times) text += fmt::format("{} ", time);
  return text;
}

std::uint64_t mixed(std::uint64_t x) {  // the finaliser of splitmix64 (S. Vigna, 2015)
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

}  // namespace

std::array<std::uint64_t, 2> text_hash(std::string_view text) {
  std::uint64_t a = 0x9e3779b97f4a7c15U, b = 0xd1b54a32d192ed03U;
  for (std::size_t i = 0; i < text.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + i, std::min<std::size_t>(8, text.size() - i));
    a = mixed(a ^ word) + 0x9e3779b97f4a7c15U;
    b = mixed(b + word) * 0xff51afd7ed558ccdU;
  }
  return {mixed(a ^ text.size()), mixed(b ^ a)};
}

#ifdef CHI_WITHOUT_SQLITE

struct Store::Database {};
Store::Store(std::unique_ptr<Database> database) : database_(std::move(database)) {}
Store::~Store() = default;
std::unique_ptr<Store> Store::open(const std::string& path, const Subject&, const Setting&,
                                   Diagnostics& diagnostics) {
  diagnostics.report({.code = DiagCode::CannotWriteFile,
                      .message = fmt::format("cannot keep runs in `{}`: this chi was built without "
                                             "SQLite",
                                             path)});
  return nullptr;
}
bool Store::find(const Point&, RunResult&) { return false; }
void Store::add(const Point&, const RunResult&) {}
std::string Store::close() { return ""; }

#else

struct Store::Database {
  std::string common;
  sqlite3* handle = nullptr;
  sqlite3_stmt *select = nullptr, *insert = nullptr;
  std::mutex mutex;
  bool in_transaction = false;
  std::string problem;
  std::chrono::steady_clock::time_point committed = std::chrono::steady_clock::now();

  ~Database() {
    if (in_transaction) run("COMMIT");
    sqlite3_finalize(select);
    sqlite3_finalize(insert);
    sqlite3_close(handle);
  }

  bool run(const char* statement) {
    if (sqlite3_exec(handle, statement, nullptr, nullptr, nullptr) == SQLITE_OK) return true;
    note();
    return false;
  }
  void note() {
    if (problem.empty()) problem = sqlite3_errmsg(handle);
  }

  std::array<std::uint64_t, 2> key(const Point& point) const {
    std::string text = common + fmt::format("\n{}\n", point.seed);
    for (const auto& [name, value] : point.parameters) text += fmt::format("{}={}\n", name, value);
    return text_hash(text);
  }

  bool prepare() {
    return sqlite3_prepare_v2(handle, "SELECT measures, problem, wrong FROM runs WHERE key = ?1",
                              -1, &select, nullptr) == SQLITE_OK &&
           sqlite3_prepare_v2(handle,
                              "INSERT OR IGNORE INTO runs (key, measures, problem, wrong) VALUES "
                              "(?1, ?2, ?3, ?4)",
                              -1, &insert, nullptr) == SQLITE_OK;
  }
};

Store::Store(std::unique_ptr<Database> database) : database_(std::move(database)) {}
Store::~Store() = default;

std::unique_ptr<Store> Store::open(const std::string& path, const Subject& subject,
                                   const Setting& setting, Diagnostics& diagnostics) {
  auto database = std::make_unique<Database>();
  // What depends on the whole model is hashed once.
  const auto hash = text_hash(common_text(subject, setting));
  database->common = fmt::format("{:x} {:x}", hash[0], hash[1]);
  constexpr int kWait = 10'000;  // milliseconds, for somebody who writes
  const bool good =
      sqlite3_open(path.c_str(), &database->handle) == SQLITE_OK &&
      sqlite3_busy_timeout(database->handle, kWait) == SQLITE_OK &&
      database->run("PRAGMA journal_mode = WAL") && database->run("PRAGMA synchronous = NORMAL") &&
      database->run(
          "CREATE TABLE IF NOT EXISTS runs (key BLOB PRIMARY KEY, measures BLOB NOT NULL, "
          "problem TEXT NOT NULL, wrong INTEGER NOT NULL) WITHOUT ROWID") &&
      database->prepare();
  if (!good) {
    database->note();
    diagnostics.report(
        {.code = DiagCode::CannotWriteFile,
         .message = fmt::format("cannot keep runs in `{}`: {}", path, database->problem)});
    return nullptr;
  }
  return std::unique_ptr<Store>(new Store(std::move(database)));
}

bool Store::find(const Point& point, RunResult& result) {
  Database& d = *database_;
  const auto key = d.key(point);
  const std::lock_guard lock(d.mutex);
  sqlite3_bind_blob(d.select, 1, key.data(), sizeof key, SQLITE_STATIC);
  const bool found = sqlite3_step(d.select) == SQLITE_ROW;
  if (found) {
    const auto bytes = static_cast<std::size_t>(sqlite3_column_bytes(d.select, 0));
    result.measures.resize(bytes / sizeof(double));
    if (bytes > 0)
      std::memcpy(result.measures.data(), sqlite3_column_blob(d.select, 0),
                  result.measures.size() * sizeof(double));
    result.problem = reinterpret_cast<const char*>(sqlite3_column_text(d.select, 1));
    result.is_model_wrong = sqlite3_column_int(d.select, 2) != 0;
  }
  sqlite3_reset(d.select);
  return found;
}

void Store::add(const Point& point, const RunResult& result) {
  Database& d = *database_;
  const auto key = d.key(point);
  const std::lock_guard lock(d.mutex);
  if (!d.problem.empty()) return;
  if (!d.in_transaction) d.in_transaction = d.run("BEGIN IMMEDIATE");
  sqlite3_bind_blob(d.insert, 1, key.data(), sizeof key, SQLITE_STATIC);
  const void* const measures =
      result.measures.empty() ? "" : static_cast<const void*>(result.measures.data());
  sqlite3_bind_blob(d.insert, 2, measures,
                    static_cast<int>(result.measures.size() * sizeof(double)), SQLITE_STATIC);
  sqlite3_bind_text(d.insert, 3, result.problem.c_str(), -1, SQLITE_STATIC);
  sqlite3_bind_int(d.insert, 4, result.is_model_wrong ? 1 : 0);
  if (sqlite3_step(d.insert) != SQLITE_DONE) d.note();
  sqlite3_reset(d.insert);
  const auto now = std::chrono::steady_clock::now();
  if (now - d.committed < std::chrono::milliseconds(500)) return;
  d.committed = now;
  if (d.in_transaction) d.run("COMMIT");
  d.in_transaction = false;
}

std::string Store::close() {
  Database& d = *database_;
  const std::lock_guard lock(d.mutex);
  if (d.in_transaction) d.run("COMMIT");
  d.in_transaction = false;
  return d.problem;
}

#endif

}  // namespace chi::experiment
