// SPDX-License-Identifier: GPL-3.0-or-later
// The direction of dependence as a table, and the checks that hold a source file and a CMakeLists.txt against
// it; a check of the links between pages. Paths are relative to the project's root, with forward slashes; a complaint reads "path:line: what is
// wrong".
#pragma once

#include <QString>
#include <QStringList>
#include <functional>
#include <optional>
#include <span>

namespace mitos::architecture {

/// A folder that is one piece of the architecture, and the pieces whose headers and targets it may use.
struct Folder {
    QString name;
    QStringList mayUse;
};

/// Every folder, each after all those it may use: the order itself proves that there is no cycle.
std::span<const Folder> folders();

/// Complaints about the table itself: an arrow to a folder that stands later in it, or nowhere.
QStringList checkTable(std::span<const Folder> table);

/// The folder of the table that `path` lies in, or nullptr (tests lie in none: they may use everything).
const Folder* folderOf(const QString& path);

/// Complaints about the #include lines of one C++ file.
QStringList checkIncludes(const QString& path, const QString& text);

/// Complaints about the targets of one CMakeLists.txt: their names, and what they link.
QStringList checkLinks(const QString& path, const QString& text);

/// Complaints about what every source file needs: the license line among its first two lines, a bearable
/// length.
QStringList checkHouseRules(const QString& path, const QString& text);

/// Complaints about the links of a Markdown page: to a file or folder of the project that does not exist, to a heading that its page does
/// not have. `textOf` gives the text of a file, an empty text for a folder, and nothing for a path that does not exist.
QStringList checkReferences(const QString& path, const QString& text,
                            const std::function<std::optional<QString>(const QString&)>& textOf);

/// The longest a file may be, in lines.
inline constexpr int LongestFile = 800;

}  // namespace mitos::architecture
