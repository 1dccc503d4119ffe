// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/program/thread_steps.h"

#include "core/dialects/dialects.h"
#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/document/places.h"

#include <QHeaderView>
#include <QSignalBlocker>

namespace mitos::views {

namespace {

enum StepColumn { RuleColumn, PlaceColumn, TermColumn, StepColumnCount };
constexpr int RowMargin = 6;
constexpr qsizetype LongestLine = 160;

}  // namespace

std::vector<ThreadRow> threadRows(const ir::TermBank& bank, const rewrite::Thread& thread) {
    std::vector<ThreadRow> rows;
    ir::Program state = thread.start;
    const auto text = [&] {
        return fromUtf8(dialects::printTermAt(bank, state, {}, state.root)).simplified().left(LongestLine);
    };
    rows.push_back({{}, {}, text()});
    for (std::size_t i = 0; i < thread.steps.size(); ++i) {
        const rewrite::Step& step = thread.steps[i];
        const QString place = PlaceNames(bank, state, 0).of(step);
        state.root = thread.states[i];
        rows.push_back({fromUtf8(step.name()), place, text()});
    }
    return rows;
}

ThreadSteps::ThreadSteps(const char* name, QWidget* parent) : QTableWidget(parent) {
    setUpWidget(this, name, {}, tr("Steps"));
    setWordWrap(false);
    setColumnCount(StepColumnCount);
    setHorizontalHeaderLabels({tr("Rule"), tr("At"), tr("Term")});
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setTabKeyNavigation(false);
    setShowGrid(false);
    horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(fontMetrics().height() + RowMargin);
    horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    horizontalHeader()->setSectionResizeMode(TermColumn, QHeaderView::Stretch);
    connect(this, &QTableWidget::currentCellChanged, this, [this](int row) {
        if (row >= 0) Q_EMIT stateChosen(row);
    });
}

void ThreadSteps::setRows(const std::vector<ThreadRow>& rows) {
    const QSignalBlocker blocker(this);
    setRowCount(0);
    setRowCount(static_cast<int>(rows.size()));
    for (int row = 0; row < rowCount(); ++row) {
        const ThreadRow& texts = rows[static_cast<std::size_t>(row)];
        setItem(row, RuleColumn, new QTableWidgetItem(texts.rule));
        setItem(row, PlaceColumn, new QTableWidgetItem(texts.place));
        setItem(row, TermColumn, new QTableWidgetItem(texts.term));
    }
}

void ThreadSteps::showState(int state) { setCurrentCell(state, RuleColumn); }

}  // namespace mitos::views
