// SPDX-License-Identifier: GPL-3.0-or-later
// Finds first which terms have equal rank, then which sizes are equal, then which conditions remain.
#include "core/rules/tensat/internal/tensat_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mitos::rules::tensat {

namespace {

/// The text in m_typed that represents all terms of this rank.
std::string rankText(std::int64_t rank) { return fmt::format("#{}", rank); }

/// The rank of all arrays that such a term computes; nothing if they may have several.
std::optional<std::int64_t> fixedRank(const Expr& expr) {
    constexpr std::int64_t RankOfImages = 4;  // of kernels too
    switch (expr.op) {
        case Op::Concat: return expr.attributes[1];
        case Op::Conv:
        case Op::MaxPool:
        case Op::AveragePool:
        case Op::BatchNorm:
        case Op::Enlarge:
        case Op::Merge: return RankOfImages;
        case Op::Transpose:
        case Op::Reshape: return static_cast<std::int64_t>(expr.attributes.size());
        default: return std::nullopt;
    }
}

/// The rank of a child whose rank is not that of the term; nothing if they are the same, or if any rank is possible.
std::optional<std::int64_t> ownRankOf(const Expr& expr, std::size_t child) {
    if (expr.op == Op::Scale && child == 1) return 0;
    if (expr.op == Op::BatchNorm && child > 0) return 1;
    return std::nullopt;
}

}  // namespace

std::string SameTexts::of(const std::string& text) const {
    std::string current = text;
    for (auto found = m_parents.find(current); found != m_parents.end(); found = m_parents.find(current)) {
        current = found->second;
    }
    return current;
}

void SameTexts::unite(const std::string& a, const std::string& b) {
    const std::string first = of(a);
    const std::string second = of(b);
    if (first != second) m_parents[second] = first;
}

std::array<std::int64_t, 2> strides(const Expr& window) {
    const std::size_t first = window.op == Op::Conv ? 0 : 2;
    return {window.attributes[first], window.attributes[first + 1]};
}

Padding padding(const Expr& window) { return window.attributes.back() == 0 ? Padding::Same : Padding::Valid; }

Shapes::Shapes(const RuleText& rule, const std::map<std::string, std::string>& names) : m_names(names) {
    for (const Expr& left : rule.lefts) unite(left, true);
    for (const Expr& right : rule.rights) unite(right, false);
    for (std::size_t i = 0; i < rule.lefts.size(); ++i) {
        m_ranks.unite(tensat::text(rule.lefts[i]), tensat::text(rule.rights[i]));
    }
    for (const Expr& left : rule.lefts) rank(left, -1);
    for (const Expr& right : rule.rights) rank(right, -1);
    for (const Expr& left : rule.lefts) check(left, true);
    for (const Expr& right : rule.rights) check(right, false);
    if (!m_obstacle.empty()) return;
    // Done twice, because facts learned at the end may determine sizes at the beginning.
    for (int i = 0; i < 2; ++i) {
        for (const Expr& left : rule.lefts) learn(left);
    }
    for (const Expr& left : rule.lefts) require(left);
    for (const Expr& right : rule.rights) require(right);
    const std::vector<std::string> sizes = std::exchange(m_conditions, {});
    for (const Expr& left : rule.lefts) requireRanks(left);
    m_conditions.insert(m_conditions.end(), sizes.begin(), sizes.end());
}

void Shapes::fail(std::string obstacle) {
    if (m_obstacle.empty()) m_obstacle = std::move(obstacle);
}

void Shapes::unite(const Expr& expr, bool isLeft) {
    const std::string own = tensat::text(expr);
    for (std::size_t i = 0; i < expr.children.size(); ++i) {
        const Expr& child = expr.children[i];
        unite(child, isLeft);
        if (ownRankOf(expr, i) || expr.op == Op::Reshape) continue;
        m_ranks.unite(own, tensat::text(child));
        const bool mayBroadcast = expr.op == Op::Add || expr.op == Op::Mul || expr.op == Op::MatMul;
        if (isLeft && !mayBroadcast) m_typed.unite(own, tensat::text(child));
    }
    if (!isLeft) return;
    // The rank of a joined array is in TENSAT's text only, and ours normalizes batches of any rank.
    if (expr.op == Op::Concat || expr.op == Op::BatchNorm) return;
    if (const auto rank = fixedRank(expr)) m_typed.unite(rankText(*rank), own);
}

