// SPDX-License-Identifier: GPL-3.0-or-later
// What a plot shows, as a picture and as data.
#pragma once

#include "views/common/picture.h"

#include <QByteArray>
#include <QString>

class QCustomPlot;

namespace mitos::views {

/// The plot as it is drawn, in its present size. PNG has twice the pixels of the screen.
[[nodiscard]] QByteArray plotPicture(QCustomPlot& plot, PictureFormat format);

/// All points of the named curves as CSV (RFC 4180), one per line, whether or not they are in view: curve, horizontal and
/// vertical coordinate, with the axes' labels as titles. Curves without a name are marks and are left out.
[[nodiscard]] QString plotData(const QCustomPlot& plot);

}  // namespace mitos::views
