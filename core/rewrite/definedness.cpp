// SPDX-License-Identifier: GPL-3.0-or-later
// Compares terms after all lets are expanded, so that moving a `let` changes only when its value is evaluated.
#include "core/rewrite/definedness.h"

#include "core/base/deep_stack.h"
#include "core/facts/analysis.h"
#include "core/ir/binding.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace mitos::rewrite {

using ir::CoreOp;
using ir::TermId;

namespace {

constexpr int MostVisits = 20'000;
constexpr std::uint32_t MostDepth = 2'000;
constexpr std::uint64_t LargestExpansion = 100'000;  // nodes of a tree
constexpr std::size_t LongestDetour = 32;            // steps
constexpr std::uint32_t MostLoops = 32;              // around one term

/// The terms that every successful evaluation of some term evaluates.
struct Evaluated {
    absl::flat_hash_set<TermId> terms;    ///< with lets expanded
    absl::flat_hash_set<TermId> visited;  ///< as written
};

class Comparison {
public:
    Comparison(ir::TermBank& bank, ir::FunctionId function)
        : m_bank(bank),
          m_facts(bank, bank.function(function)),
          m_at(m_facts.outside()) {}

    /// Descends from a program's root to the place that is compared. Returns the term there.
    std::optional<TermId> enter(TermId root, const ir::Path& position) {
        facts::EnvId inLambda;
        for (const std::uint32_t index : position) {
            if (index >= m_bank.childCount(root)) return std::nullopt;
            const TermId child = m_bank.child(root, index);
            const bool isApplied = m_bank.is(root, CoreOp::Lam) && inLambda.isValid();
            const bool isOfDialect = m_bank.op(root).value >= opId(CoreOp::Count).value;
            const bool isFunction = m_bank.is(child, CoreOp::Lam) && isOfDialect;
            const facts::EnvId below = isApplied ? inLambda : m_facts.below(root, index, m_at);
            inLambda = isFunction ? m_facts.inFunction(root, index, m_at) : facts::EnvId();
            m_depth += m_bank.boundIn(root, index);
            m_at = below;
            root = child;
        }
        m_surroundings = m_depth;
        return root;
    }

    bool staysDefined(TermId before, TermId after) {
        if (m_bank.depth(before) > MostDepth || m_bank.depth(after) > MostDepth) return false;
        addEvaluated(before, m_evaluated);
        for (const TermId term : m_evaluated.terms) {
            if (const std::optional<TermId> divisor = divisorOf(term)) m_divisors.insert(*divisor);
        }
        forEachLet(before, [this](TermId let, TermId value, bool isConditional) {
            const std::pair known(expanded(value), expanded(let));
            m_knownLets.insert(known);
            if (!isConditional) m_evaluatedLets.insert(known);
        });
        if (!isCovered(expanded(after), true)) return false;
        bool result = true;
        forEachLet(after, [&](TermId let, TermId value, bool isConditional) {
            const auto& lets = isConditional ? m_knownLets : m_evaluatedLets;
            const bool isKnown = lets.contains({expanded(value), expanded(let)});
            result = result && (isKnown || isCovered(expanded(value), false));
        });
        return result && !m_isTooLarge;
    }

private:
    [[nodiscard]] const ir::OperatorTraits& traits(TermId term) const {
        return m_bank.registry().info(m_bank.op(term)).traits;
    }

    /// The operand of a term that must not be zero.
    [[nodiscard]] std::optional<TermId> divisorOf(TermId term) const {
        const int divisor = traits(term).divisor;
        if (divisor < 0 || static_cast<std::size_t>(divisor) >= m_bank.childCount(term)) return std::nullopt;
        return m_bank.child(term, static_cast<std::size_t>(divisor));
    }

    /// Calls visit(term, isConditional) for each child, and for the body of each function, with its variables bound. Arms of an `if` and
    /// bodies of functions are conditional: they need not be evaluated.
    template <typename F>
    void forEachChild(TermId term, F visit) {
        const bool isChoice = traits(term).chooses;
        const facts::EnvId around = m_at;
        for (std::size_t i = 0; i < m_bank.childCount(term); ++i) {
            const TermId child = m_bank.child(term, i);
            const bool isFunction = m_bank.is(child, CoreOp::Lam);
            const std::uint32_t bound = isFunction ? 1 : m_bank.boundIn(term, i);
            m_at = isFunction ? m_facts.inFunction(term, i, around) : m_facts.below(term, i, around);
            m_depth += bound;
            visit(isFunction ? m_bank.child(child, 0) : child, isFunction || (isChoice && i > 0));
            m_depth -= bound;
            m_at = around;
        }
    }