/// Records the rank of a term's class if its operator determines it; otherwise `rank`, unless that is -1.
void Shapes::rank(const Expr& expr, std::int64_t rank) {
    for (std::size_t i = 0; i < expr.children.size(); ++i) {
        this->rank(expr.children[i], ownRankOf(expr, i).value_or(-1));
    }
    const std::string own = m_ranks.of(tensat::text(expr));
    if (expr.op == Op::MatMul) m_isOfMatrices[own] = true;
    rank = fixedRank(expr).value_or(rank);
    if (rank < 0) return;
    const auto [known, isNew] = m_rankOf.emplace(own, rank);
    if (!isNew && known->second != rank) {
        fail(fmt::format("an array would have ranks {} and {} at once", known->second, rank));
    }
}

std::optional<std::int64_t> Shapes::rankOf(const Expr& expr) const {
    const auto found = m_rankOf.find(m_ranks.of(tensat::text(expr)));
    return found == m_rankOf.end() ? std::nullopt : std::optional(found->second);
}

bool Shapes::isOfMatrices(const Expr& expr) const { return m_isOfMatrices.contains(m_ranks.of(tensat::text(expr))); }

/// Fails on contradictory shapes and on shapes that the rule language cannot express.
void Shapes::check(const Expr& expr, bool isLeft, bool isKernel) {
    for (std::size_t i = 0; i < expr.children.size(); ++i) {
        check(expr.children[i], isLeft, (expr.op == Op::Conv && i == 1) || (expr.op == Op::Merge && isKernel));
    }
    if (!m_obstacle.empty()) return;
    if (isLeft && (expr.op == Op::Enlarge || expr.op == Op::Merge)) {
        return fail("merge and enlarge are translated on right sides only");
    }
    if (expr.op == Op::Merge && !isKernel) {
        return fail("how many groups merge joins cannot be derived: its result is not the kernel of a convolution");
    }
    const std::optional<std::int64_t> own = rankOf(expr);
    if (expr.op == Op::Concat && expr.attributes[0] >= *own) {
        fail(fmt::format("there is no axis {} in rank {}", expr.attributes[0], *own));
    } else if (expr.op == Op::MatMul && own && *own < 2) {
        fail("a product of matrices has a rank of 2 or more");
    }
    if (expr.op != Op::SplitPart || !m_obstacle.empty()) return;
    const std::int64_t axis = expr.attributes[0];
    if (!own) return fail("the rank of the input of split is unknown");
    if (axis >= *own) return fail(fmt::format("there is no axis {} in rank {}", axis, *own));
    if (cut(expr.children[0], static_cast<std::size_t>(axis))) return;
    const std::string key = fmt::format("{} {}", axis, tensat::text(expr.children[0]));
    if (isLeft) {
        std::string name = fmt::format("s{}", m_splitNames.size() + 1);
        m_splitNames.emplace(key, std::move(name));
    } else if (!m_splitNames.contains(key)) {
        fail("where split divides cannot be derived: no concat along this axis leads to it");
    }
}

std::string Shapes::splitName(const Expr& split) const {
    const auto found = m_splitNames.find(fmt::format("{} {}", split.attributes[0], tensat::text(split.children[0])));
    return found == m_splitNames.end() ? std::string() : found->second;
}

// --- sizes ------------------------------------------------------------------------------------------------------------

Size Shapes::canonical(const Size& size) const {
    Size result;
    for (const std::string& term : size) result.push_back(m_sizes.of(term));
    return result;
}

Size Shapes::sorted(const Size& size) const {
    Size result = canonical(size);
    std::ranges::sort(result);
    return result;
}

