// SPDX-License-Identifier: GPL-3.0-or-later
// The cost profiles that the desktop offers: those that come with the program, those measured on this computer, and files that the user
// opened.
#pragma once

#include "core/cost/measuring/growing_profile.h"
#include "core/cost/profile.h"

#include <QString>
#include <QStringList>

namespace mitos::views {

/// The names of all profiles, as cost::findProfile() finds them.
[[nodiscard]] QStringList profileNames();
/// Adds a file that the user opened to the list; the list is kept between sessions.
void addProfile(const QString& path);
/// Where measured times of that setup are kept: a file a setup, below <application data>/profiles.
[[nodiscard]] QString profileFileFor(const cost::MeasuringSetup& setup);
/// "LibTorch 1.13.0, processor, 1 thread": the title of profiles measured here, and the name of their file.
[[nodiscard]] QString profileTitleFor(const cost::MeasuringSetup& setup);
/// The times that this computer has of a setup; a profile without times if it has none. Reads a file, so call it in a job.
[[nodiscard]] Result<cost::CostProfile> knownTimes(const cost::MeasuringSetup& setup);
/// Adds the times to the file of their setup, and returns it.
[[nodiscard]] Result<QString> keepTimes(cost::CostProfile profile);
/// The file of times of that setup while they are measured, in a folder that exists. The profile must outlive it.
[[nodiscard]] cost::GrowingProfile growingTimes(const cost::MeasuringSetup& setup, cost::CostProfile& profile);
/// For people: the title of a shipped profile, or the name of the file.
[[nodiscard]] QString profileLabel(const QString& name);

}  // namespace mitos::views
