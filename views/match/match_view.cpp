// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/match/match_view.h"

#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/match/internal/match_details.h"
#include "views/match/internal/match_parts.h"
#include "views/match/internal/match_steps_model.h"
#include "views/theme/theme.h"

#include <QHeaderView>
#include <QLabel>
#include <QSettings>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

QString detailsKey() { return QStringLiteral("match/details"); }

}  // namespace

MatchView::MatchView(Document& document, Selection& selection, JobRunner& jobs, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_selection(selection),
      m_jobs(jobs),
      m_verdicts(new RuleVerdictsModel(this)),
      m_stack(new QStackedWidget(this)),
      m_content(new QWidget(this)),
      m_empty(new EmptyState(this)),
      m_summary(new QLabel(this)),
      m_rules(new QTableView(this)),
      m_sentence(new QLabel(this)),
      m_detailsButton(new QToolButton(this)),
      m_centreButton(new QToolButton(this)),
      m_parts(new MatchParts(this)),
      m_details(new MatchDetails(this)),
      m_below(new QSplitter(Qt::Vertical, this)),
      m_panes(new QSplitter(Qt::Horizontal, this)) {
    setObjectName(QStringLiteral("matchView"));
    build();
    connect(&m_document, &Document::closed, this, &MatchView::forget);
    connect(&m_document, &Document::opened, this, &MatchView::invalidate);
    connect(&m_document, &Document::currentChanged, this, &MatchView::invalidate);
    connect(&m_document, &Document::rulesChanged, this, &MatchView::invalidate);
    connect(&m_selection, &Selection::subtermChanged, this, &MatchView::invalidate);
    connect(&m_selection, &Selection::rewriteChanged, this, [this] {
        if (m_selection.rewrite()) m_wanted = fromUtf8(m_selection.rewrite()->rule->name());
        invalidate();
    });
    followPalette(this, [this] { updateTheme(); });
    // Deferred, because each dock is briefly visible while docks are arranged.
    whenShown(this, Qt::QueuedConnection, [this] {
        if (m_stale && isVisible()) ask();
    });
    invalidate();
}

MatchView::~MatchView() { cancel(); }

void MatchView::build() {
    setUpRowTable(*m_rules, *m_verdicts, QStringLiteral("matchRules"), tr("Rules, the nearest to matching first"));
    m_rules->horizontalHeader()->setSectionResizeMode(RuleVerdictsModel::VerdictColumn, QHeaderView::Stretch);
    m_summary->setObjectName(QStringLiteral("matchSummary"));
    setUpWidget(m_sentence, "matchSentence", {}, tr("Why the rule matches or not"));
    m_sentence->setTextFormat(Qt::RichText);
    m_sentence->setWordWrap(true);
    m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setUpWidget(m_detailsButton, "matchDetailsButton", tr("The transitions of the matching machine, one by one"));
    m_detailsButton->setCheckable(true);
    setUpWidget(m_centreButton, "matchCentreButton", {});
    for (QToolButton* button : {m_detailsButton, m_centreButton}) button->setAutoRaise(true);
    setInCentre(false);

    auto* left = new QWidget(m_content);
    fillColumn(left, {m_summary, {m_rules, 1}}, {.margins = NoMargins, .spacing = 2});
    m_below->setObjectName(QStringLiteral("matchBelow"));
    m_below->addWidget(m_parts);
    m_below->addWidget(m_details);
    m_panes->setObjectName(QStringLiteral("matchSplitter"));
    m_panes->addWidget(left);
    m_panes->addWidget(m_below);
    for (QSplitter* splitter : {m_below, m_panes}) splitter->setChildrenCollapsible(false);
    m_panes->setSizes({3500, 6500});  // proportions, independent of the size hints
    auto* top = rowOf({{m_sentence, 1}, {m_detailsButton, 0, Qt::AlignTop}, {m_centreButton, 0, Qt::AlignTop}});
    fillColumn(m_content, {top, {m_panes, 1}}, {.margins = NarrowMargins, .spacing = 4});
    const bool isOpen = QSettings().value(detailsKey(), false).toBool();
    m_detailsButton->setChecked(isOpen);
    showDetails(isOpen);
    connect(m_detailsButton, &QToolButton::toggled, this, &MatchView::showDetails);
    connect(m_centreButton, &QToolButton::clicked, this, &MatchView::centreRequested);
    connect(m_rules, &QTableView::doubleClicked, this, &MatchView::centreRequested);

    m_stack->addWidget(m_content);
    m_stack->addWidget(m_empty);
    m_empty->explain(tr("Open a program to see which rules match where, and why others do not."));
    fillColumn(this, {m_stack}, {.margins = NoMargins});

    connect(m_rules->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& row) {
        if (!row.isValid()) return;
        m_wanted = fromUtf8(m_verdicts->verdict(row.row()).rule->name());
        traceChosen();
    });
}

