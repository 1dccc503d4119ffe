// SPDX-License-Identifier: GPL-3.0-or-later
// The font of titles inside a view.
#pragma once

#include <QFont>

namespace mitos::views {

[[nodiscard]] inline QFont strongFont(QFont font) {
    font.setWeight(QFont::DemiBold);
    return font;
}

}  // namespace mitos::views
