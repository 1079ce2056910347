#include "results/recording.h"

#include <cmath>
#include <limits>
#include <memory>

#include <gtest/gtest.h>

#include "code/lower.h"
#include "flat/flatten.h"
#include "sema/check.h"
#include "syntax/lexer.h"
#include "syntax/parse.h"

namespace chi::results {
namespace {

/// x = t² and n stands still: as an engine would show it.
class Bench {
 public:
  explicit Bench(const RecordingOptions& options) {
    const SourceFile source("model.chi",
                            "proc P() = |[ x: real, n: nat, v: real^2 | x' = 2 * v.0, v.0 = time, "
                            "|v.0| | delta 1.0; n := n + 1 ]|");
    Diagnostics diagnostics;
    const syntax::Tokens tokens = syntax::lex(source, diagnostics);
    auto flat = flat::flatten(sema::check(syntax::parse(tokens, diagnostics), diagnostics), {},
                              diagnostics);
    EXPECT_TRUE(flat.has_value()) << diagnostics.all()[0].message;
    model_ = std::make_unique<flat::FlatModel>(std::move(*flat));
    program_ = code::lower(*model_, {});
    machine_ = std::make_unique<code::Machine>(*program_);
    frames_ = sim::make_frames(*model_, *machine_, 0);
    recording = std::make_unique<Recording>(*model_, *machine_, frames_, options);
    recording->start(0);
    recording->after_event(0);
  }

  void write(double time) {
    slot(0)->r = time * time;
    slot(2)->r = time;
  }
  void set_n(std::int64_t n) { slot(1)->i = n; }
  void moved(double from, double to) {
    View view(*this);
    recording->moved(from, to, view);
    write(to);
  }
  /// With the derivatives that the motion has at another time.
  void finish(double time, double as_at) {
    View view(*this);
    view.values_at(as_at);
    recording->finish(time, &view);
  }
  const Trace& trace() const { return recording->trace(); }
  std::vector<double> column(std::string_view name) const {
    for (std::size_t i = 0; i < trace().names.size(); ++i) {
      if (trace().names[i] == name) return trace().columns[i];
    }
    return {};
  }
  std::vector<double> asked;  ///< moments that the recorder looked at
  std::unique_ptr<Recording> recording;

 private:
  class View : public sim::MotionView {
   public:
    explicit View(Bench& bench) : bench_(bench) {}
    void values_at(double time) override {
      bench_.write(time_ = time);
      bench_.asked.push_back(time);
    }
    double derivative(std::int32_t flat_slot) const override {
      return flat_slot == bench_.model_->variables[flat::VariableId{0}].slot
                 ? 2 * time_
                 : std::numeric_limits<double>::quiet_NaN();
    }

   private:
    Bench& bench_;
    double time_ = -1;
  };
  code::Slot* slot(std::int32_t variable) {
    return machine_->memory() + frames_.variable[flat::VariableId{variable}];
  }

