// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/egraph/internal/extraction_panel.h"

#include "core/extract/extract.h"
#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/theme/theme.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QHeaderView>
#include <QLabel>
#include <QTableWidget>
#include <QToolButton>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

enum ExtractionColumn {
    SharedColumn,
    TreeColumn,
    PredictedColumn,
    BoundColumn,
    ProvenColumn,
    TimeColumn,
    ExtractionColumnCount
};
constexpr double UsualSeconds = 5.0;
constexpr double MostSeconds = 3'600.0;

QString optionalText(const std::optional<double>& value) { return value ? costText(*value) : QStringLiteral("–"); }

}  // namespace

ExtractionPanel::ExtractionPanel(JobRunner& jobs, QWidget* parent)
    : QWidget(parent),
      m_jobs(jobs),
      m_seconds(new QDoubleSpinBox(this)),
      m_run(new QToolButton(this)),
      m_stop(new QToolButton(this)),
      m_clear(new QToolButton(this)),
      m_next(new QToolButton(this)),
      m_table(new QTableWidget(2, ExtractionColumnCount, this)),
      m_summary(new QLabel(this)) {
    setObjectName(QStringLiteral("extractionPanel"));
    auto* row = new QHBoxLayout;
    for (std::size_t side = 0; side < 2; ++side) {
        auto* box = new QComboBox(this);
        setUpWidget(box, side == 0 ? "extractA" : "extractB", {}, side == 0 ? tr("Method A") : tr("Method B"));
        if (side == 1) box->addItem(tr("nothing"), QString());
        for (const extract::MethodInfo& method : extract::methods()) {
            box->addItem(fromUtf8(method.name), fromUtf8(method.name));
            box->setItemData(box->count() - 1, fromUtf8(method.help), Qt::ToolTipRole);
        }
        auto* label = new QLabel(side == 0 ? tr("Extract A") : tr("B"), this);
        label->setBuddy(box);
        row->addWidget(label);
        row->addWidget(box);
        m_sides[side].method = box;
    }
    setUpWidget(m_seconds, "extractSeconds", tr("Time limit of each method"), tr("Time limit"));
    m_seconds->setRange(0.1, MostSeconds);
    m_seconds->setDecimals(1);
    m_seconds->setValue(UsualSeconds);
    m_seconds->setSuffix(tr(" s"));
    row->addWidget(m_seconds);
    const auto button = [this](QToolButton* made, const char* name, const QString& text, const QString& toolTip,
                               void (ExtractionPanel::*slot)()) {
        setUpWidget(made, name, toolTip);
        made->setText(text);
        connect(made, &QToolButton::clicked, this, slot);
    };
    button(m_run, "extractRun", tr("Run"), tr("Extract the roots by both methods"), &ExtractionPanel::run);
    button(m_stop, "extractStop", tr("Stop"), tr("Stop; the best extraction so far is the result"),
           &ExtractionPanel::stop);
    button(m_clear, "extractClear", tr("Clear"), tr("Clear both; the picture shows each class's cheapest tree again"),
           &ExtractionPanel::clear);
    button(m_next, "extractNext", tr("Next difference"), tr("Go to the next class in which A and B chose differently"),
           &ExtractionPanel::nextDifference);
    row->addWidget(m_run);
    row->addWidget(m_stop);
    row->addStretch(1);
    setUpWidget(m_table, "extractTable", {}, tr("Costs of the extractions"));
    m_table->setHorizontalHeaderLabels(
        {tr("Shared"), tr("Tree"), tr("Predicted"), tr("Bound"), tr("Proven"), tr("Time")});
    m_table->setVerticalHeaderLabels({QStringLiteral("A"), QStringLiteral("B")});
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setSelectionMode(QAbstractItemView::NoSelection);
    m_table->setTabKeyNavigation(false);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    followFont(m_table, [this] {
        m_table->verticalHeader()->setDefaultSectionSize(m_table->fontMetrics().height() + 6);
        m_table->setFixedHeight(m_table->horizontalHeader()->sizeHint().height() + 2 * m_table->rowHeight(0) + 4);
    });
    m_summary->setObjectName(QStringLiteral("extractSummary"));
    m_summary->setWordWrap(true);
    auto* last = rowOf({{m_summary, 1}, m_next, m_clear});
    fillColumn(this, {row, m_table, last}, {.margins = NarrowMargins});
    forget();
}

ExtractionPanel::~ExtractionPanel() {
    for (const Side& side : m_sides) {
        if (side.job != 0) m_jobs.discard(side.job);
    }
}

void ExtractionPanel::setIndex(std::shared_ptr<const EGraphIndex> index) {
    m_index = std::move(index);
    forget();
}

