// SPDX-License-Identifier: GPL-3.0-or-later
// See save_dialog.h.
#include "views/common/save_dialog.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QSettings>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

QString folderKey() { return QStringLiteral("last-folder"); }

QString tr(const char* text) { return QCoreApplication::translate("SaveDialog", text); }

}  // namespace

QString lastFolder() { return QSettings().value(folderKey()).toString(); }

void rememberFolderOf(const QString& path) { QSettings().setValue(folderKey(), QFileInfo(path).absolutePath()); }

QFileDialog* askWhereToSave(QWidget* parent, const SaveRequest& request,
                            std::function<void(const QString& path)> save) {
    const bool isOwnFolder = !request.folder.isEmpty();
    auto* dialog = new QFileDialog(parent, request.title, isOwnFolder ? request.folder : lastFolder());
    dialog->setObjectName(request.objectName);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    QStringList filters;
    for (const FileKind& kind : request.kinds) filters << QStringLiteral("%1 (*.%2)").arg(kind.name, kind.suffix);
    dialog->setNameFilters(filters << tr("All files (*)"));
    const auto fitSuffix = [dialog, kinds = request.kinds] {
        const qsizetype chosen = dialog->nameFilters().indexOf(dialog->selectedNameFilter());
        if (chosen < kinds.size()) dialog->setDefaultSuffix(kinds[std::max<qsizetype>(0, chosen)].suffix);
    };
    QObject::connect(dialog, &QFileDialog::filterSelected, dialog, fitSuffix);
    fitSuffix();
    if (!request.fileName.isEmpty()) dialog->selectFile(request.fileName);
    QObject::connect(dialog, &QFileDialog::fileSelected, parent,
                     [isOwnFolder, save = std::move(save)](const QString& path) {
                         if (!isOwnFolder) rememberFolderOf(path);
                         save(path);
                     });
    dialog->open();
    return dialog;
}

QString savedText(const QString& path) { return tr("Saved to %1").arg(QDir::toNativeSeparators(path)); }

QString savedText(const QString& path, const Status& written) {
    return written ? savedText(path) : tr("✗ %1").arg(QString::fromStdString(written.error().oneLine()));
}

}  // namespace mitos::views
