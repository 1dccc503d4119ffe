// SPDX-License-Identifier: GPL-3.0-or-later
// The elements of a model's weights, which Weight terms stand for. They are read only on request.
#pragma once

#include "core/base/result.h"
#include "core/tensor/array.h"

#include <absl/container/btree_map.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::tensor {

/// Checks whether the bytes of a weight in a file can still be read.
using BytesCheck = std::function<Status()>;

/// The source of the elements of one weight. Copies are cheap: they share the bytes.
class WeightData {
public:
    /// Every element is `value` (a ConstantOfShape; VGG's weights must not allocate 143 million of them).
    static WeightData filled(ir::Dtype dtype, Shape shape, double value);
    /// Little-endian elements as a file holds them, not copied: `owner` keeps them alive. Fails if the size does not fit. `check`
    /// is called before they are read.
    static Result<WeightData> raw(ir::Dtype dtype, Shape shape, std::span<const std::byte> bytes,
                                  std::shared_ptr<const void> owner, BytesCheck check = {});
    /// Uniform numbers, scaled so that a network's values neither explode nor vanish (variance 1 / fan in); small
    /// Integers; Bools. They depend only on seed, name and shape, and are the same on every machine.
    static WeightData random(ir::Dtype dtype, Shape shape, std::uint64_t seed, std::string_view name);
    static WeightData of(ArrayPtr array);

    [[nodiscard]] ir::Dtype dtype() const { return m_dtype; }
    [[nodiscard]] const Shape& shape() const { return m_shape; }
    /// The common value of all elements, for fills and (unless random or unreadable) weights of one element; else nullopt.
    [[nodiscard]] std::optional<double> fill() const;
    [[nodiscard]] bool isRandom() const { return m_source == Source::Random; }
    /// The bytes as a file stores them, if they are in memory in that form; else empty (use read()). Call check() first.
    [[nodiscard]] std::span<const std::byte> bytes() const { return m_bytes; }
    /// Fails if the file that holds the bytes has become shorter, so that reading them would end the program.
    [[nodiscard]] Status check() const { return m_check ? m_check() : Status(Success{}); }
    /// All elements. Fails for strings and complex numbers, and as check() does.
    [[nodiscard]] Result<ArrayPtr> read() const;
    /// The elements of an Integer (or Bool) type, exactly: of i64 also beyond 2^53. Fails as read() does, or if they are not exact.
    [[nodiscard]] Result<std::vector<std::int64_t>> integers() const;

private:
    enum class Source : std::uint8_t { Fill, Raw, Random, Array };

    Source m_source = Source::Fill;
    ir::Dtype m_dtype = ir::Dtype::F32;
    Shape m_shape;
    double m_value = 0.0;
    std::uint64_t m_seed = 0;
    std::span<const std::byte> m_bytes;
    std::shared_ptr<const void> m_owner;
    BytesCheck m_check;
    ArrayPtr m_array;
};

/// The weights of a model by name (the payload of `Weight` terms).
class Weights {
public:
    /// Adds a weight, replacing one of that name.
    void set(std::string name, WeightData data);
    /// Null if there is no weight of that name.
    [[nodiscard]] const WeightData* find(std::string_view name) const;
    [[nodiscard]] std::size_t size() const { return m_byName.size(); }
    [[nodiscard]] auto begin() const { return m_byName.begin(); }
    [[nodiscard]] auto end() const { return m_byName.end(); }
    /// The weights with floating-point ones (all, or only those that are a fill) replaced by random numbers.
    [[nodiscard]] Weights randomized(std::uint64_t seed, bool onlyFills) const;

private:
    absl::btree_map<std::string, WeightData, std::less<>> m_byName;
};

}  // namespace mitos::tensor
