// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/schedule/schedule_view.h"

#include "core/base/source_text.h"
#include "core/ir/binding.h"
#include "core/ir/shared.h"
#include "search/placement/schedule_searches.h"
#include "search/placement/schedule_value.h"
#include "views/common/format.h"
#include "views/common/picture.h"
#include "views/common/save_dialog.h"
#include "views/common/widgets.h"
#include "views/document/choices.h"
#include "views/document/verdicts.h"
#include "views/schedule/internal/alive_table.h"
#include "views/schedule/internal/gantt_chart.h"
#include "views/schedule/internal/generation_chart.h"
#include "views/schedule/internal/operation_list.h"
#include "views/theme/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QFile>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableView>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

constexpr int ChartShare = 430;
constexpr int BelowShare = 230;
constexpr double ZoomFactor = 1.5;

QString runKey() { return QStringLiteral("schedule-run"); }
QString besideKey() { return QStringLiteral("schedule-beside"); }

/// The result of the job that reads.
struct ReadSchedules {
    ShownSchedulePtr shown;
    ShownSchedulePtr other;
    QString problem;
};

ShownSchedulePtr readOne(const std::string& text, QString& problem) {
    if (text.empty()) return nullptr;
    Result<ShownSchedulePtr> read = ShownSchedule::read(text);
    if (read) return *std::move(read);
    problem = fromUtf8(read.error().message);
    return nullptr;
}

bool foundSchedule(const Run& run) { return run.outcomeKind == search::placement::ScheduleKind; }
bool isAboutSchedules(const Run& run) {
    return foundSchedule(run) || run.strategy.starts_with(search::placement::searchName(""));
}

void setUpRows(QTableView& table, QAbstractItemModel& model, const QString& name, const QString& title) {
    setUpRowTable(table, model, name, title);
    table.horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table.horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    constexpr int MeasuredRows = 50;  // all of some thousand would take longer than a frame
    table.horizontalHeader()->setResizeContentsPrecision(MeasuredRows);
    constexpr int NarrowestColumn = 96;
    table.horizontalHeader()->setMinimumSectionSize(NarrowestColumn);
}

}  // namespace

