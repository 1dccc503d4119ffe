// SPDX-License-Identifier: GPL-3.0-or-later
// Interning of abstract values, and the few operations on them.
#include "core/ir/abstract_value.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace mitos::ir {

namespace {

/// The ends of an Integer as Floats: the nearest ones outside of it where none is equal.
ValueRange ofInteger(std::int64_t number) {
    const auto nearest = static_cast<double>(number);
    constexpr double Infinity = std::numeric_limits<double>::infinity();
    const bool isExact = std::abs(nearest) <= 0x1p53;
    if (isExact) return ValueRange::exactly(nearest);
    return {std::max(std::nextafter(nearest, -Infinity), Signed64.low),
            std::min(std::nextafter(nearest, Infinity), Signed64.end), true};
}

AbstractValue constant(ValueKind kind, std::int64_t bits) {
    AbstractValue value;
    value.kind = kind;
    value.bits = bits;
    return value;
}

}  // namespace

ValueId AbstractValues::intern(AbstractValue value) {
    const ValueId fresh(static_cast<std::uint32_t>(m_values.size()));
    const auto [place, isNew] = m_ids.try_emplace(value, fresh);
    if (isNew) m_values.push_back(std::move(value));
    return place->second;
}

ValueId AbstractValues::integer(std::int64_t v) { return intern(constant(ValueKind::Integer, v)); }
ValueId AbstractValues::boolean(bool v) { return intern(constant(ValueKind::Bool, v ? 1 : 0)); }
ValueId AbstractValues::floating(double v) {
    return intern(constant(ValueKind::Float, std::bit_cast<std::int64_t>(v)));
}

ValueId AbstractValues::literal(const Payload& payload) {
    switch (payload.kind()) {
        case PayloadKind::Integer: return integer(payload.asInteger());
        case PayloadKind::Float: return floating(payload.asFloat());
        case PayloadKind::Bool: return boolean(payload.asBool());
        default: return unknown();
    }
}

ValueId AbstractValues::tuple(std::span<const ValueId> parts) {
    AbstractValue value;
    value.kind = ValueKind::Tuple;
    value.parts.assign(parts.begin(), parts.end());
    return intern(std::move(value));
}

ValueId AbstractValues::tensor(std::span<const Size> sizes, ValueId element) {
    AbstractValue value;
    value.kind = ValueKind::Tensor;
    value.sizes.assign(sizes.begin(), sizes.end());
    value.parts.push_back(element);
    return intern(std::move(value));
}

ValueId AbstractValues::function(TermId lambda, EnvId environment) {
    AbstractValue value = constant(ValueKind::Function, lambda.value);
    value.environment = environment;
    return intern(std::move(value));
}

ValueId AbstractValues::scalar(const ValueRange& range, Size number) {
    if (!tracksNumbers()) return unknown();
    AbstractValue value;
    value.range = range;
    value.number = number;
    return intern(std::move(value));
}

ValueId AbstractValues::indexBelow(Size size) {
    if (!tracksNumbers()) return unknown();
    AbstractValue value;
    value.range = sizeRange();
    if (const std::optional<std::int64_t> number = size.number()) {
        value.range.high = std::max(ofInteger(*number).high - 1.0, 0.0);
    }
    value.below = size;
    return intern(std::move(value));
}

ValueId AbstractValues::shapeOf(ValueId id, const TypeTable& types, TypeId type) {
    AbstractValue value = m_values[id.value];
    switch (value.kind) {
        case ValueKind::Tuple:
            for (std::size_t i = 0; i < value.parts.size(); ++i) {
                value.parts[i] = shapeOf(value.parts[i], types, types.children(type)[i]);
            }
            return intern(std::move(value));
        case ValueKind::Tensor:
            value.parts[0] = shapeOf(value.parts[0], types, types.element(type));
            return intern(std::move(value));
        case ValueKind::Function: return id;
        default: return tracksNumbers() ? anyOfType(types, type) : unknown();
    }
}

ValueId AbstractValues::join(ValueId a, ValueId b) {
    if (a == b) return a;
    AbstractValue left = m_values[a.value];
    const AbstractValue right = m_values[b.value];
    const bool isStructured = left.kind == ValueKind::Tuple || left.kind == ValueKind::Tensor;
    if (!isStructured || left.kind != right.kind || left.parts.size() != right.parts.size()) {
        if (!tracksNumbers() || left.kind == ValueKind::Function || right.kind == ValueKind::Function) return unknown();
        AbstractValue both;
        both.range = hull(range(a), range(b));
        if (left.below == right.below) both.below = left.below;
        if (left.number == right.number) both.number = left.number;
        return intern(std::move(both));
    }
    for (std::size_t i = 0; i < left.sizes.size(); ++i) {
        if (left.sizes[i] != right.sizes[i]) left.sizes[i] = Size();
    }
    for (std::size_t i = 0; i < left.parts.size(); ++i) left.parts[i] = join(left.parts[i], right.parts[i]);
    return intern(std::move(left));
}

