#include "sema/statements.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/match.h"
#include "sema/declarations.h"
#include "sema/expressions.h"
#include "sema/instances.h"
#include "sema/paths.h"

namespace chi::sema {
namespace {

using syntax::Direction;

class StatementChecker {
 public:
  StatementChecker(Context& c, const EquationFacts* facts, TypeId result)
      : c_(c), facts_(facts), result_(result) {}

  /// Checks a list of statements; whether control can reach its end.
  bool check_all(Slice<syntax::StatId> stats) {
    bool reachable = true;
    for (syntax::StatId id : c_.ast.list(stats)) {
      if (!reachable) {
        c_.report({.code = DiagCode::Unreachable,
                   .span = c_.ast.stats[id].span,
                   .message = "this statement is never reached"});
        reachable = true;  // once is enough
      }
      reachable = check_stat(id) && reachable;
    }
    return reachable;
  }

 private:
  bool check_stat(syntax::StatId id) {
    using namespace syntax;
    const Span span = c_.ast.stats[id].span;
    return match(
        c_.ast.stats[id].node, [](const Skip&) { return true; },
        [&](const Terminate&) { return process_only(span, "`terminate`"), false; },
        [&](const Return& n) { return ret(n, span), false; },
        [&](const Assign& n) { return assign(n, span), true; },
        [&](const Send& n) { return send(n, span), true; },
        [&](const Receive& n) { return receive(n, span), true; },
        [&](const Delay& n) {
          process_only(span, "`delta`");
          require(c_, n.duration, c_.real_type(), "a delay");
          ++interruptions_;
          alternatives(n.otherwise);
          --interruptions_;
          return true;
        },
        [&](const Resume& n) { return resume(n, span), false; },
        [&](const Start& n) { return start(n, span), true; },
        [&](const Finish& n) { return finish(n, span), true; },
        [&](const Wait& n) {
          process_only(span, "`nabla`");
          require(c_, n.condition, c_.bool_type(), "a condition");
          return true;
        },
        [&](const Instant& n) {
          if (process_only(span, "an instantaneous equation")) check_instant(c_, n.equations);
          return true;
        },
        [&](const Assert& n) {
          process_only(span, "`assert`");
          require(c_, n.condition, c_.bool_type(), "a condition");
          if (n.text) check_expr(c_, n.text);
          return true;
        },
        [&](const Print& n) { return print(n, span), true; },
        [&](const Select& n) { return alternatives(n.alternatives).body_ends; },
        [&](const Loop& n) { return !alternatives(n.alternatives).always_open; },
        [&](const Forever& n) { return check_all(n.body), false; },
        [](const Error&) { return true; });
  }

  bool in_function() const { return !facts_; }

  bool process_only(Span span, std::string_view what) {
    if (!in_function()) return true;
    c_.report({.code = DiagCode::NotInFunction,
               .span = span,
               .message = fmt::format("{} cannot stand in a function", what),
               .help = "a function computes its result and does nothing else"});
    return false;
  }

  void resume(const syntax::Resume& n, Span span) {
    if (interruptions_ > 0) return;
    c_.report({.code = DiagCode::ResumePlace,
               .span = span,
               .message = fmt::format("`{}` where nothing was interrupted",
                                      n.from_start ? "restart" : "resume"),
               .help = "it stands in an alternative of `delta e else [ ... ]`"});
  }

  void start(const syntax::Start& n, Span span) {
    if (!process_only(span, "`start`")) return;
    if (n.handle) expect_inst(n.handle, target(n.handle));
    check_start(c_, n.instance);
  }

  void finish(const syntax::Finish& n, Span span) {
    process_only(span, "`finish`");
    expect_inst(n.handle, check_expr(c_, n.handle));
  }

  void expect_inst(ExprId expr, TypeId found) {
    if (c_.types.is_unknown(found) || c_.types.is(found, BasicType::Inst)) return;
    c_.report({.code = DiagCode::NotAnInst,
               .span = c_.span(expr),
               .message = fmt::format("expected an `inst`, found `{}`", c_.text(found)),
               .help = "a process that is started is named by a variable of type `inst`"});
  }

  void ret(const syntax::Return& n, Span span) {
    if (in_function()) {
      require(c_, n.value, result_, "the result");
      return;
    }
    c_.report({.code = DiagCode::ReturnOutsideFunction,
               .span = span,
               .message = "`ret` can stand only in a function"});
    check_expr(c_, n.value);
  }

