// SPDX-License-Identifier: GPL-3.0-or-later
// The perspective Compare.
#include "views/compare/compare_view.h"

#include "views/common/elided_label.h"
#include "views/common/format.h"
#include "views/common/view_keys.h"
#include "views/common/widgets.h"
#include "views/compare/compare_filter.h"
#include "views/compare/compare_model.h"
#include "views/compare/internal/compare_charts.h"
#include "views/compare/internal/compared_details.h"
#include "views/compare/internal/run_delegate.h"
#include "views/document/runtime_graph.h"
#include "views/theme/style.h"
#include "views/theme/theme.h"

#include <QApplication>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QTreeView>
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace mitos::views {

namespace {

/// The number of the last run that began; 0: there is none.
int newestRun(const Document& document) {
    int newest = 0;
    if (!document.isOpen()) return newest;
    for (const Run& run : document.runs()) newest = std::max(newest, run.number);
    return newest;
}

constexpr int RefreshMs = 100;
constexpr int StrategyWidth = 250;
constexpr int FilterWidth = 240;
constexpr int LeastFilterWidth = 72;
constexpr int ProgramLetters = 11;
constexpr int MostRowsInFull = 12;
constexpr int LeastChartHeight = 260;

/// The actions of a row, by their places.
enum RowAction : std::uint8_t { GoAction, PinAction, TimeAction };

QString baselineKey() { return QStringLiteral("compare-baseline"); }
QString stylesKey() { return QStringLiteral("compare-styles"); }

}  // namespace

CompareView::CompareView(Document& document, Selection& selection, JobRunner& jobs, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_selection(selection),
      m_jobs(jobs),
      m_model(new CompareModel(document, this)),
      m_filter(new CompareFilter(*m_model, this)),
      m_pages(new QStackedWidget(this)),
      m_empty(new EmptyState(this)),
      m_title(new ElidedLabel(this)),
      m_progress(new QLabel(this)),
      m_compare(new QPushButton(tr("&New Comparison…"), this)),
      m_stop(new QPushButton(tr("&Stop"), this)),
      m_words(new QLineEdit(this)),
      m_go(new QPushButton(tr("&Go to Its Result"), this)),
      m_time(new QPushButton(this)),
      m_pin(new QPushButton(tr("Use as &Baseline"), this)),
      m_report(new QPushButton(tr("&Report…"), this)),
      m_table(new QToolButton(this)),
      m_parts(new QSplitter(Qt::Vertical, this)),
      m_rows(new QTreeView(this)),
      m_programs(new QComboBox(this)),
      m_starts(new QComboBox(this)),
      m_axis(new QComboBox(this)),
      m_note(new QLabel(this)),
      m_bands(new BandChart(this)),
      m_details(new ComparedDetails(document, jobs, *m_model, this)) {
    setObjectName(QStringLiteral("compareView"));
    buildTop();
    buildTable();
    setUpWidget(m_axis, "compareAxis", {}, tr("Horizontal axis of the curves"));
    setUpWidget(m_programs, "comparePrograms",
                tr("Costs of several programs are shown in per cent of each program's start"), tr("Programs shown"));
    m_programs->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);  // names may be long
    m_programs->setMinimumContentsLength(ProgramLetters);
    m_programs->hide();
    setUpWidget(m_starts, "compareFrom",
                tr("Where the searches shown began; searches from other states are not compared with them"),
                tr("Where the searches began"));
    m_starts->hide();
    m_axis->addItem(tr("over time"), static_cast<int>(search::Axis::Seconds));
    m_axis->addItem(tr("over evaluations"), static_cast<int>(search::Axis::Evaluations));
    m_axis->addItem(tr("over iterations"), static_cast<int>(search::Axis::Iterations));
    m_bands->setObjectName(QStringLiteral("bandChart"));

    setUpPlainLabel(m_note, "compareNote");
    m_note->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    setOwnFont(m_note, [] { return smallFont(QApplication::font()); });
    m_note->setForegroundRole(QPalette::PlaceholderText);
    auto* left = new QWidget(this);
    fillColumn(left, {rowOf({sectionTitle(tr("Best so far"), this), {m_note, 1}, m_axis}), {m_bands, 1}});
    auto* charts = new QSplitter(Qt::Horizontal, this);
    charts->addWidget(left);
    charts->addWidget(m_details);
    charts->setSizes({640, 400});
    m_parts->addWidget(m_rows);
    m_parts->addWidget(charts);
    connect(m_parts, &QSplitter::splitterMoved, this, [this] { m_areRowsSized = true; });
    for (QSplitter* splitter : {charts, m_parts}) {
        splitter->setChildrenCollapsible(false);
        splitter->setHandleWidth(1);
    }
    m_pages->addWidget(m_parts);
    m_pages->addWidget(m_empty);
    auto* names = rowOf({{m_title, 1}, m_progress});
    auto* buttons = rowOf(
        {m_compare, m_stop, m_programs, m_starts, {m_words, 1}, stretch(), m_go, m_time, m_pin, m_table, m_report});
    auto* top = columnOf({names, buttons}, {.margins = QMargins(12, 10, 12, 10), .spacing = 8});
    fillColumn(this, {top, {m_pages, 1}}, {.margins = NoMargins, .spacing = 0});
    follow();
    followPalette(this, [this] { updateColors(); });
    refreshNow();
}

void CompareView::buildTop() {
    QFont strong = m_title->font();
    strong.setWeight(QFont::DemiBold);
    m_title->setFont(strong);
    m_title->setObjectName(QStringLiteral("compareTitle"));
    m_progress->setObjectName(QStringLiteral("compareProgress"));
    setUpWidget(m_compare, "compareNew", tr("Choose strategies, seeds and a budget, and run them"));
    setMainButton(m_compare);
    setUpWidget(m_stop, "compareStop", tr("Stop the comparison; its searches keep what they found"));
    setUpWidget(m_words, "compareFilter",
                tr("Words, and limits such as best < 30.5k, change < -5, within < 2, time, evaluations, states, memory "
                   "(MB), seed, measured (ms), ratio"),
                tr("Filter"));
    m_words->setPlaceholderText(tr("Filter: mcts best < 30.5k"));
    m_words->setClearButtonEnabled(true);
    m_words->setMinimumWidth(LeastFilterWidth);
    m_words->setMaximumWidth(FilterWidth);
    setUpWidget(m_go, "compareGo", tr("Make the state that this search found the current one (Enter)"));
    setUpWidget(m_time, "compareTime", {});
    setUpWidget(m_pin, "comparePin", tr("Compare the others with this strategy"));
    setUpWidget(m_report, "compareReport",
                tr("Save a page for any browser: the answer, charts, and the best threads step by step"));
    setUpWidget(m_table, "compareTable", tr("Copy or save the rows that are shown"));
    m_table->setText(tr("Table"));
    m_table->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(m_table);
    menu->addAction(tr("Copy as &Markdown"), this, [this] { copyTable(search::TableFormat::Markdown); });
    menu->addAction(tr("Copy as &LaTeX"), this, [this] { copyTable(search::TableFormat::Latex); });
    menu->addSeparator();
    menu->addAction(tr("&Save as CSV, JSON, Markdown or LaTeX…"), this, [this] { exportTable(); });
    m_table->setMenu(menu);
}

void CompareView::buildTable() {
    m_rows->setObjectName(QStringLiteral("compareRows"));
    m_rows->setAccessibleName(tr("Runs"));
    m_rows->setModel(m_filter);
    m_rows->setItemDelegate(new RunDelegate(*m_model, *m_filter, m_rows));
    m_rows->setFrameShape(QFrame::NoFrame);
    m_rows->setUniformRowHeights(true);
    m_rows->setAllColumnsShowFocus(true);
    m_rows->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_rows->setContextMenuPolicy(Qt::ActionsContextMenu);
    QHeaderView* const header = m_rows->header();
    header->setStretchLastSection(true);
    header->setSectionsMovable(false);
    m_rows->setSortingEnabled(true);
    header->setSortIndicator(-1, Qt::AscendingOrder);
    const auto width = [this](const char* sample) {
        return fontMetrics().horizontalAdvance(QString::fromUtf8(sample)) + 30;
    };
    m_rows->setColumnWidth(CompareModel::StrategyColumn, StrategyWidth);
    m_rows->setColumnWidth(CompareModel::ProgramColumn, width("inception-v3"));
    m_rows->setColumnWidth(CompareModel::SeedsColumn, width("seed 10"));
    m_rows->setColumnWidth(CompareModel::BestColumn, width("31.88 k units"));
    m_rows->setColumnWidth(CompareModel::ChangeColumn, width("▼ −46.8 %"));
    m_rows->setColumnWidth(CompareModel::BaselineColumn, width("▼ −46.8 % x"));
    m_rows->setColumnWidth(CompareModel::MeasuredColumn, width("999.9 ms x"));
    m_rows->setColumnWidth(CompareModel::RatioColumn, width("0.998 (0.997 to 0.999)"));
    m_rows->setColumnWidth(CompareModel::NearBestColumn, width("Within 1 % x"));
    m_rows->setColumnWidth(CompareModel::TimeColumn, width("2 min 05 s"));
    m_rows->setColumnWidth(CompareModel::EvaluationsColumn, width("Evaluations"));
    m_rows->setColumnWidth(CompareModel::StatesColumn, width("1,000,000"));
    m_rows->setColumnWidth(CompareModel::MemoryColumn, width("4,096 MB"));
    m_rows->setColumnWidth(CompareModel::CurveColumn, width("a small curve here"));
    m_rows->setColumnWidth(CompareModel::StopColumn, width("evaluation limit"));
    m_rows->setColumnWidth(CompareModel::VerdictsColumn, width("✓ replayed  ✓ same values"));
    auto* go = new QAction(tr("&Go to Its Result"), m_rows);
    connect(go, &QAction::triggered, this, &CompareView::goToResult);
    auto* pin = new QAction(tr("Use as &Baseline"), m_rows);
    connect(pin, &QAction::triggered, this, &CompareView::pinBaseline);
    auto* time = new QAction(m_rows);
    connect(time, &QAction::triggered, this, &CompareView::timeResult);
    m_rows->addActions({go, pin, time, styleMenu()});  // in the order of RowAction
}

/// The colour and the line of the selected strategy.
QAction* CompareView::styleMenu() {
    auto* menu = new QMenu(tr("&Colour and Line"), m_rows);
    const auto add = [this, menu](const QString& text, CurveStyle style) {
        const int row = style.dash < 0 ? style.colour : Theme::Categories + style.dash;
        auto* action = menu->addAction(text, this, [this, style] {
            const int group = selectedGroup();
            if (group < 0) return;
            m_document.setViewValue(stylesKey(), m_model->setStyle(static_cast<std::size_t>(group), style));
            showCharts();
        });
        action->setObjectName(QStringLiteral("compareStyle%1").arg(row));
    };
    for (int colour = 0; colour < Theme::Categories; ++colour) add(tr("Colour %1").arg(colour + 1), {colour, -1});
    menu->addSeparator();
    int dash = 0;
    for (const QString& name : {tr("Solid"), tr("Dashed"), tr("Dotted"), tr("Dashes and dots")})
        add(name, {-1, dash++});
    connect(menu, &QMenu::aboutToShow, this, [menu] {
        const Theme theme(menu->palette());
        int colour = 0;
        for (QAction* action : menu->actions().first(Theme::Categories)) {
            QPixmap swatch(16, 16);
            swatch.fill(theme.category(colour++));
            action->setIcon(swatch);
        }
    });
    return menu->menuAction();
}

void CompareView::follow() {
    m_refresh.setSingleShot(true);
    m_refresh.setInterval(RefreshMs);
    connect(&m_refresh, &QTimer::timeout, this, &CompareView::refreshNow);
    whenShown(this, Qt::QueuedConnection, [this] { refreshNow(); });
    for (const auto signal : {&QTreeView::expanded, &QTreeView::collapsed})
        connect(m_rows, signal, this, &CompareView::fitTable);
    for (const auto signal : {&Document::closed, &Document::opened}) {
        connect(&m_document, signal, this, [this] {
            m_changed.clear();
            m_refresh.stop();
            m_words->clear();
            m_details->forgetResults();
            m_model->forget();
            m_model->setBaseline(m_document.isOpen() ? comparedRunFrom(m_document.viewValue(baselineKey()))
                                                     : ComparedRunId());
            m_model->setStyles(m_document.isOpen() ? m_document.viewValue(stylesKey()) : QString());
            m_model->refresh();
            m_starts->clear();
            m_filter->setStart(std::nullopt);
            m_newestRun = newestRun(m_document);
            fillPrograms();
            showState();
        });
    }
    connect(&m_document, &Document::costModelChanged, this, [this] {
        m_details->forgetResults();
        refreshAll();
        showState();
    });
    connect(&m_document, &Document::runChanged, this, [this](int run) { refreshSoon({0, run}); });
    connect(&m_document, &Document::runRemoved, this, [this](int run) { refreshSoon({0, run}); });
    connect(&m_document, &Document::comparedRunChanged, this, [this](int program, int run) {
        refreshSoon({program, run});
    });
    // Run numbers of programs may be others now, and their runs may be elsewhere.
    connect(&m_document, &Document::comparedProgramsChanged, this, [this] {
        m_areProgramsChanged = true;
        refreshSoon({});
    });
    connect(&m_document, &Document::comparisonChanged, this, &CompareView::showTitle);
    connect(m_programs, &QComboBox::currentIndexChanged, this, [this] {
        const QVariant chosen = m_programs->currentData();
        m_filter->setProgram(chosen.isValid() ? std::optional(chosen.toInt()) : std::nullopt);
        showState();
    });
    connect(m_starts, &QComboBox::activated, this, [this](int row) {
        m_filter->setStart(m_model->starts()[static_cast<std::size_t>(row)]);
        showState();
    });
    connect(&m_document, &Document::marksChanged, this, [this](rewrite::StateId state) {
        const std::vector<SearchStart> starts = m_model->starts();
        if (std::ranges::find(starts, state.value, &SearchStart::state) == starts.end()) return;
        m_areProgramsChanged = true;  // it may have another name
        refreshSoon({});
    });
    connect(m_compare, &QPushButton::clicked, this, &CompareView::compareRequested);
    connect(m_stop, &QPushButton::clicked, this, [this] { m_document.stopComparison(); });
    connect(m_words, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_filter->setText(text);
        showState();
    });
    connect(m_go, &QPushButton::clicked, this, &CompareView::goToResult);
    connect(m_time, &QPushButton::clicked, this, &CompareView::timeResult);
    connect(&m_jobs, &JobRunner::jobChanged, this, [this](int job) {
        if (m_timed && job == m_timing) showTiming();
    });
    connect(m_pin, &QPushButton::clicked, this, &CompareView::pinBaseline);
    connect(m_report, &QPushButton::clicked, this, &CompareView::askForReport);
    auto* keys = new ViewKeys(m_rows, tr("Compare"));
    keys->describe(tr("Enter"), tr("Go to the result of the run"));
    connect(m_rows, &QTreeView::activated, this, &CompareView::goToResult);
    connect(m_rows->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &CompareView::selectionChanged);
    connect(m_axis, &QComboBox::currentIndexChanged, this, &CompareView::showCharts);
    connect(m_bands, &CompareChart::groupClicked, this, &CompareView::select);
    connect(m_details, &ComparedDetails::groupClicked, this, &CompareView::select);
}

