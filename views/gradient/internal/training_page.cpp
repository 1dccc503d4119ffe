// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/gradient/internal/training_page.h"

#include "core/onnx/export.h"
#include "views/common/elided_label.h"
#include "views/common/format.h"
#include "views/common/save_dialog.h"
#include "views/common/widgets.h"
#include "views/program/code_pane.h"
#include "views/program/code_view.h"
#include "views/program/line_notes.h"
#include "views/theme/style.h"

#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

using autodiff::Loss;

enum Arrays { Weights, Inputs, All, Named };
constexpr int UsualLoss = -1;
constexpr int OutputLetters = 10;
constexpr int NodeRole = Qt::UserRole;  // of an obstacle
constexpr int NamesWidth = 150;

QString arraysKey() { return QStringLiteral("gradient-arrays"); }
QString namesKey() { return QStringLiteral("gradient-names"); }
QString lossKey() { return QStringLiteral("gradient-loss"); }
QString outputKey() { return QStringLiteral("gradient-output"); }
QString textsKey() { return QStringLiteral("gradient-texts"); }

QString lossTitle(Loss loss) {
    switch (loss) {
        case Loss::Output: return TrainingPage::tr("the output itself");
        case Loss::Cotangent: return TrainingPage::tr("products with a cotangent");
        case Loss::Sum: return TrainingPage::tr("sum");
        case Loss::MeanSquare: return TrainingPage::tr("mean square error");
        case Loss::SoftmaxCrossEntropy: return TrainingPage::tr("softmax cross-entropy");
    }
    return {};
}

QString costOf(const ProgramContent& content, const QString& unit) {
    return content.costs.empty() ? QString()
                                 : TrainingPage::tr("cost %1").arg(amountText(content.costs[0].total, unit));
}

QString trainingTitle(std::size_t arrays) {
    return arrays == 1 ? TrainingPage::tr("Training graph: the loss, and the gradient in 1 array")
                       : TrainingPage::tr("Training graph: the loss, and the gradients in %L1 arrays").arg(arrays);
}

/// Writes the model; the error says if it was written but not accepted.
Status written(const Training& training, const std::string& path) {
    MITOS_TRY(const onnx::ExportReport report, onnx::exportFile(*training.bank, training.graph->model, path));
    if (report.isAccepted()) return Success{};
    return Error{ErrorCode::InvalidInput, "the file was written, but ONNX's checks do not accept it: " +
                                              report.checkerSays + report.inferenceSays};
}

}  // namespace

