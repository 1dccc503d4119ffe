// SPDX-License-Identifier: GPL-3.0-or-later
// The rule files that the user has made or opened. They lie where the user put them; the list is kept between sessions.
#pragma once

#include <QString>
#include <QStringList>

namespace mitos::views {

/// Paths of files, in the order in which they were added. Files may be missing.
[[nodiscard]] QStringList ownRuleSets();
void addOwnRuleSet(const QString& path);
/// Removes it from the list; the file stays.
void removeOwnRuleSet(const QString& path);
/// The name of a set in lists: that of its file, after its folder's if another set of the list has a file of that name.
[[nodiscard]] QString ruleSetTitle(const QString& path, const QStringList& sets);
/// Where new sets are made unless the user chooses another folder: <application data>/rules.
[[nodiscard]] QString ownRuleFolder();

}  // namespace mitos::views
