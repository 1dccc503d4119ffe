// SPDX-License-Identifier: GPL-3.0-or-later
// The placeholder of a view without content: one line that says why, and one button that changes it.
#pragma once

#include <QWidget>
#include <functional>

class QLabel;
class QPushButton;

namespace mitos::views {

class EmptyState : public QWidget {
    Q_OBJECT
public:
    explicit EmptyState(QWidget* parent = nullptr);

    /// Shows no button if the action text or the action is empty.
    void explain(const QString& text, const QString& actionText = {}, std::function<void()> action = {});
    [[nodiscard]] QString text() const;

private:
    QLabel* m_label;
    QPushButton* m_button;
    std::function<void()> m_action;
};

}  // namespace mitos::views
