// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/gradient/gradient_view.h"

#include "views/common/elided_label.h"
#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/gradient/internal/derivation.h"
#include "views/gradient/internal/derivative_bar.h"
#include "views/gradient/internal/regions_page.h"
#include "views/gradient/internal/steps_page.h"
#include "views/gradient/internal/times_page.h"
#include "views/gradient/internal/training_page.h"
#include "views/program/code_pane.h"
#include "views/program/code_view.h"
#include "views/program/line_notes.h"
#include "views/theme/style.h"

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

constexpr int ColumnsDelayMs = 120;
constexpr std::size_t LargestRefitted = 1500;  // nodes: laying out more again for another width is slow
constexpr int WidthOfLarge = 100;              // columns
constexpr qsizetype LongestPart = 60;
enum Page { FunctionsPage, EmptyPage, TrainingOfNetwork };

QString pageKey() { return QStringLiteral("gradient-page"); }
QString textsKey() { return QStringLiteral("gradient-texts"); }

QString costOf(const ProgramContent& content, const QString& unit) {
    return content.costs.empty() ? QString()
                                 : GradientView::tr("cost %1").arg(amountText(content.costs[0].total, unit));
}

}  // namespace

GradientView::GradientView(Document& document, Selection& selection, JobRunner& jobs, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_selection(selection),
      m_jobs(jobs),
      m_bar(new DerivativeBar(this)),
      m_parts(new QTabBar(this)),
      m_texts(new QTabBar(this)),
      m_check(new QPushButton(tr("&Check Gradient"), this)),
      m_stop(new QPushButton(tr("&Stop"), this)),
      m_open(new QPushButton(tr("&Open the Gradient as Program"), this)),
      m_save(new QPushButton(tr("Save &as .ks…"), this)),
      m_pages(new QStackedWidget(this)),
      m_empty(new EmptyState(this)),
      m_bodies(new QStackedWidget(this)),
      m_panes(new QSplitter(Qt::Horizontal, this)),
      m_primal(new CodePane(QStringLiteral("gradientFunctionText"), tr("Function"), false)),
      m_right(new QStackedWidget(this)),
      m_derivative(new CodePane(QStringLiteral("gradientText"), tr("Derivative"), false)),
      m_problem(new EmptyState(this)),
      m_links(new ElidedLabel(this)),
      m_regions(new RegionsPage(this)),
      m_steps(new StepsPage(jobs, this)),
      m_times(new TimesPage(jobs, this)),
      m_notCoarsened(new EmptyState(this)),
      m_training(new TrainingPage(document, selection, jobs, this)),
      m_result(new QLabel(this)) {
    setObjectName(QStringLiteral("gradientView"));
    m_empty->setObjectName(QStringLiteral("gradientEmpty"));
    m_problem->setObjectName(QStringLiteral("gradientProblem"));
    buildTop();
    buildPanes();
    auto* buttons = rowOf({m_check, m_stop, stretch(), m_open, m_save});
    auto* top = columnOf({m_bar, buttons}, {.margins = QMargins(12, 10, 12, 4), .spacing = 8});
    auto* tabs = rowOf({m_parts, stretch(), m_texts}, {.margins = QMargins(12, 0, 12, 0), .spacing = 8});
    auto* shown = new QWidget(this);
    auto* below = columnOf({m_result}, {.margins = QMargins(12, 0, 12, 0), .spacing = 0});
    fillColumn(shown, {top, tabs, {m_bodies, 1}, below}, {.margins = NoMargins, .spacing = 0});
    m_pages->addWidget(shown);
    m_pages->addWidget(m_empty);
    m_pages->addWidget(m_training);
    fillColumn(this, {{m_pages, 1}}, {.margins = NoMargins, .spacing = 0});
    connectDocument();
    showState();
}

GradientView::~GradientView() = default;

void GradientView::buildTop() {
    connect(m_bar, &DerivativeBar::chosen, this, &GradientView::choose);
    m_parts->setObjectName(QStringLiteral("gradientPages"));
    m_parts->setAccessibleName(tr("Parts of the perspective"));
    for (const QString& title : {tr("Derivative"), tr("Regions"), tr("Steps"), tr("Times")}) m_parts->addTab(title);
    for (QTabBar* bar : {m_parts, m_texts}) {
        bar->setDrawBase(false);
        bar->setExpanding(false);
    }
    connect(m_parts, &QTabBar::currentChanged, this, [this](int page) {
        if (m_document.isOpen()) m_document.setViewValue(pageKey(), page == 0 ? QString() : QString::number(page));
        showState();
    });
    m_texts->setObjectName(QStringLiteral("gradientTexts"));
    m_texts->setAccessibleName(tr("Form of the texts"));
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
    setUpWidget(m_stop, "gradientStop", tr("Stop what is computed"));
    setUpWidget(m_open, "gradientOpen", tr("Open the derivative as a program that can be searched and exported"));
    setUpWidget(m_save, "gradientSave", tr("Save the function with its derivative as a ks file"));
    connect(m_check, &QPushButton::clicked, this, &GradientView::check);
    connect(m_stop, &QPushButton::clicked, this, [this] { (m_checking.isRunning() ? m_checking : m_deriving).stop(); });
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
    m_links->setObjectName(QStringLiteral("gradientLinks"));
    setUpPlainLabel(m_result, "gradientResult");
    m_result->setWordWrap(true);
    m_result->setContentsMargins(0, 6, 0, 8);
    m_links->setContentsMargins(12, 6, 12, 8);
    auto* derivative = new QWidget(this);
    fillColumn(derivative, {{m_panes, 1}, m_links}, {.margins = NoMargins, .spacing = 0});
    m_notCoarsened->setObjectName(QStringLiteral("gradientNotCoarsened"));
    for (QWidget* body : {derivative, static_cast<QWidget*>(m_regions), static_cast<QWidget*>(m_steps),
                          static_cast<QWidget*>(m_times), static_cast<QWidget*>(m_notCoarsened)})
        m_bodies->addWidget(body);
    connect(m_regions, &RegionsPage::segmentChosen, this, [this](std::size_t segment) {
        m_steps->showSegment(segment);
        m_parts->setCurrentIndex(StepsBody);
    });
    connect(m_training, &TrainingPage::programRequested, this, &GradientView::programRequested);
    connect(m_training, &TrainingPage::failed, this, &GradientView::failed);
    connect(m_training, &TrainingPage::notice, this, &GradientView::notice);
    connect(m_steps, &StepsPage::historyRequested, this, &GradientView::join);
    connect(m_steps, &StepsPage::programRequested, this,
            [this](const QString& title, const QString& text, const GradientSteps& steps) {
                m_joining = steps;
                Q_EMIT programRequested(title, text);
            });
    m_result->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_result->setAccessibleName(tr("Result of the check"));
    m_columnsTimer.setSingleShot(true);
    m_columnsTimer.setInterval(ColumnsDelayMs);
    connect(&m_columnsTimer, &QTimer::timeout, this, &GradientView::layOutAnew);
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
        const bool isChecking = m_checking.letGo();
        const bool isMeasuring = m_times->letGo();
        if (isMeasuring) Q_EMIT notice(tr("Measuring the gradients goes on in the view Jobs."));
        if (isChecking && !isMeasuring) Q_EMIT notice(tr("The check of the gradient goes on in the view Jobs."));
        dropCheck();
        dropDerivation();
        m_columnsTimer.stop();
        m_bar->clear();
        m_part.reset();
        m_clicked.reset();
        m_regions->showDerivation(nullptr, 0);
        m_steps->showDerivation(nullptr, nullptr, false);
        m_times->setOrder(std::nullopt);
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
        if (const auto steps = std::exchange(m_joining, std::nullopt)) join(*steps);
    });
    connect(&m_document, &Document::openingFailed, this, [this] { m_joining.reset(); });
    connect(&m_document, &Document::currentChanged, this, [this, change] {
        dropCheck();
        m_part.reset();  // what other views select is followed
        change();
    });
    connect(&m_document, &Document::costModelChanged, this, change);
    connect(&m_selection, &Selection::subtermChanged, this, &GradientView::followSelection);
    connect(&m_jobs, &JobRunner::jobChanged, this, [this](int job) {
        if (job == m_checking.job() || job == m_deriving.job()) showState();
    });
    whenShown(this, Qt::QueuedConnection, [this] {
        if (isVisible() && m_isStale) refresh();
    });
}

