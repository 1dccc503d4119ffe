// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/measure/request.h"

#include "app/measure/settings.h"

#include <charconv>
#include <cstdlib>
#include <utility>

namespace mitos::measure {

namespace {

constexpr std::size_t LargestRank = 16;

std::optional<std::int64_t> integerFrom(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<double> numberFrom(std::string_view text) {
    double value = 0.0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

bool takeBack(std::string_view& text, std::string_view suffix) {
    if (text.size() < suffix.size() || text.substr(text.size() - suffix.size()) != suffix) return false;
    text.remove_suffix(suffix.size());
    return true;
}

bool takeFront(std::string_view& text, std::string_view prefix) {
    if (text.substr(0, prefix.size()) != prefix) return false;
    text.remove_prefix(prefix.size());
    return true;
}

std::optional<Operand> operandFrom(std::string_view text) {
    Operand operand;
    if (text == "absent") {
        operand.isAbsent = true;
        return operand;
    }
    takeBack(text, " constant");  // LibTorch prepares no constants
    const std::size_t open = text.find('[');
    if (open == std::string_view::npos || !takeBack(text, "]")) return std::nullopt;
    operand.dtype = text.substr(0, open);
    for (const std::string_view part : split(text.substr(open + 1), ',')) {
        const std::optional<std::int64_t> size = integerFrom(part);
        if (!size || *size < 0) return std::nullopt;
        operand.shape.push_back(*size);
    }
    if (operand.shape.size() > LargestRank) return std::nullopt;
    return operand;
}

[[noreturn]] void refuse(std::string_view name) {
    throw Refusal("the attribute " + std::string(name) + " is missing or has another form");
}

/// The elements of "[1,2]".
std::vector<std::string_view> listOf(std::string_view text, std::string_view name) {
    if (!takeFront(text, "[") || !takeBack(text, "]")) refuse(name);
    return split(text, ',');
}

}  // namespace

const std::string& Request::word(std::string_view name) const {
    const auto found = attributes.find(name);
    if (found == attributes.end()) refuse(name);
    return found->second;
}

std::int64_t Request::integer(std::string_view name) const {
    const std::optional<std::int64_t> value = integerFrom(word(name));
    if (!value) refuse(name);
    return *value;
}

double Request::floating(std::string_view name) const {
    const std::optional<double> value = numberFrom(word(name));
    if (!value) refuse(name);
    return *value;
}

bool Request::boolean(std::string_view name) const {
    const std::string& text = word(name);
    if (text != "true" && text != "false") refuse(name);
    return text == "true";
}

std::vector<std::int64_t> Request::integers(std::string_view name) const {
    std::vector<std::int64_t> values;
    for (const std::string_view part : listOf(word(name), name)) {
        const std::optional<std::int64_t> value = integerFrom(part);
        if (!value) refuse(name);
        values.push_back(*value);
    }
    return values;
}

std::vector<double> Request::floats(std::string_view name) const {
    std::vector<double> values;
    for (const std::string_view part : listOf(word(name), name)) {
        const std::optional<double> value = numberFrom(part);
        if (!value) refuse(name);
        values.push_back(*value);
    }
    return values;
}

std::vector<std::string> Request::names(std::string_view name) const {
    const std::vector<std::string_view> parts = listOf(word(name), name);
    return {parts.begin(), parts.end()};
}

std::optional<Request> parseRequest(std::string_view line) {
    if (!takeFront(line, "operation\t")) return std::nullopt;
    const std::vector<std::string_view> fields = split(line, '\t');
    if (fields.empty() || fields.front().empty()) return std::nullopt;
    Request request;
    request.op = fields.front();
    for (std::size_t i = 1; i < fields.size(); ++i) {
        std::string_view field = fields[i];
        if (takeFront(field, "in ")) {
            std::optional<Operand> operand = operandFrom(field);
            if (!operand) return std::nullopt;
            request.inputs.push_back(*std::move(operand));
            continue;
        }
        const std::size_t equals = field.find('=');
        if (equals == std::string_view::npos) return std::nullopt;
        request.attributes.emplace(field.substr(0, equals), field.substr(equals + 1));
    }
    return request;
}

}  // namespace mitos::measure
