// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/search_dialog/training_dialog.h"

#include "search/learned/model_fields.h"
#include "search/learned/model_value.h"
#include "search/learned/training_file.h"
#include "views/common/format.h"
#include "views/common/parameter_form.h"
#include "views/common/widgets.h"
#include "views/document/choices.h"
#include "views/document/model_files.h"
#include "views/search_dialog/internal/learning_chart.h"
#include "views/search_dialog/internal/model_page.h"
#include "views/search_dialog/internal/training_kind.h"
#include "views/search_dialog/internal/training_progress.h"
#include "views/theme/theme.h"

#include <QComboBox>
#include <QDateTime>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QTabWidget>
#include <algorithm>
#include <limits>
#include <utility>

namespace mitos::views {

namespace {

constexpr QSize UsualTrainingSize(1040, 800);
constexpr int ListedFiles = 3;
constexpr int ListedValidation = 2;
constexpr int ProgressParts = 1000;

QString improvementLine(const std::vector<search::CurvePoint>& curve) {
    return fromUtf8(search::learned::improvementText(curve));
}

double secondsSince(const std::string& startedAt) {
    const QDateTime begin = QDateTime::fromString(fromUtf8(startedAt), Qt::ISODate);
    constexpr double Milliseconds = 1000.0;
    return begin.isValid()
               ? std::max(0.0, static_cast<double>(begin.msecsTo(QDateTime::currentDateTimeUtc())) / Milliseconds)
               : 0.0;
}

/// The lines of a field as paths; names without a folder are those of the folder that the program was started in.
std::string pathsIn(const QPlainTextEdit& field) {
    std::vector<std::string> paths;
    for (const QString& line : field.toPlainText().split(QLatin1Char('\n'), Qt::SkipEmptyParts)) {
        if (const QString path = line.trimmed(); !path.isEmpty())
            paths.push_back(QFile::encodeName(path).toStdString());
    }
    return search::learned::pathsText(paths);
}

QPlainTextEdit* pathField(QWidget* parent, int lines) {
    auto* field = new QPlainTextEdit(parent);
    field->setTabChangesFocus(true);
    followFont(field, [field, lines] { field->setFixedHeight((lines + 1) * field->fontMetrics().lineSpacing()); });
    return field;
}

/// Shows items without a signal; chooses the one with the text.
void fillBox(QComboBox& box, const QStringList& names, const QStringList& titles, const QString& chosen) {
    const QSignalBlocker blocker(box);
    box.clear();
    for (qsizetype i = 0; i < names.size(); ++i) box.addItem(titles[i], names[i]);
    box.setCurrentIndex(box.findData(chosen));
}

}  // namespace

TrainingDialog::TrainingDialog(Document& document, JobRunner& jobs, OtherPrograms others, QWidget* parent)
    : QDialog(parent),
      m_document(document),
      m_others(std::move(others)),
      m_kinds(trainingKinds()),
      m_query(jobs),
      m_pages(new QTabWidget(this)),
      m_models(new ModelPage(document, jobs, this)) {
    setObjectName(QStringLiteral("trainingDialog"));
    setWindowTitle(tr("Train a Model"));
    m_pages->setObjectName(QStringLiteral("trainingPages"));
    m_pages->addTab(makeTrainingPage(), tr("&Train"));
    m_pages->addTab(m_models, tr("&Models"));
    fillColumn(this, {{m_pages, 1}});
    resize(UsualTrainingSize);
    connectFields();
    const Run* const run = running();
    const auto begin = std::ranges::find_if(m_kinds, [&](const TrainingKind& one) {
        return run != nullptr ? one.strategy == run->strategy : one.obstacle(m_document).isEmpty();
    });
    m_kind->setCurrentIndex(begin == m_kinds.end() ? 0 : static_cast<int>(begin - m_kinds.begin()));
    showKind();
}

TrainingDialog::~TrainingDialog() = default;

QFormLayout* TrainingDialog::makeFields(QWidget* page) {
    m_kind = new QComboBox(page);
    setUpWidget(m_kind, "trainingKind", tr("What the model is for"), tr("Model for"));
    for (const TrainingKind& one : m_kinds) m_kind->addItem(one.title);
    m_source = new QComboBox(page);
    setUpWidget(m_source, "trainingGraphs", tr("What the model learns from"), tr("Learns from"));
    m_files = pathField(page, ListedFiles);
    setUpWidget(m_files, "trainingFiles", {}, tr("Files, folders and sessions"));
    m_addFiles = new QPushButton(tr("Add &Files…"), page);
    m_addFiles->setObjectName(QStringLiteral("trainingAddFiles"));
    m_addFolder = new QPushButton(tr("Add F&older…"), page);
    m_addFolder->setObjectName(QStringLiteral("trainingAddFolder"));
    m_validation = pathField(page, ListedValidation);
    setUpWidget(m_validation, "trainingValidation",
                tr("Files and folders, one a line, that are not learned from: the curve shows what the model does for "
                   "them"),
                tr("Programs that validate"));
    m_validation->setPlaceholderText(tr("Each fourth program, or the only one"));
    m_choices = new QWidget(page);
    m_rules = new QComboBox(m_choices);
    setUpWidget(m_rules, "trainingRules", tr("The rule set in force, here and in the window"), tr("Rules"));
    m_rules->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_cost = new QComboBox(m_choices);
    setUpWidget(m_cost, "trainingCost", tr("The cost model in force, here and in the window"), tr("Cost model"));
    m_cost->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    fillRow(m_choices, {{m_rules, 1}, gap(16), new QLabel(tr("Cost model"), m_choices), {m_cost, 1}},
            {.margins = NoMargins});
    m_model = new QLineEdit(page);
    setUpWidget(m_model, "trainingModel", tr("The file to write, which ends in .model"), tr("Model"));
    m_browse = new QPushButton(tr("&Choose…"), page);
    m_browse->setObjectName(QStringLiteral("trainingChooseModel"));
    m_seconds = new QDoubleSpinBox(page);
    setUpWidget(m_seconds, "trainingSeconds", tr("Time to train; 0: no limit"), tr("Seconds"));
    m_seconds->setRange(0.0, 1e7);
    m_seconds->setDecimals(0);
    m_seconds->setSuffix(tr(" s"));
    m_seconds->setSpecialValueText(tr("no limit"));
    m_seconds->setValue(search::learned::UsualTrainingSeconds);
    m_seed = new QSpinBox(page);
    setUpWidget(m_seed, "trainingSeed", tr("The same seed and number of steps give the same model"), tr("Seed"));
    m_seed->setRange(0, std::numeric_limits<int>::max());
    m_seed->setValue(1);

    auto* fields = new QFormLayout;
    fields->addRow(tr("Train"), rowOf({m_kind, stretch()}));
    fields->addRow(tr("Learn from"), m_source);
    fields->addRow(QString(), m_files);
    m_adders = new QWidget(page);
    fillRow(m_adders, {m_addFiles, m_addFolder, stretch()}, {.margins = NoMargins});
    fields->addRow(QString(), m_adders);
    fields->addRow(tr("Validate with"), m_validation);
    fields->addRow(tr("Rules"), m_choices);
    fields->addRow(tr("Model"), rowOf({{m_model, 1}, m_browse}));
    fields->addRow(tr("Time"), rowOf({m_seconds, gap(16), new QLabel(tr("Seed"), page), m_seed, stretch()}));
    return fields;
}

QWidget* TrainingDialog::makeTrainingPage() {
    auto* page = new QWidget(this);
    m_fields = makeFields(page);
    m_intro = new QLabel(page);
    m_intro->setObjectName(QStringLiteral("trainingIntro"));
    m_intro->setWordWrap(true);
    m_scroll = new QScrollArea(page);
    m_scroll->setObjectName(QStringLiteral("trainingParameters"));
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setWidgetResizable(true);
    m_scroll->viewport()->setAutoFillBackground(false);
    m_message = new QLabel(page);
    setUpPlainLabel(m_message, "trainingMessage");
    m_train = new QPushButton(tr("T&rain"), page);
    m_train->setObjectName(QStringLiteral("trainingBegin"));
    m_resume = new QPushButton(tr("Res&ume"), page);
    setUpWidget(m_resume, "trainingResume",
                tr("Goes on with the training whose state is stored beside the model, with the same settings"));
    m_stop = new QPushButton(tr("&Stop"), page);
    setUpWidget(m_stop, "trainingStop", tr("Ends the training; the best model stays"));
    m_search = new QPushButton(tr("Search &with This Model…"), page);
    setUpWidget(m_search, "trainingSearch", tr("Search the open program with the model that was trained last"));
    m_measure = new QComboBox(page);
    setUpWidget(m_measure, "trainingMeasure", tr("The vertical axis"), tr("Vertical axis"));
    m_axis = new QComboBox(page);
    setUpWidget(m_axis, "trainingAxis", tr("The horizontal axis"), tr("Horizontal axis"));
    m_chart = new LearningChart(page);
    m_chart->setObjectName(QStringLiteral("trainingCurves"));
    m_state = new QLabel(page);
    setUpPlainLabel(m_state, "trainingState");
    m_progress = new QProgressBar(page);
    setUpWidget(m_progress, "trainingProgress", {}, tr("Progress of the training"));
    m_progress->setRange(0, ProgressParts);
    fillColumn(page, {m_intro,
                      m_fields,
                      {m_scroll, 2},
                      m_message,
                      m_state,
                      rowOf({{m_progress, 1}, stretch(0), m_train, m_resume, m_stop, m_search}),
                      rowOf({stretch(), m_measure, m_axis}),
                      {m_chart, 3}});
    return page;
}

void TrainingDialog::connectFields() {
    connect(m_kind, &QComboBox::currentIndexChanged, this, &TrainingDialog::showKind);
    connect(m_source, &QComboBox::currentIndexChanged, this, &TrainingDialog::validate);
    connect(m_files, &QPlainTextEdit::textChanged, this, &TrainingDialog::validate);
    connect(m_model, &QLineEdit::textChanged, this, [this] {
        m_note.clear();
        validate();
    });
    connect(m_seconds, &QDoubleSpinBox::valueChanged, this, &TrainingDialog::validate);
    connect(m_addFiles, &QPushButton::clicked, this, &TrainingDialog::chooseFiles);
    connect(m_addFolder, &QPushButton::clicked, this, &TrainingDialog::chooseFolder);
    connect(m_browse, &QPushButton::clicked, this, &TrainingDialog::chooseModelFile);
    connect(m_rules, &QComboBox::activated, this, [this] { m_document.setRules(m_rules->currentData().toString()); });
    connect(m_cost, &QComboBox::activated, this, [this] { m_document.setCostModel(m_cost->currentData().toString()); });
    connect(m_train, &QPushButton::clicked, this, [this] { begin(false); });
    connect(m_resume, &QPushButton::clicked, this, [this] { begin(true); });
    connect(m_stop, &QPushButton::clicked, this, &TrainingDialog::stop);
    connect(m_search, &QPushButton::clicked, this, [this] {
        m_pages->setCurrentWidget(m_models);
        m_models->use(trainedModel());
    });
    for (QComboBox* const axis : {m_measure, m_axis})
        connect(axis, &QComboBox::currentIndexChanged, this, &TrainingDialog::showAxes);
    connect(m_pages, &QTabWidget::currentChanged, this, [this](int page) {
        if (m_pages->widget(page) == m_models) m_models->refresh();
    });
    connect(m_models, &ModelPage::useRequested, this, &TrainingDialog::use);
    connect(m_models, &ModelPage::trainOnRequested, this, &TrainingDialog::trainOn);
    constexpr int ClockMs = 500;
    m_clock.setInterval(ClockMs);
    connect(&m_clock, &QTimer::timeout, this, &TrainingDialog::showProgress);
    for (const auto signal : {&Document::runChanged, &Document::runRemoved, &Document::runEnded})
        connect(&m_document, signal, this, &TrainingDialog::follow);
    for (const auto signal :
         {&Document::opened, &Document::closed, &Document::rulesChanged, &Document::costModelChanged}) {
        connect(&m_document, signal, this, [this] {
            showChoices();
            follow();
        });
    }
}

const TrainingKind& TrainingDialog::kind() const {
    return m_kinds[static_cast<std::size_t>(std::max(0, m_kind->currentIndex()))];
}

void TrainingDialog::showKind() {
    if (m_shownKind >= 0) {
        m_entered[m_shownKind] = {m_model->text(), m_form->values(), m_source->currentIndex(), m_files->toPlainText()};
    }
    m_shownKind = m_kind->currentIndex();
    const TrainingKind& one = kind();
    const auto found = m_entered.find(m_shownKind);
    const Entered entered =
        found != m_entered.end() ? found->second : Entered{QDir::home().filePath(one.usualFile), {}, 0, {}};
    m_intro->setText(one.intro);
    m_source->setAccessibleName(one.subjectsTitle);
    m_files->setToolTip(one.filesHelp);
    const QSignalBlocker fields[]{QSignalBlocker(m_source), QSignalBlocker(m_files), QSignalBlocker(m_model),
                                  QSignalBlocker(m_measure), QSignalBlocker(m_axis)};
    m_source->clear();
    for (const TrainingSource& source : one.sources) {
        m_source->addItem(source.title);
        m_source->setItemData(m_source->count() - 1, source.toolTip, Qt::ToolTipRole);
    }
    m_source->setCurrentIndex(entered.source);
    m_files->setPlainText(entered.files);
    m_model->setText(entered.model);
    setParameters(entered.parameters);
    const int measure = std::max(0, m_measure->currentIndex());
    const int axis = std::max(0, m_axis->currentIndex());
    m_measure->clear();
    m_measure->addItems({one.improvementTitle, one.rewardTitle});
    m_measure->setCurrentIndex(measure);
    m_axis->clear();
    m_axis->addItems({tr("over seconds"), tr("over %1").arg(one.stepsTitle)});
    m_axis->setCurrentIndex(axis);
    showAxes();
    m_note.clear();
    showChoices();
    follow();
}

void TrainingDialog::showAxes() {
    const bool isReward = m_measure->currentIndex() == 1;
    const bool isOverSteps = m_axis->currentIndex() == 1;
    m_chart->setMeasure(isReward ? LearningMeasure::Reward : LearningMeasure::Improvement,
                        isReward ? kind().rewardTitle : kind().improvementTitle);
    m_chart->setOverSteps(isOverSteps, isOverSteps ? kind().stepsTitle : tr("seconds of training"));
}

void TrainingDialog::setParameters(const ParameterValues& values) {
    delete m_form;
    m_form = new ParameterForm(kind().parameters, values);
    m_scroll->setWidget(m_form);
    m_form->setAutoFillBackground(false);
    connect(m_form, &ParameterForm::changed, this, &TrainingDialog::validate);
}

void TrainingDialog::showChoices() {
    const QString rules = fromUtf8(m_document.rules().names());
    QStringList sets = ruleSetChoices(m_document.dialect(), rules.split(QLatin1Char(',')));
    if (!sets.contains(rules)) sets.prepend(rules);
    fillBox(*m_rules, sets, sets, rules);
    const QString inForce = fromUtf8(m_document.costModel().info().name);
    QStringList names;
    QStringList titles;
    for (const CostModelChoice& choice : costModelChoices(&m_document.dialect(), inForce)) {
        names << choice.name;
        titles << tr("%1: %2").arg(choice.name, choice.title);
    }
    fillBox(*m_cost, names, titles, inForce);
}

QString TrainingDialog::modelPath() const { return m_model->text().trimmed(); }

SearchSettings TrainingDialog::settings(bool resumes) const {
    const TrainingKind& one = kind();
    SearchSettings settings{.strategy = fromUtf8(one.strategy),
                            .parameters = m_form->values(),
                            .budget = {},
                            .seed = static_cast<std::uint64_t>(m_seed->value())};
    if (m_seconds->value() > 0.0) settings.budget.seconds = m_seconds->value();
    const TrainingSource& source = one.sources[static_cast<std::size_t>(std::max(0, m_source->currentIndex()))];
    std::string subjects = source.subjects ? source.subjects(m_others ? m_others() : QStringList()) : pathsIn(*m_files);
    settings.parameters.insert_or_assign(one.subjects, std::move(subjects));
    if (!one.validation.empty())
        settings.parameters.insert_or_assign(one.validation, source.subjects ? std::string() : pathsIn(*m_validation));
    settings.parameters.insert_or_assign("model", QFile::encodeName(modelPath()).toStdString());
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

QString TrainingDialog::trainedModel() const {
    const Run* last = nullptr;
    if (m_document.isOpen()) {
        for (const Run& run : m_document.runs()) {
            if (run.strategy == kind().strategy && run.outcomeKind == search::learned::ModelKind) last = &run;
        }
    }
    if (last == nullptr) return {};
    const auto stored = search::learned::ModelValue::from(last->outcome);
    return stored ? QFile::decodeName(stored->path().c_str()) : QString();
}

void TrainingDialog::begin(bool resumes) {
    if (!m_document.isOpen()) return;
    m_note.clear();
    if (m_document.startSearch(settings(resumes), kind().make(m_document)) != 0)
        rememberModelFile({QFileInfo(modelPath()).absoluteFilePath(), fromUtf8(kind().modelKind)});
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
            if (run.strategy != kind().strategy) continue;
            std::vector<search::CurvePoint> points = search::learningCurveIn(run.events);
            const QString best = improvementLine(points);
            const QString name = tr("#%1").arg(run.number);
            state = run.state == search::RunState::Running
                        ? points.empty()
                              ? tr("%1 is reading and searching without learning, to compare with.").arg(name)
                              : tr("%1 is training. %2").arg(name, best)
                    : run.state == search::RunState::Failed
                        ? tr("⚠ %1: %2").arg(name, fromUtf8(run.stop))
                        : tr("%1: %2; %3")
                              .arg(name, run.outcomeSummary.empty() ? best : fromUtf8(run.outcomeSummary),
                                   stopText(fromUtf8(run.stop)));
            if (!points.empty())
                curves.push_back({best.isEmpty() ? name : tr("%1: %2").arg(name, best), std::move(points), run.number});
        }
    }
    m_state->setText(state);
    m_state->setVisible(!state.isEmpty());
    m_chart->show(std::move(curves));
    showProgress();
    validate();
}

