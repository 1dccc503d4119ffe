// SPDX-License-Identifier: GPL-3.0-or-later
// All rewrites of the current state.
#include "views/rewrites/rewrites_view.h"

#include "views/common/format.h"
#include "views/common/view_keys.h"
#include "views/common/widgets.h"
#include "views/rewrites/internal/rewrite_delegate.h"
#include "views/rewrites/internal/rewrite_preview.h"
#include "views/rewrites/rewrite_groups.h"
#include "views/rewrites/rewrites_model.h"
#include "views/theme/theme.h"

#include <QComboBox>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMetaMethod>
#include <QMouseEvent>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

constexpr int DrainMs = 50;
constexpr std::size_t MostSeenAtOnce = 20'000;  // states of the history whose programs are noted in one event
constexpr std::size_t MostFreedHere = 1'000;    // rows whose memory is freed on this thread

QString scopeKey() { return QStringLiteral("rewrites.scope"); }
QString groupingKey() { return QStringLiteral("rewrites.grouping"); }

}  // namespace

RewritesView::RewritesView(Document& document, Selection& selection, JobRunner& jobs, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_selection(selection),
      m_jobs(jobs),
      m_model(new RewritesModel(this)),
      m_groups(new RewriteGroups(*m_model, jobs, this)),
      m_scope(new QComboBox(this)),
      m_order(new QComboBox(this)),
      m_search(new QLineEdit(this)),
      m_grouping(new QToolButton(this)),
      m_count(new QLabel(this)),
      m_stack(new QStackedWidget(this)),
      m_table(new QTableView(this)),
      m_delegate(new RewriteDelegate(*m_groups, *m_model, m_table)),
      m_empty(new EmptyState(this)),
      m_preview(new RewritePreview(this)) {
    setObjectName(QStringLiteral("rewritesView"));
    build();
    connectAll();
    followPalette(this, [this] { updateTheme(); });
    reload();
}

RewritesView::~RewritesView() {
    if (m_job != 0) m_jobs.discard(m_job);
}

void RewritesView::build() {
    m_scope->setObjectName(QStringLiteral("rewritesScope"));
    m_scope->addItem(tr("Anywhere"));
    m_scope->addItem(tr("In the selection"));
    m_scope->addItem(tr("At the selection only"));
    m_scope->setToolTip(tr("Where rewrites are listed from"));
    m_scope->setAccessibleName(tr("Where rewrites are listed from"));
    m_scope->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_scope->setMinimumContentsLength(9);
    setUpWidget(m_search, "rewritesFilter", {}, tr("Filter of the rewrites"));
    m_search->setPlaceholderText(tr("Filter by rule or subterm"));
    m_search->setClearButtonEnabled(true);
    m_grouping->setObjectName(QStringLiteral("rewritesGrouping"));
    m_grouping->setText(QStringLiteral("×n"));
    m_grouping->setCheckable(true);
    m_grouping->setChecked(true);
    m_grouping->setToolTip(tr("Group equal rules"));
    m_grouping->setAccessibleName(tr("Group equal rules"));
    m_count->setObjectName(QStringLiteral("rewritesCount"));
    m_count->setWordWrap(true);
    m_order->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_order->setMinimumContentsLength(8);
    m_order->setObjectName(QStringLiteral("rewritesOrder"));
    m_order->setAccessibleName(tr("Order of the rewrites"));
    m_order->setToolTip(tr("Order of the rewrites"));
    for (const auto& [text, order] :
         {std::pair{tr("Cheapest first"), RewriteOrder::Cost}, std::pair{tr("By rule"), RewriteOrder::Rule},
          std::pair{tr("By place"), RewriteOrder::Place}, std::pair{tr("Smallest first"), RewriteOrder::Size},
          std::pair{tr("Exact rules first"), RewriteOrder::Soundness}}) {
        m_order->addItem(text, static_cast<int>(order));
    }

    setUpRowTable(*m_table, *m_groups, QStringLiteral("rewritesTable"), tr("Applicable rewrites"));
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setAlternatingRowColors(false);
    m_table->setItemDelegate(m_delegate);
    addKeys();
    m_table->viewport()->installEventFilter(this);
    m_table->setMouseTracking(true);  // needed for entered()
    // A row says everything; the other columns are for the order and for screen readers.
    for (int column = 1; column < RewritesModel::ColumnCount; ++column) m_table->setColumnHidden(column, true);
    m_table->horizontalHeader()->hide();
    m_table->horizontalHeader()->setSectionResizeMode(RewritesModel::RuleColumn, QHeaderView::Stretch);
    fitRows();

    m_stack->addWidget(m_table);
    m_stack->addWidget(m_empty);
    auto* splitter = new QSplitter(Qt::Vertical, this);
    splitter->setObjectName(QStringLiteral("rewritesSplitter"));
    splitter->addWidget(m_stack);
    splitter->addWidget(m_preview);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    splitter->setChildrenCollapsible(false);
    splitter->setSizes({3000, 1500});  // proportions, independent of the size hints

    auto* top = rowOf({{m_scope, 2}, {m_search, 3}, m_grouping});
    auto* below = rowOf({{m_count, 3}, {m_order, 2}});
    fillColumn(this, {top, below, {splitter, 1}}, {.margins = NarrowMargins});

    m_drain.setInterval(DrainMs);
}

void RewritesView::connectAll() {
    connect(&m_document, &Document::closed, this, [this] {
        m_seen = 0;
        m_model->forgetSeen();
        reload();
    });
    connect(&m_document, &Document::opened, this, [this] {
        setScope(RewriteScope::WithinSelection);
        if (const QString saved = m_document.viewValue(scopeKey()); !saved.isEmpty()) {
            m_scope->setCurrentIndex(std::clamp(saved.toInt(), 0, m_scope->count() - 1));
        }
        m_grouping->setChecked(m_document.viewValue(groupingKey()) != QStringLiteral("0"));
        reload();
    });
    connect(&m_document, &Document::currentChanged, this, &RewritesView::reload);
    connect(&m_document, &Document::rulesChanged, this, &RewritesView::reload);
    connect(&m_document, &Document::costModelChanged, this, &RewritesView::reload);
    connect(&m_document, &Document::historyChanged, this, &RewritesView::updateSeen);
    connect(&m_document, &Document::trustChanged, this, [this] {
        m_model->setFailed(m_document.failedRules());
        showSelectedRow();
    });
    connect(&m_selection, &Selection::subtermChanged, this, &RewritesView::updateScope);
    connect(&m_selection, &Selection::rewriteChanged, this, [this] {
        if (!m_settingRewrite && !m_selection.rewrite() && selectedRow().isValid()) m_table->clearSelection();
    });
    connect(&m_drain, &QTimer::timeout, this, &RewritesView::takeRows);

    connect(m_scope, &QComboBox::activated, this,
            [this] { m_document.setViewValue(scopeKey(), QString::number(m_scope->currentIndex())); });
    connect(m_scope, &QComboBox::currentIndexChanged, this, &RewritesView::updateScope);
    connect(m_grouping, &QToolButton::clicked, this, [this](bool isGrouping) {
        m_document.setViewValue(groupingKey(), QString::number(static_cast<int>(isGrouping)));
    });
    connect(m_grouping, &QToolButton::toggled, m_groups, &RewriteGroups::setGrouping);
    connect(m_groups, &QAbstractItemModel::layoutChanged, this, &RewritesView::keepSelection);
    connect(m_groups, &RewriteGroups::arranged, this, &RewritesView::showArranged);
    connect(m_search, &QLineEdit::textChanged, m_groups, &RewriteGroups::setText);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &RewritesView::showSelectedRow);
    connect(m_table, &QTableView::entered, this, &RewritesView::pointAt);
    connect(m_table, &QTableView::doubleClicked, this, &RewritesView::applySelected);
    connect(m_preview, &RewritePreview::applyRequested, this, &RewritesView::applySelected);
    connect(m_preview, &RewritePreview::helpRequested, this, [this] {
        if (const QModelIndex row = selectedRow(); row.isValid()) {
            Q_EMIT ruleHelpRequested(fromUtf8(m_groups->rewrite(row).rule->rule().name));
        }
    });
    connect(m_order, &QComboBox::currentIndexChanged, this, [this] {
        if (m_job == 0) sortRows();
    });
}

