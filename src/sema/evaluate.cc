#include "sema/evaluate.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/match.h"
#include "sema/evaluator.h"

namespace chi::sema {
namespace {

constexpr std::int64_t kMostSteps = 10'000'000;
constexpr std::size_t kStepsPerElement = 4;  // copying is work, and takes memory

}  // namespace

bool Evaluator::fail(Span span, std::string_view message) {
  Diagnostic d{.code = DiagCode::ConstantFails, .span = span, .message = std::string(message)};
  if (span != root_ && (span.begin < root_.begin || span.end > root_.end)) {
    Label& label = d.labels.emplace_back();
    label.span = root_;
    label.text = "while evaluating this";
  }
  diagnostics_.report(std::move(d));
  return false;
}

bool Evaluator::work(std::size_t steps, Span) {
  if (steps < static_cast<std::size_t>(kMostSteps)) steps_ += static_cast<std::int64_t>(steps);
  if (steps < static_cast<std::size_t>(kMostSteps) && steps_ <= kMostSteps) return true;
  diagnostics_.report(
      {.code = DiagCode::ConstantTooLong,
       .span = root_,
       .message = fmt::format("this takes more than {} steps to evaluate", kMostSteps)});
  return false;
}

bool Evaluator::evaluate(ExprId expr, TypeId wanted, Value& out) {
  return eval_as(expr, wanted, out);
}

bool Evaluator::eval_as(ExprId expr, TypeId wanted, Value& out) {
  return eval(expr, out) && convert(out, type(expr), wanted, span(expr));
}

bool Evaluator::convert(Value& value, TypeId from, TypeId to, Span span) {
  if (from == to) return true;
  if (const auto* i = std::get_if<std::int64_t>(&value.data)) {
    if (m_.types.is(to, BasicType::Real)) {
      value.data = static_cast<double>(*i);
    } else if (m_.types.is(to, BasicType::Nat) && *i < 0) {
      return fail(span, fmt::format("{} is negative and no `nat`", *i));
    }
    return true;
  }
  const auto* array = as<Array>(to);
  const auto* elements = std::get_if<Value::Sequence>(&value.data);
  if (!array || !elements || array->length < 0) return true;
  const auto length = static_cast<std::int64_t>(elements->size());
  if (length == array->length) return true;
  return fail(span,
              fmt::format("an array of {} elements is needed, this has {}", array->length, length));
}

syntax::ExprId Evaluator::first_operand(ExprId e) const {
  using namespace syntax;
  if (const auto* n = node<Parenthesized>(e)) return n->inner;
  if (const auto* n = node<Unary>(e)) return n->operand;
  if (const auto* n = node<Binary>(e)) return n->op == BinaryOp::Pow ? n->right : n->left;
  if (const auto* n = node<syntax::Index>(e)) return n->of;
  if (const auto* n = node<Member>(e)) return n->of;
  if (const auto* n = node<Project>(e)) return n->of;
  if (const auto* n = node<Call>(e); n && !node<Name>(n->callee)) return n->callee;
  return {};
}

bool Evaluator::eval(ExprId expr, Value& out) {
  if (++depth_ > kDeepest) return fail(root_, "this nests too deeply to evaluate");
  const std::size_t base = chain_.size();
  while (const ExprId first = first_operand(expr)) {
    chain_.push_back(expr);
    expr = first;
  }
  if (!work(1, span(expr)) || !leaf(expr, out)) return false;
  while (chain_.size() > base) {
    const ExprId whole = chain_.back();
    chain_.pop_back();
    if (!work(1, span(whole)) || !combine(whole, out)) return false;
  }
  --depth_;
  return true;
}

bool Evaluator::leaf(ExprId e, Value& out) {
  using namespace syntax;
  if (node<Name>(e)) return name(e, out);
  if (node<Conditional>(e)) return conditional(e, out);
  if (node<Call>(e)) return call(e, nullptr, out);
  if (node<GuardedExpr>(e)) return guarded(e, out);
  if (const auto* n = node<TupleExpr>(e)) return sequence(n->elements, type(e), out);
  if (const auto* n = node<ListExpr>(e)) return sequence(n->elements, type(e), out);
  if (const auto* n = node<SetExpr>(e)) return sequence(n->elements, type(e), out);
  if (node<RecordExpr>(e)) return record(e, out);
  if (node<DictExpr>(e)) return dictionary(e, out);
  return literal(e, out);
}

bool Evaluator::literal(ExprId e, Value& out) {
  if (const auto* n = node<syntax::IntLiteral>(e)) {
    out.data = n->value;
    if (m_.types.is(type(e), BasicType::Real)) out.data = static_cast<double>(n->value);
  } else if (const auto* r = node<syntax::RealLiteral>(e)) {
    out.data = r->value;
  } else if (const auto* b = node<syntax::BoolLiteral>(e)) {
    out.data = b->value;
  } else if (const auto* s = node<syntax::StringLiteral>(e)) {
    out.data = std::string(m_.ast.symbols.text(s->text));
  } else {
    return fail(span(e), "this has no value before the run");
  }
  return true;
}

bool Evaluator::combine(ExprId e, Value& value) {
  using namespace syntax;
  if (node<Parenthesized>(e)) return true;
  if (node<Unary>(e)) return unary(e, value);
  if (node<Binary>(e)) return binary(e, value);
  if (node<Call>(e)) {
    const Value callee = std::move(value);
    return call(e, &callee, value);
  }
  return element(e, value);
}

bool Evaluator::name(ExprId e, Value& out) {
  const Resolution& resolution = m_.resolution[e];
  if (const auto* decl = std::get_if<DeclId>(&resolution)) return declared(*decl, span(e), out);
  if (const auto* builtin = std::get_if<Builtin>(&resolution); builtin && *builtin == Builtin::Pi) {
    out.data = 3.14159265358979323846;
    return true;
  }
  return fail(span(e), "this has no value before the run");
}

bool Evaluator::declared(DeclId decl, Span where, Value& out) {
  const Decl& d = m_.decls[decl];
  const Value* found = nullptr;
  if (d.kind == DeclKind::Function) {
    out.data = Value::FunctionRef{decl};
    return true;
  }
  if (d.kind == DeclKind::Constant) {
    const auto at = m_.constant_values.find(decl);
    if (at == m_.constant_values.end()) return false;  // reported
    found = &at->second;
  } else if (frame_ && d.owner == frame_->definition) {
    const auto& params = m_.definitions[static_cast<std::size_t>(d.owner)].params;
    if (d.kind == DeclKind::Index) {
      found = &frame_->indices[decl];
    } else {
      const std::size_t first = d.kind == DeclKind::Local ? params.size() : 0;
      found = &frame_->slots[first + static_cast<std::size_t>(d.ordinal)];
    }
  } else if (const auto at = environment_.find(decl); at != environment_.end()) {
    found = &at->second;
  }
  if (!found) {
    return fail(where,
                fmt::format("`{}` has no value before the run", m_.ast.symbols.text(d.name)));
  }
  const auto* elements = std::get_if<Value::Sequence>(&found->data);
  if (elements && !work(elements->size() * kStepsPerElement, where)) return false;
  out = *found;
  return true;
}

bool Evaluator::conditional(ExprId e, Value& out) {
  const auto& n = *node<syntax::Conditional>(e);
  if (!eval(n.condition, out)) return false;
  return eval_as(std::get<bool>(out.data) ? n.then : n.otherwise, type(e), out);
}

bool Evaluator::guarded(ExprId e, Value& out) {
  for (const auto& v : m_.ast.list(node<syntax::GuardedExpr>(e)->alternatives)) {
    if (!eval(v.guard, out)) return false;
    if (std::get<bool>(out.data)) return eval_as(v.value, type(e), out);
  }
  return fail(span(e), "no guard is open");
}

bool Evaluator::at_index(Value& value, std::int64_t index, Span where) {
  auto& elements = std::get<Value::Sequence>(value.data);
  if (index < 0 || index >= static_cast<std::int64_t>(elements.size())) {
    return fail(where, fmt::format("index {} is out of range: there are {} elements", index,
                                   elements.size()));
  }
  Value found = std::move(elements[static_cast<std::size_t>(index)]);
  value = std::move(found);
  return true;
}

/// `value` is what the expression takes a part of; it becomes the part.
bool Evaluator::element(ExprId e, Value& value) {
  if (const auto* n = node<syntax::Project>(e)) return at_index(value, n->index, span(e));
  if (node<syntax::Member>(e)) {
    if (m_.field[e] >= 0) return at_index(value, m_.field[e], span(e));
    const auto* decl = std::get_if<DeclId>(&m_.resolution[e]);
    Value index;
    if (!decl || !declared(*decl, span(e), index)) return false;
    return at_index(value, std::get<std::int64_t>(index.data), span(e));
  }
  const auto* n = node<syntax::Index>(e);
  Value index;
  if (!n) return fail(span(e), "this has no value before the run");
  const auto* dict = as<Dict>(type(n->of));
  if (!dict)
    return eval(n->index, index) &&
           at_index(value, std::get<std::int64_t>(index.data), span(n->index));
  if (!eval_as(n->index, dict->key, index)) return false;
  for (auto& [key, entry] : std::get<Value::Mapping>(value.data)) {
    if (!(key == index)) continue;
    Value found = std::move(entry);
    value = std::move(found);
    return true;
  }
  return fail(span(n->index),
              fmt::format("the dictionary has no key {}", text(index, m_, dict->key)));
}

bool Evaluator::sequence(Slice<ExprId> elements, TypeId whole, Value& out) {
  if (as<Dict>(whole)) return out.data = Value::Mapping{}, true;
  const auto* list = as<List>(whole);
  const auto* set = as<Set>(whole);
  const auto* array = as<Array>(whole);
  const auto* tuple = as<Tuple>(whole);
  Value::Sequence values(static_cast<std::size_t>(elements.count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const TypeId wanted = list    ? list->element
                          : set   ? set->element
                          : array ? array->element
                          : tuple ? m_.types.list(tuple->elements)[i]
                                  : m_.types.unknown();
    if (!eval_as(m_.ast.list(elements)[i], wanted, values[i])) return false;
  }
  if (set) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
  }
  out.data = std::move(values);
  return true;
}

bool Evaluator::record(ExprId e, Value& out) {
  const auto* type_node = as<Record>(type(e));
  if (!type_node) return fail(span(e), "this has no value before the run");
  const auto fields = m_.types.list(type_node->fields);
  Value::Sequence values(fields.size());
  for (const auto& given : m_.ast.list(node<syntax::RecordExpr>(e)->fields)) {
    std::size_t i = 0;
    while (fields[i].name != given.field.name) ++i;
    if (!eval_as(given.value, fields[i].type, values[i])) return false;
  }
  out.data = std::move(values);
  return true;
}

bool Evaluator::dictionary(ExprId e, Value& out) {
  const auto* dict = as<Dict>(type(e));
  if (!dict) return fail(span(e), "this has no value before the run");
  Value::Mapping entries;
  for (const auto& given : m_.ast.list(node<syntax::DictExpr>(e)->entries)) {
    auto& entry = entries.emplace_back();
    if (!eval_as(given.key, dict->key, entry.first)) return false;
    if (!eval_as(given.value, dict->value, entry.second)) return false;
  }
  const auto by_key = [](const auto& a, const auto& b) { return a.first < b.first; };
  std::stable_sort(entries.begin(), entries.end(), by_key);
  Value::Mapping unique;  // of equal keys the last one counts
  for (auto& entry : entries) {
    if (!unique.empty() && unique.back().first == entry.first) {
      unique.back() = std::move(entry);
    } else {
      unique.push_back(std::move(entry));
    }
  }
  out.data = std::move(unique);
  return true;
}

std::optional<Value> evaluate(const TypedModel& model, syntax::ExprId expr, TypeId wanted,
                              const Environment& environment, Diagnostics& diagnostics) {
  Evaluator evaluator(model, environment, diagnostics);
  evaluator.set_root(model.ast.exprs[expr].span);
  Value value;
  if (!evaluator.evaluate(expr, wanted, value)) return std::nullopt;
  return value;
}

}  // namespace chi::sema
