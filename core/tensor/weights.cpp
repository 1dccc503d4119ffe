// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/weights.h"

#include "core/base/hash.h"
#include "core/base/random.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace mitos::tensor {

namespace {

double fromHalf(std::uint16_t bits) {
    const double sign = (bits & 0x8000U) != 0 ? -1.0 : 1.0;
    const int exponent = (bits >> 10U) & 0x1F;
    const int mantissa = bits & 0x3FF;
    if (exponent == 31) return mantissa != 0 ? std::nan("") : sign * HUGE_VAL;
    if (exponent == 0) return sign * std::ldexp(mantissa, -24);
    return sign * std::ldexp(mantissa + 1024, exponent - 25);
}

double fromBfloat(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U); }

/// Files are little-endian, and so are all supported machines.
static_assert(std::endian::native == std::endian::little);

template <typename Element>
void convert(std::span<const std::byte> bytes, std::vector<double>& to) {
    for (std::size_t i = 0; i < to.size(); ++i) {
        Element element;
        std::memcpy(&element, bytes.data() + i * sizeof(Element), sizeof(Element));
        to[i] = static_cast<double>(element);
    }
}

void convertHalves(std::span<const std::byte> bytes, double (*decode)(std::uint16_t), std::vector<double>& to) {
    for (std::size_t i = 0; i < to.size(); ++i) {
        std::uint16_t bits = 0;
        std::memcpy(&bits, bytes.data() + i * sizeof(bits), sizeof(bits));
        to[i] = decode(bits);
    }
}

bool decode(ir::Dtype dtype, std::span<const std::byte> bytes, std::vector<double>& to) {
    using ir::Dtype;
    switch (dtype) {
        case Dtype::F16: convertHalves(bytes, fromHalf, to); return true;
        case Dtype::Bf16: convertHalves(bytes, fromBfloat, to); return true;
        case Dtype::F32: convert<float>(bytes, to); return true;
        case Dtype::F64: convert<double>(bytes, to); return true;
        case Dtype::I8: convert<std::int8_t>(bytes, to); return true;
        case Dtype::I16: convert<std::int16_t>(bytes, to); return true;
        case Dtype::I32: convert<std::int32_t>(bytes, to); return true;
        case Dtype::I64: convert<std::int64_t>(bytes, to); return true;
        case Dtype::U8: convert<std::uint8_t>(bytes, to); return true;
        case Dtype::Bool:  // any other number than 0 is true
            convert<std::uint8_t>(bytes, to);
            for (double& element : to) element = roundTo(dtype, element);
            return true;
        case Dtype::U16: convert<std::uint16_t>(bytes, to); return true;
        case Dtype::U32: convert<std::uint32_t>(bytes, to); return true;
        case Dtype::U64: convert<std::uint64_t>(bytes, to); return true;
        case Dtype::String:
        case Dtype::C64:
        case Dtype::C128:
        case Dtype::Unknown: break;
    }
    return false;
}

}  // namespace

WeightData WeightData::filled(ir::Dtype dtype, Shape shape, double value) {
    WeightData data;
    data.m_dtype = dtype;
    data.m_shape = std::move(shape);
    data.m_value = value;
    return data;
}

Result<WeightData> WeightData::raw(ir::Dtype dtype, Shape shape, std::span<const std::byte> bytes,
                                   std::shared_ptr<const void> owner, BytesCheck check) {
    const auto wanted = static_cast<std::size_t>(elementCount(shape)) * ir::dtypeBytes(dtype);
    if (bytes.size() != wanted) {
        return Error{ErrorCode::Parse, fmt::format("{} elements of type {} are {} bytes; found {}", elementCount(shape),
                                                   ir::dtypeName(dtype), wanted, bytes.size())};
    }
    WeightData data;
    data.m_source = Source::Raw;
    data.m_dtype = dtype;
    data.m_shape = std::move(shape);
    data.m_bytes = bytes;
    data.m_owner = std::move(owner);
    data.m_check = std::move(check);
    return data;
}

WeightData WeightData::random(ir::Dtype dtype, Shape shape, std::uint64_t seed, std::string_view name) {
    WeightData data;
    data.m_source = Source::Random;
    data.m_dtype = dtype;
    data.m_shape = std::move(shape);
    data.m_seed = combineHash(seed, hashText(name));
    return data;
}

WeightData WeightData::of(ArrayPtr array) {
    WeightData data;
    data.m_source = Source::Array;
    data.m_dtype = array->dtype;
    data.m_shape = array->shape;
    data.m_array = std::move(array);
    return data;
}

std::optional<double> WeightData::fill() const {
    if (m_source == Source::Fill) return m_value;
    if (m_source == Source::Random || elementCount(m_shape) != 1) return std::nullopt;
    const Result<ArrayPtr> array = read();
    if (!array) return std::nullopt;
    return (*array)->elements.front();
}

Result<ArrayPtr> WeightData::read() const {
    if (m_source == Source::Array) return m_array;
    MITOS_REQUIRE(check());
    auto array = std::make_shared<Array>();
    array->dtype = m_dtype;
    array->shape = m_shape;
    array->elements.assign(static_cast<std::size_t>(elementCount(m_shape)), m_value);
    if (m_source == Source::Raw && !decode(m_dtype, m_bytes, array->elements)) {
        return Error{ErrorCode::Unsupported,
                     fmt::format("elements of type {} cannot be computed with", ir::dtypeName(m_dtype))};
    }
    if (m_source == Source::Random) {
        Random random(m_seed);
        const std::int64_t outputs = m_shape.size() < 2 ? 1 : m_shape.front();
        const double fanIn = std::max(
            1.0, static_cast<double>(elementCount(m_shape)) / static_cast<double>(std::max<std::int64_t>(1, outputs)));
        const double deviation = m_shape.size() < 2 ? 1.0 : 1.0 / std::sqrt(fanIn);
        for (double& element : array->elements) {
            if (ir::isFloating(m_dtype))
                element = deviation * std::sqrt(3.0) * (2.0 * random.uniform() - 1.0);
            else if (m_dtype == ir::Dtype::Bool)
                element = random.chance(0.5) ? 1.0 : 0.0;
            else
                element = static_cast<double>(random.integer(0, 3));
        }
    }
    return ArrayPtr(std::move(array));
}

Result<std::vector<std::int64_t>> WeightData::integers() const {
    if (m_dtype == ir::Dtype::I64 && m_source == Source::Raw) {
        MITOS_REQUIRE(check());
        std::vector<std::int64_t> result(m_bytes.size() / sizeof(std::int64_t));
        if (!result.empty()) std::memcpy(result.data(), m_bytes.data(), m_bytes.size());
        return result;
    }
    MITOS_TRY(const ArrayPtr array, read());
    if (!isExact(*array)) {
        return Error{ErrorCode::Unsupported,
                     fmt::format("Integers of type {} are exact below 2^53 only", ir::dtypeName(m_dtype))};
    }
    return integersIn(*array);
}

void Weights::set(std::string name, WeightData data) { m_byName.insert_or_assign(std::move(name), std::move(data)); }

const WeightData* Weights::find(std::string_view name) const {
    const auto found = m_byName.find(name);
    return found == m_byName.end() ? nullptr : &found->second;
}

Weights Weights::randomized(std::uint64_t seed, bool onlyFills) const {
    Weights result;
    for (const auto& [name, data] : m_byName) {
        const bool replace = ir::isFloating(data.dtype()) && (!onlyFills || data.fill());
        result.set(name, replace ? WeightData::random(data.dtype(), data.shape(), seed, name) : data);
    }
    return result;
}

}  // namespace mitos::tensor
