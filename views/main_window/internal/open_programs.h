// SPDX-License-Identifier: GPL-3.0-or-later
// The programs that are open in a window: one is shown, the others are sessions that continue when they are chosen.
#pragma once

#include "views/document/document.h"

#include <QList>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>

namespace mitos::views {

struct OpenProgram {
    QString session;  ///< path of its file
    QString name;     ///< document/session_names.h
    double initialCost = 0.0;
    double bestCost = 0.0;
};

/// Follows the document. A program that is left stays in the list until it is closed.
class OpenPrograms : public QObject {
    Q_OBJECT
public:
    explicit OpenPrograms(Document& document, QObject* parent = nullptr);

    /// Used last first; the program shown, if there is one, is the first.
    [[nodiscard]] const QList<OpenProgram>& programs() const { return m_programs; }
    /// Null if the session is not in the list.
    [[nodiscard]] const OpenProgram* find(const QString& session) const;
    /// The session to go to: `by` places further in the order of last use, which stands still while one goes on within a moment. Empty
    /// if there is no other one.
    [[nodiscard]] QString step(int by);
    [[nodiscard]] bool isShown(const OpenProgram& program) const;
    /// Number of its searches that run.
    [[nodiscard]] int searchesOf(const OpenProgram& program) const;
    /// Removes a program that is not shown from the list, and lets the document forget its session.
    void remove(const QString& session);
    /// The same, but the session goes on in another window.
    void handOver(const QString& session);
    /// Brings the entry of the program shown up to date.
    void update();

Q_SIGNALS:
    void changed();

private:
    void opened();

    Document& m_document;
    QList<OpenProgram> m_programs;
    bool m_isFirstShown = false;
    QStringList m_order;  ///< of sessions, while one steps through them
    int m_at = 0;
    QTimer m_settling;
};

}  // namespace mitos::views
