// SPDX-License-Identifier: GPL-3.0-or-later
// The perspective Compare.
#include "views/compare/compare_view.h"

#include "core/base/source_text.h"
#include "search/report/html_report.h"
#include "views/common/format.h"
#include "views/common/view_keys.h"
#include "views/common/widgets.h"
#include "views/compare/compare_model.h"
#include "views/compare/internal/compare_charts.h"
#include "views/compare/internal/compared_details.h"
#include "views/compare/internal/run_delegate.h"
#include "views/theme/style.h"
#include "views/theme/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QCoreApplication>
#include <QDateTime>
#include <QFile>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QSysInfo>
#include <QThread>
#include <QToolButton>
#include <QTreeView>
#include <algorithm>
#include <array>
#include <utility>

namespace mitos::views {

namespace {

constexpr int RefreshMs = 100;
constexpr int StrategyWidth = 250;
constexpr int FilterWidth = 240;
constexpr int MostRowsInFull = 12;
constexpr int LeastChartHeight = 260;

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
      m_title(new QLabel(this)),
      m_progress(new QLabel(this)),
      m_compare(new QPushButton(tr("&New Comparison…"), this)),
      m_stop(new QPushButton(tr("&Stop"), this)),
      m_words(new QLineEdit(this)),
      m_go(new QPushButton(tr("&Go to Its Result"), this)),
      m_pin(new QPushButton(tr("Use as &Baseline"), this)),
      m_report(new QPushButton(tr("&Report…"), this)),
      m_table(new QToolButton(this)),
      m_parts(new QSplitter(Qt::Vertical, this)),
      m_rows(new QTreeView(this)),
      m_axis(new QComboBox(this)),
      m_bands(new BandChart(this)),
      m_details(new ComparedDetails(document, jobs, *m_model, this)) {
    setObjectName(QStringLiteral("compareView"));
    buildTop();
    buildTable();
    setUpWidget(m_axis, "compareAxis", {}, tr("Horizontal axis of the curves"));
    m_axis->addItem(tr("over time"), static_cast<int>(search::Axis::Seconds));
    m_axis->addItem(tr("over evaluations"), static_cast<int>(search::Axis::Evaluations));
    m_bands->setObjectName(QStringLiteral("bandChart"));

    auto* note = new QLabel(tr("median, quartiles as bands"), this);
    setOwnFont(note, [] { return smallFont(QApplication::font()); });
    note->setForegroundRole(QPalette::PlaceholderText);
    auto* left = new QWidget(this);
    fillColumn(left, {rowOf({sectionTitle(tr("Best so far"), this), stretch(), note, m_axis}), {m_bands, 1}});
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
    auto* buttons = rowOf({m_compare, m_stop, m_words, stretch(), m_go, m_pin, m_table, m_report});
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
    m_title->setTextFormat(Qt::PlainText);
    m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_progress->setObjectName(QStringLiteral("compareProgress"));
    setUpWidget(m_compare, "compareNew", tr("Choose strategies, seeds and a budget, and run them"));
    setMainButton(m_compare);
    setUpWidget(m_stop, "compareStop", tr("Stop the comparison; its searches keep what they found"));
    setUpWidget(m_words, "compareFilter",
                tr("Words, and limits such as best < 30.5k, change < -5, within < 2, time, evaluations, states, memory "
                   "(MB), seed"),
                tr("Filter"));
    m_words->setPlaceholderText(tr("Filter: mcts best < 30.5k"));
    m_words->setClearButtonEnabled(true);
    m_words->setFixedWidth(FilterWidth);
    setUpWidget(m_go, "compareGo", tr("Make the state that this search found the current one (Enter)"));
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
    m_rows->setColumnWidth(CompareModel::SeedsColumn, width("seed 10"));
    m_rows->setColumnWidth(CompareModel::BestColumn, width("31.88 k units"));
    m_rows->setColumnWidth(CompareModel::ChangeColumn, width("▼ −46.8 %"));
    m_rows->setColumnWidth(CompareModel::BaselineColumn, width("▼ −46.8 % x"));
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
    m_rows->addActions({go, pin, styleMenu()});
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
            m_details->forgetCosts();
            m_model->setBaseline(m_document.isOpen() ? m_document.viewValue(baselineKey()).toInt() : 0);
            m_model->setStyles(m_document.isOpen() ? m_document.viewValue(stylesKey()) : QString());
            m_model->refresh();
            showState();
        });
    }
    connect(&m_document, &Document::costModelChanged, this, [this] {
        m_details->forgetCosts();
        m_model->refresh();
        showState();
    });
    connect(&m_document, &Document::runChanged, this, &CompareView::refreshSoon);
    connect(&m_document, &Document::runRemoved, this, &CompareView::refreshSoon);
    connect(&m_document, &Document::comparisonChanged, this, &CompareView::showTitle);
    connect(m_compare, &QPushButton::clicked, this, &CompareView::compareRequested);
    connect(m_stop, &QPushButton::clicked, this, [this] { m_document.stopComparison(); });
    connect(m_words, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_filter->setText(text);
        showState();
    });
    connect(m_go, &QPushButton::clicked, this, &CompareView::goToResult);
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

