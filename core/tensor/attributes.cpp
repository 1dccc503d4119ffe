// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/attributes.h"

#include "core/base/number_text.h"
#include "core/ir/attributes.h"
#include "core/tensor/operator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <cctype>
#include <optional>

namespace mitos::tensor {

namespace {

std::string floatText(double value) {
    std::string text = fmt::format("{}", value);
    if (text.find_first_of(".einf") == std::string::npos) text += ".0";  // "1" would read back as an Integer
    return text;
}

template <typename Number>
std::optional<std::vector<Number>> numbers(std::string_view text) {
    if (text.size() < 2 || text.front() != '[' || text.back() != ']') return std::nullopt;
    std::vector<Number> values;
    text = text.substr(1, text.size() - 2);
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        const std::optional<Number> value = numberFrom<Number>(text.substr(0, comma));
        if (!value) return std::nullopt;
        values.push_back(*value);
        text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    }
    return values;
}

/// Whether a term's text can contain the name: it has no character with a meaning there.
bool isPlainName(std::string_view name) {
    return !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
        return std::isalnum(c) != 0 ||
               std::string_view("_.+-*/():").find(static_cast<char>(c)) != std::string_view::npos;
    });
}

std::optional<std::vector<std::string>> names(std::string_view text) {
    if (text.size() < 2 || text.front() != '[' || text.back() != ']') return std::nullopt;
    std::vector<std::string> values;
    text = text.substr(1, text.size() - 2);
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        values.emplace_back(text.substr(0, comma));
        if (!isPlainName(values.back())) return std::nullopt;
        text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    }
    return values;
}

std::string expected(const AttributeInfo& info) {
    switch (info.kind) {
        case AttributeKind::Integer: return "an integer";
        case AttributeKind::Float: return "a number";
        case AttributeKind::Boolean: return "true or false";
        case AttributeKind::Word:
            return info.words.empty() ? "an element type such as f32" : fmt::format("{}", fmt::join(info.words, ", "));
        case AttributeKind::Integers: return "a list of integers such as [1,1]";
        case AttributeKind::Floats: return "a list of numbers such as [1.0,2.0]";
        case AttributeKind::Names: return "a list of names such as [N,2*M]";
    }
    return {};
}

std::optional<AttributeValue> parsed(const AttributeInfo& info, std::string_view text) {
    switch (info.kind) {
        case AttributeKind::Integer: return numberFrom<std::int64_t>(text);
        case AttributeKind::Float: return numberFrom<double>(text);
        case AttributeKind::Boolean:
            if (text == "true" || text == "false") return text == "true";
            return std::nullopt;
        case AttributeKind::Word: {
            const bool isKnown = info.words.empty() ? ir::dtypeFromName(text).has_value()
                                                    : std::ranges::find(info.words, text) != info.words.end();
            if (!isKnown) return std::nullopt;
            return std::string(text);
        }
        case AttributeKind::Integers: return numbers<std::int64_t>(text);
        case AttributeKind::Floats: return numbers<double>(text);
        case AttributeKind::Names: return names(text);
    }
    return std::nullopt;
}

}  // namespace

std::string attributeText(const AttributeValue& value) {
    struct Writer {
        std::string operator()(std::int64_t v) const { return fmt::format("{}", v); }
        std::string operator()(double v) const { return floatText(v); }
        std::string operator()(bool v) const { return v ? "true" : "false"; }
        std::string operator()(const std::string& v) const { return v; }
        std::string operator()(const std::vector<std::int64_t>& v) const {
            return fmt::format("[{}]", fmt::join(v, ","));
        }
        std::string operator()(const std::vector<double>& v) const {
            std::vector<std::string> texts;
            for (const double element : v) texts.push_back(floatText(element));
            return fmt::format("[{}]", fmt::join(texts, ","));
        }
        std::string operator()(const std::vector<std::string>& v) const {
            return fmt::format("[{}]", fmt::join(v, ","));
        }
    };
    return std::visit(Writer(), value);
}

Result<AttributeValue> readAttribute(const AttributeInfo& info, std::string_view text) {
    std::optional<AttributeValue> value = parsed(info, text);
    if (value) return *std::move(value);
    return Error{ErrorCode::Parse, fmt::format("the attribute {} is {}; found {}", info.name, expected(info), text)};
}

Result<Attributes> Attributes::read(const Operator& op, std::string_view text) {
    Attributes result(op);
    const std::vector<std::string_view> values =
        op.attributes.empty() ? std::vector<std::string_view>() : ir::attributeValues(text);
    if (values.size() != op.attributes.size()) {
        return Error{ErrorCode::Parse,
                     fmt::format("{} has {} attributes, {} given", op.name, op.attributes.size(), values.size())};
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        MITOS_TRY(result.m_values[i], readAttribute(op.attributes[i], values[i]));
    }
    return result;
}

Attributes::Attributes(const Operator& op) : m_op(&op), m_values(op.attributes.size()) {
    for (std::size_t i = 0; i < m_values.size(); ++i) {
        if (op.attributes[i].defaultText.empty()) continue;
        std::optional<AttributeValue> value = parsed(op.attributes[i], op.attributes[i].defaultText);
        assert(value);
        m_values[i] = *std::move(value);
    }
}

std::size_t Attributes::index(std::string_view name) const {
    const auto found = std::ranges::find(m_op->attributes, name, &AttributeInfo::name);
    assert(found != m_op->attributes.end());
    return static_cast<std::size_t>(found - m_op->attributes.begin());
}

Attributes& Attributes::set(std::string_view name, AttributeValue value) {
    m_values[index(name)] = std::move(value);
    return *this;
}

std::int64_t Attributes::integer(std::string_view name) const { return std::get<std::int64_t>(m_values[index(name)]); }
double Attributes::floating(std::string_view name) const { return std::get<double>(m_values[index(name)]); }
bool Attributes::boolean(std::string_view name) const { return std::get<bool>(m_values[index(name)]); }
const std::string& Attributes::word(std::string_view name) const {
    return std::get<std::string>(m_values[index(name)]);
}
const std::vector<std::int64_t>& Attributes::integers(std::string_view name) const {
    return std::get<std::vector<std::int64_t>>(m_values[index(name)]);
}
const std::vector<double>& Attributes::floats(std::string_view name) const {
    return std::get<std::vector<double>>(m_values[index(name)]);
}
const std::vector<std::string>& Attributes::names(std::string_view name) const {
    return std::get<std::vector<std::string>>(m_values[index(name)]);
}

std::string Attributes::text() const {
    std::string text;
    for (std::size_t i = 0; i < m_values.size(); ++i) {
        if (i > 0) text += '$';
        text += attributeText(m_values[i]);
    }
    return text;
}

}  // namespace mitos::tensor
