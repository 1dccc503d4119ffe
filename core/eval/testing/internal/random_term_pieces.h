// SPDX-License-Identifier: GPL-3.0-or-later
// The building blocks of random terms: variables in scope, literals, sizes, binders. Private to core/eval.
#pragma once

#include "core/eval/testing/random_terms.h"
#include "core/ks/operators.h"

#include <absl/functional/function_ref.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <initializer_list>

namespace mitos::eval {

class TermPieces {
protected:
    using TermId = ir::TermId;
    using TypeId = ir::TypeId;
    using TypeKind = ir::TypeKind;
    using Op = ks::Op;

    TermPieces(ir::TermBank& bank, const TermScope& scope, Random& random)
        : m_bank(bank),
          m_types(bank.types()),
          m_random(random),
          m_free(scope.free),
          m_bound(scope.bound),
          m_usualSize(scope.usualSize > 0 ? scope.usualSize : random.integer(1, 3)) {}

    // --- terms --------------------------------------------------------------------------------------------------------

    TermId make(Op op, std::initializer_list<TermId> children) {
        return make(op, std::span<const TermId>(children.begin(), children.size()));
    }
    TermId make(Op op, std::span<const TermId> children) {
        const Result<TermId> result = m_bank.make(ks::opId(op), children);
        assert(result.ok());
        return *result;
    }

    double literalFloat() {
        constexpr std::array Usual{0.0, 1.0, 2.0, -1.0, 0.5, 3.0};
        if (m_random.chance(0.6)) return Usual[m_random.below(Usual.size())];
        return static_cast<double>(m_random.integer(-300, 300)) / 100.0;
    }

    /// A variable of the type, or else the result of `otherwise`.
    TermId variableOr(TypeId type, absl::FunctionRef<TermId()> otherwise) {
        std::vector<std::size_t> fits;
        for (std::size_t i = 0; i < m_free.size(); ++i) {
            if (m_types.erased(m_free[i].type) == type) fits.push_back(i);
        }
        for (std::size_t i = 0; i < m_bound.size(); ++i) {
            if (m_bound[i] == type) fits.push_back(m_free.size() + i);
        }
        if (fits.empty()) return otherwise();
        const std::size_t chosen = fits[m_random.below(fits.size())];
        if (chosen < m_free.size()) return m_bank.variable(m_free[chosen].name, type);
        const std::size_t level = chosen - m_free.size();
        return m_bank.bound(static_cast<std::uint32_t>(m_bound.size() - 1 - level), type);
    }

    TermId literalSize() { return m_bank.integer(m_random.chance(0.85) ? m_usualSize : m_random.integer(1, 3)); }

    /// A positive size: a literal or the size of a vector in scope.
    TermId sizeTerm(std::uint32_t rank) {
        if (rank > 1) {
            std::vector<TermId> sizes;
            for (std::uint32_t i = 0; i < rank; ++i) sizes.push_back(literalSize());
            return m_bank.tuple(sizes);
        }
        if (m_random.chance(0.6)) return literalSize();
        const TypeId floats = m_types.vec(m_types.floating());
        const TermId vector = variableOr(floats, [] { return TermId(); });
        return vector.isValid() ? make(Op::Size, {vector}) : literalSize();
    }

    TermId indexTerm(std::uint32_t rank) {
        if (rank > 1 || m_random.chance(0.5)) return zeroIndex(rank);
        return variableOr(m_types.integer(), [&] { return m_bank.integer(m_random.integer(0, 2)); });
    }

    TermId zeroIndex(std::uint32_t rank) {
        if (rank > 1) {
            const std::vector<TermId> zeros(rank, m_bank.integer(0));
            return m_bank.tuple(zeros);
        }
        return m_bank.integer(m_random.chance(0.8) ? 0 : 1);
    }

    // --- binders ------------------------------------------------------------------------------------------------------

    TermId letIn(TermId value, absl::FunctionRef<TermId()> body) {
        m_bound.push_back(m_bank.type(value));
        const TermId inner = body();
        m_bound.pop_back();
        return m_bank.let(hint(m_bank.type(value)), value, inner);
    }

    TermId bindIn(TypeId from, absl::FunctionRef<TermId()> body, absl::FunctionRef<TermId(TermId)> use) {
        m_bound.push_back(from);
        const TermId inner = body();
        m_bound.pop_back();
        return use(m_bank.lambda(hint(from), from, inner));
    }

    // --- types and budgets --------------------------------------------------------------------------------------------

    [[nodiscard]] bool isAdditive(TypeId type) const {
        if (m_types.isNumeric(type)) return true;
        if (!m_types.isTuple(type) && !m_types.isTensor(type)) return false;
        const auto parts = m_types.children(type);
        return std::all_of(parts.begin(), parts.end(), [this](TypeId part) { return isAdditive(part); });
    }
    [[nodiscard]] bool isFloatOnly(TypeId type) const {
        if (m_types.isNumeric(type)) return type == m_types.floating();
        const auto parts = m_types.children(type);
        return std::all_of(parts.begin(), parts.end(), [this](TypeId part) { return isFloatOnly(part); });
    }
    [[nodiscard]] bool isTupleOfTensors(TypeId type) const {
        const auto parts = m_types.children(type);
        return !parts.empty() && std::all_of(parts.begin(), parts.end(), [&](TypeId part) {
            return m_types.isTensor(part) && m_types.rank(part) == m_types.rank(parts[0]);
        });
    }

    Symbol hint(TypeId type) {
        switch (m_types.kind(type)) {
            case TypeKind::Integer: return m_bank.symbols().intern("i");
            case TypeKind::Tuple: return m_bank.symbols().intern("t");
            case TypeKind::Tensor: return m_bank.symbols().intern("v");
            default: return m_bank.symbols().intern("a");
        }
    }

    std::array<std::uint32_t, 2> split(std::uint32_t budget) {
        const auto first = static_cast<std::uint32_t>(m_random.below(budget + 1));
        return {first, budget - first};
    }
    std::array<std::uint32_t, 3> split3(std::uint32_t budget) {
        const auto [a, rest] = split(budget);
        const auto [b, c] = split(rest);
        return {a, b, c};
    }

    ir::TermBank& m_bank;
    ir::TypeTable& m_types;
    Random& m_random;

private:
    const std::vector<ir::Parameter>& m_free;
    std::vector<TypeId> m_bound;

protected:
    const std::int64_t m_usualSize;
};

}  // namespace mitos::eval
