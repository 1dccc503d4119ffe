// SPDX-License-Identifier: GPL-3.0-or-later
// Compares terms after all lets are expanded, so that moving a `let` changes only when its value is evaluated.
#include "core/rewrite/definedness.h"

#include "core/base/deep_stack.h"
#include "core/eval/signature.h"
#include "core/ir/binding.h"
#include "core/rules/matching/value_range.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace mitos::rewrite {

using ir::CoreOp;
using ir::TermId;
using ir::TypeKind;

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

/// A variable bound around a term. Its size and value are terms below the first `depth` binders.
struct Binder {
    TermId size;   ///< the size of a loop that counts up to it; else invalid
    TermId value;  ///< the value of a let; else invalid
    std::size_t depth = 0;
};

class Comparison {
public:
    Comparison(ir::TermBank& bank, ir::FunctionId function) : m_bank(bank), m_function(bank.function(function)) {}

    /// Descends from a program's root to the place that is compared. Returns the term there.
    std::optional<TermId> enter(TermId root, const ir::Path& position) {
        Binder binder;
        for (const std::uint32_t index : position) {
            if (index >= m_bank.childCount(root)) return std::nullopt;
            const TermId child = m_bank.child(root, index);
            if (m_bank.is(root, CoreOp::Lam)) m_binders.push_back(binder);
            if (m_bank.is(root, CoreOp::Let) && index == 1) m_binders.push_back(ofLet(root));
            binder = ofFunction(root, index);
            root = child;
        }
        m_surroundings = m_binders.size();
        return root;
    }

