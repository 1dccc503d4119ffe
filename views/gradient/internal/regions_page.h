// SPDX-License-Identifier: GPL-3.0-or-later
// The regions of a coarsened function as a tree with their sizes and segments, beside the function's text.
#pragma once

#include "core/coarsening/coarsen.h"
#include "views/gradient/internal/derivation.h"
#include "views/program/program_text.h"

#include <QStringList>
#include <QWidget>
#include <memory>

class QLabel;
class QTreeWidget;
class QTreeWidgetItem;

namespace mitos::views {

class CodePane;

class RegionsPage : public QWidget {
    Q_OBJECT
public:
    explicit RegionsPage(QWidget* parent = nullptr);

    /// A derivation that was coarsened with that limit; null: nothing.
    void showDerivation(std::shared_ptr<const Derivation> derivation, std::size_t sizeLimit);
    void setForm(ProgramText::Form form);
    void zoom(int steps);

Q_SIGNALS:
    void segmentChosen(std::size_t segment);  ///< from 1 on: its region was activated

private:
    /// `around`: the segment of the region around it, which it belongs to as well.
    void add(const coarsening::Region& region, QTreeWidgetItem* parent, std::size_t around);
    void paintSegments();
    void showRegion();
    void selectAt(qsizetype position);
    [[nodiscard]] QString summary() const;

    std::shared_ptr<const Derivation> m_shown;
    std::size_t m_sizeLimit = 0;
    ProgramText::Form m_form = ProgramText::Form::Reading;
    QTreeWidget* m_tree;
    CodePane* m_text;
    QLabel* m_summary;
};

}  // namespace mitos::views
