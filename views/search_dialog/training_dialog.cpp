// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/search_dialog/training_dialog.h"

#include "search/learned/model_fields.h"
#include "search/placement/policy_trainer.h"
#include "search/placement/shipped_models.h"
#include "storage/workspace/training_graphs.h"
#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/search_dialog/internal/learning_chart.h"
#include "views/search_dialog/internal/parameter_form.h"
#include "views/search_dialog/search_dialog.h"

#include <QComboBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QGroupBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableWidget>
#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace mitos::views {

namespace {

using search::learned::ModelValue;
using search::placement::PolicyModel;

enum Source { Generated, OpenProgram, Files };
enum ModelColumn {
    FileColumn,
    FitsColumn,
    ObjectiveColumn,
    DevicesColumn,
    KeysColumn,
    GraphsColumn,
    BestColumn,
    DateColumn,
    ColumnCount
};
constexpr QSize UsualSize(980, 760);
constexpr double UsualSeconds = 600.0;
constexpr int ListedFiles = 3;

QString objectiveText(search::placement::Objective objective) {
    return objective == search::placement::Objective::Memory ? TrainingDialog::tr("peak memory")
                                                             : TrainingDialog::tr("run time");
}

/// Parameters that have fields of their own.
bool hasOwnField(const ParameterInfo& info) {
    return info.name == "model" || info.name == "graphs" || info.name == "resume";
}

/// A small problem for that many devices, which is all that the check of a model reads of one: the graph of a large program takes a while.
Result<schedule::Problem> anyProblem(std::size_t devices) {
    schedule::TaskGraph graph;
    graph.operations.emplace_back();
    return schedule::Problem::make(std::move(graph), schedule::equalDevices(devices));
}

QString improvementLine(const std::vector<search::CurvePoint>& curve) {
    return fromUtf8(search::learned::improvementText(curve));
}

}  // namespace

TrainingDialog::TrainingDialog(Document& document, QWidget* parent)
    : QDialog(parent),
      m_document(document),
      m_pages(new QTabWidget(this)) {
    setObjectName(QStringLiteral("trainingDialog"));
    setWindowTitle(tr("Train a Policy for Schedules"));
    m_pages->setObjectName(QStringLiteral("trainingPages"));
    m_pages->addTab(makeTrainingPage(), tr("&Train"));
    m_pages->addTab(makeModelPage(), tr("&Models"));
    fillColumn(this, {{m_pages, 1}});
    resize(UsualSize);
    for (const auto signal : {&Document::runChanged, &Document::runRemoved, &Document::runEnded})
        connect(&document, signal, this, &TrainingDialog::follow);
    connect(&document, &Document::runEnded, this, &TrainingDialog::fillModels);
    const auto renew = [this] {
        follow();
        fillModels();
    };
    connect(&document, &Document::opened, this, renew);
    connect(&document, &Document::closed, this, renew);
    renew();
}

