// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/autodiff/internal/shared_values.h"

#include "core/facts/analysis.h"
#include "core/ks/operators.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::autodiff {

using ir::CoreOp;
using ir::TermBank;
using ir::TermId;
using ks::Op;

namespace {

/// Emits the values of a term to blocks, where equal ones are one variable.
class Sharing {
public:
    Sharing(TermBank& bank, Names& names) : m_bank(bank), m_names(names) {}

    TermId inBlock(TermId term, TermId before) { return inScope(nullptr, term, before); }

private:
    /// A function body, a branch, or the body of a lambda.
    struct Scope {
        Block block;
        Scope* outer = nullptr;
        bool isLoop = false;      ///< a lambda that an operator applies again and again
        bool isIterated = false;  ///< a loop that is evaluated at least once wherever its operator is
        TermId iterations = {};   ///< of a loop: their number, if it is known
    };

    // `before` is the term before calls in it were opened; invalid inside of an opened call, which is one place.

    TermId inScope(Scope* outer, TermId term, TermId before) {
        Scope scope{Block(m_bank, m_names, outer == nullptr ? nullptr : &outer->block), outer};
        const TermId result = visit(scope, term, before);
        return scope.block.close(result);
    }

    [[nodiscard]] TermId childBefore(TermId before, std::uint32_t i) const {
        return before.isValid() ? m_bank.child(before, i) : before;
    }

    TermId visit(Scope& scope, TermId term, TermId before) {
        if (before.isValid() && m_bank.is(before, CoreOp::Call) && before != term) {
            const AtOrigin at(m_names, {m_names.origin().place, true});
            return visitPlain(scope, term, {});
        }
        return visitPlain(scope, term, before);
    }

    TermId visitPlain(Scope& scope, TermId term, TermId before) {
        if (m_bank.is(term, CoreOp::Let)) return visitLets(scope, term, before);
        if (m_bank.is(term, CoreOp::Bound)) return m_values[m_values.size() - 1 - m_bank.payload(term).asIndex()];
        std::vector<TermId> children(m_bank.childCount(term));
        const Origin origin = m_names.origin();
        for (std::uint32_t i = 0; i < children.size(); ++i) {
            const TermId child = m_bank.child(term, i);
            if (m_bank.is(child, CoreOp::Lam)) continue;
            const AtOrigin at(m_names, m_names.inner(origin, i));
            if (i > 0 && mayNotEvaluate(term)) {
                children[i] = inScope(&scope, child, childBefore(before, i));
                continue;
            }
            const TermId value = visit(scope, child, childBefore(before, i));
            children[i] = isShared(value) ? emit(scope, value, "t") : value;
        }
        // After the values that tell how often they are applied.
        for (std::uint32_t i = 0; i < children.size(); ++i) {
            const TermId child = m_bank.child(term, i);
            if (!m_bank.is(child, CoreOp::Lam)) continue;
            const AtOrigin at(m_names, m_names.inner(origin, i));
            children[i] = visitFunction(loopOf(scope, term, children), child, childBefore(before, i));
        }
        if (children.empty()) return term;
        const TermId result = *m_bank.withChildren(term, children);
        m_names.noteTerm(result);
        return result;
    }

    TermId visitLets(Scope& scope, TermId term, TermId before) {
        const std::size_t outside = m_values.size();
        Origin origin = m_names.origin();
        for (; m_bank.is(term, CoreOp::Let); term = m_bank.child(term, 1)) {
            const Symbol hint = m_bank.hint(term);
            const std::string name(hint.isValid() ? m_bank.text(hint) : "t");
            const AtOrigin at(m_names, m_names.inner(origin, 0));
            m_values.push_back(emit(scope, visit(scope, m_bank.child(term, 0), childBefore(before, 0)), name, true));
            before = childBefore(before, 1);
            origin = m_names.inner(origin, 1);
        }
        const AtOrigin at(m_names, origin);
        const TermId result = visit(scope, term, before);
        m_values.resize(outside);
        return result;
    }

    TermId visitFunction(Scope scope, TermId lambda, TermId before) {
        const Symbol hint = m_bank.hint(lambda);
        m_values.push_back(scope.block.parameter(hint.isValid() ? m_bank.text(hint) : "x", m_bank.boundType(lambda)));
        const AtOrigin at(m_names, m_names.inner(m_names.origin(), 0));
        const TermId result = visit(scope, m_bank.child(lambda, 0), childBefore(before, 0));
        m_values.pop_back();
        return scope.block.closeAsLambda(isShared(result) ? emit(scope, result, "t") : result);
    }

    /// The scope of a lambda that is a child of the term, the others being known. A vector that it goes over may get a name.
    Scope loopOf(Scope& outer, TermId term, std::vector<TermId>& children) {
        Scope scope{Block(m_bank, m_names, &outer.block), &outer};
        const ir::TypeTable& types = m_bank.types();
        switch (ks::ksOp(m_bank.op(term))) {
            case Op::Sumbuild: scope.isIterated = true; [[fallthrough]];
            case Op::Build:
                scope.isLoop = true;
                if (m_bank.type(children[0]) == types.integer()) scope.iterations = children[0];
                break;
            case Op::Fold:
            case Op::Map:
            case Op::Map2:
                scope.isLoop = true;
                if (types.isTensor(m_bank.type(children.back())) && types.rank(m_bank.type(children.back())) == 1) {
                    children.back() = outer.block.emit(children.back(), "v");
                    scope.iterations = *m_bank.make(ks::opId(Op::Size), std::array{children.back()});
                }
                break;
            default: break;
        }
        return scope;
    }