void CompareView::focusTable() {
    if (m_rows->isVisible())
        m_rows->setFocus();
    else
        m_compare->setFocus();
}

// --- showing ---------------------------------------------------------------------------------------------------------------

void CompareView::refreshSoon(ComparedRunId run) {
    if (std::ranges::find(m_changed, run) == m_changed.end()) m_changed.push_back(run);
    if (isVisible() && !m_refresh.isActive()) m_refresh.start();
}

void CompareView::refreshNow() {
    const std::vector<ComparedRunId> changed = std::exchange(m_changed, {});
    if (std::exchange(m_areProgramsChanged, false)) {
        refreshAll();
        fillPrograms();
    } else {
        for (const ComparedRunId run : changed) m_model->refresh(run);
    }
    showState();
}

void CompareView::refreshAll() {
    const ComparedRunId selected = m_model->runAt(m_filter->mapToSource(m_rows->currentIndex()));
    std::vector<ComparedRunId> unfolded;
    for (int row = 0; row < m_filter->rowCount(); ++row) {
        const QModelIndex group = m_filter->index(row, 0);
        if (m_rows->isExpanded(group)) unfolded.push_back(m_model->runAt(m_filter->mapToSource(group)));
    }
    const auto rowOf = [this](ComparedRunId run) {
        const auto group = m_model->groupOf(run);
        return group ? m_filter->mapFromSource(m_model->index(static_cast<int>(*group), 0)) : QModelIndex();
    };
    m_model->refresh();
    for (const ComparedRunId run : unfolded) m_rows->expand(rowOf(run));
    if (const QModelIndex row = rowOf(selected); row.isValid()) m_rows->setCurrentIndex(row);
}