QWidget* TrainingDialog::makeTrainingPage() {
    auto* page = new QWidget(this);
    auto* intro =
        new QLabel(tr("Trains a graph network that chooses, for each operation, where the genetic search looks "
                      "for schedules. The best model so far is always in the file."),
                   page);
    intro->setWordWrap(true);
    m_graphs = new QComboBox(page);
    setUpWidget(m_graphs, "trainingGraphs", tr("What the policy learns from"), tr("Graphs"));
    m_graphs->addItems({tr("Generated graphs"), tr("The open program"), tr("Files, folders and sessions")});
    m_files = new QPlainTextEdit(page);
    setUpWidget(
        m_files, "trainingFiles",
        tr("One a line: task graphs, models, listings, folders of them, sessions whose programs were scheduled"),
        tr("Files, folders and sessions"));
    m_files->setTabChangesFocus(true);
    m_files->setFixedHeight((ListedFiles + 1) * m_files->fontMetrics().lineSpacing());
    m_addFiles = new QPushButton(tr("Add &Files…"), page);
    m_addFiles->setObjectName(QStringLiteral("trainingAddFiles"));
    m_addFolder = new QPushButton(tr("Add F&older…"), page);
    m_addFolder->setObjectName(QStringLiteral("trainingAddFolder"));
    m_model = new QLineEdit(QDir::home().filePath(QStringLiteral("policy.model")), page);
    setUpWidget(m_model, "trainingModel", tr("The file to write, which ends in .model"), tr("Model"));
    auto* browse = new QPushButton(tr("&Choose…"), page);
    m_seconds = new QDoubleSpinBox(page);
    setUpWidget(m_seconds, "trainingSeconds", tr("Time to train"), tr("Seconds"));
    m_seconds->setRange(1.0, 1e7);
    m_seconds->setDecimals(0);
    m_seconds->setSuffix(tr(" s"));
    m_seconds->setValue(UsualSeconds);
    m_seed = new QSpinBox(page);
    setUpWidget(m_seed, "trainingSeed", tr("The same seed and number of steps give the same model"), tr("Seed"));
    m_seed->setRange(0, std::numeric_limits<int>::max());
    m_seed->setValue(1);
    std::vector<ParameterInfo> infos = search::placement::trainingRunParameters();
    std::erase_if(infos, hasOwnField);
    m_form = new ParameterForm(std::move(infos), {}, page);

    auto* top = new QFormLayout;
    top->addRow(tr("Graphs"), m_graphs);
    top->addRow(QString(), m_files);
    top->addRow(QString(), rowOf({m_addFiles, m_addFolder, stretch()}));
    top->addRow(tr("Model"), rowOf({{m_model, 1}, browse}));
    top->addRow(tr("Time"), rowOf({m_seconds, gap(16), new QLabel(tr("Seed"), page), m_seed, stretch()}));
    auto* scroll = new QScrollArea(page);
    scroll->setObjectName(QStringLiteral("trainingParameters"));
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setWidget(m_form);
    scroll->viewport()->setAutoFillBackground(false);
    m_form->setAutoFillBackground(false);

    m_message = new QLabel(page);
    setUpPlainLabel(m_message, "trainingMessage");
    m_train = new QPushButton(tr("T&rain"), page);
    m_train->setObjectName(QStringLiteral("trainingBegin"));
    m_resume = new QPushButton(tr("Res&ume"), page);
    setUpWidget(m_resume, "trainingResume",
                tr("Goes on with the training whose state is stored beside the model, with the same settings"));
    m_stop = new QPushButton(tr("&Stop"), page);
    setUpWidget(m_stop, "trainingStop", tr("Ends the training; the best model stays"));
    m_axis = new QComboBox(page);
    setUpWidget(m_axis, "trainingAxis", tr("The horizontal axis"), tr("Horizontal axis"));
    m_axis->addItems({tr("over seconds"), tr("over steps")});
    m_chart = new LearningChart(page);
    m_chart->setObjectName(QStringLiteral("trainingCurves"));
    m_state = new QLabel(page);
    setUpPlainLabel(m_state, "trainingState");
    fillColumn(
        page,
        {intro, top, {scroll, 2}, m_message, rowOf({{m_state, 1}, m_axis, m_train, m_resume, m_stop}), {m_chart, 3}});

    connect(m_graphs, &QComboBox::currentIndexChanged, this, &TrainingDialog::validate);
    connect(m_files, &QPlainTextEdit::textChanged, this, &TrainingDialog::validate);
    connect(m_model, &QLineEdit::textChanged, this, &TrainingDialog::validate);
    connect(m_form, &ParameterForm::changed, this, &TrainingDialog::validate);
    connect(m_addFiles, &QPushButton::clicked, this, &TrainingDialog::chooseFiles);
    connect(m_addFolder, &QPushButton::clicked, this, &TrainingDialog::chooseFolder);
    connect(browse, &QPushButton::clicked, this, &TrainingDialog::chooseModelFile);
    connect(m_train, &QPushButton::clicked, this, [this] { begin(false); });
    connect(m_resume, &QPushButton::clicked, this, [this] { begin(true); });
    connect(m_stop, &QPushButton::clicked, this, &TrainingDialog::stop);
    connect(m_axis, &QComboBox::currentIndexChanged, this, [this](int index) { m_chart->setOverSteps(index == 1); });
    return page;
}

