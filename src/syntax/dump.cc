#include "syntax/dump.h"

#include <initializer_list>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "base/json_text.h"
#include "base/match.h"

namespace chi::syntax {
namespace {

std::string_view name(BinaryOp op) {
  constexpr std::string_view kNames[] = {"+", "-",  "*", "/",  "div", "mod", "^",  "++",  "--",
                                         "=", "/=", "<", "<=", ">",   ">=",  "in", "and", "or"};
  return kNames[static_cast<std::size_t>(op)];
}
std::string_view name(UnaryOp op) {
  constexpr std::string_view kNames[] = {"-", "+", "not", "sample"};
  return kNames[static_cast<std::size_t>(op)];
}
std::string_view name(BasicType type) {
  constexpr std::string_view kNames[] = {"bool", "nat", "int", "real", "string", "void"};
  return kNames[static_cast<std::size_t>(type)];
}
std::string_view name(Direction direction) {
  return direction == Direction::Send ? "!" : direction == Direction::Receive ? "?" : "chan";
}

// Texts and nodes still to be written, the next one last: trees can be thousands deep.
using Item = std::variant<Symbol, ExprId, TypeId, StatId, EquationId, InstanceId>;

class Dumper {
 public:
  explicit Dumper(const Ast& ast, std::function<std::string(ExprId)> note = {})
      : ast_(ast), note_(std::move(note)) {}

  void write(Item item) {
    todo_.push_back(item);
    while (!todo_.empty()) {
      const Item next = todo_.back();
      todo_.pop_back();
      parts_.clear();
      match(
          next, [&](Symbol piece) { out_ += pieces_.text(piece); }, [&](ExprId id) { expand(id); },
          [&](TypeId id) { expand(id); }, [&](StatId id) { expand(id); },
          [&](EquationId id) { expand(id); }, [&](InstanceId id) { expand(id); });
      for (auto it = parts_.rbegin(); it != parts_.rend(); ++it) todo_.push_back(*it);
    }
  }
  void write(const Definition& def) {
    parts_.clear();
    match(def.node, [&](const auto& node) { expand(node); });
    const std::vector<Item> items = std::move(parts_);
    parts_ = {};
    for (const Item& item : items) write(item);
    out_ += '\n';
  }
  void write(const Import& import) {
    out_ += "(import " + text(import.module.name);
    for (const Ident& name : ast_.list(import.names)) out_ += " " + text(name.name);
    if (import.kind == ImportKind::All) out_ += " *";
    if (import.kind == ImportKind::Alias) out_ += " as " + text(import.alias.name);
    out_ += ")\n";
  }
  std::string take() { return std::move(out_); }

 private:
  std::string text(Symbol s) const { return s ? std::string(ast_.symbols.text(s)) : "_"; }
  static std::string number_text(double value) {
    std::string number = fmt::format("{}", value);
    return number.find_first_of(".en") == std::string::npos ? number + ".0" : number;
  }
  std::string unit_text(std::int32_t unit) const {
    return json_quote(ast_.units[static_cast<std::size_t>(unit)].text);
  }
  void put_item(Item item) { parts_.push_back(item); }
  Item piece(std::string_view s) { return pieces_.intern(s); }
  void put(std::string_view s) { put_item(piece(s)); }
  void node(std::string_view head, std::initializer_list<Item> children) {
    put("(" + std::string(head));
    for (const Item& child : children) {
      put(" ");
      put_item(child);
    }
    put(")");
  }
  template <class T>
  void each(Slice<T> slice) {
    for (const T& row : ast_.list(slice)) {
      put(" ");
      put(row);
    }
  }
  template <class T>
  void list(Slice<T> slice) {
    std::string_view gap = "(";
    for (const T& row : ast_.list(slice)) {
      put(gap);
      put(row);
      gap = " ";
    }
    put(slice.empty() ? "()" : ")");
  }

