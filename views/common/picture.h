// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures as files, in one way for graphs, plots and charts.
#pragma once

#include <QByteArray>
#include <QSize>
#include <QString>
#include <functional>

class QPaintDevice;

namespace mitos::views {

enum class PictureFormat { Svg, Pdf, Png };

/// "svg", "pdf", "png".
[[nodiscard]] QString suffixOf(PictureFormat format);
/// The format of a file with that name; PNG for endings that are no picture's.
[[nodiscard]] PictureFormat formatOf(const QString& path);

/// A picture of that size, which `draw` paints on the device it gets. PNG has `factor` times the pixels; it is empty if these were too
/// many.
[[nodiscard]] QByteArray pictureOf(PictureFormat format, const QSize& size, const QString& title,
                                   const std::function<void(QPaintDevice&)>& draw, int factor = 1);

}  // namespace mitos::views
