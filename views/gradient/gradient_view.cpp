// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/gradient/gradient_view.h"

#include "core/base/source_text.h"
#include "core/ir/calls.h"
#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/gradient/internal/derivation.h"
#include "views/program/code_pane.h"
#include "views/program/code_view.h"
#include "views/program/line_notes.h"
#include "views/theme/style.h"

#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <algorithm>
#include <utility>
#include <vector>

namespace mitos::views {

namespace {

using autodiff::Direction;
using autodiff::Form;

constexpr int NameLetters = 14;
constexpr int ColumnsDelayMs = 120;
constexpr std::size_t LargestRefitted = 1500;  // nodes: laying out more again for another width is slow
constexpr int WidthOfLarge = 100;              // columns
constexpr qsizetype LongestPart = 60;

QString functionKey() { return QStringLiteral("gradient-function"); }
QString directionKey() { return QStringLiteral("gradient-direction"); }
QString formKey() { return QStringLiteral("gradient-form"); }
QString textsKey() { return QStringLiteral("gradient-texts"); }

QString costOf(const ProgramContent& content, const QString& unit) {
    return content.costs.empty() ? QString()
                                 : GradientView::tr("cost %1 %2").arg(costText(content.costs[0].total), unit);
}

/// Sorted ranges without overlaps: those inside others are left out.
std::vector<TextRange> outermost(std::vector<TextRange> ranges) {
    std::ranges::sort(ranges, [](const TextRange& a, const TextRange& b) {
        return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    std::vector<TextRange> kept;
    for (const TextRange& range : ranges) {
        if (kept.empty() || range.begin >= kept.back().end) kept.push_back(range);
    }
    return kept;
}

}  // namespace

GradientView::GradientView(Document& document, Selection& selection, JobRunner& jobs, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_selection(selection),
      m_jobs(jobs),
      m_function(new QComboBox(this)),
      m_direction(new QComboBox(this)),
      m_form(new QComboBox(this)),
      m_texts(new QTabBar(this)),
      m_check(new QPushButton(tr("&Check Gradient"), this)),
      m_stop(new QPushButton(tr("&Stop"), this)),
      m_open(new QPushButton(tr("&Open the Gradient as Program"), this)),
      m_save(new QPushButton(tr("Save &as .ks…"), this)),
      m_pages(new QStackedWidget(this)),
      m_empty(new EmptyState(this)),
      m_panes(new QSplitter(Qt::Horizontal, this)),
      m_primal(new CodePane(QStringLiteral("gradientFunctionText"), tr("Function"), false)),
      m_right(new QStackedWidget(this)),
      m_derivative(new CodePane(QStringLiteral("gradientText"), tr("Derivative"), false)),
      m_problem(new EmptyState(this)),
      m_links(new QLabel(this)),
      m_result(new QLabel(this)) {
    setObjectName(QStringLiteral("gradientView"));
    m_empty->setObjectName(QStringLiteral("gradientEmpty"));
    m_problem->setObjectName(QStringLiteral("gradientProblem"));
    buildTop();
    buildPanes();
    auto* names = rowOf({new QLabel(tr("Function"), this), m_function, m_direction, m_form, stretch(), m_texts});
    auto* buttons = rowOf({m_check, m_stop, stretch(), m_open, m_save});
    auto* top = columnOf({names, buttons}, {.margins = QMargins(12, 10, 12, 10), .spacing = 8});
    auto* shown = new QWidget(this);
    auto* below = columnOf({m_links, m_result}, {.margins = QMargins(12, 6, 12, 8), .spacing = 4});
    fillColumn(shown, {top, {m_panes, 1}, below}, {.margins = NoMargins, .spacing = 0});
    m_pages->addWidget(shown);
    m_pages->addWidget(m_empty);
    fillColumn(this, {{m_pages, 1}}, {.margins = NoMargins, .spacing = 0});
    connectDocument();
    showState();
}

GradientView::~GradientView() = default;

void GradientView::buildTop() {
    setUpWidget(m_function, "gradientFunction", tr("The function that is differentiated"), tr("Function"));
    m_function->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_function->setMinimumContentsLength(NameLetters);
    setUpWidget(
        m_direction, "gradientDirection",
        tr("Reverse: the gradient, for a tangent of the result. Forward: the tangent of the result for one of the "
           "arguments"),
        tr("Direction"));
    m_direction->addItem(tr("reverse"), static_cast<int>(Direction::Reverse));
    m_direction->addItem(tr("forward"), static_cast<int>(Direction::Forward));
    setUpWidget(
        m_form, "gradientForm",
        tr("How reverse mode adds up tangents of vectors. Scatter: each value at its index, for code that runs. "
           "Delta: vectors that are zero but for one element, for searches"),
        tr("Form"));
    m_form->addItem(tr("scatter"), static_cast<int>(Form::Scatter));
    m_form->addItem(tr("delta"), static_cast<int>(Form::Delta));
    for (QComboBox* box : {m_function, m_direction, m_form})
        connect(box, &QComboBox::activated, this, &GradientView::choose);
    m_texts->setObjectName(QStringLiteral("gradientTexts"));
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
    setUpWidget(m_check, "gradientCheck",
                tr("Compare both derivatives with differences of the function, and with each other, at random inputs"));
    setMainButton(m_check);
    setUpWidget(m_stop, "gradientStop", tr("Stop the check"));
    setUpWidget(m_open, "gradientOpen", tr("Open the derivative as a program that can be searched and exported"));
    setUpWidget(m_save, "gradientSave", tr("Save the function with its derivative as a ks file"));
    connect(m_check, &QPushButton::clicked, this, &GradientView::check);
    connect(m_stop, &QPushButton::clicked, this, [this] { m_jobs.stop(m_job); });
    connect(m_open, &QPushButton::clicked, this, [this] {
        if (m_shown && !m_shown->problem) Q_EMIT programRequested(m_shown->name, m_shown->text);
    });
    connect(m_save, &QPushButton::clicked, this, &GradientView::askForTarget);
}

void GradientView::buildPanes() {
    m_right->addWidget(m_derivative);
    m_right->addWidget(m_problem);
    m_panes->addWidget(m_primal);
    m_panes->addWidget(m_right);
    m_panes->setChildrenCollapsible(false);
    m_panes->setHandleWidth(1);
    m_panes->setStretchFactor(0, 1);
    m_panes->setStretchFactor(1, 1);
    m_panes->setSizes({1, 1});
    m_primal->show();
    m_derivative->show();
    setUpPlainLabel(m_links, "gradientLinks");
    m_links->setWordWrap(false);
    m_links->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    setUpPlainLabel(m_result, "gradientResult");
    m_result->setWordWrap(true);
    m_result->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_result->setAccessibleName(tr("Result of the check"));
    m_columnsTimer.setSingleShot(true);
    m_columnsTimer.setInterval(ColumnsDelayMs);
    connect(&m_columnsTimer, &QTimer::timeout, this, &GradientView::refresh);
    for (const bool isDerivative : {false, true}) {
        CodeView& code = (isDerivative ? m_derivative : m_primal)->code();
        code.setShortNotes(true);
        connect(&code, &CodeView::clicked, this, [this, isDerivative](qsizetype at) { clickAt(isDerivative, at); });
        connect(&code, &CodeView::clickedBeside, this, [this] { select(std::nullopt); });
        connect(&code, &CodeView::columnsChanged, this, [this] {
            const bool isSmall = m_shown && m_shown->function.text.nodes().size() < LargestRefitted &&
                                 m_shown->derivative.text.nodes().size() < LargestRefitted;
            if (isSmall && isVisible()) m_columnsTimer.start();
        });
    }
}

void GradientView::connectDocument() {
    connect(&m_document, &Document::closed, this, [this] {
        dropCheck();
        m_columnsTimer.stop();
        m_query.reset();
        m_function->clear();
        m_part.reset();
        m_clicked.reset();
        if (m_shown) m_jobs.release(std::exchange(m_shown, nullptr));
        showTexts();
        m_isStale = true;
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
    connect(&m_selection, &Selection::subtermChanged, this, &GradientView::followSelection);
    connect(&m_jobs, &JobRunner::jobChanged, this, [this](int job) {
        if (job == m_job && m_checking) showState();
    });
    whenShown(this, Qt::QueuedConnection, [this] {
        if (isVisible() && m_isStale) refresh();
    });
}

bool GradientView::hasFunctions() const { return m_document.isOpen() && !m_document.dialect().sharesNodes(); }

void GradientView::restoreChoices() {
    const QSignalBlocker texts(m_texts);
    m_direction->setCurrentIndex(m_document.viewValue(directionKey()) == QLatin1String("fwd") ? 1 : 0);
    m_form->setCurrentIndex(m_document.viewValue(formKey()) == QLatin1String("delta") ? 1 : 0);
    m_texts->setCurrentIndex(m_document.viewValue(textsKey()) == QLatin1String("text") ? 1 : 0);
}

/// The program's own function first, then those that it calls.
void GradientView::fillFunctions() {
    const QString kept = m_function->count() == 0 ? m_document.viewValue(functionKey()) : m_function->currentText();
    const QSignalBlocker blocker(m_function);
    m_function->clear();
    const ir::Program program = m_document.current();
    std::vector<ir::FunctionId> functions = ir::callOrder(m_document.bank(), program);
    functions.push_back(program.function);
    std::ranges::reverse(functions);
    for (const ir::FunctionId id : functions) {
        const ir::Function& function = m_document.bank().function(id);
        if (id == program.function || function.body.isValid()) m_function->addItem(fromUtf8(function.name), id.value);
    }
    m_function->setCurrentIndex(std::max(0, m_function->findText(kept)));
}

bool GradientView::showsProgram() const {
    return hasFunctions() && m_function->currentData().toUInt() == m_document.current().function.value;
}

void GradientView::choose() {
    if (!hasFunctions()) return;
    m_document.setViewValue(functionKey(), m_function->currentText());
    m_document.setViewValue(directionKey(), m_direction->currentIndex() == 1 ? QStringLiteral("fwd") : QString());
    m_document.setViewValue(formKey(), m_form->currentIndex() == 1 ? QStringLiteral("delta") : QString());
    dropCheck();
    m_part.reset();
    m_clicked.reset();
    refresh();
}

DerivationOrder GradientView::order() const {
    const bool isLarge = m_shown && (m_shown->function.text.nodes().size() >= LargestRefitted ||
                                     m_shown->derivative.text.nodes().size() >= LargestRefitted);
    const int columns = std::min(m_primal->code().columns(), m_derivative->code().columns());
    return {.program = m_document.snapshot(m_document.current()),
            .function = ir::FunctionId(m_function->currentData().toUInt()),
            .direction = static_cast<Direction>(m_direction->currentData().toInt()),
            .form = static_cast<Form>(m_form->currentData().toInt()),
            .costs = m_document.sharedCostModel(),
            .columns = isLarge ? WidthOfLarge : columns};
}

void GradientView::refresh() {
    m_isStale = false;
    m_columnsTimer.stop();
    m_query = std::make_unique<QObject>();
    if (!hasFunctions()) {
        showState();
        return;
    }
    fillFunctions();
    showState();
    m_derivative->setTitle(tr("Differentiating %1…").arg(m_function->currentText()));
    m_jobs.start(
        tr("Differentiating %1").arg(m_function->currentText()), false, m_query.get(),
        [order = order()](const std::stop_token&, const JobRunner::Report&) {
            return std::make_shared<const Derivation>(derived(order));
        },
        [this](std::shared_ptr<const Derivation> derivation) { take(std::move(derivation)); });
}

void GradientView::take(std::shared_ptr<const Derivation> derivation) {
    std::shared_ptr<const Derivation> before = std::exchange(m_shown, std::move(derivation));
    if (before) m_jobs.release(std::move(before));
    m_clicked.reset();
    const bool isThere = m_part && m_part->node < textOf(m_part->isOfDerivative).nodes().size();
    if (!isThere) m_part.reset();
    showTexts();
    showState();
    if (!m_part || !m_part->isOfDerivative) followSelection();
}

const ProgramText& GradientView::textOf(bool isDerivative) const {
    return isDerivative ? m_shown->derivative.text : m_shown->function.text;
}

ProgramText::Form GradientView::form() const {
    return m_texts->currentIndex() == 0 ? ProgramText::Form::Reading : ProgramText::Form::Exchange;
}

void GradientView::showTexts() {
    const QString unit = fromUtf8(m_document.costModel().info().unit);
    const auto show = [&](CodePane& pane, const ProgramContent* content, const QString& title, const QString& costs) {
        pane.code().setText(content == nullptr ? QString() : content->text.text(form()), true, form());
        if (content != nullptr) pane.code().setNotes(lineNotes(*content, form()), unit);
        pane.setTitle(title, costs);
    };
    const ProgramContent* const function = m_shown ? &m_shown->function : nullptr;
    const ProgramContent* const derivative = m_shown && !m_shown->problem ? &m_shown->derivative : nullptr;
    show(*m_primal, function, m_function->currentText(), function != nullptr ? costOf(*function, unit) : QString());
    QString costs = derivative != nullptr ? costOf(*derivative, unit) : QString();
    if (derivative != nullptr && !derivative->costs.empty() && !function->costs.empty() && function->costs[0].total > 0)
        costs += tr("  ·  × %1").arg(QLocale().toString(derivative->costs[0].total / function->costs[0].total, 'f', 2));
    show(*m_derivative, derivative, m_shown ? m_shown->name : QString(), costs);
    showLinks();
}

void GradientView::showProblem() {
    if (!m_shown || !m_shown->problem) return;
    const Error& error = *m_shown->problem;
    QString text = fromUtf8(error.message);
    if (m_shown->problemPlace) {
        m_problem->explain(text, tr("Show the Place"), [this, node = *m_shown->problemPlace] {
            select(Part{false, node});
        });
        return;
    }
    const int other = m_function->findText(m_shown->problemFunction);
    if (m_shown->problemFunction.isEmpty() || other < 0) return m_problem->explain(text);
    m_problem->explain(text, tr("Show %1").arg(m_shown->problemFunction), [this, other] {
        m_function->setCurrentIndex(other);
        choose();
    });
}

void GradientView::showState() {
    const bool isChecking = m_checking != nullptr;
    const bool isDerived = m_shown && !m_shown->problem;
    m_check->setVisible(!isChecking);
    m_check->setEnabled(isDerived);
    m_stop->setVisible(isChecking);
    m_open->setEnabled(isDerived);
    m_save->setEnabled(isDerived);
    m_form->setEnabled(m_direction->currentIndex() == 0);
    m_right->setCurrentWidget(m_shown && m_shown->problem ? static_cast<QWidget*>(m_problem) : m_derivative);
    showProblem();
    if (isChecking) {
        const auto job = std::ranges::find(m_jobs.jobs(), m_job, &JobInfo::id);
        const QString status = job == m_jobs.jobs().end() ? QString() : job->status;
        m_result->setText(status.isEmpty() ? tr("Checking…") : tr("Checking: %1").arg(status));
    }
    m_result->setVisible(!m_result->text().isEmpty());
    if (!m_document.isOpen()) {
        m_empty->explain(tr("Open a ks program to see its functions beside their derivatives."), tr("Open a Program…"),
                         [this] { Q_EMIT openRequested(); });
    } else {
        m_empty->explain(tr("Gradients of models are made by the command line: mitos-cli grad model.onnx"));
    }
    m_pages->setCurrentIndex(hasFunctions() ? 0 : 1);
}

// --- selection -----------------------------------------------------------------------------------------------------------

QString GradientView::partText(bool isDerivative, NodeIndex node) const {
    return shortened(textOf(isDerivative).text(node, form()).simplified(), LongestPart);
}

void GradientView::select(std::optional<Part> part) {
    m_part = part;
    if (showsProgram() && m_shown) {
        const bool isOfFunction = part && !part->isOfDerivative;
        m_selection.setSubterm(isOfFunction ? std::optional(m_shown->function.text.path(part->node)) : std::nullopt);
        m_part = part;  // the selection was followed meanwhile
    }
    showLinks();
}

/// The part that other views selected.
void GradientView::followSelection() {
    if (!showsProgram() || !hasText()) return;
    const auto& path = m_selection.subterm();
    const std::optional<NodeIndex> node = path ? m_shown->function.text.find(*path) : std::nullopt;
    if (node)
        m_part = Part{false, *node};
    else if (m_part && !m_part->isOfDerivative)
        m_part.reset();
    showLinks();
}

void GradientView::clickAt(bool isDerivative, qsizetype position) {
    if (!m_shown) return;
    const std::optional<NodeIndex> innermost = textOf(isDerivative).at(position, form());
    if (!innermost) {
        m_clicked.reset();
        select(std::nullopt);
        return;
    }
    // A second click on the same part widens, as in the program.
    const bool isAgain = m_clicked && m_clicked->node == *innermost && m_clicked->isOfDerivative == isDerivative &&
                         m_part && m_part->isOfDerivative == isDerivative;
    m_clicked = Part{isDerivative, *innermost};
    if (isAgain)
        widen();
    else
        select(m_clicked);
}

bool GradientView::hasText() const { return m_shown && !m_shown->function.text.nodes().empty(); }

void GradientView::widen() {
    if (!hasText()) return;
    if (!m_part) return select(Part{false, 0});
    select(Part{m_part->isOfDerivative, textOf(m_part->isOfDerivative).nodes()[m_part->node].parent});
}

void GradientView::narrow() {
    if (!hasText()) return;
    if (!m_part) return select(Part{false, 0});
    const ProgramText& text = textOf(m_part->isOfDerivative);
    if (text.childCount(m_part->node) > 0) select(Part{m_part->isOfDerivative, text.child(m_part->node, 0)});
}

void GradientView::showLinks() {
    CodeView& function = m_primal->code();
    CodeView& derivative = m_derivative->code();
    for (CodeView* code : {&function, &derivative}) {
        code->setSelected(std::nullopt);
        code->setMarks(CodeView::Mark::Shared, {});
    }
    const bool isDerived = m_shown && !m_shown->problem;
    if (!m_part || !m_shown || (m_part->isOfDerivative && !isDerived)) {
        m_links->setText(isDerived ? tr("Click a part to see what comes from it, or where it comes from.") : QString());
        return;
    }
    const NodeIndex node = m_part->node;
    const ProgramText& text = textOf(m_part->isOfDerivative);
    CodeView& own = m_part->isOfDerivative ? derivative : function;
    own.setSelected(text.range(node, form()));
    own.ensureVisible(text.range(node, form()));
    const QString name = partText(m_part->isOfDerivative, node);
    if (!isDerived) {
        m_links->setText(name);
        return;
    }
    if (!m_part->isOfDerivative) {
        const Links::Found found = m_shown->links.from(text, textOf(true), node);
        const std::vector<TextRange> ranges = markedRanges(textOf(true), found.marks, ir::DiffMark::Changed, form());
        if (!ranges.empty()) derivative.ensureVisible(ranges.front());
        derivative.setMarks(CodeView::Mark::Shared, ranges);
        const QString parts = found.parts == 1 ? tr("1 part of the derivative comes")
                                               : tr("%L1 parts of the derivative come").arg(found.parts);
        const QString from = partText(false, found.node);
        m_links->setText(found.node == node ? tr("%1: %2 from it").arg(name, parts)
                                            : tr("%1: no part comes from it alone; %2 from %3").arg(name, parts, from));
        return;
    }
    const std::vector<NodeIndex>& places = m_shown->links.of(node);
    std::vector<TextRange> ranges;
    QStringList names;
    for (const NodeIndex place : places) {
        ranges.push_back(textOf(false).range(place, form()));
        names << partText(false, place);
    }
    ranges = outermost(std::move(ranges));
    if (!ranges.empty()) function.ensureVisible(ranges.front());
    function.setMarks(CodeView::Mark::Shared, ranges);
    m_links->setText(places.empty() ? tr("%1: belongs to the function as a whole").arg(name)
                                    : tr("%1: comes from %2").arg(name, names.join(tr(" and "))));
}

void GradientView::focusFunction() { m_primal->code().setFocus(); }

void GradientView::zoom(int steps) {
    m_primal->code().zoom(steps);
    m_derivative->code().zoom(steps);
}

// --- what is done with it ------------------------------------------------------------------------------------------------

/// A result belongs to the function that was checked.
void GradientView::dropCheck() {
    if (m_checking) m_jobs.discard(m_job);
    m_checking.reset();
    m_result->clear();
    m_result->hide();
}

void GradientView::check() {
    if (m_checking || !m_shown || m_shown->problem) return;
    m_checking = std::make_unique<QObject>();
    m_result->clear();
    const int points = autodiff::CheckOptions().points;
    m_job = m_jobs.start(
        tr("Checking the gradient of %1").arg(m_function->currentText()), true, m_checking.get(),
        [order = order(), points](const std::stop_token& stop, const JobRunner::Report& report) {
            return checked(order, stop, [&](int compared) {
                report(static_cast<double>(compared) / points,
                       GradientView::tr("%L1 of %L2 points").arg(compared).arg(points));
            });
        },
        [this](const Result<autodiff::CheckReport>& report) { takeCheck(report); });
    showState();
}

void GradientView::takeCheck(const Result<autodiff::CheckReport>& report) {
    m_checking.release()->deleteLater();
    const bool isStopped = !report && report.error().code == ErrorCode::Cancelled;
    if (isStopped) {
        m_result->setText(tr("The check was stopped."));
        m_jobs.setOutcome(m_job, JobInfo::State::Stopped, tr("stopped"));
    } else if (!report) {
        m_result->setText(tr("⚠ The gradient cannot be checked: %1").arg(fromUtf8(report.error().message)));
        m_jobs.setOutcome(m_job, JobInfo::State::Failed, fromUtf8(report.error().message));
    } else {
        const QString verdict = report->passed ? tr("✓ The derivatives agree") : tr("✗ The derivatives do not agree");
        m_result->setText(verdict + QLatin1Char('\n') + fromUtf8(autodiff::describe(*report)).trimmed());
        m_jobs.setOutcome(m_job, JobInfo::State::Finished, verdict);
    }
    showState();
}

void GradientView::askForTarget() {
    auto* dialog = new QFileDialog(this, tr("Save the Gradient"));
    dialog->setObjectName(QStringLiteral("gradientSaveDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("ks"));
    dialog->setNameFilters({tr("ks programs (*.ks)")});
    connect(dialog, &QFileDialog::fileSelected, this, &GradientView::saveTo);
    dialog->open();
}

void GradientView::saveTo(const QString& path) {
    if (!m_shown || m_shown->problem) return;
    m_jobs.start(
        tr("Saving a gradient"), false, this,
        [path, text = m_shown->text.toStdString()](const std::stop_token&, const JobRunner::Report&) {
            return writeFile(QFile::encodeName(path).toStdString(), text);
        },
        [this, path](const Status& written) {
            if (written)
                Q_EMIT notice(tr("Saved %1").arg(QDir::toNativeSeparators(path)));
            else
                Q_EMIT failed(tr("The gradient was not saved"), QString::fromStdString(written.error().message));
        });
}

}  // namespace mitos::views
