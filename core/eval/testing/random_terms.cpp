// SPDX-License-Identifier: GPL-3.0-or-later
// Grows terms top down: chooses a production among those that give the wanted type, then grows its children.
#include "core/eval/testing/random_terms.h"

#include "core/ks/operators.h"

#include <absl/functional/function_ref.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <initializer_list>
#include <span>

namespace mitos::eval {

namespace {

using ir::TermId;
using ir::TypeId;
using ir::TypeKind;
using ks::Op;

constexpr std::array FloatFunctions{Op::Log,  Op::Exp,  Op::Sin, Op::Cos,    Op::Tanh,
                                    Op::Cosh, Op::Sqrt, Op::Erf, Op::Lgamma, Op::Abs};
constexpr std::array Comparisons{Op::Gt, Op::Lt, Op::Gte, Op::Lte, Op::Eq, Op::Ne};

class Generator {
public:
    Generator(ir::TermBank& bank, const TermScope& scope, Random& random)
        : m_bank(bank),
          m_types(bank.types()),
          m_random(random),
          m_free(scope.free),
          m_bound(scope.bound),
          m_usualSize(scope.usualSize > 0 ? scope.usualSize : random.integer(1, 3)),
          m_hasLoops(scope.hasLoops) {}

    TermId term(TypeId type, std::uint32_t budget) {
        if (budget <= 1) return leaf(type);
        switch (m_types.kind(type)) {
            case TypeKind::Lambda: return lambda(m_types.children(type)[0], m_types.children(type)[1], budget - 1);
            case TypeKind::LinearMap: return linearMap(type, budget - 1);
            default: break;
        }
        m_weight = 0;
        Production chosen = Production::Leaf;
        // One pass of reservoir sampling over the productions that fit the type.
        forEachProduction(type, [&](Production production, int weight) {
            m_weight += weight;
            if (m_random.below(static_cast<std::size_t>(m_weight)) < static_cast<std::size_t>(weight))
                chosen = production;
        });
        return grow(chosen, type, budget - 1);
    }

private:
    enum class Production {
        Leaf,
        Variable,
        Let,
        If,
        Project,
        Index,
        Sumbuild,
        Sum,
        Fold,
        ExitLoop,
        Delta,  // of any type
        Arithmetic,
        Divide,
        Negate,
        Function,
        Larger,
        Power,
        Convert,
        Dot,
        VecMax,
        Hash,
        SizeOf,
        Imax,
        Compare,
        Logic,
        Not,
        MakeTuple,
        Unzip,
        Scale,
        AddParts,
        ScalePart,
        Build,
        ConstVec,
        DeltaVec,
        Map,
        Map2,
        VecInit,
        ExpVec,
        Sparse,
        Diag,
    };

    void forEachProduction(TypeId type, absl::FunctionRef<void(Production, int)> offer) {
        const bool additive = isAdditive(type);
        const bool isFloat = type == m_types.floating();
        const bool isInteger = type == m_types.integer();
        offer(Production::Leaf, 2);
        offer(Production::Variable, 6);
        offer(Production::Let, 4);
        offer(Production::If, 2);
        offer(Production::Project, 1);
        offer(Production::Index, 2);
        offer(Production::Fold, 1);
        if (m_hasLoops) offer(Production::ExitLoop, 1);
        if (additive) {
            offer(Production::Sumbuild, 2);
            offer(Production::Sum, 1);
            offer(Production::Delta, 1);
        }
        if (isFloat || isInteger) {
            offer(Production::Arithmetic, isFloat ? 14 : 8);
            offer(Production::Divide, isFloat ? 2 : 1);
            offer(Production::Negate, 1);
        }
        if (isFloat) {
            for (const Production p : {Production::Function, Production::Convert}) offer(p, 2);
            for (const Production p :
                 {Production::Larger, Production::Power, Production::Dot, Production::VecMax, Production::Hash}) {
                offer(p, 1);
            }
        }
        if (isInteger) {
            offer(Production::SizeOf, 3);
            offer(Production::Imax, 1);
        }
        if (type == m_types.boolean()) {
            offer(Production::Compare, 8);
            offer(Production::Logic, 3);
            offer(Production::Not, 1);
        }
        if (m_types.isTuple(type)) {
            offer(Production::MakeTuple, 8);
            if (isTupleOfTensors(type)) offer(Production::Unzip, 2);
        }
        if (additive && !isFloat && !isInteger) {
            offer(Production::Scale, 1);
            offer(Production::AddParts, 2);
            if (isFloatOnly(type)) offer(Production::ScalePart, 2);
        }
        if (m_types.isTensor(type)) offerTensors(type, additive, offer);
    }

