// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/sizes.h"

#include "core/base/number_text.h"
#include "core/tensor/dimension.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::cost {

namespace {

constexpr std::int64_t LargestSize = 1'000'000'000;

}  // namespace

ParameterInfo sizesParameter(std::int64_t otherwise) {
    return {.name = "sizes",
            .title = "Sizes",
            .help = "sizes by name and one for all others, separated by commas: 64,n=8",
            .defaultValue = fmt::format("{}", otherwise)};
}

Result<AssumedSizes> readSizes(std::string_view text, std::int64_t otherwise) {
    const auto bad = [](std::string message) {
        return inputError(std::move(message), "write 64 for all sizes, or n=64,m=8 by name");
    };
    AssumedSizes sizes{otherwise, {}};
    while (true) {
        const std::string_view item = text.substr(0, text.find(','));
        const std::size_t equals = item.find('=');
        const std::string_view key = equals == std::string_view::npos ? std::string_view() : item.substr(0, equals);
        const std::string_view digits = equals == std::string_view::npos ? item : item.substr(equals + 1);
        const std::int64_t value = numberFrom<std::int64_t>(digits).value_or(0);
        if (value < 1 || value > LargestSize) {
            return bad(fmt::format("'{}' is not a size from 1 to {}", item, LargestSize));
        }
        if (equals == 0) return bad(fmt::format("'{}' names no size", item));
        if (key.empty())
            sizes.otherwise = value;
        else
            sizes.named[std::string(key)] = value;
        if (item.size() == text.size()) return sizes;
        text.remove_prefix(item.size() + 1);
    }
}

Result<AssumedSizes> parseSizes(std::string_view model, const ParameterValues& values, std::int64_t otherwise) {
    Result<AssumedSizes> sizes = readSizes(std::get<std::string>(values.at("sizes")), otherwise);
    if (sizes) return sizes;
    return inputError(
        fmt::format("cost model '{}': {}", model, sizes.error().message),
        fmt::format("write {0}:64 for all sizes, or {0}:n=64,m=8 by name", model.substr(0, model.find(':'))));
}

std::int64_t sizeOf(std::string_view name, const AssumedSizes& sizes) {
    using Asked = tensor::SizeExpression::Asked;
    const auto assumed = [&](std::string_view one, Asked asked) -> std::optional<std::int64_t> {
        const auto named = sizes.named.find(std::string(one));
        if (named != sizes.named.end()) return named->second;
        return asked == Asked::Plain ? std::optional(sizes.otherwise) : std::nullopt;
    };
    return std::max<std::int64_t>(1, tensor::SizeExpression::value(name, assumed).value_or(sizes.otherwise));
}

}  // namespace mitos::cost