  std::unique_ptr<flat::FlatModel> model_;
  std::unique_ptr<code::Program> program_;
  std::unique_ptr<code::Machine> machine_;
  sim::Frames frames_;
};

using Values = std::vector<double>;

TEST(Recording, TakesGridPointsOfMotion) {
  Bench bench({.grid = {.points = 5}, .end = 1});
  bench.moved(0, 0.3);
  bench.moved(0.3, 0.31);
  bench.moved(0.31, 1);
  bench.recording->finish(1, nullptr);
  EXPECT_EQ(bench.trace().names, (std::vector<std::string>{"x", "n", "v[0]", "v[1]"}));
  EXPECT_EQ(bench.trace().times, (Values{0, 0.25, 0.5, 0.75, 1}));
  EXPECT_EQ(bench.column("x"), (Values{0, 0.0625, 0.25, 0.5625, 1}));
  EXPECT_EQ(bench.asked, (Values{0.25, 0.5, 0.75, 1}));
}

// However motion is cut into pieces, the rows are the same.
TEST(Recording, DoesNotDependOnThePieces) {
  Bench whole({.grid = {.step = 0.1}, .end = 0.7});
  whole.moved(0, 0.7);
  whole.recording->finish(0.7, nullptr);
  for (const double piece : {0.1, 0.05, 0.033, 0.3}) {
    Bench cut({.grid = {.step = 0.1}, .end = 0.7});
    double at = 0;
    while (at < 0.7) {
      const double next = std::min(0.7, at + piece);
      cut.moved(at, next);
      at = next;
    }
    cut.recording->finish(0.7, nullptr);
    EXPECT_EQ(cut.trace().times, whole.trace().times) << piece;
    EXPECT_EQ(cut.column("x"), whole.column("x")) << piece;
  }
  EXPECT_EQ(whole.trace().times, (Values{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7}));
}

TEST(Recording, EventsHaveTwoRows) {
  for (const double step : {0.25, 0.4, 10.0}) {
    Bench bench({.grid = {.step = step}, .end = 1});
    bench.moved(0, 0.5);
    bench.recording->before_event(0.5);
    bench.set_n(1);
    bench.recording->after_event(0.5);
    bench.moved(0.5, 1);
    bench.recording->finish(1, nullptr);
    const Trace& trace = bench.trace();
    std::vector<double> n;
    for (std::size_t i = 0; i < trace.rows(); ++i) {
      if (trace.times[i] == 0.5) n.push_back(trace.columns[1][i]);
    }
    EXPECT_EQ(n, (Values{0, 1})) << "also where an output point is at the event";
    EXPECT_EQ(trace.times.back(), 1);
    EXPECT_EQ(std::count(trace.times.begin(), trace.times.end(), 1.0), 1);
  }
}

TEST(Recording, EventAtTheEnd) {
  Bench bench({.grid = {.points = 3}, .end = 1});
  bench.moved(0, 1);
  bench.recording->before_event(1);
  bench.set_n(5);
  bench.recording->finish(1, nullptr);
  EXPECT_EQ(bench.trace().times, (Values{0, 0.5, 1, 1}));
  EXPECT_EQ(bench.column("n"), (Values{0, 0, 0, 5}));
}

TEST(Recording, DerivativesOnRequest) {
  Bench bench({.derivatives = true, .grid = {.points = 3}, .end = 1});
  EXPECT_EQ(bench.trace().names, (std::vector<std::string>{"x", "n", "v[0]", "v[1]", "x'"}));
  bench.moved(0, 0.75);
  bench.recording->before_event(0.75);
  bench.recording->after_event(0.75);
  bench.moved(0.75, 1);
  bench.recording->finish(1, nullptr);
  EXPECT_EQ(bench.trace().times, (Values{0, 0.5, 0.75, 0.75, 1}));
  EXPECT_EQ(bench.column("x'"), (Values{0, 1, 1.5, 1.5, 2}));
}

// No motion follows that could tell them.
TEST(Recording, DerivativesBehindAnEventAtTheEnd) {
  Bench bench({.derivatives = true, .grid = {.points = 2}, .end = 1});
  bench.moved(0, 1);
  bench.recording->before_event(1);
  bench.finish(1, 7);
  EXPECT_EQ(bench.trace().times, (Values{0, 1, 1}));
  EXPECT_EQ(bench.column("x'"), (Values{0, 2, 14}));
}

TEST(Recording, NamesChooseDerivatives) {
  const auto names = [](std::vector<std::string> patterns, bool derivatives) {
    std::string all;
    const Bench bench({.patterns = std::move(patterns), .derivatives = derivatives, .end = 1});
    for (const std::string& name : bench.trace().names) all += name + " ";
    return all;
  };
  EXPECT_EQ(names({"x*"}, false), "x ");
  EXPECT_EQ(names({"x'"}, false), "x' ");
  EXPECT_EQ(names({"*'", "n"}, false), "x' n ") << "in the order asked for";
  EXPECT_EQ(names({"v[1]", "*"}, true), "v[1] x n v[0] x' ");
  EXPECT_EQ(names({"x"}, true), "x x' ");
  EXPECT_EQ(names({"v*"}, true), "v[0] v[1] ");
}

TEST(Recording, KeepsWhatThereIsWhenNothingMoves) {
  Bench bench({.derivatives = true, .grid = {.step = 0.5}, .end = 1});
  bench.recording->constant_until(0, 1);
  bench.recording->finish(1, nullptr);
  EXPECT_EQ(bench.trace().times, (Values{0, 0.5, 1}));
  EXPECT_TRUE(std::isnan(bench.column("x'")[1]));
}

}  // namespace
}  // namespace chi::results