void TrainingDialog::showProgress() {
    const Run* const run = running();
    m_progress->setVisible(run != nullptr);
    if (run == nullptr) return m_clock.stop();
    const auto known = std::ranges::find(m_kinds, run->strategy, &TrainingKind::strategy);
    if (known == m_kinds.end()) return;
    const TrainingProgressNow now = progressOf(*run, known->steps, secondsSince(run->startedAt));
    m_progress->setValue(static_cast<int>(now.share.value_or(0.0) * ProgressParts));
    QString text = progressText(now, known->stepTitle);
    m_progress->setFormat(QString(text).replace(QLatin1Char('%'), QStringLiteral("%%")));
    m_progress->setToolTip(text);
    m_progress->setAccessibleDescription(text);
    m_clock.start();
}

bool TrainingDialog::hasState() const {
    const std::string state = search::learned::trainingPath(QFile::encodeName(modelPath()).toStdString());
    return QFileInfo::exists(QFile::decodeName(state.c_str()));
}

QString TrainingDialog::problem() const {
    if (!m_document.isOpen()) return tr("Open a program first: a training is stored in its session.");
    const TrainingSource& source = kind().sources[static_cast<std::size_t>(std::max(0, m_source->currentIndex()))];
    if (source.needsOpenProgram || kind().usesRules) {
        if (const QString obstacle = kind().obstacle(m_document); !obstacle.isEmpty()) return obstacle;
    }
    if (!source.subjects && m_files->toPlainText().trimmed().isEmpty()) return tr("Add files, a folder or a session.");
    const QString path = modelPath();
    const QString ending = fromUtf8(search::learned::ModelEnding);
    const QFileInfo file(path);
    const QFileInfo folder(file.absolutePath());
    if (!path.endsWith(ending) || file.fileName() == ending)
        return tr("Name a file for the model that ends in %1.").arg(ending);
    if (!folder.exists()) return tr("The folder of the model does not exist.");
    if (!folder.isDir() || !folder.isWritable()) return tr("The folder of the model cannot be written.");
    if (file.isDir() || (file.exists() && !file.isWritable())) return tr("The file of the model cannot be written.");
    return {};
}

