// SPDX-License-Identifier: GPL-3.0-or-later
// Explains the fills of a graph's boxes; clicking an entry asks to show its boxes.
#pragma once

#include <QRect>
#include <QString>
#include <QWidget>
#include <optional>
#include <vector>

namespace mitos::views {

class GraphLegend : public QWidget {
    Q_OBJECT
public:
    struct Entry {
        int fill = 0;  ///< of Theme::fill()
        QString name;
    };

    explicit GraphLegend(QWidget* parent = nullptr);

    void setEntries(std::vector<Entry> entries);  ///< hidden if there are none
    void setChosen(std::optional<int> fill);
    [[nodiscard]] std::optional<int> chosen() const { return m_chosen; }
    /// The place of an entry; empty if there is none with this fill.
    [[nodiscard]] QRect rectOf(int fill) const;

    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override;

Q_SIGNALS:
    void clicked(int fill);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    /// The places of all entries in a legend of this width.
    [[nodiscard]] std::vector<QRect> places(int width) const;
    [[nodiscard]] int entryAt(const QPoint& point) const;

    std::vector<Entry> m_entries;
    std::optional<int> m_chosen;
    int m_hovered = -1;
};

}  // namespace mitos::views