void CompareView::refreshSoon(int run) {
    if (std::ranges::find(m_changed, run) == m_changed.end()) m_changed.push_back(run);
    if (isVisible() && !m_refresh.isActive()) m_refresh.start();
}

void CompareView::refreshNow() {
    for (const RunNumber run : std::exchange(m_changed, {})) m_model->refresh(run);
    showState();
}

void CompareView::showState() {
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
    m_rows->setColumnHidden(CompareModel::BaselineColumn, m_model->baseline() == 0);
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
    const auto groups = static_cast<int>(m_model->groups().size());
    int runs = 0;
    for (const search::RunGroup& group : m_model->groups()) runs += static_cast<int>(group.runs.size());
    QString title = tr("Compare");
    if (m_document.isOpen() && runs > 0) {
        title = runs == 1 ? tr("1 search of %1").arg(m_document.title())
                          : tr("%L2 searches of %1, %L3 kinds").arg(m_document.title()).arg(runs).arg(groups);
    }
    if (m_model->hiddenRuns() > 0) title += tr("  ·  %L1 under other cost models not shown").arg(m_model->hiddenRuns());
    m_title->setText(title);
    const ComparisonProgress progress = m_document.comparison();
    m_progress->setText(progress.searches == 0 ? QString()
                                               : tr("%L1 of %L2 finished").arg(progress.ended).arg(progress.searches));
    m_stop->setVisible(progress.isRunning());
}

void CompareView::showCharts() {
    if (!isVisible()) return;
    const auto axis = static_cast<search::Axis>(m_axis->currentData().toInt());
    std::vector<ChartEntry> entries;
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
                         .isFinished = group.best != nullptr};
        std::vector<std::vector<const Run*>> seeds;
        for (const Run* run : group.runs) {
            if (!run->events.empty()) seeds.push_back({run});
        }
        if (!seeds.empty()) entry.band = search::bandOf(seeds, axis);
        entries.push_back(std::move(entry));
    }
    const QString unit = fromUtf8(m_document.costModel().info().unit);
    m_bands->setUnit(unit);
    m_bands->setAxis(axis);
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
    m_bands->select(group);
    m_details->select(group, m_model->runAt(m_filter->mapToSource(m_rows->currentIndex())));
    const RunNumber number = m_model->runAt(m_filter->mapToSource(m_rows->currentIndex()));
    const Run* run = m_document.isOpen() ? m_document.run(number) : nullptr;
    m_go->setEnabled(run != nullptr && run->resultState.isValid());
    m_pin->setEnabled(group >= 0);
    const bool isBaseline = group >= 0 && m_model->groupOf(m_model->baseline()) == static_cast<std::size_t>(group);
    m_pin->setText(isBaseline ? tr("Remove &Baseline") : tr("Use as &Baseline"));
    for (QAction* action : m_rows->actions())
        action->setEnabled(action == m_rows->actions().front() ? m_go->isEnabled() : m_pin->isEnabled());
    m_rows->actions()[1]->setText(m_pin->text());
}

void CompareView::goToResult() {
    const RunNumber number = m_model->runAt(m_filter->mapToSource(m_rows->currentIndex()));
    const Run* run = m_document.isOpen() ? m_document.run(number) : nullptr;
    if (run == nullptr || !run->resultState.isValid()) return;
    m_selection.setRun(number);
    m_document.checkout(run->resultState);
    Q_EMIT stateTaken();
}

void CompareView::pinBaseline() {
    const int group = selectedGroup();
    if (group < 0) return;
    const auto at = static_cast<std::size_t>(group);
    const bool isBaseline = m_model->groupOf(m_model->baseline()) == at;
    const RunNumber run = isBaseline ? 0 : m_model->groups()[at].asked().number;
    m_model->setBaseline(run);
    m_document.setViewValue(baselineKey(), QString::number(run));
    showState();
}

// --- tables ----------------------------------------------------------------------------------------------------------------

std::vector<Run> CompareView::shownRuns() const {
    std::vector<Run> runs;
    for (int row = 0; row < m_filter->rowCount(); ++row) {
        const QModelIndex group = m_filter->index(row, 0);
        for (int child = 0; child < m_filter->rowCount(group); ++child) {
            const RunNumber number = m_model->runAt(m_filter->mapToSource(m_filter->index(child, 0, group)));
            if (const Run* run = m_model->run(number)) runs.push_back(*run);
        }
    }
    return runs;
}