void RewritesView::updateTheme() {
    const Theme theme(palette());
    m_model->setColors({theme.better(), theme.worse(), theme.faintText()});
}

void RewritesView::reload() {
    if (m_job != 0) m_jobs.discard(m_job);
    m_job = 0;
    m_drain.stop();
    m_cutOff = false;
    m_selection.setRewrite(std::nullopt);
    m_isSorting = false;
    RewriteRows before = m_model->clear(m_document.isOpen() ? m_document.cost(m_document.current().root) : 0.0);
    if (before.size() > MostFreedHere) m_jobs.release(std::make_shared<RewriteRows>(std::move(before)));
    m_groups->setOrder(RewriteOrder::Arrival);
    if (m_document.isOpen()) {
        m_rowsOf = m_document.current().root;
        updateSeen();
        m_channel = std::make_shared<RewriteChannel>();
        m_job = m_jobs.start(
            tr("Rewrites of the current state"), false, this,
            [snapshot = m_document.snapshot(m_document.current()), directions = m_document.rules().directions(),
             model = m_document.sharedCostModel(),
             channel = m_channel](const std::stop_token& stop, const JobRunner::Report&) {
                return collectRewrites(snapshot, directions, *model, *channel, stop);
            },
            [this](const RewriteTotals& totals) { finish(totals); });
        m_drain.start();
    }
    updateScope();
    showSelectedRow();
}