ScheduleView::ScheduleView(Document& document, Selection& selection, JobRunner& jobs, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_selection(selection),
      m_jobs(jobs),
      m_title(new QLabel(this)),
      m_run(new QComboBox(this)),
      m_beside(new QComboBox(this)),
      m_lifetimes(new QCheckBox(tr("&Lifetimes"), this)),
      m_export(new QPushButton(tr("&Export"), this)),
      m_pages(new QStackedWidget(this)),
      m_empty(new EmptyState(this)),
      m_summary(new QLabel(this)),
      m_scroll(new QScrollArea(this)),
      m_chart(new GanttChart(this)),
      m_tabs(new QTabWidget(this)),
      m_alive(new AliveTable(this)),
      m_aliveRows(new QTableView(this)),
      m_aliveTitle(new QLabel(this)),
      m_operations(new OperationList(this)),
      m_operationRows(new QTableView(this)),
      m_generations(new GenerationChart(this)) {
    setObjectName(QStringLiteral("scheduleView"));
    auto* content = new QSplitter(Qt::Vertical, this);
    m_content = content;
    m_scroll->setWidget(m_chart);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setObjectName(QStringLiteral("ganttScroll"));
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    content->addWidget(m_scroll);
    content->addWidget(buildBelow());
    content->setChildrenCollapsible(false);
    content->setHandleWidth(1);
    content->setSizes({ChartShare, BelowShare});
    m_pages->addWidget(content);
    m_pages->addWidget(m_empty);
    setUpPlainLabel(m_summary, "scheduleSummary");
    m_summary->setAccessibleName(tr("The schedule in short"));
    m_summary->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    fillColumn(this, {buildTop(), m_summary, {m_pages, 1}}, {.margins = QMargins(12, 8, 12, 8)});

    m_chart->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_chart, &QWidget::customContextMenuRequested, this,
            [this](const QPoint& place) { showMenu(m_chart->mapToGlobal(place)); });
    connect(m_chart, &GanttChart::operationChosen, this, &ScheduleView::chooseOperation);
    connect(m_chart, &GanttChart::momentChosen, this, &ScheduleView::explainMoment);
    connect(m_lifetimes, &QCheckBox::toggled, m_chart, &GanttChart::setShowsLifetimes);
    connect(m_run, &QComboBox::activated, this, [this](int row) { showRun(m_run->itemData(row).toInt()); });
    connect(m_beside, &QComboBox::activated, this, [this](int row) { showBeside(m_beside->itemData(row).toInt()); });
    connect(m_operationRows->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& row) {
                if (!m_isSelecting && row.isValid()) chooseOperation(0, m_operations->operationAt(row.row()));
            });
    connect(m_aliveRows, &QTableView::activated, this, [this](const QModelIndex& row) {
        if (const auto operation = m_alive->producerOf(row.row())) chooseOperation(0, *operation);
    });
    connect(&m_selection, &Selection::subtermChanged, this, &ScheduleView::followSelection);
    connect(&m_selection, &Selection::runChanged, this, [this] { follow(m_selection.run()); });
    connect(&m_document, &Document::closed, this, [this] {
        m_reading.cancel();
        m_shown.reset();
        m_other.reset();
        m_shownRun = m_otherRun = 0;
        m_known.clear();
        m_nodes.clear();
        m_nodeTerms.clear();
        m_numbered = {};
        m_run->clear();
        m_beside->clear();
        m_alive->setCopies(nullptr, {});
        m_operations->setSchedule(nullptr);
        m_chart->show({});
        refresh();
    });
    connect(&m_document, &Document::opened, this, [this] {
        for (const Run& run : m_document.runs()) m_known.push_back(run.number);
        fillRuns();
        const int stored = m_document.viewValue(runKey()).toInt();
        const std::vector<RunNumber> all = runs();
        const bool isThere = std::ranges::find(all, stored) != all.end();
        m_run->setCurrentIndex(m_run->findData(isThere ? stored : all.empty() ? 0 : all.back()));
        m_beside->setCurrentIndex(std::max(0, m_beside->findData(m_document.viewValue(besideKey()).toInt())));
        refresh();
    });
    connect(&m_document, &Document::runChanged, this, [this](int number) {
        const Run* const run = m_document.run(number);
        if (run == nullptr || !isAboutSchedules(*run)) return;
        if (std::ranges::find(m_known, number) == m_known.end()) {
            m_known.push_back(number);
            fillRuns();
            if (!m_document.isCompared(number)) follow(number);
        } else if (number == shownRun() && run->state == search::RunState::Running) {
            showProgress();
        }
    });
    connect(&m_document, &Document::runEnded, this, [this](int number) {
        fillRuns();
        if (number == shownRun() || number == m_beside->currentData().toInt()) refresh();
    });
    connect(&m_document, &Document::runRemoved, this, [this] {
        fillRuns();
        refresh();
    });
    connect(&m_document, &Document::currentChanged, this, &ScheduleView::followSelection);
    whenShown(this, Qt::DirectConnection, [this] {
        if (m_isStale) refresh();
    });
    refresh();
}

QWidget* ScheduleView::buildTop() {
    setUpPlainLabel(m_title, "scheduleTitle");
    setUpWidget(m_run, "scheduleRun", tr("The run whose schedule is shown"), tr("Schedule"));
    setUpWidget(m_beside, "scheduleBeside", tr("A second schedule below it, on the same time scale"),
                tr("Second schedule"));
    setUpWidget(m_lifetimes, "scheduleLifetimes", tr("Show from when to when each tensor is in memory"));
    setUpWidget(m_export, "scheduleExport", tr("Save the chart or its data"));
    m_export->setMenu(new QMenu(m_export));
    fillExports(*m_export->menu());
    for (QComboBox* const box : {m_run, m_beside}) {
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        constexpr int Letters = 34;
        box->setMinimumContentsLength(Letters);
    }
    auto* const top = new QWidget(this);
    fillRow(top, {{m_title, 1}, m_run, new QLabel(tr("beside"), this), m_beside, gap(8), m_lifetimes, gap(8), m_export},
            {.margins = NoMargins});
    return top;
}

