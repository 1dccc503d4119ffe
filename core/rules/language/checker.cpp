// SPDX-License-Identifier: GPL-3.0-or-later
// Checks one direction at a time: the left side first, then conditions, then right sides, then which variables may mention which.
#include "core/rules/language/checker.h"

#include "core/rules/language/internal/never_holds.h"
#include "core/rules/language/typing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace mitos::rules {

using syntax::Expr;

namespace {

using Side = ExpressionCompiler::Side;

class DirectionChecker {
public:
    DirectionChecker(const CompileContext& context, std::shared_ptr<const PatternTable> patterns)
        : m_context(context),
          m_patterns(std::move(patterns)),
          m_compiler(context) {}

    std::optional<CheckedDirection> run(const std::vector<Expr>& lefts, const std::vector<syntax::Branch>& branches,
                                        const std::vector<syntax::NamedExpr>& lets, const syntax::WithClause& with,
                                        const std::optional<Expr>& where) {
        const std::size_t before = m_context.errors.size();
        m_result.patterns = m_patterns;
        m_result.source = m_patterns->source;
        std::vector<std::uint32_t> roots;
        for (const Expr& left : lefts) roots.push_back(m_compiler.compile(left, Side::Left));
        if (m_context.errors.size() > before) return std::nullopt;
        m_result.left = tupled(roots, lefts.front().span);
        for (const syntax::Constraint& constraint : with.constraints) {
            const std::optional<CompiledConstraint> compiled = m_compiler.compileConstraint(constraint);
            if (!compiled) return std::nullopt;
            m_result.constraints.push_back(*compiled);
        }
        findLocals(with);
        m_compiler.closeLeft();
        if (m_compiler.hasChoices) m_result.choices = m_compiler.addVariable("choices", VarKind::Choices);
        m_result.valueCount = m_compiler.variables.size();
        if (where) {
            m_result.guard = m_compiler.compileGuard(*where);
            m_result.guardSpan = where->span;
        }
        std::vector<std::vector<std::uint32_t>> results;  // by branch, by root
        for (const syntax::Branch& branch : branches) {
            CompiledBranch compiled;
            if (branch.condition) compiled.condition = m_compiler.compileTruth(*branch.condition);
            std::vector<std::uint32_t>& rights = results.emplace_back();
            for (const Expr& right : branch.roots) rights.push_back(m_compiler.compileRight(right, lets));
            compiled.root = tupled(rights, branch.roots.front().span);
            m_result.branches.push_back(compiled);
        }
        if (m_context.errors.size() > before) return std::nullopt;
        requirePossible(branches);
        if (m_context.errors.size() > before) return std::nullopt;
        findContexts();
        m_result.table = std::move(m_compiler.table);
        m_result.variables = std::move(m_compiler.variables);
        checkBinderTypes();
        if (m_context.errors.size() > before) return std::nullopt;
        CheckedDirection direction;
        for (std::size_t i = 0; roots.size() > 1 && i < roots.size(); ++i) {
            CompiledRule& part = direction.parts.emplace_back(m_result);
            part.left = roots[i];
            for (std::size_t k = 0; k < results.size(); ++k) part.branches[k].root = results[k][i];
            part.rootOperators = rootsOf(part);
        }
        m_result.rootOperators = rootsOf(m_result);
        direction.whole = std::move(m_result);
        return direction;
    }

