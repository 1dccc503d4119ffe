// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/internal/text_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace mitos::tensor {

bool isNameCharacter(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_./-").find(c) != std::string_view::npos;
}

std::string inQuotes(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '\n') {
            result += "\\n";
            continue;
        }
        if (c == '"' || c == '\\') result += '\\';
        result += c;
    }
    return result + '"';
}

std::string quoted(std::string_view name) {
    const bool isPlain = !name.empty() && std::ranges::all_of(name, isNameCharacter) && name != GraphWord &&
                         name != WeightWord && name != ReturnWord && name != AbsentWord;
    return isPlain ? std::string(name) : inQuotes(name);
}

std::string_view NodeNames::find(ir::TermId term) const {
    const auto found = m_names.find(term);
    return found == m_names.end() ? std::string_view() : found->second;
}

std::string_view NodeNames::give(ir::TermId term, std::string wanted) {
    std::string name = wanted;
    if (!m_taken.insert(name).second) {
        int& next = m_next.try_emplace(wanted, 2).first->second;
        do name = fmt::format("{}_{}", wanted, next++);
        while (!m_taken.insert(name).second);
    }
    return m_names.insert_or_assign(term, std::move(name)).first->second;
}

std::string_view NodeNames::give(ir::TermId term) {
    const Symbol hint = m_bank.hint(term);
    if (hint.isValid() && !m_bank.text(hint).empty()) return give(term, std::string(m_bank.text(hint)));
    std::string name(m_bank.opName(term));
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return give(term, std::move(name));
}

}  // namespace mitos::tensor