bool GradientView::hasFunctions() const {
    return m_document.isOpen() && !m_document.dialect().can(ir::Capability::Train);
}

void GradientView::restoreChoices() {
    const QSignalBlocker texts(m_texts);
    const QSignalBlocker parts(m_parts);
    m_bar->restore(m_document);
    m_texts->setCurrentIndex(m_document.viewValue(textsKey()) == QLatin1String("text") ? 1 : 0);
    m_parts->setCurrentIndex(m_document.viewValue(pageKey()).toInt());
}

bool GradientView::showsProgram() const { return hasFunctions() && m_bar->function() == m_document.current().function; }

void GradientView::choose() {
    if (!hasFunctions()) return;
    m_bar->store(m_document);
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
            .function = m_bar->function(),
            .direction = m_bar->direction(),
            .form = m_bar->form(),
            .coarsens = m_bar->coarsens(),
            .sizeLimit = m_bar->sizeLimit(),
            .wrt = m_bar->wrt(),
            .costs = m_document.sharedCostModel(),
            .columns = isLarge ? WidthOfLarge : columns};
}

void GradientView::refresh() {
    m_isStale = false;
    m_columnsTimer.stop();
    dropDerivation();
    if (!hasFunctions()) {
        showState();
        return;
    }
    m_bar->fill(m_document);
    const DerivationOrder wanted = order();
    const QString title = (wanted.coarsens ? tr("Coarsening %1") : tr("Differentiating %1")).arg(m_bar->functionName());
    m_derivative->setTitle(tr("%1…").arg(title));
    const auto work = [wanted](const std::stop_token& stop, const JobRunner::Report&) {
        return std::make_shared<const Derivation>(derived(wanted, stop));
    };
    const auto deliver = [this, limit = wanted.sizeLimit](std::shared_ptr<const Derivation> derivation) {
        take(std::move(derivation), limit);
    };
    const auto conclude = [](const std::shared_ptr<const Derivation>& derivation) -> JobOutcome {
        const bool isStopped = derivation->problem && derivation->problem->code == ErrorCode::Cancelled;
        if (isStopped) return {JobInfo::State::Stopped, tr("stopped")};
        return {};
    };
    if (wanted.coarsens)
        m_deriving.askInJobsView(title, work, conclude, deliver);
    else
        m_deriving.ask(title, work, deliver);
    showState();
}

