// SPDX-License-Identifier: GPL-3.0-or-later
// Sizes that all layers of a graph share.
#pragma once

namespace mitos::views {

inline constexpr double ScaleForText = 0.4;  ///< below it, text is left out
inline constexpr double LinePadding = 3.0;
inline constexpr double Radius = 4.0;
inline constexpr double CaptionGap = 2.0;

}  // namespace mitos::views
