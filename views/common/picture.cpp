// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/picture.h"

#include <QBuffer>
#include <QImage>
#include <QPageSize>
#include <QPdfWriter>
#include <QSvgGenerator>

namespace mitos::views {

namespace {

constexpr double LargestPixels = 1e8;  // of a PNG: 400 MB while it is rendered
constexpr int ScreenDpi = 96;
constexpr double PointsAPixel = 72.0 / ScreenDpi;

}  // namespace

QString suffixOf(PictureFormat format) {
    switch (format) {
        case PictureFormat::Svg: return QStringLiteral("svg");
        case PictureFormat::Pdf: return QStringLiteral("pdf");
        case PictureFormat::Png: return QStringLiteral("png");
    }
    return {};
}

PictureFormat formatOf(const QString& path) {
    for (const PictureFormat format : {PictureFormat::Svg, PictureFormat::Pdf}) {
        if (path.endsWith(QLatin1Char('.') + suffixOf(format), Qt::CaseInsensitive)) return format;
    }
    return PictureFormat::Png;
}

QByteArray pictureOf(PictureFormat format, const QSize& size, const QString& title,
                     const std::function<void(QPaintDevice&)>& draw, int factor) {
    QByteArray data;
    QBuffer buffer(&data);
    buffer.open(QIODevice::WriteOnly);
    switch (format) {
        case PictureFormat::Svg: {
            QSvgGenerator svg;
            svg.setOutputDevice(&buffer);
            svg.setSize(size);
            svg.setViewBox(QRect(QPoint(), size));
            svg.setResolution(ScreenDpi);
            svg.setTitle(title);
            draw(svg);
            break;
        }
        case PictureFormat::Pdf: {
            QPdfWriter pdf(&buffer);
            pdf.setResolution(ScreenDpi);
            pdf.setTitle(title);
            pdf.setPageSize(QPageSize(QSizeF(size) * PointsAPixel, QPageSize::Point, {}, QPageSize::ExactMatch));
            pdf.setPageMargins({});
            draw(pdf);
            break;
        }
        case PictureFormat::Png: {
            const QSize pixels = size * factor;
            if (static_cast<double>(pixels.width()) * pixels.height() > LargestPixels) break;
            QImage image(pixels, QImage::Format_ARGB32_Premultiplied);
            image.setDevicePixelRatio(factor);
            draw(image);
            image.save(&buffer, "PNG");
            break;
        }
    }
    buffer.close();
    return data;
}

}  // namespace mitos::views
