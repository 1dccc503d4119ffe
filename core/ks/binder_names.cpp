// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses unique names within a scope.
#include "core/ks/binder_names.h"

#include "core/ks/names.h"

#include <fmt/format.h>

namespace mitos::ks {

using ir::CoreOp;
using ir::TermId;

void BinderNames::avoidNamesIn(TermId root) {
    std::vector<TermId> open{root};
    absl::flat_hash_set<TermId> seen{root};
    while (!open.empty()) {
        const TermId term = open.back();
        open.pop_back();
        if (m_bank.is(term, CoreOp::Variable))
            m_taken.insert(std::string(m_bank.text(m_bank.payload(term).asSymbol())));
        // (pi) would be read as the variable pi if such a variable were visible.
        if (m_bank.childCount(term) == 0 && m_bank.is(term, CoreOp::Call)) {
            m_taken.insert(m_bank.function(m_bank.payload(term).asFunction()).name);
        } else if (m_bank.childCount(term) == 0) {
            m_taken.insert(std::string(m_bank.opName(term)));
        }
        for (const TermId child : m_bank.children(term)) {
            if (seen.insert(child).second) open.push_back(child);
        }
    }
}

const std::string& BinderNames::enter(TermId binder) {
    const Symbol hint = m_bank.hint(binder);
    const ir::TypeId type = m_bank.boundType(binder);
    std::string base = hint.isValid() ? std::string(m_bank.text(hint)) : std::string();
    if (!isVariableName(base)) {
        const bool tensor = m_bank.types().isTensor(type);
        base = type == m_bank.types().integer() ? "i" : tensor ? "v" : m_bank.types().isTuple(type) ? "t" : "x";
    }
    const bool function = m_bank.types().kind(type) == ir::TypeKind::Lambda;
    // Function values are called by their names, which must differ from the names of functions.
    const auto free = [&](const std::string& name) {
        return !m_taken.contains(name) && !(function && m_bank.registry().find(name).isValid());
    };
    int& counter = m_counters[base];
    m_scopes.push_back({base, counter});
    std::string name = counter == 0 ? base : fmt::format("{}_{}", base, counter);
    while (!free(name)) name = fmt::format("{}_{}", base, ++counter);
    m_taken.insert(name);
    m_names.push_back(std::move(name));
    return m_names.back();
}

void BinderNames::leave() {
    m_counters[m_scopes.back().base] = m_scopes.back().counter;
    m_taken.erase(m_names.back());
    m_scopes.pop_back();
    m_names.pop_back();
}

std::string BinderNames::name(std::uint32_t index) const {
    return index < m_names.size() ? m_names[m_names.size() - 1 - index]
                                  : fmt::format("<bound {}>", index - m_names.size() + 1);
}

}  // namespace mitos::ks