ValueId AbstractValues::meet(ValueId a, ValueId b) {
    if (a == b) return a;
    if (b < a) std::swap(a, b);  // so that the order does not matter
    AbstractValue left = m_values[a.value];
    const AbstractValue right = m_values[b.value];
    const auto isConstant = [](const AbstractValue& v) {
        return v.kind == ValueKind::Integer || v.kind == ValueKind::Float || v.kind == ValueKind::Bool;
    };
    if (isConstant(left) || left.kind == ValueKind::Function) return a;
    if (isConstant(right) || right.kind == ValueKind::Function) return b;
    if (left.kind != right.kind) return left.kind == ValueKind::Scalar ? b : a;
    if (left.sizes.size() != right.sizes.size() || left.parts.size() != right.parts.size()) return a;
    for (std::size_t i = 0; i < left.sizes.size(); ++i) {
        const bool isBetter = !left.sizes[i].isKnown() || (right.sizes[i].number() && !left.sizes[i].number());
        if (isBetter) left.sizes[i] = right.sizes[i];
    }
    for (std::size_t i = 0; i < left.parts.size(); ++i) left.parts[i] = meet(left.parts[i], right.parts[i]);
    if (left.kind == ValueKind::Scalar) {
        left.range = ir::meet(left.range, right.range);
        if (!left.number.isKnown()) left.number = right.number;
        if (!left.below.isKnown()) left.below = right.below;
    }
    return intern(std::move(left));
}

ValueRange AbstractValues::range(ValueId id) const {
    const AbstractValue& value = m_values[id.value];
    switch (value.kind) {
        case ValueKind::Integer: return ofInteger(value.bits);
        case ValueKind::Float: return ValueRange::exactly(std::bit_cast<double>(value.bits));
        case ValueKind::Bool: return ValueRange::exactly(static_cast<double>(value.bits));
        case ValueKind::Scalar: return value.range;
        case ValueKind::Function: return {};
        case ValueKind::Tuple:
        case ValueKind::Tensor: break;
    }
    if (value.parts.empty()) return {};
    ValueRange all = range(value.parts[0]);
    for (std::size_t i = 1; i < value.parts.size(); ++i) all = hull(all, range(value.parts[i]));
    return all;
}

std::optional<bool> AbstractValues::truth(ValueId id) const {
    const AbstractValue& value = m_values[id.value];
    return value.kind == ValueKind::Bool ? std::optional(value.bits != 0) : std::nullopt;
}

Size AbstractValues::identity(ValueId integer) const {
    const AbstractValue& value = m_values[integer.value];
    if (value.kind == ValueKind::Integer) return Size::of(value.bits);
    return value.kind == ValueKind::Scalar ? value.number : Size();
}

Size AbstractValues::sizeFrom(ValueId integer) const {
    const Size size = identity(integer);
    const std::optional<std::int64_t> number = size.number();
    return number ? Size::of(std::max<std::int64_t>(*number, 0)) : size;
}

Sizes AbstractValues::sizesFrom(ValueId size) const {
    Sizes sizes;
    if (const AbstractValue& value = m_values[size.value]; value.kind == ValueKind::Tuple) {
        for (const ValueId part : value.parts) sizes.push_back(sizeFrom(part));
    } else {
        sizes.push_back(sizeFrom(size));
    }
    return sizes;
}

ValueId AbstractValues::sizeValue(std::span<const Size> sizes) {
    std::vector<ValueId> parts;
    for (const Size size : sizes) {
        const std::optional<std::int64_t> number = size.number();
        parts.push_back(number ? integer(*number) : scalar(sizeRange(), size));
    }
    return parts.size() == 1 ? parts[0] : tuple(parts);
}

bool AbstractValues::haveSameSizes(ValueId a, ValueId b) const {
    const AbstractValue& left = m_values[a.value];
    const AbstractValue& right = m_values[b.value];
    const auto isStructured = [](const AbstractValue& v) {
        return v.kind == ValueKind::Tuple || v.kind == ValueKind::Tensor;
    };
    if (!isStructured(left) && !isStructured(right)) {
        return left.kind != ValueKind::Function && right.kind != ValueKind::Function;
    }
    if (left.kind != right.kind || left.sizes != right.sizes || left.parts.size() != right.parts.size()) return false;
    if (!std::ranges::all_of(left.sizes, &Size::isKnown)) return false;
    for (std::size_t i = 0; i < left.parts.size(); ++i) {
        if (!haveSameSizes(left.parts[i], right.parts[i])) return false;
    }
    return true;
}

bool AbstractValues::isInside(ValueId index, std::span<const Size> sizes) const {
    const auto isBelow = [this](ValueId id, Size size) {
        const AbstractValue& value = m_values[id.value];
        const ValueRange bounds = range(id);
        if (!bounds.isNonnegative()) return false;
        if (const std::optional<std::int64_t> number = size.number())
            return bounds.high < static_cast<double>(*number) || (size.isKnown() && value.below == size);
        return size.isKnown() && value.below == size;
    };
    const AbstractValue& value = m_values[index.value];
    if (value.kind != ValueKind::Tuple) return sizes.size() == 1 && isBelow(index, sizes[0]);
    if (value.parts.size() != sizes.size()) return false;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (!isBelow(value.parts[i], sizes[i])) return false;
    }
    return true;
}

