// SPDX-License-Identifier: GPL-3.0-or-later
// Computes sizes symbolically, as terms that mention no loop variable.
#include "core/rules/matching/internal/loop_shape.h"

#include "core/base/deep_stack.h"
#include "core/ir/binding.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

namespace mitos::rules {

using ir::CoreOp;
using ir::TermId;
using ir::TypeId;

namespace {

constexpr int MostVisits = 2000;
constexpr std::uint32_t MostBound = 64;  // around one size
constexpr std::uint32_t MostDepth = 400;

/// A symbolic size: the term that computes it, or a term whose sizes are all fixed. `depth` counts the binders around it; it is 0 for a
/// closed term.
struct Size {
    TermId term;
    std::uint32_t depth = 0;

    friend bool operator==(const Size&, const Size&) = default;
};

/// The sizes of a value from the outermost level to the innermost one: empty for a number, concatenated for the elements of a tuple.
using Shape = std::vector<Size>;

class ShapeAnalysis {
public:
    ShapeAnalysis(const ir::TermBank& bank, std::uint32_t bound) : m_bank(bank), m_bound(bound) {}

    /// Returns no shape where the sizes may depend on a loop variable.
    std::optional<Shape> shape(TermId term) {
        if (isNumber(m_bank.type(term))) return Shape();
        if (++m_visits > MostVisits || m_nesting >= MostDepth) return std::nullopt;
        ++m_nesting;
        std::optional<Shape> result = computed(term);
        --m_nesting;
        if (result || !isFixed(term)) return result;
        return Shape{sizeOf(term)};
    }

private:
    /// The term that a `let` binds, and the number of binders around it. Invalid for a loop variable.
    struct Definition {
        TermId term;
        std::uint32_t depth = 0;
    };

    [[nodiscard]] std::uint32_t depth() const { return m_bound + static_cast<std::uint32_t>(m_definitions.size()); }

    [[nodiscard]] bool isNumber(TypeId type) const {
        const ir::TypeKind kind = m_bank.types().kind(type);
        return kind == ir::TypeKind::Float || kind == ir::TypeKind::Integer || kind == ir::TypeKind::Bool ||
               kind == ir::TypeKind::String;
    }

    /// Whether the term mentions no variable that is bound by the loop or below it.
    [[nodiscard]] bool isFixed(TermId term) const {
        if (m_bank.looseBound(term) == 0) return true;
        if (depth() > MostBound) return false;
        for (std::uint32_t index = 0; index < depth(); ++index) {
            if (ir::mentions(m_bank, term, index)) return false;
        }
        return true;
    }

    [[nodiscard]] Size sizeOf(TermId fixed) const { return {fixed, m_bank.looseBound(fixed) == 0 ? 0 : depth()}; }

    /// The definition of a variable bound by a `let`; null for all other terms.
    [[nodiscard]] const Definition* definition(TermId term) const {
        if (!m_bank.is(term, CoreOp::Bound)) return nullptr;
        const std::uint32_t index = m_bank.payload(term).asIndex();
        if (index >= m_definitions.size()) return nullptr;
        const Definition& found = m_definitions[m_definitions.size() - 1 - index];
        return found.term.isValid() ? &found : nullptr;
    }

    /// Calls look(definition) with only the binders in scope that surround the definition.
    template <typename F>
    auto atDefinition(const Definition& found, F look) {
        std::vector<Definition> inner(m_definitions.begin() + (found.depth - m_bound), m_definitions.end());
        const TermId term = found.term;
        m_definitions.resize(m_definitions.size() - inner.size());
        auto result = look(term);
        m_definitions.insert(m_definitions.end(), inner.begin(), inner.end());
        return result;
    }

    std::optional<Size> size(TermId term) {
        if (isFixed(term)) return sizeOf(term);
        const Definition* const found = definition(term);
        if (found == nullptr || ++m_visits > MostVisits) return std::nullopt;
        return atDefinition(*found, [this](TermId defined) { return size(defined); });
    }

    /// The shape of a constructor: its own sizes, then those of its element.
    std::optional<Shape> built(std::initializer_list<TermId> sizes, std::optional<Shape> element) {
        if (!element) return std::nullopt;
        Shape result;
        for (const TermId term : sizes) {
            const std::optional<Size> own = size(term);
            if (!own) return std::nullopt;
            result.push_back(*own);
        }
        result.insert(result.end(), element->begin(), element->end());
        return result;
    }

    /// The shape of the body of a lambda over Integers.
    std::optional<Shape> ofBody(TermId function) {
        if (!m_bank.is(function, CoreOp::Lam)) return std::nullopt;
        return below({}, m_bank.child(function, 0));
    }

    std::optional<Shape> below(Definition bound, TermId body) {
        m_definitions.push_back(bound);
        std::optional<Shape> result = shape(body);
        m_definitions.pop_back();
        return result;
    }

    std::optional<Shape> computed(TermId term) {
        if (const Definition* const found = definition(term)) {
            return atDefinition(*found, [this](TermId defined) { return shape(defined); });
        }
        const auto child = [&](std::size_t index) { return m_bank.child(term, index); };
        if (m_bank.is(term, CoreOp::Let)) return below({child(0), depth()}, child(1));
        if (m_bank.is(term, CoreOp::Tuple)) return ofElements(term);
        if (m_bank.is(term, CoreOp::Get) && m_bank.is(child(0), CoreOp::Tuple)) {
            return shape(m_bank.child(child(0), m_bank.payload(term).projectionIndex()));
        }
        const std::string_view op = m_bank.opName(term);
        if (op == "if") {
            std::optional<Shape> yes = shape(child(1));
            return yes && yes == shape(child(2)) ? yes : std::nullopt;
        }
        if (op == "constVec") return built({child(0)}, shape(child(1)));
        if (op == "deltaVec") return built({child(0)}, shape(child(2)));
        if (op == "delta") return shape(child(2));
        if (op == "build") return built({child(0)}, ofBody(child(1)));
        if (op == "diag") return built({child(0), child(1)}, ofBody(child(2)));
        if (op == "sumbuild") return ofBody(child(1));
        if (op == "ts_scale") return shape(child(1));
        if (m_bank.registry().info(m_bank.op(term)).traits.pointwise) return ofOperands(term);
        return std::nullopt;
    }

    std::optional<Shape> ofElements(TermId tuple) {
        Shape result;
        for (const TermId element : m_bank.children(tuple)) {
            const std::optional<Shape> own = shape(element);
            if (!own) return std::nullopt;
            result.insert(result.end(), own->begin(), own->end());
        }
        return result;
    }

    /// Operands of the result's type have the result's sizes, else the operator fails: one known operand is enough.
    std::optional<Shape> ofOperands(TermId term) {
        for (std::size_t i = 0; i < m_bank.childCount(term); ++i) {
            if (m_bank.type(m_bank.child(term, i)) != m_bank.type(term)) continue;
            if (std::optional<Shape> own = shape(m_bank.child(term, i))) return own;
        }
        return std::nullopt;
    }

    const ir::TermBank& m_bank;
    std::uint32_t m_bound;                  ///< number of loop variables around the term
    std::vector<Definition> m_definitions;  ///< of the binders inside the term, innermost last
    int m_visits = 0;
    std::uint32_t m_nesting = 0;
};

}  // namespace

bool hasOneShape(const ir::TermBank& bank, TermId term, std::uint32_t bound) {
    bool result = false;
    withDeepStack(std::min(bank.depth(term), MostDepth),
                  [&] { result = ShapeAnalysis(bank, bound).shape(term).has_value(); });
    return result;
}

}  // namespace mitos::rules
