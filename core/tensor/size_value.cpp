// SPDX-License-Identifier: GPL-3.0-or-later
// The values of computed sizes when their names are numbers, for all names that shape rules make.
#include "core/base/number_text.h"
#include "core/tensor/dimension.h"
#include "core/tensor/internal/slice_part.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

namespace mitos::tensor {

namespace {

/// A limit, as names come from files: a name that is nested more deeply is not a size.
constexpr int MostSizeLevels = 50;
constexpr double LargestSize = 0x1p62;

using SizeNumber = std::optional<std::int64_t>;

std::string_view withoutSpaces(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

/// The parts between separators outside of parentheses.
std::vector<std::string_view> sizeParts(std::string_view text, char separator) {
    std::vector<std::string_view> result;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '(') ++depth;
        if (text[i] == ')') --depth;
        if (text[i] != separator || depth != 0) continue;
        result.push_back(text.substr(begin, i - begin));
        begin = i + 1;
    }
    result.push_back(text.substr(begin));
    return result;
}

SizeNumber floorQuotient(SizeNumber a, SizeNumber b) {
    if (!a || !b || *b == 0 || (*b == -1 && *a < -ToTheEnd)) return std::nullopt;
    const std::int64_t quotient = *a / *b;
    return *a % *b != 0 && (*a < 0) != (*b < 0) ? quotient - 1 : quotient;
}

/// The product rounded as Resize does, in single precision.
SizeNumber floorProduct(std::string_view scale, SizeNumber size) {
    const std::string text(scale);  // strtod requires a terminating NUL
    char* end = nullptr;
    const double factor = std::strtod(text.c_str(), &end);
    if (!size || end != text.c_str() + text.size() || text.empty()) return std::nullopt;
    const double product = std::floor(static_cast<float>(*size) * static_cast<float>(factor));
    return std::abs(product) < LargestSize ? SizeNumber(static_cast<std::int64_t>(product)) : std::nullopt;
}

}  // namespace

/// The value of one factor: a number, a name, a quotient, an expression in parentheses, or one of the functions in names of sizes.
SizeNumber SizeExpression::factorValue(std::string_view text, NumberOf numberOf, int level) {
    text = withoutSpaces(text);
    if (text.empty() || level > MostSizeLevels) return std::nullopt;
    if (const SizeNumber number = numberFrom<std::int64_t>(text)) return number;
    const std::vector<std::string_view> quotient = sizeParts(text, '/');
    if (quotient.size() > 1) {
        SizeNumber value = factorValue(quotient.front(), numberOf, level + 1);
        for (std::size_t i = 1; i < quotient.size(); ++i)
            value = floorQuotient(value, factorValue(quotient[i], numberOf, level + 1));
        return value;
    }
    const std::size_t open = text.find('(');
    if (open == std::string_view::npos || text.back() != ')') return numberOf(text, Asked::Plain);
    const std::string_view function = text.substr(0, open);
    const std::string_view inner = text.substr(open + 1, text.size() - open - 2);
    if (function.empty()) return value(inner, numberOf, level + 1);
    const std::vector<std::string_view> arguments = sizeParts(inner, ':');
    if (function == "max") {
        SizeNumber largest;
        for (const std::string_view argument : arguments) {
            const SizeNumber one = value(argument, numberOf, level + 1);
            if (!one) return std::nullopt;
            largest = std::max(largest.value_or(*one), *one);
        }
        return largest;
    }
    if (function == "floor" && arguments.size() == 2)
        return floorProduct(arguments[0], value(arguments[1], numberOf, level + 1));
    if (function == "slice" && arguments.size() == 4) {
        const SizeNumber size = value(arguments[0], numberOf, level + 1);
        const SizeNumber start = numberFrom<std::int64_t>(arguments[1]);
        const SizeNumber end = arguments[2].empty() ? ToTheEnd : numberFrom<std::int64_t>(arguments[2]);
        const SizeNumber step = numberFrom<std::int64_t>(arguments[3]);
        if (!size || *size < 0 || !start || !end || !step || *step == 0 || *step < -ToTheEnd) return std::nullopt;
        return partOf(*size, *start, *end, *step).count;
    }
    return numberOf(text, Asked::Plain);
}

SizeNumber SizeExpression::value(std::string_view text, NumberOf numberOf, int level) {
    if (const SizeNumber known = numberOf(text, Asked::Computed)) return known;
    const std::optional<SizeExpression> expression = read(text);
    if (!expression) return numberOf(text, Asked::Plain);
    std::int64_t sum = expression->m_number;
    for (const auto& [monomial, factor] : expression->m_terms) {
        std::int64_t product = factor;
        for (const std::string& name : monomial) {
            const SizeNumber number = factorValue(name, numberOf, level);
            if (!number || __builtin_mul_overflow(product, *number, &product)) return std::nullopt;
        }
        if (__builtin_add_overflow(sum, product, &sum)) return std::nullopt;
    }
    return sum;
}

}  // namespace mitos::tensor
