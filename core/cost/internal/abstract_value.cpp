// SPDX-License-Identifier: GPL-3.0-or-later
// Interning of abstract values, and the few operations on them.
#include "core/cost/internal/abstract_value.h"

#include "core/cost/internal/charge.h"

#include <algorithm>
#include <bit>

namespace mitos::cost {

ValueId AbstractValues::intern(AbstractValue value) {
    const ValueId fresh(static_cast<std::uint32_t>(m_values.size()));
    const auto [place, isNew] = m_ids.try_emplace(value, fresh);
    if (isNew) m_values.push_back(std::move(value));
    return place->second;
}

ValueId AbstractValues::floating(double v) {
    return intern({.kind = ValueKind::Float,
                   .bits = std::bit_cast<std::int64_t>(v),
                   .environment = {},
                   .sizes = {},
                   .parts = {}});
}

ValueId AbstractValues::tuple(std::span<const ValueId> parts) {
    AbstractValue value{.kind = ValueKind::Tuple, .bits = 0, .environment = {}, .sizes = {}, .parts = {}};
    value.parts.assign(parts.begin(), parts.end());
    return intern(std::move(value));
}

ValueId AbstractValues::tensor(std::span<const std::int64_t> sizes, ValueId element) {
    AbstractValue value{.kind = ValueKind::Tensor, .bits = 0, .environment = {}, .sizes = {}, .parts = {element}};
    value.sizes.assign(sizes.begin(), sizes.end());
    return intern(std::move(value));
}

ValueId AbstractValues::function(ir::TermId lambda, EnvId environment) {
    return intern(
        {.kind = ValueKind::Function, .bits = lambda.value, .environment = environment, .sizes = {}, .parts = {}});
}

ValueId AbstractValues::shapeOf(ValueId id) {
    AbstractValue value = m_values[id.value];
    switch (value.kind) {
        case ValueKind::Integer:
        case ValueKind::Float:
        case ValueKind::Bool: return unknown();
        case ValueKind::Tuple:
        case ValueKind::Tensor:
            for (ValueId& part : value.parts) part = shapeOf(part);
            return intern(std::move(value));
        case ValueKind::Unknown:
        case ValueKind::Function: break;
    }
    return id;
}

ValueId AbstractValues::join(ValueId a, ValueId b) {
    if (a == b) return a;
    AbstractValue left = m_values[a.value];
    const AbstractValue right = m_values[b.value];
    if (left.kind != right.kind || left.parts.size() != right.parts.size() ||
        (left.kind != ValueKind::Tuple && left.kind != ValueKind::Tensor)) {
        return unknown();
    }
    for (std::size_t i = 0; i < left.sizes.size(); ++i) {
        if (left.sizes[i] != right.sizes[i]) left.sizes[i] = AbstractValue::UnknownSize;
    }
    for (std::size_t i = 0; i < left.parts.size(); ++i) left.parts[i] = join(left.parts[i], right.parts[i]);
    return intern(std::move(left));
}

absl::InlinedVector<std::int64_t, 2> AbstractValues::sizesFrom(ValueId size) const {
    const auto known = [this](ValueId id) {
        const AbstractValue& value = m_values[id.value];
        return value.kind == ValueKind::Integer ? std::max<std::int64_t>(value.bits, 0) : AbstractValue::UnknownSize;
    };
    absl::InlinedVector<std::int64_t, 2> sizes;
    if (const AbstractValue& value = m_values[size.value]; value.kind == ValueKind::Tuple) {
        for (const ValueId part : value.parts) sizes.push_back(known(part));
    } else {
        sizes.push_back(known(size));
    }
    return sizes;
}

ValueId AbstractValues::sizeValue(std::span<const std::int64_t> sizes) {
    std::vector<ValueId> parts;
    for (const std::int64_t size : sizes) {
        parts.push_back(size == AbstractValue::UnknownSize ? unknown() : integer(size));
    }
    return parts.size() == 1 ? parts[0] : tuple(parts);
}

double AbstractValues::product(std::span<const std::int64_t> sizes) const {
    double result = 1.0;
    for (const std::int64_t size : sizes) {
        result *= static_cast<double>(size == AbstractValue::UnknownSize ? m_defaultSize : size);
    }
    return std::min(result, LargestCost);
}

double AbstractValues::length(ValueId tensor) const {
    const AbstractValue& value = m_values[tensor.value];
    return value.kind == ValueKind::Tensor ? product(value.sizes) : 1.0;
}

double AbstractValues::elements(ValueId id) const {
    const AbstractValue& value = m_values[id.value];
    if (value.kind == ValueKind::Tuple) {
        double sum = 0.0;
        for (const ValueId part : value.parts) sum += elements(part);
        return std::min(sum, LargestCost);
    }
    if (value.kind == ValueKind::Tensor) return std::min(product(value.sizes) * elements(value.parts[0]), LargestCost);
    return 1.0;
}

}  // namespace mitos::cost