/// The choice of the program shown; hidden where there is only one.
void CompareView::fillPrograms() {
    const bool areSeveral = m_document.isOpen() && m_model->hasSeveralPrograms();
    const QVariant chosen = m_programs->currentData();
    {
        const QSignalBlocker blocker(m_programs);
        m_programs->clear();
        m_programs->addItem(tr("All programs"));
        for (int program = 0; areSeveral && program < m_model->programs(); ++program)
            m_programs->addItem(m_model->programLabel(program), program);
        const int at = chosen.isValid() ? m_programs->findData(chosen) : 0;
        m_programs->setCurrentIndex(std::max(0, at));
    }
    m_programs->setVisible(areSeveral);
    const QVariant shown = m_programs->currentData();
    m_filter->setProgram(shown.isValid() ? std::optional(shown.toInt()) : std::nullopt);
}

/// The choice of the state where the searches shown began. It is there if a search began at another state than the start of its
/// program. The beginning of new searches is chosen.
void CompareView::fillStarts() {
    const std::vector<SearchStart> starts = m_model->starts();
    std::vector<SearchStart> known;
    for (int row = 0; row < m_starts->count(); ++row) known.push_back(m_starts->itemData(row).value<SearchStart>());
    std::optional<SearchStart> chosen = m_filter->start();
    if (const int newest = newestRun(m_document); std::exchange(m_newestRun, newest) < newest) {
        const auto run = std::ranges::find(m_document.runs(), newest, &Run::number);
        const SearchStart begun = run->startState == 0 ? SearchStart() : SearchStart{0, run->startState};
        if (std::ranges::find(starts, begun) != starts.end()) chosen = begun;
    }
    for (const SearchStart& start : starts) {
        if (!known.empty() && std::ranges::find(known, start) == known.end()) chosen = start;
    }
    if (!chosen || std::ranges::find(starts, *chosen) == starts.end())
        chosen = starts.empty() ? std::nullopt : std::optional(starts.front());
    QStringList texts;
    QStringList shown;
    for (const SearchStart& start : starts) texts << m_model->startText(start);
    for (int row = 0; row < m_starts->count(); ++row) shown << m_starts->itemText(row);
    if (known != starts || shown != texts) {  // otherwise it stays, as it may be open
        m_starts->clear();
        for (std::size_t i = 0; i < starts.size(); ++i)
            m_starts->addItem(texts[static_cast<qsizetype>(i)], QVariant::fromValue(starts[i]));
    }
    const auto at = chosen ? std::ranges::find(starts, *chosen) - starts.begin() : 0;
    m_starts->setCurrentIndex(starts.empty() ? -1 : static_cast<int>(at));
    m_starts->setVisible(starts.size() > 1 || (chosen && !chosen->isStart()));
    m_filter->setStart(chosen);
}

