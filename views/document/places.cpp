// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/document/places.h"

#include "core/ir/shared.h"
#include "core/tensor/text.h"
#include "views/common/format.h"

#include <QStringList>

namespace mitos::views {

PlaceNames::PlaceNames(const ir::TermBank& bank, const ir::Program& program, std::size_t most)
    : m_bank(bank),
      m_program(program),
      m_most(most) {}

QString PlaceNames::at(const ir::Path& place) {
    if (m_bank.function(m_program.function).sharing == ir::Sharing::Tree) return positionText(place);
    const auto node = ir::subterm(m_bank, m_program.root, place);
    if (!node) return positionText(place);
    if (!m_names) {
        m_names.emplace();
        if (m_most > 0 && ir::sharedSize(m_bank, m_program.root) <= m_most)
            m_names = tensor::listingNames(m_bank, m_program);
    }
    const auto name = m_names->find(*node);
    return fromUtf8(name == m_names->end() ? tensor::nodeText(m_bank, *node) : name->second);
}

QString PlaceNames::of(const rewrite::Step& step) {
    QStringList places;
    for (const ir::Path& place : step.positions()) places << at(place);
    return places.join(QStringLiteral(", "));
}

}  // namespace mitos::views
