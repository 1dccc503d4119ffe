// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/measuring/requests.h"

#include <fmt/format.h>

#include <utility>

namespace mitos::cost {

namespace {

constexpr std::string_view FirstField = "mitos-requests";
constexpr int RequestsVersion = 1;
constexpr std::string_view RequestField = "operation";
constexpr std::string_view InputBeginning = "in ";

}  // namespace

std::vector<std::string_view> fieldsOf(std::string_view line) {
    std::vector<std::string_view> fields;
    while (true) {
        const std::size_t tab = line.find('\t');
        fields.push_back(line.substr(0, tab));
        if (tab == std::string_view::npos) return fields;
        line.remove_prefix(tab + 1);
    }
}

std::string requestLine(const Operation& operation) {
    const OperationTexts texts = textsOf(operation);
    std::string line = fmt::format("{}\t{}", RequestField, texts.op);
    for (const auto& [name, value] : texts.attributes) line += fmt::format("\t{}={}", name, value);
    for (const std::string& input : texts.inputs) line += fmt::format("\t{}{}", InputBeginning, input);
    return line;
}

Result<Operation> requestedOperation(std::string_view line) {
    const std::vector<std::string_view> fields = fieldsOf(line);
    constexpr std::size_t BeforeOperands = 2;
    if (fields.front() != RequestField || fields.size() < BeforeOperands) {
        return inputError("the line states no operation", "operation<TAB>NAME<TAB>attribute=value…<TAB>in f32[1,3]…");
    }
    OperationTexts texts{.op = std::string(fields[1])};
    for (std::size_t i = BeforeOperands; i < fields.size(); ++i) {
        std::string_view field = fields[i];
        if (field.starts_with(InputBeginning)) {
            texts.inputs.emplace_back(field.substr(InputBeginning.size()));
            continue;
        }
        const std::size_t equals = field.find('=');
        const std::string_view value = equals == std::string_view::npos ? "" : field.substr(equals + 1);
        texts.attributes.emplace_back(field.substr(0, equals), value);
    }
    return operationFrom(texts);
}

std::string requestsText(std::span<const std::string> settings, std::span<const Operation> operations) {
    std::string text = fmt::format("{}\t{}\toperations={}", FirstField, RequestsVersion, operations.size());
    for (const std::string& setting : settings) text += fmt::format("\t{}", setting);
    text += '\n';
    for (const Operation& operation : operations) text += requestLine(operation) + '\n';
    return text;
}

}  // namespace mitos::cost