/// After a change of the width.
void GradientView::layOutAnew() {
    if (m_deriving.isRunning()) return m_columnsTimer.start();
    if (!m_shown || m_isStale) return;
    m_layout.ask(
        tr("Laying out a derivative"),
        [shown = m_shown, wanted = order()](const std::stop_token&, const JobRunner::Report&) {
            return std::make_shared<const Derivation>(laidOutAnew(*shown, wanted));
        },
        [this](std::shared_ptr<const Derivation> derivation) { showDerivation(std::move(derivation)); });
}

/// The derivative that is being made is not wanted any more.
void GradientView::dropDerivation() {
    m_deriving.cancel();
    m_layout.cancel();
}

void GradientView::take(std::shared_ptr<const Derivation> derivation, std::size_t sizeLimit) {
    m_sizeLimit = sizeLimit;
    m_clicked.reset();
    showDerivation(std::move(derivation));
}

void GradientView::showDerivation(std::shared_ptr<const Derivation> derivation) {
    std::shared_ptr<const Derivation> before = std::exchange(m_shown, std::move(derivation));
    const bool isThere = m_part && m_part->node < textOf(m_part->isOfDerivative).nodes().size();
    if (!isThere) m_part.reset();
    showTexts();
    m_regions->showDerivation(m_shown, m_sizeLimit);
    m_times->setOrder(m_shown->problem ? std::nullopt : std::optional(order()));
    m_steps->showDerivation(m_shown, m_document.sharedCostModel(), showsProgram());
    if (before) m_jobs.release(std::move(before));
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
        pane.code().setText(content == nullptr ? QString() : content->text.text(form()), true, languageOf(form()));
        if (content != nullptr) pane.code().setNotes(lineNotes(*content, form()), unit);
        pane.setTitle(title, costs);
    };
    const ProgramContent* const function = m_shown ? &m_shown->function : nullptr;
    const ProgramContent* const derivative = m_shown && !m_shown->problem ? &m_shown->derivative : nullptr;
    show(*m_primal, function, m_bar->functionName(), function != nullptr ? costOf(*function, unit) : QString());
    QString costs = derivative != nullptr ? costOf(*derivative, unit) : QString();
    if (derivative != nullptr && !derivative->costs.empty() && !function->costs.empty() && function->costs[0].total > 0)
        costs += tr("  ·  × %1").arg(QLocale().toString(derivative->costs[0].total / function->costs[0].total, 'f', 2));
    show(*m_derivative, derivative, m_shown ? m_shown->name : QString(), costs);
    m_regions->setForm(form());
    m_steps->setForm(form());
    showLinks();
}

