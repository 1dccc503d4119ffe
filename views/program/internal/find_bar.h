// SPDX-License-Identifier: GPL-3.0-or-later
// The search field for the program's text.
#pragma once

#include <QWidget>

class QLabel;
class QLineEdit;
class QToolButton;

namespace mitos::views {

class Theme;

class FindBar : public QWidget {
    Q_OBJECT
public:
    explicit FindBar(QWidget* parent = nullptr);
    void open();
    [[nodiscard]] QString text() const;
    void showCount(int current, int count);

Q_SIGNALS:
    void textChanged(const QString& text);
    void next();
    void previous();
    void closed();

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void updateIcons();

    QLineEdit* m_edit;
    QLabel* m_count;
    QToolButton* m_previous;
    QToolButton* m_next;
    QToolButton* m_close;
};

}  // namespace mitos::views
