// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/measure/measure_view.h"

#include "core/base/source_text.h"
#include "core/cost/cost_model.h"
#include "core/cost/sizes.h"
#include "views/common/elided_label.h"
#include "views/common/format.h"
#include "views/common/save_dialog.h"
#include "views/common/share_delegate.h"
#include "views/common/widgets.h"
#include "views/document/left_session.h"
#include "views/document/session_names.h"
#include "views/measure/internal/operation_table.h"
#include "views/measure/internal/times_chart.h"
#include "views/measure/profiles.h"
#include "views/theme/style.h"
#include "views/theme/theme.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QThread>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

constexpr int ProfileLetters = 18;
constexpr int FilterWidth = 220;
constexpr int DeviceRole = Qt::UserRole + 1;  // of the box of runtimes
constexpr int ChartWidth = 320;

QString profileKey() { return QStringLiteral("measure-profile"); }
QString otherKey() { return QStringLiteral("measure-other"); }
/// The name of those times among the profiles.
QString sessionProfile() { return QStringLiteral("session"); }

/// The result of the job that reads.
struct Read {
    std::shared_ptr<const cost::CostProfile> profile;
    std::shared_ptr<const cost::CostProfile> other;
    std::vector<cost::UsedOperation> used;
    std::vector<OperationRow> rows;
    QString problem;  ///< of the first profile
    QString otherProblem;
};

/// The result of the job that measures.
struct Measured {
    QString file;           ///< empty: nothing was measured
    std::string ofProgram;  ///< the times of its operations, as the text of a profile
    std::size_t operations = 0;
    std::size_t refused = 0;
    Status status = Success{};
};

std::shared_ptr<const cost::CostProfile> readAs(const QString& name, const QString& ofSession, QString& problem) {
    if (name.isEmpty()) return nullptr;
    Result<cost::CostProfile> profile = name == sessionProfile()
                                            ? cost::readProfile(name.toStdString(), ofSession.toStdString())
                                            : cost::findProfile(QFile::encodeName(name).toStdString());
    if (profile) return std::make_shared<const cost::CostProfile>(*std::move(profile));
    problem = QString::fromStdString(profile.error().message);
    return nullptr;
}

/// The sizes that the cost model in force assumes where a program has names.
cost::AssumedSizes sizesIn(const Document& document) {
    const Result<cost::AssumedSizes> sizes = cost::readSizes(cost::sizesOf(document.costModel().info()), 1);
    return sizes ? *sizes : cost::AssumedSizes();
}

/// The part of a profile that is about these operations.
cost::CostProfile partOf(const cost::CostProfile& profile, const std::vector<cost::Operation>& operations) {
    cost::CostProfile part{profile.name, profile.title, profile.setup, {}, {}, profile.drift};
    for (const cost::Operation& operation : operations) {
        if (const auto time = profile.times.find(operation); time != profile.times.end()) part.times.insert(*time);
        if (const auto no = profile.refused.find(operation); no != profile.refused.end()) part.refused.insert(*no);
    }
    return part;
}

/// Measures, and adds the times to the file of the measurer's setup.
Measured measureOperations(cost::Measurer& measurer, const std::vector<cost::Operation>& operations, bool again,
                           const std::stop_token& stop, const JobRunner::Report& report) {
    Measured result;
    Result<cost::MeasuringSetup> setup = measurer.setup(stop);
    if (!setup) {
        result.status = std::move(setup).error();
        return result;
    }
    Result<cost::CostProfile> earlier = knownTimes(*setup);
    if (!earlier) {
        result.status = std::move(earlier).error();
        return result;
    }
    cost::CostProfile known = *std::move(earlier);
    const auto remeasure = again ? cost::Remeasure::Always : cost::Remeasure::Never;
    const std::size_t all = cost::missingIn(known, operations, remeasure).size();
    std::size_t done = 0;
    cost::GrowingProfile file = growingTimes(*setup, known);
    result.status = cost::measureInto(
        known, measurer, operations, remeasure,
        [&](const cost::OperationOutcome& outcome) {
            ++done;
            file.writeIfDue();
            if (!outcome.time) ++result.refused;
            report(static_cast<double>(done) / static_cast<double>(std::max<std::size_t>(all, 1)),
                   MeasureView::tr("%L1 of %L2: %3").arg(done).arg(all).arg(fromUtf8(outcome.operation.op)));
        },
        stop);
    result.operations = done;
    if (known.times.empty()) return result;
    result.ofProgram = cost::profileText(partOf(known, operations));
    if (Status kept = file.write(); kept)
        result.file = profileFileFor(*setup);
    else
        result.status = std::move(kept);
    return result;
}