void CompareView::showTimes(const ResultTimer& timer) {
    m_timed = timer.running();
    m_timing = timer.job();
    m_model->refreshTimes();
    showState();
}

void CompareView::showState() {
    fillStarts();
    const bool hasRows = !m_model->groups().empty();
    m_pages->setCurrentIndex(hasRows ? 0 : 1);
    if (!m_document.isOpen())
        m_empty->explain(tr("Open a program to compare searches on it."), tr("Open…"),
                         [this] { Q_EMIT openRequested(); });
    else if (m_model->hiddenRuns() > 0)
        m_empty->explain(tr("The searches of this program were under other cost models."), tr("Compare Searches…"),
                         [this] { Q_EMIT compareRequested(); });
    else
        m_empty->explain(tr("Run several strategies on this program, and see which finds the best, and how fast."),
                         tr("Compare Searches…"), [this] { Q_EMIT compareRequested(); });
    m_compare->setEnabled(m_document.isOpen());
    for (QWidget* widget : std::initializer_list<QWidget*>{m_words, m_table, m_report}) widget->setEnabled(hasRows);
    m_rows->setColumnHidden(CompareModel::BaselineColumn, !m_model->groupOf(m_model->baseline()));
    m_rows->setColumnHidden(CompareModel::ProgramColumn, !m_model->hasSeveralPrograms());
    for (const int column : {CompareModel::MeasuredColumn, CompareModel::RatioColumn})
        m_rows->setColumnHidden(column, !m_model->hasTimes());
    fitTable();
    showTitle();
    showCharts();
    selectionChanged();
}