QWidget* ScheduleView::buildBelow() {
    setUpRows(*m_aliveRows, *m_alive, QStringLiteral("aliveTable"), tr("Tensors in memory"));
    setUpRows(*m_operationRows, *m_operations, QStringLiteral("operationList"), tr("Operations by their start"));
    setUpPlainLabel(m_aliveTitle, "aliveTitle");
    auto* const alive = new QWidget(this);
    fillColumn(alive, {m_aliveTitle, {m_aliveRows, 1}}, {.margins = NarrowMargins});
    m_tabs->setObjectName(QStringLiteral("scheduleTabs"));
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(alive, tr("In &memory"));
    m_tabs->addTab(m_operationRows, tr("&Operations"));
    m_tabs->addTab(m_generations, tr("&Generations"));
    return m_tabs;
}

void ScheduleView::focusChart() { (m_shown ? static_cast<QWidget*>(m_chart) : m_empty)->setFocus(); }

void ScheduleView::zoom(int steps) {
    if (steps == 0)
        m_chart->showAll();
    else
        m_chart->zoom(steps > 0 ? ZoomFactor : 1.0 / ZoomFactor, m_chart->centre());
}

// --- runs ------------------------------------------------------------------------------------------------------------------

std::vector<RunNumber> ScheduleView::runs() const {
    std::vector<RunNumber> numbers;
    if (!m_document.isOpen()) return numbers;
    for (const Run& run : m_document.runs()) {
        if (isAboutSchedules(run)) numbers.push_back(run.number);
    }
    return numbers;
}

RunNumber ScheduleView::shownRun() const { return m_run->currentData().toInt(); }

QString ScheduleView::titleOf(const Run& run) const {
    QString name = fromUtf8(run.strategy);
    if (const QString prefix = fromUtf8(search::placement::searchName("")); name.startsWith(prefix))
        name.remove(0, prefix.size());
    const QString text = tr("%1 #%2").arg(name).arg(run.number);
    if (foundSchedule(run)) return tr("%1: %2").arg(text, fromUtf8(run.outcomeSummary));
    if (run.state == search::RunState::Running) return tr("%1: running").arg(text);
    return tr("%1: no schedule").arg(text);
}

void ScheduleView::fillRuns() {
    const auto fill = [this](QComboBox& box, bool mayBeNone) {
        const QSignalBlocker blocker(box);
        const QVariant chosen = box.currentData();
        box.clear();
        if (mayBeNone) box.addItem(tr("nothing"), 0);
        for (const RunNumber number : runs()) {
            const Run* const run = m_document.run(number);
            if (mayBeNone && !foundSchedule(*run)) continue;
            box.addItem(titleOf(*run), number);
            box.setItemData(box.count() - 1, titleOf(*run), Qt::ToolTipRole);
        }
        const int row = box.findData(chosen);
        box.setCurrentIndex(row >= 0 ? row : mayBeNone ? 0 : box.count() - 1);
    };
    fill(*m_run, false);
    fill(*m_beside, true);
}

void ScheduleView::follow(RunNumber run) {
    if (m_run->findData(run) >= 0 && run != shownRun()) showRun(run);
}

void ScheduleView::showRun(RunNumber run) {
    const int row = m_run->findData(run);
    if (row < 0) return;
    m_run->setCurrentIndex(row);
    m_document.setViewValue(runKey(), QString::number(run));
    refresh();
}

void ScheduleView::showBeside(RunNumber run) {
    const int row = m_beside->findData(run);
    if (row < 0) return;
    m_beside->setCurrentIndex(row);
    m_document.setViewValue(besideKey(), QString::number(run));
    refresh();
}

// --- showing ---------------------------------------------------------------------------------------------------------------

void ScheduleView::refresh() {
    m_isStale = !isVisible();
    if (m_isStale) return;
    m_title->setText(m_document.isOpen() ? m_document.title() : QString());
    const bool hasRuns = !runs().empty();
    for (QWidget* const each : {static_cast<QWidget*>(m_run), static_cast<QWidget*>(m_beside),
                                static_cast<QWidget*>(m_lifetimes), static_cast<QWidget*>(m_export)})
        each->setEnabled(hasRuns);
    const Run* const run = m_document.isOpen() ? m_document.run(shownRun()) : nullptr;
    if (run == nullptr || !foundSchedule(*run)) {
        m_reading.cancel();
        m_shown.reset();
        m_other.reset();
        m_summary->clear();
        explainNothing();
        return;
    }
    read();
}

