// SPDX-License-Identifier: GPL-3.0-or-later
// See layouts.h.
#include "views/main_window/internal/layouts.h"

#include "views/common/widgets.h"

#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSettings>
#include <QUrl>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {
constexpr int LongestName = 60;
constexpr QSize DialogSize(420, 320);
}  // namespace

/// Names may contain characters that have a meaning in keys.
QString Layouts::key(const QString& name) const {
    return QStringLiteral("layouts/%1/%2").arg(m_perspective, QString::fromLatin1(QUrl::toPercentEncoding(name)));
}

QStringList Layouts::names() const {
    QSettings settings;
    settings.beginGroup(QStringLiteral("layouts/") + m_perspective);
    QStringList names;
    for (const QString& name : settings.childKeys()) names << QUrl::fromPercentEncoding(name.toLatin1());
    std::ranges::sort(names, [](const QString& a, const QString& b) { return a.localeAwareCompare(b) < 0; });
    return names;
}

QByteArray Layouts::find(const QString& name) const { return QSettings().value(key(name)).toByteArray(); }

void Layouts::store(const QString& name, const QByteArray& layout) const { QSettings().setValue(key(name), layout); }

void Layouts::remove(const QString& name) const { QSettings().remove(key(name)); }

LayoutDialog::LayoutDialog(Layouts layouts, QByteArray shown, QWidget* parent)
    : QDialog(parent),
      m_layouts(std::move(layouts)),
      m_shown(std::move(shown)),
      m_list(new QListWidget),
      m_name(new QLineEdit),
      m_save(new QPushButton(tr("&Save"))),
      m_rename(new QPushButton(tr("&Rename"))),
      m_remove(new QPushButton(tr("&Delete"))),
      m_use(new QPushButton(tr("&Use"))) {
    setObjectName(QStringLiteral("layoutDialog"));
    setWindowTitle(tr("Layouts"));
    auto* label = new QLabel(tr("A layout is which views are shown around the program, where, and how large."));
    label->setWordWrap(true);
    setUpWidget(m_name, "layoutName", {}, tr("Name of the layout"));
    m_name->setPlaceholderText(tr("Name for the layout shown"));
    m_name->setMaxLength(LongestName);
    setUpWidget(m_list, "layoutList", {}, tr("Layouts"));
    setUpWidget(m_save, "saveLayout", tr("Save the layout shown under this name"));
    setUpWidget(m_rename, "renameLayout", tr("Give the chosen layout this name"));
    setUpWidget(m_remove, "deleteLayout", {});
    setUpWidget(m_use, "useLayout", {});
    auto* close = new QPushButton(tr("&Close"));
    close->setObjectName(QStringLiteral("closeLayouts"));
    for (QPushButton* button : {m_rename, m_remove, m_use, close}) button->setAutoDefault(false);
    m_save->setDefault(true);
    fillColumn(
        this, {label, rowOf({{m_name, 1}, m_save, m_rename}), {m_list, 1}, rowOf({m_remove, stretch(), m_use, close})});
    resize(DialogSize);
    connect(m_name, &QLineEdit::textChanged, this, &LayoutDialog::update);
    connect(m_list, &QListWidget::currentItemChanged, this, &LayoutDialog::update);
    connect(m_list, &QListWidget::itemActivated, m_use, &QPushButton::click);
    connect(m_save, &QPushButton::clicked, this, &LayoutDialog::save);
    connect(m_rename, &QPushButton::clicked, this, &LayoutDialog::rename);
    connect(m_remove, &QPushButton::clicked, this, &LayoutDialog::remove);
    connect(m_use, &QPushButton::clicked, this, [this] {
        const QString name = chosen();
        accept();
        Q_EMIT used(name);
    });
    connect(close, &QPushButton::clicked, this, &QDialog::reject);
    fill({});
    m_name->setFocus();
}

void LayoutDialog::fill(const QString& current) {
    m_list->clear();
    m_list->addItems(m_layouts.names());
    for (QListWidgetItem* item : m_list->findItems(current, Qt::MatchExactly | Qt::MatchCaseSensitive))
        m_list->setCurrentItem(item);
    update();
}

QString LayoutDialog::typed() const { return m_name->text().trimmed(); }

QString LayoutDialog::chosen() const {
    return m_list->currentItem() != nullptr ? m_list->currentItem()->text() : QString();
}

void LayoutDialog::update() {
    const bool isTaken = !m_layouts.find(typed()).isEmpty();
    m_save->setEnabled(!typed().isEmpty());
    m_save->setText(isTaken && !typed().isEmpty() ? tr("&Replace") : tr("&Save"));
    m_rename->setEnabled(!typed().isEmpty() && !isTaken && !chosen().isEmpty());
    m_remove->setEnabled(!chosen().isEmpty());
    m_use->setEnabled(!chosen().isEmpty());
}

void LayoutDialog::save() {
    m_layouts.store(typed(), m_shown);
    fill(typed());
    m_name->clear();
}

void LayoutDialog::rename() {
    m_layouts.store(typed(), m_layouts.find(chosen()));
    m_layouts.remove(chosen());
    fill(typed());
    m_name->clear();
}

void LayoutDialog::remove() {
    m_layouts.remove(chosen());
    fill({});
}

}  // namespace mitos::views
