// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/document/left_session.h"

#include "storage/session.h"
#include "storage/workspace/opening.h"
#include "views/document/internal/session_file.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace mitos::views {

void changeViewValue(Document& document, JobRunner& jobs, const QString& session, const QString& key,
                     std::function<QString(const QString& stored)> change) {
    if (document.isOpen() && session == document.sessionPath())
        return document.setViewValue(key, change(document.viewValue(key)));
    if (session.isEmpty()) return;
    jobs.start(
        Document::tr("Keeping a result"), false, nullptr,
        [path = nativePath(session), name = key, change = std::move(change)](const std::stop_token&,
                                                                             const JobRunner::Report&) -> Status {
            if (!std::filesystem::exists(path)) return Success{};  // opening would make it anew
            MITOS_TRY(storage::Session file, storage::Session::open(path));
            MITOS_TRY(const std::optional<std::string> values, file.value(storage::ViewValuesKey));
            const QJsonObject stored =
                QJsonDocument::fromJson(QByteArray::fromStdString(values.value_or("{}"))).object();
            return storage::storeViewValue(file, name.toStdString(), change(stored[name].toString()).toStdString());
        },
        [](const Status& kept) {
            if (!kept) qWarning("%s", kept.error().message.c_str());
        });
}

}  // namespace mitos::views
