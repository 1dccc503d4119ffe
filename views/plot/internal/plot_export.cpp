// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plot/internal/plot_export.h"

#include "core/base/csv.h"
#include "views/plot/qcustomplot_wrapper.h"

#include <QLocale>

namespace mitos::views {

namespace {

constexpr int PixelFactor = 2;

QString field(const QString& text) { return QString::fromStdString(csvText(text.toStdString())); }

QString number(double value) { return QString::number(value, 'g', QLocale::FloatingPointShortest); }

}  // namespace

QByteArray plotPicture(QCustomPlot& plot, PictureFormat format) {
    return pictureOf(
        format, plot.size(), {},
        [&plot, format](QPaintDevice& device) {
            QCPPainter painter(&device);
            if (format != PictureFormat::Png) painter.setMode(QCPPainter::pmVectorized);
            painter.setMode(QCPPainter::pmNoCaching);
            plot.toPainter(&painter, plot.width(), plot.height());
        },
        PixelFactor);
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