  /// Checks something a statement gives a value to; its type, unknown after a report.
  TypeId target(ExprId expr) {
    const TypeId type = check_expr(c_, expr);
    if (c_.types.is_unknown(type)) return type;
    const DeclId root = root_of(c_, expr);
    if (c_.node<syntax::Derivative>(strip(c_.ast, expr))) {
      c_.report({.code = DiagCode::NotAssignable,
                 .span = c_.span(expr),
                 .message = "a derivative cannot be assigned",
                 .help = "equations determine derivatives"});
      return c_.unknown();
    }
    if (!root || !is_variable(c_, root) || c_.types.channel_of(type)) {
      report_not_assignable(expr, root);
      return c_.unknown();
    }
    if (report_discrete(expr)) return c_.unknown();
    warn_determined(expr, root);
    return type;
  }

  void report_not_assignable(ExprId expr, DeclId root) {
    Diagnostic d{.code = DiagCode::NotAssignable,
                 .span = c_.span(expr),
                 .message = "only a variable can be assigned"};
    if (root) {
      const Decl& decl = c_.model.decls[root];
      const bool value = decl.kind == DeclKind::ValueParam;
      const char* kind = decl.kind == DeclKind::Constant   ? "a constant"
                         : decl.kind == DeclKind::Index    ? "an index"
                         : decl.kind == DeclKind::Function ? "a function"
                         : c_.types.channel_of(decl.type)  ? "a channel"
                                                           : "a value parameter";
      d.message = fmt::format("`{}` is {} and cannot be assigned", c_.text(decl.name), kind);
      d.labels.push_back({decl.span, "declared here"});
      if (value && !in_function()) d.help = "a `ref` parameter is a variable";
    }
    c_.report(std::move(d));
  }

  /// A variable that a discrete equation determines, or some part of one, has no other value.
  bool report_discrete(ExprId expr) {
    if (!facts_ || facts_->discrete.empty()) return false;
    const PathKey key = path_key(c_, expr);
    for (const ExprId determined : facts_->discrete) {
      const PathKey other = path_key(c_, determined);
      const auto [a, b] = std::ranges::mismatch(key.steps, other.steps);
      const bool ends = a == key.steps.end() || b == other.steps.end();
      if (!key.exact || !other.exact || !ends) continue;  // else it is found in the run
      c_.report({.code = DiagCode::AssignToDiscrete,
                 .span = c_.span(expr),
                 .message = fmt::format("`{}` is determined by a discrete equation and cannot be "
                                        "given another value",
                                        path_text(c_, expr)),
                 .labels = {{c_.span(determined), "determined here"}},
                 .help = "assign a variable of its own and let the equation read it"});
      return true;
    }
    return false;
  }

  /// Equations overrule what is assigned to a variable that they always determine.
  void warn_determined(ExprId expr, DeclId root) {
    if (!facts_ || !c_.node<syntax::Name>(strip(c_.ast, expr))) return;
    if (const auto s = facts_->substituted.find(root); s != facts_->substituted.end()) {
      c_.report({.code = DiagCode::AssignToSubstituted,
                 .span = c_.span(expr),
                 .message = fmt::format("`{}` is substituted: the value given here is never seen",
                                        c_.name_of(root)),
                 .labels = {{s->second, "substituted here"}}});
    } else if (const auto u = facts_->unknown.find(root); u != facts_->unknown.end()) {
      c_.report({.code = DiagCode::AssignToUnknown,
                 .span = c_.span(expr),
                 .message = fmt::format("`{}` is always unknown: the value given here is only a "
                                        "start guess",
                                        c_.name_of(root)),
                 .labels = {{u->second, "declared unknown here"}}});
    }
  }

  void assign(const syntax::Assign& n, Span span) {
    const auto targets = c_.ast.list(n.targets);
    const auto values = c_.ast.list(n.values);
    std::vector<TypeId> types;
    for (ExprId t : targets) types.push_back(target(t));
    if (targets.size() != values.size()) {
      c_.report({.code = DiagCode::AssignCount,
                 .span = span,
                 .message = fmt::format("{} variable{} on the left, {} value{} on the right",
                                        targets.size(), targets.size() == 1 ? "" : "s",
                                        values.size(), values.size() == 1 ? "" : "s")});
      for (ExprId v : values) check_expr(c_, v);
      return;
    }
    for (std::size_t i = 0; i < values.size(); ++i) require(c_, values[i], types[i]);
    if (targets.size() > 1) check_distinct(targets);
  }

  void check_distinct(std::span<const ExprId> targets) {
    std::map<std::vector<std::int64_t>, Span> seen;
    for (ExprId t : targets) {
      const PathKey key = path_key(c_, t);
      if (key.steps.empty() || !key.exact) continue;
      const auto [at, added] = seen.emplace(key.steps, c_.span(t));
      if (added) continue;
      c_.report({.code = DiagCode::AssignedTwice,
                 .span = c_.span(t),
                 .message = fmt::format("`{}` is assigned twice", path_text(c_, t)),
                 .labels = {{at->second, "first assigned here"}}});
    }
  }

