// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/internal/shapes.h"

#include "core/facts/analysis.h"
#include "core/ir/binding.h"
#include "core/ks/operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::loops {

using ir::CoreOp;
using ir::TermBank;
using ir::TermId;
using ir::TypeId;
using ks::Op;

namespace {

constexpr std::uint64_t LargestCheapTerm = 2;  // nodes
constexpr int MostCalls = 4;                   // one inside of the other

bool isNumber(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

class Shapes {
public:
    /// Terms with bound variables can be compared only if both shapes were told at one place.
    Shapes(const TermBank& bank, const DeclaredShapes& declared, bool areOfOnePlace = true)
        : m_bank(bank),
          m_types(bank.types()),
          m_declared(declared),
          m_areOfOnePlace(areOfOnePlace) {}

    std::optional<EarlyShape> of(TermId term) {
        if (isPlain(m_bank.type(term))) return EarlyShape{};
        const auto child = [&](std::uint32_t i) { return m_bank.child(term, i); };
        if (m_bank.is(term, CoreOp::Let)) return below(child(0), child(1));
        if (m_bank.is(term, CoreOp::Get)) {
            if (std::optional<EarlyShape> part = ofPart(term)) return part;
            return ofPlace(term);
        }
        if (m_bank.is(term, CoreOp::Bound) || m_bank.is(term, CoreOp::Variable)) return ofPlace(term);
        if (m_bank.is(term, CoreOp::Tuple)) {
            EarlyShape tuple;
            for (const TermId part : m_bank.children(term)) {
                std::optional<EarlyShape> shape = of(part);
                if (!shape) return std::nullopt;
                tuple.parts.push_back(*std::move(shape));
            }
            return tuple;
        }
        switch (ks::ksOp(m_bank.op(term))) {
            case Op::Build: {
                if (!m_bank.is(child(1), CoreOp::Lam)) return std::nullopt;
                return vectorOf(child(0), below(TermId(), m_bank.child(child(1), 0)));
            }
            case Op::ConstVec: return vectorOf(child(0), of(child(1)));
            case Op::DeltaVec: return vectorOf(child(0), of(child(2)));
            case Op::BuildFromSparse: return ofShape(child(0));
            case Op::Sumbuild:
                if (!m_bank.is(child(1), CoreOp::Lam)) return std::nullopt;
                return below(TermId(), m_bank.child(child(1), 0));
            case Op::TsScale: return of(child(1));
            case Op::TsNeg: return of(child(0));
            case Op::TsAdd: {
                const std::optional<EarlyShape> first = of(child(0));
                return first ? first : of(child(1));
            }
            case Op::If: return ofEither(of(child(1)), of(child(2)));
            case Op::Index: return ofPlace(term);
            case Op::VecInit: return ofElements(term);
            default: return m_bank.is(term, CoreOp::Call) ? ofCall(term) : std::nullopt;
        }
    }

    [[nodiscard]] bool areSame(const EarlyShape& a, const EarlyShape& b) const {
        if (a.example && b.example) return areSame(*a.example, *b.example);
        if (a.exampleName.isValid() && a.exampleName == b.exampleName) return true;
        if (isExample(a) && isExample(b)) {
            return declaredBy(a).isValid() && declaredBy(a) == declaredBy(b) && named(declaredBy(a)).has_value();
        }
        if (isExample(a)) return isOfType(b, declaredBy(a));
        if (isExample(b)) return isOfType(a, declaredBy(b));
        if (isVector(a) != isVector(b) || a.parts.size() != b.parts.size()) return false;
        const bool isSameSize = !isVector(a) || (a.size && b.size ? areSame(*a.size, *b.size)
                                                                  : !sizeText(a).empty() && sizeText(a) == sizeText(b));
        return isSameSize && std::ranges::equal(a.parts, b.parts, [this](const EarlyShape& x, const EarlyShape& y) {
                   return areSame(x, y);
               });
    }

    /// The same shape, told by what has a value in the code: a parameter that is declared to have it, if one of its sizes has none.
    [[nodiscard]] std::optional<EarlyShape> resolved(std::optional<EarlyShape> shape) const {
        if (!shape || hasValues(*shape)) return shape;
        std::optional<Symbol> first;  // by name, so that the code does not depend on the order of a hash table
        for (const auto& [name, type] : m_declared.parameters) {
            const bool isEarlier = !first || m_bank.text(name) < m_bank.text(*first);
            if (isEarlier && isOfType(*shape, type)) first = name;
        }
        if (!first) return std::nullopt;
        EarlyShape example;
        example.exampleName = *first;
        return example;
    }

private:
    /// Whether all sizes by name have a value in the code.
    [[nodiscard]] bool hasValues(const EarlyShape& shape) const {
        const Symbol name = shape.sizeName;
        const bool hasValue = !name.isValid() || m_declared.sizes.contains(name) || isNumber(m_bank.text(name));
        return hasValue && std::ranges::all_of(shape.parts, [this](const EarlyShape& part) { return hasValues(part); });
    }

    [[nodiscard]] std::uint32_t binders() const { return static_cast<std::uint32_t>(m_values.size()); }

    /// Whether the type alone tells the shape.
    [[nodiscard]] bool isPlain(TypeId type) const {
        if (m_types.isNumeric(type) || type == m_types.boolean()) return true;
        return m_types.isTuple(type) &&
               std::ranges::all_of(m_types.children(type), [this](TypeId part) { return isPlain(part); });
    }

    /// The shape of the body of a let or a function, if it can be told outside.
    std::optional<EarlyShape> below(TermId value, TermId body) {
        m_values.push_back(value);
        std::optional<EarlyShape> shape = of(body);
        m_values.pop_back();
        return shape && isOutside(*shape) ? shape : std::nullopt;
    }

    /// Whether no term of a shape mentions the innermost binder that was left.
    [[nodiscard]] bool isOutside(const EarlyShape& shape) const {
        const auto mentions = [&](const EarlyTerm& early) {
            if (early.binders <= binders()) return false;
            return ir::mentions(m_bank, early.term, early.binders - binders() - 1);
        };
        if (shape.size && mentions(*shape.size)) return false;
        if (shape.example && mentions(*shape.example)) return false;
        return std::ranges::all_of(shape.parts, [this](const EarlyShape& part) { return isOutside(part); });
    }

    std::optional<EarlyShape> vectorOf(TermId size, std::optional<EarlyShape> element) const {
        const bool isKnown = m_bank.type(size) == m_types.integer() && mayBeComputedBefore(m_bank, size);
        if (!isKnown || !element) return std::nullopt;
        return EarlyShape{EarlyTerm{size, binders()}, {}, {*std::move(element)}};
    }

    /// The shape of a vector that is written as its elements, if these have one shape.
    std::optional<EarlyShape> ofElements(TermId vector) {
        const Symbol size = m_bank.symbols().find(fmt::format("{}", m_bank.childCount(vector)));
        std::optional<EarlyShape> first = of(m_bank.child(vector, 0));
        if (!first || !size.isValid()) return std::nullopt;
        for (std::uint32_t i = 1; i < m_bank.childCount(vector); ++i) {
            const std::optional<EarlyShape> other = of(m_bank.child(vector, i));
            if (!other || !areSame(*first, *other)) return std::nullopt;
        }
        return EarlyShape{{}, size, {*std::move(first)}};
    }

    /// The shape of a function's value, as far as it follows from those of its parameters.
    std::optional<EarlyShape> ofCall(TermId call) {
        const ir::Function& function = m_bank.function(m_bank.payload(call).asFunction());
        if (!function.body.isValid() || m_calls == MostCalls) return std::nullopt;
        if (function.parameters.size() != m_bank.childCount(call)) return std::nullopt;
        DeclaredShapes declared;
        for (const ir::Parameter& parameter : function.parameters) {
            declared.parameters.emplace(parameter.name, parameter.type);
        }
        for (const ir::SizeName& size : function.sizes) declared.sizes.insert(size.name);
        Shapes inside(m_bank, declared);
        inside.m_calls = m_calls + 1;
        const std::optional<EarlyShape> shape = inside.of(function.body);
        return shape ? fromArguments(*shape, function, call) : std::nullopt;
    }

    /// A shape that is told by parameters of a function, told by the arguments of a call.
    std::optional<EarlyShape> fromArguments(const EarlyShape& shape, const ir::Function& function, TermId call) {
        if (shape.example || shape.exampleName.isValid()) {
            Symbol name = shape.exampleName;
            if (shape.example) {
                if (!m_bank.is(shape.example->term, CoreOp::Variable)) return std::nullopt;
                name = m_bank.payload(shape.example->term).asSymbol();
            }
            for (std::uint32_t i = 0; i < function.parameters.size(); ++i) {
                if (function.parameters[i].name == name) return of(m_bank.child(call, i));
            }
            return std::nullopt;
        }
        EarlyShape result;
        if (isVector(shape)) {
            const std::optional<EarlyShape> vector = vectorOfSize(sizeText(shape), function, call);
            if (!vector) return std::nullopt;
            result.size = vector->size;
            result.sizeName = vector->sizeName;
        }
        for (const EarlyShape& part : shape.parts) {
            std::optional<EarlyShape> translated = fromArguments(part, function, call);
            if (!translated) return std::nullopt;
            result.parts.push_back(*std::move(translated));
        }
        return result;
    }

    /// The shape of a vector that has the size of that name in a function, from the arguments of a call.
    std::optional<EarlyShape> vectorOfSize(const std::string& name, const ir::Function& function, TermId call) {
        if (isNumber(name)) return EarlyShape{{}, m_bank.symbols().find(name), {}};
        for (const ir::SizeName& size : function.sizes) {
            if (m_bank.text(size.name) != name || !size.parameter) continue;
            std::optional<EarlyShape> shape = of(m_bank.child(call, *size.parameter));
            for (std::size_t step = 0; shape && step <= size.steps.size(); ++step) {
                if (isExample(*shape)) shape = named(declaredBy(*shape));
                if (!shape || step == size.steps.size()) break;
                const std::size_t part = isVector(*shape) ? 0 : size.steps[step];
                if (part >= shape->parts.size()) return std::nullopt;
                shape = EarlyShape(shape->parts[part]);
            }
            return shape && isVector(*shape) ? shape : std::nullopt;
        }
        return std::nullopt;
    }

    /// The shape that the first argument of a sparse build tells: (shape v), or n for n elements of a shape.
    std::optional<EarlyShape> ofShape(TermId shape) {
        if (m_bank.type(shape) == m_types.unit()) return EarlyShape{};
        if (is(m_bank, shape, Op::Shape)) return of(m_bank.child(shape, 0));
        if (!is(m_bank, shape, Op::ConstVec)) return std::nullopt;
        return vectorOf(m_bank.child(shape, 0), ofShape(m_bank.child(shape, 1)));
    }

    /// The shape of a vector of a sparse build that a let binds.
    std::optional<EarlyShape> ofPart(TermId part) {
        const TermId tuple = m_bank.child(part, 0);
        if (!m_bank.is(tuple, CoreOp::Bound) || m_bank.payload(tuple).asIndex() >= m_values.size()) return std::nullopt;
        const std::size_t place = m_values.size() - 1 - m_bank.payload(tuple).asIndex();
        const TermId value = m_values[place];
        if (!value.isValid()) return std::nullopt;
        const std::uint32_t which = m_bank.payload(part).projectionIndex();
        const std::vector<TermId> inner(m_values.begin() + static_cast<std::ptrdiff_t>(place), m_values.end());
        m_values.resize(place);
        std::optional<EarlyShape> shape = ofPartOf(value, which);
        m_values.insert(m_values.end(), inner.begin(), inner.end());
        return shape;
    }

    /// The shape of one part of a tuple, or of what becomes a tuple.
    std::optional<EarlyShape> ofPartOf(TermId value, std::uint32_t which) {
        if (is(m_bank, value, Op::BuildFromSparseTupled) && m_bank.is(m_bank.child(value, 0), CoreOp::Tuple))
            return ofShape(m_bank.child(m_bank.child(value, 0), which));
        if (m_bank.is(value, CoreOp::Tuple)) return of(m_bank.child(value, which));
        if (m_bank.is(value, CoreOp::Let)) {
            m_values.push_back(m_bank.child(value, 0));
            std::optional<EarlyShape> shape = ofPartOf(m_bank.child(value, 1), which);
            m_values.pop_back();
            return shape && isOutside(*shape) ? shape : std::nullopt;
        }
        if (!is(m_bank, value, Op::If)) return std::nullopt;
        return ofEither(ofPartOf(m_bank.child(value, 1), which), ofPartOf(m_bank.child(value, 2), which));
    }

    /// The shape of a value that is one of two.
    [[nodiscard]] std::optional<EarlyShape> ofEither(const std::optional<EarlyShape>& first,
                                                     const std::optional<EarlyShape>& second) const {
        if (!first || !second || !areSame(*first, *second)) return std::nullopt;
        return isExample(*first) ? first : second;
    }

    /// The shape of a value that has a place already, or of an element of a parameter whose type names its sizes.
    std::optional<EarlyShape> ofPlace(TermId place) {
        if (m_bank.is(place, CoreOp::Bound)) {
            const std::uint32_t back = m_bank.payload(place).asIndex();
            if (back < m_values.size()) return ofValue(m_values.size() - 1 - back);
        }
        const bool exists = !m_bank.is(place, CoreOp::Bound) || m_bank.payload(place).asIndex() >= m_values.size();
        if (exists && !is(m_bank, place, Op::Index)) return EarlyShape{{}, {}, {}, EarlyTerm{place, binders()}};
        return named(declaredOf(place));
    }

    /// The shape of the value of a binder.
    std::optional<EarlyShape> ofValue(std::size_t at) {
        const TermId value = m_values[at];
        if (!value.isValid()) return std::nullopt;
        const std::vector<TermId> inner(m_values.begin() + static_cast<std::ptrdiff_t>(at), m_values.end());
        m_values.resize(at);
        std::optional<EarlyShape> shape = of(value);
        m_values.insert(m_values.end(), inner.begin(), inner.end());
        return shape;
    }

    /// The declared type of a part of a parameter; invalid for other terms.
    [[nodiscard]] TypeId declaredOf(TermId place) const {
        if (m_bank.is(place, CoreOp::Variable)) {
            const auto known = m_declared.parameters.find(m_bank.payload(place).asSymbol());
            return known == m_declared.parameters.end() ? TypeId() : known->second;
        }
        const bool isElement = is(m_bank, place, Op::Index);
        if (!isElement && !m_bank.is(place, CoreOp::Get)) return {};
        const TypeId whole = declaredOf(m_bank.child(place, isElement ? 1 : 0));
        if (!whole.isValid()) return {};
        return m_types.children(whole)[isElement ? 0 : m_bank.payload(place).projectionIndex()];
    }

    /// A vector of a declared type whose sizes all have names with values in the code, or are numbers.
    [[nodiscard]] std::optional<EarlyShape> named(TypeId type) const {
        if (!type.isValid()) return std::nullopt;
        if (isPlain(type)) return EarlyShape{};
        if (!m_types.isTensor(type) || m_types.rank(type) != 1 || m_types.sizes(type).empty()) return std::nullopt;
        const Symbol size = m_types.sizes(type)[0];
        std::optional<EarlyShape> element = named(m_types.element(type));
        if (!size.isValid() || !element) return std::nullopt;
        return EarlyShape{{}, size, {*std::move(element)}};
    }

    [[nodiscard]] bool areSame(const EarlyTerm& a, const EarlyTerm& b) const {
        return a.term == b.term && ((m_areOfOnePlace && a.binders == b.binders) || m_bank.looseBound(a.term) == 0);
    }

    [[nodiscard]] static bool isVector(const EarlyShape& shape) { return shape.size || shape.sizeName.isValid(); }

    [[nodiscard]] static bool isExample(const EarlyShape& shape) {
        return shape.example || shape.exampleName.isValid();
    }
    /// The declared type of the parameter, or its part, that is an example of a shape; invalid for others.
    [[nodiscard]] TypeId declaredBy(const EarlyShape& example) const {
        if (example.example) return declaredOf(example.example->term);
        return m_declared.parameters.at(example.exampleName);
    }
    /// Whether a declared type states a shape.
    [[nodiscard]] bool isOfType(const EarlyShape& shape, TypeId type) const {
        if (!type.isValid() || isExample(shape)) return false;
        if (shape.parts.empty()) return isPlain(type);
        if (!isVector(shape)) {
            const auto parts = m_types.children(type);
            return m_types.isTuple(type) &&
                   std::ranges::equal(shape.parts, parts,
                                      [this](const EarlyShape& x, TypeId y) { return isOfType(x, y); });
        }
        if (!m_types.isTensor(type) || m_types.rank(type) != 1 || m_types.sizes(type).empty()) return false;
        const Symbol name = m_types.sizes(type)[0];
        return name.isValid() && sizeText(shape) == m_bank.text(name) &&
               isOfType(shape.parts[0], m_types.element(type));
    }

    /// The name of a size, or its number; empty for others.
    [[nodiscard]] std::string sizeText(const EarlyShape& shape) const {
        if (shape.sizeName.isValid()) return std::string(m_bank.text(shape.sizeName));
        const TermId size = shape.size->term;
        if (m_bank.is(size, CoreOp::Variable)) return std::string(m_bank.text(m_bank.payload(size).asSymbol()));
        return m_bank.is(size, CoreOp::Literal) ? fmt::format("{}", m_bank.payload(size).asInteger()) : std::string();
    }

    const TermBank& m_bank;
    const ir::TypeTable& m_types;
    const DeclaredShapes& m_declared;
    bool m_areOfOnePlace;
    int m_calls = 0;               ///< around the term
    std::vector<TermId> m_values;  ///< of the binders around the term, outermost first; invalid for functions
};

}  // namespace

bool mayBeComputedBefore(const TermBank& bank, TermId size) {
    return bank.treeSize(size) <= LargestCheapTerm && facts::Analysis(bank).isTotal(size);
}

std::optional<EarlyShape> earlyShapeOf(const TermBank& bank, const DeclaredShapes& declared, TermId value) {
    Shapes shapes(bank, declared);
    return shapes.resolved(shapes.of(value));
}

bool areSame(const TermBank& bank, const DeclaredShapes& declared, const EarlyShape& a, const EarlyShape& b) {
    return Shapes(bank, declared, false).areSame(a, b);
}

TermId countOfSumOrZero(const TermBank& bank, TermId term) {
    if (!is(bank, term, Op::If)) return {};
    const TermId condition = bank.child(term, 0);
    const TermId sum = bank.child(term, 1);
    if (!is(bank, condition, Op::Gt) || !is(bank, sum, Op::Sumbuild)) return {};
    const TermId count = bank.child(condition, 0);
    const TermId bound = bank.child(condition, 1);
    const bool isPositive = bank.is(bound, CoreOp::Literal) && bank.payload(bound) == ir::Payload::integer(0);
    return isPositive && isZero(bank, bank.child(term, 2)) && bank.child(sum, 0) == count ? count : TermId();
}

bool isZero(const TermBank& bank, TermId term) {
    if (bank.is(term, CoreOp::Tuple)) {
        return std::ranges::all_of(bank.children(term), [&](TermId part) { return isZero(bank, part); });
    }
    if (is(bank, term, Op::ConstVec)) return isZero(bank, bank.child(term, 1));
    if (is(bank, term, Op::Build) && bank.is(bank.child(term, 1), CoreOp::Lam)) {
        return isZero(bank, bank.child(bank.child(term, 1), 0));
    }
    return bank.is(term, CoreOp::Literal) && bank.payload(term).kind() == ir::PayloadKind::Float &&
           bank.payload(term).asFloat() == 0.0;
}

}  // namespace mitos::loops