void RewritesView::takeRows() {
    m_model->append(m_channel->take());
    updateState();
}

void RewritesView::finish(const RewriteTotals& totals) {
    m_drain.stop();
    m_model->append(m_channel->take());
    m_job = 0;
    m_cutOff = totals.cutOff;
    sortRows();
    updateState();
}

void RewritesView::sortRows() {
    m_isSorting = true;
    m_groups->setOrder(static_cast<RewriteOrder>(m_order->currentData().toInt()));
}

void RewritesView::showArranged() {
    updateState();
    if (!std::exchange(m_isSorting, false)) return;
    if (const QModelIndex row = selectedRow(); row.isValid()) {
        m_table->scrollTo(row);
    } else {
        m_table->scrollToTop();
    }
}

void RewritesView::updateSeen() {
    if (!m_document.isOpen()) return;
    const rewrite::History& history = m_document.history();
    std::vector<std::pair<std::uint64_t, rewrite::StateId>> fresh;
    for (; m_seen < history.size() && fresh.size() < MostSeenAtOnce; ++m_seen) {
        const rewrite::StateId state(static_cast<std::uint32_t>(m_seen));
        fresh.emplace_back(m_document.bank().hash(history.state(state).root), state);
    }
    if (!fresh.empty()) m_model->addSeen(fresh);
    if (m_seen < history.size()) QMetaObject::invokeMethod(this, &RewritesView::updateSeen, Qt::QueuedConnection);
}

RewriteScope RewritesView::scope() const { return static_cast<RewriteScope>(m_scope->currentIndex()); }

void RewritesView::setScope(RewriteScope scope) { m_scope->setCurrentIndex(static_cast<int>(scope)); }

void RewritesView::updateScope() {
    // Rows of the state before are not ordered once more: reload() follows.
    if (m_document.isOpen() && m_document.current().root != m_rowsOf) return;
    m_groups->setScope(scope(), m_selection.subterm());
    updateState();
}

