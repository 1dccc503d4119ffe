// SPDX-License-Identifier: GPL-3.0-or-later
// Sets the appearance of the application: light, dark, or the system's; and the text size.
#pragma once

#include "views/preferences/preferences.h"

class QApplication;

namespace mitos::views {

/// Sets the style and palette of the application; open windows are updated.
void applyAppearance(QApplication& application, Appearance appearance);
/// Sets the appearance and the text size.
void applyPreferences(QApplication& application, const Preferences& preferences);

/// Makes all texts larger or smaller by a number of steps between 80 and 200 % of the usual size; 0 restores it. Stores the choice.
void scaleTexts(QApplication& application, int steps);

}  // namespace mitos::views
