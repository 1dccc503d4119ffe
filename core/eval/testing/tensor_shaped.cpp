// SPDX-License-Identifier: GPL-3.0-or-later
// Operators whose inputs have other shapes than the output: attributes and the remaining inputs are derived from what is known of the
// output or of an input that is decided already.
#include "core/eval/testing/internal/tensor_application.h"
#include "core/tensor/layout.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace mitos::eval {

using ir::TermId;
using tensor::Shape;

namespace {

using Integers = std::vector<std::int64_t>;

Integers random(Choices& random, std::size_t count, double usual, std::int64_t ordinary, std::int64_t most) {
    Integers result(count, ordinary);
    for (std::int64_t& each : result) {
        if (!random.chance(usual)) each = random.integer(ordinary, most);
    }
    return result;
}

}  // namespace

bool TensorApplication::matMul() {
    const bool hasA = m_children[0].isValid();
    const bool hasB = m_children[1].isValid();
    std::size_t rank = m_wanted.hasRank ? m_wanted.dims.size() : 0;
    if (!m_wanted.hasRank) {
        if (hasA) rank = std::max(rank, shape(0).size());
        if (hasB) rank = std::max(rank, shape(1).size());
        if (rank < 3) rank = hasA && hasB ? rank : chance(0.7) ? 2 : 3;
    }
    if (rank < 2) return false;
    // The batch axes of one operand may be missing.
    const auto dims = [&](std::int64_t rows, std::int64_t columns, const Shape* other) {
        const bool isBatched = rank == 2 || (other != nullptr && other->size() < rank) || chance(0.5);
        Shape result;
        for (std::size_t i = 0; isBatched && i + 2 < rank; ++i) {
            result.push_back(wanted(i) == Wanted::Any && other != nullptr && other->size() == rank ? (*other)[i]
                                                                                                   : wanted(i));
        }
        result.push_back(rows);
        result.push_back(columns);
        return result;
    };
    if (!hasA && !hasB) {
        Shape first(rank, Wanted::Any);
        for (std::size_t i = 0; i + 1 < rank; ++i) first[i] = wanted(i);
        if (!child(0, first)) return false;
    }
    if (!m_children[1].isValid()) {
        const Shape a = shape(0);
        return a.size() >= 2 && child(1, dims(a.back(), wanted(rank - 1), &a));
    }
    if (!m_children[0].isValid()) {
        const Shape b = shape(1);
        return b.size() >= 2 && child(0, dims(wanted(rank - 2), b[b.size() - 2], &b));
    }
    return true;
}

/// Chooses shapes as for a product of the operands after their transposition.
bool TensorApplication::fusedMatMul() {
    const std::array<bool, 2> transposes{attribute<bool>("transA", [&] { return chance(0.4); }),
                                         attribute<bool>("transB", [&] { return chance(0.4); })};
    std::size_t rank = m_wanted.hasRank ? m_wanted.dims.size() : chance(0.3) ? 3 : 2;
    for (std::size_t i = 0; i < 2; ++i) {
        if (m_children[i].isValid()) rank = shape(i).size();
    }
    if (rank < 2) return false;
    std::int64_t inner = Wanted::Any;
    for (std::size_t i = 0; i < 2; ++i) {
        Shape dims(rank, Wanted::Any);
        for (std::size_t axis = 0; axis + 2 < rank; ++axis) dims[axis] = i == 1 ? shape(0)[axis] : wanted(axis);
        const std::size_t outer = (i == 0) != transposes[i] ? rank - 2 : rank - 1;
        const std::size_t summed = outer == rank - 1 ? rank - 2 : rank - 1;
        dims[outer] = wanted(i == 0 ? rank - 2 : rank - 1);
        dims[summed] = inner;
        if (!child(i, dims) || shape(i).size() != rank) return false;
        inner = shape(i)[summed];
    }
    return true;
}

