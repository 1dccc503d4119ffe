// SPDX-License-Identifier: GPL-3.0-or-later
// Messages about the session, shown above the program, with details on demand.
#pragma once

#include <QFrame>
#include <QTimer>
#include <functional>

class QLabel;
class QPlainTextEdit;
class QToolButton;

namespace mitos::views {

class MessageBar : public QFrame {
    Q_OBJECT
public:
    explicit MessageBar(QWidget* parent = nullptr);
    /// Whether the user can close it; otherwise it stays until it is hidden.
    void setClosable(bool closable);
    void showError(const QString& title, const QString& details);
    /// Shows the outcome of long work until it is closed or replaced.
    void showResult(const QString& text, const QString& details = {});
    /// Shows a message that disappears by itself.
    void showNotice(const QString& text, const QString& details = {});
    /// Adds a button to the message shown, which then stays until it is closed.
    void offer(const QString& text, std::function<void()> work);
    [[nodiscard]] QString text() const;
    [[nodiscard]] QString details() const;

private:
    void present(const QString& text, const QString& details, bool error);
    void updateIcons();

    QLabel* m_icon;
    QLabel* m_text;
    QToolButton* m_offer;
    QToolButton* m_more;
    QToolButton* m_copy;
    QToolButton* m_close;
    QPlainTextEdit* m_details;
    std::function<void()> m_work;
    QTimer m_timer;
    bool m_error = false;
};

}  // namespace mitos::views
