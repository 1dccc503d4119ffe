// SPDX-License-Identifier: GPL-3.0-or-later
// Converts attribute values between their text and literals.
#include "core/ir/attributes.h"

#include "core/base/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mitos::ir {

namespace {

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// Whether a text is read back as the same String: names, and expressions of sizes ("2*N+1").
bool isWord(std::string_view text) {
    const bool isPlain = !text.empty() && std::ranges::all_of(text, [](char c) {
        return isLetter(c) || (c >= '0' && c <= '9') || std::string_view(".+-*/():").find(c) != std::string_view::npos;
    });
    if (!isPlain || text == "true" || text == "false" || numberFrom<std::int64_t>(text)) return false;
    return isLetter(text[0]) || !numberFrom<double>(text);
}

}  // namespace

std::vector<std::string_view> attributeValues(std::string_view text) {
    std::vector<std::string_view> values;
    while (true) {
        const std::size_t dollar = text.find('$');
        values.push_back(text.substr(0, dollar));
        if (dollar == std::string_view::npos) return values;
        text.remove_prefix(dollar + 1);
    }
}

Payload attributesPayload(TermBank& bank, std::span<const std::string> values) {
    return Payload::attributes(bank.symbols().intern(fmt::format("{}", fmt::join(values, "$"))));
}

TermId attributeLiteral(TermBank& bank, std::string_view value) {
    if (value == "true" || value == "false") return bank.boolean(value == "true");
    if (const auto integer = numberFrom<std::int64_t>(value)) return bank.integer(*integer);
    if (value.size() >= 2 && value.front() == '[' && value.back() == ']') {
        std::vector<TermId> elements;
        std::string_view rest = value.substr(1, value.size() - 2);
        while (!rest.empty()) {
            const std::size_t comma = rest.find(',');
            elements.push_back(attributeLiteral(bank, rest.substr(0, comma)));
            rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
        }
        return bank.tuple(elements);
    }
    // from_chars also reads "inf" and "nan", which are words here.
    if (!value.empty() && !isLetter(value[0])) {
        if (const auto floating = numberFrom<double>(value)) return bank.floating(*floating);
    }
    return bank.string(value);
}

std::optional<std::string> attributeText(const TermBank& bank, TermId literal) {
    if (bank.is(literal, CoreOp::Tuple)) {
        std::vector<std::string> elements;
        for (const TermId child : bank.children(literal)) {
            // Lists of lists have no text form: nothing uses them, and the comma would be ambiguous.
            std::optional<std::string> element;
            if (!bank.is(child, CoreOp::Tuple)) element = attributeText(bank, child);
            if (!element) return std::nullopt;
            elements.push_back(*std::move(element));
        }
        return fmt::format("[{}]", fmt::join(elements, ","));
    }
    if (!bank.is(literal, CoreOp::Literal)) return std::nullopt;
    const Payload& payload = bank.payload(literal);
    switch (payload.kind()) {
        case PayloadKind::Integer: return fmt::format("{}", payload.asInteger());
        case PayloadKind::Bool: return payload.asBool() ? "true" : "false";
        case PayloadKind::Float: {
            if (!std::isfinite(payload.asFloat())) return std::nullopt;
            std::string text = fmt::format("{}", payload.asFloat());
            if (text.find_first_of(".e") == std::string::npos) text += ".0";
            return text;
        }
        default: {
            const std::string_view text = bank.text(payload.asSymbol());
            if (!isWord(text)) return std::nullopt;
            return std::string(text);
        }
    }
}

}  // namespace mitos::ir
