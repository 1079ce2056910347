#include <memory>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "code/lower.h"
#include "flat/flatten.h"
#include "sema/check.h"
#include "sim/interface/scripted_physics_testing.h"
#include "syntax/lexer.h"
#include "syntax/parse.h"

// Processes among equations, whose solution is scripted.
namespace chi::sim {
namespace {

using testing::ScriptedPhysics;

class Output : public Scheduler::Pulse {
 public:
  void pulse(double time, const RunCounts&) override { reached = time; }
  void print(std::string_view piece) override { text += piece; }
  std::string text;
  double reached = -1;
};

/// A model and its run. `physics` takes the script before `run`.
struct Simulation {
  explicit Simulation(const std::string& text, const RunOptions& options = {.end = 10}) {
    const SourceFile source("model.chi", text);
    Diagnostics diagnostics;
    const syntax::Tokens tokens = syntax::lex(source, diagnostics);
    auto flat = flat::flatten(sema::check(syntax::parse(tokens, diagnostics), diagnostics), {},
                              diagnostics);
    EXPECT_FALSE(diagnostics.has_errors())
        << (diagnostics.all().empty() ? "" : diagnostics.all()[0].message);
    model = std::make_unique<flat::FlatModel>(std::move(*flat));
    program = code::lower(*model, {.random_choice = options.random_choice});
    EXPECT_TRUE(needs_physics(*model, *program));
    scheduler = std::make_unique<Scheduler>(*model, *program, options);
    physics = std::make_unique<ScriptedPhysics>(*scheduler, *model);
    scheduler->physics = physics.get();
    scheduler->pulse = &output;
  }
  /// What the model printed.
  std::string operator()() {
    outcome = scheduler->run();
    return output.text;
  }
  template <class Why>
  bool ended() const {
    return std::holds_alternative<Why>(outcome.why);
  }