/// The table takes what its rows need, as long as the user has not divided the space, and the charts keep enough.
void CompareView::fitTable() {
    if (m_areRowsSized || m_filter->rowCount() == 0) return;
    int rows = 0;
    for (int row = 0; row < m_filter->rowCount(); ++row) {
        const QModelIndex group = m_filter->index(row, 0);
        rows += 1 + (m_rows->isExpanded(group) ? m_filter->rowCount(group) : 0);
    }
    const int rowHeight = m_rows->sizeHintForRow(0);
    const int wanted = m_rows->header()->height() + (std::min(rows, MostRowsInFull) + 1) * rowHeight;
    const int all = m_parts->height();
    const int table = std::clamp(wanted, 3 * rowHeight, std::max(3 * rowHeight, all - LeastChartHeight));
    m_parts->setSizes({table, all - table});
}

void CompareView::showTitle() {
    int groups = 0;
    int runs = 0;
    int elsewhere = 0;  // searches from other states
    for (std::size_t i = 0; i < m_model->groups().size(); ++i) {
        const auto count = static_cast<int>(m_model->groups()[i].runs.size());
        const bool isShown = !m_filter->start() || m_model->startOf(i) == *m_filter->start();
        (isShown ? runs : elsewhere) += count;
        groups += isShown ? 1 : 0;
    }
    QString title = tr("Compare");
    if (m_document.isOpen() && runs > 0) {
        title = m_model->hasSeveralPrograms()
                    ? tr("%L1 searches of %L2 programs, %L3 kinds").arg(runs).arg(m_model->programs()).arg(groups)
                : runs == 1 ? tr("1 search of %1").arg(m_document.title())
                            : tr("%L2 searches of %1, %L3 kinds").arg(m_document.title()).arg(runs).arg(groups);
    }
    QStringList problems;
    for (int program = 1; m_document.isOpen() && program < m_model->programs(); ++program) {
        const ComparedProgram& compared = m_document.comparedPrograms().at(program);
        if (compared.state == ComparedProgram::State::Lost)
            title += tr("  ·  ⚠ %1 is missing").arg(m_model->programLabel(program));
        if (!compared.problem.isEmpty()) problems << tr("%1: %2").arg(compared.title, compared.problem);
    }
    m_title->setToolTip(problems.join(QLatin1Char('\n')));
    if (elsewhere > 0) title += tr("  ·  %L1 from other states not shown").arg(elsewhere);
    if (m_model->hiddenRuns() > 0) title += tr("  ·  %L1 under other cost models not shown").arg(m_model->hiddenRuns());
    m_title->setText(title);
    showTiming();
    m_stop->setVisible(m_document.comparison().isRunning());
}

