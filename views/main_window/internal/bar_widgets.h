// SPDX-License-Identifier: GPL-3.0-or-later
// Widgets of the bar at the top: boxes that carry their label inside, and the field that opens "Go to anything".
#pragma once

#include <QComboBox>
#include <QToolButton>

namespace mitos::views {

/// A box with its label in front of the chosen entry: "Cost ks-2021".
class LabelledBox : public QComboBox {
    Q_OBJECT
public:
    explicit LabelledBox(const QString& label, QWidget* parent = nullptr);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    [[nodiscard]] int labelWidth() const;

    QString m_label;
};

/// A button that looks like an empty field: what it does, and the key for it at its end.
class FieldButton : public QToolButton {
    Q_OBJECT
public:
    explicit FieldButton(QAction* action, const QString& text, QWidget* parent = nullptr);

    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_text;
};

}  // namespace mitos::views
