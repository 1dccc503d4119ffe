// SPDX-License-Identifier: GPL-3.0-or-later
// Checks named patterns: the kinds of their parameters, their alternates, and that recursion consumes nodes.
#include "core/rules/language/checker.h"
#include "core/rules/language/internal/never_holds.h"
#include "core/rules/language/internal/unbound.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>

namespace mitos::rules {

using syntax::Expr;
using syntax::ExprKind;

namespace {

std::string withoutSpaces(std::string_view text) {
    std::string result;
    std::ranges::copy_if(text, std::back_inserter(result),
                         [](char c) { return c != ' ' && c != '\n' && c != '\t' && c != '\r'; });
    return result;
}

bool coversNumber(const Node& a, const Node& b) {
    switch (a.kind) {
        case NodeKind::Literal: return b.kind == NodeKind::Literal && a.payload == b.payload;
        case NodeKind::Number:
            if (b.kind == NodeKind::Number) return a.payload == b.payload;
            return b.kind == NodeKind::Literal &&
                   (b.payload == a.payload || b.payload == ir::Payload::floating(a.value));
        case NodeKind::Approx:
            if (b.kind == NodeKind::Approx) return a.value == b.value;
            return b.kind == NodeKind::Literal && b.payload.kind() == ir::PayloadKind::Float &&
                   std::abs(b.payload.asFloat() - a.value) <= ApproximateTolerance * std::max(1.0, std::abs(a.value));
        default: return false;
    }
}

/// Decides whether everything that `later` matches is matched by `earlier` with the same values: the same pattern up to the names of
/// locals and bound variables, with numbers at least as general, and no condition that `later` does not have too.
/// `source` is the text that the spans refer to.
class Coverage {
public:
    Coverage(const Alternate& earlier, const Alternate& later, std::string_view source)
        : m_a(earlier),
          m_b(later),
          m_source(source) {}

    bool run() {
        if (m_a.constraints.size() != m_b.constraints.size() || m_a.locals.size() != m_b.locals.size()) return false;
        if (!nodes(m_a.root, m_b.root)) return false;
        for (std::size_t i = 0; i < m_a.constraints.size(); ++i) {
            if (!nodes(m_a.constraints[i].subject, m_b.constraints[i].subject)) return false;
            if (!nodes(m_a.constraints[i].pattern, m_b.constraints[i].pattern)) return false;
        }
        return m_a.guard == NoNode || (m_b.guard != NoNode && text(m_a) == text(m_b));
    }

private:
    /// The source text of the alternate, because conditions are compared by their text, with the names they use.
    [[nodiscard]] std::string text(const Alternate& alternate) const {
        return withoutSpaces(m_source.substr(alternate.span.begin, alternate.span.end - alternate.span.begin));
    }

    /// Whether two locals or bound variables are each other's counterparts.
    static bool paired(std::map<std::uint32_t, std::uint32_t>& pairs, std::uint32_t a, std::uint32_t b) {
        const auto [known, isNew] = pairs.emplace(a, b);
        return known->second == b &&
               (!isNew || std::ranges::count_if(pairs, [&](const auto& p) { return p.second == b; }) == 1);
    }