void GradientView::showProblem() {
    if (!m_shown || !m_shown->problem) return;
    const Error& error = *m_shown->problem;
    const QString text = fromUtf8(error.hint.empty() ? error.message : error.message + "; " + error.hint);
    if (error.code == ErrorCode::Cancelled)
        return m_problem->explain(tr("Stopped."), tr("Differentiate Again"), [this] { refresh(); });
    if (m_shown->problemPlace) {
        m_problem->explain(text, tr("Show the Place"), [this, node = *m_shown->problemPlace] {
            select(Part{false, node});
        });
        return;
    }
    const QString other = m_shown->problemFunction;
    if (!m_bar->offersFunction(other)) return m_problem->explain(text);
    m_problem->explain(text, tr("Show %1").arg(other), [this, other] {
        if (m_bar->chooseFunction(other)) choose();
    });
}

/// Regions and steps are there after coarsening only.
void GradientView::showBody() {
    const bool isCoarsened = m_shown && m_shown->coarsened;
    const int page = m_parts->currentIndex();
    const bool isMissing = (page == RegionsBody || page == StepsBody) && !isCoarsened;
    m_bodies->setCurrentIndex(isMissing ? NotCoarsenedBody : page);
    m_texts->setVisible(page != TimesBody);
    if (!isMissing) return;
    if (m_deriving.isRunning()) return m_notCoarsened->explain(tr("Coarsening %1…").arg(m_bar->functionName()));
    if (m_bar->coarsens() && m_shown && m_shown->problem) {
        m_notCoarsened->explain(fromUtf8(m_shown->problem->message), tr("Show the Function"),
                                [this] { m_parts->setCurrentIndex(DerivativeBody); });
        return;
    }
    m_notCoarsened->explain(
        tr("Coarsening differentiates closed forms of loops. It shows the regions of the function, and the steps to "
           "the closed forms."),
        tr("Coarsen"), [this] { m_bar->setCoarsening(true); });
}

void GradientView::showState() {
    const bool isChecking = m_checking.isRunning();
    const bool isDerived = m_shown && !m_shown->problem;
    m_check->setVisible(!isChecking);
    m_check->setEnabled(isDerived);
    const bool isCoarsening = m_deriving.isRunning() && m_bar->coarsens();
    m_stop->setVisible(isChecking || isCoarsening);
    m_open->setEnabled(isDerived);
    m_save->setEnabled(isDerived);
    m_right->setCurrentWidget(m_shown && m_shown->problem ? static_cast<QWidget*>(m_problem) : m_derivative);
    showProblem();
    showBody();
    if (isChecking) {
        const auto job = std::ranges::find(m_jobs.jobs(), m_checking.job(), &JobInfo::id);
        const QString status = job == m_jobs.jobs().end() ? QString() : job->status;
        m_result->setText(status.isEmpty() ? tr("Checking…") : tr("Checking: %1").arg(status));
    }
    m_result->setVisible(!m_result->text().isEmpty());
    m_empty->explain(
        tr("Open a ks program to see its functions beside their derivatives, or a network to see its training "
           "graph."),
        tr("Open a Program…"), [this] { Q_EMIT openRequested(); });
    m_pages->setCurrentIndex(hasFunctions() ? FunctionsPage : m_training->isUsed() ? TrainingOfNetwork : EmptyPage);
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
        m_links->setText(!isDerived           ? QString()
                         : m_shown->coarsened ? tr("The derivative is that of the closed forms; Regions and Steps "
                                                   "show where it comes from.")
                                              : tr("Click a part to see what comes from it, or where it comes from."));
        return;
    }
    const NodeIndex node = m_part->node;
    const ProgramText& text = textOf(m_part->isOfDerivative);
    CodeView& own = m_part->isOfDerivative ? derivative : function;
    own.setSelected(text.range(node, form()));
    own.ensureVisible(text.range(node, form()));
    const QString name = partText(m_part->isOfDerivative, node);
    if (!isDerived || m_shown->coarsened) {
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

void GradientView::focusFunction() {
    if (m_training->isUsed()) return m_training->focusNetwork();
    m_primal->code().setFocus();
}

void GradientView::zoom(int steps) {
    m_primal->code().zoom(steps);
    m_derivative->code().zoom(steps);
    m_regions->zoom(steps);
    m_steps->zoom(steps);
    m_training->zoom(steps);
}

}  // namespace mitos::views
