// SPDX-License-Identifier: GPL-3.0-or-later
// Light, dark, or as the system says; and the size of texts.
#pragma once

#include "views/preferences/preferences.h"

class QApplication;

namespace mitos::views {

/// Sets style and palette of the application; open windows follow.
void applyAppearance(QApplication& application, Appearance appearance);
/// That, and the size of texts.
void applyPreferences(QApplication& application, const Preferences& preferences);

}  // namespace mitos::views
