// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/internal/written_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace mitos::onnx {

namespace {

std::string lowerCase(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

}  // namespace

std::string UniqueNames::unique(std::string_view wanted) {
    std::string name(wanted);
    // Counting continues where it stopped: thousands of nodes may only have their operator's name.
    for (int& number = m_lastNumber[name]; !m_taken.insert(name).second;) name = fmt::format("{}_{}", wanted, ++number);
    return name;
}

WrittenNames::WrittenNames(const ir::TermBank& bank, const tensor::Model& model) : m_bank(bank), m_model(model) {
    for (const auto& entry : model.nodeNames) {
        if (!entry.second.name.empty()) m_nodes.take(entry.second.name);
    }
}

std::string WrittenNames::wanted(ir::TermId term) const {
    const Symbol hint = m_bank.hint(term);
    if (hint.isValid() && !m_bank.text(hint).empty()) return std::string(m_bank.text(hint));
    return lowerCase(m_bank.opName(term));
}

std::string WrittenNames::ofOutput(ir::TermId term, std::size_t index, std::size_t count) {
    const Symbol hint = m_bank.hint(term);
    const auto found = hint.isValid() ? m_model.nodeNames.find(m_bank.text(hint)) : m_model.nodeNames.end();
    if (found != m_model.nodeNames.end()) {
        const tensor::NodeName& node = found->second;
        const bool isIt = node.op == m_bank.opName(term) && index < node.outputs.size();
        if (isIt && !node.outputs[index].empty()) return m_values.unique(node.outputs[index]);
    }
    return m_values.unique(count == 1 ? wanted(term) : fmt::format("{}_{}", wanted(term), index));
}

NodeLabel WrittenNames::ofNode(ir::TermId term, std::string_view type, const std::string& output) {
    const Symbol hint = m_bank.hint(term);
    const auto found = m_model.nodeNames.find(hint.isValid() ? m_bank.text(hint) : std::string_view(output));
    if (found == m_model.nodeNames.end()) return {m_nodes.unique(output)};
    const tensor::NodeName& node = found->second;
    // Two nodes of a file may have one name; another term of the same hint was made by rewriting.
    const bool isIt = node.op == m_bank.opName(term) && m_named.insert(found->first).second;
    if (isIt) return {node.name.empty() ? m_nodes.unique(output) : node.name, node.documentation};
    return {m_nodes.unique(node.name.empty() ? output : fmt::format("{}_{}", node.name, lowerCase(type)))};
}

}  // namespace mitos::onnx
