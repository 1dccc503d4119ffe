// SPDX-License-Identifier: GPL-3.0-or-later
// Operators that slice or pad arrays, or work along some of their axes.
#include "core/eval/testing/internal/tensor_application.h"

#include <algorithm>

namespace mitos::eval {

using tensor::Shape;

namespace {

using Integers = std::vector<std::int64_t>;

}  // namespace

bool TensorApplication::slice() {
    const bool hasInput = m_children[0].isValid();
    const std::size_t rank = hasInput ? shape(0).size() : rankOr(1, 4);
    if (rank == 0) return false;
    const Integers axes = integers("axes", [&] { return Integers{below(static_cast<std::int64_t>(rank))}; });
    const Integers steps = integers("steps", [&] { return Integers(axes.size(), chance(0.8) ? 1 : 2); });
    const Integers starts = integers("starts", [&] { return Integers(axes.size(), below(3)); });
    if (axes.size() != steps.size() || axes.size() != starts.size()) return false;
    const auto isAxis = [&](std::int64_t axis) { return axis >= 0 && axis < static_cast<std::int64_t>(rank); };
    if (!std::ranges::all_of(axes, isAxis)) return false;
    const Integers ends = integers("ends", [&] {
        Integers result;
        for (std::size_t i = 0; i < axes.size(); ++i) {
            const std::int64_t output = wanted(static_cast<std::size_t>(axes[i]));
            const std::int64_t length = output == Wanted::Any ? m_owner.size() : output;
            result.push_back(starts[i] + (length - 1) * std::max<std::int64_t>(steps[i], 1) + 1);
        }
        return result;
    });
    if (hasInput) return true;
    if (ends.size() != axes.size()) return false;
    Shape x(rank, Wanted::Any);
    for (std::size_t i = 0; i < rank; ++i) x[i] = wanted(i);
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (ends[i] < 1) return false;
        x[static_cast<std::size_t>(axes[i])] = ends[i] + (chance(0.5) ? 0 : below(3));
    }
    return child(0, x);
}

bool TensorApplication::gather() {
    Shape indices =
        m_children[1].isValid() ? shape(1) : Shape(chance(0.2) ? 2 * m_owner.m_choices->below(2) : 1, Wanted::Any);
    std::size_t rank = 0;
    if (m_children[0].isValid()) {
        rank = shape(0).size();
    } else if (m_wanted.hasRank) {
        if (m_wanted.dims.size() < indices.size()) return false;
        rank = m_wanted.dims.size() + 1 - indices.size();
    } else {
        rank = rankOr(1, 5);
    }
    if (rank == 0) return false;
    const std::int64_t axis = integer("axis", [&] { return below(static_cast<std::int64_t>(rank)); });
    if (axis < 0 || axis >= static_cast<std::int64_t>(rank)) return false;
    const auto at = static_cast<std::size_t>(axis);
    for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = wanted(at + i);
    if (!child(1, Wanted{true, indices, ir::Dtype::I64})) return false;
    Shape data(rank, Wanted::Any);
    for (std::size_t i = 0; i < rank; ++i) {
        if (i != at) data[i] = wanted(i < at ? i : i + shape(1).size() - 1);
    }
    return child(0, data);
}

bool TensorApplication::pad() {
    const bool hasInput = m_children[0].isValid();
    const std::size_t rank = hasInput ? shape(0).size() : rankOr(1, 4);
    const Integers pads = integers("pads", [&] {
        Integers result(2 * rank, 0);
        // Mostly pads the last two axes, as for images.
        for (std::size_t i = 0; i < result.size(); ++i) {
            if (chance(i % rank + 2 >= rank ? 0.6 : 0.15)) result[i] = 1 + below(2);
        }
        return result;
    });
    if (pads.size() != 2 * rank) return false;
    if (hasInput) return true;
    Shape x(rank, Wanted::Any);
    for (std::size_t i = 0; i < rank; ++i) {
        if (wanted(i) == Wanted::Any) continue;
        x[i] = wanted(i) - pads[i] - pads[rank + i];
        if (x[i] < 1) return false;
    }
    return child(0, x);
}