    void offerTensors(TypeId type, bool additive, absl::FunctionRef<void(Production, int)> offer) {
        const TypeId element = m_types.element(type);
        offer(Production::Build, 10);
        offer(Production::ConstVec, 2);
        offer(Production::Map, 2);
        offer(Production::Map2, 1);
        if (m_types.rank(type) == 1) offer(Production::VecInit, 2);
        if (additive) {
            offer(Production::DeltaVec, 2);
            if (m_types.isNumeric(element)) offer(Production::Sparse, 1);
        }
        if (type == m_types.vec(m_types.floating())) offer(Production::ExpVec, 1);
        if (m_types.rank(type) == 1 && m_types.isTensor(element) && m_types.rank(element) == 1 &&
            isAdditive(m_types.element(element))) {
            offer(Production::Diag, 1);
        }
    }

    TermId grow(Production production, TypeId type, std::uint32_t budget) {
        switch (production) {
            case Production::Leaf: return leaf(type);
            case Production::Variable: return variableOr(type, [&] { return leaf(type); });
            case Production::Let: return let(type, budget);
            case Production::If: {
                const auto [a, b, c] = split3(budget);
                return make(Op::If, {term(m_types.boolean(), a), term(type, b), term(type, c)});
            }
            case Production::Project: return project(type, budget);
            case Production::Index: return elementOf(type, budget);
            case Production::Sumbuild: return loop(Op::Sumbuild, 1, type, budget);
            case Production::Sum: return make(Op::Sum, {term(m_types.vec(type), budget)});
            case Production::Fold: return fold(type, budget);
            case Production::ExitLoop: return exitLoop(type, budget);
            case Production::Delta:
                return make(Op::Delta, {indexTerm(1), indexTerm(1), term(type, budget > 2 ? budget - 2 : 1)});
            case Production::Divide: return divide(type, budget);
            case Production::Negate: return make(Op::Neg, {term(type, budget)});
            case Production::MakeTuple: return makeTuple(type, budget);
            case Production::Unzip: return unzip(type, budget);
            case Production::Scale: {
                const auto [a, b] = split(budget);
                return make(Op::TsScale, {term(m_types.floating(), a), term(type, b)});
            }
            case Production::ScalePart: {
                const auto [a, b] = split(budget);
                const TermId factor = term(m_types.floating(), a);
                return make(Op::Mul, {factor, term(type, b)});
            }
            case Production::AddParts: return addParts(type, budget);
            case Production::Build: return loop(Op::Build, m_types.rank(type), m_types.element(type), budget);
            default: break;
        }
        if (m_types.isTensor(type)) return growTensor(production, type, budget);
        if (type == m_types.boolean()) return growBool(production, budget);
        return growNumber(production, type, budget);
    }

