// SPDX-License-Identifier: GPL-3.0-or-later
// The programs and sessions that come with Mitos.
#pragma once

#include "core/base/result.h"

#include <QList>
#include <QString>

namespace mitos::views {

struct Sample {
    QString group;  ///< folder
    QString name;
    QString path;
    QString title;  ///< first line of its leading comment; of a session, what it holds
    QString about;  ///< the next two lines: what to try
};

/// $MITOS_SAMPLES if it is set, else the installed folder, else `samples` next to or above the executable; empty if there is none.
[[nodiscard]] QString sampleFolder();
/// All programs (.ks), listings of networks (.txt) and sessions (.mitos) below the folder, sorted by group and name. Reads files, so
/// call it in a job.
[[nodiscard]] QList<Sample> readSamples(const QString& folder);
[[nodiscard]] bool isSession(const QString& path);
/// Whether it is the listing of a network, not a ks program.
[[nodiscard]] bool isListing(const QString& path);
/// Whether a sample is a task graph.
[[nodiscard]] bool isTaskGraph(const QString& path);
/// Copies a session into the folder, under a name that says when. Reads and writes files, so call it in a job.
[[nodiscard]] Result<QString> copyOfSession(const QString& path, const QString& folder);
/// The sample's group as a heading: "Linear algebra".
[[nodiscard]] QString groupTitle(const Sample& sample);

}  // namespace mitos::views
