// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers of a model: what a Weight term stands for. Read only when somebody asks.
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

/// Whether the bytes of a weight, which lie in a file, can still be read.
using BytesCheck = std::function<Status()>;

/// Where the elements of one weight come from. A value: copies share the bytes.
class WeightData {
public:
    /// Every element is `value` (a ConstantOfShape; VGG's weights must not allocate 143 million of them).
    static WeightData filled(ir::Dtype dtype, Shape shape, double value);
    /// Little-endian elements as a file holds them, not copied: `owner` keeps them alive. Size checked: error. `check`
    /// is asked before they are read.
    static Result<WeightData> raw(ir::Dtype dtype, Shape shape, std::span<const std::byte> bytes,
                                  std::shared_ptr<const void> owner, BytesCheck check = {});
    /// Uniform numbers, scaled so that a network's values neither explode nor vanish (variance 1 / fan in); small
    /// Integers; Bools. The same for the same seed, name and shape on every machine.
    static WeightData random(ir::Dtype dtype, Shape shape, std::uint64_t seed, std::string_view name);
    static WeightData of(ArrayPtr array);

    [[nodiscard]] ir::Dtype dtype() const { return m_dtype; }
    [[nodiscard]] const Shape& shape() const { return m_shape; }
    /// The value of every element, where it is one (known without reading: fills, scalars).
    [[nodiscard]] std::optional<double> fill() const;
    [[nodiscard]] bool isRandom() const { return m_source == Source::Random; }
    /// The bytes as a file wants them, where they lie in memory like that; else empty (ask read()). Ask check() first.
    [[nodiscard]] std::span<const std::byte> bytes() const { return m_bytes; }
    /// Errors: the file that holds the bytes has become shorter, so that reading them would end the program.
    [[nodiscard]] Status check() const { return m_check ? m_check() : Status(Success{}); }
    /// All elements. Errors: strings, complex numbers; as check().
    [[nodiscard]] Result<ArrayPtr> read() const;
    /// The elements of an Integer (or Bool) type; those of i64 are exact, also beyond 2^53. Errors: as read().
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

/// The weights of a model by name (the payload of ir terms `Weight`).
class Weights {
public:
    /// A weight of that name is replaced.
    void set(std::string name, WeightData data);
    /// Null if there is none.
    [[nodiscard]] const WeightData* find(std::string_view name) const;
    [[nodiscard]] std::size_t size() const { return m_byName.size(); }
    [[nodiscard]] auto begin() const { return m_byName.begin(); }
    [[nodiscard]] auto end() const { return m_byName.end(); }
    /// Every floating weight (all, or only those that are a fill) replaced by random numbers.
    [[nodiscard]] Weights randomized(std::uint64_t seed, bool onlyFills) const;

private:
    absl::btree_map<std::string, WeightData, std::less<>> m_byName;
};

}  // namespace mitos::tensor
