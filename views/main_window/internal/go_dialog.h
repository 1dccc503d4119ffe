// SPDX-License-Identifier: GPL-3.0-or-later
// Quick access: the user types a few letters of an action, a state or a rule, and presses Enter.
#pragma once

#include <QDialog>
#include <QList>
#include <functional>

class QLineEdit;
class QTreeWidget;

namespace mitos::views {

struct GoEntry {
    QString kind;  ///< "action", "state", "rule"
    QString text;
    QString detail;  ///< a shortcut, a cost
    std::function<void()> go;
};

class GoDialog : public QDialog {
    Q_OBJECT
public:
    explicit GoDialog(QList<GoEntry> entries, QWidget* parent = nullptr);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void filter();
    void choose();

    QList<GoEntry> m_entries;
    QLineEdit* m_edit;
    QTreeWidget* m_list;
};

}  // namespace mitos::views
