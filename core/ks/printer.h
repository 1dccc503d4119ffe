// SPDX-License-Identifier: GPL-3.0-or-later
// From terms to forms; the public functions are in module.h.
#pragma once

#include "core/ks/binder_names.h"
#include "core/ks/layout.h"
#include "core/ks/module.h"

#include <string>
#include <vector>

namespace mitos::ks {

/// Prints one term and remembers where its subterms went.
class TermPrinter {
public:
    TermPrinter(const ir::TermBank& bank, BinderNames& names, const PrintOptions& options)
        : m_bank(bank),
          m_names(names),
          m_options(options) {}

    /// The text for a place in this column that `closing` parentheses follow.
    std::string print(ir::TermId term, std::size_t column = 0, std::size_t closing = 0);
    /// After print: the place of every subterm in that text, in pre-order.
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

/// Whether the program can be written as a bare expression that reads back as the same term.
[[nodiscard]] bool printsBare(const ir::TermBank& bank, const ir::Program& program);

}  // namespace mitos::ks