    bool nodes(std::uint32_t indexA, std::uint32_t indexB) {
        const Node& a = m_a.table.nodes[indexA];
        const Node& b = m_b.table.nodes[indexB];
        if (a.kind == NodeKind::AnyLiteral) return true;
        if (a.kind == NodeKind::Literal || a.kind == NodeKind::Number || a.kind == NodeKind::Approx) {
            return coversNumber(a, b);
        }
        if (a.kind != b.kind || a.childCount != b.childCount) return false;
        switch (a.kind) {
            case NodeKind::Bound: return paired(m_binders, a.var, b.var);
            case NodeKind::Text: return a.name == b.name;
            case NodeKind::Parameter: return a.index == b.index;
            case NodeKind::Local: return paired(m_locals, a.index, b.index);
            case NodeKind::Function: {
                if (a.owner != b.owner) return false;
                const bool same = a.owner == Owner::Local ? paired(m_locals, a.index, b.index) : a.index == b.index;
                if (!same) return false;
                break;
            }
            case NodeKind::Unfold:
                if (a.index != b.index) return false;
                break;
            case NodeKind::Apply: {
                const bool typed = !a.binderType.empty() || !b.binderType.empty();
                if (a.op != b.op || a.index != b.index || typed) return false;
                if ((a.binder == NoVar) != (b.binder == NoVar)) return false;
                if (a.binder != NoVar && !paired(m_binders, a.binder, b.binder)) return false;
                for (std::size_t i = 0; i < a.attributes.size(); ++i) {
                    if (!nodes(a.attributes[i], b.attributes[i])) return false;
                }
                break;
            }
            default: return false;
        }
        for (std::size_t i = 0; i < a.childCount; ++i) {
            if (!nodes(m_a.table.children[a.firstChild + i], m_b.table.children[b.firstChild + i])) return false;
        }
        return true;
    }

    const Alternate& m_a;
    const Alternate& m_b;
    std::string_view m_source;
    std::map<std::uint32_t, std::uint32_t> m_locals;
    std::map<std::uint32_t, std::uint32_t> m_binders;
};

class PatternCompiler {
public:
    PatternCompiler(const std::vector<const syntax::Pattern*>& items, const std::shared_ptr<const SourceText>& source,
                    const Names& names, std::vector<Error>& errors, std::vector<std::string>& warnings)
        : m_items(items),
          m_source(*source),
          m_names(names),
          m_errors(errors),
          m_warnings(warnings) {
        m_table->source = source;
    }

    std::shared_ptr<const PatternTable> run() {
        declare();
        findFunctionParameters();
        findTrackedParameters();
        for (const syntax::Pattern* item : m_items) alternate(*item);
        spreadErrors();
        checkProductivity();
        findBoundParameters(*m_table);
        return m_table;
    }

private:
    NamedPattern* find(const std::string& name) {
        for (NamedPattern& pattern : m_table->patterns) {
            if (pattern.name == name) return &pattern;
        }
        return nullptr;
    }

    void error(SourceSpan span, std::string message, std::string hint = {}) {
        m_errors.push_back(m_source.error(span, std::move(message), std::move(hint)));
    }

    void declare() {
        for (const syntax::Pattern* item : m_items) {
            std::vector<std::string> parameters;
            for (const syntax::Word& word : item->parameters) {
                if (std::ranges::find(parameters, word.text) != parameters.end()) {
                    error(word.span, fmt::format("the parameter {} is named twice", word.text),
                          "write the pattern with two names, and one variable for both where it is used");
                }
                parameters.push_back(word.text);
            }
            if (m_names.find(item->name.text).isValid()) {
                error(item->name.span, fmt::format("{} is an operator and cannot name a pattern", item->name.text),
                      "choose another name");
            }
            NamedPattern* known = find(item->name.text);
            if (known == nullptr) {
                m_table->patterns.push_back({item->name.text, parameters, std::vector<bool>(parameters.size(), false),
                                             std::vector<bool>(parameters.size(), false)});
            } else if (known->parameters.size() != parameters.size()) {
                error(
                    item->name.span,
                    fmt::format("{} had {} parameter{} above, here it has {}", item->name.text,
                                known->parameters.size(), known->parameters.size() == 1 ? "" : "s", parameters.size()),
                    "all alternates of a pattern have the same parameters");
                known->usable = false;
            }
        }
    }

    /// Sets a flag of parameters to the least solution. `visit` calls its last argument with the names, in one item, of parameters
    /// that have the property, given those found so far.
    template <typename Visit>
    void spread(std::vector<bool> NamedPattern::*flags, const Visit& visit) {
        for (bool changed = true; changed;) {
            changed = false;
            for (const syntax::Pattern* item : m_items) {
                std::vector<bool>& has = find(item->name.text)->*flags;
                visit(*item, [&](const std::string& name) {
                    for (std::size_t i = 0; i < item->parameters.size() && i < has.size(); ++i) {
                        if (item->parameters[i].text != name || has[i]) continue;
                        has[i] = true;
                        changed = true;
                    }
                });
            }
        }
    }

