// SPDX-License-Identifier: GPL-3.0-or-later
// What can still be gained, drawn over every form of the program.
#include "views/program/code_view.h"
#include "views/program/internal/gain_overlay.h"
#include "views/program/internal/program_graph.h"
#include "views/program/program_view.h"

#include <QTreeView>

namespace mitos::views {

std::shared_ptr<const ShownGain> ProgramView::gain() const {
    // The program may still be laid out when its gains are known.
    const std::shared_ptr<const ShownGain> known = m_complete ? m_gain->shown() : nullptr;
    const auto& nodes = m_content ? m_content->text.nodes() : std::vector<ProgramText::Node>();
    const bool fits = known && known->map().size() == nodes.size() && nodes.front().term == m_gain->root();
    return fits ? known : nullptr;
}

void ProgramView::showGain() {
    const std::shared_ptr<const ShownGain> shown = gain();
    m_code->setHeat(shown ? shown->ranges(m_content->text, m_form) : std::vector<HeatRange>());
    m_model->setGain(shown, Theme(palette()));
    m_tree->setColumnHidden(ProgramTreeModel::Gain, shown == nullptr);
    m_graph->setGain(shown);
    if (m_complete && m_document.isOpen()) showSelection();
}

}  // namespace mitos::views
