// SPDX-License-Identifier: GPL-3.0-or-later
// The tab with the loop form: when it is there, and its selection, which is that of the other tabs.
#include "views/common/format.h"
#include "views/program/code_view.h"
#include "views/program/internal/find_bar.h"
#include "views/program/internal/loops_page.h"
#include "views/program/program_view.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QMenu>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTabBar>

namespace mitos::views {

void ProgramView::connectLoops() {
    CodeView* code = &m_loops->code();
    code->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(code, &QWidget::customContextMenuRequested, this, &ProgramView::showLoopsMenu);
    connect(m_loops, &LoopsPage::lineChosen, this, &ProgramView::clickLine);
    connect(m_loops, &LoopsPage::nothingChosen, this, [this] { m_selection.setSubterm(std::nullopt); });
    connect(m_loops, &LoopsPage::textShown, this, [this] {
        if (showsLoops() && !m_findBar->isHidden()) find(m_findBar->text());
    });
}

bool ProgramView::canHaveLoops() const { return m_document.isOpen() && m_document.dialect().canExport("cpp"); }

bool ProgramView::showsLoops() const { return m_pages->currentWidget() == m_loops; }

/// Signals are blocked because the window stores the tab that the user chooses, and nobody chose here.
void ProgramView::updateLoopsTab() {
    const QSignalBlocker blocker(m_tabs);
    const bool isPossible = canHaveLoops();
    m_tabs->setTabEnabled(LoopsTab, isPossible);
    m_tabs->setTabToolTip(LoopsTab, isPossible ? tr("The program as loops, and their work")
                                               : tr("A %1 program has no loop form, as it is not exported as C++.")
                                                     .arg(fromUtf8(m_document.dialect().name)));
    if (!isPossible && m_tabs->currentIndex() == LoopsTab) m_tabs->setCurrentIndex(MathTab);
    showPage(m_tabs->currentIndex());
}

void ProgramView::clickLine(qsizetype position) {
    if (!m_complete) return;
    const std::vector<NodeIndex> nodes = m_loops->nodesAt(position);
    click(nodes.empty() ? std::nullopt : std::optional(nodes.front()));
}

void ProgramView::showLoopsMenu(const QPoint& at) {
    if (!m_loops->isComplete()) return;
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(QStringLiteral("loopsMenu"));
    const auto add = [&](const char* name, const QString& text, auto form) {
        QAction* action = menu->addAction(text, this, [form] { QGuiApplication::clipboard()->setText(form()); });
        action->setObjectName(QLatin1String(name));
    };
    add("copyLoops", selectedNode() ? tr("Copy the lines of the selected part") : tr("Copy the loops"),
        [this] { return m_loops->selectedText(); });
    add("copyLoopsMarkdown", tr("Copy as Markdown"),
        [this] { return QStringLiteral("```\n%1```\n").arg(m_loops->selectedText()); });
    add("copyLoopsWithWork", tr("Copy all with the work of each nest"), [this] { return m_loops->textWithWork(); });
    menu->popup(m_loops->code().viewport()->mapToGlobal(at));
}

}  // namespace mitos::views
