// SPDX-License-Identifier: GPL-3.0-or-later
// Strided copies of elements, which implement transposing, slicing, repeating, joining, padding and resizing.
#pragma once

#include "core/tensor/array.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace mitos::tensor {

/// to[i . toSteps] = from[i . fromSteps] for every index i of `shape`. A step of 0 repeats, a negative one goes backwards.
void copyStrided(const double* from, const Shape& fromSteps, double* to, const Shape& toSteps, const Shape& shape);

/// An array of that shape whose element i is from[offset + i . steps].
[[nodiscard]] ArrayPtr gathered(const Array& from, std::int64_t offset, const Shape& steps, Shape shape);

/// For each axis of a result, the source position along that axis for each of its positions; -1 for none.
using AxisMaps = std::vector<Shape>;
/// The result; elements without a source position are `fill`.
[[nodiscard]] ArrayPtr gathered(const Array& from, const AxisMaps& maps, double fill = 0.0);

class Slices {
public:
    /// The axes are in rising order, each within the rank.
    Slices(std::span<const std::int64_t> shape, std::span<const std::int64_t> axes);

    /// The number of slices. They are numbered in the order of the other axes, row-major.
    [[nodiscard]] std::size_t count() const { return m_starts.size(); }
    /// The number of elements of each slice.
    [[nodiscard]] std::size_t size() const { return m_steps.size(); }
    void read(std::span<const double> elements, std::size_t slice, std::vector<double>& to) const;
    void write(std::span<const double> from, std::size_t slice, std::span<double> elements) const;

private:
    std::vector<std::int64_t> m_starts;  // the offset of each slice's first element
    std::vector<std::int64_t> m_steps;   // the distances from there to each of its elements
};

/// A copy of the array in which function(number of the slice, its elements) has changed each slice.
template <typename Function>
[[nodiscard]] std::shared_ptr<Array> mapSlices(const Array& x, std::span<const std::int64_t> axes, Function function) {
    auto result = std::make_shared<Array>(x);
    const Slices slices(x.shape, axes);
    std::vector<double> slice;
    for (std::size_t i = 0; i < slices.count() && slices.size() > 0; ++i) {
        slices.read(x.elements, i, slice);
        function(i, slice);
        slices.write(slice, i, result->elements);
    }
    return result;
}

}  // namespace mitos::tensor