TrainingPage::TrainingPage(Document& document, Selection& selection, JobRunner& jobs, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_selection(selection),
      m_jobs(jobs),
      m_arrays(new QComboBox(this)),
      m_names(new QLineEdit(this)),
      m_loss(new QComboBox(this)),
      m_output(new QComboBox(this)),
      m_texts(new QTabBar(this)),
      m_check(new QPushButton(tr("&Check Gradients"), this)),
      m_stop(new QPushButton(tr("&Stop"), this)),
      m_open(new QPushButton(tr("&Open the Training Graph as Program"), this)),
      m_save(new QPushButton(tr("Save &as .onnx…"), this)),
      m_network(new CodePane(QStringLiteral("trainingNetwork"), tr("Network"), false)),
      m_right(new QStackedWidget(this)),
      m_training(new CodePane(QStringLiteral("trainingGraph"), tr("Training graph"), false)),
      m_problem(new QLabel(this)),
      m_obstacles(new QListWidget(this)),
      m_links(new ElidedLabel(this)),
      m_result(new QLabel(this)) {
    setObjectName(QStringLiteral("trainingPage"));
    buildTop();
    buildTexts();
    auto* choices =
        rowOf({new QLabel(tr("Gradients in"), this), m_arrays, m_names, gap(8), new QLabel(tr("Loss"), this), m_loss,
               new QLabel(tr("of"), this), m_output, stretch(), m_texts});
    auto* buttons = rowOf({m_check, m_stop, stretch(), m_open, m_save});
    auto* top = columnOf({choices, buttons}, {.margins = QMargins(12, 10, 12, 10), .spacing = 8});
    auto* panes = new QSplitter(Qt::Horizontal, this);
    panes->addWidget(m_network);
    panes->addWidget(m_right);
    panes->setChildrenCollapsible(false);
    panes->setHandleWidth(1);
    panes->setSizes({1, 1});
    auto* below = columnOf({m_links, m_result}, {.margins = QMargins(12, 6, 12, 8), .spacing = 4});
    fillColumn(this, {top, {panes, 1}, below}, {.margins = NoMargins, .spacing = 0});
    connectDocument();
    showState();
}

TrainingPage::~TrainingPage() = default;

void TrainingPage::buildTop() {
    setUpWidget(m_arrays, "trainingArrays", tr("The arrays that the loss is differentiated by"), tr("Gradients in"));
    for (const QString& title : {tr("weights"), tr("inputs"), tr("weights and inputs"), tr("named arrays")})
        m_arrays->addItem(title);
    setUpWidget(m_names, "trainingNames", tr("Names of weights and inputs, separated by commas"),
                tr("Names of arrays"));
    m_names->setPlaceholderText(tr("names, by commas"));
    m_names->setFixedWidth(NamesWidth);
    setUpWidget(m_loss, "trainingLoss", tr("How the loss, a number, is made of the output"), tr("Loss"));
    m_loss->addItem(tr("usual"), UsualLoss);
    for (const Loss loss : {Loss::Output, Loss::Cotangent, Loss::Sum, Loss::MeanSquare, Loss::SoftmaxCrossEntropy})
        m_loss->addItem(lossTitle(loss), static_cast<int>(loss));
    m_loss->setItemData(0, tr("The output itself if it is one number, else its products with a cotangent"),
                        Qt::ToolTipRole);
    setUpWidget(m_output, "trainingOutput", tr("The output that the loss is made of"), tr("Output"));
    m_output->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_output->setMinimumContentsLength(OutputLetters);
    for (QComboBox* box : {m_arrays, m_loss, m_output})
        connect(box, &QComboBox::activated, this, &TrainingPage::choose);
    connect(m_names, &QLineEdit::editingFinished, this, [this] {
        if (m_names->isModified()) choose();
        m_names->setModified(false);
    });
    m_texts->setObjectName(QStringLiteral("trainingTexts"));
    m_texts->setAccessibleName(tr("Form of the texts"));
    m_texts->setDrawBase(false);
    m_texts->setExpanding(false);
    m_texts->addTab(tr("Math"));
    m_texts->addTab(tr("Text"));
    connect(m_texts, &QTabBar::currentChanged, this, [this](int tab) {
        if (m_document.isOpen())
            m_document.setViewValue(textsKey(), tab == 0 ? QStringLiteral("math") : QStringLiteral("text"));
        showTexts();
    });
    setUpWidget(m_check, "trainingCheck", tr("Compare the gradients with differences of the loss at random inputs"));
    setMainButton(m_check);
    setUpWidget(m_stop, "trainingStop", tr("Stop the check"));
    setUpWidget(m_open, "trainingOpen", tr("Open the training graph as a program that can be searched and exported"));
    setUpWidget(m_save, "trainingSave", tr("Save the training graph as an ONNX model"));
    connect(m_check, &QPushButton::clicked, this, &TrainingPage::check);
    connect(m_stop, &QPushButton::clicked, this, [this] { m_checking.stop(); });
    connect(m_open, &QPushButton::clicked, this, &TrainingPage::open);
    connect(m_save, &QPushButton::clicked, this, &TrainingPage::askForTarget);
}

void TrainingPage::buildTexts() {
    auto* problem = new QWidget(this);
    setUpPlainLabel(m_problem, "trainingProblem");
    m_problem->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setUpWidget(m_obstacles, "trainingObstacles", tr("A click shows the operator in the network"),
                tr("Operators without a derivative"));
    m_obstacles->setWordWrap(true);
    m_obstacles->setFrameShape(QFrame::NoFrame);
    connect(m_obstacles, &QListWidget::currentItemChanged, this, [this](const QListWidgetItem* item) {
        const QVariant node = item == nullptr ? QVariant() : item->data(NodeRole);
        if (node.isValid()) select(Part{false, node.toUInt()});
    });
    fillColumn(problem, {m_problem, {m_obstacles, 1}}, {.margins = QMargins(12, 12, 12, 12), .spacing = 8});
    m_right->addWidget(m_training);
    m_right->addWidget(problem);
    m_network->show();
    m_training->show();
    for (const bool isTraining : {false, true}) {
        CodeView& code = (isTraining ? m_training : m_network)->code();
        code.setShortNotes(true);
        connect(&code, &CodeView::clicked, this, [this, isTraining](qsizetype at) { clickAt(isTraining, at); });
        connect(&code, &CodeView::clickedBeside, this, [this] { select(std::nullopt); });
    }
    m_links->setObjectName(QStringLiteral("trainingLinks"));
    setUpPlainLabel(m_result, "trainingResult");
    m_result->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_result->setAccessibleName(tr("Result of the check"));
}

void TrainingPage::connectDocument() {
    connect(&m_document, &Document::closed, this, [this] {
        if (m_checking.letGo()) Q_EMIT notice(tr("The check of the gradients goes on in the view Jobs."));
        dropCheck();
        dropTraining();
        m_part.reset();
        if (m_shown) m_jobs.release(std::exchange(m_shown, nullptr));
        m_output->clear();
        m_isStale = true;
        showTexts();
        showState();
    });
    const auto change = [this] {
        m_isStale = true;
        if (isVisible()) refresh();
    };
    connect(&m_document, &Document::opened, this, [this, change] {
        restoreChoices();
        change();
    });
    connect(&m_document, &Document::currentChanged, this, [this, change] {
        dropCheck();
        m_part.reset();  // what other views select is followed
        change();
    });
    connect(&m_document, &Document::costModelChanged, this, change);
    connect(&m_document, &Document::modelChanged, this, change);
    connect(&m_selection, &Selection::subtermChanged, this, &TrainingPage::followSelection);
    connect(&m_jobs, &JobRunner::jobChanged, this, [this](int job) {
        if (job == m_checking.job()) showState();
    });
    whenShown(this, Qt::QueuedConnection, [this] {
        if (isVisible() && m_isStale) refresh();
    });
}

bool TrainingPage::isUsed() const { return m_document.isOpen() && m_document.model() != nullptr; }

void TrainingPage::restoreChoices() {
    const QSignalBlocker texts(m_texts);
    m_arrays->setCurrentIndex(std::clamp(m_document.viewValue(arraysKey()).toInt(), 0, m_arrays->count() - 1));
    m_names->setText(m_document.viewValue(namesKey()));
    m_loss->setCurrentIndex(std::clamp(m_document.viewValue(lossKey()).toInt(), 0, m_loss->count() - 1));
    m_texts->setCurrentIndex(m_document.viewValue(textsKey()) == QLatin1String("text") ? 1 : 0);
    fillOutputs();
}

void TrainingPage::fillOutputs() {
    m_output->clear();
    if (!isUsed()) return;
    for (const std::string& output : m_document.model()->model.outputs) m_output->addItem(fromUtf8(output));
    m_output->setCurrentIndex(std::max(0, m_output->findText(m_document.viewValue(outputKey()))));
}

void TrainingPage::choose() {
    if (!isUsed()) return;
    m_document.setViewValue(arraysKey(), QString::number(m_arrays->currentIndex()));
    m_document.setViewValue(namesKey(), m_names->text());
    m_document.setViewValue(lossKey(), QString::number(m_loss->currentIndex()));
    m_document.setViewValue(outputKey(), m_output->currentIndex() == 0 ? QString() : m_output->currentText());
    dropCheck();
    refresh();
}

autodiff::TrainingRequest TrainingPage::request() const {
    autodiff::TrainingRequest request;
    const int arrays = m_arrays->currentIndex();
    request.byWeights = arrays == Weights || arrays == All;
    request.byInputs = arrays == Inputs || arrays == All;
    if (arrays == Named) {
        for (const QString& name : m_names->text().split(QLatin1Char(','), Qt::SkipEmptyParts))
            request.names.push_back(name.trimmed().toStdString());
    }
    const int loss = m_loss->currentData().toInt();
    if (loss != UsualLoss) request.loss = static_cast<Loss>(loss);
    request.output = m_output->currentText().toStdString();
    return request;
}

void TrainingPage::dropTraining() { m_making.cancel(); }

void TrainingPage::refresh() {
    m_isStale = false;
    dropTraining();
    if (!isUsed()) {
        showState();
        return;
    }
    showState();
    const TrainingOrder order{.program = m_document.snapshot(m_document.current()),
                              .model = m_document.model(),
                              .request = request(),
                              .costs = m_document.sharedCostModel()};
    m_training->setTitle(tr("Making the training graph…"));
    m_making.ask(
        tr("Making a training graph"),
        [order](const std::stop_token&, const JobRunner::Report&) {
            return std::make_shared<const Training>(trained(order));
        },
        [this](std::shared_ptr<const Training> training) { take(std::move(training)); });
}

void TrainingPage::take(std::shared_ptr<const Training> training) {
    std::shared_ptr<const Training> before = std::exchange(m_shown, std::move(training));
    if (before) m_jobs.release(std::move(before));
    const bool isThere = m_part && !m_part->isOfTraining && m_part->node < m_shown->network.text.nodes().size();
    if (!isThere) m_part.reset();
    showTexts();
    showState();
    followSelection();
}

ProgramText::Form TrainingPage::form() const {
    return m_texts->currentIndex() == 0 ? ProgramText::Form::Reading : ProgramText::Form::Exchange;
}

void TrainingPage::showTexts() {
    const QString unit = fromUtf8(m_document.costModel().info().unit);
    const auto show = [&](CodePane& pane, const ProgramContent* content, const QString& title) {
        pane.code().setText(content == nullptr ? QString() : content->text.text(form()), true, languageOf(form()));
        if (content != nullptr) pane.code().setNotes(lineNotes(*content, form()), unit);
        pane.setTitle(title, content != nullptr ? costOf(*content, unit) : QString());
    };
    show(*m_network, m_shown ? &m_shown->network : nullptr, tr("Network"));
    show(*m_training, isMade() ? &m_shown->training : nullptr,
         isMade() ? trainingTitle(m_shown->graph->arrays.size()) : QString());
    showLinks();
}

void TrainingPage::showProblem() {
    const QSignalBlocker blocker(m_obstacles);
    m_obstacles->clear();
    if (!m_shown || !m_shown->problem) return;
    const Error& error = *m_shown->problem;
    const auto count = static_cast<int>(m_shown->obstacles.size());
    const QString operators =
        count == 1
            ? tr("An operator without a derivative is between the arrays and the loss. Gradients in arrays behind it "
                 "can be named.")
            : tr("%L1 operators without a derivative are between the arrays and the loss. Gradients in arrays behind "
                 "them can be named.")
                  .arg(count);
    m_problem->setText(count > 0 ? operators
                                 : fromUtf8(error.hint.empty() ? error.message : error.message + "; " + error.hint));
    m_obstacles->setVisible(count > 0);
    for (const TrainingObstacle& obstacle : m_shown->obstacles) {
        auto* item = new QListWidgetItem(obstacle.text, m_obstacles);
        if (obstacle.node) item->setData(NodeRole, *obstacle.node);
    }
}

void TrainingPage::showState() {
    const bool isChecking = m_checking.isRunning();
    m_names->setVisible(m_arrays->currentIndex() == Named);
    m_check->setVisible(!isChecking);
    m_stop->setVisible(isChecking);
    m_check->setEnabled(isMade());
    m_open->setEnabled(isMade());
    m_save->setEnabled(isMade());
    m_right->setCurrentIndex(m_shown && m_shown->problem ? 1 : 0);
    showProblem();
    if (isChecking) {
        const auto job = std::ranges::find(m_jobs.jobs(), m_checking.job(), &JobInfo::id);
        const double progress = job == m_jobs.jobs().end() ? 0.0 : std::max(0.0, job->progress);
        m_result->setText(tr("Checking: %1 %").arg(static_cast<int>(100.0 * progress)));
    }
    m_result->setVisible(!m_result->text().isEmpty());
}

// --- selection -----------------------------------------------------------------------------------------------------------

void TrainingPage::clickAt(bool isTraining, qsizetype position) {
    if (!m_shown) return;
    const std::optional<NodeIndex> node = (isTraining ? m_shown->training : m_shown->network).text.at(position, form());
    select(node ? std::optional(Part{isTraining, *node}) : std::nullopt);
}

void TrainingPage::select(std::optional<Part> part) {
    m_part = part;
    const bool isOfNetwork = part && !part->isOfTraining;
    m_selection.setSubterm(isOfNetwork ? std::optional(m_shown->network.text.path(part->node)) : std::nullopt);
    m_part = part;  // the selection was followed meanwhile
    showLinks();
}

/// The node that other views selected.
void TrainingPage::followSelection() {
    if (!isUsed() || !m_shown) return;
    const auto& path = m_selection.subterm();
    const std::optional<NodeIndex> node = path ? m_shown->network.text.find(*path) : std::nullopt;
    if (node)
        m_part = Part{false, *node};
    else if (m_part && !m_part->isOfTraining)
        m_part.reset();
    showLinks();
}

QString TrainingPage::summary() const {
    if (!isMade()) return {};
    const autodiff::TrainingGraph& graph = *m_shown->graph;
    QStringList warnings;
    for (const std::string& warning : graph.warnings) warnings << fromUtf8(warning);
    const QString loss = tr("Loss: %1 of %2. Click a node to see what is made for it.")
                             .arg(lossTitle(graph.loss), fromUtf8(graph.output));
    return warnings.isEmpty() ? loss : tr("%1 ⚠ %2").arg(loss, warnings.join(QStringLiteral("; ")));
}

void TrainingPage::showLinks() {
    CodeView& network = m_network->code();
    CodeView& training = m_training->code();
    for (CodeView* code : {&network, &training}) {
        code->setSelected(std::nullopt);
        code->setMarks(CodeView::Mark::Shared, {});
    }
    m_links->setText(summary());
    if (!m_part || !m_shown || (m_part->isOfTraining && !isMade())) return;
    const ProgramContent& own = m_part->isOfTraining ? m_shown->training : m_shown->network;
    CodeView& code = m_part->isOfTraining ? training : network;
    const TextRange range = own.text.range(m_part->node, form());
    code.setSelected(range);
    code.ensureVisible(range);
    const QString& name = own.parts.nodes[m_part->node].name;
    if (!isMade()) {
        m_links->setText(name);
        return;
    }
    std::vector<TextRange> ranges;
    if (m_part->isOfTraining) {
        const std::optional<NodeIndex> source = m_shown->sourceOf(m_part->node);
        if (source) ranges.push_back(m_shown->network.text.range(*source, form()));
        m_links->setText(source ? tr("%1: made for %2").arg(name, m_shown->network.parts.nodes[*source].name)
                                : tr("%1: belongs to the loss or to the graph as a whole").arg(name));
    } else {
        for (const NodeIndex node : m_shown->madeFor(m_part->node))
            ranges.push_back(m_shown->training.text.range(node, form()));
        m_links->setText(ranges.size() == 1
                             ? tr("%1: 1 node of the training graph is made for it").arg(name)
                             : tr("%1: %L2 nodes of the training graph are made for it").arg(name).arg(ranges.size()));
    }
    std::ranges::sort(ranges, {}, &TextRange::begin);
    CodeView& other = m_part->isOfTraining ? network : training;
    if (!ranges.empty()) other.ensureVisible(ranges.front());
    other.setMarks(CodeView::Mark::Shared, std::move(ranges));
}

void TrainingPage::focusNetwork() { m_network->code().setFocus(); }

void TrainingPage::zoom(int steps) {
    m_network->code().zoom(steps);
    m_training->code().zoom(steps);
}

// --- what is done with it ------------------------------------------------------------------------------------------------

/// A result belongs to the graph that was checked.
void TrainingPage::dropCheck() {
    m_checking.cancel();
    m_result->clear();
    m_result->hide();
}

void TrainingPage::check() {
    if (m_checking.isRunning() || !isMade()) return;
    m_result->clear();
    m_checking.askInJobsView(
        tr("Checking gradients of a network"),
        [training = m_shown](const std::stop_token& stop, const JobRunner::Report& report) {
            return checked(*training, stop, [&](double share) { report(share, TrainingPage::tr("comparing")); });
        },
        &TrainingPage::outcomeOf, [this](const Result<autodiff::TensorCheckReport>& report) { takeCheck(report); });
    showState();
}

JobOutcome TrainingPage::outcomeOf(const Result<autodiff::TensorCheckReport>& report) {
    if (!report && report.error().code == ErrorCode::Cancelled) return {JobInfo::State::Stopped, tr("stopped")};
    if (!report) return {JobInfo::State::Failed, fromUtf8(report.error().message)};
    const bool areWithin = std::ranges::all_of(report->arrays, &autodiff::ArrayCheck::isWithin);
    return {JobInfo::State::Finished, report->passed ? tr("✓ The gradients agree")
                                      : areWithin    ? tr("⚠ Not all gradients could be compared")
                                                     : tr("✗ The gradients do not agree")};
}

void TrainingPage::takeCheck(const Result<autodiff::TensorCheckReport>& report) {
    const JobOutcome outcome = outcomeOf(report);
    if (outcome.state == JobInfo::State::Stopped)
        m_result->setText(tr("The check was stopped."));
    else if (!report)
        m_result->setText(tr("⚠ The gradients cannot be checked: %1").arg(outcome.status));
    else
        m_result->setText(outcome.status + QLatin1Char('\n') + fromUtf8(autodiff::describe(*report)).trimmed());
    showState();
}

void TrainingPage::open() {
    if (!isMade()) return;
    const tensor::Model& model = m_shown->graph->model;
    const QString name = fromUtf8(m_shown->bank->function(model.program.function).name);
    const bool isSampled = m_document.model()->isSampled;
    const std::vector<PartNode>& nodes = m_shown->training.parts.nodes;
    const bool keepsWeights = std::ranges::any_of(nodes, [&](const PartNode& node) {
        return node.kind == PartNode::Kind::Weight && model.weights->find(node.name.toStdString()) != nullptr;
    });
    Q_EMIT programRequested(name, m_shown->text);
    if (keepsWeights && !isSampled)
        Q_EMIT notice(
            tr("Weights that stay in the training graph are random numbers here; save it as .onnx to keep them."));
}

void TrainingPage::askForTarget() {
    const SaveRequest request{.objectName = QStringLiteral("trainingSaveDialog"),
                              .title = tr("Save the Training Graph"),
                              .kinds = {{tr("ONNX models"), QStringLiteral("onnx")}}};
    askWhereToSave(this, request, [this](const QString& path) { saveTo(path); });
}

void TrainingPage::saveTo(const QString& path) {
    if (!isMade()) return;
    m_jobs.start(
        tr("Saving a training graph"), true, this,
        [path, training = m_shown](const std::stop_token&, const JobRunner::Report&) {
            return written(*training, QFile::encodeName(path).toStdString());
        },
        [this, path](const Status& saved) {
            if (saved)
                Q_EMIT notice(savedText(path));
            else
                Q_EMIT failed(tr("The training graph was not saved"), fromUtf8(saved.error().render()));
        });
}

}  // namespace mitos::views