std::function<std::string(search::TableFormat)> CompareView::tableWriter() const {
    return [runs = shownRuns(), title = m_document.title().toStdString(), infos = m_model->strategies(),
            unit = m_document.costModel().info().unit](search::TableFormat format) {
        std::vector<search::TableRun> table;
        for (const Run& run : runs) table.push_back({title, &run});
        return search::writeTable(search::groupedRuns(table), format, unit, infos);
    };
}

void CompareView::copyTable(search::TableFormat format) {
    QApplication::clipboard()->setText(fromUtf8(tableWriter()(format)));
}

void CompareView::exportTable() {
    auto* dialog = new QFileDialog(this, tr("Save the Table of Runs"));
    dialog->setObjectName(QStringLiteral("compareTableDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters({tr("Every run, CSV (*.csv)"), tr("Every run, JSON (*.json)"),
                            tr("Summary, Markdown (*.md)"), tr("Summary, LaTeX (*.tex)")});
    const auto fit = [dialog] {
        const std::array endings{QStringLiteral("csv"), QStringLiteral("json"), QStringLiteral("md"),
                                 QStringLiteral("tex")};
        const qsizetype chosen = dialog->nameFilters().indexOf(dialog->selectedNameFilter());
        dialog->setDefaultSuffix(endings[static_cast<std::size_t>(std::max<qsizetype>(0, chosen))]);
    };
    connect(dialog, &QFileDialog::filterSelected, dialog, fit);
    fit();
    connect(dialog, &QFileDialog::fileSelected, this, &CompareView::saveTable);
    dialog->open();
}

void CompareView::askForReport() {
    auto* dialog = new QFileDialog(this, tr("Save a Report"));
    dialog->setObjectName(QStringLiteral("compareReportDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters({tr("Page for a browser (*.html)")});
    dialog->setDefaultSuffix(QStringLiteral("html"));
    connect(dialog, &QFileDialog::fileSelected, this, &CompareView::saveReport);
    dialog->open();
}

void CompareView::saveReport(const QString& path) {
    std::vector<Run> runs;
    for (const Run& shown : shownRuns()) {
        if (const Run* whole = m_document.run(shown.number)) runs.push_back(*whole);
    }
    if (runs.empty()) return;
    const cost::CostModelInfo& model = m_document.costModel().info();
    search::ReportFacts facts{.title = tr("Searches of %1").arg(m_document.title()).toStdString(),
                              .unit = model.unit,
                              .strategies = m_model->strategies(),
                              .environment = {},
                              .failures = {}};
    facts.environment = {
        {"Mitos", QCoreApplication::applicationVersion().toStdString()},
        {"Machine", tr("%1, %2 processors")
                        .arg(QSysInfo::prettyProductName() + QStringLiteral(", ") + QSysInfo::currentCpuArchitecture())
                        .arg(QThread::idealThreadCount())
                        .toStdString()},
        {"Rules", m_document.rules().names()},
        {"Cost model", model.name},
        {"Made", QDateTime::currentDateTimeUtc().toString(Qt::ISODate).toStdString()}};
    m_jobs.start(
        tr("Writing the report"), false, this,
        [runs = std::move(runs), facts = std::move(facts), rules = m_document.rules(),
         title = m_document.title().toStdString(),
         name = QFile::encodeName(path).toStdString()](const std::stop_token&, const JobRunner::Report&) {
            std::vector<search::TableRun> table;
            for (const Run& run : runs) table.push_back({title, &run});
            return writeFile(name, search::htmlReport(table, facts, rules));
        },
        [this, path](const Status& written) {
            if (!written)
                Q_EMIT failed(tr("The report could not be saved"), fromUtf8(written.error().render()));
            else
                Q_EMIT notice(tr("The report is in %1.").arg(path));
        });
}

void CompareView::saveTable(const QString& path) {
    const std::string name = QFile::encodeName(path).toStdString();
    const auto format = search::tableFormatOf(name);
    if (!format) {
        Q_EMIT failed(tr("The table was not saved"),
                      tr("The ending of the file's name tells what to write: .csv, .json, .md or .tex."));
        return;
    }
    m_jobs.start(
        tr("Saving the table"), false, this,
        [write = tableWriter(), format = *format, name](const std::stop_token&, const JobRunner::Report&) {
            return writeFile(name, write(format));
        },
        [this](const Status& written) {
            if (!written) Q_EMIT failed(tr("The table could not be saved"), fromUtf8(written.error().render()));
        });
}

}  // namespace mitos::views
