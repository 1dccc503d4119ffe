// SPDX-License-Identifier: GPL-3.0-or-later
// Arrangements of docks that the user has named, for each perspective; kept in QSettings.
#pragma once

#include <QByteArray>
#include <QDialog>
#include <QString>
#include <QStringList>

class QLineEdit;
class QListWidget;
class QPushButton;

namespace mitos::views {

/// The named layouts of a perspective.
class Layouts {
public:
    explicit Layouts(QString perspective) : m_perspective(std::move(perspective)) {}

    [[nodiscard]] QStringList names() const;  ///< in alphabetical order
    /// Empty if there is no layout of that name.
    [[nodiscard]] QByteArray find(const QString& name) const;
    /// Replaces a layout of the same name.
    void store(const QString& name, const QByteArray& layout) const;
    void remove(const QString& name) const;

private:
    [[nodiscard]] QString key(const QString& name) const;

    QString m_perspective;
};

/// Saves the layout shown under a name; uses, renames and deletes layouts.
class LayoutDialog : public QDialog {
    Q_OBJECT
public:
    /// `shown` is the layout to be saved.
    LayoutDialog(Layouts layouts, QByteArray shown, QWidget* parent = nullptr);

Q_SIGNALS:
    void used(const QString& name);

private:
    void fill(const QString& current);
    void update();
    void save();
    void rename();
    void remove();
    [[nodiscard]] QString typed() const;
    [[nodiscard]] QString chosen() const;

    Layouts m_layouts;
    QByteArray m_shown;
    QListWidget* m_list;
    QLineEdit* m_name;
    QPushButton* m_save;
    QPushButton* m_rename;
    QPushButton* m_remove;
    QPushButton* m_use;
};

}  // namespace mitos::views