    bool mayGoOn() {
        m_isTooLarge = m_isTooLarge || ++m_visits > MostVisits;
        return !m_isTooLarge;
    }

    /// The term with each let replaced by its body, in which the value replaces the variable.
    TermId expanded(TermId term) {
        if (const auto known = m_expanded.find(term); known != m_expanded.end()) return known->second;
        if (!mayGoOn()) return term;
        std::vector<TermId> children(m_bank.children(term).begin(), m_bank.children(term).end());
        for (TermId& child : children) child = expanded(child);
        TermId result;
        if (m_bank.is(term, CoreOp::Let)) {
            result = ir::instantiate(m_bank, children[1], children[0]);
        } else {
            const Result<TermId> rebuilt = m_bank.withChildren(term, children);
            m_isTooLarge = m_isTooLarge || !rebuilt;
            result = rebuilt ? *rebuilt : term;
        }
        m_isTooLarge = m_isTooLarge || m_bank.treeSize(result) > LargestExpansion;
        m_expanded.emplace(term, result);
        return result;
    }

    /// The body of a let with the value in place of the variable.
    TermId opened(TermId let) { return ir::instantiate(m_bank, m_bank.child(let, 1), m_bank.child(let, 0)); }

    /// The term moved out of `loops` loops; nothing if it mentions one of their variables.
    std::optional<TermId> outsideOf(std::size_t loops, TermId term) {
        if (loops == 0 || m_bank.looseBound(term) == 0) return term;
        if (loops > MostLoops) return std::nullopt;
        for (std::uint32_t index = 0; index < loops; ++index) {
            if (ir::mentions(m_bank, term, index)) return std::nullopt;
        }
        return ir::substituteLoose(m_bank, term, static_cast<std::uint32_t>(loops), -static_cast<std::int32_t>(loops),
                                   [](std::uint32_t, ir::TypeId) { return TermId(); });
    }

    /// Whether every successful evaluation of the term evaluates the body of its loop: the number of iterations is positive.
    [[nodiscard]] bool hasIteration(TermId term) {
        const ir::Iterates iterates = traits(term).iterates;
        if (iterates == ir::Iterates::No || !m_bank.is(m_bank.child(term, 1), CoreOp::Lam)) return false;
        const TermId count = m_bank.child(term, 0);
        const bool isNumber = m_bank.type(count) == m_bank.types().integer();
        return iterates == ir::Iterates::AtLeastOnce || (isNumber && m_facts.range(count).low >= 1.0);
    }

    /// Adds every subterm that each successful evaluation of the term evaluates.
    void addEvaluated(TermId term, Evaluated& into) {
        if (!mayGoOn() || !into.visited.insert(term).second) return;
        into.terms.insert(expanded(term));
        if (m_bank.is(term, CoreOp::Let)) {
            addEvaluated(m_bank.child(term, 0), into);
            addEvaluated(opened(term), into);
            return;
        }
        if (traits(term).chooses) {
            addEvaluated(m_bank.child(term, 0), into);
            addInBothArms(term, into);
            return;
        }
        if (hasIteration(term)) addInBody(m_bank.child(m_bank.child(term, 1), 0), into);
        for (std::size_t i = 0; i < m_bank.childCount(term); ++i) {
            if (!m_bank.is(m_bank.child(term, i), CoreOp::Lam) && m_bank.boundIn(term, i) == 0)
                addEvaluated(m_bank.child(term, i), into);
        }
    }

    void addInBothArms(TermId term, Evaluated& into) {
        Evaluated first;
        Evaluated second;
        addEvaluated(m_bank.child(term, 1), first);
        addEvaluated(m_bank.child(term, 2), second);
        for (const TermId each : first.terms) {
            if (second.terms.contains(each)) into.terms.insert(each);
        }
    }

    void addInBody(TermId body, Evaluated& into) {
        Evaluated inside;
        addEvaluated(body, inside);
        for (const TermId each : inside.terms) {
            if (const std::optional<TermId> outside = outsideOf(1, each)) into.terms.insert(*outside);
        }
    }

    /// Calls visit(let, value, isConditional) for each let, with outer lets opened and the variables of loops bound.
    template <typename F>
    void forEachLet(TermId term, const F& visit) {
        absl::flat_hash_set<std::tuple<TermId, std::size_t, bool>> seen;
        lets(term, false, seen, visit);
    }

