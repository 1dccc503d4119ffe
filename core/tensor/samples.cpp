// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/samples.h"

#include "core/ir/shared.h"
#include "core/tensor/dimension.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

namespace mitos::tensor {

namespace {

Error invalid(std::string message, std::string hint = {}) {
    return {ErrorCode::InvalidInput, std::move(message), std::nullopt, std::move(hint)};
}

double deviation(double a, double b, bool isFloating) {
    if (a == b || (std::isnan(a) && std::isnan(b))) return 0.0;
    if (!isFloating) return HUGE_VAL;
    const double apart = std::abs(a - b) / std::max({1.0, std::abs(a), std::abs(b)});
    return std::isnan(apart) ? HUGE_VAL : apart;
}

double randomElement(ir::Dtype dtype, Random& random) {
    if (ir::isFloating(dtype)) return roundTo(dtype, random.uniform(-1.0, 1.0));
    if (dtype == ir::Dtype::Bool) return random.chance(0.5) ? 1.0 : 0.0;
    return static_cast<double>(random.integer(0, 3));
}

std::optional<std::int64_t> sizeIn(const Sizes& sizes, std::string_view name) {
    return SizeExpression::value(name, [&](std::string_view one, SizeExpression::Asked) {
        const auto found = sizes.find(one);
        return found == sizes.end() ? std::nullopt : std::optional(found->second);
    });
}

/// The sizes that the program computes, each once.
std::vector<std::string_view> computedSizes(const ir::TermBank& bank, const ir::Function& function) {
    std::vector<std::string_view> names;
    if (!function.body.isValid()) return names;
    absl::flat_hash_set<Symbol> seen;
    for (const ir::TermId node : ir::SharedNodes(bank, function.body)) {
        const ir::TypeId type = bank.type(node);
        if (!bank.types().isArray(type) || !bank.types().hasRank(type)) continue;
        for (const ir::Dimension dimension : bank.types().dimensions(type)) {
            if (dimension.isKnown() || !seen.insert(dimension.name).second) continue;
            names.push_back(bank.text(dimension.name));
        }
    }
    return names;
}

/// Lower bounds of sizes by name, so that sizes computed from them are 1 or more: a window has to fit into an image.
using LeastSizes = absl::btree_map<std::string, std::int64_t, std::less<>>;

/// Whether all sizes that can be computed from these are 1 or more. Otherwise raises the lower bounds of the sizes that a too small
/// one is computed from.
bool areLargeEnough(const std::vector<std::string_view>& computed, const Sizes& sizes, LeastSizes& least) {
    constexpr std::int64_t Largest = 512;
    bool isFine = true;
    for (const std::string_view name : computed) {
        std::vector<std::string_view> asked;
        const auto size = SizeExpression::value(name, [&](std::string_view one, SizeExpression::Asked kind) {
            const auto found = sizes.find(one);
            if (found == sizes.end()) return std::optional<std::int64_t>();
            if (kind == SizeExpression::Asked::Plain) asked.push_back(found->first);
            return std::optional(found->second);
        });
        if (!size || *size >= 1) continue;
        isFine = false;
        for (const std::string_view one : asked) {
            const std::int64_t larger = std::min(2 * sizes.find(one)->second, Largest);
            std::int64_t& lower = least[std::string(one)];
            lower = std::max(lower, larger);
        }
    }
    return isFine;
}

}  // namespace

Result<ArrayPtr> randomArray(const ir::TypeTable& types, ir::TypeId type, const Sizes& sizes, Random& random) {
    if (!types.isArray(type) || !types.hasRank(type) || !isComputable(types.dtype(type))) {
        return invalid(fmt::format("no random elements can be made for the type {}", types.toShortString(type)));
    }
    auto array = std::make_shared<Array>();
    array->dtype = types.dtype(type);
    double count = 1.0;
    for (const ir::Dimension dimension : types.dimensions(type)) {
        std::int64_t size = dimension.size;
        if (!dimension.isKnown()) {
            const std::string_view name = types.symbols().text(dimension.name);
            const std::optional<std::int64_t> known = sizeIn(sizes, name);
            if (!known) return invalid(fmt::format("the size {} is unknown", name), "Say which number it stands for.");
            if (*known < 0) return invalid(fmt::format("the size {} would be {}", name, *known));
            size = *known;
        }
        count *= static_cast<double>(size);
        array->shape.push_back(size);
    }
    if (count > static_cast<double>(MostElements))
        return invalid(fmt::format("{} has too many elements", types.toShortString(type)));
    array->elements.resize(static_cast<std::size_t>(count));
    for (double& element : array->elements) element = randomElement(array->dtype, random);
    return ArrayPtr(std::move(array));
}

Result<Sizes> randomSizes(const ir::TermBank& bank, const ir::Function& function, const Sizes& given, Random& random) {
    constexpr int Attempts = 20;
    const std::vector<std::string_view> computed = computedSizes(bank, function);
    LeastSizes least;
    std::optional<Sizes> fallback;
    std::string_view negative;
    for (int i = 0; i < 2 * Attempts; ++i) {
        // "past + N" is a sum as people write it; "max-seq-len" may be one name, and "-1" is one.
        const bool asOneName = i >= Attempts;
        Sizes sizes = given;
        using Asked = SizeExpression::Asked;
        const auto drawn = [&](std::string_view name, Asked asked) -> std::optional<std::int64_t> {
            const auto known = sizes.find(name);
            if (known != sizes.end()) return known->second;
            if (asked == Asked::Computed && !(asOneName && !SizeExpression::isNormal(name))) return std::nullopt;
            const auto lower = least.find(name);
            const std::int64_t from = lower == least.end() ? 2 : lower->second;
            return sizes.emplace(std::string(name), random.integer(from, from + 3 + i)).first->second;
        };
        bool isFine = true;
        for (const ir::Parameter& parameter : function.parameters) {
            if (!bank.types().isArray(parameter.type)) continue;
            for (const ir::Dimension dimension : bank.types().dimensions(parameter.type)) {
                if (dimension.isKnown()) continue;
                const std::string_view name = bank.text(dimension.name);
                if (given.contains(name)) continue;
                const std::int64_t size = SizeExpression::value(name, drawn).value_or(0);
                if (size < 1) negative = name;
                isFine = isFine && size >= 1;
                sizes.emplace(std::string(name), size);
            }
        }
        if (!isFine) continue;
        if (!fallback) fallback = sizes;
        if (areLargeEnough(computed, sizes, least)) return sizes;
    }
    // Some sizes behind operators may be 0 whatever the others are.
    if (fallback) return *std::move(fallback);
    return invalid(fmt::format("no sizes were found for which {} is 1 or more", negative));
}

Result<Inputs> randomInputs(const ir::TermBank& bank, const ir::Function& function, const Sizes& given,
                            Random& random) {
    MITOS_TRY(const Sizes sizes, randomSizes(bank, function, given, random));
    Inputs inputs;
    for (const ir::Parameter& parameter : function.parameters) {
        Result<ArrayPtr> array = randomArray(bank.types(), parameter.type, sizes, random);
        if (!array) {
            Error error = std::move(array).error();
            error.message = fmt::format("the input {}: {}", bank.text(parameter.name), error.message);
            return error;
        }
        inputs.insert_or_assign(std::string(bank.text(parameter.name)), *std::move(array));
    }
    return inputs;
}

Result<double> maxDeviation(const Array& a, const Array& b) {
    if (a.dtype != b.dtype || a.shape != b.shape) {
        return invalid(fmt::format("{}[{}] and {}[{}] cannot be compared", ir::dtypeName(a.dtype),
                                   fmt::join(a.shape, ","), ir::dtypeName(b.dtype), fmt::join(b.shape, ",")));
    }
    double largest = 0.0;
    for (std::size_t i = 0; i < a.elements.size(); ++i) {
        largest = std::max(largest, deviation(a.elements[i], b.elements[i], ir::isFloating(a.dtype)));
    }
    return largest;
}

Result<double> maxDeviation(std::span<const ArrayPtr> a, std::span<const ArrayPtr> b) {
    if (a.size() != b.size()) return invalid(fmt::format("{} outputs and {} cannot be compared", a.size(), b.size()));
    double largest = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        MITOS_TRY(const double apart, maxDeviation(*a[i], *b[i]));
        largest = std::max(largest, apart);
    }
    return largest;
}

}  // namespace mitos::tensor