    /// A parameter is a function variable if some alternate applies it, or passes it on to such a parameter.
    void findFunctionParameters() {
        spread(&NamedPattern::isFunction,
               [&](const syntax::Pattern& item, const auto& mark) { functionNames(item, mark); });
    }

    /// A parameter is tracked if a guard or a match constraint of some alternate refers to it, or if an alternate passes
    /// it on to such a parameter.
    void findTrackedParameters() {
        spread(&NamedPattern::isTracked, [&](const syntax::Pattern& item, const auto& mark) {
            const auto markName = [&](const Expr& expr) {
                if (expr.kind == ExprKind::Name) mark(expr.name);
            };
            if (item.where) forEach(*item.where, markName);
            for (const syntax::Constraint& constraint : item.with.constraints) mark(constraint.variable.text);
            forEachCall(item, [&](const Expr& call) { passedOn(call, &NamedPattern::isTracked, mark); });
        });
    }

    template <typename Visit>
    static void forEach(const Expr& expr, const Visit& visit) {
        visit(expr);
        for (const Expr& child : expr.children) forEach(child, visit);
    }

    /// The calls in the body and in the match constraints.
    template <typename Visit>
    static void forEachCall(const syntax::Pattern& item, const Visit& visit) {
        const auto visitCall = [&](const Expr& expr) {
            if (expr.kind == ExprKind::Call) visit(expr);
        };
        forEach(item.body, visitCall);
        for (const syntax::Constraint& constraint : item.with.constraints) forEach(constraint.pattern, visitCall);
    }

    /// The names among the arguments of a call that the called pattern has as parameters with that flag.
    template <typename Mark>
    void passedOn(const Expr& call, std::vector<bool> NamedPattern::*flags, const Mark& mark) {
        const NamedPattern* const callee = find(call.name);
        if (callee == nullptr) return;
        const std::vector<bool>& has = callee->*flags;
        for (std::size_t i = 0; i < call.children.size() && i < has.size(); ++i) {
            if (has[i] && call.children[i].kind == ExprKind::Name) mark(call.children[i].name);
        }
    }

    /// The names that the item applies, or passes on to parameters that are function variables.
    template <typename Mark>
    void functionNames(const syntax::Pattern& item, const Mark& mark) {
        forEachCall(item, [&](const Expr& call) {
            mark(call.name);
            passedOn(call, &NamedPattern::isFunction, mark);
        });
    }

    void alternate(const syntax::Pattern& item) {
        NamedPattern& pattern = *find(item.name.text);
        if (item.parameters.size() != pattern.parameters.size()) return;  // declare() has reported it
        const std::size_t before = m_errors.size();
        const CompileContext context{m_source, m_names, *m_table, m_errors};
        ExpressionCompiler compiler(context);
        // The parameter names of this alternate, which may differ from those of others.
        NamedPattern named{pattern.name, {}, pattern.isFunction, pattern.isTracked};
        for (const syntax::Word& word : item.parameters) named.parameters.push_back(word.text);
        compiler.setParameters(named, declaredLocals(item));
        Alternate result;
        result.span = item.span;
        result.root = compiler.compile(item.body, ExpressionCompiler::Side::Left);
        for (const syntax::Constraint& constraint : item.with.constraints) {
            if (result.root == NoNode) break;
            const std::optional<CompiledConstraint> compiled = compiler.compileConstraint(constraint);
            if (compiled) result.constraints.push_back(*compiled);
        }
        if (item.where) {
            result.guard = compiler.compileGuard(*item.where);
            result.guardSpan = item.where->span;
            const std::array all{m_errors.size() == before ? result.guard : NoNode};
            const Contradiction found = contradictionOf(compiler.table, all, m_names.registry());
            if (found != Contradiction::None) {
                error(item.where->span, "this condition can never hold",
                      hintFor(found, "the alternate would never match"));
            }
        }
        for (std::size_t i = 0; i < compiler.locals.size() && m_errors.size() == before; ++i) {
            if (compiler.localOccurs[i]) continue;
            error(item.with.locals[i].span,
                  fmt::format("the local variable {} can never be bound", compiler.locals[i].name),
                  fmt::format("it must stand in the pattern or in a match constraint: x <= P({})",
                              compiler.locals[i].name));
        }
        result.locals = std::move(compiler.locals);
        result.table = std::move(compiler.table);
        if (m_errors.size() > before || result.root == NoNode) {
            pattern.usable = false;
            return;
        }
        warnIfUnreachable(pattern, result, item);
        pattern.alternates.push_back(std::move(result));
    }