  std::unique_ptr<flat::FlatModel> model;
  std::unique_ptr<code::Program> program;
  std::unique_ptr<Scheduler> scheduler;
  std::unique_ptr<ScriptedPhysics> physics;
  Output output;
  Outcome outcome;
};

TEST(AmongEquations, UnknownsAreSettledBeforeTheyAreRead) {
  Simulation run("proc P() = |[ x, y: real | x' = 1.0, |y|, y = x | !y; delta 1.0; !\" \", y ]|");
  run.physics->solve = [&] { run.physics->value("y") = 7 + run.scheduler->machine().time; };
  EXPECT_EQ(run(), "7.0 8.0");
  EXPECT_EQ(run.physics->log,
            "start\nsettle\nfinish\nadvance from 0 to 1\nsettle\nfinish\nadvance from 1 to 10\n");
  EXPECT_TRUE(run.ended<EndReached>()) << "the equations are integrated to the end";
  EXPECT_EQ(run.outcome.time, 10);
  EXPECT_EQ(run.output.reached, 10) << "progress is told";
}

TEST(AmongEquations, AssignmentsAreBracketed) {
  Simulation run(
      "proc P() = |[ x, k: real := 1.0, a: real^3, i: nat := 1, f: real\n"
      "| x' = k + a.0 + a.1\n| k := 2.0; f := 3.0; a[i] := 4.0; x, k := k, x; !f ]|");
  run();
  EXPECT_EQ(run.physics->log.substr(0, run.physics->log.find("finish")),
            "start\nabout k 1 = 1\nassigned k 1 = 2\n"
            "about slot 1 = 0\nassigned slot 1 = 4\n"
            "about x 1 = 1\nabout k 1 = 2\nassigned x 1 = 2\nassigned k 1 = 1\n");
}

TEST(AmongEquations, AReceivedValueIsAnAssignment) {
  Simulation run(
      "proc P(c: ?real) = |[ x, k: real | x' = k | c?k; !k ]|\n"
      "proc Q(c: !real) = |[ | delta 1.0; c!5.0 ]|\n"
      "sys S() = |[ c: -real | P(c) || Q(c) ]|");
  EXPECT_EQ(run(), "5.0");
  EXPECT_NE(run.physics->log.find("about P.k 1 = 0\nassigned P.k 1 = 5\n"), std::string::npos);
}

TEST(AmongEquations, ASentUnknownIsReadWhenItIsReceived) {
  Simulation run(
      "proc P(c: !real) = |[ x, y: real | x' = 1.0, |y|, y = x | c!y; c!x' ]|\n"
      "proc Q(c: ?real) = |[ v: real | delta 2.0; c?v; !v; c?v; !\" \", v ]|\n"
      "sys S() = |[ c: -real | P(c) || Q(c) ]|");
  run.physics->solve = [&] { run.physics->value("P.y") = 10 * run.scheduler->machine().time; };
  run.physics->derivatives[0] = 0.5;
  EXPECT_EQ(run(), "20.0 100.5") << "block 1 is the sender's, though the receiver came";
}

TEST(AmongEquations, NablaPassesAtTheEvent) {
  Simulation run("proc P() = |[ x: real | x' = 1.0 | nabla x > 2.0; !time, \" \", x ]|");
  run.physics->move = [&](double t) { run.physics->value("x") = t; };
  run.physics->changes[0] = {2.0};
  EXPECT_EQ(run(), "2.0 2.0");
  EXPECT_EQ(run.physics->log,
            "start\nholds 0 in 0: false\nwatch 0 in 0 for 0\nfinish\nadvance from 0 to 10\n"
            "unwatch 0\nholds 0 in 0: true\nfinish\nadvance from 2 to 10\n");
}

TEST(AmongEquations, AConditionThatHoldsIsNotWaitedFor) {
  Simulation run("proc P() = |[ x: real | x' = 1.0 | nabla x > -1.0; !time ]|");
  run.physics->changes[0] = {-1.0};
  EXPECT_EQ(run(), "0.0");
  EXPECT_EQ(run.physics->log.find("watch"), std::string::npos);
}

// x > 1 is false: y > 1 does not matter until that changes.
TEST(AmongEquations, OnlyWhatWasComeToIsWatched) {
  Simulation run(
      "proc P() = |[ x, y: real | x' = 1.0, y' = 1.0 | nabla x > 1.0 and y > 1.0; !time ]|");
  run.physics->changes[0] = {1.0};
  run.physics->changes[1] = {0.5, 0.75, 3.0};
  EXPECT_EQ(run(), "3.0");
  EXPECT_EQ(run.physics->log,
            "start\nholds 0 in 0: false\nwatch 0 in 0 for 0\nfinish\nadvance from 0 to 10\n"
            "unwatch 0\nholds 0 in 0: true\nholds 1 in 0: false\nwatch 0 in 0 for 0\n"
            "watch 1 in 0 for 0\nfinish\nadvance from 1 to 10\n"
            "unwatch 0\nholds 0 in 0: true\nholds 1 in 0: true\nfinish\nadvance from 3 to 10\n");
}

TEST(AmongEquations, AnActionCanMakeAConditionTrue) {
  Simulation run(
      "proc E(ref k: real) = |[ x: real | |x|, x = k | nabla x > 2.0; !\"E\", time ]|\n"
      "proc A(ref k: real) = |[ | delta 1.0; k := 1.0; delta 1.0; k := 3.0; !\"A\", time, \" \" "
      "]|\n"
      "sys S() = |[ k: real | E(k) || A(k) ]|");
  run.physics->solve = [&] { run.physics->value("E.x") = run.physics->value("k"); };
  run.physics->truth = [&](std::int32_t) { return run.physics->value("E.x") > 2; };
  EXPECT_EQ(run(), "A2.0 E2.0");
}

TEST(AmongEquations, StateAndTimeEventsOfOneInstantComeInOrderOfRank) {
  const std::string processes =
      "proc N() = |[ x: real | x' = 1.0 | nabla x > 2.0; !\"N\" ]|\n"
      "proc D() = |[ | delta 2.0; !\"D\" ]|\n";
  for (const auto& [system, expected] :
       {std::pair("N() || D() || N()", "NDN"), std::pair("D() || N() || N()", "DNN"),
        std::pair("N()@2 || N()@1 || D()", "DNN")}) {
    Simulation run(processes + "sys S() = |[ | " + system + " ]|");
    run.physics->changes[0] = {2.0};
    EXPECT_EQ(run(), expected) << system;
  }
}

TEST(AmongEquations, SelectiveWaitingTakesWhatComesFirst) {
  const auto ran = [](double event, const std::string& send) {
    Simulation run(
        "proc P(c: ?nat) = |[ x: real, n: nat | x' = 1.0\n"
        "| [ true; nabla x > 2.0 -> !\"state \", time\n"
        "  | true; delta 3.0 -> !\"time \", time\n"
        "  | true; c?n -> !\"message \", time ] ]|\n"
        "proc Q(c: !nat) = |[ | delta " +
        send +
        "; [ true; c!1 -> skip | true; delta 20.0 -> skip ] ]|\n"
        "sys S() = |[ c: -nat | P(c) || Q(c) ]|");
    run.physics->changes[0] = {event};
    const std::string text = run();
    EXPECT_TRUE(run.physics->watched.empty()) << "whichever it was";
    return text;
  };
  EXPECT_EQ(ran(2.0, "5.0"), "state 2.0");
  EXPECT_EQ(ran(4.0, "5.0"), "time 3.0");
  EXPECT_EQ(ran(4.0, "1.0"), "message 1.0");
  EXPECT_EQ(ran(3.0, "3.0"), "state 3.0") << "all at once: the first in the text";
}

TEST(AmongEquations, AClosedGuardOverEquationsMayOpen) {
  Simulation run(
      "proc P(c: ?nat) = |[ x: real, n: nat | x' = 1.0 | [ x > 3.0; c?n -> !n, \" \", time ] ]|\n"
      "proc Q(c: !nat) = |[ | c!7 ]|\n"
      "sys S() = |[ c: -nat | P(c) || Q(c) ]|");
  run.physics->changes[0] = {3.0};
  EXPECT_EQ(run(), "7 3.0");
}

TEST(AmongEquations, AnOpenGuardMayClose) {
  Simulation run(
      "proc P(c: ?nat) = |[ x: real, n: nat | x' = 1.0\n"
      "| [ x < 3.0; c?n -> !n | true; delta 6.0 -> !time ] ]|\n"
      "proc Q(c: !nat) = |[ | delta 4.0; c!7 ]|\n"
      "sys S() = |[ c: -nat | P(c) || Q(c) ]|");
  run.physics->changes[0] = {-1.0, 3.0};
  EXPECT_EQ(run(), "6.0") << "the delay goes on from where it was";
}

TEST(AmongEquations, InstantsAndDerivativesAreAskedOfTheInstance) {
  Simulation run(
      "proc P(i: nat) = |[ x: real | x' = 1.0 | delta 1.0 * i; { |x|, x = 5.0 }; !x, \" \", x', \" "
      "\" ]|\n"
      "sys S() = |[ | P(1) || P(2) ]|");
  run.physics->derivatives[0] = 0.25;
  run.physics->at_instant = [&](std::int32_t) {
    run.physics->value(run.scheduler->machine().time == 1 ? "P[0].x" : "P[1].x") =
        run.scheduler->machine().time + 40;
  };
  EXPECT_EQ(run(), "41.0 100.25 42.0 200.25 ");
  EXPECT_NE(run.physics->log.find("instant 0 in 1\nsettle\nvalue 0 in 1\n"), std::string::npos)
      << run.physics->log;
}

TEST(AmongEquations, SubstitutedVariablesAreRefreshed) {
  Simulation run("proc P() = |[ x, z, f: real | x' = z, z <- 3.0 * x | f := z; !f ]|");
  run.physics->substitute = [&](std::int64_t slot) {
    run.scheduler->machine().memory()[slot].r = 42;
  };
  EXPECT_EQ(run(), "42.0");
  EXPECT_NE(run.physics->log.find("refresh z\n"), std::string::npos);
}

TEST(AmongEquations, WithoutAnEndTheRunEndsWhenAllIsAtRest) {
  Simulation run("proc P() = |[ x: real | x' = 0.0 | !time ]|", {});
  run.physics->rests = true;
  EXPECT_EQ(run(), "0.0");
  EXPECT_TRUE(run.ended<Finished>());
  Simulation waiting("proc P() = |[ x: real | x' = 0.0 | nabla x > 1.0 ]|", {});
  waiting.physics->rests = true;
  waiting();
  ASSERT_TRUE(waiting.ended<Deadlock>());
  EXPECT_EQ(std::get<Deadlock>(waiting.outcome.why).waiting[0].cause,
            "for a condition on variables of equations that are at rest");
}

TEST(AmongEquations, ADeadlockOfProcessesIsNoneWhileEquationsMove) {
  const std::string text =
      "proc P(c: ?nat) = |[ x: real, n: nat | x' = 1.0 | c?n; !n ]|\n"
      "proc Q(c: !nat) = |[ | nabla time * time > 200.0; c!1 ]|\n"
      "sys S() = |[ c: -nat | P(c) || Q(c) ]|";
  Simulation run(text);
  run();
  EXPECT_TRUE(run.ended<EndReached>());
  Simulation still(text);
  still.physics->moves = false;
  still();
  EXPECT_TRUE(still.ended<Deadlock>());
}

TEST(AmongEquations, FailuresOfTheEquationsEndTheRun) {
  for (const std::string call :
       {"start", "settle", "about", "refresh", "holds", "value", "instant", "finish", "advance"}) {
    Simulation run(
        "proc P() = |[ x, y, z: real | x' = 1.0, |y|, y = x, z <- x\n"
        "| x := y; !z, x'; { |x|, x = 1.0 }; nabla x > 3.0 ]|");
    run.physics->fails_at = call;
    run();
    ASSERT_TRUE(run.ended<RuntimeError>()) << call;
    const std::string why = std::get<RuntimeError>(run.outcome.why).process;
    EXPECT_EQ(why.rfind("equations at " + call, 0), 0u) << why;
  }
}

TEST(AmongEquations, InterruptedOnTheWay) {
  Simulation run("proc P() = |[ x: real | x' = 1.0 | delta 5.0; !time ]|");
  run.physics->interrupted_at = 3;
  EXPECT_EQ(run(), "");
  EXPECT_TRUE(run.ended<Interrupted>());
  EXPECT_EQ(run.outcome.time, 3);
}

TEST(AmongEquations, TerminateAndLivelock) {
  Simulation run("proc P() = |[ x: real | x' = 1.0 | nabla x > 2.0; terminate ]|", {});
  run.physics->changes[0] = {2.0};
  run();
  EXPECT_TRUE(run.ended<Terminated>());
  EXPECT_EQ(run.outcome.time, 2);
  // Two processes wake each other through the equations, and time stands still.
  Simulation endless(
      "proc P(ref k: real) = |[ x: real | |x|, x = k | *[ nabla x > 0.0; k := -1.0; nabla x < 0.0; "
      "k "
      ":= 1.0 ] ]|\n"
      "sys S() = |[ k: real := 1.0 | P(k) ]|",
      {.end = 10, .max_actions = 1000});
  endless.physics->solve = [&] { endless.physics->value("P.x") = endless.physics->value("k"); };
  endless.physics->truth = [&](std::int32_t condition) {
    const double x = endless.physics->value("P.x");
    return condition == 0 ? x > 0 : x < 0;
  };
  endless();
  EXPECT_TRUE(endless.ended<Livelock>());
}

/// Writes down what a recorder is told.
class RecorderLog : public Recorder {
 public:
  void start(double t) override { add("start", t); }
  void constant_until(double, double to) override { add("until", to); }
  void moved(double, double to, MotionView&) override { add("moved", to); }
  void before_event(double t) override { add("before", t); }
  void after_event(double t) override { add("after", t); }
  void finish(double t, const MotionView*) override { add("finish", t); }
  std::string text;

 private:
  void add(const char* what, double t) { text += fmt::format("{} {}, ", what, t); }
};

TEST(AmongEquations, RowsStandBeforeAndAfterEachInstant) {
  Simulation run("proc P() = |[ x: real | x' = 1.0 | nabla x > 2.0; delta 1.0 ]|", {.end = 5});
  run.physics->changes[0] = {2.0};
  RecorderLog recorder;
  run.scheduler->recorder = &recorder;
  run();
  EXPECT_EQ(recorder.text,
            "start 0, after 0, until 2, before 2, after 2, until 3, before 3, after 3, until 5, "
            "finish 5, ");
}

}  // namespace
}  // namespace chi::sim
