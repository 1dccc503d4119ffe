// SPDX-License-Identifier: GPL-3.0-or-later
// Saving a graph as a picture, with its size known before.
#pragma once

#include <QByteArray>
#include <QDialog>
#include <QGraphicsView>
#include <QTimer>

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;

namespace mitos::views {

enum class PictureFormat { Svg, Pdf, Png };

struct PictureOptions {
    PictureFormat format = PictureFormat::Svg;
    bool wholeGraph = true;  ///< at its own size; else what the view shows, as it shows it
    QString title;           ///< above the graph; may be empty
    QString footer;          ///< below it; may be empty
};

struct Picture {
    QByteArray data;  ///< empty: too large to be made
    QSize pixels;
};

/// Many programs refuse pictures that are wider or higher.
inline constexpr int LargestPictureSide = 16'000;

[[nodiscard]] Picture makePicture(QGraphicsView& view, const PictureOptions& options);

class PictureDialog : public QDialog {
    Q_OBJECT
public:
    PictureDialog(QGraphicsView& view, const QString& title, const QString& footer, QWidget* parent = nullptr);

    [[nodiscard]] PictureOptions options() const;
    /// Writes the picture; says so, or what went wrong, in the dialog.
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