std::string Shapes::text(const Size& size) const { return fmt::format("{}", fmt::join(canonical(size), " + ")); }

std::string Shapes::factor(const Size& size) const {
    const std::string sum = text(size);
    return sum.find(' ') == std::string::npos ? sum : fmt::format("({})", sum);
}

Size Shapes::size(const Expr& expr, std::size_t axis) const { return shape(expr).sizes[axis]; }

Size Shapes::kernel(const Expr& window, std::size_t axis) const {
    if (window.op == Op::Conv) return size(window.children[1], axis);
    return {fmt::format("{}", window.attributes[axis - 2])};
}

Size Shapes::spatial(const Expr& window, std::size_t axis) const {
    const Size input = size(window.children[0], axis);
    const std::int64_t stride = strides(window)[axis - 2];
    if (padding(window) == Padding::Same) {
        if (stride == 1) return input;
        return {fmt::format("({} + {}) / {}", text(input), stride - 1, stride)};
    }
    return {fmt::format("({} - {}) / {} + 1", text(input), factor(kernel(window, axis)), stride)};
}

std::array<std::string, 2> Shapes::samePads(const Expr& window, std::size_t axis) const {
    const std::string extent = factor(kernel(window, axis));
    const std::int64_t stride = strides(window)[axis - 2];
    if (stride == 1) return {fmt::format("({} - 1) / 2", extent), fmt::format("{} / 2", extent)};
    const Size input = size(window.children[0], axis);
    const std::string all = fmt::format("max((({0} + {1}) / {2} - 1) * {2} + {3} - {4}, 0)", text(input), stride - 1,
                                        stride, extent, factor(input));
    return {all + " / 2", fmt::format("({} + 1) / 2", all)};
}

Shapes::Shape Shapes::shape(const Expr& expr) const {
    switch (expr.op) {
        case Op::Variable: {
            const std::optional<std::int64_t> known = rankOf(expr);
            Shape result{.isOpen = !known, .sizes = {}};
            const std::int64_t first = known ? 0 : isOfMatrices(expr) ? -2 : 0;
            for (std::int64_t i = first; i < known.value_or(0); ++i) {
                result.sizes.push_back({fmt::format("{}.shape[{}]", nameOf(expr), i)});
            }
            return result;
        }
        case Op::Concat: {
            Shape result = shape(expr.children[0]);
            Size& along = result.sizes[static_cast<std::size_t>(expr.attributes[0])];
            for (std::size_t i = 1; i < expr.children.size(); ++i) {
                const Size more = size(expr.children[i], static_cast<std::size_t>(expr.attributes[0]));
                along.insert(along.end(), more.begin(), more.end());
            }
            return result;
        }
        case Op::MatMul: {
            Shape result = shape(expr.children[0]);
            result.sizes.back() = shape(expr.children[1]).sizes.back();
            return result;
        }
        case Op::Conv:
            return {
                .sizes = {size(expr.children[0], 0), size(expr.children[1], 0), spatial(expr, 2), spatial(expr, 3)}};
        case Op::MaxPool:
        case Op::AveragePool:
            return {
                .sizes = {size(expr.children[0], 0), size(expr.children[0], 1), spatial(expr, 2), spatial(expr, 3)}};
        case Op::SplitPart: {
            Shape result = shape(expr.children[0]);
            const auto axis = static_cast<std::size_t>(expr.attributes[0]);
            const auto sizes = cut(expr.children[0], axis);
            result.sizes[axis] = sizes ? (*sizes)[static_cast<std::size_t>(expr.attributes[1])]
                                       : Size{fmt::format("{}[{}]", splitName(expr), expr.attributes[1])};
            return result;
        }
        case Op::Transpose: {
            Shape result;
            for (const std::int64_t axis : expr.attributes) {
                result.sizes.push_back(size(expr.children[0], static_cast<std::size_t>(axis)));
            }
            return result;
        }
        case Op::Reshape: {
            Shape result;
            for (const std::int64_t size : expr.attributes) result.sizes.push_back({fmt::format("{}", size)});
            return result;
        }
        case Op::Enlarge: {
            Shape result = shape(expr.children[0]);
            for (std::size_t axis = 2; axis < result.sizes.size(); ++axis) {
                result.sizes[axis] = size(expr.children[1], axis);
            }
            return result;
        }
        case Op::Merge: {
            Shape result = shape(expr.children[0]);
            const Size own = result.sizes[1];
            for (std::int64_t i = 1; i < expr.attributes[0]; ++i) {
                result.sizes[1].insert(result.sizes[1].end(), own.begin(), own.end());
            }
            return result;
        }
        case Op::Number: return {};
        default: return shape(expr.children[0]);
    }
}

