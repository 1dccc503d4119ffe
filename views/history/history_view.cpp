// SPDX-License-Identifier: GPL-3.0-or-later
// The history as a tree of states.
#include "views/history/history_view.h"

#include "views/common/format.h"
#include "views/common/view_keys.h"
#include "views/common/widgets.h"
#include "views/history/internal/history_actions.h"
#include "views/history/internal/history_tree.h"
#include "views/theme/theme.h"

#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QToolButton>
#include <utility>

namespace mitos::views {

namespace {

QString unfoldedKey() { return QStringLiteral("history.unfolded"); }
QString foldedKey() { return QStringLiteral("history.folded"); }

}  // namespace

HistoryView::HistoryView(Document& document, Selection& selection, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_selection(selection),
      m_model(new HistoryModel(document, this)),
      m_filter(new HistoryFilter(*m_model, this)),
      m_stack(new QStackedWidget(this)),
      m_tree(new HistoryTree(*m_filter, this)),
      m_empty(new EmptyState(this)),
      m_hint(new QLabel(this)),
      m_comparison(new QWidget(this)),
      m_comparisonText(new QLabel(m_comparison)),
      m_search(new QLineEdit(this)),
      m_pinned(new QToolButton(this)) {
    setObjectName(QStringLiteral("historyView"));
    auto* buttons = new ButtonRow;
    m_undo = buttons->addButton(QStringLiteral("historyUndo"), tr("Undo"), tr("Go to the state this one came from"));
    m_redo =
        buttons->addButton(QStringLiteral("historyRedo"), tr("Redo"), tr("Go to the state visited last from here"));
    m_best = buttons->addButton(QStringLiteral("historyBest"), tr("Best"), tr("Go to the state of least cost"));
    m_search->setObjectName(QStringLiteral("historyFilter"));
    m_search->setAccessibleName(tr("Filter of the history"));
    m_search->setPlaceholderText(tr("Filter by rule, name, note or number"));
    m_search->setClearButtonEnabled(true);
    setUpWidget(m_pinned, "historyPinned", tr("Only pinned states, and the way to them"), tr("Only pinned states"));
    m_pinned->setCheckable(true);
    m_pinned->setAutoRaise(true);
    auto* filters = rowOf({{m_search, 1}, m_pinned});

    buildTree();
    m_actions = new HistoryActions(document, selection, *m_filter, *m_tree);
    m_stack->addWidget(m_tree);
    m_stack->addWidget(m_empty);
    m_hint->setObjectName(QStringLiteral("historyHint"));
    m_hint->setWordWrap(true);
    m_hint->setForegroundRole(QPalette::PlaceholderText);
    m_hint->setText(tr("Apply a rewrite to start a history."));
    m_comparisonText->setObjectName(QStringLiteral("historyComparison"));
    m_comparisonText->setWordWrap(true);
    m_stopComparing = new QToolButton(m_comparison);
    setUpWidget(m_stopComparing, "historyEndComparison", tr("Stop comparing"), tr("Stop comparing"));
    m_stopComparing->setAutoRaise(true);
    fillRow(m_comparison, {{m_comparisonText, 1}, m_stopComparing}, {.margins = NoMargins});

    fillColumn(this, {buttons, filters, {m_stack, 1}, m_hint, m_comparison}, {.margins = NarrowMargins});

    connectAll();
    restoreFolding();
    followPalette(this, [this] { updateTheme(); });
    updateState();
    showCurrent();
}

void HistoryView::buildTree() {
    setUpWidget(m_tree, "historyTree", {}, tr("History of program states"));
    m_tree->setUniformRowHeights(true);
    m_tree->setExpandsOnDoubleClick(false);
    m_tree->setEditTriggers(QAbstractItemView::EditKeyPressed);
    m_tree->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_tree->setSelectionMode(QAbstractItemView::ExtendedSelection);
    // A row says everything; the other columns are for the order of the model and for screen readers.
    for (const int column : {HistoryModel::CostColumn, HistoryModel::DeltaColumn, HistoryModel::NumberColumn})
        m_tree->setColumnHidden(column, true);
}

void HistoryView::connectAll() {
    connect(m_undo, &QToolButton::clicked, &m_document, &Document::undo);
    connect(m_redo, &QToolButton::clicked, &m_document, &Document::redo);
    connect(m_best, &QToolButton::clicked, &m_document, &Document::goToBest);
    connect(m_search, &QLineEdit::textChanged, this, &HistoryView::filter);
    connect(m_filter, &HistoryFilter::filtered, this, &HistoryView::showFiltered);
    connect(m_pinned, &QToolButton::toggled, this, &HistoryView::filter);
    connect(m_stopComparing, &QToolButton::clicked, this, [this] { m_selection.setCompared(std::nullopt); });
    auto* keys = new ViewKeys(m_tree, tr("History"));
    keys->describe(tr("Enter"), tr("Make the state current"));
    connect(m_tree, &QTreeView::activated, this, [this](const QModelIndex& index) {
        if (const rewrite::StateId state = m_filter->state(index); state.isValid()) m_document.checkout(state);
    });
    connect(m_tree, &QTreeView::expanded, this, [this](const QModelIndex& index) { noteFolding(index, true); });
    connect(m_tree, &QTreeView::collapsed, this, [this](const QModelIndex& index) { noteFolding(index, false); });
    connect(&m_document, &Document::opened, this, [this] {
        m_search->clear();
        m_pinned->setChecked(false);
        restoreFolding();
    });
    for (const auto signal :
         {&Document::closed, &Document::opened, &Document::currentChanged, &Document::historyChanged}) {
        connect(&m_document, signal, this, &HistoryView::updateState);
    }
    connect(m_filter, &QAbstractItemModel::rowsInserted, this, &HistoryView::showBranches);
    connect(&m_document, &Document::opened, this, &HistoryView::showCurrent);
    connect(m_filter, &QAbstractItemModel::modelReset, this, [this] {  // the rows of a long history come later
        restoreFolding();
        updateState();
        showCurrent();
    });
    connect(&m_document, &Document::currentChanged, this, &HistoryView::showCurrent);
    connect(&m_selection, &Selection::runChanged, this, &HistoryView::selectRunResult);
    connect(&m_selection, &Selection::comparedChanged, this, [this] {
        m_model->setCompared(m_selection.compared());
        showComparison();
    });
}

void HistoryView::updateTheme() {
    const Theme theme(palette());
    m_model->setColors({theme.better(), theme.worse(), theme.faintText(), HistoryActions::tags(theme)});
    m_actions->setTheme(theme);
    m_undo->setIcon(theme.icon(QStringLiteral("undo")));
    m_redo->setIcon(theme.icon(QStringLiteral("redo")));
    m_best->setIcon(theme.icon(QStringLiteral("best")));
    m_pinned->setIcon(theme.icon(QStringLiteral("pin")));
    m_stopComparing->setIcon(theme.icon(QStringLiteral("close")));
}

void HistoryView::updateState() {
    const bool open = m_document.isOpen();
    const bool nothing = open && m_filter->isFiltering() && m_filter->rowCount() == 0;
    m_stack->setCurrentWidget(open && !nothing ? static_cast<QWidget*>(m_tree) : m_empty);
    if (!open) m_empty->explain(tr("Open a program to start a history."));
    if (nothing) {
        m_empty->explain(tr("No state matches the filter."), tr("Show All"), [this] {
            m_search->clear();
            m_pinned->setChecked(false);
        });
    }
    m_hint->setVisible(open && m_document.history().size() == 1);
    for (QWidget* widget : std::initializer_list<QWidget*>{m_search, m_pinned}) widget->setEnabled(open);
    showComparison();
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

void HistoryView::showComparison() {
    if (const auto& other = m_selection.comparedProgram(); other && m_document.isOpen()) {
        m_comparison->show();
        m_comparisonText->setText(
            tr("⇄ #%1, the current state, beside %2").arg(m_document.history().current().value).arg(other->title));
        return;
    }
    const std::optional<rewrite::StateId> compared = m_selection.compared();
    const bool shown = m_document.isOpen() && compared && compared->value < m_document.history().size();
    m_comparison->setVisible(shown);
    if (!shown) return;
    const rewrite::History& history = m_document.history();
    const double before = history.state(*compared).cost;
    const double delta = history.state(history.current()).cost - before;
    m_comparisonText->setText(tr("⇄ #%1 compared with #%2, the current state: %3")
                                  .arg(compared->value)
                                  .arg(history.current().value)
                                  .arg(deltaText(isNoChange(delta, before) ? 0.0 : delta)));
}

void HistoryView::showIndex(const QModelIndex& source) {
    const QModelIndex index = m_filter->mapFromSource(source);
    if (!index.isValid()) return;  // filtered out
    // Not QAbstractItemView::setCurrentIndex(), which would add to the selection while Ctrl of Ctrl+Z is pressed.
    m_tree->selectionModel()->setCurrentIndex(index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    m_tree->scrollTo(index);
}

void HistoryView::showCurrent() {
    if (!m_document.isOpen()) return;
    // A folded run or repetition stays folded if its last state became current.
    showIndex(m_model->outermostIndexOf(m_document.history().current(), [this](const QModelIndex& group) {
        return !m_tree->isExpanded(m_filter->mapFromSource(group));
    }));
}

void HistoryView::selectRunResult() {
    const Run* run = m_document.run(m_selection.run());
    if (run == nullptr || !run->resultState.isValid()) return;
    m_tree->scrollTo(m_filter->mapFromSource(m_model->outermostIndexOf(run->resultState)));
}

void HistoryView::filter() { m_filter->setFilter(m_search->text(), m_pinned->isChecked()); }

void HistoryView::showFiltered() {
    const bool before = std::exchange(m_isFiltered, m_filter->isFiltering());
    if (m_isFiltered) {
        // Makes matches below folded rows visible. Not expandAll(), which keeps an entry for every row.
        for (const QModelIndex& above : m_filter->parents()) m_tree->expand(above);
    } else if (before) {
        {
            const QSignalBlocker notByTheUser(m_tree);
            m_tree->collapseAll();
        }
        restoreFolding();
    }
    updateState();
    showCurrent();
}

// --- folding, kept in the session ----------------------------------------------------------------------------------------

void HistoryView::noteFolding(const QModelIndex& index, bool unfolded) {
    if (m_filter->isFiltering()) return;  // caused by the filter
    const QModelIndex row = m_filter->mapToSource(index);
    const QString key = m_model->key(row);
    const bool isGroup = m_model->isGroup(row);
    QSet<QString>& noted = isGroup ? m_unfolded : m_folded;
    const bool isUsual = unfolded != isGroup;
    if (isUsual != noted.contains(key)) return;
    if (isUsual)
        noted.remove(key);
    else
        noted.insert(key);
    QStringList keys(noted.begin(), noted.end());
    keys.sort();
    m_document.setViewValue(isGroup ? unfoldedKey() : foldedKey(), keys.join(QLatin1Char(' ')));
}

void HistoryView::restoreFolding() {
    const auto keysOf = [this](const QString& value) {
        const QStringList keys = m_document.viewValue(value).split(QLatin1Char(' '), Qt::SkipEmptyParts);
        return QSet<QString>(keys.begin(), keys.end());
    };
    m_unfolded = keysOf(unfoldedKey());
    m_folded = keysOf(foldedKey());
    for (const QModelIndex& above : m_filter->parents()) showBranches(above);
    for (const QString& key : std::as_const(m_unfolded)) {
        const QModelIndex index = m_filter->mapFromSource(m_model->indexOfKey(key));
        if (index.isValid()) m_tree->expand(index);
    }
}

void HistoryView::showBranches(const QModelIndex& above) {
    if (!above.isValid() || m_filter->isFiltering() || m_tree->isExpanded(above)) return;
    const QModelIndex row = m_filter->mapToSource(above);
    if (m_model->isGroup(row) || m_folded.contains(m_model->key(row))) return;
    const QSignalBlocker notByTheUser(m_tree);
    m_tree->expand(above);
}

}  // namespace mitos::views
