// SPDX-License-Identifier: GPL-3.0-or-later
// A list of items to open, under headings.
#pragma once

#include <QList>
#include <QListWidget>
#include <QPointF>
#include <QString>
#include <functional>

namespace mitos::views {

/// What an entry shows besides its title.
struct EntryDetails {
    QString text;               ///< below the title
    QString change = {};        ///< at the right, strong; may be empty
    int direction = 0;          ///< of the change: negative if it is cheaper
    QList<QPointF> curve = {};  ///< at the right end (common/sparkline.h); may be empty
    bool isTrouble = false;     ///< the text says what is wrong
};

/// Each entry has a title and a short description. A click opens it, and so does Enter.
class EntryList : public QListWidget {
    Q_OBJECT
public:
    static constexpr int DetailRole = Qt::UserRole;
    static constexpr int PathRole = Qt::UserRole + 1;
    static constexpr int HeadingRole = Qt::UserRole + 2;
    static constexpr int ChangeRole = Qt::UserRole + 3;
    static constexpr int DirectionRole = Qt::UserRole + 4;
    static constexpr int CurveRole = Qt::UserRole + 5;
    static constexpr int TroubleRole = Qt::UserRole + 6;

    explicit EntryList(QWidget* parent = nullptr);
    void addHeading(const QString& text);
    QListWidgetItem* addEntry(const QString& title, const QString& detail, const QString& path, bool enabled = true);
    static void setDetails(QListWidgetItem& item, const EntryDetails& details);
    /// Shows only the entries that are accepted, with their headings; makes the first of them current if the current one is hidden.
    /// Returns how many there are.
    int showOnly(const std::function<bool(const QListWidgetItem& entry, const QString& heading)>& accepts);
    /// Small: the list takes the space that is left.
    [[nodiscard]] QSize sizeHint() const override { return {240, 96}; }
    /// Whether a single click opens an entry, as usual; otherwise it only makes it current.
    void setOpensOnClick(bool opens) { m_opensOnClick = opens; }
    /// Makes the entry above or below the current one current.
    void step(int by);

Q_SIGNALS:
    void chosen(QListWidgetItem* item);
    void typed(const QString& text);  ///< text was entered while the list had the focus
    void removalRequested(QListWidgetItem* item);

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    bool m_opensOnClick = true;
};

}  // namespace mitos::views
