// SPDX-License-Identifier: GPL-3.0-or-later
// Generates the page of the rules in force.
#include "views/help/rules_page.h"

#include "views/common/format.h"

#include <QCoreApplication>

namespace mitos::views {

namespace {
QString tr(const char* text) { return QCoreApplication::translate("mitos::views::help", text); }
QString escaped(const std::string& text) { return fromUtf8(text).trimmed().toHtmlEscaped(); }
}  // namespace

QString rulesPage(const rules::RuleBook& rules) {
    QString page = QStringLiteral("<h1>%1</h1>").arg(tr("Rules in force"));
    for (const rules::RuleSet& set : rules.sets()) {
        page += QStringLiteral("<h2>%1</h2><p>%2</p><p>%3</p>")
                    .arg(escaped(set.name), escaped(set.title), escaped(set.doc));
        for (const auto& rule : set.rules) {
            page += QStringLiteral("<h3><a name=\"%1\"></a>%1</h3><p>%2</p><pre>%3</pre>")
                        .arg(escaped(rule->name), escaped(rule->doc), escaped(rule->text));
            QStringList facts{tr("soundness: %1").arg(fromUtf8(rules::toString(rule->soundness)))};
            for (const std::string& tag : rule->tags) facts << tr("tag: %1").arg(fromUtf8(tag));
            if (!rule->multis.empty()) facts << tr("several roots: rewrites graphs and e-graphs");
            page += QStringLiteral("<p><i>%1</i></p>").arg(facts.join(QStringLiteral(" · ")));
        }
    }
    return page;
}

}  // namespace mitos::views
