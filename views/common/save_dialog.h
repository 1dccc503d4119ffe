// SPDX-License-Identifier: GPL-3.0-or-later
// Asking where to save something, in one way: the name, the ending, the folder, overwriting, and what is said afterwards.
#pragma once

#include "core/base/result.h"

#include <QList>
#include <QString>
#include <functional>

class QFileDialog;
class QWidget;

namespace mitos::views {

struct FileKind {
    QString name;    ///< "ks programs"
    QString suffix;  ///< without the dot
};

/// A file that the user wants to save.
struct SaveRequest {
    QString objectName;  ///< of the dialog
    QString title;
    QList<FileKind> kinds;  ///< the usual one first; the user can choose another one
    QString fileName = {};  ///< a proposal; empty: none
    QString folder = {};    ///< where it belongs; empty: the folder of the file that was opened or saved last
};

/// Opens the dialog, which asks before it overwrites a file and adds the ending of the chosen kind. `save` gets the path, unless the
/// parent is gone. The dialog deletes itself.
QFileDialog* askWhereToSave(QWidget* parent, const SaveRequest& request, std::function<void(const QString& path)> save);

/// The folder of the file that was opened or saved last, over all sessions; empty: there was none.
[[nodiscard]] QString lastFolder();
void rememberFolderOf(const QString& path);

/// The message after a file was written, or was not.
[[nodiscard]] QString savedText(const QString& path);
/// For a line in a dialog; elsewhere the error is shown as all errors are.
[[nodiscard]] QString savedText(const QString& path, const Status& written);

}  // namespace mitos::views
