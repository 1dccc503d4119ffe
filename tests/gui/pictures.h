// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures of widgets in light and dark, for people to look at; tests judge structure, not pixels.
#pragma once

#include "views/theme/theme.h"

#include <QApplication>
#include <QDir>
#include <QImage>
#include <QPixmap>
#include <QWidget>

namespace mitos::test {

/// Writes pictures/NAME-light.png and NAME-dark.png below the build folder and leaves the light palette in force. False
/// if a picture shows one colour only, or both look the same.
inline bool takePictures(QWidget& widget, const QString& name) {
    const QDir folder(QStringLiteral(MITOS_BINARY_DIR "/pictures"));
    folder.mkpath(QStringLiteral("."));
    const auto take = [&](const QPalette& palette, const QString& suffix) {
        QApplication::setPalette(palette);
        QCoreApplication::processEvents();  // the change of palette reaches every widget; plots redraw at once
        const QImage picture = widget.grab().toImage();
        return picture.save(folder.filePath(name + suffix + QStringLiteral(".png"))) ? picture : QImage();
    };
    const QImage dark = take(views::Theme::darkPalette(), QStringLiteral("-dark"));
    const QImage light = take(views::Theme::lightPalette(), QStringLiteral("-light"));
    const auto isBlank = [](const QImage& picture) {
        QImage one(picture.size(), picture.format());
        one.fill(picture.pixelColor(0, 0));
        return picture.isNull() || picture == one;
    };
    return !isBlank(dark) && !isBlank(light) && dark != light;
}

}  // namespace mitos::test
