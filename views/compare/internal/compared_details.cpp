// SPDX-License-Identifier: GPL-3.0-or-later
// See compared_details.h.
#include "views/compare/internal/compared_details.h"

#include "core/ir/transplant.h"
#include "views/common/format.h"
#include "views/common/heat_delegate.h"
#include "views/common/widgets.h"
#include "views/compare/compare_model.h"
#include "views/compare/internal/run_details.h"
#include "views/document/choices.h"
#include "views/theme/theme.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QStackedWidget>
#include <QTabBar>
#include <QTableView>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace mitos::views {

namespace {

enum Tab { ParetoTab, GainsTab, UsesTab, StepsTab };

}  // namespace

ComparedDetails::ComparedDetails(Document& document, JobRunner& jobs, const CompareModel& model, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_jobs(jobs),
      m_model(model),
      m_tabs(new QTabBar(this)),
      m_pages(new QStackedWidget(this)),
      m_pareto(new ParetoChart(this)),
      m_against(new QComboBox(this)),
      m_gains(new QTableView(this)),
      m_uses(new QTableView(this)),
      m_steps(new QTableView(this)),
      m_stepsTitle(new QLabel(this)),
      m_gainsModel(new RuleGainsModel(this)),
      m_usesModel(new RuleUsesModel(this)),
      m_stepsModel(new StepsModel(this)) {
    m_pareto->setObjectName(QStringLiteral("paretoChart"));
    build();
    connect(m_against, &QComboBox::activated, this, [this] {
        forgetResults();
        showPareto();
    });
    connect(m_pareto, &CompareChart::groupClicked, this, &ComparedDetails::groupClicked);
    followPalette(this, [this] { m_stepsModel->setFaint(Theme(palette()).faintText()); });
}

void ComparedDetails::setEntries(std::vector<ChartEntry> entries) {
    m_entries = std::move(entries);
    fillAgainst();
    showFront();
}

void ComparedDetails::select(int group, ComparedRunId run) {
    m_pareto->select(group);
    if (std::exchange(m_group, group) == group && std::exchange(m_run, run) == run) return;
    m_run = run;
    if (m_pages->currentIndex() == StepsTab) showSteps();
}

void ComparedDetails::forgetResults() {
    m_pricing.reset();
    m_pricedAgain.clear();
    m_usesOf.clear();
}

void ComparedDetails::showFront() {
    if (m_pages->currentIndex() == ParetoTab) showPareto();
    if (m_pages->currentIndex() == GainsTab) showGains();
    if (m_pages->currentIndex() == UsesTab) showUses();
    if (m_pages->currentIndex() == StepsTab) showSteps();
}

void ComparedDetails::build() {
    setUpWidget(m_tabs, "compareTabs", {}, tr("What is shown beside the curves"));
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_tabs->addTab(tr("Cost against time"));
    m_tabs->addTab(tr("Gain by rule"));
    m_tabs->addTab(tr("Rules applied"));
    m_tabs->addTab(tr("Steps"));
    setUpRowTable(*m_gains, *m_gainsModel, QStringLiteral("compareGains"), tr("Gain by rule"));
    m_gains->setItemDelegate(new GainDelegate(m_gains));
    setUpRowTable(*m_uses, *m_usesModel, QStringLiteral("compareUses"), tr("Rules applied"));
    m_uses->setItemDelegate(new HeatDelegate(m_uses));
    for (QTableView* table : {m_gains, m_uses}) {
        table->verticalHeader()->setVisible(true);
        table->verticalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    }
    setUpRowTable(*m_steps, *m_stepsModel, QStringLiteral("compareSteps"), tr("Steps of two results"));
    m_steps->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    m_steps->horizontalHeader()->setSectionResizeMode(StepsModel::CommonColumn, QHeaderView::ResizeToContents);
    setUpPlainLabel(m_stepsTitle, "compareStepsTitle");
    for (QTableView* table : {m_gains, m_uses, m_steps}) table->setFrameShape(QFrame::NoFrame);
    setUpWidget(m_against, "compareAgainst", tr("Time, or the cost of the same results under another model"),
                tr("What the cost is drawn against"));
    // It is filled later, and titles of models may be long.
    m_against->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_against->setMinimumContentsLength(16);
    auto* pareto = new QWidget(this);
    fillColumn(pareto, {rowOf({stretch(), m_against}), {m_pareto, 1}}, {.margins = NoMargins});
    m_pages->addWidget(pareto);
    m_pages->addWidget(m_gains);
    m_pages->addWidget(m_uses);
    auto* steps = new QWidget(this);
    fillColumn(steps, {m_stepsTitle, {m_steps, 1}}, {.margins = NoMargins});
    m_pages->addWidget(steps);
    connect(m_tabs, &QTabBar::currentChanged, this, [this](int tab) {
        m_pages->setCurrentIndex(tab);
        showFront();
    });
    fillColumn(this, {m_tabs, {m_pages, 1}});
}

/// Time, and every other model that can price the program.
void ComparedDetails::fillAgainst() {
    if (!m_document.isOpen()) return;  // the choice stays for the next program
    const QString chosen = m_against->currentData().toString();
    const QString inForce = fromUtf8(m_document.costModel().info().name);
    QStringList names{QString()};
    QStringList titles{tr("against time")};
    for (const CostModelChoice& choice : costModelChoices(&m_document.dialect(), inForce)) {
        if (choice.name.section(QLatin1Char(':'), 0, 0) == inForce.section(QLatin1Char(':'), 0, 0)) continue;
        names << choice.name;
        titles << tr("against %1").arg(choice.title);
    }
    QStringList known;
    for (int i = 0; i < m_against->count(); ++i) known << m_against->itemData(i).toString();
    if (known == names) return;  // it may be open
    m_against->clear();
    for (qsizetype i = 0; i < names.size(); ++i) m_against->addItem(titles[i], names[i]);
    m_against->setCurrentIndex(std::max(0, m_against->findData(chosen)));
}

void ComparedDetails::showPareto() {
    const QString model = m_against->currentData().toString();
    std::vector<ChartEntry> entries = m_entries;
    m_pareto->setUnit(
        chartUnit(entries, m_document.isOpen() ? fromUtf8(m_document.costModel().info().unit) : QString()));
    const bool isRelative = areOfSeveralPrograms(entries);
    if (model.isEmpty()) {
        m_pareto->setAgainstTime();
    } else {
        bool isComplete = true;
        for (ChartEntry& entry : entries) {
            if (!entry.isFinished) continue;
            const ComparedRunId run = m_model.runAt(m_model.index(entry.group, 0));
            const auto known = m_pricedAgain.find(run);
            isComplete = isComplete && known != m_pricedAgain.end();
            entry.isFinished = known != m_pricedAgain.end() && std::isfinite(known->second.result) &&
                               (!isRelative || (std::isfinite(known->second.start) && known->second.start != 0.0));
            if (entry.isFinished)
                entry.against = known->second.result * (isRelative ? 100.0 / std::abs(known->second.start) : 1.0);
            if (const Run* best = m_model.run(run); best != nullptr) entry.cost = best->bestCost * entry.scale;
        }
        m_pareto->setAgainst(isRelative ? tr("best result, % of each start, %1").arg(m_against->currentText())
                                        : tr("cost of the best result, %1").arg(m_against->currentText()));
        if (!isComplete) priceAgain();
    }
    m_pareto->setEntries(std::move(entries));
}

void ComparedDetails::priceAgain() {
    if (m_pricing != nullptr) return;  // its end looks for what is still missing
    const auto model = cost::findCostModel(m_against->currentData().toString().toStdString());
    if (!model || !m_document.isOpen()) return;
    struct Result {
        ComparedRunId run;
        ir::Program start;
        ir::Program end;
    };
    auto bank = std::make_shared<ir::TermBank>(m_document.bank().sharedRegistry());
    std::map<int, ir::Transplanter> transplanters;
    std::vector<Result> results;
    for (std::size_t i = 0; i < m_model.groups().size(); ++i) {
        const ComparedRunId id = m_model.runAt(m_model.index(static_cast<int>(i), 0));
        const Run* run = m_model.run(id);
        const rewrite::History* const history = m_model.historyOf(id.program);
        if (m_pricedAgain.contains(id) || run == nullptr || run->state != search::RunState::Finished) continue;
        if (history == nullptr) continue;  // it is priced when it is read
        if (!run->resultState.isValid()) {
            constexpr double Unknown = std::numeric_limits<double>::quiet_NaN();
            m_pricedAgain[id] = {Unknown, Unknown};
            continue;
        }
        ir::Transplanter& transplanter =
            transplanters.try_emplace(id.program, m_model.bankOf(id.program), *bank).first->second;
        results.push_back({id, transplanter.program(history->program(history->start())),
                           transplanter.program(history->program(run->resultState))});
    }
    if (results.empty()) return;
    m_pricing = std::make_unique<QObject>();
    m_jobs.start(
        tr("Pricing results under a second model"), false, m_pricing.get(),
        [bank, results, model = *model](const std::stop_token& stop, const JobRunner::Report&) {
            const auto costOf = [&](const ir::Program& program) {
                const mitos::Result<double> cost = model->evaluator(*bank, program.function)->cost(program.root, stop);
                return cost ? *cost : std::numeric_limits<double>::quiet_NaN();
            };
            std::map<ComparedRunId, Priced> costs;
            for (const auto& [run, start, end] : results) costs[run] = {costOf(start), costOf(end)};
            return costs;
        },
        [this](const std::map<ComparedRunId, Priced>& costs) {
            m_pricedAgain.insert(costs.begin(), costs.end());
            m_pricing.release()->deleteLater();  // the context of this call
            if (m_pages->currentIndex() == ParetoTab) showPareto();
        });
}

std::optional<RunThread> ComparedDetails::threadOf(ComparedRunId id) const {
    const rewrite::History* const history = m_model.historyOf(id.program);
    const Run* const run = m_model.run(id);
    return history == nullptr || run == nullptr ? std::nullopt : views::threadOf(*history, *run);
}

void ComparedDetails::showGains() {
    std::vector<RuleGainsModel::Result> results;
    for (const ChartEntry& entry : m_entries) {
        std::vector<std::vector<search::RuleGain>> seeds;
        for (const ComparedRunId run : m_model.runsOf(static_cast<std::size_t>(entry.group))) {
            if (m_model.run(run)->state != search::RunState::Finished) continue;
            auto& gains = seeds.emplace_back();
            if (const auto found = threadOf(run)) gains = search::ruleGains(found->thread, found->costs);
            for (search::RuleGain& gain : gains) gain.gain *= entry.scale;
        }
        results.push_back({entry.label, search::gainSpreads(seeds)});
    }
    m_gainsModel->setResults(std::move(results), chartUnit(m_entries, fromUtf8(m_document.costModel().info().unit)));
    m_gains->resizeColumnsToContents();
}

/// They are counted once, because the events of a run may be many. Null if the run has no result, or its steps are not known yet.
const ComparedDetails::Uses* ComparedDetails::usesOf(ComparedRunId id) {
    if (const auto known = m_usesOf.find(id); known != m_usesOf.end()) return &known->second;
    const Run* const run = m_model.wholeRun(id);
    if (run == nullptr || run->state != search::RunState::Finished) return nullptr;
    if (const auto growth = search::growthIn(run->events))
        return &m_usesOf.emplace(id, Uses{search::ruleUses(*growth), true}).first->second;
    if (const auto found = threadOf(id))
        return &m_usesOf.emplace(id, Uses{search::ruleUses(found->thread), false}).first->second;
    return nullptr;
}

void ComparedDetails::showUses() {
    std::vector<RuleUsesModel::Result> results;
    for (const ChartEntry& entry : m_entries) {
        RuleUsesModel::Result result{entry.label, {}, false};
        for (const ComparedRunId id : m_model.runsOf(static_cast<std::size_t>(entry.group))) {
            const Uses* const uses = usesOf(id);
            if (uses == nullptr) continue;
            result.isOfEGraph = result.isOfEGraph || uses->isOfEGraph;
            result.seeds.push_back(uses->rules);
        }
        results.push_back(std::move(result));
    }
    m_usesModel->setResults(std::move(results));
    m_uses->resizeColumnsToContents();
}

/// The selected result beside that of the baseline; without a baseline, beside the best one of the program.
void ComparedDetails::showSteps() {
    std::optional<std::size_t> other;
    if (m_group >= 0) {
        const auto group = static_cast<std::size_t>(m_group);
        other = m_model.baselineOf(group);
        for (std::size_t i = 0; i < m_model.groups().size() && !other; ++i) {
            if (m_model.areComparable(i, group) && m_model.isBest(i)) other = i;
        }
    }
    if (!other || m_model.historyOf(m_run.program) == nullptr) {
        m_stepsModel->clear();
        m_stepsTitle->setText(
            other
                ? tr("The steps are shown when all searches of %1 have ended.").arg(m_model.programLabel(m_run.program))
                : tr("Select a search to see its steps beside those of the baseline or the best one."));
        return;
    }
    const ComparedRunId left = m_model.runAt(m_model.index(static_cast<int>(*other), 0));
    const auto named = [this](std::size_t which, ComparedRunId run) {
        return tr("%1 #%2").arg(m_model.label(which)).arg(run.run);
    };
    m_stepsModel->setThreads(m_model.bankOf(m_run.program), named(*other, left), threadOf(left),
                             named(static_cast<std::size_t>(m_group), m_run), threadOf(m_run));
    m_stepsTitle->setText(tr("%L1 of %L2 and %L3 steps in common")
                              .arg(m_stepsModel->common())
                              .arg(m_stepsModel->steps(StepsModel::LeftColumn))
                              .arg(m_stepsModel->steps(StepsModel::RightColumn)));
}

}  // namespace mitos::views
