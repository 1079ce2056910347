#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <unistd.h>

#include <fmt/format.h>

#include "base/doing.h"
#include "base/json_text.h"
#include "base/output_file.h"
#include "driver/explain.h"
#include "driver/read_model.h"
#include "driver/write_file.h"
#include "experiment/study.h"
#include "experiment/table.h"
#include "options.h"
#include "report.h"
#include "run_settings.h"
#include "search_command.h"
#include "study_settings.h"

namespace chi::cli {
namespace {

/// Writes rows as they come, and on a terminal how far the study is.
class Watcher : public experiment::Spectator {
 public:
  Watcher(std::int64_t count, OutputFile* table, bool to_stdout, bool shows_bar)
      : count_(count), table_(table), to_stdout_(to_stdout), shows_bar_(shows_bar) {}

  bool row(std::int64_t run, const experiment::Point& point,
           const experiment::RunResult& result) override {
    ++done_;
    if (!result.problem.empty()) {
      ++failed_;
      if (first_problem_.empty()) first_problem_ = fmt::format("run {}: {}", run, result.problem);
    }
    if (table_ != nullptr || to_stdout_) write(experiment::table_row(run, point, result));
    show();
    return !is_broken();
  }

  void write(const std::string& line) {
    if (table_ != nullptr) table_->write(line);
    if (to_stdout_) std::fwrite(line.data(), 1, line.size(), stdout);
  }
  bool is_broken() const { return table_ != nullptr && table_->error() != 0; }
  void clear() const {
    if (shown_) std::fputs("\r\033[K", stderr);
  }
  const std::string& first_problem() const { return first_problem_; }

 private:
  void show() {
    if (!shows_bar_) return;
    const auto now = Clock::now();
    const double passed = std::chrono::duration<double>(now - start_).count();
    if (passed < 0.5 || now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    shown_ = true;
    constexpr int kWidth = 20;
    const double share = static_cast<double>(done_) / static_cast<double>(count_);
    const auto filled = static_cast<std::size_t>(share * kWidth);
    std::string line = fmt::format("\r\033[K[{}{}] {} of {} runs", std::string(filled, '#'),
                                   std::string(kWidth - filled, '.'), done_, count_);
    if (failed_ > 0) line += fmt::format(", {} failed", failed_);
    line += fmt::format("  {:.0f} s left", passed * (1 - share) / share);
    std::fputs(line.c_str(), stderr);
  }

  using Clock = std::chrono::steady_clock;
  std::int64_t count_, done_ = 0, failed_ = 0;
  OutputFile* table_;
  bool to_stdout_, shows_bar_, shown_ = false;
  std::string first_problem_;
  Clock::time_point start_ = Clock::now(), last_ = {};
};

class StudyCall {
 public:
  explicit StudyCall(const StudyOptions& options) : options_(options) {}

  int operator()() {
    std::optional<StudySettings> settings = study_settings(options_, diagnostics_);
    if (!settings) return report();
    settings_ = std::move(*settings);
    if (options_.print_plan) {
      show(experiment::plan_text(plan()));
      return kSuccess;
    }
    const Common& common = options_.run.common;
    source_ = driver::read_model(plan().model, driver::import_folders(common.include, diagnostics_),
                                 diagnostics_);
    if (!source_) return report();
    const auto subject = experiment::Subject::check(*source_, diagnostics_);
    if (!subject) return report();
    if (!plan().table.empty()) driver::can_write_file(plan().table, diagnostics_);
    if (diagnostics_.has_errors() || !experiment::check_plan(*subject, plan(), diagnostics_))
      return report();
    if (plan().kind != experiment::Kind::Sweep && plan().kind != experiment::Kind::Replicate) {
      const SearchCall search{*subject, settings_, common};
      const int code = run_search(search, diagnostics_);
      print(diagnostics_, &*source_, common);
      return diagnostics_.has_errors() ? exit_code(diagnostics_) : code;
    }
    return run(*subject);
  }

 private:
  const experiment::Plan& plan() const { return settings_.plan; }
  bool is_sweep() const { return plan().kind == experiment::Kind::Sweep; }

  int report() {
    print(diagnostics_, source_ ? &*source_ : nullptr, options_.run.common);
    return exit_code(diagnostics_);
  }

  int run(const experiment::Subject& subject) {
    const Doing doing("making the runs of a study");
    const Common& common = options_.run.common;
    std::unique_ptr<OutputFile> table;
    if (!plan().table.empty()) {
      table = std::make_unique<OutputFile>(plan().table);
      if (table->error() != 0) {
        driver::report_unwritable(plan().table, table->error(), diagnostics_);
        return report();
      }
    }
    const experiment::Design design(plan());
    // A sweep is its table: without a file it is shown.
    const bool to_stdout = table == nullptr && is_sweep() && !common.json;
    Watcher watcher(design.size(), table.get(), to_stdout,
                    !options_.run.no_progress && !common.quiet && isatty(STDERR_FILENO) != 0 &&
                        !(to_stdout && isatty(STDOUT_FILENO) != 0));
    std::unique_ptr<experiment::Store> store;
    if (!plan().store.empty()) {
      store = experiment::Store::open(plan().store, subject, plan().setting, diagnostics_);
      if (!store) return report();
    }
    watcher.write(experiment::table_header(design.names(), plan().setting.measures));
    const experiment::StudyResult result =
        experiment::run_study(subject, plan(), settings_.jobs, watcher, store.get());
    watcher.clear();
    if (store) {
      if (const std::string problem = store->close(); !problem.empty())
        diagnostics_.report(
            {.code = DiagCode::CannotWriteFile,
             .message = fmt::format("cannot keep all runs in `{}`: {}", plan().store, problem),
             .help = "the table is complete"});
    }
    if (table != nullptr) {
      if (const int error = table->commit())
        driver::report_unwritable(plan().table, error, diagnostics_);
    }
    if (common.json) {
      show_json(result);
    } else if (!is_sweep()) {
      show_summary(result);
    }
    std::fflush(stdout);
    return finish(result, watcher);
  }