    TermId growNumber(Production production, TypeId type, std::uint32_t budget) {
        const TypeId floating = m_types.floating();
        const TypeId floats = m_types.vec(floating);
        const std::array halves = split(budget);  // clang 14: lambdas capture no structured binding
        const std::uint32_t a = halves[0];
        const std::uint32_t b = halves[1];
        switch (production) {
            case Production::Arithmetic: {
                constexpr std::array Choices{Op::Add, Op::Sub, Op::Mul};
                return binary(Choices[m_random.below(Choices.size())], type, a, b);
            }
            case Production::Function:
                return make(FloatFunctions[m_random.below(FloatFunctions.size())], {term(floating, budget)});
            case Production::Larger: return binary(m_random.chance(0.8) ? Op::Max : Op::Mymul, floating, a, b);
            case Production::Power:
                return make(Op::Pow, {term(floating, budget), m_bank.integer(m_random.integer(-1, 3))});
            case Production::Convert:
                if (m_random.chance(0.5)) return make(Op::ToFloat, {term(m_types.integer(), budget)});
                return make(Op::BoolToFloat, {term(m_types.boolean(), budget)});
            case Production::Dot: {
                // Both operands are made from one vector, so that their sizes agree.
                const TermId vector = term(floats, a);
                return letIn(vector, [&] {
                    const TermId x = m_bank.bound(0, floats);
                    return make(m_random.chance(0.5) ? Op::Dot : Op::TsDot, {x, mapOf(x, floating, b)});
                });
            }
            case Production::VecMax: return make(Op::Max, {term(floats, budget)});
            case Production::Hash: return make(Op::Ranhashdoub, {term(m_types.integer(), budget)});
            case Production::SizeOf: return make(Op::Size, {term(floats, budget)});
            case Production::Imax: return make(Op::Imax, {term(floats, budget)});
            default: return leaf(type);
        }
    }

    TermId growBool(Production production, std::uint32_t budget) {
        const auto [a, b] = split(budget);
        switch (production) {
            case Production::Compare: {
                const TypeId operand = m_random.chance(0.7) ? m_types.floating() : m_types.integer();
                return binary(Comparisons[m_random.below(Comparisons.size())], operand, a, b);
            }
            case Production::Logic: return binary(m_random.chance(0.5) ? Op::And : Op::Or, m_types.boolean(), a, b);
            case Production::Not: return make(Op::Not, {term(m_types.boolean(), budget)});
            default: return leaf(m_types.boolean());
        }
    }

    TermId growTensor(Production production, TypeId type, std::uint32_t budget) {
        const std::uint32_t rank = m_types.rank(type);
        const TypeId element = m_types.element(type);
        const std::array halves = split(budget);  // clang 14: lambdas capture no structured binding
        const std::uint32_t a = halves[0];
        const std::uint32_t b = halves[1];
        switch (production) {
            case Production::ConstVec: return make(Op::ConstVec, {sizeTerm(rank), term(element, budget)});
            case Production::DeltaVec:
                return make(Op::DeltaVec, {sizeTerm(rank), indexTerm(rank), term(element, budget)});
            case Production::Map: {
                const TypeId from = rank == 1 ? m_types.floating() : element;
                const TypeId operand = m_types.tensor(rank, from);
                const TermId vector = term(operand, a);
                return make(Op::Map, {lambda(from, element, b), vector});
            }
            case Production::Map2: {
                const TermId vector = term(type, a);
                return letIn(vector, [&] {
                    const TermId x = m_bank.bound(0, type);
                    const std::array pair{element, element};
                    return make(Op::Map2, {lambda(m_types.tuple(pair), element, b), x, x});
                });
            }
            case Production::VecInit: {
                const auto count = static_cast<std::uint32_t>(m_usualSize);
                std::vector<TermId> elements;
                for (std::uint32_t i = 0; i < count; ++i) elements.push_back(term(element, budget / count));
                return make(Op::VecInit, elements);
            }
            case Production::ExpVec: return make(Op::Exp, {term(type, budget)});
            case Production::Sparse: {
                const TermId shapes = make(Op::ConstVec, {sizeTerm(rank), m_bank.tuple({})});
                return bindIn(
                    m_types.integer(),
                    [&] {
                        const std::array pair{zeroIndex(rank), term(element, budget)};
                        return m_bank.tuple(pair);
                    },
                    [&](TermId f) {
                        return make(Op::BuildFromSparse, {shapes, literalSize(), f});
                    });
            }
            case Production::Diag: {
                const TermId rows = literalSize();
                const TermId columns = literalSize();
                return make(Op::Diag, {rows, columns, lambda(m_types.integer(), m_types.element(element), budget)});
            }
            default: return leaf(type);
        }
    }

    // --- pieces -------------------------------------------------------------------------------------------------------