Size AbstractValues::intern(const std::array<std::uint64_t, 3>& key, Origin origin) {
    const auto [place, isNew] = m_symbolIds.try_emplace(key, static_cast<std::uint32_t>(m_symbols.size()));
    if (isNew) m_symbols.push_back(origin);
    return Size::symbol(place->second);
}

Size AbstractValues::named(TermId term, EnvId environment, std::uint32_t part, std::uint32_t level, bool isRagged) {
    if (!tracksNumbers()) return {};
    const std::uint64_t where = std::uint64_t{term.value} << 32U | environment.value;
    return intern({where, part, 0}, {level, isRagged});
}

Size AbstractValues::combined(OpId op, Size a, Size b) {
    if (!tracksNumbers() || !a.isKnown() || !b.isKnown()) return {};
    const auto code = [](Size size) {
        const std::optional<std::int64_t> number = size.number();
        return number ? static_cast<std::uint64_t>(*number) : std::uint64_t{*size.symbol()};
    };
    // The kinds of both operands are part of the key, which differs from those of named() in its last part.
    const std::uint64_t kinds = (a.number() ? 1U : 0U) + (b.number() ? 2U : 0U);
    return intern({code(a), code(b), std::uint64_t{op.value} << 3U | kinds << 1U | 1U},
                  {std::max(level(a), level(b)), false});
}

std::uint32_t AbstractValues::level(Size size) const {
    const std::optional<std::uint32_t> symbol = size.symbol();
    return symbol ? m_symbols[*symbol].level : 0;
}

template <typename Keep>
ValueId AbstractValues::withSizes(ValueId id, const Keep& keep) {
    AbstractValue value = m_values[id.value];
    bool isChanged = false;
    const auto check = [&](Size& size) {
        if (!size.isKnown() || keep(size)) return;
        size = Size();
        isChanged = true;
    };
    for (Size& size : value.sizes) check(size);
    check(value.number);
    check(value.below);
    for (ValueId& part : value.parts) {
        const ValueId changed = withSizes(part, keep);
        isChanged = isChanged || changed != part;
        part = changed;
    }
    return isChanged ? intern(std::move(value)) : id;
}

bool AbstractValues::areSizesKnownOutside(ValueId id, std::uint32_t loops) const {
    const AbstractValue& value = m_values[id.value];
    if (value.kind == ValueKind::Function) return false;
    return std::ranges::all_of(value.sizes, [&](Size size) { return size.isKnown() && level(size) < loops; }) &&
           std::ranges::all_of(value.parts, [&](ValueId part) { return areSizesKnownOutside(part, loops); });
}

ValueId AbstractValues::agreeing(ValueId a, ValueId b) {
    AbstractValue value = m_values[a.value];
    const AbstractValue other = m_values[b.value];
    if (value.sizes.size() != other.sizes.size() || value.parts.size() != other.parts.size()) return a;
    for (std::size_t i = 0; i < value.sizes.size(); ++i) {
        const Size first = value.sizes[i];
        const Size second = other.sizes[i];
        if (!second.isKnown() || isRagged(second)) continue;
        if (!first.isKnown() || isRagged(first) || level(second) < level(first)) value.sizes[i] = second;
    }
    for (std::size_t i = 0; i < value.parts.size(); ++i) value.parts[i] = agreeing(value.parts[i], other.parts[i]);
    return intern(std::move(value));
}

ValueId AbstractValues::outside(ValueId id, std::uint32_t loops) {
    if (!tracksNumbers()) return id;
    return withSizes(id, [&](Size size) { return level(size) < loops; });
}

ValueId AbstractValues::element(ValueId tensor) {
    const ValueId part = m_values[tensor.value].parts[0];
    if (!tracksNumbers()) return part;
    return withSizes(part, [&](Size size) { return !isRagged(size); });
}

std::optional<WholeLimits> AbstractValues::wholeLimits(const TypeTable& types, TypeId type) {
    if (type == types.integer()) return Signed64;
    if (!types.isArray(type)) return std::nullopt;
    switch (types.dtype(type)) {
        case Dtype::I8: return WholeLimits{-0x1p7, 0x1p7};
        case Dtype::I16: return WholeLimits{-0x1p15, 0x1p15};
        case Dtype::I32: return WholeLimits{-0x1p31, 0x1p31};
        case Dtype::I64: return Signed64;
        case Dtype::U8: return WholeLimits{0.0, 0x1p8};
        case Dtype::U16: return WholeLimits{0.0, 0x1p16};
        case Dtype::U32: return WholeLimits{0.0, 0x1p32};
        case Dtype::U64: return WholeLimits{0.0, 0x1p64};
        case Dtype::Bool: return WholeLimits{0.0, 2.0};
        default: return std::nullopt;
    }
}

}  // namespace mitos::ir
