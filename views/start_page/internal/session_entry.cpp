// SPDX-License-Identifier: GPL-3.0-or-later
// See session_entry.h.
#include "views/start_page/internal/session_entry.h"

#include "views/common/format.h"
#include "views/document/choices.h"
#include "views/document/session_names.h"
#include "views/start_page/entry_list.h"
#include "views/start_page/internal/start_card.h"
#include "views/start_page/recent.h"
#include "views/start_page/start_page.h"

#include <QFileInfo>
#include <algorithm>
#include <cmath>

namespace mitos::views {

namespace {

constexpr qsizetype LongestNote = 300;  // in a tool tip

QString tagText(const storage::SessionSummary& summary) {
    QStringList tags;
    for (const std::string& tag : summary.labels.tags) tags << QLatin1Char('#') + fromUtf8(tag);
    return tags.join(QLatin1Char(' '));
}

/// "2 hours ago · 5 states · 1 run · #paper"
QString summaryText(const storage::SessionSummary& summary, const QDateTime& used) {
    QStringList said;
    if (summary.wasCutOff) said << StartPage::tr("not closed properly");
    if (used.isValid()) said << agoText(used, QDateTime::currentDateTime());
    said << (summary.states == 1 ? StartPage::tr("1 state") : StartPage::tr("%L1 states").arg(summary.states));
    if (summary.runs > 0)
        said << (summary.runs == 1 ? StartPage::tr("1 run") : StartPage::tr("%L1 runs").arg(summary.runs));
    if (const QString tags = tagText(summary); !tags.isEmpty()) said << tags;
    return said.join(QStringLiteral(" · "));
}

EntryDetails detailsOf(const storage::SessionSummary& summary, const QDateTime& used) {
    EntryDetails details{.text = summaryText(summary, used), .curve = sparklineOf(summary.curve)};
    const double delta = summary.bestCost - summary.initialCost;
    if (!std::isfinite(delta)) return details;
    const bool isChanged = !isNoChange(delta, summary.initialCost);
    details.direction = !isChanged ? 0 : delta < 0 ? -1 : 1;
    if (isChanged) details.change = changeText(summary.initialCost, summary.bestCost);
    return details;
}

/// What an error says of a file in a few words: "is damaged". The tool tip has the rest, and the path.
QString troubleText(const Error& error, const QString& path) {
    QString text = fromUtf8(error.message);
    if (text.startsWith(path)) text = text.mid(path.size()).trimmed();
    return text.section(QLatin1String(": "), 0, 0);
}

}  // namespace

QDateTime lastUse(const QString& path) {
    return std::max(QFileInfo(path).lastModified(), QFileInfo(path + QStringLiteral("-wal")).lastModified());
}

QString nameOf(const storage::SessionSummary& summary) {
    const QDateTime begun = QDateTime::fromString(fromUtf8(summary.openedAt), Qt::ISODate).toLocalTime();
    return sessionName(fromUtf8(summary.labels.name), fromUtf8(summary.title), begun);
}

double gainOf(const storage::SessionSummary& summary) {
    const double gain = 1.0 - summary.bestCost / summary.initialCost;
    return std::isfinite(gain) ? gain : -1.0;
}

void showSession(QListWidgetItem& item, const QString& path, const Result<storage::SessionSummary>& summary) {
    if (!summary) {
        EntryList::setDetails(item, {.text = troubleText(summary.error(), path), .isTrouble = true});
        item.setToolTip(fromUtf8(summary.error().render()));
        return;
    }
    const QDateTime used = lastUse(path);
    item.setText(nameOf(*summary));
    EntryList::setDetails(item, detailsOf(*summary, used));
    QStringList lines{shortenedPath(path), StartPage::tr("used %1").arg(QLocale().toString(used, QLocale::LongFormat))};
    if (std::isfinite(summary->initialCost) && std::isfinite(summary->bestCost)) {
        lines
            << StartPage::tr("cost %1 → %2").arg(exactCostText(summary->initialCost), exactCostText(summary->bestCost));
    }
    if (!summary->labels.note.empty()) lines << shortened(fromUtf8(summary->labels.note), LongestNote);
    item.setToolTip(lines.join(QLatin1Char('\n')));
}

QString restoreText(const storage::SessionSummary& summary) {
    if (!summary.wasCutOff || (summary.states <= 1 && summary.runs == 0)) return {};
    const QString name = nameOf(summary);
    if (gainOf(summary) <= 0.0)
        return StartPage::tr("Mitos did not close properly. Everything done in “%1” was recorded.").arg(name);
    const QString best =
        StartPage::tr("%1 (%2)").arg(costText(summary.bestCost), changeText(summary.initialCost, summary.bestCost));
    return summary.bestStrategy.empty()
               ? StartPage::tr("Mitos did not close properly. “%1” was recorded, with its best program: %2.")
                     .arg(name, best)
               : StartPage::tr(
                     "Mitos did not close properly. “%1” was recorded, with the best program: %2, found by %3.")
                     .arg(name, best, strategyLabel(fromUtf8(summary.bestStrategy)));
}

}  // namespace mitos::views