    std::vector<LocalVariable> declaredLocals(const syntax::Pattern& item) {
        std::vector<LocalVariable> result;
        for (const syntax::Word& word : item.with.locals) {
            const bool isParameter =
                std::ranges::any_of(item.parameters, [&](const syntax::Word& p) { return p.text == word.text; });
            const bool isTwice =
                std::ranges::any_of(result, [&](const LocalVariable& l) { return l.name == word.text; });
            if (isParameter || isTwice) {
                error(word.span,
                      fmt::format("{} is {} already", word.text,
                                  isParameter ? "a parameter of this pattern" : "a local variable"),
                      "use two names");
            }
            LocalVariable local{word.text, false, {}};
            functionNames(item,
                          [&](const std::string& name) { local.isFunction = local.isFunction || name == word.text; });
            result.push_back(std::move(local));
        }
        return result;
    }

    void warnIfUnreachable(const NamedPattern& pattern, const Alternate& later, const syntax::Pattern& item) {
        for (const Alternate& earlier : pattern.alternates) {
            if (!Coverage(earlier, later, m_source.text()).run()) continue;
            const SourcePlace place = m_source.place(item.name.span.begin);
            m_warnings.push_back(
                fmt::format("{}:{}:{}: this alternate of {} finds nothing that the one at line {} does not", place.file,
                            place.line, place.column, pattern.name, m_source.place(earlier.span.begin).line));
            return;
        }
    }

    /// Marks patterns that use a pattern with errors as not usable.
    void spreadErrors() {
        for (bool changed = true; changed;) {
            changed = false;
            for (NamedPattern& pattern : m_table->patterns) {
                const bool isBroken = std::ranges::any_of(pattern.alternates, [&](const Alternate& alternate) {
                    return std::ranges::any_of(alternate.table.nodes, [&](const Node& node) {
                        return node.kind == NodeKind::Unfold && !m_table->patterns[node.index].usable;
                    });
                });
                changed |= isBroken && pattern.usable;
                pattern.usable &= !isBroken;
            }
        }
    }

    /// The parameters and patterns at positions where no node has been consumed yet.
    struct Heads {
        std::set<std::uint32_t> parameters;
        std::set<std::uint32_t> patterns;
    };

    void addHeads(const NodeTable& table, std::uint32_t index, const std::vector<Heads>& known, Heads& into) const {
        const Node& node = table.nodes[index];
        if (node.kind == NodeKind::Parameter) into.parameters.insert(node.index);
        if (node.kind != NodeKind::Unfold) return;
        into.patterns.insert(node.index);
        for (const std::uint32_t parameter : known[node.index].parameters) {
            addHeads(table, table.children[node.firstChild + parameter], known, into);
        }
    }

    /// The position of a parameter or a local of an alternate relative to the term that the alternate matches.
    enum class Found : std::uint8_t { There, Below };
    using Positions = std::map<std::pair<NodeKind, std::uint32_t>, Found>;

    static void addPositions(const NodeTable& table, std::uint32_t index, Found at, Positions& into) {
        const Node& node = table.nodes[index];
        if (node.kind == NodeKind::Parameter || node.kind == NodeKind::Local) {
            const auto [known, isNew] = into.emplace(std::pair(node.kind, node.index), at);
            if (!isNew && at == Found::Below) known->second = Found::Below;
        }
        if (node.kind == NodeKind::Unfold) return;  // the positions of its arguments are not known
        for (std::size_t i = 0; i < node.childCount; ++i)
            addPositions(table, table.children[node.firstChild + i], Found::Below, into);
    }

