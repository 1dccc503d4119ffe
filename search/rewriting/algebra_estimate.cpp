// SPDX-License-Identifier: GPL-3.0-or-later
// Estimates the saving from simplifying sums and products, which are flattened first.
#include "search/rewriting/internal/estimate.h"

#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <limits>
#include <optional>

namespace mitos::search {

namespace {

/// The position of a factor or summand below its product or sum: the child index at each level.
using Place = absl::InlinedVector<std::uint8_t, 8>;

/// Longer products and sums are not distributed or factored, since the number of ways grows with the square.
constexpr std::size_t LongestChain = 16;

/// The number of steps that make two parts of a chain adjacent.
std::uint32_t apart(const Place& a, const Place& b) {
    const std::size_t common = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
    const std::size_t edges = a.size() + b.size() - 2 * common;
    return edges > 2 ? static_cast<std::uint32_t>(edges - 2) : 0;
}

struct Simplified {
    double cost = 0.0;
    std::uint32_t steps = 0;
};

struct Part {
    ir::TermId term;
    std::uint32_t occurrence = 0;
    Simplified itself;
    Place place;
};

/// A product of quotients: factors in the numerator (`above`) and in the denominator (`below`).
struct Product {
    std::vector<Part> above;
    std::vector<Part> below;
    std::vector<std::uint32_t> unitSteps;  ///< steps to remove each factor 1
    double own = 0.0;                      ///< cost of its operators before simplification
    std::uint32_t operators = 0;
};

struct Summand {
    std::uint32_t occurrence = 0;
    bool negative = false;
    Place place;
};

/// A sum of differences.
struct Sum {
    std::vector<Summand> summands;
    double own = 0.0;
    std::uint32_t operators = 0;
};

class Algebra {
public:
    Algebra(const ir::TermBank& bank, const std::vector<Occurrence>& tree, const AlgebraRules& rules)
        : m_bank(bank),
          m_tree(tree),
          m_rules(rules),
          m_known(tree.size()),
          m_add(bank.registry().find("add")),
          m_sub(bank.registry().find("sub")),
          m_mul(bank.registry().find("mul")),
          m_div(bank.registry().find("div")) {}

    [[nodiscard]] Simplified simplified(std::uint32_t i) const {
        if (!m_known[i]) m_known[i] = isProduct(i) ? product(i) : isSum(i) ? sum(i) : other(i);
        return *m_known[i];
    }

private:
    /// A term that is neither a product nor a sum: its operator stays, its children are simplified.
    [[nodiscard]] Simplified other(std::uint32_t i) const {
        Simplified result{m_tree[i].own, 0};
        forEachChild(i, [&](std::uint32_t child) {
            const Simplified part = simplified(child);
            result.cost += part.cost;
            result.steps += part.steps;
        });
        return result;
    }

    [[nodiscard]] bool isScalar(std::uint32_t i) const {
        const ir::TypeKind kind = m_bank.types().kind(m_bank.type(m_tree[i].term));
        return kind == ir::TypeKind::Float || kind == ir::TypeKind::Integer;
    }
    [[nodiscard]] bool isProduct(std::uint32_t i) const {
        const ir::OpId op = m_bank.op(m_tree[i].term);
        return (op == m_mul || op == m_div) && isScalar(i);
    }
    [[nodiscard]] bool isSum(std::uint32_t i) const {
        const ir::OpId op = m_bank.op(m_tree[i].term);
        return (op == m_add || op == m_sub) && isScalar(i);
    }
    [[nodiscard]] bool isOne(std::uint32_t i) const {
        const ir::TermId term = m_tree[i].term;
        if (!m_bank.is(term, ir::CoreOp::Literal)) return false;
        const ir::Payload& payload = m_bank.payload(term);
        return (payload.kind() == ir::PayloadKind::Float && payload.asFloat() == 1.0) ||
               (payload.kind() == ir::PayloadKind::Integer && payload.asInteger() == 1);
    }

    template <typename Visit>
    void forEachChild(std::uint32_t i, Visit visit) const {
        for (std::uint32_t child = i + 1; child < i + m_tree[i].size; child += m_tree[child].size) visit(child);
    }

    // --- products -----------------------------------------------------------------------------------------------------