std::array<std::shared_ptr<const NodeChoice>, 2> ExtractionPanel::choices() const {
    return {m_sides[0].choice, m_sides[1].choice};
}

void ExtractionPanel::forget() {
    for (Side& side : m_sides) {
        if (side.job != 0) m_jobs.discard(std::exchange(side.job, 0));
        side.choice.reset();
    }
    m_differences.clear();
    m_nextDifference = 0;
    m_table->clearContents();
    m_summary->clear();
    m_table->hide();
    updateControls();
}

void ExtractionPanel::clear() {
    forget();
    Q_EMIT changed();
}

void ExtractionPanel::run() {
    if (!m_index) return;
    forget();
    for (std::size_t side = 0; side < 2; ++side) start(side);
    m_table->show();
    updateControls();
}

void ExtractionPanel::stop() {
    for (const Side& side : m_sides) {
        if (side.job != 0) m_jobs.stop(side.job);
    }
}

void ExtractionPanel::start(std::size_t side) {
    const QString method = m_sides[side].method->currentData().toString();
    if (method.isEmpty()) return;
    m_sides[side].job = m_jobs.start(
        tr("Extracting by %1").arg(method), true, this,
        [index = m_index, name = method.toStdString(), seconds = m_seconds->value()](
            const std::stop_token& stop, const JobRunner::Report&) -> Answer {
            extract::Problem problem = extract::makeProblem(index->snapshot());
            problem.roots = index->starts();
            extract::Options options;
            options.seconds = seconds;
            auto extraction = extract::extract(problem, name, options, stop);
            if (!extraction) return {nullptr, {}, fromUtf8(extraction.error().message)};
            auto choice = std::make_shared<NodeChoice>(index->classCount(), EGraphIndex::None);
            for (ClassIndex which = 0; which < index->classCount(); ++which) {
                const std::uint32_t chosen = extraction->choice[which];
                if (chosen != extract::None) (*choice)[which] = problem.origin[chosen];
            }
            return {std::move(choice), std::move(*extraction), {}};
        },
        [this, side](const Answer& answer) { take(side, answer); });
}

void ExtractionPanel::take(std::size_t side, const Answer& answer) {
    const JobId job = std::exchange(m_sides[side].job, 0);
    m_sides[side].choice = answer.choice;
    const auto row = static_cast<int>(side);
    if (!answer.error.isEmpty()) {
        m_jobs.setOutcome(job, JobInfo::State::Failed, answer.error);
        m_summary->setText(tr("%1: %2").arg(m_sides[side].method->currentText(), answer.error));
    } else {
        const extract::Extraction& found = answer.extraction;
        const QStringList texts{costText(found.cost),
                                costText(found.treeCost),
                                optionalText(found.predicted),
                                optionalText(found.bound),
                                found.proven ? tr("yes") : tr("no"),
                                durationText(found.seconds)};
        for (int column = 0; column < ExtractionColumnCount; ++column) {
            auto* item = new QTableWidgetItem(texts[column]);
            item->setToolTip(fromUtf8(found.note));
            item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            m_table->setItem(row, column, item);
        }
    }
    compare();
    updateControls();
    Q_EMIT changed();
}

void ExtractionPanel::compare() {
    m_differences.clear();
    m_nextDifference = 0;
    const auto [a, b] = choices();
    if (!a || !b) return;
    // In the order in which the picture visits them, so that they are traversed from the roots down.
    std::vector<ClassIndex> needed = extractionCone(*m_index, m_index->starts(), a.get());
    for (const ClassIndex which : extractionCone(*m_index, m_index->starts(), b.get())) needed.push_back(which);
    std::vector<bool> seen(m_index->classCount(), false);
    for (const ClassIndex which : needed) {
        if (seen[which]) continue;
        seen[which] = true;
        if ((*a)[which] != (*b)[which]) m_differences.push_back(which);
    }
    m_summary->setText(m_differences.empty() ? tr("A and B chose the same.")
                       : m_differences.size() == 1
                           ? tr("A and B differ in 1 class.")
                           : tr("A and B differ in %1 classes.").arg(countText(m_differences.size())));
}

void ExtractionPanel::nextDifference() {
    if (m_differences.empty()) return;
    Q_EMIT differenceChosen(m_differences[m_nextDifference]);
    m_nextDifference = (m_nextDifference + 1) % m_differences.size();
}

void ExtractionPanel::updateControls() {
    const bool any = m_sides[0].choice || m_sides[1].choice;
    m_run->setVisible(!isRunning());
    m_stop->setVisible(isRunning());
    m_run->setEnabled(m_index != nullptr && m_index->classCount() > 0);
    m_clear->setVisible(any && !isRunning());
    m_next->setVisible(!m_differences.empty());
}

}  // namespace mitos::views
