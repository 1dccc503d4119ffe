// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/internal/elementwise.h"

#include "core/tensor/dimension.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::tensor {

namespace {

using ir::Dimension;
using ir::Dtype;

bool accepts(Takes wanted, Dtype dtype) {
    if (dtype == Dtype::Unknown) return true;
    switch (wanted) {
        case Takes::Any: return true;
        case Takes::Numbers: return isComputable(dtype) && dtype != Dtype::Bool;
        case Takes::Floats: return ir::isFloating(dtype);
        case Takes::Integers: return isComputable(dtype) && dtype != Dtype::Bool && !ir::isFloating(dtype);
        case Takes::Bools: return dtype == Dtype::Bool;
    }
    return false;
}

std::string_view text(Takes wanted) {
    switch (wanted) {
        case Takes::Any: break;
        case Takes::Numbers: return "numbers";
        case Takes::Floats: return "floating numbers";
        case Takes::Integers: return "integers";
        case Takes::Bools: return "elements of type bool";
    }
    return "any elements";
}

}  // namespace

Status checkElements(const ShapeInput& in, Takes wanted) {
    Dtype common = Dtype::Unknown;
    for (const ArrayType& input : in.inputs) {
        if (!accepts(wanted, input.dtype)) {
            return shapeError(
                fmt::format("{} takes {}; found {}", in.op.name, text(wanted), ir::dtypeName(input.dtype)));
        }
        if (common != Dtype::Unknown && input.dtype != Dtype::Unknown && input.dtype != common) {
            return shapeError(fmt::format("{} takes arrays of one element type; found {} and {}", in.op.name,
                                          ir::dtypeName(common), ir::dtypeName(input.dtype)));
        }
        if (common == Dtype::Unknown) common = input.dtype;
    }
    return Success{};
}

Result<ArrayType> broadcastInputs(const ShapeInput& in) {
    ArrayType result = in.inputs[0];
    for (const ArrayType& input : in.inputs.subspan(1)) {
        if (result.dtype == Dtype::Unknown) result.dtype = input.dtype;
        result.hasRank = result.hasRank && input.hasRank;
        if (!result.hasRank) {
            result.dimensions.clear();
            continue;
        }
        MITOS_TRY(result.dimensions, broadcast(result.dimensions, input.dimensions, in.symbols));
    }
    return result;
}

std::shared_ptr<Array> blank(const ArrayType& type) {
    auto result = std::make_shared<Array>();
    result->dtype = type.dtype;
    result->shape = type.shape();
    result->elements.resize(static_cast<std::size_t>(elementCount(result->shape)));
    return result;
}

Error inexact() {
    return Error{ErrorCode::Unsupported, "Integers of 2^53 and more are not exact in double precision", std::nullopt,
                 "Evaluate with smaller numbers."};
}

std::optional<double> heldBits(Dtype dtype, std::uint64_t bits) {
    double value = 0.0;
    switch (dtype) {
        case Dtype::I8: value = static_cast<std::int8_t>(bits); break;
        case Dtype::I16: value = static_cast<std::int16_t>(bits); break;
        case Dtype::I32: value = static_cast<std::int32_t>(bits); break;
        case Dtype::U8: value = static_cast<std::uint8_t>(bits); break;
        case Dtype::U16: value = static_cast<std::uint16_t>(bits); break;
        case Dtype::U32: value = static_cast<std::uint32_t>(bits); break;
        case Dtype::U64: value = static_cast<double>(bits); break;
        default: value = static_cast<double>(static_cast<std::int64_t>(bits)); break;
    }
    return std::abs(value) < EndOfExact ? std::optional(value) : std::nullopt;
}

BroadcastWalk::BroadcastWalk(const Shape& output, std::span<const ArrayPtr> inputs)
    : m_shape(output),
      m_index(output.size(), 0) {
    for (const ArrayPtr& input : inputs) {
        Source source{.elements = input->elements.data(), .at = 0, .steps = Shape(output.size(), 0)};
        const Shape own = strides(input->shape);
        const std::size_t missing = output.size() - own.size();
        for (std::size_t i = 0; i < own.size(); ++i) {
            if (input->shape[i] != 1) source.steps[missing + i] = own[i];
        }
        m_sources.push_back(std::move(source));
    }
}

void BroadcastWalk::next() {
    for (std::size_t d = m_shape.size(); d-- > 0;) {
        const bool isInside = ++m_index[d] < m_shape[d];
        for (Source& source : m_sources) {
            source.at += source.steps[d];
            if (!isInside) source.at -= source.steps[d] * m_shape[d];
        }
        if (isInside) return;
        m_index[d] = 0;
    }
}

Error shapeError(std::string message) { return Error{ErrorCode::Parse, std::move(message)}; }

Result<std::vector<Dimension>> broadcast(std::span<const Dimension> a, std::span<const Dimension> b,
                                         SymbolTable& symbols) {
    std::vector<Dimension> result(std::max(a.size(), b.size()));
    const Dimension one = Dimension::of(1);
    for (std::size_t i = 0; i < result.size(); ++i) {
        const Dimension left = i < a.size() ? a[a.size() - 1 - i] : one;
        const Dimension right = i < b.size() ? b[b.size() - 1 - i] : one;
        Dimension& out = result[result.size() - 1 - i];
        if (left == right || right == one)
            out = left;
        else if (left == one)
            out = right;
        else if (left.isKnown() != right.isKnown())
            out = left.isKnown() ? left : right;  // the name must be 1 or that size
        else if (!left.isKnown())
            out = larger(left, right, symbols);
        else
            return shapeError(fmt::format("sizes {} and {} do not broadcast", dimensionText(left, symbols),
                                          dimensionText(right, symbols)));
    }
    return result;
}

}  // namespace mitos::tensor