    void collect(Product& into, std::uint32_t i, bool inverse, const Place& place) const {
        if (isProduct(i)) {
            into.own += m_tree[i].own;
            ++into.operators;
            const bool divides = m_bank.op(m_tree[i].term) == m_div;
            forEachChild(i, [&](std::uint32_t child) {
                Place below = place;
                below.push_back(static_cast<std::uint8_t>(m_tree[child].child));
                collect(into, child, inverse != (divides && m_tree[child].child == 1), below);
            });
        } else if (m_rules.unit && isOne(i)) {
            // 1 * a and a / 1 take one step; others are first brought into one of these forms.
            const bool divisor = !place.empty() && m_bank.op(m_tree[m_tree[i].parent].term) == m_div;
            into.unitSteps.push_back((m_tree[i].child == 1) == divisor ? 1 : 2);
        } else {
            (inverse ? into.below : into.above).push_back({m_tree[i].term, i, simplified(i), place});
        }
    }

    [[nodiscard]] double unitCost(const Product& p) const { return p.operators > 0 ? p.own / p.operators : 0.0; }

    [[nodiscard]] Simplified product(std::uint32_t i) const {
        Product whole;
        collect(whole, i, false, {});
        const double unit = unitCost(whole);
        Simplified best = reduced(whole, unit);
        if (!m_rules.distribute || whole.above.size() + whole.below.size() > LongestChain) return best;
        for (const bool below : {false, true}) {
            const std::vector<Part>& side = below ? whole.below : whole.above;
            for (std::size_t s = 0; s < side.size(); ++s) {
                if (!isSum(side[s].occurrence)) continue;
                for (std::size_t f = 0; f < side.size(); ++f) {
                    if (f == s) continue;
                    const Simplified other = distributed(whole, below, f, s, unit);
                    if (better(other, best)) best = other;
                }
            }
        }
        return best;
    }

    [[nodiscard]] static bool better(const Simplified& a, const Simplified& b) {
        constexpr double Rounding = 1e-9;
        if (a.cost < b.cost - Rounding * b.cost) return true;
        return a.cost <= b.cost && a.steps < b.steps;
    }

    /// The product without units and without factors that occur in both numerator and denominator.
    [[nodiscard]] Simplified reduced(Product p, double unit) const {
        Simplified result;
        if (m_rules.divideOut) {
            for (std::size_t a = 0; a < p.above.size();) {
                const auto b = std::ranges::find(p.below, p.above[a].term, &Part::term);
                if (b == p.below.end()) {
                    ++a;
                    continue;
                }
                result.steps += apart(p.above[a].place, b->place) + 1;
                p.below.erase(b);
                p.above.erase(p.above.begin() + static_cast<std::ptrdiff_t>(a));
            }
        }
        for (const std::uint32_t steps : p.unitSteps) result.steps += steps;
        if (p.above.empty() && !p.below.empty() && !p.unitSteps.empty()) {
            result.steps -= *std::ranges::max_element(p.unitSteps);  // 1 / a keeps its 1
        }
        const std::size_t factors = std::max<std::size_t>(p.above.size(), 1) + p.below.size();
        result.cost = unit * static_cast<double>(factors - 1);
        for (const std::vector<Part>* side : {&p.above, &p.below}) {
            for (const Part& part : *side) {
                result.cost += part.itself.cost;
                result.steps += part.itself.steps;
            }
        }
        return result;
    }

    /// The product after its factor f was distributed over its factor s, which is a sum.
    [[nodiscard]] Simplified distributed(const Product& whole, bool below, std::size_t f, std::size_t s,
                                         double unit) const {
        Product rest = whole;
        std::vector<Part>& side = below ? rest.below : rest.above;
        const Part factor = side[f];
        const Part over = side[s];
        Sum sum;
        collect(sum, over.occurrence, false, {});
        if (sum.summands.size() > LongestChain) return {std::numeric_limits<double>::infinity(), 0};
        Simplified changed{sum.own, apart(factor.place, over.place) + sum.operators};
        for (const Summand& summand : sum.summands) {
            Product multiplied;
            collect(multiplied, summand.occurrence, false, {1});
            Part again = factor;
            again.place = {0};
            multiplied.above.push_back(std::move(again));
            const Simplified term = reduced(std::move(multiplied), unit);
            changed.cost += term.cost;
            changed.steps += term.steps;
        }
        side[s].itself = changed;
        side[s].term = {};  // the term has changed
        side.erase(side.begin() + static_cast<std::ptrdiff_t>(f));
        return reduced(std::move(rest), unit);
    }

    // --- sums ---------------------------------------------------------------------------------------------------------

