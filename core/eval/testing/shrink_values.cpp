// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/eval/testing/internal/shrink.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mitos::eval {

namespace {

double measureNumber(double x) {
    if (!std::isfinite(x)) return 1000.0;
    const double sign = std::signbit(x) ? 0.5 : 0.0;
    const double size = std::abs(x);
    if (size == std::floor(size) && size <= 100.0) return size + sign;
    return 100.0 + static_cast<double>(fmt::format("{}", size).size()) + sign;
}

void keepSimpler(std::vector<Value>& values, const Value& than) {
    const double bound = measure(than);
    std::erase_if(values, [&](const Value& value) { return measure(value) >= bound; });
    std::stable_sort(values.begin(), values.end(),
                     [](const Value& a, const Value& b) { return measure(a) < measure(b); });
}

const std::vector<Value>& partsOf(const Value& value) {
    return value.isTuple() ? value.asTuple().elements : value.asTensor().elements;
}

Value rebuilt(const Value& like, std::vector<Value> elements) {
    if (like.isTuple()) return Value(TupleValue{std::move(elements)});
    return Value(TensorValue{like.asTensor().dims, std::move(elements)});
}

}  // namespace

double measure(const Value& value) {
    if (value.isFloat()) return measureNumber(value.asFloat());
    if (value.isInteger()) return measureNumber(static_cast<double>(value.asInteger()));
    if (value.isBool()) return value.asBool() ? 1.0 : 0.0;
    if (value.isString()) return static_cast<double>(value.asString().size());
    if (!value.isTuple() && !value.isTensor()) return 0.0;
    double sum = 1.0;
    for (const Value& part : partsOf(value)) sum += 1.0 + measure(part);
    return sum;
}

std::vector<Value> simplerValues(const Value& value) {
    std::vector<Value> result;
    if (value.isFloat()) {
        const double x = value.asFloat();
        for (const double candidate : {0.0, 1.0, 2.0, -1.0, std::trunc(x), std::round(x * 10.0) / 10.0})
            result.emplace_back(candidate);
    } else if (value.isInteger()) {
        const std::int64_t x = value.asInteger();
        for (const std::int64_t candidate :
             {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, x / 2, x - (x > 0) + (x < 0)})
            result.emplace_back(candidate);
    } else if (value.isBool()) {
        result.emplace_back(false);
    } else if (value.isTuple() || value.isTensor()) {
        const std::vector<Value>& parts = partsOf(value);
        if (value.isTensor() && value.asTensor().dims.size() == 1) {
            for (std::size_t i = 0; i < parts.size(); ++i) {
                std::vector<Value> fewer = parts;
                fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
                const auto count = static_cast<std::int64_t>(fewer.size());
                result.emplace_back(TensorValue{{count}, std::move(fewer)});
            }
        }
        for (std::size_t i = 0; i < parts.size(); ++i) {
            for (Value& simpler : simplerValues(parts[i])) {
                std::vector<Value> changed = parts;
                changed[i] = std::move(simpler);
                result.push_back(rebuilt(value, std::move(changed)));
            }
        }
    }
    keepSimpler(result, value);
    return result;
}

}  // namespace mitos::eval