bool TensorApplication::attention() {
    const std::int64_t heads = integer("num_heads", [&] { return 1 + below(2); });
    if (heads < 1) return false;
    const auto width = [&](std::size_t i) {
        return m_children[i].isValid() && shape(i).size() == 3 ? shape(i)[2] : heads * (1 + below(3));
    };
    const std::int64_t queryWidth = width(m_children[1].isValid() ? 1 : 0);
    const std::int64_t valueWidth = wanted(2) == Wanted::Any ? width(2) : wanted(2);
    if (!child(0, Shape{wanted(0), wanted(1), queryWidth}) || shape(0).size() != 3) return false;
    const std::int64_t batch = shape(0)[0];
    if (!child(1, Shape{batch, Wanted::Any, queryWidth}) || shape(1).size() != 3) return false;
    if (!child(2, Shape{batch, shape(1)[1], valueWidth})) return false;
    return count() < 4 || child(3, Shape{2 * queryWidth + valueWidth});
}

/// Arrays [batch,length,width] with numbers of heads, or [batch,heads,length,size].
bool TensorApplication::groupedAttention() {
    std::size_t rank = m_wanted.hasRank ? m_wanted.dims.size() : chance(0.5) ? 3 : 4;
    for (std::size_t i = 0; i < 3; ++i) {
        if (m_children[i].isValid()) rank = shape(i).size();
    }
    if (rank != 3 && rank != 4) return false;
    for (std::size_t i = 0; i < 3; ++i) {
        if (m_children[i].isValid() && shape(i).size() != rank) return false;
    }
    const bool isSplit = rank == 4;
    const std::int64_t shared = integer("kv_num_heads", [&] { return isSplit ? 0 : 1 + below(2); });
    const std::int64_t heads = integer("q_num_heads", [&] { return shared * (1 + below(2)); });
    if (isSplit ? shared != 0 || heads != 0 : shared < 1 || heads < 1) return false;
    // The width of one head, which input `i` has if it is decided.
    const auto size = [&](std::size_t i) {
        if (!m_children[i].isValid()) return 1 + below(3);
        return isSplit ? shape(i)[3] : shape(i)[2] / (i == 0 ? heads : shared);
    };
    const std::int64_t width = size(m_children[1].isValid() ? 1 : 0);
    std::int64_t valueWidth = size(2);
    if (wanted(rank - 1) != Wanted::Any) valueWidth = isSplit ? wanted(3) : wanted(2) / heads;
    Shape query{wanted(0), wanted(1), width * heads};
    if (isSplit) query = {wanted(0), wanted(1), wanted(2), width};
    if (!child(0, query)) return false;
    const Shape q = shape(0);
    const std::int64_t fewer = isSplit && q[1] % 2 == 0 && chance(0.4) ? 2 : 1;
    Shape key{q[0], Wanted::Any, width * shared};
    if (isSplit) key = {q[0], m_children[2].isValid() ? shape(2)[1] : q[1] / fewer, Wanted::Any, width};
    if (!child(1, key)) return false;
    const Shape k = shape(1);
    const bool hasValue =
        child(2, isSplit ? Shape{q[0], k[1], k[2], valueWidth} : Shape{q[0], k[1], valueWidth * shared});
    return hasValue && (count() < 4 || child(3, Shape{q[rank - 2], k[rank - 2]}));
}

bool TensorApplication::gemm() {
    const bool transA = attribute<bool>("transA", [&] { return chance(0.3); });
    const bool transB = attribute<bool>("transB", [&] { return chance(0.3); });
    std::int64_t inner = Wanted::Any;
    if (m_children[0].isValid() && shape(0).size() == 2) inner = shape(0)[transA ? 0 : 1];
    if (m_children[1].isValid() && shape(1).size() == 2) inner = shape(1)[transB ? 1 : 0];
    const std::int64_t m = wanted(0);
    if (!child(0, transA ? Shape{inner, m} : Shape{m, inner}) || shape(0).size() != 2) return false;
    inner = shape(0)[transA ? 0 : 1];
    const std::int64_t n = wanted(1);
    if (!child(1, transB ? Shape{n, inner} : Shape{inner, n}) || shape(1).size() != 2) return false;
    if (count() < 3) return true;
    const std::int64_t rows = shape(0)[transA ? 1 : 0];
    const std::int64_t columns = shape(1)[transB ? 0 : 1];
    if (m_children[2].isValid()) return true;
    const std::size_t kind = m_owner.m_choices->below(4);
    return child(2, kind < 2 ? Shape{columns} : kind == 2 ? Shape{rows, columns} : Shape{1, columns});
}

namespace {

tensor::Shape reordered(const tensor::Shape& shape, const std::array<std::int64_t, 4>& order) {
    tensor::Shape result;
    for (const std::int64_t axis : order) result.push_back(shape[static_cast<std::size_t>(axis)]);
    return result;
}

}  // namespace

