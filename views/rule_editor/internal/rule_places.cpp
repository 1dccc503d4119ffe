// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/rule_editor/internal/rule_places.h"

#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/theme/style.h"
#include "views/theme/theme.h"

#include <QLabel>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QStackedWidget>
#include <QStandardItemModel>
#include <QStyledItemDelegate>
#include <QTreeView>
#include <utility>

namespace mitos::views {

namespace {

constexpr int RowHeight = 46;
constexpr int RowMargin = 12;

enum Column { PlaceColumn, BecomesColumn, ChangeColumn, ColumnCount };

/// Two lines: the place and the change of the cost, and what the place becomes.
class MatchDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        return {QStyledItemDelegate::sizeHint(option, index).width(), RowHeight};
    }
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        QStyleOptionViewItem plain = option;
        initStyleOption(&plain, index);
        plain.text.clear();
        plain.widget->style()->drawControl(QStyle::CE_ItemViewItem, &plain, painter, plain.widget);
        const Theme theme(option.palette);
        const QRect room = option.rect.adjusted(RowMargin, 4, -RowMargin, -4);
        const QModelIndex change = index.siblingAtColumn(ChangeColumn);
        painter->save();
        painter->setFont(option.font);
        painter->setPen(change.data(Qt::ForegroundRole).value<QColor>());
        const QRect first(room.left(), room.top(), room.width(), room.height() / 2);
        QRect taken;
        painter->drawText(first, Qt::AlignRight | Qt::AlignVCenter, change.data().toString(), &taken);
        const QFont code = programFont(-1);
        const QFontMetrics metrics(code);
        painter->setFont(code);
        painter->setPen(option.palette.color(QPalette::Text));
        const QRect left = first.adjusted(0, 0, -taken.width() - RowMargin, 0);
        painter->drawText(left, Qt::AlignLeft | Qt::AlignVCenter,
                          elided(index.data().toString(), metrics, left.width()));
        painter->setPen(theme.faintText());
        const QRect second = first.translated(0, room.height() / 2);
        const QString becomes = index.siblingAtColumn(BecomesColumn).data().toString();
        if (!becomes.isEmpty()) {
            painter->drawText(second, Qt::AlignLeft | Qt::AlignVCenter,
                              elided(QStringLiteral("→ ") + becomes, metrics, second.width()));
        }
        painter->restore();
    }
};

}  // namespace

