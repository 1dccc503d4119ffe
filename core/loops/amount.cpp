// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/amount.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <utility>

namespace mitos::loops {

Amount::Amount(double number) { add({}, number); }

Amount Amount::named(std::string name) {
    Amount amount;
    amount.add({std::move(name)}, 1.0);
    return amount;
}

void Amount::add(const Product& product, double coefficient) {
    const auto [entry, isNew] = m_coefficients.try_emplace(product, 0.0);
    entry->second += coefficient;
    if (entry->second == 0.0) m_coefficients.erase(entry);
}

Amount& Amount::operator+=(const Amount& other) {
    for (const auto& [product, coefficient] : other.m_coefficients) add(product, coefficient);
    return *this;
}

Amount& Amount::operator-=(const Amount& other) {
    for (const auto& [product, coefficient] : other.m_coefficients) add(product, -coefficient);
    return *this;
}

Amount operator*(const Amount& a, const Amount& b) {
    Amount result;
    for (const auto& [left, one] : a.m_coefficients) {
        for (const auto& [right, other] : b.m_coefficients) {
            Amount::Product both;
            std::ranges::merge(left, right, std::back_inserter(both));
            result.add(both, one * other);
        }
    }
    return result;
}

Amount larger(const Amount& a, const Amount& b) {
    Amount result = a;
    for (const auto& [product, coefficient] : b.m_coefficients) {
        const auto known = a.m_coefficients.find(product);
        const double other = known == a.m_coefficients.end() ? 0.0 : known->second;
        result.add(product, std::max(coefficient - other, 0.0));
    }
    return result;
}

double Amount::at(absl::FunctionRef<double(std::string_view)> sizeOf) const {
    double sum = 0.0;
    for (const auto& [product, coefficient] : m_coefficients) {
        double number = coefficient;
        for (const std::string& name : product) number *= sizeOf(name);
        sum += number;
    }
    return sum;
}

Amount Amount::leading() const {
    std::size_t most = 0;
    for (const auto& [product, coefficient] : m_coefficients) most = std::max(most, product.size());
    Amount result;
    for (const auto& [product, coefficient] : m_coefficients) {
        if (product.size() == most) result.add(product, coefficient);
    }
    return result;
}

std::string Amount::text() const {
    std::vector<std::pair<Product, double>> sorted(m_coefficients.begin(), m_coefficients.end());
    std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
    std::string text;
    for (const auto& [product, coefficient] : sorted) {
        const double number = text.empty() ? coefficient : std::abs(coefficient);
        if (!text.empty()) text += coefficient < 0.0 ? " - " : " + ";
        const bool isOne = number == 1.0 && !product.empty();
        if (!isOne) text += fmt::format("{}{}", number, product.empty() ? "" : "*");
        text += fmt::format("{}", fmt::join(product, "*"));
    }
    return text.empty() ? "0" : text;
}

}  // namespace mitos::loops