    /// Checks that there are types for which both sides agree, and reports an error if there are none.
    void checkTypes(const CompiledRule& rule, SourceSpan span) const {
        if (!canBeTyped(rule)) return;
        SymbolTable symbols;
        ir::TypeTable types(symbols);
        const ir::OperatorRegistry& registry = m_context.names.registry();
        bool leftHasType = false;
        bool agree = false;
        std::string example;
        // The shipped rules need up to 13,000 steps; the time of starting a program grows with the limit.
        constexpr std::uint64_t MostSteps = 20'000;
        const auto agrees = [&](const Typing&) {
            agree = true;
            return false;
        };
        const bool triedAll = forEachTyping(rule, registry, types, true, agrees, MostSteps);
        if (agree || !triedAll) return;
        forEachTyping(rule, registry, types, false, [&](const Typing& typing) {
            leftHasType = true;
            example = types.toString(typing.result);
            return false;
        });
        if (leftHasType) {
            m_context.error(span, "the result can never have the type of what it replaces",
                            fmt::format("the matched side can be a {}, for instance", example));
        } else if (rule.valueCount == 0) {  // with variables, it may have types that were not tried
            m_context.error(span, "the matched side has no type", "check the argument types of its operators");
        }
    }

private:
    /// The tuple of several roots; a single root is returned itself.
    std::uint32_t tupled(const std::vector<std::uint32_t>& roots, SourceSpan span) {
        if (roots.size() == 1) return roots.front();
        NodeTable& table = m_compiler.table;
        Node tuple{.kind = NodeKind::Apply, .op = ir::opId(ir::CoreOp::Tuple), .span = span};
        tuple.firstChild = static_cast<std::uint32_t>(table.children.size());
        tuple.childCount = static_cast<std::uint32_t>(roots.size());
        table.children.insert(table.children.end(), roots.begin(), roots.end());
        table.nodes.push_back(std::move(tuple));
        return static_cast<std::uint32_t>(table.nodes.size() - 1);
    }

    /// Reports an error if conditions contradict each other, because the rule would never apply.
    void requirePossible(const std::vector<syntax::Branch>& branches) const {
        const auto check = [&](std::uint32_t condition, SourceSpan span) {
            const std::array all{m_result.guard, condition};
            const Contradiction found = contradictionOf(m_compiler.table, all, m_context.names.registry());
            if (found == Contradiction::None) return true;
            m_context.error(span, "this condition can never hold", hintFor(found, "the rule would never apply"));
            return false;
        };
        if (!check(NoNode, m_result.guardSpan)) return;
        for (std::size_t i = 0; i < branches.size(); ++i) {
            if (branches[i].condition) check(m_result.branches[i].condition, branches[i].condition->span);
        }
    }

    void findLocals(const syntax::WithClause& with) {
        for (const syntax::Word& word : with.locals) {
            const VarIndex var = m_compiler.find(word.text);
            if (var != NoVar) {
                m_result.locals.push_back(var);
                continue;
            }
            m_context.error(
                word.span, fmt::format("the local variable {} can never be bound", word.text),
                fmt::format("it must stand in the pattern or in a match constraint: x <= P({})", word.text));
        }
    }

    /// Finds which bound variables the values of the variables may mention, and checks that these are in scope where the values are put.
    void findContexts() {
        const auto count = static_cast<VarIndex>(m_result.valueCount);
        for (VarIndex var = 0; var < count; ++var) {
            Variable& variable = m_compiler.variables[var];
            if (variable.kind != VarKind::Term && variable.kind != VarKind::Sequence) continue;
            bool first = true;
            for (const auto& occurrence : m_compiler.occurrences) {
                if (occurrence.var != var || occurrence.side != Side::Left) continue;
                if (first) variable.context = occurrence.scope;
                if (!first) keepOnly(variable.context, occurrence.scope);
                first = false;
            }
            std::erase_if(variable.context, [&](VarIndex entry) {
                return std::ranges::find(m_compiler.exclusions, std::pair(entry, var)) != m_compiler.exclusions.end();
            });
            // A value that the right side puts outside the function must not mention what its operator binds.
            for (const auto& occurrence : m_compiler.occurrences) {
                if (occurrence.var != var || occurrence.side != Side::Right) continue;
                std::erase_if(variable.context, [&](VarIndex entry) {
                    return m_compiler.variables[entry].kind == VarKind::Function && !contains(occurrence.scope, entry);
                });
                for (const VarIndex entry : variable.context) {
                    if (!contains(occurrence.scope, entry)) reportEscape(occurrence, entry);
                }
            }
        }
    }