  int finish(const experiment::StudyResult& result, const Watcher& watcher) {
    const Common& common = options_.run.common;
    if (result.stopped == StopCause::TimeLimit)
      diagnostics_.report(driver::time_limit(fmt::format("making run {}", result.runs)));
    print(diagnostics_, &*source_, common);
    if (result.failed > 0 && !common.quiet && !common.json) {
      std::fprintf(stderr, "%lld of %lld runs failed; the first is %s\n",
                   static_cast<long long>(result.failed), static_cast<long long>(result.runs),
                   watcher.first_problem().c_str());
    }
    if (result.stopped == StopCause::TimeLimit) return kRunFailed;
    if (result.stopped != StopCause::None) {
      if (!common.quiet)
        std::fprintf(stderr, "interrupted after %lld runs, which are kept\n",
                     static_cast<long long>(result.runs));
      return kInterrupted;
    }
    if (diagnostics_.has_errors()) return exit_code(diagnostics_);
    if (!result.is_narrow) {
      if (!common.quiet)
        std::fprintf(stderr, "the intervals are not as narrow as asked for after %lld runs\n",
                     static_cast<long long>(result.runs));
      return kRunFailed;
    }
    return options_.strict && result.failed > 0 ? kRunFailed : kSuccess;
  }

  static std::string values_text(const experiment::Variant& variant) {
    std::string text;
    for (const auto& [name, value] : variant.values)
      text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, value);
    return text;
  }

  void show_summary(const experiment::StudyResult& result) const {
    std::string text;
    for (std::size_t v = 0; v < result.variants.size(); ++v) {
      const experiment::Variant& variant = result.variants[v];
      if (!variant.values.empty()) text += values_text(variant) + "\n";
      for (std::size_t m = 0; m < plan().setting.measures.size(); ++m) {
        const experiment::Moments& moments = variant.measures[m];
        const std::string& name = plan().setting.measures[m].name;
        if (moments.count() == 0) {
          text += fmt::format("  {}: no value in any run\n", name);
          continue;
        }
        text += fmt::format("  {} = {:.6g}", name, moments.mean());
        if (moments.count() > 1) {
          text +=
              fmt::format(" ± {:.2g} ({:g} %), standard deviation {:.4g}, from {:.4g} to {:.4g}",
                          moments.half_width(plan().confidence), 100 * plan().confidence,
                          std::sqrt(moments.variance()), moments.least(), moments.most());
        }
        text += fmt::format(", {} runs\n", moments.count());
      }
    }
    for (const experiment::Comparison& c : result.comparisons) {
      if (c.difference.count() < 2) continue;
      text += fmt::format("  {}: {} minus {}: {:.6g} ± {:.2g}\n",
                          plan().setting.measures[c.measure].name,
                          values_text(result.variants[c.variant]), values_text(result.variants[0]),
                          c.difference.mean(), c.difference.half_width(plan().confidence));
    }
    show(text);
  }

  void show_json(const experiment::StudyResult& result) const {
    std::string text;
    for (const experiment::Variant& variant : result.variants) {
      text += text.empty() ? "" : ",";
      text += "{\"values\":{";
      for (std::size_t i = 0; i < variant.values.size(); ++i)
        text += fmt::format("{}{}:{}", i > 0 ? "," : "", json_quote(variant.values[i].first),
                            json_quote(variant.values[i].second));
      text += "},\"measures\":{";
      for (std::size_t m = 0; m < variant.measures.size(); ++m) {
        const experiment::Moments& moments = variant.measures[m];
        text += fmt::format(
            "{}{}:{{\"runs\":{},\"mean\":{},\"half_width\":{},\"variance\":{},\"min\":{},\"max\":{}"
            "}}",
            m > 0 ? "," : "", json_quote(plan().setting.measures[m].name), moments.count(),
            json_number(moments.count() > 0 ? moments.mean() : std::nan("")),
            json_number(moments.half_width(plan().confidence)), json_number(moments.variance()),
            json_number(moments.count() > 0 ? moments.least() : std::nan("")),
            json_number(moments.count() > 0 ? moments.most() : std::nan("")));
      }
      text += fmt::format("}},\"failed\":{}}}", variant.failed);
    }
    std::printf("{\"study\":{\"kind\":\"%s\",\"runs\":%lld,\"failed\":%lld,\"variants\":[%s]}}\n",
                std::string(experiment::name(plan().kind)).c_str(),
                static_cast<long long>(result.runs), static_cast<long long>(result.failed),
                text.c_str());
  }

  const StudyOptions& options_;
  StudySettings settings_;
  Diagnostics diagnostics_;
  std::optional<SourceFile> source_;
};

}  // namespace

int study_command(const StudyOptions& options) { return StudyCall(options)(); }

}  // namespace chi::cli