void RewritesView::updateState() {
    const int shown = m_groups->shown();
    const int all = m_model->rowCount();
    if (!m_document.isOpen()) {
        m_count->clear();
    } else if (m_job != 0) {
        m_count->setText(tr("Looking for rewrites… %L1 so far").arg(all));
    } else {
        const QString number = shown == all ? QLocale().toString(all)
                                            : tr("%1 of %2").arg(QLocale().toString(shown), QLocale().toString(all));
        m_count->setText(m_cutOff ? tr("The first %L1 rewrites; there are more").arg(all)
                                  : tr("Rewrites:\u00a0%1   Lowering\u00a0the\u00a0cost:\u00a0%L2")
                                        .arg(number)
                                        .arg(m_model->rewrites().cheaper()));
    }

    if (shown > 0 || (m_document.isOpen() && !isComplete())) {
        m_stack->setCurrentWidget(m_table);
        return;
    }
    m_stack->setCurrentWidget(m_empty);
    if (!m_document.isOpen()) {
        m_empty->explain(tr("Open a program to see its rewrites."));
    } else if (m_document.rules().directions().empty()) {
        m_empty->explain(tr("There are no rules for %1 programs.").arg(fromUtf8(m_document.dialect().name)));
    } else if (all == 0) {
        m_empty->explain(tr("No rule of %1 applies to this program.").arg(fromUtf8(m_document.rules().names())));
    } else if (scope() == RewriteScope::AtSelection && !m_selection.subterm()) {
        m_empty->explain(tr("No subterm is selected in the program."), tr("Show Rewrites Anywhere"),
                         [this] { setScope(RewriteScope::Anywhere); });
    } else if (!m_search->text().isEmpty()) {
        m_empty->explain(tr("No rewrite matches the filter “%1”.").arg(m_search->text()), tr("Clear the Filter"),
                         [this] { m_search->clear(); });
    } else if (isSignalConnected(QMetaMethod::fromSignal(&RewritesView::nearMissesRequested))) {
        m_empty->explain(tr("No rule matches this subterm."), tr("Show Rules That Nearly Match"),
                         [this] { Q_EMIT nearMissesRequested(); });
    } else {
        m_empty->explain(tr("No rule matches this subterm."), tr("Show Rewrites Anywhere"),
                         [this] { setScope(RewriteScope::Anywhere); });
    }
}

QModelIndex RewritesView::selectedRow() const {
    const QModelIndexList rows = m_table->selectionModel()->selectedRows();
    return rows.isEmpty() ? QModelIndex() : rows.front();
}

void RewritesView::showSelectedRow() {
    const QModelIndex index = selectedRow();
    m_shownRow = index.isValid() ? m_groups->source(index) : -1;
    if (!index.isValid()) {
        m_preview->setContent(std::nullopt);
        m_selection.setRewrite(std::nullopt);
        return;
    }
    const RewriteRow& row = m_groups->rewrite(index);
    const ir::Program program = m_document.current();
    const Result<rewrite::Rewrite> found = findRewrite(m_document.bank(), program, row);
    if (!found.ok()) {
        m_preview->setContent(std::nullopt);
        m_selection.setRewrite(std::nullopt);
        return;
    }
    const cost::CostModelInfo& model = m_document.costModel().info();
    const eval::DoubtfulRule* doubt = doubtOf(m_document.failedRules(), *row.rule);
    m_preview->setContent(RewritePreviewContent{.row = row,
                                                .nodes = replacedNodes(m_document.bank(), program, *found),
                                                .costBefore = m_model->rewrites().costBefore(),
                                                .delta = m_model->rewrites().delta(m_shownRow),
                                                .unit = fromUtf8(model.unit),
                                                .model = fromUtf8(model.name),
                                                .doubt = doubt == nullptr ? QString() : fromUtf8(doubt->reason)});
    m_settingRewrite = true;
    m_selection.setRewrite(found->step);
    m_settingRewrite = false;
}