void ScheduleView::explainNothing() {
    if (!m_document.isOpen()) {
        m_empty->explain(tr("No program is open."), tr("Open…"), [this] { Q_EMIT openRequested(); });
    } else if (!m_document.dialect().can(ir::Capability::Schedule)) {
        m_empty->explain(tr("Programs of this kind are not scheduled."));
    } else if (const Run* const run = m_document.run(shownRun()); run != nullptr) {
        showProgress();
        if (run->state == search::RunState::Running)
            m_empty->explain(tr("%1 looks for a schedule.").arg(strategyLabel(fromUtf8(run->strategy))));
        else
            m_empty->explain(tr("This run found no schedule: %1").arg(stopText(fromUtf8(run->stop))), tr("Schedule…"),
                             [this] { Q_EMIT scheduleRequested(); });
    } else {
        const bool isNetwork = m_document.dialect().can(ir::Capability::Weights);
        m_empty->explain(tr("There is no schedule yet: which device runs each operation, and when."),
                         isNetwork ? tr("Schedule This Network on Two Devices") : tr("Schedule This on Two Devices"),
                         [this] { Q_EMIT quickRequested(); });
    }
    m_pages->setCurrentWidget(m_empty);
}

void ScheduleView::showProgress() {
    const Run* const run = m_document.run(shownRun());
    if (run == nullptr || !isVisible()) return;
    m_generations->show(run->events, fromUtf8(m_document.costModel().info().unit));
    if (run->state != search::RunState::Running || run->events.empty()) return;
    const search::SearchEvent& last = run->events.back();
    m_summary->setText(tr("%1 schedules evaluated").arg(countText(last.evaluations)));
}

void ScheduleView::read() {
    const Run* const run = m_document.run(shownRun());
    const Run* const other = m_document.run(m_beside->currentData().toInt());
    const bool hasOther = other != nullptr && other != run && foundSchedule(*other);
    const RunNumber otherNumber = hasOther ? other->number : 0;
    if (m_shown && m_shownRun == run->number && m_otherRun == otherNumber) {
        m_pages->setCurrentWidget(m_content);
        return;
    }
    m_reading.ask(
        tr("Reading a schedule"),
        [text = run->outcome, beside = hasOther ? other->outcome : std::string()](const std::stop_token&,
                                                                                  const JobRunner::Report&) {
            ReadSchedules read;
            read.shown = readOne(text, read.problem);
            read.other = readOne(beside, read.problem);
            return read;
        },
        [this, number = run->number, otherNumber](ReadSchedules read) {
            const bool isThere = m_document.isOpen() && m_document.run(number) != nullptr;
            if (!isThere) return;  // discarded meanwhile
            m_shown = std::move(read.shown);
            m_other = m_document.run(otherNumber) == nullptr ? nullptr : std::move(read.other);
            m_shownRun = number;
            m_otherRun = otherNumber;
            if (!read.problem.isEmpty()) Q_EMIT failed(tr("A schedule cannot be shown"), read.problem);
            if (m_shown)
                showSchedules();
            else
                explainNothing();
        });
}

QString ScheduleView::summary() const {
    const Run* const run = m_document.run(m_shownRun);
    const schedule::ScheduledGraph& scheduled = m_shown->scheduled();
    QStringList parts;
    const QString devices =
        m_shown->deviceCount() == 1 ? tr("1 device") : tr("%L1 devices").arg(m_shown->deviceCount());
    parts << tr("%1 on %2").arg(timeText(m_shown->timeline().runtime, scheduled), devices);
    parts << tr("peak %1").arg(bytesText(m_shown->peakOf(m_shown->fullestDevice())));
    if (scheduled.repeated) {
        const auto count = scheduled.graph.operations.size() - scheduled.repeated->first;
        const QString before = bytesText(scheduled.repeated->peakBefore);
        parts << (count == 1 ? tr("1 operation runs again (peak %1 without)").arg(before)
                             : tr("%1 operations run again (peak %2 without)").arg(countText(count), before));
    }
    if (const auto gap = m_shown->gapPercent()) {
        constexpr double Exact = 1e-7;
        const QString what = scheduled.isForMemory ? tr("peak") : tr("run time");
        constexpr double Least = 0.01;
        const QString size = QLocale().toString(std::max(*gap, Least), 'f', *gap < 1.0 ? 2 : 1);
        parts << (*gap <= Exact  ? tr("no schedule has less %1 (proven)").arg(what)
                  : *gap < Least ? tr("%1 less than %2 % above the least possible").arg(what, size)
                                 : tr("%1 at most %2 % above the least possible").arg(what, size));
    }
    if (const auto transfers = m_shown->timeline().transfers.size(); transfers > 0)
        parts << (transfers == 1 ? tr("1 transfer") : tr("%1 transfers").arg(countText(transfers)));
    if (run != nullptr && run->verdict) parts << verdictText(*run);
    return parts.join(QStringLiteral("  ·  "));
}

