// SPDX-License-Identifier: GPL-3.0-or-later
// Saves a graph as a picture; the dialog shows its size before it is saved.
#pragma once

#include "views/common/picture.h"

#include <QByteArray>
#include <QDialog>
#include <QGraphicsView>

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;

namespace mitos::views {

struct PictureOptions {
    PictureFormat format = PictureFormat::Svg;
    bool wholeGraph = true;  ///< at its natural size; else the visible part, as shown
    QString title;           ///< above the graph; may be empty
    QString footer;          ///< below it; may be empty
};

struct Picture {
    QByteArray data;  ///< empty if the picture would be too large
    QSize pixels;
};

/// Many programs refuse wider or higher pictures.
inline constexpr int LargestPictureSide = 16'000;

[[nodiscard]] Picture makePicture(QGraphicsView& view, const PictureOptions& options);

class PictureDialog : public QDialog {
    Q_OBJECT
public:
    PictureDialog(QGraphicsView& view, const QString& title, const QString& footer, QWidget* parent = nullptr);

    [[nodiscard]] PictureOptions options() const;
    /// Writes the picture; shows success or the error in the dialog.
    bool write(const QString& path);

private:
    void refresh();
    void askForPath();

    QGraphicsView& m_view;
    QString m_title;
    QString m_footer;
    Picture m_picture;
    QComboBox* m_format;
    QComboBox* m_part;
    QCheckBox* m_withTitle;
    QCheckBox* m_withFooter;
    QLabel* m_size;
    QLabel* m_status;
    QPushButton* m_save;
};

}  // namespace mitos::views
