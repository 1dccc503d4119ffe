// SPDX-License-Identifier: GPL-3.0-or-later
// The history as a tree of states.
#include "views/history/history_view.h"

#include "views/common/empty_state.h"
#include "views/common/format.h"
#include "views/theme/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QStackedWidget>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

namespace mitos::views {

namespace {

constexpr int NarrowWidth = 300;  // below, the change and the number of a state are left to its tool tip and the curve

}  // namespace

HistoryView::HistoryView(Document& document, Selection& selection, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_selection(selection),
      m_model(new HistoryModel(document, this)),
      m_stack(new QStackedWidget(this)),
      m_tree(new QTreeView(this)),
      m_empty(new EmptyState(this)),
      m_hint(new QLabel(this)) {
    setObjectName(QStringLiteral("historyView"));
    m_undo = addButton(QStringLiteral("historyUndo"), tr("Undo"), tr("Go to the state this one came from"));
    m_redo = addButton(QStringLiteral("historyRedo"), tr("Redo"), tr("Go to the state visited last from here"));
    m_best = addButton(QStringLiteral("historyBest"), tr("Best"), tr("Go to the state of least cost"));

    m_tree->setObjectName(QStringLiteral("historyTree"));
    m_tree->setAccessibleName(tr("History of program states"));
    m_tree->setModel(m_model);
    m_tree->setUniformRowHeights(true);
    m_tree->setExpandsOnDoubleClick(false);
    m_tree->setEditTriggers(QAbstractItemView::EditKeyPressed);
    m_tree->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_tree->setAlternatingRowColors(true);
    m_tree->setIndentation(fontMetrics().height());
    m_tree->setTextElideMode(Qt::ElideRight);
    QHeaderView* header = m_tree->header();
    header->setStretchLastSection(false);
    header->setSectionResizeMode(HistoryModel::StateColumn, QHeaderView::Stretch);
    const auto width = [this](const char* sample) {
        return fontMetrics().horizontalAdvance(QString::fromUtf8(sample)) + 20;
    };
    m_tree->setColumnWidth(HistoryModel::CostColumn, width("1,234.5"));
    m_tree->setColumnWidth(HistoryModel::DeltaColumn, width("▼ −1,234.5"));
    m_tree->setColumnWidth(HistoryModel::NumberColumn, width("#999"));

    m_stack->addWidget(m_tree);
    m_stack->addWidget(m_empty);
    m_hint->setObjectName(QStringLiteral("historyHint"));
    m_hint->setWordWrap(true);
    m_hint->setForegroundRole(QPalette::PlaceholderText);
    m_hint->setText(tr("Apply a rewrite to start a history."));
    m_empty->explain(tr("Open a program to start a history."));

    auto* buttons = new QHBoxLayout;
    for (QToolButton* button : {m_undo, m_redo, m_best}) buttons->addWidget(button);
    buttons->addStretch(1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(4, 4, 4, 4);
    layout->addLayout(buttons);
    layout->addWidget(m_stack, 1);
    layout->addWidget(m_hint);

    connect(m_undo, &QToolButton::clicked, &m_document, &Document::undo);
    connect(m_redo, &QToolButton::clicked, &m_document, &Document::redo);
    connect(m_best, &QToolButton::clicked, &m_document, &Document::goToBest);
    connect(m_tree, &QTreeView::activated, this, [this](const QModelIndex& index) {
        if (const rewrite::StateId state = m_model->state(index); state.isValid()) m_document.checkout(state);
    });
    for (const auto signal : {&Document::opened, &Document::currentChanged, &Document::historyChanged}) {
        connect(&m_document, signal, this, &HistoryView::updateState);
    }
    connect(&m_document, &Document::opened, this, &HistoryView::showCurrent);
    connect(&m_document, &Document::currentChanged, this, &HistoryView::showCurrent);
    connect(&m_selection, &Selection::runChanged, this, &HistoryView::selectRunResult);

    updateTheme();
    updateState();
    showCurrent();
}

QToolButton* HistoryView::addButton(const QString& name, const QString& text, const QString& toolTip) {
    auto* button = new QToolButton(this);
    button->setObjectName(name);
    button->setText(text);
    button->setToolTip(toolTip);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setAutoRaise(true);
    return button;
}

void HistoryView::updateTheme() {
    const Theme theme(palette());
    m_model->setColors({theme.better(), theme.worse(), theme.faintText()});
    m_undo->setIcon(theme.icon(QStringLiteral("undo")));
    m_redo->setIcon(theme.icon(QStringLiteral("redo")));
    m_best->setIcon(theme.icon(QStringLiteral("best")));
}

void HistoryView::updateState() {
    const bool open = m_document.isOpen();
    m_stack->setCurrentWidget(open ? static_cast<QWidget*>(m_tree) : m_empty);
    m_hint->setVisible(open && m_document.history().size() == 1);
    if (!open) {
        for (QToolButton* button : {m_undo, m_redo, m_best}) button->setEnabled(false);
        return;
    }
    const rewrite::History& history = m_document.history();
    const rewrite::HistoryState& current = history.state(history.current());
    m_undo->setEnabled(current.parent.isValid());
    m_redo->setEnabled(current.lastChild.isValid());
    m_best->setEnabled(history.current() != history.best());
}

void HistoryView::showCurrent() {
    if (!m_document.isOpen()) return;
    // A folded run stays folded when its end is what became current.
    const QModelIndex outer = m_model->outermostIndexOf(m_document.history().current());
    const bool folded = m_model->isRun(outer) && !m_tree->isExpanded(outer);
    const QModelIndex index = folded ? outer : m_model->indexOf(m_document.history().current());
    m_tree->setCurrentIndex(index);
    m_tree->scrollTo(index);
}

void HistoryView::selectRunResult() {
    const Run* run = m_document.run(m_selection.run());
    if (run == nullptr || !run->resultState.isValid()) return;
    m_tree->scrollTo(m_model->outermostIndexOf(run->resultState));
}

void HistoryView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) updateTheme();
}

void HistoryView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    m_tree->setColumnHidden(HistoryModel::NumberColumn, width() < NarrowWidth);
    m_tree->setColumnHidden(HistoryModel::DeltaColumn, width() < NarrowWidth);
}

}  // namespace mitos::views