tensor::Shape TensorApplication::image(std::size_t i) const {
    const Shape own = shape(i);
    return m_isChannelsLast && own.size() == tensor::ToChannelsFirst.size() ? reordered(own, tensor::ToChannelsFirst)
                                                                            : own;
}

bool TensorApplication::makeImage(std::size_t i, const Shape& dims) {
    if (!m_isChannelsLast) return child(i, dims);
    return dims.size() == tensor::ToChannelsLast.size() && child(i, reordered(dims, tensor::ToChannelsLast));
}

std::int64_t TensorApplication::wantedOfImage(std::size_t dimension) const {
    if (!m_isChannelsLast || dimension >= tensor::ToChannelsFirst.size()) return wanted(dimension);
    return wanted(static_cast<std::size_t>(tensor::ToChannelsFirst[dimension]));
}

bool TensorApplication::convolution() {
    std::size_t rank = m_wanted.hasRank ? m_wanted.dims.size() : 0;
    for (std::size_t i = 0; i < 2; ++i) {
        if (m_children[i].isValid()) rank = shape(i).size();
    }
    if (rank == 0) rank = chance(0.8) ? 4 : 3;
    if (rank < 3) return false;
    const std::size_t axes = rank - 2;
    Choices& r = *m_owner.m_choices;
    const Integers strides = integers("strides", [&] { return random(r, axes, 0.65, 1, 3); });
    const Integers dilations = integers("dilations", [&] { return random(r, axes, 0.75, 1, 2); });
    if (strides.size() != axes || dilations.size() != axes) return false;
    const auto group = [&](std::int64_t channels) {
        return integer("group", [&] {
            if (chance(0.55) || channels == Wanted::Any) return std::int64_t{1};
            const std::int64_t some = 1 + below(channels);
            return channels % some == 0 ? some : channels;
        });
    };
    // Chooses the filters first, unless the input is decided.
    Shape x;
    if (m_children[0].isValid()) {
        x = image(0);
        if (x.size() != rank) return false;
        const std::int64_t groups = group(x[1]);
        if (groups < 1 || x[1] % groups != 0) return false;
        Shape w(rank, Wanted::Any);
        w[0] = wantedOfImage(1) == Wanted::Any && !m_children[1].isValid() ? groups * m_owner.size() : wantedOfImage(1);
        w[1] = x[1] / groups;
        if (!child(1, w)) return false;
    } else {
        const std::int64_t groups =
            m_children[1].isValid() ? group(shape(1)[0])
                                    : group(wantedOfImage(1) == Wanted::Any ? m_owner.size() * 2 : wantedOfImage(1));
        Shape w(rank, Wanted::Any);
        w[0] = wantedOfImage(1) == Wanted::Any && !m_children[1].isValid() ? groups * m_owner.size() : wantedOfImage(1);
        if (!child(1, w)) return false;
        if (groups < 1 || shape(1)[0] % groups != 0) return false;
        x.assign(rank, Wanted::Any);
        x[0] = wantedOfImage(0);
        x[1] = shape(1)[1] * groups;
    }
    const Shape w = shape(1);
    const auto reach = [&](std::size_t axis) { return dilations[axis] * (w[axis + 2] - 1) + 1; };
    const Integers pads = integers("pads", [&] {
        Integers result(2 * axes, 0);
        const bool isPadded = chance(0.6);
        for (std::size_t axis = 0; axis < axes; ++axis) {
            if (x[axis + 2] != Wanted::Any && wantedOfImage(axis + 2) != Wanted::Any) {
                const std::int64_t needed = (wantedOfImage(axis + 2) - 1) * strides[axis] + reach(axis) - x[axis + 2];
                const std::int64_t total = std::max<std::int64_t>(0, needed) + (needed < 0 ? 0 : below(strides[axis]));
                result[axis] = below(total + 1);
                result[axes + axis] = total - result[axis];
            } else {
                if (isPadded) result[axis] = below(3);
                if (isPadded) result[axes + axis] = below(3);
                const std::int64_t lacking =
                    x[axis + 2] == Wanted::Any ? 0 : reach(axis) - x[axis + 2] - result[axis] - result[axes + axis];
                result[axis] += std::max<std::int64_t>(0, lacking);
            }
        }
        return result;
    });
    if (pads.size() != 2 * axes) return false;
    for (std::size_t axis = 0; axis < axes; ++axis) {
        if (x[axis + 2] != Wanted::Any) continue;
        const std::int64_t padding = pads[axis] + pads[axes + axis];
        const std::int64_t output = wantedOfImage(axis + 2) == Wanted::Any ? 1 + below(3) : wantedOfImage(axis + 2);
        x[axis + 2] = (output - 1) * strides[axis] + reach(axis) - padding + below(strides[axis]);
        if (x[axis + 2] < 1) x[axis + 2] = wantedOfImage(axis + 2) == Wanted::Any ? 1 : x[axis + 2];
        if (x[axis + 2] < 1) return false;
    }
    return makeImage(0, x) && (count() < 3 || child(2, Shape{w[0]})) && (count() < 4 || summand());
}

