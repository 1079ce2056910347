"""The mutations: what a slip of the pen would make of the core algorithms. Each must be caught by the tests named with it.

`old` stands exactly once in the file. Tests are test programs of the build, or `models/FOLDER` for the models with known answers.
"""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Mutation:
    name: str
    file: str
    old: str
    new: str
    tests: tuple


def _group(tests, file, *rows):
    return [Mutation(name, file, old, new, tests) for name, old, new in rows]


GRAPH = ("graph_test",)
NUMERICS = ("numerics_test",)
DISCRETE = ("sim_test", "conformance_test")
HYBRID = ("sim_test", "models/impacts", "models/diodes", "models/friction", "models/switching", "models/structure", "models/unknowns",
          "models/initial")

MUTATIONS = [
    *_group(GRAPH, "src/graph/matching.cc",
            ("matching: only the layered pass, once", "    while (find_levels()) {\n", "    if (find_levels()) {\n"),
            ("matching: a path is flipped from the wrong end", "    for (auto eq = path_.rbegin(); eq != path_.rend(); ++eq) {",
             "    for (auto eq = path_.begin(); eq != path_.end(); ++eq) {"),
            ("matching: the start matching is not checked against the graph", "          graph_.find_edge(eq, var)) {",
             "          (graph_.find_edge(eq, var) || true)) {"),
            ("matching: alternating paths never leave their root", "      if (cursor_[owner] != kUnreached) continue;",
             "      if (cursor_[owner] != kUnreached || true) continue;")),
    *_group(GRAPH, "src/graph/assignment.cc",
            ("assignment: potentials of columns stay", "        v_[j] -= step;\n", ""),
            ("assignment: the farthest column is settled first", "distance[j] < distance[next]) next = j;",
             "distance[j] > distance[next]) next = j;")),
    *_group(GRAPH, "src/graph/sigma.cc",
            ("sigma: later blocks demand nothing", "      highest = std::max(highest, found_.c[eqs[k]] + sigma_.order[edges[k]]);",
             "      highest = std::max(highest, sigma_.order[edges[k]]);"),
            ("sigma: excess is not passed on", "        if (through <= excess_[owner]) continue;",
             "        if (through >= excess_[owner]) continue;"),
            ("sigma: the Jacobian takes lower derivatives", "offsets.d[var] - offsets.c[eq] == sigma.order[edge]",
             "offsets.d[var] - offsets.c[eq] >= sigma.order[edge]"),
            ("sigma: the index forgets algebraic unknowns",
             "  return index + (std::find(d.begin(), d.end(), 0) != d.end() ? 1 : 0);", "  return index;")),
    *_group(GRAPH + ("structure_test",), "src/graph/dummy_derivatives.cc",
            ("dummies: a level too few", "return offsets_.c[eq] <= level;", "return offsets_.c[eq] <= level + 1;"),
            ("dummies: candidates are all variables on every level", "    candidates_ = std::move(chosen);\n    for (const VarId var : candidates_)",
             "    for (const VarId var : chosen)"),
            ("dummies: preferences are turned round", "  if (preference == Preference::Dependent) return 0;",
             "  if (preference == Preference::Independent) return 0;"),
            ("dummies: variables that are no partners are chosen", "    if (matching.eq_of[var]) chosen.push_back(var);",
             "    if (!matching.eq_of[var]) chosen.push_back(var);")),
    *_group(NUMERICS, "src/numerics/sturm.cc",
            ("root counter: remainders keep their sign", "    out.coefficients[at(i)] = -scaled(", "    out.coefficients[at(i)] = scaled("),
            ("root counter: common factors stay", "  if (members_[at(length_ - 1)].degree > 0) divide_out_common_factor();\n", ""),
            ("root counter: zeros count as signs", "    if (magnitude(sum) <= kRounding * size) continue;\n", "")),
    *_group(NUMERICS, "src/numerics/bernstein_isolation.cc",
            ("root isolation: two variations are one root", "    if (variations == 1 && (", "    if (variations >= 1 && ("),
            ("root isolation: a root at the end is forgotten", "    if (multiplicity > 0) collector_.zero(to_, to_);\n", ""),
            ("root isolation: doubtful signs are trusted", "    if (variations == 0 && !doubtful) return", "    if (variations == 0) return")),
    *_group(NUMERICS, "src/numerics/root_location.cc",
            ("root location: the wrong end moves", "    if (moved_right) {\n      result_.right = x;", "    if (!moved_right) {\n      result_.right = x;"),
            ("root location: slow methods are never helped", "      const bool slow = since >= 3;", "      const bool slow = false && since >= 3;")),
    *_group(NUMERICS, "src/numerics/newton.cc",
            ("newton: steps uphill", "[](double r) { return -r; }", "[](double r) { return r; }")),
    *_group(NUMERICS, "src/numerics/newton_convergence.cc",
            ("newton: divergence is not noticed", "  constexpr double kDiverges = 0.9;", "  constexpr double kDiverges = 1e300;"),
            ("newton: converged at any distance", "kLeast) * norm > tolerance)", "kLeast) * norm > 1e6 * tolerance)"),
            ("newton: a residual that stays is believed", "falls_ || size_ <= tolerance;", "true;")),
    *_group(NUMERICS, "src/numerics/damped_newton.cc",
            ("newton: damping is forgotten", "trial_[j] = x_[j] + damping_ * step_[j];", "trial_[j] = x_[j] + step_[j];"),
            ("newton: the Jacobian of the first point for ever", "    const SolveStatus prepared = factor_jacobian();",
             "    const SolveStatus prepared = k == 0 ? factor_jacobian() : SolveStatus::Converged;")),
    *_group(("sim_test",), "src/sim/processes/calendar.cc",
            ("calendar: an entry rises to the wrong parent", "    const std::size_t above = parent(at);", "    const std::size_t above = at / 4 + 1;"),
            ("calendar: the greatest child is taken", "static_cast<std::size_t>(child[1] < child[0])", "static_cast<std::size_t>(child[1] > child[0])"),
            ("calendar: an erased entry's successor never rises", "  if (at > kRoot && last < list()[parent(at)]) {", "  if (false) {"),
            ("calendar: what is far stays far", "  if (far_size_ == 0 || size_ > (vacant_ ? 1U : 0U)) return;",
             "  if (far_size_ == 0 || size_ > 0) return;")),
    *_group(("sim_test",), "src/sim/processes/ready_set.cc",
            ("scheduler: the set of ready processes loses its first", "    i = (i << 6) + std::countr_zero(w);", "    i = (i << 6) + 63 - std::countl_zero(w);")),
    *_group(DISCRETE, "src/sim/processes/scheduler.cc",
            ("scheduler: a delay of nothing waits", "  if (duration <= 0) return Choice::GoOn;", "  if (duration < 0) return Choice::GoOn;"),
            ("scheduler: who was met stays at the channel", "    (kSending ? ends.receiver : ends.sender) = {};\n", ""),
            ("scheduler: other offers are not withdrawn", "    partner.pc = answer.body_pc;\n    withdraw(other.process);",
             "    partner.pc = answer.body_pc;"),
            ("scheduler: sent values are shared", "  if (from.managed && !from.value_owned) code::retain(", "  if (false) code::retain("),
            ("scheduler: guards are not looked at again", "  if (!machine_.changed.empty()) wake_watchers();\n", "")),
    *_group(HYBRID, "src/sim/jumps/jump.cc",
            ("jump: equations that are not linear jump all the same", "    return is_linear && carry(equations);", "    return carry(equations);"),
            ("jump: a function is never linear along the jump", "  if (still) return true;", "  if (still || !still) return still;")),
    *_group(HYBRID, "src/sim/jumps/jump_equations.cc",
            ("jump: impulses are halved", "mean.push_back({node, expr::mul(pool_, expr::constant(pool_, 0.5),",
             "mean.push_back({node, expr::mul(pool_, expr::constant(pool_, 0.25),"),
            ("jump: the value before is that after", "leaf({analysis_.unknowns[j], lower(j)}), leaf(before(j)));",
             "leaf({analysis_.unknowns[j], lower(j)}), leaf({analysis_.unknowns[j], lower(j)}));")),
    *_group(HYBRID, "src/sim/jumps/jump_depth.cc",
            ("jump: lower constraints are not looked at", "    if (std::abs(residuals[i]) <= tolerance) continue;", "    if (std::abs(residuals[i]) <= 1e300 * tolerance) continue;")),
    *_group(HYBRID, "src/sim/consistency/mode_search.cc",
            ("mode search: checks always hold", "    if (std::abs(residuals[i]) <= Part::kTolerances * (options.rtol + options.atol)) continue;",
             "    if (std::abs(residuals[i]) <= 1e300 * (options.rtol + options.atol)) continue;"),
            ("mode search: steps of what is differentiated pass", "  if (steps(found)) {", "  if (false) {"),
            ("mode search: the sides before are kept", "  part_.sides_ = found.after.empty() ? found.right : found.after;\n", "")),
    *_group(HYBRID, "src/sim/consistency/mode_impacts.cc",
            ("mode search: jumps are not kept", "  part_.jumps_ = attempt.jumped ? attempt.changes : std::vector<Change>{};\n", ""),
            ("mode search: impulses push to the wrong side", "    sides[at(b)] = step > 0 ? Side::Plus : Side::Minus;",
             "    sides[at(b)] = step > 0 ? Side::Minus : Side::Plus;")),
    *_group(HYBRID, "src/sim/consistency/mode_kinks.cc",
            ("mode search: nothing rests at a kink", "  if (rests) attempt.frame = std::move(resting.frame);\n", "  (void)rests;\n")),
    *_group(("sim_test", "models/sliding"), "src/sim/part/conditions.cc",
            ("conditions: borders that slide decide", "      is_open_[i] = borders[at(relations_[at(node.a)].border)];", "      is_open_[i] = 0;")),
    *_group(("sim_test",), "src/sim/modes/state_monitor.cc",
            ("choice of states: sizes are turned round", "entry * sizes_[c] / sizes_[at(level.dependent[i])]", "entry * sizes_[at(level.dependent[i])] / sizes_[c]"),
            ("choice of states: a singular choice is a good one", "  if (!level.lu->factor()) {\n    result = kSingular;\n    return;",
             "  if (!level.lu->factor()) {\n    return;")),
    *_group(("sim_test",), "src/sim/part/surface.cc",
            ("surfaces: parallel ones are one", "near(constant, other.constant)", "(near(constant, other.constant) || true)"),
            ("surfaces: the sides of a negative multiple are not exchanged", "  surface.sign = scale > 0 ? 1 : -1;", "  surface.sign = 1;")),
    *_group(("sim_test",), "src/sim/part/deciding.cc",
            ("conditions that decide: ifs with other derivatives do not", "      if (inside[2 * k] != inside[2 * k + 1])", "      if (inside[2 * k] == inside[2 * k + 1])")),
    *_group(("sim_test",), "src/sim/part/mode_switches.cc",
            ("switches: what is declared unknown counts as a value", "    if (x.order > 0 || declared_.count(x.var) != 0) return false;",
             "    if (x.order > 0) return false;"),
            ("switches: guards are data, too", "    for (const int c : guards_) other[at(c)] = 1;\n", ""),
            ("switches: conditions that do not count tell modes apart", "    stack.insert(stack.end(), branch.inner.rbegin(), branch.inner.rend());",
             "    for (const auto* b : {&choice.yes, &choice.no}) stack.insert(stack.end(), b->inner.begin(), b->inner.end());")),
    *_group(("models/switching",), "src/sim/consistency/mode_search.cc",
            ("switches: a mode is tried with those of the mode before", "  attempt.plan->set_switches(attempt.frame);\n", "")),
    *_group(("code_test",), "src/code/formulas_loops.cc",
            ("loops: copies in two alternatives are taken for one", "      same = same && chosen[k] == chosen[0];\n", "")),
    *_group(("expr_test",), "src/expr/alternatives.cc",
            ("alternatives: those that say the same are different", "    if (!known) known = pool.add_function(", "    known = pool.add_function(")),
    *_group(("sim_test",), "src/sim/part/switched_values.cc",
            ("switched values: rows whose unknowns change are taken", "        if (then[k] != here[k]) even[single[k]] = 0;", "        if (then[k] != here[k]) even[single[k]] = 1;")),
]
