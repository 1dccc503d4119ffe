// SPDX-License-Identifier: GPL-3.0-or-later
// Application of linear maps and of their transposes (ks-language.md 5).
#include "core/eval/internal/linear_map.h"

#include "core/eval/internal/algebra.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::eval {

namespace {

constexpr std::uint32_t MaxNesting = 2000;

/// Sum of the results of the maps. Fails for an empty tensor of maps, whose zero is unknown.
template <typename Term>
Value sumOver(Meter& meter, std::size_t count, const Term& term) {
    if (count == 0) fail("a sum of no linear maps has no known size");
    Value sum = term(0);
    for (std::size_t i = 1; i < count; ++i) sum = accumulate(meter, sum, term(i));
    return sum;
}

template <typename Element>
std::vector<Value> collect(std::size_t count, const Element& element) {
    std::vector<Value> parts;
    parts.reserve(count);
    for (std::size_t i = 0; i < count; ++i) parts.push_back(element(i));
    return parts;
}

/// The elements of the tensor to which a tensor of maps is applied.
const std::vector<Value>& elementsFor(const LinearMapValue& map, const Value& tangent) {
    const TensorValue& tensor = tangent.asTensor();
    if (tensor.dims != map.dims) {
        fail(fmt::format("a tensor of linear maps of size {} is applied to a tangent of size {}", sizesText(map.dims),
                         sizesText(tensor.dims)));
    }
    return tensor.elements;
}

}  // namespace

Value makeLinearMap(LinearMapValue map) {
    for (const Value& inner : map.maps) map.nesting = std::max(map.nesting, inner.asLinearMap().nesting + 1);
    if (map.nesting > MaxNesting) {
        throw Failure{ErrorCode::Limit, fmt::format("linear maps are nested more than {} deep", MaxNesting), {}};
    }
    return Value(std::make_shared<const LinearMapValue>(std::move(map)));
}

Value applyMap(Meter& meter, const LinearMapValue& map, const Value& ds) {
    meter.spend();
    const auto inner = [&](std::size_t i, const Value& x) { return applyMap(meter, map.maps[i].asLinearMap(), x); };
    const std::size_t count = map.maps.size();
    switch (map.kind) {
        case LinearMapKind::Zero: return map.values[1];
        case LinearMapKind::One: return ds;
        case LinearMapKind::Scale: return scale(meter, map.factor, ds);
        case LinearMapKind::ScaleR: return scale(meter, ds.asFloat(), map.values[0]);
        case LinearMapKind::Dot: return Value(dot(meter, map.values[0], ds));
        case LinearMapKind::Compose: return inner(0, inner(1, ds));
        case LinearMapKind::Add: return accumulate(meter, inner(0, ds), inner(1, ds));
        case LinearMapKind::VCat:
            return meter.tuple(TupleValue{collect(count, [&](std::size_t i) { return inner(i, ds); })});
        case LinearMapKind::HCat:
            return sumOver(meter, count, [&](std::size_t i) { return inner(i, ds.asTuple().elements[i]); });
        case LinearMapKind::VCatV:
            return meter.tensor(TensorValue{map.dims, collect(count, [&](std::size_t i) { return inner(i, ds); })});
        case LinearMapKind::HCatV: {
            const std::vector<Value>& elements = elementsFor(map, ds);
            return sumOver(meter, count, [&](std::size_t i) { return inner(i, elements[i]); });
        }
    }
    return {};
}

Value applyTransposed(Meter& meter, const LinearMapValue& map, const Value& dt) {
    meter.spend();
    const auto inner = [&](std::size_t i, const Value& x) {
        return applyTransposed(meter, map.maps[i].asLinearMap(), x);
    };
    const std::size_t count = map.maps.size();
    switch (map.kind) {
        case LinearMapKind::Zero: return map.values[0];
        case LinearMapKind::One: return dt;
        case LinearMapKind::Scale: return scale(meter, map.factor, dt);
        case LinearMapKind::ScaleR: return Value(dot(meter, map.values[0], dt));
        case LinearMapKind::Dot: return scale(meter, dt.asFloat(), map.values[0]);
        case LinearMapKind::Compose: return inner(1, inner(0, dt));
        case LinearMapKind::Add: return accumulate(meter, inner(0, dt), inner(1, dt));
        case LinearMapKind::VCat:
            return sumOver(meter, count, [&](std::size_t i) { return inner(i, dt.asTuple().elements[i]); });
        case LinearMapKind::HCat:
            return meter.tuple(TupleValue{collect(count, [&](std::size_t i) { return inner(i, dt); })});
        case LinearMapKind::VCatV: {
            const std::vector<Value>& elements = elementsFor(map, dt);
            return sumOver(meter, count, [&](std::size_t i) { return inner(i, elements[i]); });
        }
        case LinearMapKind::HCatV:
            return meter.tensor(TensorValue{map.dims, collect(count, [&](std::size_t i) { return inner(i, dt); })});
    }
    return {};
}

}  // namespace mitos::eval
