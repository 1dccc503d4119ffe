// SPDX-License-Identifier: GPL-3.0-or-later
// The keys and gestures of one view: handled and described in one place, so that the page of all keys lists what is true.
#pragma once

#include <QKeySequence>
#include <QList>
#include <QObject>
#include <QString>
#include <functional>

class QKeyEvent;
class QWidget;

namespace mitos::views {

/// Handles keys of a widget while it has the focus. A child of the widget; the page of all keys finds it there.
class ViewKeys : public QObject {
    Q_OBJECT
public:
    struct Entry {
        QList<QKeySequence> keys;
        QString gesture;  ///< "Ctrl + wheel"; of entries that the widget handles itself
        QString effect;
        std::function<void()> work = {};
    };

    /// `group` is the title below which the keys are listed: the view as people know it.
    ViewKeys(QWidget* widget, QString group);

    void add(const QList<QKeySequence>& keys, const QString& effect, std::function<void()> work);
    /// Describes what the widget does by itself.
    void describe(const QString& gesture, const QString& effect);

    [[nodiscard]] const QString& group() const { return m_group; }
    [[nodiscard]] const QList<Entry>& entries() const { return m_entries; }

    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    [[nodiscard]] static bool matches(const QKeySequence& keys, const QKeyEvent& event);

    QString m_group;
    QList<Entry> m_entries;
};

}  // namespace mitos::views