/// The input has the shape of the output.
bool TensorApplication::same() {
    if (has("outputs")) integer("outputs", [] { return std::int64_t{1}; });
    if (m_op.name != "EyeLike") return child(0, m_wanted);
    Shape dims{wanted(0), wanted(1)};
    attribute<std::string>("dtype", [&] { return std::string(ir::dtypeName(m_wanted.dtype)); });
    return (!m_wanted.hasRank || m_wanted.dims.size() == 2) && child(0, std::move(dims));
}

bool TensorApplication::alongAxis() {
    const std::size_t rank = m_children[0].isValid() ? shape(0).size() : rankOr(1, 4);
    if (rank == 0) return false;
    integer("axis", [&] { return below(static_cast<std::int64_t>(rank)); });
    if (m_children[0].isValid()) return true;
    Shape x(rank, Wanted::Any);
    for (std::size_t i = 0; i < rank; ++i) x[i] = wanted(i);
    return child(0, x);
}

bool TensorApplication::reduction() {
    const bool keeps = attribute<bool>("keepdims", [&] { return chance(0.6); });
    const bool hasInput = m_children[0].isValid();
    std::size_t rank = hasInput ? shape(0).size() : keeps ? rankOr(1, 4) : rankOr(0, 3) + 1;
    if (rank == 0) return false;
    const Integers axes = integers("axes", [&] { return Integers{below(static_cast<std::int64_t>(rank))}; });
    if (hasInput) return true;
    if (!keeps && m_wanted.hasRank) rank = m_wanted.dims.size() + axes.size();
    Shape x;
    std::size_t output = 0;
    for (std::size_t i = 0; i < rank; ++i) {
        const bool isReduced = std::ranges::find(axes, static_cast<std::int64_t>(i)) != axes.end();
        x.push_back(isReduced ? Wanted::Any : wanted(output));
        if (keeps || !isReduced) ++output;
    }
    return child(0, x);
}

bool TensorApplication::batchNormalization() {
    const std::size_t rank = m_children[0].isValid() ? shape(0).size() : rankOr(3, 4);
    if (rank < 2) return false;
    Shape x(rank, Wanted::Any);
    for (std::size_t i = 0; i < rank; ++i) x[i] = wanted(i);
    for (std::size_t i = 1; i < count(); ++i) {
        if (m_children[i].isValid() && shape(i).size() == 1) x[1] = shape(i)[0];
    }
    if (!child(0, x)) return false;
    for (std::size_t i = 1; i < count(); ++i) {
        if (!child(i, Shape{shape(0)[1]})) return false;
    }
    return true;
}

bool TensorApplication::layerNormalization() {
    const std::size_t rank = m_children[0].isValid() ? shape(0).size() : rankOr(2, 3);
    if (rank == 0) return false;
    const std::int64_t axis = integer("axis", [&] { return static_cast<std::int64_t>(rank) - 1; });
    if (has("outputs")) integer("outputs", [] { return std::int64_t{1}; });
    if (axis < 0 || axis >= static_cast<std::int64_t>(rank)) return false;
    Shape x(rank, Wanted::Any);
    for (std::size_t i = 0; i < rank; ++i) x[i] = wanted(i);
    if (!child(0, x)) return false;
    const Shape input = shape(0);
    for (std::size_t i = 1; i < count(); ++i) {
        if (!m_children[i].isValid() && !child(i, Shape(input.begin() + axis, input.end()))) return false;
    }
    return true;
}

bool TensorApplication::mergeGroups() {
    const std::int64_t merged = integer("count", [&] { return 1 + below(3); });
    const std::int64_t groups = integer("group", [&] { return merged * (1 + below(2)); });
    if (merged < 1 || groups < 1 || m_children[0].isValid()) return m_children[0].isValid();
    const std::size_t rank = rankOr(3, 4);
    Shape w(rank, Wanted::Any);
    for (std::size_t i = 0; i < rank; ++i) w[i] = wanted(i);
    if (w[0] == Wanted::Any) w[0] = groups * m_owner.size();
    if (rank > 1 && w[1] != Wanted::Any) {
        if (w[1] % merged != 0) return false;
        w[1] /= merged;
    }
    return child(0, w);
}

}  // namespace mitos::eval