    TermId let(TypeId type, std::uint32_t budget) {
        const auto [a, b] = split(budget);
        const TermId value = term(randomType(m_bank, m_random), a);
        return letIn(value, [&, body = b] { return term(type, body); });
    }

    TermId project(TypeId type, std::uint32_t budget) {
        std::vector<TypeId> elements(2, m_types.floating());
        const auto place = static_cast<std::uint32_t>(m_random.below(2));
        elements[place] = type;
        const TypeId tuple = m_types.tuple(elements);
        return m_bank.get(term(tuple, budget), place);
    }

    TermId elementOf(TypeId type, std::uint32_t budget) {
        const std::uint32_t rank = m_random.chance(0.85) ? 1 : 2;
        const TermId index = zeroIndex(rank);
        return make(Op::Index, {index, term(m_types.tensor(rank, type), budget)});
    }

    TermId fold(TypeId type, std::uint32_t budget) {
        const auto [a, b, c] = split3(budget);
        const std::array pair{type, m_types.floating()};
        const TermId step = lambda(m_types.tuple(pair), type, a);
        const TermId start = term(type, b);
        return make(Op::Fold, {step, start, term(m_types.vec(m_types.floating()), c)});
    }

    /// The state after at most a few rounds.
    TermId exitLoop(TypeId type, std::uint32_t budget) {
        const auto [a, b] = split(budget);
        const std::array point{m_types.integer(), type};
        const std::array pair{m_types.boolean(), type};
        const TermId start = term(type, a);
        const TermId step = lambda(m_types.tuple(point), m_types.tuple(pair), b);
        return m_bank.get(make(Op::Loop, {indexTerm(1), start, step}), 1);
    }

    TermId divide(TypeId type, std::uint32_t budget) {
        const auto [a, b] = split(budget);
        if (type == m_types.floating()) return binary(Op::Div, type, a, b);
        return make(Op::Div, {term(type, budget), m_bank.integer(m_random.chance(0.5) ? 2 : -3)});
    }

    TermId makeTuple(TypeId type, std::uint32_t budget) {
        const std::vector<TypeId> types(m_types.children(type).begin(), m_types.children(type).end());
        std::vector<TermId> elements;
        const auto share = static_cast<std::uint32_t>(budget / std::max<std::size_t>(1, types.size()));
        for (const TypeId t : types) elements.push_back(term(t, share));
        return m_bank.tuple(elements);
    }

    TermId unzip(TypeId type, std::uint32_t budget) {
        std::vector<TypeId> elements(m_types.children(type).begin(), m_types.children(type).end());
        const std::uint32_t rank = m_types.rank(elements[0]);
        for (TypeId& e : elements) e = m_types.element(e);
        const TypeId pair = m_types.tuple(elements);
        return make(Op::Unzip, {term(m_types.tensor(rank, pair), budget)});
    }

    /// a + b of tuples or tensors; b is mostly made from a, so that sizes agree.
    TermId addParts(TypeId type, std::uint32_t budget) {
        const auto [a, b] = split(budget);
        const Op op = m_random.chance(0.5) ? Op::Add : Op::Sub;
        if (m_random.chance(0.2)) return binary(op, type, a, b);
        const TermId first = term(type, a);
        return letIn(first, [&, rest = b] {
            const TermId x = m_bank.bound(0, type);
            return make(op, {x, make(Op::TsScale, {term(m_types.floating(), rest), x})});
        });
    }

    /// build or sumbuild of a function that gives elements of the type.
    TermId loop(Op op, std::uint32_t rank, TypeId element, std::uint32_t budget) {
        const TermId size = sizeTerm(rank);
        return make(op, {size, lambda(m_types.indexType(rank), element, budget > 2 ? budget - 2 : 1)});
    }

    /// (map f v) with f from v's elements to the type.
    TermId mapOf(TermId vector, TypeId to, std::uint32_t budget) {
        return make(Op::Map, {lambda(m_types.element(m_bank.type(vector)), to, budget), vector});
    }

