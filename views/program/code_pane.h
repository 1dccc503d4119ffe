// SPDX-License-Identifier: GPL-3.0-or-later
// The text of a program below a title with its name and costs: the other program of a difference, a derivative.
#pragma once

#include <QWidget>

class QLabel;
class QToolButton;

namespace mitos::views {

class CodeView;
class ElidedLabel;

class CodePane : public QWidget {
    Q_OBJECT
public:
    /// `name` is the object name of the text.
    CodePane(const QString& name, const QString& accessibleName, bool closable, QWidget* parent = nullptr);

    [[nodiscard]] CodeView& code() { return *m_code; }
    /// The costs are always shown in full; the title is shortened where there is little room.
    void setTitle(const QString& title, const QString& costs = {});

Q_SIGNALS:
    void closed();

private:
    ElidedLabel* m_title;
    QLabel* m_costs;
    QToolButton* m_close;
    CodeView* m_code;
};

}  // namespace mitos::views