void ScheduleView::showSchedules() {
    std::vector<GanttChart::Entry> entries{{m_shown, titleOf(*m_document.run(m_shownRun))}};
    if (m_other) entries.push_back({m_other, titleOf(*m_document.run(m_otherRun))});
    m_chart->show(std::move(entries));
    m_operations->setSchedule(m_shown);
    m_summary->setText(summary());
    m_pages->setCurrentWidget(m_content);
    const std::uint32_t fullest = m_shown->fullestDevice();
    explain(0, m_shown->lifetimes().atPeak(fullest), fullest, true);
    showProgress();
    m_tabs->setTabVisible(2, m_generations->points() > 0);
    followSelection();
}

void ScheduleView::explainMoment(int schedule, std::uint32_t device, double time) {
    const ShownSchedulePtr& shown = schedule == 0 ? m_shown : m_other;
    if (!shown) return;
    explain(schedule, shown->lifetimes().at(device, time), device, false);
    m_tabs->setCurrentIndex(0);
}

void ScheduleView::explain(int schedule, const schedule::AliveCopies& alive, std::uint32_t device, bool isPeak) {
    const ShownSchedulePtr& shown = schedule == 0 ? m_shown : m_other;
    const std::uint64_t resident = shown->scheduled().residentBytes;
    const QString name = fromUtf8(shown->scheduled().machine.devices[device].name);
    const QString what = tensorsText(alive.copies.size());
    QString text = (isPeak ? tr("The peak: %1 in %2 on device %3 at %4") : tr("%1 in %2 on device %3 at %4"))
                       .arg(bytesText(alive.bytes + resident), what, name, timeText(alive.time, shown->scheduled()));
    if (resident > 0) text += tr(", %1 of them weights that are always there").arg(bytesText(resident));
    m_aliveTitle->setText(text);
    m_chart->setMoment(GanttChart::Moment{schedule, device, alive.time}, alive.copies);
    m_alive->setCopies(shown, alive);
}

// --- selection -------------------------------------------------------------------------------------------------------------

bool ScheduleView::isOfCurrentState() const {
    const Run* const run = m_document.isOpen() ? m_document.run(m_shownRun) : nullptr;
    if (!m_shown || run == nullptr || run->startState >= m_document.history().size()) return false;
    return m_document.history().program(rewrite::StateId(run->startState)).root == m_document.current().root;
}

void ScheduleView::numberNodes() {
    const ir::TermId root = m_document.current().root;
    if (m_numbered == root) return;
    m_numbered = root;
    m_nodes.clear();
    m_nodeTerms.clear();
    for (const ir::TermId node : ir::SharedNodes(m_document.bank(), root)) {
        m_nodes.emplace(node, static_cast<std::uint32_t>(m_nodes.size()));
        m_nodeTerms.push_back(node);
    }
}

void ScheduleView::chooseOperation(int schedule, std::uint32_t operation) {
    const ShownSchedulePtr& shown = schedule == 0 ? m_shown : m_other;
    if (!shown) return;
    selectOperation(operation, schedule);
    const std::vector<std::uint32_t>& nodes = shown->scheduled().nodes;
    if (operation >= nodes.size() || nodes[operation] == schedule::NoNode || !isOfCurrentState()) return;
    numberNodes();
    if (nodes[operation] >= m_nodeTerms.size()) return;
    const auto path = ir::firstPath(m_document.bank(), m_numbered, m_nodeTerms[nodes[operation]]);
    if (!path) return;
    m_isSelecting = true;
    m_selection.setSubterm(path);
    m_isSelecting = false;
}

void ScheduleView::selectOperation(std::optional<std::uint32_t> operation, int from) {
    m_chart->setSelected(from, operation);
    if (from != 0 || !operation || !m_shown) return;
    m_isSelecting = true;
    const QModelIndex row = m_operations->index(m_operations->rowOf(*operation), 0);
    m_operationRows->setCurrentIndex(row);
    m_operationRows->scrollTo(row);
    m_isSelecting = false;
}

