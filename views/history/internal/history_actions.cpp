// SPDX-License-Identifier: GPL-3.0-or-later
// Actions on the selected states of the history.
#include "views/history/internal/history_actions.h"

#include "views/common/format.h"

#include <QAction>
#include <QInputDialog>
#include <QMenu>
#include <QPainter>
#include <QTreeView>
#include <algorithm>

namespace mitos::views {

using rewrite::Marks;
using rewrite::StateId;

namespace {

constexpr int TagSize = 32;  // drawn large, displayed at the size of small icons

QIcon tag(const Theme& theme, int color) {
    QPixmap picture(TagSize, TagSize);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.category(color - 1));
    painter.drawRoundedRect(picture.rect().adjusted(2, 2, -2, -2), 6, 6);
    painter.setPen(theme.plotBackground());
    QFont font;
    font.setPixelSize(TagSize * 3 / 4);
    font.setBold(true);
    painter.setFont(font);
    painter.drawText(picture.rect(), Qt::AlignCenter, QString::number(color));
    return QIcon(picture);
}

}  // namespace

HistoryActions::HistoryActions(Document& document, Selection& selection, HistoryFilter& filter, QTreeView& tree)
    : QObject(&tree),
      m_document(document),
      m_selection(selection),
      m_filter(filter),
      m_tree(tree),
      m_menu(new QMenu(&tree)),
      m_colors(new QMenu(tr("&Colour"), m_menu)) {
    m_menu->setObjectName(QStringLiteral("historyMenu"));
    // Enter is handled by the tree itself; the menu only shows the key.
    m_checkOut = add(QStringLiteral("historyCheckOut"), tr("&Make It Current"), {}, &HistoryActions::checkOut);
    m_goToSame = add(QStringLiteral("historyGoToSame"), tr("&Go to the Same Program"), {}, &HistoryActions::goToSame);
    m_menu->addSeparator();
    m_pin = add(QStringLiteral("historyPin"), tr("&Pin"), Qt::Key_P, &HistoryActions::togglePin);
    m_pin->setCheckable(true);
    m_rename = add(QStringLiteral("historyRename"), tr("&Name"), Qt::Key_F2, &HistoryActions::rename);
    m_note = add(QStringLiteral("historyNote"), tr("N&ote…"), Qt::Key_N, &HistoryActions::writeNote);
    m_menu->addMenu(m_colors);
    for (int color = 0; color <= Theme::Categories; ++color) {
        QAction* made = m_colors->addAction(color == 0 ? tr("None") : tr("Colour %1").arg(color));
        made->setObjectName(QStringLiteral("historyColor%1").arg(color));
        made->setShortcut(QKeySequence(Qt::Key_0 + color));
        made->setShortcutContext(Qt::WidgetShortcut);
        m_tree.addAction(made);
        connect(made, &QAction::triggered, this, [this, color] { setColor(static_cast<std::uint32_t>(color)); });
    }
    m_menu->addSeparator();
    m_compare = add(QStringLiteral("historyCompare"), tr("&Compare"), Qt::Key_C, &HistoryActions::compare);
    m_stopComparing =
        add(QStringLiteral("historyStopComparing"), tr("&Stop Comparing"), {}, &HistoryActions::stopComparing);

    m_tree.setContextMenuPolicy(Qt::CustomContextMenu);
    connect(&m_tree, &QWidget::customContextMenuRequested, this, &HistoryActions::popUp);
    connect(m_tree.selectionModel(), &QItemSelectionModel::selectionChanged, this, &HistoryActions::update);
    connect(m_tree.selectionModel(), &QItemSelectionModel::currentChanged, this, &HistoryActions::update);
    connect(&m_document, &Document::marksChanged, this, &HistoryActions::update);
    connect(&m_document, &Document::currentChanged, this, &HistoryActions::update);
    connect(&m_selection, &Selection::comparedChanged, this, &HistoryActions::update);
    update();
}

QAction* HistoryActions::add(const QString& name, const QString& text, const QKeySequence& key,
                             void (HistoryActions::*does)()) {
    QAction* made = m_menu->addAction(text);
    made->setObjectName(name);
    made->setShortcut(key);
    made->setShortcutContext(Qt::WidgetShortcut);
    m_tree.addAction(made);
    connect(made, &QAction::triggered, this, does);
    return made;
}

QList<QIcon> HistoryActions::tags(const Theme& theme) {
    QList<QIcon> icons;
    for (int color = 1; color <= Theme::Categories; ++color) icons << tag(theme, color);
    return icons;
}

void HistoryActions::setTheme(const Theme& theme) {
    m_pin->setIcon(theme.icon(QStringLiteral("pin")));
    const QList<QIcon> icons = tags(theme);
    for (int color = 1; color <= Theme::Categories; ++color) m_colors->actions()[color]->setIcon(icons[color - 1]);
}