/// The sizes of the result follow from the image and the kernel.
bool TensorApplication::transposedConvolution() {
    std::size_t rank = m_wanted.hasRank ? m_wanted.dims.size() : 0;
    for (std::size_t i = 0; i < 2; ++i) {
        if (m_children[i].isValid()) rank = shape(i).size();
    }
    if (rank == 0) rank = chance(0.8) ? 4 : 3;
    if (rank < 3) return false;
    const std::size_t axes = rank - 2;
    Choices& r = *m_owner.m_choices;
    const Integers strides = integers("strides", [&] { return random(r, axes, 0.65, 1, 3); });
    const Integers dilations = integers("dilations", [&] { return random(r, axes, 0.75, 1, 2); });
    const Integers extra = integers("output_padding", [&] { return random(r, axes, 0.75, 0, 1); });
    const std::int64_t groups = integer("group", [&] { return chance(0.7) ? std::int64_t{1} : std::int64_t{2}; });
    if (strides.size() != axes || dilations.size() != axes || extra.size() != axes || groups < 1) return false;
    Shape x(rank, Wanted::Any);
    x[0] = wanted(0);
    x[1] = m_children[1].isValid() ? shape(1)[0] : groups * m_owner.size();
    if (!child(0, x) || shape(0)[1] % groups != 0) return false;
    Shape w(rank, Wanted::Any);
    w[0] = shape(0)[1];
    if (wanted(1) != Wanted::Any) w[1] = wanted(1) / groups;
    if (!child(1, w)) return false;
    const Integers pads = integers("pads", [&] {
        Integers result(2 * axes, 0);
        for (std::size_t axis = 0; axis < axes; ++axis) {
            const std::int64_t reach =
                (shape(0)[axis + 2] - 1) * strides[axis] + (shape(1)[axis + 2] - 1) * dilations[axis] + 1 + extra[axis];
            result[axis] = reach < 1 ? 0 : below(std::min<std::int64_t>(reach, 3));
        }
        return result;
    });
    return pads.size() == 2 * axes && (count() < 3 || child(2, Shape{shape(1)[1] * groups}));
}

/// Makes the array that a fused convolution adds, which has the shape of its result.
bool TensorApplication::summand() {
    const std::vector<TermId> inputs(m_children.begin(), m_children.begin() + 2);
    if (!chooseOthers()) return false;
    const Result<TermId> result = tensor::make(m_owner.m_bank, m_op, inputs, m_attributes);
    return result && child(3, m_owner.shapeOf(*result));
}

bool TensorApplication::pool() {
    std::size_t rank = m_wanted.hasRank ? m_wanted.dims.size() : chance(0.8) ? 4 : 3;
    if (m_children[0].isValid()) rank = image(0).size();
    if (rank < 3) return false;
    const std::size_t axes = rank - 2;
    Choices& r = *m_owner.m_choices;
    const Integers kernel = integers("kernel_shape", [&] { return random(r, axes, 0.2, 1, 3); });
    const Integers strides = integers("strides", [&] { return random(r, axes, 0.6, 1, 3); });
    const Integers dilations =
        has("dilations") ? integers("dilations", [&] { return random(r, axes, 0.8, 1, 2); }) : Integers(axes, 1);
    const Integers pads = integers("pads", [&] {
        Integers result(2 * axes, 0);
        for (std::size_t i = 0; chance(0.7) && i < result.size(); ++i) result[i] = below(kernel[i % axes]);
        return result;
    });
    if (kernel.size() != axes || strides.size() != axes || dilations.size() != axes || pads.size() != 2 * axes)
        return false;
    if (m_children[0].isValid()) return true;
    Shape x(rank, Wanted::Any);
    x[0] = wantedOfImage(0);
    x[1] = wantedOfImage(1);
    for (std::size_t axis = 0; axis < axes; ++axis) {
        const std::int64_t output = wantedOfImage(axis + 2) == Wanted::Any ? 1 + below(3) : wantedOfImage(axis + 2);
        x[axis + 2] = (output - 1) * strides[axis] + dilations[axis] * (kernel[axis] - 1) + 1 - pads[axis] -
                      pads[axes + axis] + below(strides[axis]);
        if (x[axis + 2] < 1) return false;
    }
    return makeImage(0, x);
}