    void collect(Sum& into, std::uint32_t i, bool negative, const Place& place) const {
        if (!isSum(i)) {
            into.summands.push_back({i, negative, place});
            return;
        }
        into.own += m_tree[i].own;
        ++into.operators;
        const bool subtracts = m_bank.op(m_tree[i].term) == m_sub;
        forEachChild(i, [&](std::uint32_t child) {
            Place below = place;
            below.push_back(static_cast<std::uint8_t>(m_tree[child].child));
            collect(into, child, negative != (subtracts && m_tree[child].child == 1), below);
        });
    }

    [[nodiscard]] Simplified sum(std::uint32_t i) const {
        Sum whole;
        collect(whole, i, false, {});
        const double unit = whole.own / whole.operators;
        Simplified result;
        if (m_rules.subtractOut && whole.summands.size() <= LongestChain) result.steps += dropOut(whole.summands);
        result.cost = unit * static_cast<double>(std::max<std::size_t>(whole.summands.size(), 1) - 1);
        for (const Summand& summand : whole.summands) {
            const Simplified part = simplified(summand.occurrence);
            result.cost += part.cost;
            result.steps += part.steps;
        }
        if (whole.summands.size() > 1 && whole.summands.size() <= LongestChain) {
            const Simplified factored = commonFactor(whole);
            result.cost -= factored.cost;
            result.steps += factored.steps;
        }
        return result;
    }

    /// Removes pairs of summands that are added and subtracted; returns the number of steps.
    [[nodiscard]] std::uint32_t dropOut(std::vector<Summand>& summands) const {
        std::uint32_t steps = 0;
        for (std::size_t a = 0; a < summands.size();) {
            const auto opposite = std::ranges::find_if(summands, [&](const Summand& other) {
                return other.negative != summands[a].negative &&
                       m_tree[other.occurrence].term == m_tree[summands[a].occurrence].term;
            });
            if (opposite == summands.end()) {
                ++a;
                continue;
            }
            steps += apart(summands[a].place, opposite->place) + 1;
            const auto b = static_cast<std::size_t>(opposite - summands.begin());
            summands.erase(summands.begin() + static_cast<std::ptrdiff_t>(std::max(a, b)));
            summands.erase(summands.begin() + static_cast<std::ptrdiff_t>(std::min(a, b)));
            a = 0;
        }
        return steps;
    }

    /// The largest saving from factoring a common factor or divisor out of several summands: the saving (as the cost) and the steps.
    [[nodiscard]] Simplified commonFactor(const Sum& sum) const {
        std::vector<Product> products;
        for (const Summand& summand : sum.summands) {
            products.emplace_back();
            collect(products.back(), summand.occurrence, false, {});
        }
        Simplified best;
        for (const bool below : {false, true}) {
            if (below ? !m_rules.factorDivisor : !m_rules.factor) continue;
            for (const Product& candidate : products) {
                for (const Part& part : below ? candidate.below : candidate.above) {
                    const Simplified saving = takenOut(products, part, below);
                    if (saving.cost > best.cost) best = saving;
                }
            }
        }
        return best;
    }

    [[nodiscard]] Simplified takenOut(const std::vector<Product>& products, const Part& factor, bool below) const {
        Simplified saving;
        std::uint32_t found = 0;
        for (const Product& product : products) {
            if (product.operators == 0) continue;  // the rule does not match a alone as 1 * a
            const std::vector<Part>& side = below ? product.below : product.above;
            const auto part = std::ranges::find(side, factor.term, &Part::term);
            if (part == side.end()) continue;
            if (++found > 1) saving.cost += unitCost(product) + part->itself.cost;
            // The steps move it to the front of its product, or a divisor to the end.
            saving.steps += static_cast<std::uint32_t>(part->place.size() - 1) +
                            (!part->place.empty() && part->place.back() != (below ? 1 : 0) ? 1 : 0);
        }
        if (found < 2) return {};
        saving.steps += found - 1;
        return saving;
    }

    const ir::TermBank& m_bank;
    const std::vector<Occurrence>& m_tree;
    const AlgebraRules& m_rules;
    /// Cached results by occurrence, as each belongs to several tried products and sums; with nesting, to exponentially many.
    mutable std::vector<std::optional<Simplified>> m_known;
    ir::OpId m_add;
    ir::OpId m_sub;
    ir::OpId m_mul;
    ir::OpId m_div;
};

}  // namespace

Estimate algebraEstimate(const ir::TermBank& bank, const std::vector<Occurrence>& tree, const AlgebraRules& rules) {
    if (tree.empty() || !rules.any()) return {};
    const Simplified whole = Algebra(bank, tree, rules).simplified(0);
    return {tree.front().total - whole.cost, whole.steps};
}

}  // namespace mitos::search