RulePlaces::RulePlaces(Document& document, Selection& selection, JobRunner& jobs, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_selection(selection),
      m_jobs(jobs),
      m_title(new QLabel(this)),
      m_progress(new QProgressBar(this)),
      m_pages(new QStackedWidget(this)),
      m_rows(new QTreeView(this)),
      m_model(new QStandardItemModel(this)),
      m_empty(new EmptyState(this)),
      m_apply(new QPushButton(this)) {
    setObjectName(QStringLiteral("rulePlaces"));
    m_title->setObjectName(QStringLiteral("rulePlacesTitle"));
    m_title->setForegroundRole(QPalette::PlaceholderText);
    setUpWidget(m_progress, "ruleMatchProgress", {}, tr("Progress of matching"));
    m_progress->setTextVisible(false);
    m_progress->setRange(0, 0);
    constexpr int ProgressHeight = 4;
    m_progress->setFixedHeight(ProgressHeight);
    m_progress->hide();
    m_model->setColumnCount(ColumnCount);
    m_model->setHorizontalHeaderLabels({tr("Place"), tr("Becomes"), tr("Change of the cost")});
    setUpWidget(m_rows, "rulePlacesRows", {}, tr("Places where the rule matches"));
    m_rows->setModel(m_model);
    m_rows->setItemDelegate(new MatchDelegate(m_rows));
    m_rows->setHeaderHidden(true);
    m_rows->setRootIsDecorated(false);
    m_rows->setUniformRowHeights(true);
    m_rows->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_rows->setFrameShape(QFrame::NoFrame);
    for (const int column : {BecomesColumn, ChangeColumn}) m_rows->setColumnHidden(column, true);
    setUpWidget(m_apply, "ruleApply", {});
    m_pages->addWidget(m_rows);
    m_pages->addWidget(m_empty);
    auto* top = columnOf({rowOf({sectionTitle(tr("Where does it match?"), this), stretch(), m_title}), m_progress},
                         {.margins = QMargins(12, 10, 12, 4), .spacing = 8});
    auto* bottom = rowOf({stretch(), m_apply}, {.margins = QMargins(12, 8, 12, 12)});
    fillColumn(this, {top, {m_pages, 1}, bottom}, {.margins = NoMargins, .spacing = 0});
    connect(m_rows->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &RulePlaces::selectPlace);
    connect(m_rows, &QTreeView::activated, this, &RulePlaces::apply);
    connect(m_apply, &QPushButton::clicked, this, &RulePlaces::apply);
    connect(&document, &Document::closed, this, [this] {
        m_jobs.discard(std::exchange(m_running, 0));
        show({});
        explain(QString());
    });
    for (const auto changed : {&Document::opened, &Document::currentChanged, &Document::costModelChanged})
        connect(&document, changed, this, &RulePlaces::again);
    whenShown(this, Qt::QueuedConnection, [this] { again(); });
    followPalette(this, [this] { updateColors(); });
    setBefore(false, false);
    explain({});
}

void RulePlaces::setBefore(bool saves, bool uses) {
    m_apply->setText(saves && uses ? tr("&Save, Use and Apply")
                     : saves       ? tr("&Save and Apply")
                     : uses        ? tr("&Use and Apply")
                                   : tr("&Apply"));
    m_apply->setToolTip(saves && uses
                            ? tr("Save the set, put it into force and apply the rule at the selected place (Enter)")
                        : saves ? tr("Save the set and apply the rule at the selected place (Enter)")
                        : uses  ? tr("Put the set into force and apply the rule at the selected place (Enter)")
                                : tr("Apply the rule at the selected place (Enter)"));
}

void RulePlaces::explain(const QString& reason) {
    m_jobs.discard(std::exchange(m_running, 0));
    m_progress->hide();
    m_rule.reset();
    m_title->clear();
    m_matches.clear();
    m_model->removeRows(0, m_model->rowCount());
    m_apply->setEnabled(false);
    m_pages->setCurrentWidget(m_empty);
    if (m_document.isOpen())
        m_empty->explain(reason);
    else
        m_empty->explain(tr("Open a program to see where a rule matches in it."), tr("Open…"),
                         [this] { Q_EMIT openRequested(); });
}

void RulePlaces::find(std::shared_ptr<const rules::Rule> rule, std::shared_ptr<const ir::OperatorRegistry> registry) {
    m_rule = std::move(rule);
    m_registry = std::move(registry);
    again();
}

void RulePlaces::again() {
    m_jobs.discard(std::exchange(m_running, 0));
    if (!m_document.isOpen()) {
        const auto rule = m_rule;
        explain({});
        m_rule = rule;
        return;
    }
    if (m_rule == nullptr || !isVisible()) return;
    if (m_registry->size() > m_document.bank().sharedRegistry()->size()) {
        explain(
            tr("This set declares operators that the open program does not know. Put the set into force, then open "
               "the program again."));
        return;
    }
    m_progress->show();
    m_apply->setEnabled(false);
    m_running = m_jobs.start(
        tr("Matching a rule"), false, this,
        [rule = m_rule, snapshot = m_document.snapshot(m_document.current()), model = m_document.sharedCostModel()](
            const std::stop_token& stop, const JobRunner::Report&) { return matchesOf(*rule, snapshot, *model, stop); },
        [this](const RuleMatches& matches) {
            m_running = 0;
            show(matches);
        });
}

void RulePlaces::show(const RuleMatches& matches) {
    m_progress->hide();
    m_matches = matches.rows;
    m_model->removeRows(0, m_model->rowCount());
    m_costBefore = matches.costBefore;
    for (const RuleMatch& match : m_matches) {
        auto* changed = new QStandardItem(differenceText(matches.costBefore, match.cost));
        auto* place = new QStandardItem(match.place);
        place->setToolTip(match.becomes.isEmpty() ? match.place : match.place + QStringLiteral("\n→ ") + match.becomes);
        m_model->appendRow({place, new QStandardItem(match.becomes), changed});
    }
    updateColors();
    const auto shown = static_cast<int>(m_matches.size());
    m_title->setText(matches.total > shown ? tr("%1 places, the first %2 are listed")
                                                 .arg(countText(static_cast<std::uint64_t>(matches.total)))
                                                 .arg(countText(static_cast<std::uint64_t>(shown)))
                     : shown == 1 ? tr("1 place")
                                  : tr("%1 places").arg(countText(static_cast<std::uint64_t>(shown))));
    m_pages->setCurrentWidget(shown > 0 ? static_cast<QWidget*>(m_rows) : m_empty);
    if (shown == 0)
        m_empty->explain(matches.refusal.isEmpty() ? tr("The rule matches nowhere in the current state of %1. The view "
                                                        "Match shows how close it comes once the set is in force.")
                                                         .arg(m_document.title())
                                                   : matches.refusal);
    m_apply->setEnabled(false);
}

void RulePlaces::updateColors() {
    const Theme theme(palette());
    for (std::size_t row = 0; row < m_matches.size(); ++row) {
        const double change = m_matches[row].cost - m_costBefore;
        const bool isSame = isNoChange(change, m_costBefore);
        m_model->item(static_cast<int>(row), ChangeColumn)
            ->setForeground(isSame       ? theme.faintText()
                            : change < 0 ? theme.better()
                                         : theme.worse());
    }
}

std::optional<RuleMatch> RulePlaces::selected() const {
    const int row = m_rows->currentIndex().row();
    if (row < 0 || static_cast<std::size_t>(row) >= m_matches.size()) return std::nullopt;
    return m_matches[static_cast<std::size_t>(row)];
}

void RulePlaces::selectPlace() {
    const auto match = selected();
    // While a new state is being matched, the rows are of the one before.
    const bool isThere = match && m_document.isOpen() && m_running == 0 &&
                         ir::subterm(m_document.bank(), m_document.current().root, match->positions.front());
    m_apply->setEnabled(isThere);
    if (isThere) m_selection.setSubterm(match->positions.front());
}

void RulePlaces::apply() {
    if (const auto match = selected(); match && m_apply->isEnabled()) Q_EMIT applyRequested(*match);
}

}  // namespace mitos::views
