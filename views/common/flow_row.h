// SPDX-License-Identifier: GPL-3.0-or-later
// A row of small widgets that continues in further lines where it does not fit, so that it never makes a window wider.
#pragma once

#include <QLayout>
#include <QList>
#include <memory>
#include <vector>

namespace mitos::views {

/// Hidden widgets take no room.
class FlowRow : public QLayout {
    Q_OBJECT
public:
    /// Lines are aligned at the left or at the right.
    explicit FlowRow(Qt::Alignment side = Qt::AlignRight) : m_side(side) {}
    ~FlowRow() override;

    void insertWidget(int index, QWidget* widget);

    void addItem(QLayoutItem* item) override;
    [[nodiscard]] int count() const override;
    [[nodiscard]] QLayoutItem* itemAt(int index) const override;
    QLayoutItem* takeAt(int index) override;
    [[nodiscard]] Qt::Orientations expandingDirections() const override { return {}; }
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize minimumSize() const override;
    [[nodiscard]] QSize sizeHint() const override;
    void setGeometry(const QRect& room) override;

private:
    using Line = std::vector<QLayoutItem*>;
    [[nodiscard]] std::vector<Line> lines(int width) const;
    [[nodiscard]] static int heightOf(const Line& line);
    [[nodiscard]] int widthOf(const Line& line) const;
    [[nodiscard]] int gap() const { return spacing() < 0 ? 0 : spacing(); }

    Qt::Alignment m_side;
    std::vector<std::unique_ptr<QLayoutItem>> m_items;
};

}  // namespace mitos::views
