// SPDX-License-Identifier: GPL-3.0-or-later
// Files of trained models that the user may want to use: those of the session, and those that were trained or opened before.
#pragma once

#include <QList>
#include <QString>

namespace mitos::views {

class Document;

struct KnownModelFile {
    QString path;  ///< absolute
    QString kind;  ///< of the model, "policy" or "value"; empty if it is not known

    friend bool operator==(const KnownModelFile&, const KnownModelFile&) = default;
};

/// Those that trainings of the open session wrote, then those that are remembered and still exist, the last ones first; each file once.
[[nodiscard]] QList<KnownModelFile> knownModelFiles(const Document& document);
/// Remembers a file beyond the session. The settings hold a limited number of files.
void rememberModelFile(const KnownModelFile& file);
void forgetModelFile(const QString& path);

}  // namespace mitos::views