QWidget* TrainingDialog::makeModelPage() {
    auto* page = new QWidget(this);
    m_table = new QTableWidget(page);
    setUpWidget(m_table, "modelTable", {}, tr("Models"));
    m_table->setColumnCount(ColumnCount);
    m_table->setHorizontalHeaderLabels({tr("Model"), tr("Fits the program"), tr("Objective"), tr("Devices"), tr("Keys"),
                                        tr("Trained on"), tr("Improvement"), tr("Date")});
    m_table->setWordWrap(false);
    m_table->setShowGrid(false);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setTabKeyNavigation(false);
    m_table->verticalHeader()->hide();
    m_about = new QLabel(page);
    setUpPlainLabel(m_about, "modelAbout");
    m_modelChart = new LearningChart(page);
    m_modelChart->setObjectName(QStringLiteral("modelCurves"));
    auto* open = new QPushButton(tr("&Open a Model…"), page);
    open->setObjectName(QStringLiteral("modelOpen"));
    m_use = new QPushButton(tr("&Use in a Search…"), page);
    setUpWidget(m_use, "modelUse", tr("Search for schedules of the open program with this model"));
    fillColumn(page, {{m_table, 2}, m_about, {m_modelChart, 2}, rowOf({open, stretch(), m_use})});
    connect(m_table, &QTableWidget::currentCellChanged, this, &TrainingDialog::showModel);
    connect(open, &QPushButton::clicked, this, [this] {
        const QString path = QFileDialog::getOpenFileName(this, tr("Open a Model"), {}, tr("Models (*.model)"));
        if (!path.isEmpty()) addModel(path);
    });
    connect(m_use, &QPushButton::clicked, this, [this] {
        const int row = m_table->currentRow();
        if (row < 0) return;
        const KnownModel& chosen = m_models[static_cast<std::size_t>(row)];
        if (!chosen.model) return;
        Q_EMIT useRequested(chosen.path.isEmpty() ? QStringLiteral("shipped") : chosen.path,
                            static_cast<int>(chosen.model->devices), chosen.model->objective);
    });
    return page;
}

void TrainingDialog::chooseFiles() {
    const QStringList paths =
        QFileDialog::getOpenFileNames(this, tr("Add Graphs"), {},
                                      tr("Graphs, models and sessions (*.tasks *.stg *.pbtxt *.json *.onnx *.onnxtxt "
                                         "*.mitos);;All files (*)"));
    for (const QString& path : paths) m_files->appendPlainText(path);
}

void TrainingDialog::chooseFolder() {
    const QString path = QFileDialog::getExistingDirectory(this, tr("Add a Folder of Graphs"));
    if (!path.isEmpty()) m_files->appendPlainText(path);
}

void TrainingDialog::chooseModelFile() {
    const QString path = QFileDialog::getSaveFileName(this, tr("Model"), m_model->text(), tr("Models (*.model)"),
                                                      nullptr, QFileDialog::DontConfirmOverwrite);
    if (!path.isEmpty()) m_model->setText(path);
}

SearchSettings TrainingDialog::settings(bool resumes) const {
    SearchSettings settings{.strategy = fromUtf8(search::placement::PolicyTrainingName),
                            .parameters = m_form->values(),
                            .budget = {.seconds = m_seconds->value()},
                            .seed = static_cast<std::uint64_t>(m_seed->value())};
    std::string graphs;
    switch (m_graphs->currentIndex()) {
        case Generated: graphs = search::placement::GeneratedGraphs; break;
        case OpenProgram: graphs = search::placement::ProgramGraph; break;
        default: {
            std::vector<std::string> paths;
            for (const QString& line : m_files->toPlainText().split(QLatin1Char('\n'), Qt::SkipEmptyParts))
                paths.push_back(QFile::encodeName(line.trimmed()).toStdString());
            graphs = search::learned::pathsText(paths);
        }
    }
    settings.parameters.insert_or_assign("graphs", std::move(graphs));
    settings.parameters.insert_or_assign("model", QFile::encodeName(m_model->text().trimmed()).toStdString());
    settings.parameters.insert_or_assign("resume", resumes);
    return settings;
}

const Run* TrainingDialog::running() const {
    if (!m_document.isOpen()) return nullptr;
    const auto found = std::ranges::find_if(m_document.runs(), [](const Run& run) {
        return search::isTraining(run) && run.job != 0 && run.state == search::RunState::Running;
    });
    return found == m_document.runs().end() ? nullptr : &*found;
}

void TrainingDialog::begin(bool resumes) {
    if (!m_document.isOpen()) return;
    m_document.startSearch(settings(resumes), search::placement::policyTrainingRun(storage::trainingGraphs));
    follow();
}

void TrainingDialog::stop() {
    for (const Run& run : m_document.runs()) {
        if (search::isTraining(run) && run.job != 0) m_document.stopRun(run.number);
    }
}

