// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/match/internal/match_parts.h"

#include "core/rules/matching/explanation.h"
#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/theme/theme.h"

#include <QHeaderView>
#include <algorithm>

namespace mitos::views {

namespace {

using Mark = rules::MatchPart::Mark;
constexpr int MarkRole = Qt::UserRole;

QString signOf(Mark mark) {
    switch (mark) {
        case Mark::Matched: return QStringLiteral("✓");
        case Mark::Refused: return QStringLiteral("✗");
        case Mark::NotReached: break;
    }
    return QStringLiteral("–");
}

QString meaningOf(Mark mark, const QString& reason) {
    switch (mark) {
        case Mark::Matched: return MatchParts::tr("matches");
        case Mark::Refused: return reason;
        case Mark::NotReached: break;
    }
    return MatchParts::tr("not reached");
}

}  // namespace

MatchParts::MatchParts(QWidget* parent) : QTreeWidget(parent) {
    setUpWidget(this, "matchParts", {}, tr("The parts of the rule and what they match"));
    setHeaderLabels({tr("Rule"), tr("Program"), tr("Outcome")});
    setRootIsDecorated(false);
    setItemsExpandable(false);
    setUniformRowHeights(true);
    setTabKeyNavigation(false);
    header()->setStretchLastSection(true);
    followPalette(this, [this] { updateLook(); });
    followFont(this, [this] { updateLook(); });
}

void MatchParts::setParts(const std::vector<rules::MatchPart>& parts, const QString& reason) {
    clear();
    std::vector<QTreeWidgetItem*> above;  // by depth
    for (const rules::MatchPart& part : parts) {
        const QString outcome = meaningOf(part.mark, reason);
        const QStringList texts{signOf(part.mark) + QLatin1Char(' ') + fromUtf8(part.pattern), fromUtf8(part.found),
                                outcome};
        above.resize(part.depth);
        auto* item = above.empty() ? new QTreeWidgetItem(this, texts) : new QTreeWidgetItem(above.back(), texts);
        above.push_back(item);
        item->setData(0, MarkRole, static_cast<int>(part.mark));
        for (int column = 0; column < columnCount(); ++column) item->setToolTip(column, item->text(column));
        if (part.mark == Mark::Refused) setCurrentItem(item);
    }
    expandAll();
    updateLook();                   // the width of a column depends on its font
    constexpr int WidestShare = 3;  // of the tree
    constexpr int Gap = 16;         // between columns
    for (const int column : {0, 1}) {
        resizeColumnToContents(column);
        setColumnWidth(column, std::min(columnWidth(column) + Gap, std::max(width() / WidestShare, 120)));
    }
}

void MatchParts::updateLook() {
    const Theme theme(palette());
    for (QTreeWidgetItemIterator at(this); *at != nullptr; ++at) {
        for (const int column : {0, 1}) (*at)->setFont(column, programFont());
        const auto mark = static_cast<Mark>((*at)->data(0, MarkRole).toInt());
        const QBrush usual = palette().text();
        for (int column = 0; column < columnCount(); ++column) {
            (*at)->setForeground(column, mark == Mark::NotReached ? QBrush(theme.faintText()) : usual);
        }
        if (mark == Mark::Refused) {
            for (const int column : {0, 2}) (*at)->setForeground(column, theme.worse());
        }
        if (mark == Mark::Matched) (*at)->setForeground(2, theme.passed());
    }
}

QString codeMarkup(const QString& text) {
    const QStringList pieces = text.toHtmlEscaped().split(QLatin1Char('`'));
    const QString family = programFont().family();
    QString markup;
    for (qsizetype i = 0; i < pieces.size(); ++i) {
        markup += i % 2 == 0 ? pieces[i]
                             : QStringLiteral("<span style=\"font-family:'%1'\">%2</span>").arg(family, pieces[i]);
    }
    return markup;
}

}  // namespace mitos::views
