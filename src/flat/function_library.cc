#include "flat/function_library.h"

#include <algorithm>

#include "base/cancel.h"
#include "expr/build.h"
#include "flat/table_functions.h"

namespace chi::flat {
namespace {

using sema::DeclId;
using sema::TypeId;

// Orders the functions so that callees come first, and enters them one by one.
class LibraryBuilder {
 public:
  LibraryBuilder(const sema::TypedModel& model, const Table<syntax::ExprId, ExprFacts>& facts,
                 Equations& equations, FunctionTable& table)
      : model_(model),
        equations_(equations),
        translator_(model, facts, equations.pool, table),
        callees_(model.definitions.size()),
        states_(model.definitions.size(), State::New) {}

  void build() {
    find_callees();
    for (std::size_t d = 0; d < model_.definitions.size(); ++d) {
      check_cancelled();
      if (is_candidate(d) && states_[d] == State::New) visit(d);
    }
  }

 private:
  enum class State : std::uint8_t { New, Active, Done };

  bool is_candidate(std::size_t d) const {
    const DeclId self = model_.definitions[d].self;
    return self && model_.decls[self].kind == sema::DeclKind::Function &&
           is_scalar_function(model_.types, model_.decls[self].type);
  }

  // A call stands in the definition whose text it is part of.
  void find_callees() {
    std::vector<std::pair<std::int32_t, std::size_t>> begins;
    for (std::size_t d = 0; d < model_.ast.definitions.size(); ++d) {
      begins.emplace_back(model_.ast.definitions[d].span.begin, d);
    }
    std::sort(begins.begin(), begins.end());
    for (const syntax::Expr& e : model_.ast.exprs) {
      check_cancelled();
      const auto* call = std::get_if<syntax::Call>(&e.node);
      const auto* callee =
          call == nullptr ? nullptr : std::get_if<DeclId>(&model_.resolution[call->callee]);
      if (callee == nullptr || !*callee) continue;
      const sema::Decl& decl = model_.decls[*callee];
      if (decl.kind != sema::DeclKind::Function) continue;
      const auto after = std::upper_bound(begins.begin(), begins.end(),
                                          std::pair(e.span.begin, model_.definitions.size()));
      if (after == begins.begin()) continue;
      callees_[std::prev(after)->second].push_back(static_cast<std::size_t>(decl.owner));
    }
  }

  // Depth first, on a stack of its own. Meeting a function that is still active means recursion:
  // that function is a black box, and those between here and there can call it.
  void visit(std::size_t root) {
    struct Step {
      std::size_t definition;
      std::size_t next = 0;
    };
    std::vector<Step> path{{root}};
    states_[root] = State::Active;
    while (!path.empty()) {
      check_cancelled();
      Step& step = path.back();
      if (step.next == callees_[step.definition].size()) {
        if (states_[step.definition] == State::Active) enter(step.definition);
        path.pop_back();
        continue;
      }
      const std::size_t callee = callees_[step.definition][step.next++];
      if (!is_candidate(callee)) continue;
      if (states_[callee] == State::Active) {
        enter_black_box(callee);
      } else if (states_[callee] == State::New) {
        states_[callee] = State::Active;
        path.push_back({callee});
      }
    }
  }

  std::vector<expr::FunctionId>& row(std::size_t d) {
    return equations_.function_components[model_.definitions[d].self];
  }

  int arity(std::size_t d) const {
    int count = 0;
    for (const DeclId p : model_.definitions[d].params) {
      count += static_cast<int>(scalar_types(model_.types, model_.decls[p].type).size());
    }
    return count;
  }

  void enter(std::size_t d) {
    const std::vector<expr::ExprId> results =
        function_body(model_, static_cast<std::int32_t>(d), translator_, equations_.pool);
    if (results.empty()) return enter_black_box(d);
    states_[d] = State::Done;
    for (const expr::ExprId body : results) {
      row(d).push_back(equations_.pool.add_function(arity(d), body));
    }
    equations_.functions.resize(equations_.pool.function_count(), {});
  }

  void enter_black_box(std::size_t d) {
    states_[d] = State::Done;
    const DeclId self = model_.definitions[d].self;
    const auto* type = std::get_if<sema::Func>(&model_.types[model_.decls[self].type]);
    const std::vector<TypeId> results = scalar_types(model_.types, type->result);
    for (std::size_t k = 0; k < results.size(); ++k) {
      const bool boolean = model_.types.is(results[k], sema::BasicType::Bool);
      const expr::FunctionId f = equations_.pool.add_opaque(arity(d), boolean);
      equations_.functions.resize(equations_.pool.function_count(), {});
      equations_.functions[f] = UserFunction{self, static_cast<std::int32_t>(k)};
      row(d).push_back(f);
    }
  }

  const sema::TypedModel& model_;
  Equations& equations_;
  Translator translator_;
  std::vector<std::vector<std::size_t>> callees_;
  std::vector<State> states_;
};

}  // namespace

FunctionLibrary::FunctionLibrary(const sema::TypedModel& model,
                                 const Table<syntax::ExprId, ExprFacts>& facts,
                                 Equations& equations)
    : equations_(equations) {
  add_table_functions(model, equations);
  if (!equations.has_library) {
    equations.has_library = true;
    LibraryBuilder(model, facts, equations, *this).build();
  }
}

std::span<const expr::FunctionId> FunctionLibrary::components(DeclId function) {
  const auto at = equations_.function_components.find(function);
  if (at == equations_.function_components.end()) return {};
  return at->second;
}

}  // namespace chi::flat