QString TrainingDialog::remark() const {
    if (const Run* const run = running(); run != nullptr)
        return run->strategy == kind().strategy ? QString() : tr("A training of another kind is running.");
    if (!m_note.isEmpty()) return m_note;
    if (hasState())
        return tr("A training of this model is stored: Resume goes on with it, Train begins anew and replaces it.");
    if (QFileInfo::exists(modelPath())) return tr("The file exists: Train replaces it.");
    const bool hasSteps = std::get<std::int64_t>(m_form->values().at(kind().steps)) > 0;
    if (m_seconds->value() == 0.0 && !hasSteps)
        return tr("Without any limit the training takes %1.").arg(durationText(search::learned::UsualTrainingSeconds));
    return {};
}

void TrainingDialog::validate() {
    const TrainingSource& source = kind().sources[static_cast<std::size_t>(std::max(0, m_source->currentIndex()))];
    const bool isOfFiles = !source.subjects;
    m_fields->setRowVisible(m_files, isOfFiles);
    m_fields->setRowVisible(m_adders, isOfFiles);
    m_fields->setRowVisible(m_validation, isOfFiles && !kind().validation.empty());
    m_fields->setRowVisible(m_choices, kind().usesRules);
    m_choices->setEnabled(running() == nullptr);
    const QString wrong = problem();
    m_message->setText(wrong.isEmpty() ? remark() : tr("⚠ %1").arg(wrong));
    m_message->setVisible(!m_message->text().isEmpty());
    const bool isRunning = running() != nullptr;
    m_train->setEnabled(wrong.isEmpty() && !isRunning);
    m_resume->setEnabled(wrong.isEmpty() && !isRunning && hasState());
    m_stop->setEnabled(isRunning);
    m_search->setEnabled(!isRunning && QFileInfo::exists(trainedModel()));
}

// --- models --------------------------------------------------------------------------------------------------------------

void TrainingDialog::addModel(const QString& path) { m_models->addModel(path); }

void TrainingDialog::use(const KnownModel& model) {
    if (const search::placement::PolicyModel* const policy = model.policy())
        Q_EMIT useRequested(model.parameterValue(), static_cast<int>(policy->devices), policy->objective);
    else
        Q_EMIT valueUseRequested(model.parameterValue());
}

}  // namespace mitos::views
