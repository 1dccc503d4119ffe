// SPDX-License-Identifier: GPL-3.0-or-later
// The picture is rendered whenever an option changes, so that its size is exact.
#include "views/graph/internal/picture_dialog.h"

#include "core/base/source_text.h"
#include "views/common/format.h"
#include "views/common/save_dialog.h"
#include "views/common/widgets.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFile>
#include <QFormLayout>
#include <QLabel>
#include <QLocale>
#include <QPainter>
#include <QPushButton>
#include <algorithm>
#include <string_view>

namespace mitos::views {

namespace {

constexpr int TextMargin = 12;

}  // namespace

Picture makePicture(QGraphicsView& view, const PictureOptions& options) {
    const QRectF source =
        options.wholeGraph ? view.sceneRect() : view.mapToScene(view.viewport()->rect()).boundingRect();
    const double scale = options.wholeGraph ? 1.0 : view.transform().m11();
    const QFontMetrics metrics(view.font());
    const int line = metrics.height() + TextMargin;
    const int above = options.title.isEmpty() ? 0 : line;
    const int below = options.footer.isEmpty() ? 0 : line;
    int width = qRound(source.width() * scale);
    for (const QString& text : {options.title, options.footer}) {
        if (!text.isEmpty()) width = std::max(width, metrics.horizontalAdvance(text) + 2 * TextMargin);
    }
    const int height = qRound(source.height() * scale);
    Picture picture;
    picture.pixels = QSize(std::max(1, width), std::max(1, height + above + below));
    const QRect all(QPoint(), picture.pixels);
    picture.data = pictureOf(options.format, picture.pixels, options.title, [&](QPaintDevice& device) {
        QPainter painter(&device);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setFont(view.font());
        painter.fillRect(all, view.palette().color(QPalette::Base));
        painter.setPen(view.palette().color(QPalette::Text));
        if (above > 0) painter.drawText(all.adjusted(TextMargin, TextMargin / 2, 0, 0), Qt::AlignTop, options.title);
        if (below > 0) {
            painter.drawText(all.adjusted(TextMargin, 0, 0, -TextMargin / 2), Qt::AlignBottom, options.footer);
        }
        const QRectF target((width - source.width() * scale) / 2.0, above, source.width() * scale,
                            source.height() * scale);
        view.scene()->render(&painter, target, source);
    });
    return picture;
}

PictureDialog::PictureDialog(QGraphicsView& view, const QString& title, const QString& footer, QWidget* parent)
    : QDialog(parent),
      m_view(view),
      m_title(title),
      m_footer(footer),
      m_format(new QComboBox(this)),
      m_part(new QComboBox(this)),
      m_withTitle(new QCheckBox(tr("Title: %1").arg(title), this)),
      m_withFooter(new QCheckBox(tr("What is shown: %1").arg(footer), this)),
      m_size(new QLabel(this)),
      m_status(new QLabel(this)) {
    setObjectName(QStringLiteral("pictureDialog"));
    setWindowTitle(tr("Save as a Picture"));
    m_format->setObjectName(QStringLiteral("pictureFormat"));
    m_format->addItems({tr("SVG (drawing, any size)"), tr("PDF (drawing, for print)"), tr("PNG (pixels)")});
    m_part->setObjectName(QStringLiteral("picturePart"));
    m_part->addItems({tr("The whole graph, at its own size"), tr("What the view shows")});
    m_withTitle->setObjectName(QStringLiteral("pictureTitle"));
    m_withTitle->setChecked(!title.isEmpty());
    m_withTitle->setEnabled(!title.isEmpty());
    m_withFooter->setObjectName(QStringLiteral("pictureFooter"));
    m_withFooter->setChecked(!footer.isEmpty());
    m_withFooter->setEnabled(!footer.isEmpty());
    m_size->setObjectName(QStringLiteral("pictureSize"));
    m_status->setObjectName(QStringLiteral("pictureStatus"));
    m_status->setWordWrap(true);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Close, this);
    m_save = buttons->button(QDialogButtonBox::Save);
    m_save->setObjectName(QStringLiteral("pictureSave"));
    auto* form = new QFormLayout;
    form->addRow(tr("&Format"), m_format);
    form->addRow(tr("&Part"), m_part);
    form->addRow(QString(), m_withTitle);
    form->addRow(QString(), m_withFooter);
    form->addRow(tr("Size"), m_size);
    fillColumn(this, {form, m_status, buttons});
    for (QComboBox* box : {m_format, m_part})
        connect(box, &QComboBox::currentIndexChanged, this, &PictureDialog::refresh);
    for (QCheckBox* box : {m_withTitle, m_withFooter}) connect(box, &QCheckBox::toggled, this, &PictureDialog::refresh);
    connect(m_save, &QPushButton::clicked, this, &PictureDialog::askForPath);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    refresh();
}

PictureOptions PictureDialog::options() const {
    return {.format = static_cast<PictureFormat>(m_format->currentIndex()),
            .wholeGraph = m_part->currentIndex() == 0,
            .title = m_withTitle->isChecked() ? m_title : QString(),
            .footer = m_withFooter->isChecked() ? m_footer : QString()};
}

void PictureDialog::refresh() {
    m_picture = makePicture(m_view, options());
    const QLocale locale;
    m_size->setText(tr("%1 × %2 pixels, %3")
                        .arg(locale.toString(m_picture.pixels.width()), locale.toString(m_picture.pixels.height()),
                             locale.formattedDataSize(m_picture.data.size())));
    m_save->setEnabled(!m_picture.data.isEmpty());
    if (m_picture.data.isEmpty()) {
        m_status->setText(tr("Too large for pixels; SVG and PDF have no such limit."));
    } else if (std::max(m_picture.pixels.width(), m_picture.pixels.height()) > LargestPictureSide) {
        m_status->setText(tr("Many programs refuse pictures of more than %L1 pixels a side.").arg(LargestPictureSide));
    } else {
        m_status->clear();
    }
}

void PictureDialog::askForPath() {
    const QString suffix = suffixOf(options().format);
    const SaveRequest request{.objectName = QStringLiteral("pictureSaveDialog"),
                              .title = windowTitle(),
                              .kinds = {{tr("%1 pictures").arg(suffix.toUpper()), suffix}}};
    askWhereToSave(this, request, [this](const QString& path) { write(path); });
}

bool PictureDialog::write(const QString& path) {
    const std::string_view content(m_picture.data.constData(), static_cast<std::size_t>(m_picture.data.size()));
    const Status written = writeFile(QFile::encodeName(path).toStdString(), content);
    m_status->setText(savedText(path, written));
    return written.ok();
}

}  // namespace mitos::views
