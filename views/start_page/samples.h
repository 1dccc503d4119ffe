// SPDX-License-Identifier: GPL-3.0-or-later
// The sample programs and what their first lines say about them.
#pragma once

#include <QList>
#include <QString>

namespace mitos::views {

struct Sample {
    QString group;  ///< folder
    QString name;
    QString path;
    QString title;  ///< first line of its leading comment
    QString about;  ///< the next two: what to try
};

/// $MITOS_SAMPLES, or the folder `samples` beside or above the program, or the installed one; empty if there is none.
[[nodiscard]] QString findSampleFolder();
/// Every .ks file below the folder, by group and name. Reads files: for a job.
[[nodiscard]] QList<Sample> readSamples(const QString& folder);

}  // namespace mitos::views