/// The progress of the comparison, or that of a timing.
void CompareView::showTiming() {
    const ComparisonProgress progress = m_document.comparison();
    QString text =
        progress.searches == 0 ? QString() : tr("%L1 of %L2 finished").arg(progress.ended).arg(progress.searches);
    if (m_timed) {
        const auto job = std::ranges::find(m_jobs.jobs(), m_timing, &JobInfo::id);
        const bool hasStatus = job != m_jobs.jobs().end() && !job->status.isEmpty();
        text = tr("Timing a result of %1").arg(m_model->programLabel(m_timed->program));
        if (hasStatus) text = tr("%1 · %2").arg(text, job->status);
    }
    m_progress->setText(text);
    m_time->setText(m_timed ? tr("Stop Ti&ming") : tr("Ti&me Result"));
    // Searches would disturb a timing.
    const bool isOffered = m_timed || !progress.isRunning();
    m_time->setVisible(isOffered && m_document.isOpen() && m_document.dialect().can(ir::Capability::Runtime));
    QAction* const action = m_rows->actions()[TimeAction];
    action->setText(m_time->text());
    action->setVisible(!m_time->isHidden());
}

void CompareView::showCharts() {
    if (!isVisible()) return;
    const auto axis = static_cast<search::Axis>(m_axis->currentData().toInt());
    std::vector<ChartEntry> entries;
    QStringList without;  // strategies without iterations
    for (std::size_t i = 0; i < m_model->groups().size(); ++i) {
        const search::RunGroup& group = m_model->groups()[i];
        const QModelIndex row = m_filter->mapFromSource(m_model->index(static_cast<int>(i), 0));
        if (!row.isValid()) continue;
        ChartEntry entry{.group = static_cast<int>(i),
                         .label = m_model->label(i),
                         .style = m_model->style(i),
                         .band = {},
                         .against = group.nearBestSeconds,
                         .cost = group.cost.median,
                         .isFinished = group.best != nullptr,
                         .program = m_model->programOf(i)};
        std::vector<std::vector<const Run*>> seeds;
        for (const Run* run : group.runs) {
            if (!run->events.empty()) seeds.push_back({run});
        }
        const bool hasAxis = axis != search::Axis::Iterations || std::ranges::any_of(group.runs, [](const Run* run) {
                                 return search::iterationsOf(*run) > 0;
                             });
        if (!seeds.empty() && hasAxis) entry.band = search::bandOf(seeds, axis);
        if (!hasAxis && !without.contains(m_model->strategy(i))) without << m_model->strategy(i);
        entries.push_back(std::move(entry));
    }
    if (areOfSeveralPrograms(entries)) {
        for (ChartEntry& entry : entries)
            makeRelative(entry, m_model->groups()[static_cast<std::size_t>(entry.group)].startCost());
    }
    m_bands->setUnit(chartUnit(entries, fromUtf8(m_document.costModel().info().unit)));
    m_bands->setAxis(axis);
    m_note->setText(without.isEmpty() ? tr("median, quartiles as bands")
                                      : tr("without iterations: %1").arg(without.join(QStringLiteral(", "))));
    m_note->setToolTip(without.isEmpty() ? QString()
                                         : tr("Only strategies that grow an e-graph have iterations; the others are "
                                              "left out of the curves."));
    m_details->setEntries(entries);
    m_bands->setEntries(std::move(entries));
}