void MatchView::updateTheme() {
    const Theme theme(palette());
    m_verdicts->setColors(theme.better(), theme.faintText());
}

void MatchView::cancel() {
    m_ranking.cancel();
    m_tracing.cancel();
}

void MatchView::forget() {
    cancel();
    m_verdicts->setVerdicts({});
    m_parts->clear();
    m_details->clear();
    m_summary->clear();
    m_sentence->clear();
    invalidate();
}

void MatchView::invalidate() {
    m_stale = true;
    m_stack->setCurrentWidget(m_document.isOpen() ? m_content : m_empty);
    if (isVisible()) ask();
}

ir::Path MatchView::position() const {
    if (m_selection.rewrite()) return m_selection.rewrite()->positions.front();
    return m_selection.subterm().value_or(ir::Path());
}

void MatchView::ask() {
    cancel();
    m_stale = false;
    if (!m_document.isOpen()) return;
    m_ranking.ask(
        tr("Rules at a subterm"),
        [snapshot = m_document.snapshot(m_document.current()), position = position(),
         rules = m_document.rules().directions()](const std::stop_token& stop, const JobRunner::Report& /*report*/) {
            return rankRules(snapshot, position, rules, stop);
        },
        [this](MatchRanking ranking) { takeRanking(std::move(ranking)); });
}

void MatchView::takeRanking(MatchRanking ranking) {
    m_details->setSubject(std::move(ranking.subject));
    const QString wanted = m_wanted;
    m_verdicts->setVerdicts(std::move(ranking.verdicts));
    m_rules->resizeColumnToContents(RuleVerdictsModel::RuleColumn);
    m_summary->setText(tr("Rules that match here: %1 of %2").arg(m_verdicts->matching()).arg(m_verdicts->rowCount()));
    const int row = std::max(0, m_verdicts->rowOf(wanted));
    if (m_verdicts->rowCount() > 0) m_rules->setCurrentIndex(m_verdicts->index(row, 0));
}

void MatchView::traceChosen() {
    m_tracing.cancel();
    const QModelIndex chosen = m_rules->currentIndex();
    if (!chosen.isValid() || !m_document.isOpen()) return;
    m_tracing.ask(
        tr("Trace of a match"),
        [snapshot = m_document.snapshot(m_document.current()), position = position(),
         rule = m_verdicts->verdict(chosen.row()).rule](const std::stop_token& /*stop*/,
                                                        const JobRunner::Report& /*report*/) {
            return explainRule(snapshot, position, *rule);
        },
        [this](rules::ExplainedMatch match) { takeMatch(std::move(match)); });
}

void MatchView::takeMatch(rules::ExplainedMatch match) {
    const QString reason =
        match.trace.furthest ? fromUtf8(match.trace.furthest->text).remove(QLatin1Char('`')) : QString();
    m_sentence->setText(codeMarkup(fromUtf8(match.explanation.sentence)));
    m_sentence->setAccessibleName(fromUtf8(match.explanation.sentence));
    m_parts->setParts(match.explanation.parts, reason);
    const QModelIndex chosen = m_rules->currentIndex();
    m_details->setTrace(std::make_shared<const rules::MatchTrace>(std::move(match.trace)),
                        chosen.isValid() ? m_verdicts->verdict(chosen.row()).rule->rule().text : std::string());
}

void MatchView::showDetails(bool shown) {
    m_details->setVisible(shown);
    m_detailsButton->setText(shown ? tr("Details ▾") : tr("Details ▸"));
    QSettings().setValue(detailsKey(), shown);
}

void MatchView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    constexpr int NarrowestBeside = 90;  // average characters
    const bool isNarrow = width() < NarrowestBeside * fontMetrics().averageCharWidth();
    m_panes->setOrientation(isNarrow && height() > width() / 2 ? Qt::Vertical : Qt::Horizontal);
}

void MatchView::setInCentre(bool inCentre) {
    // In the centre there is height, below there is width; either way the reasons have room.
    m_panes->setOrientation(inCentre ? Qt::Vertical : Qt::Horizontal);
    // The chosen rule stays in sight, once the list has its new size.
    QMetaObject::invokeMethod(
        m_rules, [rules = m_rules] { rules->scrollTo(rules->currentIndex()); }, Qt::QueuedConnection);
    m_centreButton->setText(inCentre ? tr("Back below") : tr("Show in the centre"));
    m_centreButton->setToolTip(inCentre ? tr("Show the program in the centre again (Esc)")
                                        : tr("Show this instead of the program (Ctrl+M); Esc leads back"));
}

}  // namespace mitos::views