    void reportEscape(const ExpressionCompiler::Occurrence& occurrence, VarIndex binder) const {
        const std::string& name = m_compiler.variables[occurrence.var].name;
        const std::string& bound = m_compiler.variables[binder].name;
        m_context.error(
            occurrence.span, fmt::format("{} may mention {}, which is not bound here", name, bound),
            fmt::format("put it below a binder named {}, replace it with {}[{} := …], or require `{} not in {}`", bound,
                        name, bound, bound, name));
    }

    static bool contains(const ExpressionCompiler::Scope& scope, VarIndex entry) {
        return std::ranges::find(scope, entry) != scope.end();
    }

    static void keepOnly(std::vector<VarIndex>& context, const ExpressionCompiler::Scope& scope) {
        std::erase_if(context, [&](VarIndex entry) { return !contains(scope, entry); });
    }

    /// Checks that each lambda of the right side whose variable does not come from the left side has a type.
    void checkBinderTypes() const {
        const NodeTable& table = m_result.table;
        std::vector<bool> hasKnownType(table.nodes.size(), false);
        for (const Node& node : table.nodes) {
            if (node.kind != NodeKind::Apply || node.binder != NoVar) continue;
            const std::string& name = m_context.names.registry().info(node.op).name;
            if (name != "build" && name != "sumbuild" && name != "diag") continue;
            for (std::size_t i = 1; i < node.childCount; ++i) hasKnownType[table.children[node.firstChild + i]] = true;
        }
        for (std::size_t i = 0; i < table.nodes.size(); ++i) {
            const Node& node = table.nodes[i];
            const bool isOwn = node.kind == NodeKind::Apply && node.op == ir::opId(ir::CoreOp::Lam) &&
                               node.binder >= m_result.valueCount;
            if (!isOwn || hasKnownType[i] || !node.binderType.empty()) continue;
            m_context.error(node.span, fmt::format("the type of {} is not known here", node.name),
                            fmt::format("write it: \\{}: Float. …", node.name));
        }
    }

    /// The operators at the root of terms that the left side matches; empty if it can be any operator.
    [[nodiscard]] std::vector<ir::OpId> rootsOf(const CompiledRule& rule) const {
        std::vector<ir::OpId> roots;
        const Node& left = rule.table.nodes[rule.left];
        const bool isFunction = left.kind == NodeKind::Function && left.owner == Owner::Rule;
        std::vector<std::uint32_t> unfolded;
        const bool isKnown = isFunction ? rule.guard != NoNode && findMembers(rule.table, rule.guard, left.var, roots)
                                        : findRoots(rule.table, rule.left, unfolded, roots);
        if (!isKnown) roots.clear();
        return roots;
    }

    /// Finds the operators that a condition allows for a function variable; returns false if it can be any.
    bool findMembers(const NodeTable& table, std::uint32_t index, VarIndex function,
                     std::vector<ir::OpId>& roots) const {
        const ConditionNode& condition = table.conditions[index];
        if (condition.kind == ConditionKind::And) {
            return findMembers(table, condition.left, function, roots) ||
                   findMembers(table, condition.right, function, roots);
        }
        const bool isAbout =
            condition.kind == ConditionKind::MemberOf && condition.owner == Owner::Rule && condition.var == function;
        if (!isAbout) return false;
        const ir::OperatorRegistry& registry = m_context.names.registry();
        for (const std::string& word : condition.words) {
            const ir::OpId op = registry.find(word);
            roots.push_back(op);
            // A call of a function can also represent a declared operator.
            if (registry.info(op).dialect == "user") roots.push_back(ir::opId(ir::CoreOp::Call));
        }
        return true;
    }

