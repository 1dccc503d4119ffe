// SPDX-License-Identifier: GPL-3.0-or-later
// Light, dark, or as the system says: the choice and its palette.
#pragma once

#include <QPalette>
#include <QString>

class QApplication;

namespace mitos::views {

enum class Appearance { System, Light, Dark };

/// The user's choice, from the settings.
[[nodiscard]] Appearance storedAppearance();
void storeAppearance(Appearance appearance);
/// Sets style and palette of the application; open windows follow.
void applyAppearance(QApplication& application, Appearance appearance);

}  // namespace mitos::views
