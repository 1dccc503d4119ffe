// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/gradient/internal/steps_page.h"

#include "core/dialects/dialects.h"
#include "core/ir/diff.h"
#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/program/code_pane.h"
#include "views/program/code_view.h"
#include "views/program/program_difference.h"
#include "views/program/thread_steps.h"

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSplitter>
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace mitos::views {

namespace {

constexpr int SegmentLetters = 24;
constexpr int SideBySideWidth = 1000;  // from this width on, the forms stand beside each other
constexpr int StepsShare = 3;          // of ten, of the height
constexpr int TextsShare = 7;

}  // namespace

/// The forms before and after a step, laid out.
struct StepsPage::Shown {
    int state = 0;  ///< 0: the start
    ProgramText before;
    ProgramText after;
    ir::Diff marks;
    std::optional<double> costBefore;
    std::optional<double> costAfter;
};

StepsPage::StepsPage(JobRunner& jobs, QWidget* parent)
    : QWidget(parent),
      m_jobs(jobs),
      m_segment(new QComboBox(this)),
      m_previous(new QPushButton(tr("&Previous"), this)),
      m_next(new QPushButton(tr("&Next"), this)),
      m_step(new QLabel(this)),
      m_open(new QPushButton(this)),
      m_split(new QSplitter(Qt::Vertical, this)),
      m_steps(new ThreadSteps("gradientSteps", this)),
      m_before(new CodePane(QStringLiteral("gradientBefore"), tr("Before the step"), false)),
      m_after(new CodePane(QStringLiteral("gradientAfter"), tr("After the step"), false)) {
    setUpWidget(m_segment, "gradientSegment", tr("The segment whose steps are shown"), tr("Segment"));
    m_segment->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_segment->setMinimumContentsLength(SegmentLetters);
    setUpWidget(m_previous, "gradientPrevious", tr("The step before"));
    setUpWidget(m_next, "gradientNext", tr("The step after"));
    setUpPlainLabel(m_step, "gradientStep");
    m_step->setWordWrap(false);
    setUpWidget(m_open, "gradientOpenSteps", {});
    connect(m_segment, &QComboBox::currentIndexChanged, this, [this] { fillSteps(1); });
    connect(m_previous, &QPushButton::clicked, this, [this] { m_steps->showState(m_steps->state() - 1); });
    connect(m_next, &QPushButton::clicked, this, [this] { m_steps->showState(m_steps->state() + 1); });
    connect(m_open, &QPushButton::clicked, this, &StepsPage::open);
    connect(m_steps, &ThreadSteps::stateChosen, this, &StepsPage::showStep);
    auto* texts = new QSplitter(Qt::Horizontal, this);
    for (CodePane* pane : {m_before, m_after}) {
        pane->code().setShortNotes(true);
        texts->addWidget(pane);
        pane->show();
    }
    texts->setObjectName(QStringLiteral("gradientStepTexts"));
    for (QSplitter* splitter : {m_split, texts}) {
        splitter->setChildrenCollapsible(false);
        splitter->setHandleWidth(1);
    }
    texts->setSizes({1, 1});
    m_steps->setFrameShape(QFrame::NoFrame);
    m_split->addWidget(m_steps);
    m_split->addWidget(texts);
    m_split->setStretchFactor(0, StepsShare);
    m_split->setStretchFactor(1, TextsShare);
    auto* top = rowOf({new QLabel(tr("Segment"), this), m_segment, m_previous, m_next, m_step, stretch(), m_open},
                      {.margins = QMargins(12, 6, 12, 6), .spacing = 8});
    fillColumn(this, {top, {m_split, 1}}, {.margins = NoMargins, .spacing = 0});
    showState();
}

StepsPage::~StepsPage() = default;

const coarsening::Segment* StepsPage::segment() const {
    const int index = m_segment->currentIndex();
    return m_derivation && index >= 0 ? &m_derivation->coarsened->segments[static_cast<std::size_t>(index)] : nullptr;
}

void StepsPage::showDerivation(std::shared_ptr<const Derivation> derivation,
                               std::shared_ptr<const cost::CostModel> costs, bool isOpen) {
    const bool isCoarsened = derivation && derivation->coarsened;
    // The same derivation laid out anew stays at its step.
    const bool isSame = isCoarsened && m_derivation && m_derivation->coarsened == derivation->coarsened;
    const int index = m_segment->currentIndex();
    const int state = m_steps->state();
    m_derivation = isCoarsened ? std::move(derivation) : nullptr;
    m_costs = std::move(costs);
    m_isOpen = isOpen;
    fillSegments();
    if (isSame) {
        const QSignalBlocker blocker(m_segment);
        m_segment->setCurrentIndex(index);
    }
    fillSteps(isSame ? std::max(state, 0) : 1);
}

/// The first segment with steps is shown.
void StepsPage::fillSegments() {
    const QSignalBlocker blocker(m_segment);
    m_segment->clear();
    if (!m_derivation) return;
    const std::vector<coarsening::Segment>& segments = m_derivation->coarsened->segments;
    for (std::size_t i = 0; i < segments.size(); ++i) {
        const std::size_t steps = segments[i].thread.steps.size();
        const QString count = steps == 1 ? tr("1 step") : tr("%L1 steps").arg(steps);
        m_segment->addItem(segments[i].isWhole ? tr("the whole function, %1").arg(count)
                                               : tr("%L1, %2").arg(i + 1).arg(count));
    }
    for (int i = 0; i < m_segment->count(); ++i) {
        m_segment->setCurrentIndex(i);
        if (!segment()->thread.steps.empty()) return;
    }
    m_segment->setCurrentIndex(0);
}

void StepsPage::showSegment(std::size_t segment) { m_segment->setCurrentIndex(static_cast<int>(segment) - 1); }

void StepsPage::setForm(ProgramText::Form form) {
    m_form = form;
    showTexts();
}

void StepsPage::zoom(int steps) {
    m_before->code().zoom(steps);
    m_after->code().zoom(steps);
}

/// Lists the steps of the segment and shows that state.
void StepsPage::fillSteps(int state) {
    m_layout.cancel();
    m_rows.cancel();
    m_steps->setRows({});
    take(nullptr);
    if (segment() == nullptr) return;
    m_rows.ask(
        tr("Listing steps"),
        [derivation = m_derivation, index = static_cast<std::size_t>(m_segment->currentIndex())](
            const std::stop_token&, const JobRunner::Report&) {
            return threadRows(*derivation->bank, derivation->coarsened->segments[index].thread);
        },
        [this, state](const std::vector<ThreadRow>& rows) {
            m_steps->setRows(rows);
            m_steps->showState(std::min(state, static_cast<int>(rows.size()) - 1));
        });
}

void StepsPage::showStep(int state) {
    showState();
    m_layout.ask(
        tr("Laying out a step"),
        [derivation = m_derivation, index = static_cast<std::size_t>(m_segment->currentIndex()), state, model = m_costs,
         columns = m_before->code().columns()](const std::stop_token& stop, const JobRunner::Report&) {
            const ir::TermBank& bank = *derivation->bank;
            const rewrite::Thread& thread = derivation->coarsened->segments[index].thread;
            const auto at = static_cast<std::size_t>(state);
            const ir::FunctionId function = thread.start.function;
            const ir::TermId before = at < 2 ? thread.start.root : thread.states[at - 2];
            const ir::TermId after = at == 0 ? before : thread.states[at - 1];
            auto shown = std::make_shared<Shown>();
            shown->state = state;
            shown->before = ProgramText(bank, {function, before}, columns);
            shown->after = ProgramText(bank, {function, after}, columns);
            shown->marks = ir::diff(bank, before, after);
            const auto costs = model->evaluator(bank, function);
            if (const Result<double> cost = costs->cost(before, stop)) shown->costBefore = *cost;
            if (const Result<double> cost = costs->cost(after, stop)) shown->costAfter = *cost;
            return std::shared_ptr<const Shown>(std::move(shown));
        },
        [this](std::shared_ptr<const Shown> shown) { take(std::move(shown)); });
}

void StepsPage::take(std::shared_ptr<const Shown> shown) {
    std::shared_ptr<const Shown> before = std::exchange(m_shown, std::move(shown));
    if (before) m_jobs.release(std::move(before));
    showTexts();
    showState();
}

void StepsPage::showTexts() {
    CodeView& before = m_before->code();
    CodeView& after = m_after->code();
    const bool hasStep = m_shown && m_shown->state > 0;
    m_after->setVisible(hasStep);
    before.setText(m_shown ? m_shown->before.text(m_form) : QString(), true, languageOf(m_form));
    after.setText(hasStep ? m_shown->after.text(m_form) : QString(), true, languageOf(m_form));
    const auto costOf = [&](const std::optional<double>& cost) {
        return cost ? tr("cost %1").arg(amountText(*cost, fromUtf8(m_costs->info().unit))) : QString();
    };
    if (!hasStep) {
        m_before->setTitle(m_shown ? tr("As written") : QString(), m_shown ? costOf(m_shown->costBefore) : QString());
        return;
    }
    const rewrite::Step& step = segment()->thread.steps[static_cast<std::size_t>(m_shown->state) - 1];
    m_before->setTitle(tr("Before"), costOf(m_shown->costBefore));
    QString costs = costOf(m_shown->costAfter);
    if (m_shown->costBefore && m_shown->costAfter)
        costs +=
            tr("  (%1)").arg(deltaText(*m_shown->costAfter - *m_shown->costBefore, fromUtf8(m_costs->info().unit)));
    m_after->setTitle(tr("After %1").arg(fromUtf8(step.name())), costs);
    DifferenceRanges(m_shown->before, m_shown->after, m_shown->marks, m_form).show(before, after);
    showFirstChange(before, m_shown->before, m_form, m_shown->marks.before);
    showFirstChange(after, m_shown->after, m_form, m_shown->marks.after);
}

void StepsPage::showState() {
    const int last = m_steps->rowCount() - 1;
    const int state = m_steps->state();
    m_segment->setEnabled(m_segment->count() > 1);
    m_previous->setEnabled(state > 0);
    m_next->setEnabled(state >= 0 && state < last);
    m_step->setText(state < 0    ? QString()
                    : last == 0  ? tr("no rule applies")
                    : state == 0 ? tr("start")
                                 : tr("step %L1 of %L2").arg(state).arg(last));
    const bool joins = m_isOpen && segment() != nullptr && segment()->isWhole;
    m_open->setText(joins ? tr("Add the Steps to the &History") : tr("Open as Program with These Steps"));
    m_open->setToolTip(joins ? tr("Go on from the closed form in the perspective Step")
                             : tr("Open the segment as a program of its own; its history has the steps"));
    m_open->setEnabled(last > 0);
}

void StepsPage::open() {
    const coarsening::Segment* const chosen = segment();
    if (chosen == nullptr) return;
    const GradientSteps steps{m_derivation->bank, chosen->thread};
    if (m_isOpen && chosen->isWhole) {
        Q_EMIT historyRequested(steps);
        return;
    }
    const ir::TermBank& bank = *m_derivation->bank;
    Q_EMIT programRequested(fromUtf8(bank.function(chosen->thread.start.function).name),
                            fromUtf8(dialects::printProgram(bank, chosen->thread.start)), steps);
}

void StepsPage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (auto* texts = findChild<QSplitter*>(QStringLiteral("gradientStepTexts")))
        texts->setOrientation(width() >= SideBySideWidth ? Qt::Horizontal : Qt::Vertical);
}

}  // namespace mitos::views