void RewritesView::pointAt(const QModelIndex& index) {
    const ir::Program program = m_document.current();
    const Result<rewrite::Rewrite> found = findRewrite(m_document.bank(), program, m_groups->rewrite(index));
    if (!found) return m_selection.setTouched({}, 0);
    Touched touched = touchedPlaces(m_document.bank(), program, *found);
    m_selection.setTouched(std::move(touched.places), touched.roots);
}

void RewritesView::applySelected() {
    if (!selectedRow().isValid() || !m_selection.rewrite()) return;
    const rewrite::Step step = *m_selection.rewrite();  // a copy, because applying clears the selection
    m_document.apply(step);
}

void RewritesView::filterBy(const QString& text) {
    setScope(RewriteScope::Anywhere);
    m_search->setText(text);
}

void RewritesView::moveBy(int rows) {
    const int count = m_groups->rowCount();
    if (count == 0) return;
    const QModelIndex now = selectedRow();
    select(m_groups->index(now.isValid() ? std::clamp(now.row() + rows, 0, count - 1) : 0, 0));
}

void RewritesView::select(const QModelIndex& row) {
    m_table->selectRow(row.row());
    m_table->setCurrentIndex(row);
    m_table->scrollTo(row);
}

/// A previewed rewrite that is part of a group now is replaced by the group. A group's best rewrite may have changed.
void RewritesView::keepSelection() {
    if (!selectedRow().isValid() && m_shownRow >= 0) {
        if (const QModelIndex row = m_groups->find(m_shownRow); row.isValid()) select(row);
    }
    const QModelIndex row = selectedRow();
    if ((row.isValid() ? m_groups->source(row) : -1) != m_shownRow) showSelectedRow();
}

void RewritesView::setOpen(const QModelIndex& row, bool isOpen) {
    const QModelIndex head = m_groups->head(row);
    if (!head.isValid()) return;
    m_groups->setOpen(head, isOpen);
    // Its row is the same one still, as only those below it come and go.
    if (const QModelIndex selected = selectedRow(); selected.isValid() && selected.row() == head.row())
        m_table->scrollTo(selected);
}

void RewritesView::addKeys() {
    const auto open = [this](bool isOpen) {
        if (const QModelIndex row = selectedRow(); row.isValid()) setOpen(row, isOpen);
    };
    auto* keys = new ViewKeys(m_table, tr("Rewrites"));
    keys->add({Qt::Key_J}, tr("Next rewrite"), [this] { moveBy(1); });
    keys->add({Qt::Key_K}, tr("Previous rewrite"), [this] { moveBy(-1); });
    keys->add({Qt::Key_Right}, tr("Open the group"), [open] { open(true); });
    keys->add({Qt::Key_Left}, tr("Close the group"), [open] { open(false); });
    keys->add({Qt::Key_Return, Qt::Key_Enter}, tr("Apply the rewrite"), [this] { applySelected(); });
}

bool RewritesView::clickCount(const QPoint& point) {
    const QModelIndex index = m_table->indexAt(point);
    if (!index.isValid()) return false;
    const RewriteGroup* group = m_groups->group(index);
    if (group == nullptr) return false;
    if (!m_delegate->countRect(m_table->visualRect(index), m_table->font(), index).contains(point)) return false;
    setOpen(index, !group->isOpen);
    return true;
}

bool RewritesView::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_table->viewport()) {
        if (event->type() == QEvent::Leave) m_selection.setTouched({}, 0);
        if (event->type() == QEvent::MouseButtonPress || event->type() == QEvent::MouseButtonDblClick) {
            const auto* mouse = static_cast<QMouseEvent*>(event);
            if (mouse->button() == Qt::LeftButton && clickCount(mouse->pos())) return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void RewritesView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    // Later, as the table has its own height for one line.
    if (event->type() == QEvent::FontChange)
        QMetaObject::invokeMethod(
            this, [this] { fitRows(); }, Qt::QueuedConnection);
}

void RewritesView::fitRows() { m_table->verticalHeader()->setDefaultSectionSize(RewriteDelegate::rowHeight(font())); }

}  // namespace mitos::views