    /// Finds the root operators of a node; returns false if it can be any. `unfolded` contains the patterns whose roots are known.
    bool findRoots(const NodeTable& table, std::uint32_t index, std::vector<std::uint32_t>& unfolded,
                   std::vector<ir::OpId>& roots) const {
        const Node& node = table.nodes[index];
        const auto add = [&](ir::OpId op) {
            if (std::ranges::find(roots, op) == roots.end()) roots.push_back(op);
        };
        switch (node.kind) {
            case NodeKind::Apply:
                add(node.op);
                if (node.isDeclared) add(ir::opId(ir::CoreOp::Call));
                return true;
            case NodeKind::Literal:
            case NodeKind::Text:
            case NodeKind::Number:
            case NodeKind::Approx: add(ir::opId(ir::CoreOp::Literal)); return true;
            case NodeKind::Unfold: {
                if (std::ranges::find(unfolded, node.index) != unfolded.end()) return true;
                unfolded.push_back(node.index);
                const auto& alternates = m_patterns->patterns[node.index].alternates;
                return std::ranges::all_of(
                    alternates, [&](const Alternate& a) { return findRoots(a.table, a.root, unfolded, roots); });
            }
            default: return false;
        }
    }

    const CompileContext& m_context;
    std::shared_ptr<const PatternTable> m_patterns;
    ExpressionCompiler m_compiler;
    CompiledRule m_result;
};

/// Checks that there are as many results as roots.
bool checkRootCounts(const syntax::Rule& rule, const CompileContext& context) {
    for (const syntax::Branch& branch : rule.branches) {
        if (branch.roots.size() == rule.lefts.size()) continue;
        context.error(
            branch.roots.front().span,
            fmt::format("the rule matches {} root{} and gives {} result{}", rule.lefts.size(),
                        rule.lefts.size() == 1 ? "" : "s", branch.roots.size(), branch.roots.size() == 1 ? "" : "s"),
            "there must be one result for each root");
        return false;
    }
    return true;
}

}  // namespace

std::optional<CompiledRule> checkPattern(const syntax::Rule& pattern, const std::shared_ptr<const SourceText>& source,
                                         const Names& names, const std::shared_ptr<const PatternTable>& patterns,
                                         std::vector<Error>& errors) {
    const CompileContext context{*source, names, *patterns, errors};
    std::optional<CheckedDirection> checked =
        DirectionChecker(context, patterns).run(pattern.lefts, {}, {}, pattern.with, pattern.where);
    if (!checked) return std::nullopt;
    checked->whole.source = source;
    return std::move(checked->whole);
}

std::optional<CheckedRule> checkRule(const syntax::Rule& rule, const SourceText& source, const Names& names,
                                     const std::shared_ptr<const PatternTable>& patterns, std::vector<Error>& errors) {
    const std::size_t before = errors.size();
    const CompileContext context{source, names, *patterns, errors};
    if (!checkRootCounts(rule, context)) return std::nullopt;
    CheckedRule result;
    if (rule.bothWays && (!rule.with.locals.empty() || !rule.with.constraints.empty())) {
        context.error(rule.name.span, "a rule in two directions has no local variables and no match constraints",
                      "write two rules with =>");
        return std::nullopt;
    }
    if (rule.bothWays && (rule.branches.size() > 1 || rule.branches.front().condition || !rule.lets.empty())) {
        context.error(rule.name.span, "a rule in two directions has one right side, without condition and `let`",
                      "write two rules with =>, or move the condition after `where`");
        return std::nullopt;
    }
    const auto direction = [&](const std::vector<Expr>& lefts, const std::vector<syntax::Branch>& branches) {
        DirectionChecker checker(context, patterns);
        std::optional<CheckedDirection> checked = checker.run(lefts, branches, rule.lets, rule.with, rule.where);
        if (!checked) return;
        checker.checkTypes(checked->whole, lefts.front().span);
        result.directions.push_back(std::move(*checked));
    };
    direction(rule.lefts, rule.branches);
    if (rule.bothWays && errors.size() == before) {
        direction(rule.branches.front().roots, {syntax::Branch{rule.lefts, std::nullopt}});
    }
    if (errors.size() > before) return std::nullopt;
    return result;
}

}  // namespace mitos::rules
