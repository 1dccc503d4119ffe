// SPDX-License-Identifier: GPL-3.0-or-later
// Widgets of the bar at the top: boxes that carry their label inside, the field that opens "Go to anything", and what is left out where
// the bar is too narrow.
#pragma once

#include <QComboBox>
#include <QToolButton>
#include <functional>
#include <vector>

class QToolBar;

namespace mitos::views {

/// A box with its label in front of the chosen entry: "Cost ks-2021".
class LabelledBox : public QComboBox {
    Q_OBJECT
public:
    explicit LabelledBox(const QString& label, QWidget* parent = nullptr);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;
    void setLabelled(bool isLabelled);
    [[nodiscard]] int labelWidth() const;
    /// A narrow box cuts off long entries.
    void setNarrow(bool isNarrow);
    /// By how much it becomes narrower then.
    [[nodiscard]] int cutWidth() const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_label;
    bool m_isLabelled = true;
    bool m_isNarrow = false;
};

/// A button that looks like an empty field: what it does, and the key for it at its end.
class FieldButton : public QToolButton {
    Q_OBJECT
public:
    explicit FieldButton(QAction* action, const QString& text, QWidget* parent = nullptr);

    [[nodiscard]] QSize sizeHint() const override;
    /// Shows the icon only.
    void setNarrow(bool isNarrow);
    /// By how much it becomes narrower then.
    [[nodiscard]] int cutWidth() const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    [[nodiscard]] int fieldWidth() const;

    QString m_text;
    bool m_isNarrow = false;
};

/// Something in a bar that can be left out or shortened.
struct BarPart {
    std::function<int()> width;      ///< what leaving it out saves, in pixels
    std::function<void(bool)> show;  ///< or leaves it out
};

/// Leaves out parts of a bar, the first ones first, until the others fit.
class BarFit : public QObject {
    Q_OBJECT
public:
    BarFit(QToolBar& bar, std::vector<BarPart> parts);

    [[nodiscard]] bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fit();

    QToolBar& m_bar;
    std::vector<BarPart> m_parts;
    std::size_t m_leftOut = 0;
};

}  // namespace mitos::views
