// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plot/internal/plot_export.h"

#include "core/base/csv.h"
#include "views/plot/qcustomplot_wrapper.h"

#include <QBuffer>
#include <QLocale>
#include <QPdfWriter>
#include <QSvgGenerator>

namespace mitos::views {

namespace {

constexpr double PixelFactor = 2.0;
constexpr int ScreenDpi = 96;
constexpr double PointsAPixel = 72.0 / ScreenDpi;

QString field(const QString& text) { return QString::fromStdString(csvText(text.toStdString())); }

QString number(double value) { return QString::number(value, 'g', QLocale::FloatingPointShortest); }

void drawAsVectors(QCustomPlot& plot, QPaintDevice& device) {
    QCPPainter painter(&device);
    painter.setMode(QCPPainter::pmVectorized);
    painter.setMode(QCPPainter::pmNoCaching);
    plot.toPainter(&painter, plot.width(), plot.height());
}

}  // namespace

QByteArray plotPicture(QCustomPlot& plot, PlotFormat format) {
    QByteArray data;
    QBuffer buffer(&data);
    buffer.open(QIODevice::WriteOnly);
    switch (format) {
        case PlotFormat::Png: plot.toPixmap(plot.width(), plot.height(), PixelFactor).save(&buffer, "PNG"); break;
        case PlotFormat::Svg: {
            QSvgGenerator svg;
            svg.setOutputDevice(&buffer);
            svg.setSize(plot.size());
            svg.setViewBox(QRect(QPoint(), plot.size()));
            svg.setResolution(ScreenDpi);
            drawAsVectors(plot, svg);
            break;
        }
        case PlotFormat::Pdf: {
            QPdfWriter pdf(&buffer);
            pdf.setResolution(ScreenDpi);
            pdf.setPageSize(QPageSize(QSizeF(plot.size()) * PointsAPixel, QPageSize::Point, {}, QPageSize::ExactMatch));
            pdf.setPageMargins({});
            drawAsVectors(plot, pdf);
            break;
        }
    }
    buffer.close();
    return data;
}

QString plotData(const QCustomPlot& plot) {
    QString text = QStringLiteral("curve,%1,%2\n").arg(field(plot.xAxis->label()), field(plot.yAxis->label()));
    for (int i = 0; i < plot.graphCount(); ++i) {
        const QCPGraph& graph = *plot.graph(i);
        if (graph.name().isEmpty()) continue;
        const QString name = field(graph.name());
        for (const QCPGraphData& point : *graph.data())
            text += QStringLiteral("%1,%2,%3\n").arg(name, number(point.key), number(point.value));
    }
    return text;
}

}  // namespace mitos::views