void CompareView::updateColors() {
    const Theme theme(palette());
    m_model->setColors({theme.better(), theme.worse(), theme.faintText(), theme.passed()});
}

// --- selecting -------------------------------------------------------------------------------------------------------------

int CompareView::selectedGroup() const {
    const auto group = m_model->groupAt(m_filter->mapToSource(m_rows->currentIndex()));
    return group ? static_cast<int>(*group) : -1;
}

void CompareView::select(int group) {
    const QModelIndex row = m_filter->mapFromSource(m_model->index(group, 0));
    if (row.isValid()) m_rows->setCurrentIndex(row);
}

void CompareView::selectionChanged() {
    const int group = selectedGroup();
    const ComparedRunId id = m_model->runAt(m_filter->mapToSource(m_rows->currentIndex()));
    m_bands->select(group);
    m_details->select(group, id);
    m_go->setEnabled(canGo(id));
    const QString obstacle = m_timed ? QString() : timingObstacle(m_model->resultOf(id));
    m_time->setEnabled(obstacle.isEmpty());
    const QString timing = m_timed ? tr("Stop timing; times measured before stay")
                                   : tr("Run start and result alternately in ONNX Runtime, as whole models");
    m_time->setToolTip(obstacle.isEmpty() ? timing : obstacle);
    m_pin->setEnabled(group >= 0);
    const bool isBaseline = group >= 0 && m_model->groupOf(m_model->baseline()) == static_cast<std::size_t>(group);
    m_pin->setText(isBaseline ? tr("Remove &Baseline") : tr("Use as &Baseline"));
    const QList<QAction*> actions = m_rows->actions();
    for (QAction* action : actions) action->setEnabled(m_pin->isEnabled());
    actions[GoAction]->setEnabled(m_go->isEnabled());
    actions[PinAction]->setText(m_pin->text());
    actions[TimeAction]->setEnabled(m_time->isEnabled());
}