    /// A variable with that value in the scope, or outside of the loops in which it does not change, if it takes long to compute.
    TermId emit(Scope& scope, TermId value, std::string_view hint, bool isKept = false) {
        Scope* at = &scope;
        const bool isLong = takesLong(value) && !isEffectful(value);
        while (isLong && at->isLoop) {
            const std::optional<TermId> outside = at->block.lifted(value);
            if (!outside) break;
            value = *outside;
            if (!at->isIterated && !facts::of(m_bank).isTotal(value)) {
                // Where the loop makes no iteration, the value is not computed.
                if (!at->iterations.isValid() || m_bank.type(value) != m_bank.types().floating()) break;
                const TermId iterates = *m_bank.make(ks::opId(Op::Gt), std::array{at->iterations, m_bank.integer(0)});
                value = *m_bank.make(ks::opId(Op::If), std::array{iterates, value, m_bank.floating(0.0)});
            }
            at = at->outer;
            m_names.noteTerm(value);
        }
        const TermId variable = at->block.emit(value, hint, isKept);
        if (at != &scope) m_moved.insert(variable);
        return variable;
    }

    /// Whether a value is computed by functions, or by loops; or from one that was moved because of that.
    [[nodiscard]] bool takesLong(TermId term) const {
        if (m_moved.contains(term)) return true;
        if (m_bank.is(term, CoreOp::Call) || m_bank.is(term, CoreOp::Lam) || isCostly(m_bank, term)) return true;
        const ir::TypeTable& types = m_bank.types();
        const Op op = ks::ksOp(m_bank.op(term));
        const bool isRead = op == Op::Index || op == Op::Size || op == Op::Shape;
        for (std::uint32_t i = 0; i < m_bank.childCount(term); ++i) {
            const TermId child = m_bank.child(term, i);
            const bool isReduction = !isRead && op != Op::Count && types.isTensor(m_bank.type(child));
            if (isReduction || takesLong(child)) return true;
        }
        return false;
    }

    [[nodiscard]] bool isEffectful(TermId term) const {
        if (m_bank.registry().info(m_bank.op(term)).traits.effectful) return true;
        for (std::uint32_t i = 0; i < m_bank.childCount(term); ++i) {
            if (isEffectful(m_bank.child(term, i))) return true;
        }
        return false;
    }

    /// Whether the operands after the first one are evaluated for some values of the first one only.
    [[nodiscard]] bool mayNotEvaluate(TermId term) const {
        const Op op = ks::ksOp(m_bank.op(term));
        return op == Op::If || op == Op::And || op == Op::Or || op == Op::Assert;
    }

    [[nodiscard]] bool isShared(TermId value) const {
        const bool isElement = m_bank.is(value, CoreOp::Get) || ks::ksOp(m_bank.op(value)) == Op::Index;
        return !isElement && m_bank.type(value) == m_bank.types().floating();
    }

    TermBank& m_bank;
    Names& m_names;
    std::vector<TermId> m_values;         ///< of bound variables, outermost first
    absl::flat_hash_set<TermId> m_moved;  ///< variables that were emitted outside of the loop in which they stood
};

/// Whether the term is a call, or computed by a function or a sum.
bool isCostlyOperator(const TermBank& bank, TermId term) {
    constexpr std::array Costly{Op::Exp, Op::Log,    Op::Sin, Op::Cos, Op::Tanh,     Op::Cosh, Op::Erf,
                                Op::Pow, Op::Lgamma, Op::Dot, Op::Sum, Op::Sumbuild, Op::Fold, Op::Loop};
    return bank.is(term, CoreOp::Call) || std::ranges::find(Costly, ks::ksOp(bank.op(term))) != Costly.end();
}

}  // namespace

bool isCostly(const TermBank& bank, TermId value) {
    return bank.type(value) == bank.types().floating() && isCostlyOperator(bank, value);
}

bool takesLong(const TermBank& bank, TermId value) {
    constexpr std::int64_t FewSummands = 8;
    const bool isSum = ks::ksOp(bank.op(value)) == Op::Sumbuild && bank.is(bank.child(value, 0), CoreOp::Literal);
    const bool isShort = isSum && bank.payload(bank.child(value, 0)).asInteger() <= FewSummands;
    return (isCostlyOperator(bank, value) && !isShort) ||
           std::ranges::any_of(bank.children(value), [&](TermId child) { return takesLong(bank, child); });
}

bool hasCostlyParts(const TermBank& bank, TermId term) {
    return isCostly(bank, term) ||
           std::ranges::any_of(bank.children(term), [&](TermId child) { return hasCostlyParts(bank, child); });
}

TermId withSharedValues(TermBank& bank, Names& names, TermId term, TermId before) {
    return Sharing(bank, names).inBlock(term, before);
}

}  // namespace mitos::autodiff
