// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/autodiff/internal/operator_texts.h"

#include "core/base/source_text.h"
#include "core/ks/module.h"

#include <fmt/format.h>

#include <vector>

namespace mitos::autodiff {

using ir::TermId;
using ir::TypeId;

namespace {

bool matches(ir::TypeTable& types, char letter, TypeId type) {
    switch (letter) {
        case 'F': return type == types.floating();
        case 'I': return type == types.integer();
        case 'M': return type == types.tensor(2, types.floating());
        case 'V': return type != types.floating() && types.tangent(type) == type;
        default: return true;
    }
}

}  // namespace

const OperatorTexts::Case* OperatorTexts::find(ir::OpId op, std::span<const TypeId> operands) {
    for (const Case& candidate : m_bank.registry().info(op).derivative.cases) {
        bool isFitting = candidate.operands.size() == operands.size();
        for (std::size_t i = 0; isFitting && i < operands.size(); ++i) {
            isFitting = matches(m_bank.types(), candidate.operands[i], operands[i]);
        }
        if (isFitting) return &candidate;
    }
    return nullptr;
}

TermId OperatorTexts::apply(ir::OpId op, const std::string& text, std::span<const TermId> operands, TermId result,
                            TermId tangent) {
    std::vector<ir::Parameter> letters;
    std::vector<TermId> values(operands.begin(), operands.end());
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const auto letter = static_cast<char>('a' + static_cast<char>(i));
        letters.push_back({m_bank.symbols().intern(std::string(1, letter)), m_bank.type(operands[i])});
    }
    if (result.isValid()) {
        letters.push_back({m_bank.symbols().intern("r"), m_bank.type(result)});
        values.push_back(result);
    }
    if (tangent.isValid()) {
        letters.push_back({m_bank.symbols().intern("d"), m_bank.type(tangent)});
        values.push_back(tangent);
    }
    return replaceFree(m_bank, parsed(op, text, letters), [&](Symbol name) -> TermId {
        for (std::size_t i = 0; i < letters.size(); ++i) {
            if (letters[i].name == name) return values[i];
        }
        return {};
    });
}

TermId OperatorTexts::parsed(ir::OpId op, const std::string& text, std::span<const ir::Parameter> letters) {
    std::string key = text;
    for (const ir::Parameter& letter : letters) key += fmt::format(" {}", letter.type.value);
    if (const auto known = m_parsed.find(key); known != m_parsed.end()) return known->second;
    std::vector<ir::FunctionId> helpers;
    if (const std::string& source = m_bank.registry().info(op).derivative.helpers; !source.empty()) {
        const Result<ks::Module> module = ks::parseModule(m_bank, SourceText("helpers", source));
        if (!module) throw NotDifferentiable{module.error()};
        helpers = module->functions;
    }
    const Result<TermId> term = ks::parseExpression(m_bank, text, letters, helpers);
    if (!term) throw NotDifferentiable{term.error()};
    m_parsed.emplace(std::move(key), *term);
    return *term;
}

}  // namespace mitos::autodiff
