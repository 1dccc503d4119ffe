// SPDX-License-Identifier: GPL-3.0-or-later
// Assigns names to bound variables when a term is printed.
#pragma once

#include "core/ir/term_bank.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <string>
#include <string_view>
#include <vector>

namespace mitos::ks {

/// A stack of the binders around the current place. Names come from hints and differ from all visible names, so no
/// variable is captured. The same binders always get the same names.
class BinderNames {
public:
    BinderNames(const ir::TermBank& bank, std::vector<std::string> outer) : m_bank(bank), m_names(std::move(outer)) {
        for (const std::string& name : m_names) m_taken.insert(name);
    }

    /// Avoids the free variables of the term, and names whose use as a variable would change its meaning.
    void avoidNamesIn(ir::TermId root);
    void avoid(std::string name) { m_taken.insert(std::move(name)); }

    /// Enters the scope of a let or lam and names its variable.
    const std::string& enter(ir::TermId binder);
    void leave();
    /// The name of the bound variable with this index here.
    [[nodiscard]] std::string name(std::uint32_t index) const;
    [[nodiscard]] const std::vector<std::string>& names() const { return m_names; }

private:
    struct Scope {
        std::string base;
        int counter = 0;  // counter of the base before this binder
    };
    const ir::TermBank& m_bank;
    std::vector<std::string> m_names;
    std::vector<Scope> m_scopes;
    absl::flat_hash_set<std::string> m_taken;
    absl::flat_hash_map<std::string, int> m_counters;
};

}  // namespace mitos::ks