    template <typename F>
    void lets(TermId term, bool isConditional, absl::flat_hash_set<std::tuple<TermId, std::size_t, bool>>& seen,
              const F& visit) {
        if (!mayGoOn() || !seen.emplace(term, m_depth, isConditional).second) return;
        if (m_bank.is(term, CoreOp::Let)) {
            visit(term, m_bank.child(term, 0), isConditional);
            lets(m_bank.child(term, 0), isConditional, seen, visit);
            lets(opened(term), isConditional, seen, visit);
            return;
        }
        forEachChild(term, [&](TermId child, bool isGuarded) { lets(child, isConditional || isGuarded, seen, visit); });
    }

    /// Whether each operation of a term without lets that can fail, or over the reals has no value if `overReals`, is evaluated as well.
    bool isCovered(TermId term, bool overReals) {
        if (!mayGoOn()) return false;
        const std::optional<TermId> outside = outsideOf(m_depth - m_surroundings, term);
        if (outside && m_evaluated.terms.contains(*outside)) return true;
        if (!hasValue(term, overReals)) return false;
        bool result = true;
        forEachChild(term, [&](TermId child, bool) { result = result && isCovered(child, overReals); });
        return result;
    }

    /// Whether the operation has a value if its operands have: it does not fail, and has one over the reals if `overReals`.
    bool hasValue(TermId term, bool overReals) {
        const facts::Facts known = m_facts.of(term, m_at);
        const bool isDefined =
            known.fails == ir::Certainty::Never && (!overReals || known.isUndefined == ir::Certainty::Never);
        if (isDefined) return true;
        // `before` divides by the same term.
        const std::optional<TermId> divisor = divisorOf(term);
        const std::optional<TermId> outside = divisor ? outsideOf(m_depth - m_surroundings, *divisor) : std::nullopt;
        return outside && m_divisors.contains(*outside);
    }

    ir::TermBank& m_bank;
    facts::Analysis m_facts;
    facts::EnvId m_at;               ///< the surroundings of the current term
    std::size_t m_depth = 0;         ///< number of binders around the current term
    std::size_t m_surroundings = 0;  ///< number of binders around the two terms
    absl::flat_hash_map<TermId, TermId> m_expanded;
    Evaluated m_evaluated;                                       ///< terms that every evaluation of `before` evaluates
    absl::flat_hash_set<TermId> m_divisors;                      ///< of `before`: divisors that are evaluated
    absl::flat_hash_set<std::pair<TermId, TermId>> m_knownLets;  ///< of `before`: value and whole let, expanded
    absl::flat_hash_set<std::pair<TermId, TermId>>
        m_evaluatedLets;  ///< those that every evaluation of `before` evaluates
    int m_visits = 0;
    bool m_isTooLarge = false;
};

}  // namespace

bool staysDefined(ir::TermBank& bank, const ir::Program& before, TermId after, const ir::Path& position) {
    bool result = false;
    const std::uint32_t depth = std::max(bank.depth(before.root), bank.depth(after));
    withDeepStack(2 * std::min(depth, MostDepth), [&] {
        Comparison comparison(bank, before.function);
        const std::optional<TermId> old = comparison.enter(before.root, position);
        const std::optional<TermId> fresh = ir::subterm(bank, after, position);
        result = old && fresh && comparison.staysDefined(*old, *fresh);
    });
    return result;
}

std::size_t stepsThatStayDefined(ir::TermBank& bank, const Thread& thread) {
    const auto stateBefore = [&thread](std::size_t step) {
        return step == 0 ? thread.start.root : thread.states[step - 1];
    };
    const std::size_t count = thread.steps.size();
    for (std::size_t i = 0; i < count; ++i) {
        const Step& step = thread.steps[i];
        if (!step.isReversed || step.rule->rule().soundness != rules::Soundness::Domain) continue;
        const ir::Program before{thread.start.function, stateBefore(i)};
        if (staysDefined(bank, before, thread.states[i], step.positions.front())) continue;
        // A later step may remove again what this step introduced.
        const std::size_t end = std::min(count, i + 1 + LongestDetour);
        std::size_t next = i + 1;
        while (next < end && !staysDefined(bank, before, thread.states[next], {})) ++next;
        if (next == end) return i;
        i = next;
    }
    return count;
}

}  // namespace mitos::rewrite