  void put(const Ident& ident) { put(text(ident.name)); }
  void put(ExprId id) { put_item(id ? Item(id) : piece("_")); }
  void put(TypeId id) { put_item(id ? Item(id) : piece("_")); }
  void put(StatId id) { put_item(id); }
  void put(EquationId id) { put_item(id); }
  void put(InstanceId id) { put_item(id); }

  void expand(ExprId id);
  void expand(TypeId id);
  void expand(StatId id);
  void expand(EquationId id);
  void expand(InstanceId id);
  void expand(const TypeDef& def);
  void expand(const ConstDef& def);
  void expand(const FuncDef& def);
  void expand(const ProcDef& def);
  void expand(const SysDef& def);
  void put(const Unwind& unwind);
  void put(const VarDecl& decl);
  void put(const Param& param);
  void put(const GuardedValue& row);
  void put(const FieldValue& row);
  void put(const DictEntry& row);
  void put(const FieldType& row);
  void put(const NodeField& row);
  void put(const ComplementSide& side);
  void put(const EquationAlternative& row);
  void put(const Alternative& row);
  template <class T>
  void rows(std::string_view head, Slice<T> slice) {
    put("(" + std::string(head));
    each(slice);
    put(")");
  }

  const Ast& ast_;
  const std::function<std::string(ExprId)> note_;
  Interner pieces_;
  std::string out_;
  std::vector<Item> todo_;
  std::vector<Item> parts_;
};

void Dumper::expand(ExprId id) {
  match(
      ast_.exprs[id].node, [&](BoolLiteral n) { put(n.value ? "true" : "false"); },
      [&](IntLiteral n) { put(std::to_string(n.value)); },
      [&](RealLiteral n) {
        const Quantity* quantity = ast_.quantity(id);
        if (quantity == nullptr) return put(number_text(n.value));
        put("(quantity " + number_text(quantity->number) + " " + unit_text(quantity->unit) + ")");
      },
      [&](StringLiteral n) { put(json_quote(text(n.text))); }, [&](Name n) { put(text(n.name)); },
      [&](Time) { put("time"); },
      [&](Derivative n) {
        put(n.of);
        put("'");
      },
      [&](const Unary& n) { node(name(n.op), {n.operand}); },
      [&](const Binary& n) {
        node(name(n.op), {n.left, n.right});
      },
      [&](const Conditional& n) {
        node("if", {n.condition, n.then, n.otherwise});
      },
      [&](const GuardedExpr& n) { rows("guarded", n.alternatives); },
      [&](const Call& n) {
        put("(call ");
        put(n.callee);
        each(n.arguments);
        put(")");
      },
      [&](const Index& n) {
        node("index", {n.of, n.index});
      },
      [&](const Member& n) {
        node(".", {n.of, piece(text(n.member.name))});
      },
      [&](const Project& n) {
        node(".", {n.of, piece(std::to_string(n.index))});
      },
      [&](const TupleExpr& n) { rows("tuple", n.elements); },
      [&](const ListExpr& n) { rows("list", n.elements); },
      [&](const SetExpr& n) { rows("set", n.elements); },
      [&](const RecordExpr& n) { rows("record", n.fields); },
      [&](const DictExpr& n) { rows("dict", n.entries); },
      [&](const Parenthesized& n) { put(n.inner); }, [&](Error) { put("<error>"); });
  if (note_ && !std::holds_alternative<Parenthesized>(ast_.exprs[id].node)) put(note_(id));
}

void Dumper::expand(TypeId id) {
  match(
      ast_.types[id].node,
      [&](Basic n) {
        const TypeUnit* unit = ast_.unit_of(id);
        if (unit == nullptr) return put(name(n.type));
        put("(real " + unit_text(unit->unit) + ")");
      },
      [&](TypeName n) { put(text(n.name)); }, [&](const ListType& n) { node("list", {n.element}); },
      [&](const SetType& n) { node("set", {n.element}); },
      [&](const DictType& n) {
        node("dict", {n.key, n.value});
      },
      [&](const ArrayType& n) {
        node("array", {n.element, n.length});
      },
      [&](const TupleType& n) { rows("tuple", n.elements); },
      [&](const RecordType& n) { rows("record", n.fields); },
      [&](const NodeType& n) { rows("node", n.fields); },
      [&](const FuncType& n) {
        put("(func ");
        list(n.parameters);
        put(" ");
        put(n.result);
        put(")");
      },
      [&](const DistType& n) { node("dist", {n.result}); },
      [&](const ChannelType& n) {
        n.many ? node(name(n.direction), {n.element, piece("many")})
               : node(name(n.direction), {n.element});
      },
      [&](Error) { put("<error>"); });
}

void Dumper::expand(EquationId id) {
  match(
      ast_.equations[id].node, [&](const UnknownDecl& n) { rows("unknown", n.unknowns); },
      [&](const ImpulseDecl& n) { rows("impulse", n.unknowns); },
      [&](const Substitute& n) {
        node("<-", {n.target, n.value});
      },
      [&](const Equality& n) {
        node("=", {n.left, n.right});
      },
      [&](const Complements& n) {
        put("(complements ");
        put(n.left);
        put(" ");
        put(n.right);
        if (n.restitution) {
          put(" ");
          put(n.restitution);
        }
        put(")");
      },
      [&](const GuardedEquations& n) { rows("guarded", n.alternatives); },
      [&](const UnwoundEquations& n) {
        put("(for ");
        put(n.unwind);
        each(n.body);
        put(")");
      },
      [&](const Require& n) {
        node("require", {n.condition, n.text ? Item(n.text) : piece("_")});
      },
      [&](Error) { put("<error>"); });
}

void Dumper::expand(StatId id) {
  const auto optional = [&](ExprId e) { return e ? Item(e) : piece("_"); };
  match(
      ast_.stats[id].node, [&](Skip) { put("skip"); }, [&](Terminate) { put("terminate"); },
      [&](const Return& n) { node("ret", {n.value}); },
      [&](const Assign& n) {
        put("(:= ");
        list(n.targets);
        put(" ");
        list(n.values);
        put(")");
      },
      [&](const Send& n) {
        node("!", {n.channel, optional(n.value)});
      },
      [&](const Receive& n) {
        node("?", {n.channel, optional(n.target)});
      },
      [&](const Delay& n) {
        if (n.otherwise.empty()) return node("delta", {n.duration});
        put("(delta ");
        put(n.duration);
        put(" else ");
        rows("select", n.otherwise);
        put(")");
      },
      [&](const Resume& n) { put(n.from_start ? "restart" : "resume"); },
      [&](const Start& n) {
        put("(start ");
        put(n.handle);
        put(" ");
        put(n.instance);
        put(")");
      },
      [&](const Finish& n) { node("finish", {n.handle}); },
      [&](const Wait& n) { node("nabla", {n.condition}); },
      [&](const Instant& n) { rows("instant", n.equations); },
      [&](const Assert& n) {
        node("assert", {n.condition, optional(n.text)});
      },
      [&](const Print& n) { rows("print", n.values); },
      [&](const Select& n) { rows("select", n.alternatives); },
      [&](const Loop& n) { rows("loop", n.alternatives); },
      [&](const Forever& n) { rows("forever", n.body); }, [&](Error) { put("<error>"); });
}

void Dumper::expand(InstanceId id) {
  const Instance& n = ast_.instances[id];
  put(n.name ? "(inst " : "(group");
  if (n.name) put(n.name);
  if (n.label) put(" label=" + text(n.label.name));
  if (n.unwind) {
    put(" ");
    put(n.unwind);
  }
  for (std::int32_t i = 0; i < n.arguments.count; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Ident name = n.argument_names.empty() ? Ident{} : ast_.list(n.argument_names)[k];
    put(name ? " " + text(name.name) + "=" : " ");
    put(ast_.list(n.arguments)[k]);
  }
  each(n.group);
  if (n.priority) {
    put(" @");
    put(n.priority);
  }
  put(")");
}

void Dumper::put(const Unwind& n) {
  if (n) node(text(n.variable.name), {n.type, n.low, n.high});
}
void Dumper::put(const VarDecl& n) {
  put("(");
  list(n.names);
  put(" ");
  put(n.type);
  if (n.low) {
    put(" in ");
    put(n.low);
    put(" ");
    put(n.high);
  }
  if (n.initial) {
    put(" := ");
    put(n.initial);
  }
  put(")");
}
void Dumper::put(const Param& n) {
  put(n.is_ref ? "(ref " : "(");
  list(n.names);
  put(" ");
  put(n.type);
  if (n.initial) {
    put(" := ");
    put(n.initial);
  }
  put(")");
}
void Dumper::put(const GuardedValue& n) { node("->", {n.guard, n.value}); }
void Dumper::put(const FieldValue& n) { node(text(n.field.name), {n.value}); }
void Dumper::put(const DictEntry& n) { node(":", {n.key, n.value}); }
void Dumper::put(const FieldType& n) { node(text(n.field.name), {n.type}); }
void Dumper::put(const NodeField& n) {
  node((n.is_flow ? "flow " : "") + text(n.field.name), {n.type});
}
void Dumper::put(const ComplementSide& side) {
  if (side.high) return node("<=", {side.low, side.value, side.high});
  if (side.low) return node("<=", {side.low, side.value});
  put(side.value);
}
void Dumper::put(const EquationAlternative& n) {
  put("(-> ");
  put(n.guard);
  each(n.body);
  put(")");
}
void Dumper::put(const Alternative& n) {
  put("(-> ");
  if (n.unwind) {
    put(n.unwind);
    put(" ");
  }
  put(n.guard);
  if (n.event) {
    put(" on ");
    put(n.event);
  }
  put(" do");
  each(n.body);
  put(")");
}

void Dumper::expand(const TypeDef& n) { node("type", {piece(text(n.name.name)), n.type}); }
void Dumper::expand(const ConstDef& n) {
  put("(const " + text(n.name.name) + " ");
  put(n.type);
  put(" ");
  put(n.value);
  put(")");
}
void Dumper::expand(const FuncDef& n) {
  put("(func " + text(n.name.name) + " ");
  list(n.parameters);
  put(" ");
  put(n.result);
  put(" ");
  if (n.value) {
    put(n.value);
  } else {
    list(n.locals);
    put(" ");
    list(n.body);
  }
  put(")");
}
void Dumper::expand(const ProcDef& n) {
  put("(proc " + text(n.name.name) + " ");
  list(n.parameters);
  put(" ");
  list(n.locals);
  put(" ");
  list(n.equations);
  put(" ");
  list(n.body);
  put(")");
}
void Dumper::expand(const SysDef& n) {
  put((n.kind == SystemKind::Experiment ? "(xper " : "(sys ") + text(n.name.name) + " ");
  list(n.parameters);
  put(" ");
  list(n.locals);
  put(" ");
  list(n.instances);
  put(")");
}

}  // namespace

std::string dump(const Ast& ast) {
  Dumper dumper(ast);
  for (const Import& import : ast.imports) dumper.write(import);
  for (const Definition& def : ast.definitions) dumper.write(def);
  return dumper.take();
}

std::string dump(const Ast& ast, ExprId expr) {
  Dumper dumper(ast);
  dumper.write(Item(expr));
  return dumper.take();
}

std::string dump(const Ast& ast, const Definition& definition,
                 const std::function<std::string(ExprId)>& note) {
  Dumper dumper(ast, note);
  dumper.write(definition);
  return dumper.take();
}

std::string_view name_of(const Ast& ast, const Definition& definition) {
  const Symbol name = match(definition.node, [](const auto& node) { return node.name.name; });
  return name ? ast.symbols.text(name) : "xper";
}

}  // namespace chi::syntax
