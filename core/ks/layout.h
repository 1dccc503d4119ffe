// SPDX-License-Identifier: GPL-3.0-or-later
// Breaking nested forms over lines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mitos::ks {

/// Forms to be laid out, in pre-order: `(head child …)`, or an atom without children. A form's head is text that stays
/// together on one line: "(add", "(lam (i : Integer)", "(let (x".
class FormLayout {
public:
    enum class Style : std::uint8_t {
        Atom,  ///< head only
        Call,  ///< atoms stay beside the head as long as they fit, the rest goes below
        Lam,   ///< may begin on its parent's line; body below
        Let,   ///< child 0 closes the binding with a parenthesis of its own; body below
    };

    /// Adds a form; its children are those added until the matching end().
    void begin(Style style, std::string head);
    void end();

    /// The text, for a place in column `column` (from 0) that `closing` parentheses follow; width 0: one line.
    std::string print(int width, std::size_t column, std::size_t closing);
    /// After print: begin and end offsets of every form, in pre-order.
    struct Place {
        std::size_t begin = 0;
        std::size_t end = 0;
    };
    [[nodiscard]] const std::vector<Place>& places() const { return m_places; }

private:
    struct Form {
        std::string head;
        Style style = Style::Atom;
        bool chain = false;         // has a let directly in a let, which always gets lines of its own
        std::size_t flatWidth = 0;  // on one line, with its parentheses
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

}  // namespace mitos::ks
