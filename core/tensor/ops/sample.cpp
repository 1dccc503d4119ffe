// SPDX-License-Identifier: GPL-3.0-or-later
// Images sampled at positions that another array gives.
#include "core/tensor/internal/elementwise.h"
#include "core/tensor/internal/interpolation.h"
#include "core/tensor/ops/ops.h"
#include "core/tensor/work.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace mitos::tensor {

namespace {

using ir::Dimension;

Result<std::vector<ArrayType>> gridSampleShape(const ShapeInput& in) {
    MITOS_REQUIRE(checkElements(in, Takes::Floats));
    const ArrayType& x = in.inputs[0];
    const ArrayType& grid = in.inputs[1];
    if (!x.hasRank || !grid.hasRank) return std::vector<ArrayType>{{.dtype = x.dtype, .hasRank = false}};
    if (x.rank() != 4 || grid.rank() != 4 || !mayBeEqual(grid.dimensions[3], Dimension::of(2)) ||
        !mayBeEqual(x.dimensions[0], grid.dimensions[0])) {
        return shapeError("GridSample takes images [N,C,H,W] and places [N,height,width,2]");
    }
    if (x.dimensions[2] == Dimension::of(0) || x.dimensions[3] == Dimension::of(0)) {
        return shapeError("GridSample: the image has no elements to sample");
    }
    return std::vector<ArrayType>{
        {.dtype = x.dtype, .dimensions = {x.dimensions[0], x.dimensions[1], grid.dimensions[1], grid.dimensions[2]}}};
}

/// Maps positions along one axis of an image.
class SampledAxis {
public:
    SampledAxis(const Attributes& attributes, std::int64_t size)
        : m_size(size),
          m_padding(attributes.word("padding_mode")),
          m_alignsCorners(attributes.boolean("align_corners")) {}

    /// Converts a position in -1 … 1 to one in elements.
    [[nodiscard]] double place(double x) const {
        const auto size = static_cast<double>(m_size);
        return m_alignsCorners ? (x + 1.0) / 2.0 * (size - 1.0) : ((x + 1.0) * size - 1.0) / 2.0;
    }
    /// The element that is shown at a position, which may be outside; -1 for none.
    [[nodiscard]] std::int64_t element(double place) const {
        const double last = static_cast<double>(m_size - 1);
        if (!std::isfinite(place)) return -1;
        if (m_padding == "border") return static_cast<std::int64_t>(std::clamp(place, 0.0, last));
        if (place >= 0.0 && place <= last) return static_cast<std::int64_t>(place);
        if (m_padding == "zeros") return -1;
        // Positions are reflected at the centres of the outermost elements, or at their outer edges.
        const double first = m_alignsCorners ? 0.0 : -0.5;
        const double range = m_alignsCorners ? last : last + 1.0;
        if (range == 0.0) return 0;
        const double away = std::fmod(std::abs(place - first), 2.0 * range);
        return static_cast<std::int64_t>(std::clamp(first + (away > range ? 2.0 * range - away : away), 0.0, last));
    }

private:
    std::int64_t m_size;
    std::string_view m_padding;
    bool m_alignsCorners;
};

/// Up to four neighbours along an axis, and their weights.
struct Neighbours {
    double first = 0.0;
    std::size_t count = 1;
    std::array<double, 4> weights{1.0};
};

Neighbours sampledNeighbours(std::string_view mode, double place) {
    if (mode == "nearest") return {.first = std::nearbyint(place)};
    const double low = std::floor(place);
    const double rest = place - low;
    if (mode == "bilinear") return {.first = low, .count = 2, .weights = {1.0 - rest, rest}};
    constexpr double A = -0.75;
    Neighbours result{.first = low - 1.0, .count = 4};
    for (std::size_t i = 0; i < 4; ++i) result.weights[i] = cubicKernel(rest - (static_cast<double>(i) - 1.0), A);
    return result;
}

Result<std::vector<ArrayPtr>> gridSample(const EvaluateInput& in) {
    const Array& x = *in.inputs[0];
    const Array& grid = *in.inputs[1];
    const std::string& mode = in.attributes.word("mode");
    const SampledAxis rows(in.attributes, x.shape[2]);
    const SampledAxis columns(in.attributes, x.shape[3]);
    const std::shared_ptr<Array> result = blank(in.outputs[0]);
    const std::int64_t places = grid.shape[1] * grid.shape[2];
    const std::int64_t area = x.shape[2] * x.shape[3];
    for (std::int64_t image = 0; image < x.shape[0]; ++image) {
        for (std::int64_t place = 0; place < places; ++place) {
            const auto at = static_cast<std::size_t>((image * places + place) * 2);
            const Neighbours across = sampledNeighbours(mode, columns.place(grid.elements[at]));
            const Neighbours down = sampledNeighbours(mode, rows.place(grid.elements[at + 1]));
            for (std::int64_t channel = 0; channel < x.shape[1]; ++channel) {
                const double* const from = x.elements.data() + (image * x.shape[1] + channel) * area;
                double sum = 0.0;
                for (std::size_t i = 0; i < down.count; ++i) {
                    const std::int64_t row = rows.element(down.first + static_cast<double>(i));
                    for (std::size_t j = 0; j < across.count && row >= 0; ++j) {
                        const std::int64_t column = columns.element(across.first + static_cast<double>(j));
                        if (column >= 0) sum += down.weights[i] * across.weights[j] * from[row * x.shape[3] + column];
                    }
                }
                result->elements[static_cast<std::size_t>((image * x.shape[1] + channel) * places + place)] = sum;
            }
        }
    }
    return std::vector<ArrayPtr>{result};
}

Work gridSampleWork(const ShapeInput& in, std::span<const ArrayType> outputs) {
    Work work = movement(in, outputs);
    const std::string& mode = in.attributes.word("mode");
    const double neighboursOfEach = mode == "nearest" ? 1.0 : mode == "bilinear" ? 4.0 : 16.0;
    work.flops = 2.0 * neighboursOfEach * elements(outputs[0]);
    return work;
}

// --- Det --------------------------------------------------------------------------------------------------------------

Result<std::vector<ArrayType>> detShape(const ShapeInput& in) {
    MITOS_REQUIRE(checkElements(in, Takes::Floats));
    ArrayType result = in.inputs[0];
    if (!result.hasRank) return std::vector<ArrayType>{std::move(result)};
    const std::size_t rank = result.rank();
    if (rank < 2 || !mayBeEqual(result.dimensions[rank - 1], result.dimensions[rank - 2]))
        return shapeError("Det takes square matrices");
    result.dimensions.resize(rank - 2);
    return std::vector<ArrayType>{std::move(result)};
}

/// The determinant, by elimination with partial pivoting.
double determinant(std::vector<double> m, std::size_t n) {
    double result = 1.0;
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t pivot = k;
        for (std::size_t i = k + 1; i < n; ++i) {
            if (std::abs(m[i * n + k]) > std::abs(m[pivot * n + k])) pivot = i;
        }
        if (m[pivot * n + k] == 0.0) return 0.0;
        if (pivot != k) {
            for (std::size_t j = 0; j < n; ++j) std::swap(m[k * n + j], m[pivot * n + j]);
            result = -result;
        }
        result *= m[k * n + k];
        for (std::size_t i = k + 1; i < n; ++i) {
            const double factor = m[i * n + k] / m[k * n + k];
            for (std::size_t j = k; j < n; ++j) m[i * n + j] -= factor * m[k * n + j];
        }
    }
    return result;
}

