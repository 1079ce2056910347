#include "sema/uses.h"

#include <unordered_set>

#include "base/cancel.h"
#include "base/match.h"
#include "sema/walk.h"

namespace chi::sema {
namespace {

class Collector {
 public:
  explicit Collector(const Context& c) : c_(c) {}

  std::vector<Use> collect(const syntax::Definition& definition) {
    match(
        definition.node, [&](const syntax::TypeDef& n) { type(n.type); },
        [&](const syntax::ConstDef& n) { type(n.type), expr(n.value); },
        [&](const syntax::FuncDef& n) { function(n); }, [](const syntax::ProcDef&) {},
        [](const syntax::SysDef&) {});
    return std::move(uses_);
  }

 private:
  void name(Symbol symbol, Span span) {
    if (!symbol || own_.contains(symbol)) return;
    add(symbol, span);
  }

  void add(Symbol symbol, Span span) {
    const DeclId decl = symbol ? c_.top_level[symbol] : DeclId{};
    if (decl) uses_.push_back({c_.model.decls[decl].owner, span});
  }

  void type(syntax::TypeId root) {
    using namespace syntax;
    std::vector<syntax::TypeId> todo{root};
    const auto push = [&](syntax::TypeId part) { todo.push_back(part); };
    while (!todo.empty()) {
      const syntax::TypeId t = todo.back();
      todo.pop_back();
      if (!t) continue;
      match(
          c_.ast.types[t].node, [](const syntax::Basic&) {}, [](const Error&) {},
          [&](const TypeName& n) { add(n.name, c_.ast.types[t].span); },
          [&](const ListType& n) { push(n.element); }, [&](const SetType& n) { push(n.element); },
          [&](const DictType& n) { push(n.key), push(n.value); },
          [&](const ArrayType& n) { push(n.element), expr(n.length); },
          [&](const TupleType& n) {
            for (syntax::TypeId e : c_.ast.list(n.elements)) push(e);
          },
          [&](const RecordType& n) {
            for (const FieldType& f : c_.ast.list(n.fields)) push(f.type);
          },
          [&](const NodeType& n) {
            for (const NodeField& f : c_.ast.list(n.fields)) push(f.type);
          },
          [&](const FuncType& n) {
            for (syntax::TypeId p : c_.ast.list(n.parameters)) push(p);
            push(n.result);
          },
          [&](const DistType& n) { push(n.result); },
          [&](const ChannelType& n) { push(n.element); });
    }
  }

  void expr(ExprId root) {
    walk(c_.ast, root, [&](ExprId e) {
      if (const auto* n = c_.node<syntax::Name>(e)) name(n->name, c_.span(e));
      if (const auto* n = c_.node<syntax::Member>(e)) {
        if (!c_.field_names.contains(n->member.name)) name(n->member.name, n->member.span);
      }
      return true;
    });
  }

  void function(const syntax::FuncDef& n) {
    for (const syntax::Param& p : c_.ast.list(n.parameters)) {
      type(p.type);
      for (const syntax::Ident& ident : c_.ast.list(p.names)) own_.insert(ident.name);
    }
    type(n.result);
    for (const syntax::VarDecl& group : c_.ast.list(n.locals)) {
      type(group.type);
      expr(group.low), expr(group.high), expr(group.initial);
      for (const syntax::Ident& ident : c_.ast.list(group.names)) own_.insert(ident.name);
    }
    expr(n.value);
    statements(n.body);
  }

  void statements(Slice<syntax::StatId> body) {
    using namespace syntax;
    std::vector<Slice<StatId>> todo{body};
    const auto all = [&](Slice<ExprId> slice) {
      for (ExprId e : c_.ast.list(slice)) expr(e);
    };
    while (!todo.empty()) {
      const Slice<StatId> slice = todo.back();
      todo.pop_back();
      for (StatId id : c_.ast.list(slice)) {
        match(
            c_.ast.stats[id].node, [](const Skip&) {}, [](const Terminate&) {}, [](const Error&) {},
            [&](const Return& n) { expr(n.value); },
            [&](const Assign& n) { all(n.targets), all(n.values); }, [](const Send&) {},
            [](const Receive&) {}, [](const Delay&) {}, [](const Resume&) {}, [](const Start&) {},
            [](const Finish&) {}, [](const Wait&) {}, [](const Instant&) {}, [](const Assert&) {},
            [](const Print&) {}, [&](const Select& n) { alternatives(n.alternatives, todo); },
            [&](const Loop& n) { alternatives(n.alternatives, todo); },
            [&](const Forever& n) { todo.push_back(n.body); });
      }
    }
  }

  void alternatives(Slice<syntax::Alternative> slice, std::vector<Slice<syntax::StatId>>& todo) {
    for (const syntax::Alternative& a : c_.ast.list(slice)) {
      if (a.unwind) {
        type(a.unwind.type);
        expr(a.unwind.low), expr(a.unwind.high);
        own_.insert(a.unwind.variable.name);
      }
      expr(a.guard);
      todo.push_back(a.body);
    }
  }

  const Context& c_;
  std::unordered_set<Symbol> own_;
  std::vector<Use> uses_;
};

}  // namespace

std::vector<Use> uses_of(const Context& c, std::int32_t definition) {
  check_cancelled();
  return Collector(c).collect(c.ast.definitions[static_cast<std::size_t>(definition)]);
}

}  // namespace chi::sema