void TrainingDialog::follow() {
    std::vector<LearningCurve> curves;
    QString state;
    if (m_document.isOpen()) {
        for (const Run& run : m_document.runs()) {
            if (!search::isTraining(run)) continue;
            std::vector<search::CurvePoint> points = search::learningCurveIn(run.events);
            const QString best = improvementLine(points);
            const QString name = tr("#%1").arg(run.number);
            state = run.state == search::RunState::Running ? tr("%1 is training. %2").arg(name, best)
                    : run.state == search::RunState::Failed
                        ? tr("⚠ %1: %2").arg(name, fromUtf8(run.stop))
                        : tr("%1: %2").arg(name, run.outcomeSummary.empty() ? best : fromUtf8(run.outcomeSummary));
            if (!points.empty())
                curves.push_back({best.isEmpty() ? name : tr("%1: %2").arg(name, best), std::move(points), run.number});
        }
    }
    m_state->setText(state);
    m_chart->show(std::move(curves));
    validate();
}

void TrainingDialog::validate() {
    const bool isOfFiles = m_graphs->currentIndex() == Files;
    for (QWidget* const widget : std::initializer_list<QWidget*>{m_files, m_addFiles, m_addFolder})
        widget->setVisible(isOfFiles);
    const QString path = m_model->text().trimmed();
    const QString ending = fromUtf8(search::learned::ModelEnding);
    QString problem;
    if (!m_document.isOpen()) {
        problem = tr("Open a program first: a training is stored in its session.");
    } else if (m_graphs->currentIndex() == OpenProgram && !m_document.dialect().can(ir::Capability::Schedule)) {
        problem = tr("The open program cannot be scheduled. Train on generated graphs or on files.");
    } else if (isOfFiles && m_files->toPlainText().trimmed().isEmpty()) {
        problem = tr("Add files, a folder or a session.");
    } else if (!path.endsWith(ending) || QFileInfo(path).fileName() == ending) {
        problem = tr("Name a file for the model that ends in %1.").arg(ending);
    } else if (!QFileInfo(path).absoluteDir().exists()) {
        problem = tr("The folder of the model does not exist.");
    }
    const bool isRunning = running() != nullptr;
    const bool hasState = QFileInfo::exists(fromUtf8(search::learned::trainingPath(path.toStdString())));
    QString remark;
    if (problem.isEmpty() && !isRunning && hasState)
        remark = tr("A training of this model is stored: Resume goes on with it, Train begins anew and replaces it.");
    m_message->setText(problem.isEmpty() ? remark : tr("⚠ %1").arg(problem));
    m_message->setVisible(!m_message->text().isEmpty());
    m_train->setEnabled(problem.isEmpty() && !isRunning);
    m_resume->setEnabled(problem.isEmpty() && !isRunning && hasState);
    m_stop->setEnabled(isRunning);
}

// --- models --------------------------------------------------------------------------------------------------------------

QString TrainingDialog::misfit(const KnownModel& known) const {
    if (!known.model) return known.problem;
    if (!m_document.isOpen()) return tr("no program is open");
    if (!m_document.dialect().can(ir::Capability::Schedule)) return tr("the program cannot be scheduled");
    const PolicyModel& model = *known.model;
    const std::string name = known.name.toStdString();
    const auto problem = anyProblem(model.devices);
    if (!problem) return fromUtf8(problem.error().oneLine());
    QString reason;
    for (const ScheduleGoal& goal : scheduleGoals(m_document)) {
        const Status fits = search::placement::checkFit(model, name, *problem, goal.objective, model.decode);
        if (fits) return {};
        if (goal.isInForce) reason = fromUtf8(fits.error().message);
    }
    return reason;
}

QString TrainingDialog::fitText(const KnownModel& known) const {
    if (!known.model) return tr("⚠ %1").arg(known.problem);
    if (const QString reason = misfit(known); !reason.isEmpty()) return tr("no: %1").arg(reason);
    const PolicyModel& model = *known.model;
    const QString devices = model.devices == 1 ? tr("on 1 device") : tr("on %1 devices").arg(model.devices);
    const std::vector<ScheduleGoal> goals = scheduleGoals(m_document);
    if (std::ranges::find(goals, model.objective, &ScheduleGoal::objective)->isInForce) return devices;
    return tr("%1, for %2").arg(devices, objectiveText(model.objective));
}