JobOutcome outcomeOf(const Measured& measured) {
    const bool isStopped = !measured.status.ok() && measured.status.error().code == ErrorCode::Cancelled;
    if (!measured.status.ok() && !isStopped) return {JobInfo::State::Failed, fromUtf8(measured.status.error().message)};
    const std::size_t timed = measured.operations - measured.refused;
    QString text =
        timed == 1 ? MeasureView::tr("1 operation measured") : MeasureView::tr("%L1 operations measured").arg(timed);
    if (measured.refused == 1) text += MeasureView::tr(", 1 cannot be run by itself");
    if (measured.refused > 1) text += MeasureView::tr(", %L1 cannot be run by themselves").arg(measured.refused);
    if (isStopped) return {JobInfo::State::Stopped, MeasureView::tr("Stopped: %1").arg(text)};
    return {JobInfo::State::Finished, text};
}

}  // namespace

MeasureView::MeasureView(Document& document, JobRunner& jobs, MakeMeasurer makeMeasurer, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_jobs(jobs),
      m_makeMeasurer(std::move(makeMeasurer)),
      m_table(new OperationTable(this)),
      m_filter(new OperationFilter(*m_table, this)),
      m_pages(new QStackedWidget(this)),
      m_empty(new EmptyState(this)),
      m_title(new ElidedLabel(this)),
      m_profile(new QComboBox(this)),
      m_other(new QComboBox(this)),
      m_device(new QComboBox(this)),
      m_threads(new QSpinBox(this)),
      m_measure(new QPushButton(tr("&Measure This Program"), this)),
      m_again(new QPushButton(tr("Measure A&gain"), this)),
      m_stop(new QPushButton(tr("&Stop"), this)),
      m_use(new QPushButton(tr("&Use as Cost Model"), this)),
      m_open(new QPushButton(tr("&Open…"), this)),
      m_save(new QPushButton(tr("Save &As…"), this)),
      m_words(new QLineEdit(this)),
      m_onlyUsed(new QCheckBox(tr("&This program only"), this)),
      m_parts(new QSplitter(Qt::Horizontal, this)),
      m_rows(new QTableView(this)),
      m_setup(new QLabel(this)),
      m_chart(new TimesChart(this)),
      m_chartTitle(sectionTitle(tr("Two profiles"), this)) {
    setObjectName(QStringLiteral("measureView"));
    buildTop();
    buildTable();
    setUpPlainLabel(m_setup, "measureSetup");
    m_setup->setWordWrap(true);
    m_setup->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    auto* right = new QWidget(this);
    m_chartSpace = new QWidget(this);  // keeps the texts at the top while there is no chart
    fillColumn(right,
               {sectionTitle(tr("Measured with"), this), m_setup, m_chartTitle, {m_chart, 1}, {m_chartSpace, 1}});
    auto* left = new QWidget(this);
    fillColumn(left, {{m_rows, 1}}, {.margins = QMargins(12, 0, 0, 0)});
    m_parts->addWidget(left);
    m_parts->addWidget(right);
    m_parts->setChildrenCollapsible(false);
    m_parts->setHandleWidth(1);
    m_parts->setStretchFactor(0, 1);
    m_parts->setSizes({3 * ChartWidth, ChartWidth});
    m_pages->addWidget(m_parts);
    m_pages->addWidget(m_empty);
    auto* names = rowOf(
        {{m_title, 1}, new QLabel(tr("Profile"), this), m_profile, new QLabel(tr("compared with"), this), m_other});
    auto* buttons = rowOf(
        {m_measure, m_again, m_stop, m_device, m_threads, {m_words, 1}, m_onlyUsed, stretch(), m_use, m_open, m_save});
    auto* top = columnOf({names, buttons}, {.margins = QMargins(12, 10, 12, 10), .spacing = 8});
    fillColumn(this, {top, {m_pages, 1}}, {.margins = NoMargins, .spacing = 0});

    connect(&m_document, &Document::closed, this, [this] {
        if (m_measuring.letGo()) Q_EMIT notice(tr("Measuring goes on in the view Jobs."));
        showState();
    });
    connect(&m_document, &Document::opened, this, [this] {
        m_profile->setCurrentIndex(-1);  // those of the session that is open now
        m_other->setCurrentIndex(-1);
        if (isVisible()) fillProfiles();
    });
    for (const auto signal :
         {&Document::closed, &Document::opened, &Document::currentChanged, &Document::costModelChanged}) {
        connect(&m_document, signal, this, [this] {
            m_isStale = true;
            // A session that shows this view at once has no profile chosen until the view is on the screen.
            if (isVisible() && m_profile->currentIndex() >= 0) refresh();
        });
    }
    connect(&m_jobs, &JobRunner::jobChanged, this, [this](int job) {
        if (job == m_measuring.job()) showState();
    });
    whenShown(this, Qt::QueuedConnection, [this] {
        if (!isVisible()) return;
        fillProfiles();
        if (m_isStale) refresh();
    });
    followPalette(this, [this] { m_table->setFaintColor(Theme(palette()).faintText()); });
    showState();
}

void MeasureView::buildTop() {
    QFont strong = m_title->font();
    strong.setWeight(QFont::DemiBold);
    m_title->setFont(strong);
    m_title->setObjectName(QStringLiteral("measureTitle"));
    setUpWidget(m_profile, "measureProfile", tr("The times that are shown"), tr("Profile"));
    setUpWidget(m_other, "measureOther", tr("Another profile, operation by operation beside the first"),
                tr("Second profile"));
    for (QComboBox* box : {m_profile, m_other}) {
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(ProfileLetters);
        connect(box, &QComboBox::activated, this, [this] { refresh(); });
    }
    setUpWidget(m_device, "measureDevice",
                tr("What runs the operations; ONNX Runtime needs a Python that has it (Preferences)"), tr("Runtime"));
    const auto offer = [this](const QString& title, MeasuringRuntime runtime, const char* device) {
        m_device->addItem(title, static_cast<int>(runtime));
        m_device->setItemData(m_device->count() - 1, QLatin1String(device), DeviceRole);
    };
    offer(tr("LibTorch"), MeasuringRuntime::LibTorch, "cpu");
    offer(tr("LibTorch, CUDA"), MeasuringRuntime::LibTorch, "cuda");
    offer(tr("ONNX Runtime"), MeasuringRuntime::OnnxRuntime, "cpu");
    setUpWidget(m_threads, "measureThreads", tr("Threads that an operation may use"), tr("Threads"));
    m_threads->setRange(1, std::max(1, QThread::idealThreadCount()));
    const auto showUnit = [this](int threads) { m_threads->setSuffix(threads == 1 ? tr(" thread") : tr(" threads")); };
    connect(m_threads, &QSpinBox::valueChanged, this, showUnit);
    showUnit(m_threads->value());
    setUpWidget(m_measure, "measureStart",
                tr("Run each operation of the open program that is not measured yet, and keep the times"));
    setMainButton(m_measure);
    setUpWidget(m_again, "measureAgain", tr("Run all operations of the open program, measured ones too"));
    setUpWidget(m_stop, "measureStop", tr("Stop measuring; the times so far are kept"));
    setUpWidget(m_use, "measureUse", tr("Let searches and costs use these times"));
    setUpWidget(m_open, "measureOpen", tr("Open a cost profile that was measured elsewhere"));
    setUpWidget(m_save, "measureSave", tr("Save the profile as a file that can be handed on"));
    setUpWidget(m_words, "measureFilter", tr("Words that the operations contain"), tr("Filter"));
    m_words->setPlaceholderText(tr("Filter: conv 3,3"));
    m_words->setClearButtonEnabled(true);
    m_words->setMaximumWidth(FilterWidth);
    setUpWidget(m_onlyUsed, "measureOnlyUsed", tr("Hide operations that the open program does not run"));
    connect(m_measure, &QPushButton::clicked, this, [this] { measure(false); });
    connect(m_again, &QPushButton::clicked, this, [this] { measure(true); });
    connect(m_stop, &QPushButton::clicked, this, [this] { m_measuring.stop(); });
    connect(m_use, &QPushButton::clicked, this, &MeasureView::use);
    connect(m_open, &QPushButton::clicked, this, &MeasureView::askForFile);
    connect(m_save, &QPushButton::clicked, this, &MeasureView::askForTarget);
    connect(m_words, &QLineEdit::textChanged, this, [this](const QString& words) {
        m_filter->setWords(words);
        showRows();
    });
    connect(m_onlyUsed, &QCheckBox::toggled, this, [this](bool only) {
        m_filter->setOnlyUsed(only);
        showRows();
    });
}

void MeasureView::buildTable() {
    setUpRowTable(*m_rows, *m_filter, QStringLiteral("measureRows"), tr("Operations"));
    m_rows->setFrameShape(QFrame::NoFrame);
    m_rows->setSortingEnabled(true);
    m_rows->sortByColumn(-1, Qt::AscendingOrder);
    m_rows->setItemDelegateForColumn(OperationTable::Share, new ShareDelegate(OperationTable::ShareRole, m_rows));
    QHeaderView* const header = m_rows->horizontalHeader();
    const auto width = [this](const QString& sample) { return fontMetrics().horizontalAdvance(sample) + 28; };
    header->setSectionResizeMode(QHeaderView::Interactive);
    header->setSectionResizeMode(OperationTable::Name, QHeaderView::Stretch);
    m_rows->setColumnWidth(OperationTable::Time, width(tr("not measured")));
    m_rows->setColumnWidth(OperationTable::Spread, width(QStringLiteral("± 000.0 µs")));
    m_rows->setColumnWidth(OperationTable::Other, width(QStringLiteral("a second profile")));
    m_rows->setColumnWidth(OperationTable::Ratio, width(QStringLiteral("× 100.00")));
    m_rows->setColumnWidth(OperationTable::Nodes, width(tr("Nodes") + QStringLiteral("00")));
    m_rows->setColumnWidth(OperationTable::Share, width(QStringLiteral("100.0 %")));
    m_rows->setColumnWidth(OperationTable::Age, width(tr("%L1 months").arg(12)));
    connect(m_rows->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &MeasureView::showSelected);
    connect(m_chart, &TimesChart::rowClicked, this, [this](int row) {
        const QModelIndex index = m_filter->mapFromSource(m_table->index(row, 0));
        if (index.isValid()) m_rows->setCurrentIndex(index);
    });
}

void MeasureView::focusTable() { m_rows->setFocus(); }

void MeasureView::fillProfiles() {
    const QStringList names = profileNames();
    const auto fill = [&](QComboBox* box, const QString& kept) {
        const QSignalBlocker blocker(box);
        box->clear();
        if (box == m_other) box->addItem(tr("no other"), QString());
        if (!sessionTimes().isEmpty()) box->addItem(tr("times in this session"), sessionProfile());
        for (const QString& name : names) {
            box->addItem(profileLabel(name), name);
            box->setItemData(box->count() - 1, QDir::toNativeSeparators(name), Qt::ToolTipRole);
        }
        box->setCurrentIndex(box->count() == 0 ? -1 : std::max(0, box->findData(kept)));
    };
    const auto keptOf = [this](QComboBox* box, const QString& key) {
        const QString chosen = box->currentData().toString();
        return chosen.isEmpty() && m_document.isOpen() ? m_document.viewValue(key) : chosen;
    };
    fill(m_profile, keptOf(m_profile, profileKey()));
    fill(m_other, keptOf(m_other, otherKey()));
}

QString MeasureView::sessionTimes() const {
    return m_document.isOpen() ? m_document.viewValue(measuredTimesKey()) : QString();
}

void MeasureView::choose(const QString& profile) {
    fillProfiles();
    m_profile->setCurrentIndex(std::max(0, m_profile->findData(profile)));
    refresh();
}

void MeasureView::refresh() {
    m_isStale = false;
    m_reading.cancel();
    const QString name = m_profile->currentData().toString();
    const QString other = m_other->currentData().toString();
    std::optional<Snapshot> program;
    if (m_document.isOpen()) {
        m_document.setViewValue(profileKey(), name);
        m_document.setViewValue(otherKey(), other);
        if (m_document.dialect().can(ir::Capability::Measure)) program = m_document.snapshot(m_document.current());
    }
    m_reading.ask(
        tr("Reading cost profiles"),
        [name, other, program, sizes = sizesIn(m_document), ofSession = sessionTimes()](const std::stop_token&,
                                                                                        const JobRunner::Report&) {
            Read read;
            read.profile = readAs(name, ofSession, read.problem);
            read.other = readAs(other, ofSession, read.otherProblem);
            if (program) read.used = cost::usedOperations(*program->bank, program->program.root, sizes);
            // What costs nothing is shown only where it was measured all the same.
            std::erase_if(read.used, [&](const cost::UsedOperation& used) {
                return cost::isView(used.operation) && !(read.profile && read.profile->times.contains(used.operation));
            });
            const cost::CostProfile none;
            read.rows = operationRows(read.profile ? *read.profile : none, read.other.get(), read.used);
            return read;
        },
        [this](Read read) {
            m_shown = std::move(read.profile);
            m_beside = std::move(read.other);
            m_used = std::move(read.used);
            m_problem = read.problem;
            if (!read.otherProblem.isEmpty()) Q_EMIT failed(tr("The second profile cannot be read"), read.otherProblem);
            m_table->setRows(std::move(read.rows), m_other->currentText(), cost::secondsNow());
            showRows();
            showState();
        });
}

void MeasureView::showRows() {
    for (const int column : {OperationTable::Other, OperationTable::Ratio})
        m_rows->setColumnHidden(column, m_beside == nullptr);
    for (const int column : {OperationTable::Nodes, OperationTable::Share})
        m_rows->setColumnHidden(column, m_used.empty());
    std::vector<TimesChart::Point> points;
    for (std::size_t i = 0; i < m_table->all().size(); ++i) {
        const OperationRow& row = m_table->all()[i];
        if (!row.time || !row.other || !m_filter->shows(i)) continue;
        if (row.time->minimum > 0.0 && row.other->minimum > 0.0)
            points.push_back({static_cast<int>(i), row.time->minimum, row.other->minimum, row.nodes > 0});
    }
    m_chartTitle->setVisible(m_beside != nullptr);
    m_chart->setVisible(m_beside != nullptr);
    m_chartSpace->setVisible(m_beside == nullptr);
    m_chart->setPoints(std::move(points), m_profile->currentText(), m_other->currentText());
    showSelected();
}

void MeasureView::showSelected() {
    const QModelIndex current = m_filter->mapToSource(m_rows->currentIndex());
    m_chart->select(current.isValid() ? current.row() : -1);
}

QString MeasureView::setupText(const cost::CostProfile& profile) const {
    const cost::MeasuringSetup& setup = profile.setup;
    QStringList lines{fromUtf8(profile.title), fromUtf8(setup.runtime)};
    lines << (setup.features.empty() ? fromUtf8(setup.processor)
                                     : tr("%1 (%2)").arg(fromUtf8(setup.processor), fromUtf8(setup.features)));
    if (!setup.blas.empty()) lines << fromUtf8(setup.blas);
    lines << (setup.threads == 1 ? tr("1 thread") : tr("%L1 threads").arg(setup.threads));
    if (!setup.settings.empty()) lines << fromUtf8(setup.settings);
    const QString drift = QLocale().toString(profile.drift * 100.0, 'f', 0);
    lines << (profile.drift > cost::LargestDrift
                  ? tr("⚠ the machine was busy: the same work took up to %1 % longer at times, so small differences "
                       "mean little")
                        .arg(drift)
                  : tr("the machine was steady: the same work varied by %1 %").arg(drift));
    lines << (profile.refused.empty() ? tr("%L1 operations").arg(profile.times.size())
                                      : tr("%L1 operations, %L2 more could not be measured")
                                            .arg(profile.times.size())
                                            .arg(profile.refused.size()));
    return lines.join(QLatin1Char('\n'));
}

void MeasureView::showState() {
    const bool isMeasuring = m_measuring.isRunning();
    const bool canMeasure = m_document.isOpen() && m_document.dialect().can(ir::Capability::Measure);
    QString title = tr("Measure");
    if (isMeasuring) {
        const auto job = std::ranges::find(m_jobs.jobs(), m_measuring.job(), &JobInfo::id);
        title = job == m_jobs.jobs().end() ? tr("Measuring") : tr("Measuring  ·  %1").arg(job->status);
    } else if (canMeasure && !m_used.empty()) {
        const auto measured = std::ranges::count_if(m_used, [this](const cost::UsedOperation& used) {
            return m_shown != nullptr && m_shown->times.contains(used.operation);
        });
        title = tr("%1: %L2 of %L3 operations measured").arg(m_document.title()).arg(measured).arg(m_used.size());
    }
    m_title->setText(title);
    m_measure->setVisible(!isMeasuring);
    m_again->setVisible(!isMeasuring);
    m_stop->setVisible(isMeasuring);
    m_measure->setEnabled(canMeasure);
    m_again->setEnabled(canMeasure);
    m_device->setEnabled(!isMeasuring);
    m_threads->setEnabled(!isMeasuring);
    m_use->setEnabled(m_shown != nullptr && !m_shown->times.empty());
    m_save->setEnabled(m_shown != nullptr);
    m_setup->setText(m_shown ? setupText(*m_shown) : tr("No profile is chosen."));
    if (!m_problem.isEmpty()) {
        m_empty->explain(m_problem, tr("Open Another Profile…"), [this] { askForFile(); });
    } else if (!m_document.isOpen()) {
        m_empty->explain(tr("Open a network to measure the time of its operations on this computer."),
                         tr("Open a Program…"), [this] { Q_EMIT openRequested(); });
    } else {
        m_empty->explain(canMeasure ? tr("No times yet. Each operation of the program is run by itself for a moment.")
                                    : tr("Only operations of networks can be measured."),
                         canMeasure ? tr("Measure This Program") : QString(),
                         canMeasure ? std::function<void()>([this] { measure(false); }) : nullptr);
    }
    const bool hasRows = m_shown != nullptr || (m_problem.isEmpty() && !m_used.empty() && isMeasuring);
    m_pages->setCurrentWidget(hasRows ? static_cast<QWidget*>(m_parts) : m_empty);
}

void MeasureView::measure(bool again) {
    if (m_measuring.isRunning() || !m_document.isOpen() || !m_document.dialect().can(ir::Capability::Measure)) return;
    const MeasuringChoice choice{static_cast<MeasuringRuntime>(m_device->currentData().toInt()),
                                 m_device->currentData(DeviceRole).toString(), m_threads->value()};
    m_measuring.askInJobsView(
        tr("Measuring %1").arg(m_document.title()),
        [measurer = std::shared_ptr<cost::Measurer>(m_makeMeasurer(choice)), again, sizes = sizesIn(m_document),
         program = m_document.snapshot(m_document.current())](const std::stop_token& stop,
                                                              const JobRunner::Report& report) {
            std::vector<cost::Operation> operations = cost::operationsOf(*program.bank, program.program.root, sizes);
            std::erase_if(operations, [&](const cost::Operation& operation) { return measurer->isFree(operation); });
            return measureOperations(*measurer, operations, again, stop, report);
        },
        [view = QPointer(this), session = m_document.sessionPath()](const Measured& measured) {
            if (view != nullptr && !measured.ofProgram.empty())
                view->keepInSession(session, fromUtf8(measured.ofProgram));
            return outcomeOf(measured);
        },
        [this](const Measured& measured) {
            const JobOutcome outcome = outcomeOf(measured);
            if (outcome.state == JobInfo::State::Failed)
                Q_EMIT failed(tr("Measuring failed"), QString::fromStdString(measured.status.error().render()));
            else
                Q_EMIT notice(outcome.status);
            if (!measured.file.isEmpty())
                choose(measured.file);
            else if (!measured.ofProgram.empty())
                choose(sessionProfile());
            else
                showState();
        });
    showState();
}

void MeasureView::keepInSession(const QString& session, const QString& times) {
    changeViewValue(m_document, m_jobs, session, measuredTimesKey(), [times](const QString&) { return times; });
}

/// Cost models find profiles by the names of files, so times that only the session has are kept as a file first.
void MeasureView::use() {
    if (!m_shown) return;
    const auto request = [this](const QString& name) {
        Q_EMIT costModelRequested(QStringLiteral("measured:%1").arg(name));
    };
    if (m_profile->currentData().toString() != sessionProfile()) return request(fromUtf8(m_shown->name));
    m_jobs.start(
        tr("Keeping measured times"), false, this,
        [profile = m_shown](const std::stop_token&, const JobRunner::Report&) -> Result<QString> {
            MITOS_TRY(cost::CostProfile known, knownTimes(profile->setup));
            if (known.times.empty()) known.setup = profile->setup;
            MITOS_REQUIRE(cost::merge(known, *profile));
            return keepTimes(known);
        },
        [this, request](const Result<QString>& file) {
            if (!file) {
                Q_EMIT failed(tr("The times cannot be used"), QString::fromStdString(file.error().render()));
                return;
            }
            choose(*file);
            request(*file);
        });
}

void MeasureView::askForFile() {
    auto* dialog = new QFileDialog(this, tr("Open a Cost Profile"));
    dialog->setObjectName(QStringLiteral("measureOpenDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({tr("Cost profiles (*.json)")});
    connect(dialog, &QFileDialog::fileSelected, this, &MeasureView::openProfile);
    dialog->open();
}

void MeasureView::openProfile(const QString& path) {
    addProfile(path);
    choose(QFileInfo(path).absoluteFilePath());
}

void MeasureView::askForTarget() {
    const SaveRequest request{.objectName = QStringLiteral("measureSaveDialog"),
                              .title = tr("Save the Cost Profile"),
                              .kinds = {{tr("Cost profiles"), QStringLiteral("json")}}};
    askWhereToSave(this, request, [this](const QString& path) { saveTo(path); });
}

void MeasureView::saveTo(const QString& path) {
    if (!m_shown) return;
    m_jobs.start(
        tr("Saving a cost profile"), false, this,
        [path, profile = m_shown](const std::stop_token&, const JobRunner::Report&) {
            return writeFile(QFile::encodeName(path).toStdString(), cost::profileText(*profile));
        },
        [this, path](const Status& written) {
            if (written)
                Q_EMIT notice(savedText(path));
            else
                Q_EMIT failed(tr("The profile was not saved"), fromUtf8(written.error().render()));
        });
}

}  // namespace mitos::views