std::optional<std::array<Size, 2>> Shapes::cut(const Expr& expr, std::size_t axis) const {
    const auto ofAll = [&] {
        const auto first = cut(expr.children[0], axis);
        for (std::size_t i = 1; first && i < expr.children.size(); ++i) {
            const auto other = cut(expr.children[i], axis);
            if (!other || sorted((*first)[0]) != sorted((*other)[0]) || sorted((*first)[1]) != sorted((*other)[1]))
                return std::optional<std::array<Size, 2>>();
        }
        return first;
    };
    switch (expr.op) {
        case Op::Concat:
            if (static_cast<std::size_t>(expr.attributes[0]) != axis) return ofAll();
            if (expr.children.size() != 2) return std::nullopt;
            return std::array{size(expr.children[0], axis), size(expr.children[1], axis)};
        case Op::Add:
        case Op::Mul: return ofAll();
        case Op::Relu:
        case Op::Tanh:
        case Op::Sigmoid:
        case Op::Scale: return cut(expr.children[0], axis);
        case Op::Conv: return axis > 1 ? std::nullopt : cut(expr.children[axis], 0);
        case Op::MatMul: {
            const auto known = static_cast<std::size_t>(rankOf(expr).value_or(0));
            if (axis + 1 == known) return cut(expr.children[1], axis);
            return axis + 2 == known ? cut(expr.children[0], axis) : ofAll();
        }
        case Op::BatchNorm:
        case Op::MaxPool:
        case Op::AveragePool:
        case Op::Enlarge: return axis > 1 ? std::nullopt : cut(expr.children[0], axis);
        case Op::Merge: return axis > 0 ? std::nullopt : cut(expr.children[0], axis);
        case Op::Transpose: return cut(expr.children[0], static_cast<std::size_t>(expr.attributes[axis]));
        case Op::Variable:
        case Op::Number:
        case Op::Reshape:
        case Op::SplitPart: break;
    }
    return std::nullopt;
}

// --- equal sizes, and conditions --------------------------------------------------------------------------------------

template <typename Visit>
void Shapes::forEachEqual(const Expr& expr, const Visit& visit) const {
    if (expr.op == Op::MatMul) {
        const Shape a = shape(expr.children[0]);
        const Shape b = shape(expr.children[1]);
        visit(a.sizes.back(), b.sizes[b.sizes.size() - 2]);
    }
    for (std::size_t i = 1; expr.op == Op::BatchNorm && i < expr.children.size(); ++i) {
        visit(size(expr.children[0], 1), size(expr.children[i], 0));
    }
    for (std::size_t i = 1; expr.op == Op::Concat && i < expr.children.size(); ++i) {
        const Shape a = shape(expr.children[0]);
        const Shape b = shape(expr.children[i]);
        for (std::size_t axis = 0; axis < a.sizes.size(); ++axis) {
            if (axis != static_cast<std::size_t>(expr.attributes[0])) visit(a.sizes[axis], b.sizes[axis]);
        }
    }
}

/// Records the equalities that the operators of a program matched by the left side guarantee.
void Shapes::learn(const Expr& expr) {
    for (const Expr& child : expr.children) learn(child);
    forEachEqual(expr, [&](const Size& a, const Size& b) {
        if (a.size() == 1 && b.size() == 1) m_sizes.unite(a[0], b[0]);
    });
}