    /// All patterns and parameters below a node.
    static void addAll(const NodeTable& table, std::uint32_t index, Heads& into) {
        const Node& node = table.nodes[index];
        if (node.kind == NodeKind::Parameter) into.parameters.insert(node.index);
        if (node.kind == NodeKind::Unfold) into.patterns.insert(node.index);
        for (std::size_t i = 0; i < node.childCount; ++i) addAll(table, table.children[node.firstChild + i], into);
    }

    /// A constraint on a term known to lie below the matched term consumes operators; one on the matched term itself
    /// continues with it; one on any other term may start again anywhere.
    void addHeads(const Alternate& alternate, const std::vector<Heads>& known, Heads& into) const {
        addHeads(alternate.table, alternate.root, known, into);
        Positions positions;
        addPositions(alternate.table, alternate.root, Found::There, positions);
        for (const CompiledConstraint& constraint : alternate.constraints) {
            const Node& subject = alternate.table.nodes[constraint.subject];
            const auto found = positions.find({subject.kind, subject.index});
            if (found == positions.end()) {
                addAll(alternate.table, constraint.pattern, into);
                continue;
            }
            const Found at = found->second;
            if (at == Found::There) addHeads(alternate.table, constraint.pattern, known, into);
            addPositions(alternate.table, constraint.pattern, at, positions);
        }
    }

    void checkProductivity() {
        std::vector<Heads> heads(m_table->patterns.size());
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t i = 0; i < heads.size(); ++i) {
                const std::size_t before = heads[i].parameters.size() + heads[i].patterns.size();
                for (const Alternate& a : m_table->patterns[i].alternates) addHeads(a, heads, heads[i]);
                changed = changed || heads[i].parameters.size() + heads[i].patterns.size() != before;
            }
        }
        for (std::uint32_t i = 0; i < heads.size(); ++i) {
            std::vector<std::uint32_t> path{i};
            std::set<std::uint32_t> visited{i};
            if (!reaches(heads, i, path, visited)) continue;
            std::string cycle;
            for (const std::uint32_t p : path) cycle += m_table->patterns[p].name + " -> ";
            cycle += m_table->patterns[i].name;
            NamedPattern& pattern = m_table->patterns[i];
            pattern.usable = false;
            const auto item =
                std::ranges::find_if(m_items, [&](const syntax::Pattern* p) { return p->name.text == pattern.name; });
            error((*item)->name.span,
                  fmt::format("{} can unfold forever without consuming an operator: {}", pattern.name, cycle),
                  "put the recursive use below an operator");
        }
    }

    /// Searches depth-first from path.back() for `target`; leaves the path in `path` if it is found.
    static bool reaches(const std::vector<Heads>& heads, std::uint32_t target, std::vector<std::uint32_t>& path,
                        std::set<std::uint32_t>& visited) {
        for (const std::uint32_t next : heads[path.back()].patterns) {
            if (next == target) return true;
            if (!visited.insert(next).second) continue;
            path.push_back(next);
            if (reaches(heads, target, path, visited)) return true;
            path.pop_back();
        }
        return false;
    }

    const std::vector<const syntax::Pattern*>& m_items;
    const SourceText& m_source;
    const Names& m_names;
    std::vector<Error>& m_errors;
    std::vector<std::string>& m_warnings;
    std::shared_ptr<PatternTable> m_table = std::make_shared<PatternTable>();
};

}  // namespace

std::shared_ptr<const PatternTable> compilePatterns(const std::vector<const syntax::Pattern*>& patterns,
                                                    const std::shared_ptr<const SourceText>& source, const Names& names,
                                                    std::vector<Error>& errors, std::vector<std::string>& warnings) {
    return PatternCompiler(patterns, source, names, errors, warnings).run();
}

}  // namespace mitos::rules