  /// The type of the messages of a channel used in this direction; none after a report.
  TypeId message_type(ExprId expr, Direction direction) {
    const TypeId type = check_expr(c_, expr);
    if (c_.types.is_unknown(type)) return {};
    const auto channel = c_.as<Channel>(type);
    if (!channel) {
      Diagnostic d{.code = DiagCode::NotAChannel,
                   .span = c_.span(expr),
                   .message = fmt::format("`{}` is not a channel", c_.text(type))};
      const char sign = direction == Direction::Send ? '!' : '?';
      d.help = c_.types.channel_of(type)
                   ? "name one channel of the bundle: `c.i`"
                   : fmt::format("the end of a channel is a parameter of type `{}{}`", sign,
                                 c_.text(type));
      c_.report(std::move(d));
      return {};
    }
    if (channel->direction != direction && channel->direction != Direction::Both) {
      Diagnostic d{.code = DiagCode::WrongDirection,
                   .span = c_.span(expr),
                   .message = direction == Direction::Send ? "this channel can only receive"
                                                           : "this channel can only send"};
      if (const DeclId root = root_of(c_, expr)) {
        d.labels.push_back({c_.model.decls[root].span, "declared here"});
      }
      c_.report(std::move(d));
    }
    return channel->element;
  }

  void send(const syntax::Send& n, Span span) {
    process_only(span, "a communication");
    const TypeId message = message_type(n.channel, Direction::Send);
    if (!message) {
      check_expr(c_, n.value);
    } else if (c_.types.is(message, BasicType::Void)) {
      if (n.value) report_void(n.value);
    } else if (!n.value) {
      report_missing(span, message);
    } else {
      require(c_, n.value, message, "a message");
    }
  }

  void receive(const syntax::Receive& n, Span span) {
    process_only(span, "a communication");
    const TypeId message = message_type(n.channel, Direction::Receive);
    if (!n.target) {
      const bool needs =
          message && !c_.types.is(message, BasicType::Void) && !c_.types.is_unknown(message);
      if (needs) report_missing(span, message);
      return;
    }
    const TypeId type = target(n.target);
    if (!message || c_.types.is_unknown(type)) return;
    if (c_.types.is(message, BasicType::Void)) {
      report_void(n.target);
    } else if (!fits(c_.types, message, type)) {
      c_.report({.code = DiagCode::TypeMismatch,
                 .span = c_.span(n.target),
                 .message = fmt::format("a message `{}` cannot be received in a `{}`",
                                        c_.text(message), c_.text(type))});
    }
  }

  void report_void(ExprId expr) {
    c_.report({.code = DiagCode::MessageOnVoid,
               .span = c_.span(expr),
               .message = "a `void` channel carries no message"});
  }

  void report_missing(Span span, TypeId message) {
    c_.report({.code = DiagCode::MessageMissing,
               .span = span,
               .message = fmt::format("the message, a `{}`, is missing", c_.text(message))});
  }

  void print(const syntax::Print& n, Span span) {
    process_only(span, "printing");
    for (ExprId e : c_.ast.list(n.values)) {
      const TypeId type = check_expr(c_, e);
      if (c_.types.is_data(type)) continue;
      c_.report({.code = DiagCode::NotPrintable,
                 .span = c_.span(e),
                 .message = fmt::format("`{}` cannot be printed", c_.text(type))});
    }
  }

  struct Ends {
    bool body_ends = false;    // some body can reach its end
    bool always_open = false;  // some guard is `true`
  };

  Ends alternatives(Slice<syntax::Alternative> slice) {
    Ends ends;
    for (const syntax::Alternative& a : c_.ast.list(slice)) {
      const std::size_t mark = c_.scope.enter();
      if (a.unwind) declare_index(c_, a.unwind);
      require(c_, a.guard, c_.bool_type(), "a guard");
      if (a.event) check_stat(a.event);
      ends.body_ends = check_all(a.body) || ends.body_ends;
      const auto* open = a.guard ? c_.node<syntax::BoolLiteral>(strip(c_.ast, a.guard)) : nullptr;
      ends.always_open = ends.always_open || (open && open->value);
      c_.scope.leave(mark);
    }
    return ends;
  }

  Context& c_;
  const EquationFacts* facts_;  // null in a function
  TypeId result_;
  int interruptions_ = 0;  // delays with alternatives around the statement
};

}  // namespace

void check_process_body(Context& c, Slice<syntax::StatId> body, const EquationFacts& facts) {
  const PlaceGuard place(c, Place::Statement);
  StatementChecker(c, &facts, {}).check_all(body);
}

void check_function_body(Context& c, Slice<syntax::StatId> body, TypeId result, Span name) {
  const PlaceGuard place(c, Place::Function);
  if (!StatementChecker(c, nullptr, result).check_all(body)) return;
  c.report({.code = DiagCode::MissingReturn,
            .span = name,
            .message = "this function can end without `ret`"});
}

}  // namespace chi::sema
