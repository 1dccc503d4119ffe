// SPDX-License-Identifier: GPL-3.0-or-later
// The page of all keys: grouped, searchable by words or by pressing keys, with conflicts marked.
#pragma once

#include <QKeySequence>
#include <QList>
#include <QString>
#include <QWidget>

class QKeySequenceEdit;
class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace mitos::views {

struct KeyEntry {
    QString group;  ///< a menu, or a view whose keys work while it has the focus
    QList<QKeySequence> keys;
    QString gesture;  ///< what is not a key: "Ctrl + wheel"
    QString effect;
    QString action;  ///< name of the action whose keys can be changed; empty for keys of views
};

class KeysPage : public QWidget {
    Q_OBJECT
public:
    explicit KeysPage(QWidget* parent = nullptr);

    /// Groups are listed in the order of their first entries.
    void setEntries(const QList<KeyEntry>& entries);
    void focusSearch();

Q_SIGNALS:
    void changeRequested(const QString& action);

private:
    void fill();
    void filter();
    void updateChange();
    /// The effects of other entries that the same keys have at the same time.
    [[nodiscard]] QStringList conflicts(const KeyEntry& entry) const;
    [[nodiscard]] bool isWanted(const KeyEntry& entry) const;

    QList<KeyEntry> m_entries;
    QLineEdit* m_words;
    QKeySequenceEdit* m_keys;
    QTreeWidget* m_table;
    QLabel* m_status;
    QPushButton* m_change;
};

}  // namespace mitos::views
