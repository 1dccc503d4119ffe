// SPDX-License-Identifier: GPL-3.0-or-later
// How lists show sessions.
#pragma once

#include "core/base/result.h"
#include "storage/session_summary.h"

#include <QDateTime>
#include <QString>

class QListWidgetItem;

namespace mitos::views {

/// When the session was written to last; its log counts too.
[[nodiscard]] QDateTime lastUse(const QString& path);
/// "gemm, today 14:05", or the name that the user gave it.
[[nodiscard]] QString nameOf(const storage::SessionSummary& summary);
/// The part of the cost that was saved, 0…1; negative if nothing was saved, or nothing is known.
[[nodiscard]] double gainOf(const storage::SessionSummary& summary);
/// Sets the item of an EntryList: name, what was done, change, curve; or the reason why the session cannot be read.
void showSession(QListWidgetItem& item, const QString& path, const Result<storage::SessionSummary>& summary);
/// "Mitos did not close properly. Its last session: gemm, today 14:05; best 30,242 (▼ −5.1 %) by A* search". Empty if the session was
/// closed, or nothing was done in it.
[[nodiscard]] QString restoreText(const storage::SessionSummary& summary);

}  // namespace mitos::views