Result<std::vector<ArrayPtr>> det(const EvaluateInput& in) {
    const Array& x = *in.inputs[0];
    const std::shared_ptr<Array> result = blank(in.outputs[0]);
    const auto n = static_cast<std::size_t>(x.shape.back());
    for (std::size_t i = 0; i < result->elements.size(); ++i) {
        const auto from = x.elements.begin() + static_cast<std::ptrdiff_t>(i * n * n);
        result->elements[i] = determinant({from, from + static_cast<std::ptrdiff_t>(n * n)}, n);
    }
    return std::vector<ArrayPtr>{result};
}

Work detWork(const ShapeInput& in, std::span<const ArrayType> outputs) {
    Work work = movement(in, outputs);
    const ArrayType& x = in.inputs[0];
    if (x.rank() < 2 || !x.dimensions.back().isKnown()) return work;
    work.flops = 2.0 / 3.0 * elements(x) * static_cast<double>(x.dimensions.back().size);
    return work;
}

}  // namespace

void addSamples(std::vector<Operator>& table) {
    table.push_back({.name = "GridSample",
                     .doc = "an image sampled at the places of a grid, from -1 to 1 across and down",
                     .inputs = {{.name = "X"}, {.name = "grid"}},
                     .attributes = {{.name = "mode",
                                     .kind = AttributeKind::Word,
                                     .defaultText = "bilinear",
                                     .words = {"bilinear", "nearest", "bicubic"}},
                                    {.name = "padding_mode",
                                     .kind = AttributeKind::Word,
                                     .defaultText = "zeros",
                                     .doc = "the value of places outside the image",
                                     .words = {"zeros", "border", "reflection"}},
                                    {.name = "align_corners",
                                     .kind = AttributeKind::Boolean,
                                     .defaultText = "false",
                                     .doc = "whether -1 and 1 are centres of elements instead of edges"}},
                     .shape = gridSampleShape,
                     .evaluate = gridSample,
                     .work = gridSampleWork});
    table.push_back({.name = "Det",
                     .doc = "determinants of matrices",
                     .inputs = {{.name = "X"}},
                     .shape = detShape,
                     .evaluate = det,
                     .work = detWork});
}

}  // namespace mitos::tensor