void Shapes::requireEqual(const Size& a, const Size& b) {
    if (sorted(a) == sorted(b)) return;
    m_conditions.push_back(fmt::format("{} == {}", text(a), text(b)));
    if (a.size() == 1 && b.size() == 1) m_sizes.unite(a[0], b[0]);
}

/// Requires that the two terms have the same shape.
void Shapes::require(const Expr& a, const Expr& b) {
    const Shape left = shape(a);
    const Shape right = shape(b);
    bool isKnown = !left.isOpen || isOfMatrices(a);
    for (std::size_t i = 0; i < left.sizes.size(); ++i) {
        isKnown = isKnown && sorted(left.sizes[i]) == sorted(right.sizes[i]);
    }
    if (isKnown || left.sizes.empty()) return;  // for arrays of unknown rank, see requireRanks
    if (a.op != Op::Variable || b.op != Op::Variable) {
        for (std::size_t i = 0; i < left.sizes.size(); ++i) requireEqual(left.sizes[i], right.sizes[i]);
        return;
    }
    m_conditions.push_back(fmt::format("{}.shape == {}.shape", nameOf(a), nameOf(b)));
    m_typed.unite(tensat::text(a), tensat::text(b));
    for (std::size_t i = 0; i < left.sizes.size(); ++i) m_sizes.unite(left.sizes[i][0], right.sizes[i][0]);
}

void Shapes::require(const Expr& expr) {
    for (const Expr& child : expr.children) require(child);
    if (expr.op == Op::Add || expr.op == Op::Mul) require(expr.children[0], expr.children[1]);
    if (expr.op == Op::MatMul) {
        const Shape a = shape(expr.children[0]);
        const Shape b = shape(expr.children[1]);
        for (std::size_t i = 0; !a.isOpen && i + 2 < a.sizes.size(); ++i) requireEqual(a.sizes[i], b.sizes[i]);
    }
    for (std::size_t axis = 2; expr.op == Op::Enlarge && axis < 4; ++axis) {
        const Size own = size(expr.children[0], axis);
        const Size wanted = size(expr.children[1], axis);
        if (sorted(own) == sorted(wanted)) continue;
        std::string fits = fmt::format("{} <= {}", text(own), text(wanted));
        if (std::ranges::find(m_conditions, fits) == m_conditions.end()) m_conditions.push_back(std::move(fits));
    }
    forEachEqual(expr, [&](const Size& a, const Size& b) { requireEqual(a, b); });
}

/// Requires the ranks of variables, in the order in which they occur in the rule.
void Shapes::requireRanks(const Expr& expr) {
    for (const Expr& child : expr.children) requireRanks(child);
    if (expr.op != Op::Variable) return;
    const std::string own = tensat::text(expr);
    if (const std::optional<std::int64_t> known = rankOf(expr)) {
        if (m_typed.of(own) == m_typed.of(rankText(*known))) return;
        m_conditions.push_back(fmt::format("{}.rank == {}", nameOf(expr), *known));
        m_typed.unite(rankText(*known), own);
        return;
    }
    const auto [first, isFirst] = m_firstOfClass.emplace(m_ranks.of(own), own);
    if (isFirst) {
        if (isOfMatrices(expr)) m_conditions.push_back(fmt::format("{}.rank >= 2", nameOf(expr)));
        return;
    }
    if (m_typed.of(own) == m_typed.of(first->second)) return;
    m_typed.unite(first->second, own);
    const std::string& other = m_names.at(first->second);
    if (isOfMatrices(expr)) {
        m_conditions.push_back(fmt::format("{}.rank >= 2", nameOf(expr)));
        m_conditions.push_back(fmt::format("{}.shape[:-2] == {}.shape[:-2]", nameOf(expr), other));
    } else {
        m_conditions.push_back(fmt::format("{}.shape == {}.shape", nameOf(expr), other));
    }
}

}  // namespace mitos::rules::tensat