    TermId lambda(TypeId from, TypeId to, std::uint32_t budget) {
        return bindIn(
            from, [&] { return term(to, budget); }, [](TermId f) { return f; });
    }

    TermId linearMap(TypeId type, std::uint32_t budget) {
        const TypeId from = m_types.children(type)[0];
        const TypeId to = m_types.children(type)[1];
        const TypeId floating = m_types.floating();
        const auto parts = split(budget);
        if (budget > 2 && m_random.chance(0.3)) {
            const TermId first = linearMap(type, parts[0]);
            if (from != to) return make(Op::LmAdd, {first, linearMap(type, parts[1])});
            return make(Op::LmCompose, {first, linearMap(type, parts[1])});
        }
        if (from == to && m_random.chance(0.6)) {
            const TermId shape = term(from, parts[0]);
            if (m_random.chance(0.4)) return make(Op::LmOne, {shape});
            return make(Op::LmScale, {shape, term(floating, parts[1])});
        }
        if (from == floating && m_random.chance(0.8)) return make(Op::LmScaleR, {term(to, budget)});
        if (to == floating && m_random.chance(0.8)) return make(Op::LmDot, {term(from, budget)});
        const TermId source = term(from, parts[0]);
        return make(Op::LmZero, {source, term(to, parts[1])});
    }

    TermId leaf(TypeId type) {
        if (m_random.chance(0.7)) return variableOr(type, [&] { return literal(type); });
        return literal(type);
    }

    TermId literal(TypeId type) {
        switch (m_types.kind(type)) {
            case TypeKind::Float: return m_bank.floating(literalFloat());
            case TypeKind::Integer: return m_bank.integer(m_random.integer(-2, 4));
            case TypeKind::Bool: return m_bank.boolean(m_random.chance(0.5));
            case TypeKind::String: return m_bank.string(m_random.chance(0.5) ? "text" : "say \"ks\"\n");
            case TypeKind::Tuple: return makeTuple(type, 1);
            case TypeKind::Tensor: {
                const TermId size = sizeTerm(m_types.rank(type));
                return make(Op::ConstVec, {size, leaf(m_types.element(type))});
            }
            case TypeKind::Lambda: return lambda(m_types.children(type)[0], m_types.children(type)[1], 1);
            case TypeKind::LinearMap: return linearMap(type, 1);
            case TypeKind::Array: break;
        }
        return m_bank.tuple({});
    }

    TermId binary(Op op, TypeId operand, std::uint32_t a, std::uint32_t b) {
        const TermId left = term(operand, a);
        return make(op, {left, term(operand, b)});
    }

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
        return std::ranges::all_of(parts, [this](TypeId part) { return isAdditive(part); });
    }
    [[nodiscard]] bool isFloatOnly(TypeId type) const {
        if (m_types.isNumeric(type)) return type == m_types.floating();
        const auto parts = m_types.children(type);
        return std::ranges::all_of(parts, [this](TypeId part) { return isFloatOnly(part); });
    }
    [[nodiscard]] bool isTupleOfTensors(TypeId type) const {
        const auto parts = m_types.children(type);
        return !parts.empty() && std::ranges::all_of(parts, [&](TypeId part) {
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
    const std::vector<ir::Parameter>& m_free;
    std::vector<TypeId> m_bound;
    const std::int64_t m_usualSize;
    const bool m_hasLoops;
    int m_weight = 0;
};

}  // namespace

ir::TermId randomTerm(ir::TermBank& bank, ir::TypeId type, const TermScope& scope, Random& random,
                      std::uint32_t maxSize) {
    return Generator(bank, scope, random).term(bank.types().erased(type), maxSize);
}

ir::TypeId randomType(ir::TermBank& bank, Random& random) {
    ir::TypeTable& types = bank.types();
    const std::array<TypeId, 2> pair{types.floating(), types.floating()};
    switch (random.below(10)) {
        case 0: return types.integer();
        case 1: return types.boolean();
        case 2:
        case 3: return types.vec(types.floating());
        case 4: return types.tuple(pair);
        default: return types.floating();
    }
}

}  // namespace mitos::eval