    bool staysDefined(TermId before, TermId after) {
        if (m_bank.depth(before) > MostDepth || m_bank.depth(after) > MostDepth) return false;
        addEvaluated(before, m_evaluated);
        for (const TermId term : m_evaluated.terms) {
            if (m_bank.opName(term) == "div") m_divisors.insert(m_bank.child(term, 1));
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
    [[nodiscard]] Binder ofLet(TermId let) const { return {{}, m_bank.child(let, 0), m_binders.size()}; }

    /// Binds the variable of a function that is a child of the term.
    [[nodiscard]] Binder ofFunction(TermId term, std::size_t child) const {
        const std::string_view op = m_bank.opName(term);
        const bool isLoop = child == 1 && (op == "build" || op == "sumbuild");
        return {isLoop ? m_bank.child(term, 0) : TermId(), {}, m_binders.size()};
    }

    /// Calls visit(term, isConditional) for each child, and for the body of each function, with its variables bound. Arms of an `if` and
    /// bodies of functions are conditional: they need not be evaluated.
    template <typename F>
    void forEachChild(TermId term, F visit) {
        const bool isChoice = m_bank.opName(term) == "if";
        for (std::size_t i = 0; i < m_bank.childCount(term); ++i) {
            const TermId child = m_bank.child(term, i);
            const bool isFunction = m_bank.is(child, CoreOp::Lam);
            const bool isBody = m_bank.is(term, CoreOp::Lam) || (m_bank.is(term, CoreOp::Let) && i == 1);
            if (isFunction) m_binders.push_back(ofFunction(term, i));
            if (isBody)
                m_binders.push_back(m_bank.is(term, CoreOp::Let) ? ofLet(term) : Binder{{}, {}, m_binders.size()});
            visit(isFunction ? m_bank.child(child, 0) : child, isFunction || (isChoice && i > 0));
            if (isFunction || isBody) m_binders.pop_back();
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

    [[nodiscard]] bool isLoop(TermId term, std::string_view op) const {
        return m_bank.opName(term) == op && m_bank.is(m_bank.child(term, 1), CoreOp::Lam);
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
        const std::string_view op = m_bank.opName(term);
        if (op == "if") {
            addEvaluated(m_bank.child(term, 0), into);
            addInBothArms(term, into);
            return;
        }
        // An empty sum has no value, so the body of a sum with a value is evaluated at least once.
        if (isLoop(term, "sumbuild") || (isLoop(term, "build") && isPositive(m_bank.child(term, 0)))) {
            addInBody(m_bank.child(m_bank.child(term, 1), 0), into);
        }
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
        if (!mayGoOn() || !seen.emplace(term, m_binders.size(), isConditional).second) return;
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
        const std::optional<TermId> outside = outsideOf(m_binders.size() - m_surroundings, term);
        if (outside && m_evaluated.terms.contains(*outside)) return true;
        if (canFail(term) || (overReals && isPartial(term))) return false;
        bool result = true;
        forEachChild(term, [&](TermId child, bool) { result = result && isCovered(child, overReals); });
        return result;
    }

    /// The declared type of a part of a parameter, which may name sizes; invalid for other terms. The term is below `depth` binders.
    [[nodiscard]] ir::TypeId declaredType(TermId term, std::size_t depth) const {
        if (m_bank.is(term, CoreOp::Variable)) {
            const auto own =
                std::ranges::find(m_function.parameters, m_bank.payload(term).asSymbol(), &ir::Parameter::name);
            return own == m_function.parameters.end() ? ir::TypeId() : own->type;
        }
        const auto& types = m_bank.types();
        if (const Binder* binder = binderOf(term, depth); binder != nullptr && binder->value.isValid())
            return declaredType(binder->value, binder->depth);
        if (m_bank.is(term, CoreOp::Get)) {
            const ir::TypeId tuple = declaredType(m_bank.child(term, 0), depth);
            return tuple.isValid() ? types.children(tuple)[m_bank.payload(term).projectionIndex()] : ir::TypeId();
        }
        if (m_bank.opName(term) != "index") return {};
        const ir::TypeId tensor = declaredType(m_bank.child(term, 1), depth);
        return tensor.isValid() ? types.element(tensor) : ir::TypeId();
    }

    [[nodiscard]] const Binder* binderOf(TermId term, std::size_t depth) const {
        if (!m_bank.is(term, CoreOp::Bound)) return nullptr;
        const std::uint32_t index = m_bank.payload(term).asIndex();
        return index < depth ? &m_binders[depth - 1 - index] : nullptr;
    }

    /// The number of elements of a vector as a closed term; invalid if it is not known.
    [[nodiscard]] TermId sizeOf(TermId vector, std::size_t depth) const {
        const auto& types = m_bank.types();
        if (const ir::TypeId type = declaredType(vector, depth);
            type.isValid() && types.rank(type) == 1 && !types.sizes(type).empty() && types.sizes(type)[0].isValid()) {
            const Symbol name = types.sizes(type)[0];
            const std::optional<std::int64_t> constant = eval::constantSize(m_bank, name);
            return constant ? m_bank.integer(*constant) : m_bank.variable(name, m_bank.types().integer());
        }
        if (const Binder* binder = binderOf(vector, depth); binder != nullptr && binder->value.isValid())
            return sizeOf(binder->value, binder->depth);
        const std::string_view op = m_bank.opName(vector);
        if (op != "build" && op != "constVec" && op != "deltaVec") return {};
        return number(m_bank.child(vector, 0), depth);
    }

    /// An Integer as a closed term; invalid if it cannot be written as one.
    [[nodiscard]] TermId number(TermId size, std::size_t depth) const {
        if (m_bank.opName(size) == "size") {
            if (const TermId known = sizeOf(m_bank.child(size, 0), depth); known.isValid()) return known;
        }
        return m_bank.looseBound(size) == 0 ? size : TermId();
    }

    /// Whether the index is that of a loop over all elements of the vector.
    [[nodiscard]] bool isInside(TermId index, TermId vector) const {
        const std::size_t depth = m_binders.size();
        const TermId size = sizeOf(vector, depth);
        if (m_bank.is(index, CoreOp::Literal) && size.isValid() && m_bank.is(size, CoreOp::Literal)) {
            const std::int64_t number = m_bank.payload(index).asInteger();
            return number >= 0 && number < m_bank.payload(size).asInteger();
        }
        const Binder* const binder = binderOf(index, depth);
        if (binder == nullptr || !binder->size.isValid()) return false;
        const TermId end = number(binder->size, binder->depth);
        if (!end.isValid()) return false;
        if (size.isValid()) return end == size;
        return m_bank.opName(end) == "size" && m_bank.child(end, 0) == vector;
    }

    /// Whether a pointwise operation has operands whose sizes may differ.
    [[nodiscard]] bool mayDiffer(TermId term) const {
        ir::TypeId common;
        bool isFirst = true;
        for (const TermId operand : m_bank.children(term)) {
            const TypeKind kind = m_bank.types().kind(m_bank.type(operand));
            if (kind != TypeKind::Tensor && kind != TypeKind::Tuple) continue;
            const ir::TypeId type = declaredType(operand, m_binders.size());
            const bool isSame = type.isValid() && type == common && namesAllSizes(type);
            if (!isFirst && !isSame) return true;
            common = type;
            isFirst = false;
        }
        return false;
    }

    [[nodiscard]] bool namesAllSizes(ir::TypeId type) const {
        const auto& types = m_bank.types();
        if (types.isTensor(type)) {
            const auto names = types.sizes(type);
            return !names.empty() && std::ranges::all_of(names, &Symbol::isValid) && namesAllSizes(types.element(type));
        }
        return std::ranges::all_of(types.children(type), [this](ir::TypeId part) { return namesAllSizes(part); });
    }

    [[nodiscard]] rules::ValueRange range(TermId term) const { return rules::valueRange(m_bank, term); }
    [[nodiscard]] bool isPositive(TermId size) const {
        return m_bank.types().kind(m_bank.type(size)) == TypeKind::Integer && range(size).low >= 1.0;
    }
    [[nodiscard]] bool isSize(TermId size) const {
        if (m_bank.is(size, CoreOp::Variable)) {
            const auto own = std::ranges::find(m_function.sizes, m_bank.payload(size).asSymbol(), &ir::SizeName::name);
            if (own != m_function.sizes.end()) return true;
        }
        return m_bank.types().kind(m_bank.type(size)) == TypeKind::Integer && range(size).isNonnegative();
    }

    /// Whether the term cannot be zero, because its range says so or because `before` divides by it.
    bool isDivisor(TermId term) {
        if (range(term).excludesZero()) return true;
        const std::optional<TermId> outside = outsideOf(m_binders.size() - m_surroundings, term);
        return outside && m_divisors.contains(*outside);
    }

    /// Whether the operation itself can fail if its operands are defined.
    bool canFail(TermId term) {
        const std::string_view op = m_bank.opName(term);
        const ir::OperatorTraits& traits = m_bank.registry().info(m_bank.op(term)).traits;
        const TypeKind kind = m_bank.types().kind(m_bank.type(term));
        const bool isNumber = kind == TypeKind::Float || kind == TypeKind::Integer;
        if (m_bank.is(term, CoreOp::Call)) return true;
        if (traits.pointwise) {
            if (kind == TypeKind::Tensor || kind == TypeKind::Tuple) return mayDiffer(term);
            return op == "div" && kind != TypeKind::Float && !isDivisor(m_bank.child(term, 1));
        }
        if (op == "index") return !isInside(m_bank.child(term, 0), m_bank.child(term, 1));
        if (op == "max" && m_bank.childCount(term) == 2) return false;
        if (op == "build" || op == "constVec" || op == "deltaVec") return !isSize(m_bank.child(term, 0));
        if (op == "diag") return !isSize(m_bank.child(term, 0)) || !isSize(m_bank.child(term, 1));
        if (op == "sumbuild") return !isNumber || !isPositive(m_bank.child(term, 0));
        return traits.mayFail;
    }

    /// Whether the operation may have no value over the reals.
    bool isPartial(TermId term) {
        const std::string_view op = m_bank.opName(term);
        if (op == "div") return !isDivisor(m_bank.child(term, 1));
        if (op == "log") return !range(m_bank.child(term, 0)).isPositive();
        if (op == "sqrt") return !range(m_bank.child(term, 0)).isNonnegative();
        if (op == "pow") return !range(m_bank.child(term, 1)).isNonnegative();
        return op == "lgamma";
    }

    ir::TermBank& m_bank;
    const ir::Function& m_function;
    std::vector<Binder> m_binders;   ///< around the current term, innermost last
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