std::vector<StateId> HistoryActions::chosen() const {
    std::vector<StateId> states;
    if (!m_document.isOpen()) return states;
    const QModelIndex cursor = m_tree.currentIndex();
    for (const QModelIndex& row : m_tree.selectionModel()->selectedRows()) {
        if (!m_filter.history().isGroup(m_filter.mapToSource(row))) states.push_back(m_filter.state(row));
    }
    const auto last = std::ranges::find(states, m_filter.state(cursor));
    if (last != states.end()) std::rotate(last, last + 1, states.end());
    return states;
}

void HistoryActions::update() {
    const std::vector<StateId> states = chosen();
    const bool some = !states.empty();
    const bool one = states.size() == 1;
    for (QAction* action : {m_pin, m_colors->menuAction()}) action->setEnabled(some);
    for (QAction* action : m_colors->actions()) action->setEnabled(some);
    for (QAction* action : {m_rename, m_note}) action->setEnabled(one);
    const bool open = m_document.isOpen();
    const StateId current = open ? m_document.history().current() : StateId();
    const rewrite::HistoryState* state = some ? &m_document.history().state(states.back()) : nullptr;
    m_pin->setChecked(state != nullptr && state->marks.pinned);
    m_checkOut->setEnabled(one && states.front() != current);
    m_goToSame->setVisible(one && state->sameAs.isValid());
    if (m_goToSame->isVisible()) m_goToSame->setText(tr("&Go to the Same Program, #%1").arg(state->sameAs.value));
    const bool pair = states.size() == 2;
    m_compare->setEnabled(pair || (one && states.front() != current));
    m_compare->setText(pair  ? tr("&Compare #%1 with #%2").arg(states.front().value).arg(states.back().value)
                       : one ? tr("&Compare #%1 with the Current State").arg(states.front().value)
                             : tr("&Compare"));
    m_stopComparing->setVisible(m_selection.isComparing());
}

void HistoryActions::popUp(const QPoint& place) {
    if (m_tree.indexAt(place).isValid()) m_menu->popup(m_tree.viewport()->mapToGlobal(place));
}

void HistoryActions::change(const std::function<void(Marks&)>& change) {
    for (const StateId state : chosen()) {
        Marks marks = m_document.history().state(state).marks;
        change(marks);
        m_document.mark(state, marks);
    }
}

void HistoryActions::checkOut() {
    if (const std::vector<StateId> states = chosen(); !states.empty()) m_document.checkout(states.back());
}

void HistoryActions::togglePin() {
    const std::vector<StateId> states = chosen();
    if (states.empty()) return;
    const bool pinned = !m_document.history().state(states.back()).marks.pinned;
    change([pinned](Marks& marks) { marks.pinned = pinned; });
}

void HistoryActions::rename() { m_tree.edit(m_tree.currentIndex().siblingAtColumn(HistoryModel::StateColumn)); }

void HistoryActions::writeNote() {
    const std::vector<StateId> states = chosen();
    if (states.size() != 1) return;
    const StateId state = states.front();
    auto* dialog = new QInputDialog(&m_tree);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setObjectName(QStringLiteral("noteDialog"));
    dialog->setWindowTitle(tr("Note"));
    dialog->setOption(QInputDialog::UsePlainTextEditForTextInput);
    dialog->setLabelText(tr("Note on state #%1").arg(state.value));
    dialog->setTextValue(fromUtf8(m_document.history().state(state).marks.note));
    connect(dialog, &QInputDialog::textValueSelected, this, [this, state](const QString& text) {
        Marks marks = m_document.history().state(state).marks;
        marks.note = text.trimmed().toStdString();
        m_document.mark(state, marks);
    });
    // The note belongs to this program.
    connect(&m_document, &Document::closed, dialog, &QDialog::reject);
    dialog->open();
}

void HistoryActions::setColor(std::uint32_t color) {
    change([color](Marks& marks) { marks.color = color; });
}

void HistoryActions::compare() {
    const std::vector<StateId> states = chosen();
    if (states.empty() || states.size() > 2) return;
    if (states.size() == 1 && states.front() == m_document.history().current()) return;
    const StateId compared = states.front();
    if (states.size() == 2) m_document.checkout(states.back());
    m_selection.setCompared(compared);
}

void HistoryActions::stopComparing() { m_selection.setCompared(std::nullopt); }

void HistoryActions::goToSame() {
    const std::vector<StateId> states = chosen();
    if (states.size() == 1) m_document.checkout(m_document.history().state(states.front()).sameAs);
}

}  // namespace mitos::views