bool TensorApplication::transpose() {
    const std::size_t rank = m_children[0].isValid() ? shape(0).size() : rankOr(2, 4);
    const Integers perm = integers("perm", [&] {
        Integers result(rank);
        std::iota(result.begin(), result.end(), 0);
        for (std::size_t i = rank; i > 1; --i) std::swap(result[i - 1], result[m_owner.m_choices->below(i)]);
        return result;
    });
    if (m_children[0].isValid()) return true;
    Shape x(perm.size(), Wanted::Any);
    for (std::size_t i = 0; i < perm.size(); ++i) {
        if (perm[i] < 0 || perm[i] >= static_cast<std::int64_t>(perm.size())) return false;
        x[static_cast<std::size_t>(perm[i])] = wanted(i);
    }
    return child(0, x);
}

bool TensorApplication::reshape() {
    /// A shape with the same number of elements: axes joined, split, or an additional size 1.
    const auto regrouped = [&](Shape dims) {
        for (std::int64_t changes = 1 + below(2); changes > 0; --changes) {
            const auto at = static_cast<std::ptrdiff_t>(m_owner.m_choices->below(dims.size() + 1));
            if (dims.size() > 1 && chance(0.5)) {
                const auto left = std::min<std::ptrdiff_t>(at, static_cast<std::ptrdiff_t>(dims.size()) - 2);
                dims[static_cast<std::size_t>(left)] *= dims[static_cast<std::size_t>(left) + 1];
                dims.erase(dims.begin() + left + 1);
            } else {
                const auto place =
                    std::min<std::size_t>(static_cast<std::size_t>(at), dims.empty() ? 0 : dims.size() - 1);
                const std::int64_t part = dims.empty() || dims[place] % 2 != 0 ? 1 : 2;
                if (part == 2) dims[place] /= 2;
                dims.insert(dims.begin() + at, part);
            }
        }
        return dims;
    };
    // As for splitting into heads and merging them: the last two axes are joined (of many axes the last three), or the last one is split.
    const bool isOfHeads = chance(0.3);
    if (isOfHeads && !m_children[0].isValid() && !m_wanted.hasRank && !child(0, any())) return false;
    const auto joined = [&](Shape dims) {
        if (!isOfHeads || dims.size() < 2) return regrouped(std::move(dims));
        constexpr std::size_t Many = 5;
        for (int times = dims.size() >= Many && chance(0.5) ? 2 : 1; times > 0; --times) {
            const std::int64_t last = dims.back();
            dims.pop_back();
            dims.back() *= last;
        }
        return dims;
    };
    if (m_children[0].isValid()) {
        const Shape input = shape(0);
        const bool isOpen = !m_wanted.hasRank || std::ranges::find(m_wanted.dims, Wanted::Any) != m_wanted.dims.end();
        integers("shape", [&] {
            if (!isOpen) return m_wanted.dims;
            const ir::TermBank& bank = m_owner.m_bank;
            const bool isReshape = bank.opName(m_children[0]) == "Reshape";
            // Some take back what another has done.
            return isReshape && chance(0.3) ? m_owner.shapeOf(bank.child(m_children[0], 0)) : joined(input);
        });
        return true;
    }
    Wanted output = m_wanted;
    if (!output.hasRank) output = {true, Shape(rankOr(1, 4), Wanted::Any), m_wanted.dtype};
    const Shape result = integers("shape", [&] { return m_owner.filled(output); });
    if (std::ranges::any_of(result, [](std::int64_t dim) { return dim < 1; })) return false;
    return child(0, joined(result));
}