void TrainingDialog::addModel(const QString& path) {
    m_opened.removeAll(path);
    m_opened << path;
    fillModels();
    for (std::size_t i = 0; i < m_models.size(); ++i) {
        if (m_models[i].path == path) m_table->setCurrentCell(static_cast<int>(i), FileColumn);
    }
}

void TrainingDialog::fillModels() {
    m_models.clear();
    const auto add = [this](const QString& path) {
        if (std::ranges::any_of(m_models, [&](const KnownModel& one) { return one.path == path; })) return;
        auto model = search::placement::loadPolicy(QFile::encodeName(path).toStdString());
        KnownModel known{QFileInfo(path).fileName(), path, std::nullopt, {}};
        if (model)
            known.model = *std::move(model);
        else
            known.problem = fromUtf8(model.error().oneLine());
        m_models.push_back(std::move(known));
    };
    if (m_document.isOpen()) {
        for (const Run& run : m_document.runs()) {
            if (run.outcomeKind != search::learned::ModelKind) continue;
            if (const auto stored = ModelValue::from(run.outcome); stored && stored->modelKind() == "policy")
                add(fromUtf8(stored->path()));
        }
    }
    for (const QString& path : m_opened) add(path);
    for (search::placement::ShippedModel& one : search::placement::shippedModels())
        m_models.push_back({tr("shipped: %1").arg(fromUtf8(one.name)), {}, std::move(one.model), {}});
    m_table->setRowCount(static_cast<int>(m_models.size()));
    for (int row = 0; row < m_table->rowCount(); ++row) {
        const KnownModel& one = m_models[static_cast<std::size_t>(row)];
        std::array<QString, ColumnCount> cells;
        cells[FileColumn] = one.name;
        if (!one.path.isEmpty())
            cells[DateColumn] = QLocale().toString(QFileInfo(one.path).lastModified(), QLocale::ShortFormat);
        cells[FitsColumn] = fitText(one);
        if (one.model) {
            const PolicyModel& model = *one.model;
            cells[ObjectiveColumn] = objectiveText(model.objective);
            cells[DevicesColumn] = QString::number(model.devices);
            cells[KeysColumn] =
                model.decode == search::placement::Decode::Paper ? tr("devices and priorities") : tr("priorities");
            cells[GraphsColumn] = model.graphs.size() == 1
                                      ? fromUtf8(model.graphs.front())
                                      : tr("%n graphs", nullptr, static_cast<int>(model.graphs.size()));
            if (const search::CurvePoint* const best = search::bestIn(model.curve))
                cells[BestColumn] = QString::asprintf("%+.2f %%", 100.0 * best->improvement);
        }
        for (int column = 0; column < ColumnCount; ++column) {
            auto* item = new QTableWidgetItem(cells[static_cast<std::size_t>(column)]);
            const bool isFile = column == FileColumn && !one.path.isEmpty();
            item->setToolTip(isFile ? one.path : item->text());
            m_table->setItem(row, column, item);
        }
    }
    m_table->resizeColumnsToContents();
    constexpr int WidestText = 220;
    for (const int column : {FitsColumn, GraphsColumn})
        m_table->setColumnWidth(column, std::min(WidestText, m_table->columnWidth(column)));
    m_table->horizontalHeader()->setStretchLastSection(true);
    if (m_table->rowCount() > 0 && m_table->currentRow() < 0) m_table->setCurrentCell(0, FileColumn);
    showModel();
}

void TrainingDialog::showModel() {
    const int row = m_table->currentRow();
    const KnownModel* const one =
        row >= 0 && row < static_cast<int>(m_models.size()) ? &m_models[static_cast<std::size_t>(row)] : nullptr;
    m_use->setEnabled(one != nullptr && misfit(*one).isEmpty());
    if (one == nullptr) {
        m_about->setText(tr("No models yet: train one, or open a file."));
        m_modelChart->show({});
    } else if (!one->model) {
        m_about->setText(tr("⚠ %1").arg(one->problem));
        m_modelChart->show({});
    } else {
        const PolicyModel& model = *one->model;
        m_about->setText(tr("%1\n%2").arg(improvementLine(model.curve), fromUtf8(model.command)));
        m_modelChart->show({{one->name, model.curve, 1}});
    }
}

}  // namespace mitos::views