void ScheduleView::followSelection() {
    if (m_isSelecting || !m_shown || !isVisible()) return;
    const auto& path = m_selection.subterm();
    if (!path || !isOfCurrentState()) return;
    numberNodes();
    const auto term = ir::subterm(m_document.bank(), m_numbered, *path);
    const auto node = term ? m_nodes.find(*term) : m_nodes.end();
    if (node == m_nodes.end()) return;
    const std::uint32_t operation = m_shown->operationOf(node->second);
    if (operation != schedule::NoNode) selectOperation(operation);
}

// --- files -----------------------------------------------------------------------------------------------------------------

void ScheduleView::fillExports(QMenu& menu) {
    const auto add = [this, &menu](const char* name, const QString& text, const QString& suffix, const QString& kind) {
        QAction* const action = menu.addAction(text, this, [this, suffix, kind] { askForFile(suffix, kind); });
        action->setObjectName(QString::fromLatin1(name));
    };
    add("scheduleSvg", tr("As &SVG…"), QStringLiteral("svg"), tr("SVG pictures"));
    add("schedulePdf", tr("As &PDF…"), QStringLiteral("pdf"), tr("PDF files"));
    add("schedulePng", tr("As P&NG…"), QStringLiteral("png"), tr("PNG pictures"));
    menu.addSeparator();
    add("scheduleCsv", tr("Data as &CSV…"), QStringLiteral("csv"), tr("CSV tables"));
    add("scheduleTrace", tr("As a &trace for Perfetto…"), QStringLiteral("trace.json"), tr("Chrome traces"));
    add("scheduleJson", tr("As &JSON…"), QStringLiteral("json"), tr("Schedules"));
}

void ScheduleView::showMenu(const QPoint& globalPos) {
    auto* const menu = new QMenu(this);
    menu->setObjectName(QStringLiteral("scheduleMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    fillExports(*menu);
    menu->addSeparator();
    QAction* const all = menu->addAction(tr("Show &Everything"), this, [this] { m_chart->showAll(); });
    all->setEnabled(m_chart->isZoomed());
    menu->popup(globalPos);
}

void ScheduleView::exportPicture() { askForFile(QStringLiteral("svg"), tr("SVG pictures")); }

void ScheduleView::askForFile(const QString& suffix, const QString& kind) {
    if (!m_shown) return;
    const SaveRequest request{.objectName = QStringLiteral("scheduleSaveDialog"),
                              .title = tr("Save the Schedule"),
                              .kinds = {{kind, suffix}}};
    askWhereToSave(this, request, [this, suffix](const QString& path) { saveTo(path, suffix); });
}

void ScheduleView::saveTo(const QString& path, const QString& suffix) {
    if (!m_shown) return;
    const auto say = [this, path](const Status& written) {
        if (written)
            Q_EMIT notice(savedText(path));
        else
            Q_EMIT failed(tr("The schedule was not saved"), fromUtf8(written.error().render()));
    };
    const std::string file = QFile::encodeName(path).toStdString();
    if (suffix == QLatin1String("svg") || suffix == QLatin1String("pdf") || suffix == QLatin1String("png")) {
        constexpr int PixelFactor = 2;
        const QByteArray picture = pictureOf(
            formatOf(QLatin1Char('.') + suffix), m_chart->size(), m_title->text(),
            [this](QPaintDevice& device) {
                QPainter painter(&device);
                painter.setRenderHint(QPainter::Antialiasing);
                m_chart->paint(painter);
            },
            PixelFactor);
        say(writeFile(file, std::string_view(picture.constData(), static_cast<std::size_t>(picture.size()))));
        return;
    }
    m_jobs.start(
        tr("Saving a schedule"), false, this,
        [file, suffix, shown = m_shown](const std::stop_token&, const JobRunner::Report&) {
            if (suffix == QLatin1String("csv"))
                return writeFile(file, schedule::scheduleCsv(shown->problem(), shown->timeline()));
            if (suffix == QLatin1String("json"))
                return writeFile(file, schedule::scheduleJson(shown->scheduled(), shown->timeline()));
            return writeFile(file, schedule::chromeTrace(shown->problem(), shown->timeline(),
                                                         schedule::microsecondsOf(shown->scheduled().unit)));
        },
        say);
}

}  // namespace mitos::views
