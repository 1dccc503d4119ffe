// SPDX-License-Identifier: GPL-3.0-or-later
// A form is put on one line if it fits; otherwise its parts are put below each other.
#include "core/ks/layout.h"

#include <algorithm>
#include <limits>

namespace mitos::ks {

namespace {

constexpr std::size_t Step = 2;
constexpr std::size_t Unlimited = std::numeric_limits<std::size_t>::max() / 2;

}  // namespace

void FormLayout::begin(Style style, std::string head) {
    m_open.push_back(m_forms.size());
    m_forms.push_back({std::move(head), style, 0, 0});
}

void FormLayout::end() {
    const std::size_t at = m_open.back();
    m_open.pop_back();
    Form& form = m_forms[at];
    form.next = m_forms.size();
    form.flatWidth = form.head.size();
    if (form.style == Style::Atom) return;
    for (std::size_t child = at + 1; child < form.next; child = m_forms[child].next) {
        form.flatWidth += 1 + m_forms[child].flatWidth;
        const bool letInLet = form.style == Style::Let && child != at + 1 && m_forms[child].style == Style::Let;
        form.chain = form.chain || m_forms[child].chain || letInLet;
    }
    form.flatWidth += form.style == Style::Let ? 2 : 1;
}

std::string FormLayout::print(int width, std::size_t column, std::size_t closing) {
    // The text starts with blanks up to the column, so that columns are distances within the text; they are removed at the end.
    m_text.assign(column, ' ');
    m_lineBegin = 0;
    m_width = width <= 0 ? Unlimited : static_cast<std::size_t>(width);
    m_places.assign(m_forms.size(), {});
    if (!m_forms.empty()) put(0, column, closing);
    for (Place& place : m_places) {
        place.begin -= column;
        place.end -= column;
    }
    return m_text.substr(column);
}

bool FormLayout::fits(std::size_t form, std::size_t closing) const {
    return (!m_forms[form].chain || m_width >= Unlimited) && column() + m_forms[form].flatWidth + closing <= m_width;
}

void FormLayout::newLine(std::size_t indent) {
    m_text += '\n';
    m_lineBegin = m_text.size();
    // Without this limit, deep programs would consist mostly of blanks.
    m_text.append(std::min(indent, m_width * 6 / 10), ' ');
}

void FormLayout::putFlat(std::size_t form) {
    m_places[form].begin = m_text.size();
    m_text += m_forms[form].head;
    bool first = true;
    for (std::size_t child = form + 1; child < m_forms[form].next; child = m_forms[child].next) {
        m_text += ' ';
        putFlat(child);
        if (first && m_forms[form].style == Style::Let) m_text += ')';
        first = false;
    }
    if (m_forms[form].style != Style::Atom) m_text += ')';
    m_places[form].end = m_text.size();
}

/// `closing` is the number of parentheses of enclosing forms that follow directly.
void FormLayout::put(std::size_t at, std::size_t indent, std::size_t closing) {
    if (fits(at, closing)) return putFlat(at);
    const Form& form = m_forms[at];
    m_places[at].begin = m_text.size();
    m_text += form.head;
    bool below = false;
    bool afterAtom = false;
    std::size_t lastChild = at + 1;
    while (lastChild < form.next && m_forms[lastChild].next < form.next) lastChild = m_forms[lastChild].next;
    const bool lamLast = lastChild < form.next && m_forms[lastChild].style == Style::Lam;
    for (std::size_t child = at + 1; child < form.next; child = m_forms[child].next) {
        const bool last = m_forms[child].next == form.next;
        const bool first = child == at + 1;
        const std::size_t after = last ? closing + 1 : 0;
        if (form.style == Style::Let && first) {
            m_text += ' ';
            put(child, indent + 2 * Step, 1);
            m_text += ')';
            continue;
        }
        const bool chain = form.style == Style::Let && m_forms[child].style == Style::Let;
        const std::size_t inner = indent + (chain ? 1 : Step);
        const bool narrow = m_forms[child].style == Style::Atom || (lamLast && !last && !m_forms[child].chain);
        // In long lists, atoms fill the lines.
        const bool filling = below && afterAtom && m_forms[child].style == Style::Atom;
        afterAtom = m_forms[child].style == Style::Atom;
        const bool beside = form.style == Style::Call && (!below || filling) &&
                            ((narrow && column() + 1 + m_forms[child].flatWidth + after <= m_width) ||
                             (last && m_forms[child].style == Style::Lam));
        if (beside) {
            m_text += ' ';
            put(child, indent, after);
            continue;
        }
        below = true;
        newLine(inner);
        put(child, inner, after);
    }
    if (form.style != Style::Atom) m_text += ')';
    m_places[at].end = m_text.size();
}

}  // namespace mitos::ks
