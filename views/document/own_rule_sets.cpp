// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/document/own_rule_sets.h"

#include <QDir>
#include <QFileInfo>
#include <QSettings>
#include <QStandardPaths>
#include <algorithm>

namespace mitos::views {

namespace {

constexpr qsizetype MostSets = 100;

QString setsKey() { return QStringLiteral("rule-sets"); }
QString whole(const QString& path) { return QFileInfo(path).absoluteFilePath(); }

}  // namespace

QStringList ownRuleSets() { return QSettings().value(setsKey()).toStringList().mid(0, MostSets); }

void addOwnRuleSet(const QString& path) {
    QStringList sets = ownRuleSets();
    if (sets.contains(whole(path))) return;
    sets << whole(path);
    if (sets.size() > MostSets) sets.removeFirst();
    QSettings().setValue(setsKey(), sets);
}

void removeOwnRuleSet(const QString& path) {
    QStringList sets = ownRuleSets();
    sets.removeAll(whole(path));
    QSettings().setValue(setsKey(), sets);
}

QString ruleSetTitle(const QString& path, const QStringList& sets) {
    const QFileInfo file(path);
    const bool isShared = std::ranges::any_of(
        sets, [&](const QString& other) { return other != path && QFileInfo(other).fileName() == file.fileName(); });
    return isShared ? file.dir().dirName() + QLatin1Char('/') + file.fileName() : file.fileName();
}

QString ownRuleFolder() {
    return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/rules");
}

}  // namespace mitos::views
