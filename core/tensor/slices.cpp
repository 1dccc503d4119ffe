// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/slices.h"

#include <algorithm>

namespace mitos::tensor {

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
        const bool isInside = std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(d)) != axes.end();
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
