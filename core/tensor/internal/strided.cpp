// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/internal/strided.h"

#include <algorithm>
#include <utility>

namespace mitos::tensor {

void copyStrided(const double* from, const Shape& fromSteps, double* to, const Shape& toSteps, const Shape& shape) {
    const std::int64_t count = elementCount(shape);
    if (count == 0) return;
    const std::size_t outer = shape.empty() ? 0 : shape.size() - 1;
    const std::int64_t inner = shape.empty() ? 1 : shape.back();
    const std::int64_t fromStep = shape.empty() ? 0 : fromSteps.back();
    const std::int64_t toStep = shape.empty() ? 0 : toSteps.back();
    Shape index(outer, 0);
    for (std::int64_t done = 0; done < count; done += inner) {
        for (std::int64_t i = 0; i < inner; ++i) to[i * toStep] = from[i * fromStep];
        for (std::size_t axis = outer; axis-- > 0;) {
            from += fromSteps[axis];
            to += toSteps[axis];
            if (++index[axis] < shape[axis]) break;
            from -= fromSteps[axis] * shape[axis];
            to -= toSteps[axis] * shape[axis];
            index[axis] = 0;
        }
    }
}

ArrayPtr gathered(const Array& from, std::int64_t offset, const Shape& steps, Shape shape) {
    auto result = std::make_shared<Array>();
    result->dtype = from.dtype;
    result->elements.resize(static_cast<std::size_t>(elementCount(shape)));
    copyStrided(from.elements.data() + offset, steps, result->elements.data(), strides(shape), shape);
    result->shape = std::move(shape);
    return result;
}

ArrayPtr gathered(const Array& from, const AxisMaps& maps, double fill) {
    auto result = std::make_shared<Array>();
    result->dtype = from.dtype;
    for (const Shape& map : maps) result->shape.push_back(static_cast<std::int64_t>(map.size()));
    const auto count = static_cast<std::size_t>(elementCount(result->shape));
    result->elements.assign(count, fill);
    const Shape steps = strides(from.shape);
    Shape index(maps.size(), 0);
    for (std::size_t at = 0; at < count; ++at) {
        std::int64_t source = 0;
        for (std::size_t axis = 0; axis < maps.size() && source >= 0; ++axis) {
            const std::int64_t place = maps[axis][static_cast<std::size_t>(index[axis])];
            source = place < 0 ? -1 : source + place * steps[axis];
        }
        if (source >= 0) result->elements[at] = from.elements[static_cast<std::size_t>(source)];
        for (std::size_t axis = maps.size(); axis-- > 0;) {
            if (++index[axis] < result->shape[axis]) break;
            index[axis] = 0;
        }
    }
    return result;
}

namespace {

/// The offsets of all combinations of steps along some dimensions, row-major.
std::vector<std::int64_t> offsets(const Shape& sizes, const Shape& distances) {
    std::vector<std::int64_t> result{0};
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        std::vector<std::int64_t> longer;
        longer.reserve(result.size() * static_cast<std::size_t>(sizes[d]));
        for (const std::int64_t offset : result) {
            for (std::int64_t i = 0; i < sizes[d]; ++i) longer.push_back(offset + i * distances[d]);
        }
        result = std::move(longer);
    }
    return result;
}

}  // namespace

Slices::Slices(std::span<const std::int64_t> shape, std::span<const std::int64_t> axes) {
    const Shape distances = strides(shape);
    Shape sizes[2];
    Shape steps[2];
    for (std::size_t d = 0; d < shape.size(); ++d) {
        const bool isInside = std::ranges::find(axes, static_cast<std::int64_t>(d)) != axes.end();
        sizes[isInside ? 1 : 0].push_back(shape[d]);
        steps[isInside ? 1 : 0].push_back(distances[d]);
    }
    m_starts = offsets(sizes[0], steps[0]);
    m_steps = offsets(sizes[1], steps[1]);
}

void Slices::read(std::span<const double> elements, std::size_t slice, std::vector<double>& to) const {
    to.resize(size());
    for (std::size_t i = 0; i < size(); ++i) to[i] = elements[static_cast<std::size_t>(m_starts[slice] + m_steps[i])];
}

void Slices::write(std::span<const double> from, std::size_t slice, std::span<double> elements) const {
    for (std::size_t i = 0; i < size(); ++i) elements[static_cast<std::size_t>(m_starts[slice] + m_steps[i])] = from[i];
}

}  // namespace mitos::tensor