bool TensorApplication::squeeze() {
    Shape x = m_children[0].isValid() ? shape(0) : Shape();
    if (!m_children[0].isValid()) {
        x = m_wanted.hasRank ? m_wanted.dims : Shape(rankOr(1, 4), Wanted::Any);
        const Integers axes =
            integers("axes", [&] { return Integers{below(static_cast<std::int64_t>(x.size()) + 1)}; });
        for (const std::int64_t axis : axes) {
            if (axis < 0 || axis > static_cast<std::int64_t>(x.size())) return false;
            x.insert(x.begin() + axis, 1);
        }
        return child(0, x);
    }
    const auto one = std::ranges::find(x, 1);
    if (one == x.end()) return false;
    integers("axes", [&] { return Integers{one - x.begin()}; });
    return true;
}

bool TensorApplication::unsqueeze() {
    const std::size_t rank = m_children[0].isValid() ? shape(0).size() + 1 : rankOr(2, 4);
    if (rank == 0) return false;
    const Integers axes = integers("axes", [&] { return Integers{below(static_cast<std::int64_t>(rank))}; });
    if (m_children[0].isValid()) return true;
    Shape x = m_wanted.hasRank ? m_wanted.dims : Shape(rank, Wanted::Any);
    for (std::size_t i = axes.size(); i-- > 0;) {
        if (axes[i] < 0 || axes[i] >= static_cast<std::int64_t>(x.size())) return false;
        x.erase(x.begin() + axes[i]);
    }
    return child(0, x);
}

bool TensorApplication::concat() {
    if (count() == 0) return false;
    std::size_t rank = m_wanted.hasRank ? m_wanted.dims.size() : 0;
    Shape common = m_wanted.hasRank ? m_wanted.dims : Shape();
    for (std::size_t i = 0; i < count(); ++i) {
        if (!m_children[i].isValid()) continue;
        if (rank == 0) common = shape(i);
        rank = shape(i).size();
    }
    if (rank == 0) rank = rankOr(1, 4);
    if (common.empty()) common.assign(rank, Wanted::Any);
    const std::int64_t axis = integer("axis", [&] { return below(static_cast<std::int64_t>(rank)); });
    if (axis < 0 || axis >= static_cast<std::int64_t>(rank) || common.size() != rank) return false;
    const auto at = static_cast<std::size_t>(axis);
    std::int64_t left = wanted(at);
    std::int64_t open = 0;
    for (std::size_t i = 0; i < count(); ++i) {
        if (!m_children[i].isValid()) {
            ++open;
        } else if (left != Wanted::Any) {
            left -= shape(i)[at];
        }
    }
    for (std::size_t i = 0; i < count(); ++i) {
        if (m_children[i].isValid()) continue;
        Shape dims = common;
        dims[at] = Wanted::Any;
        if (left != Wanted::Any) {
            if (left < open) return false;
            dims[at] = open == 1 ? left : 1 + below(left - open + 1);
            left -= dims[at];
        }
        --open;
        if (!child(i, dims)) return false;
        common = shape(i);
    }
    return true;
}

bool TensorApplication::split() {
    const std::size_t rank = m_children[0].isValid() ? shape(0).size() : rankOr(1, 4);
    if (rank == 0) return false;
    const std::int64_t axis = integer("axis", [&] { return below(static_cast<std::int64_t>(rank)); });
    if (axis < 0 || axis >= static_cast<std::int64_t>(rank)) return false;
    const auto at = static_cast<std::size_t>(axis);
    const Integers sizes = integers("sizes", [&] {
        const std::size_t parts = std::max<std::size_t>(m_output + 1, 2) + (chance(0.3) ? 1 : 0);
        Integers result;
        for (std::size_t i = 0; i < parts; ++i) result.push_back(m_owner.size());
        if (m_output < result.size() && wanted(at) != Wanted::Any) result[m_output] = wanted(at);
        if (m_children[0].isValid()) {
            std::int64_t others = 0;
            for (std::size_t i = 0; i + 1 < parts; ++i) others += result[i];
            result.back() = shape(0)[at] - others;
        }
        return result;
    });
    if (m_children[0].isValid()) return true;
    Shape x(rank, Wanted::Any);
    for (std::size_t i = 0; i < rank; ++i) x[i] = wanted(i);
    x[at] = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
    return child(0, x);
}

}  // namespace mitos::eval
