// SPDX-License-Identifier: GPL-3.0-or-later
// Prints terms as forms; the public functions are in module.h.
#pragma once

#include "core/ks/binder_names.h"
#include "core/ks/layout.h"
#include "core/ks/module.h"

#include <string>
#include <vector>

namespace mitos::ks {

/// Prints one term and records the places of its subterms.
class TermPrinter {
public:
    TermPrinter(const ir::TermBank& bank, BinderNames& names, const PrintOptions& options)
        : m_bank(bank),
          m_names(names),
          m_options(options) {}

    /// The text for a place at this column that is followed by `closing` parentheses.
    std::string print(ir::TermId term, std::size_t column = 0, std::size_t closing = 0);
    /// The place of every subterm in the text of the last print(), in pre-order.
    [[nodiscard]] const std::vector<FormLayout::Place>& places() const { return m_layout.places(); }

private:
    void add(ir::TermId term);
    [[nodiscard]] std::string atomText(ir::TermId term) const;
    [[nodiscard]] std::string headText(ir::TermId term) const;

    const ir::TermBank& m_bank;
    BinderNames& m_names;
    const PrintOptions& m_options;
    FormLayout m_layout;
};

/// Whether the program can be printed as a bare expression that is read back as the same term.
[[nodiscard]] bool printsBare(const ir::TermBank& bank, const ir::Program& program);

}  // namespace mitos::ks
