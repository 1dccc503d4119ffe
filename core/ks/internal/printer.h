// SPDX-License-Identifier: GPL-3.0-or-later
// Prints terms as forms, breaks nested forms into lines, and assigns names to bound variables; the public functions are in module.h.
#pragma once

#include "core/ir/term_bank.h"
#include "core/ks/module.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::ks {

/// Lays out forms given in pre-order: `(head child …)`, or an atom without children. A form's head is text that is kept
/// on one line: "(add", "(lam (i : Integer)", "(let (x".
class FormLayout {
public:
    enum class Style : std::uint8_t {
        Atom,  ///< head only
        Call,  ///< atoms stay beside the head while they fit; the rest goes below
        Lam,   ///< may begin on its parent's line; body below
        Let,   ///< a separate parenthesis closes the binding after child 0; body below
    };

    /// Adds a form. The forms added until the matching end() are its children.
    void begin(Style style, std::string head);
    void end();

    /// The text for a place at `column` (0-based) that is followed by `closing` parentheses. Width 0 prints one line.
    std::string print(int width, std::size_t column, std::size_t closing);
    /// The begin and end offsets of a form; places() holds them in pre-order after print().
    struct Place {
        std::size_t begin = 0;
        std::size_t end = 0;
    };
    [[nodiscard]] const std::vector<Place>& places() const { return m_places; }

private:
    struct Form {
        std::string head;
        Style style = Style::Atom;
        bool chain = false;         // contains a let directly in a let, which always gets separate lines
        std::size_t flatWidth = 0;  // width on one line, with its parentheses
        std::size_t next = 0;       // the form after its last descendant
    };
    void put(std::size_t form, std::size_t indent, std::size_t closing);
    void putFlat(std::size_t form);
    void newLine(std::size_t indent);
    [[nodiscard]] std::size_t column() const { return m_text.size() - m_lineBegin; }
    [[nodiscard]] bool fits(std::size_t form, std::size_t closing) const;

    std::vector<Form> m_forms;
    std::vector<std::size_t> m_open;
    std::vector<Place> m_places;
    std::string m_text;
    std::size_t m_lineBegin = 0;
    std::size_t m_width = 0;
};

/// A stack of the binders around the current place. Names come from hints and differ from all visible names, so no
/// variable is captured. The same binders always get the same names.
class BinderNames {
public:
    enum class Style : std::uint8_t {
        Kept,   ///< as the program's author, or the program that wrote it, called them
        Short,  ///< names that programs have made up, such as var4, become letters
    };

    BinderNames(const ir::TermBank& bank, std::vector<std::string> outer, Style style = Style::Kept)
        : m_bank(bank),
          m_style(style),
          m_names(std::move(outer)) {
        for (const std::string& name : m_names) m_taken.insert(name);
    }

    /// Avoids the free variables of the term, and names whose use as a variable would change its meaning.
    void avoidNamesIn(ir::TermId root);
    void avoid(std::string name) { m_taken.insert(std::move(name)); }

    /// The name of a binder's variable in all of the text, in the binder's scope or not.
    std::string reserve(ir::TermId binder);
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
    [[nodiscard]] std::string baseName(ir::TermId binder) const;

    const ir::TermBank& m_bank;
    Style m_style;
    std::vector<std::string> m_names;
    std::vector<Scope> m_scopes;
    absl::flat_hash_set<std::string> m_taken;
    absl::flat_hash_map<std::string, int> m_counters;
};

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