/// A result of another program is in its session, which can be opened once its searches have ended.
bool CompareView::canGo(ComparedRunId id) const {
    const Run* const run = m_model->wholeRun(id);
    if (run == nullptr) return false;
    if (id.program > 0 && m_document.comparedPrograms().at(id.program).state != ComparedProgram::State::Ready)
        return false;
    return run->resultState.isValid();
}

QString CompareView::timingObstacle(const std::optional<TimedResult>& result) const {
    if (!m_document.isOpen() || !result) return tr("Select a search that found another program than its start");
    if (result->program == 0) return runtimeObstacle(m_document);
    const ComparedProgram& other = m_document.comparedPrograms().at(result->program);
    return other.state == ComparedProgram::State::Ready ? other.runtimeObstacle
                                                        : tr("Its searches have not ended, or its session is missing");
}

void CompareView::timeResult() {
    if (m_timed) return m_jobs.stop(m_timing);
    const auto result = m_model->resultOf(m_model->runAt(m_filter->mapToSource(m_rows->currentIndex())));
    if (timingObstacle(result).isEmpty()) Q_EMIT timeRequested(*result);
}

void CompareView::goToResult() {
    const ComparedRunId id = m_model->runAt(m_filter->mapToSource(m_rows->currentIndex()));
    if (!canGo(id)) return;
    if (id.program > 0) {
        Q_EMIT otherStateRequested(m_document.comparedPrograms().at(id.program).session, id.run);
        return;
    }
    m_selection.setRun(id.run);
    m_document.checkout(m_model->wholeRun(id)->resultState);
    Q_EMIT stateTaken();
}

void CompareView::pinBaseline() {
    const int group = selectedGroup();
    if (group < 0) return;
    const auto at = static_cast<std::size_t>(group);
    const bool isBaseline = m_model->groupOf(m_model->baseline()) == at;
    const ComparedRunId run = isBaseline ? ComparedRunId() : m_model->firstOf(at);
    m_model->setBaseline(run);
    m_document.setViewValue(baselineKey(), textOf(run));
    showState();
}

}  // namespace mitos::views
