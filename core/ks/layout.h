// SPDX-License-Identifier: GPL-3.0-or-later
// Breaks nested forms into lines.
#pragma once

#include <cstdint>
#include <string>
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

}  // namespace mitos::ks
