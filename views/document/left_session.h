// SPDX-License-Identifier: GPL-3.0-or-later
// What work that was let go (Query::letGo) brings home: its result belongs to a session that may not be the open one any more.
#pragma once

#include "views/document/document.h"

#include <functional>

namespace mitos::views {

/// Replaces a value of the views in that session by what `change` makes of it (empty: there is none yet): through the document if the
/// session is open, otherwise in its file, in a job, where `change` runs then. Nothing happens to a session that is not saved or was
/// deleted.
void changeViewValue(Document& document, JobRunner& jobs, const QString& session, const QString& key,
                     std::function<QString(const QString& stored)> change);

}  // namespace mitos::views
