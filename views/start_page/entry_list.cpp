// SPDX-License-Identifier: GPL-3.0-or-later
// Painting of entries, and their keys.
#include "views/start_page/entry_list.h"

#include "views/common/format.h"
#include "views/common/sparkline.h"
#include "views/common/view_keys.h"
#include "views/start_page/internal/strong_font.h"
#include "views/theme/theme.h"

#include <QKeyEvent>
#include <QPainter>
#include <QStyledItemDelegate>
#include <algorithm>

namespace mitos::views {

namespace {

constexpr int Padding = 8;
constexpr int LineGap = 2;
constexpr int DetailLines = 3;
constexpr QSize CurveSize(72, 28);
constexpr int HeadingSpace = 16;  // above a heading

class EntryDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        painter->save();
        if (index.data(EntryList::HeadingRole).toBool())
            paintHeading(*painter, option, index);
        else
            paintEntry(*painter, option, index);
        painter->restore();
    }

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const auto* list = qobject_cast<const QListWidget*>(option.widget);
        const QFontMetrics small(smallFont(option.font));
        const QFontMetrics strong(strongFont(option.font));
        if (index.data(EntryList::HeadingRole).toBool())
            return {100, (isFirst(list, index.row()) ? 0 : HeadingSpace) + small.height() + Padding};
        const int width = (list != nullptr ? list->viewport()->width() : 300) - 2 * Padding;
        const QString text = index.data(EntryList::DetailRole).toString();
        const QRect detail = small.boundingRect(QRect(0, 0, width, small.lineSpacing() * DetailLines), Qt::TextWordWrap,
                                                isWrapped(index) ? text : QStringLiteral("x"));
        return {100, strong.height() + LineGap + detail.height() + 2 * Padding};
    }

private:
    /// Whether no row above is shown.
    [[nodiscard]] static bool isFirst(const QListWidget* list, int row) {
        while (row > 0 && list != nullptr && list->isRowHidden(row - 1)) --row;
        return row == 0;
    }

    /// Entries with something at their right have one line of details.
    [[nodiscard]] static bool isWrapped(const QModelIndex& index) {
        return !index.data(EntryList::DirectionRole).isValid();
    }

    static void paintHeading(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index) {
        const Theme theme(option.palette);
        painter.setFont(strongFont(smallFont(option.font)));
        painter.setPen(theme.faintText());
        const QRect room = option.rect.adjusted(Padding, 0, -Padding, -Padding / 2);
        painter.drawText(room, Qt::AlignBottom | Qt::AlignLeft, index.data().toString());
        painter.fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1), theme.line());
    }

    static void paintEntry(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index) {
        const Theme theme(option.palette);
        const bool isEnabled = index.flags().testFlag(Qt::ItemIsEnabled);
        if (option.state.testFlag(QStyle::State_Selected))
            painter.fillRect(option.rect, option.palette.highlight());
        else if (option.state.testFlag(QStyle::State_MouseOver) && isEnabled)
            painter.fillRect(option.rect, theme.hovered());
        QRect room = option.rect.adjusted(Padding, Padding, -Padding, -Padding);
        if (!isWrapped(index)) room.setRight(paintRight(painter, option, index, room) - Padding);
        const QFont strong = strongFont(option.font);
        painter.setFont(strong);
        painter.setPen(option.palette.color(isEnabled ? QPalette::Active : QPalette::Disabled, QPalette::Text));
        painter.drawText(room, Qt::AlignTop | Qt::AlignLeft,
                         elided(index.data().toString(), painter.fontMetrics(), room.width()));
        room.setTop(room.top() + painter.fontMetrics().height() + LineGap);
        painter.setFont(smallFont(option.font));
        painter.setPen(index.data(EntryList::TroubleRole).toBool() ? theme.worse() : theme.faintText());
        const QString detail = index.data(EntryList::DetailRole).toString();
        if (isWrapped(index))
            painter.drawText(room, Qt::TextWordWrap | Qt::AlignTop | Qt::AlignLeft, detail);
        else
            painter.drawText(room, Qt::AlignTop | Qt::AlignLeft, elided(detail, painter.fontMetrics(), room.width()));
    }

    /// The curve and the change; returns where they begin.
    static int paintRight(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index,
                          const QRect& room) {
        const Theme theme(option.palette);
        const QString change = index.data(EntryList::ChangeRole).toString();
        const auto curve = index.data(EntryList::CurveRole).value<QList<QPointF>>();
        const QRect place(room.right() - CurveSize.width() + 1, room.center().y() - CurveSize.height() / 2,
                          CurveSize.width(), CurveSize.height());
        drawSparkline(painter, place, curve, theme);
        if (change.isEmpty() && curve.isEmpty()) return room.right();
        const int right = place.left() - Padding;  // also without a curve, so that the changes are in one column
        if (change.isEmpty()) return right;
        const int direction = index.data(EntryList::DirectionRole).toInt();
        painter.setFont(direction == 0 ? option.font : strongFont(option.font));
        painter.setPen(direction < 0 ? theme.better() : direction > 0 ? theme.worse() : theme.faintText());
        painter.drawText(QRect(room.left(), room.top(), right - room.left(), room.height()),
                         Qt::AlignVCenter | Qt::AlignRight, change);
        return right - painter.fontMetrics().horizontalAdvance(change);
    }
};

}  // namespace

EntryList::EntryList(QWidget* parent) : QListWidget(parent) {
    setItemDelegate(new EntryDelegate(this));
    setFrameShape(QFrame::NoFrame);
    setResizeMode(QListView::Adjust);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setMouseTracking(true);
    setSelectionMode(QAbstractItemView::SingleSelection);
    viewport()->setAutoFillBackground(false);
    auto* keys = new ViewKeys(this, tr("Start page"));
    keys->add({Qt::Key_Delete}, tr("Remove the session from the list"), [this] {
        if (currentItem() != nullptr) Q_EMIT removalRequested(currentItem());
    });
    keys->describe(tr("Letters"), tr("Filter the samples"));
    // A single click opens an entry; with the keyboard, Enter does.
    connect(this, &QListWidget::itemClicked, this, [this](QListWidgetItem* item) {
        if (m_opensOnClick) Q_EMIT chosen(item);
    });
    connect(this, &QListWidget::itemActivated, this, [this](QListWidgetItem* item) {
        if (!style()->styleHint(QStyle::SH_ItemView_ActivateItemOnSingleClick)) Q_EMIT chosen(item);
    });
}

void EntryList::addHeading(const QString& text) {
    auto* item = new QListWidgetItem(text, this);
    item->setData(HeadingRole, true);
    item->setFlags(Qt::NoItemFlags);
}

QListWidgetItem* EntryList::addEntry(const QString& title, const QString& detail, const QString& path, bool enabled) {
    auto* item = new QListWidgetItem(title, this);
    item->setData(DetailRole, detail);
    item->setData(PathRole, path);
    item->setToolTip(path);
    if (!enabled) item->setFlags(Qt::NoItemFlags);
    return item;
}

void EntryList::setDetails(QListWidgetItem& item, const EntryDetails& details) {
    item.setData(DetailRole, details.text);
    item.setData(ChangeRole, details.change);
    item.setData(DirectionRole, details.direction);
    item.setData(CurveRole, QVariant::fromValue(details.curve));
    item.setData(TroubleRole, details.isTrouble);
    QStringList said{item.text(), details.text};
    if (!details.change.isEmpty()) said << details.change;
    item.setData(Qt::AccessibleTextRole, said.join(QStringLiteral(", ")));
}

int EntryList::showOnly(const std::function<bool(const QListWidgetItem& entry, const QString& heading)>& accepts) {
    int shown = 0;
    QListWidgetItem* heading = nullptr;
    QListWidgetItem* first = nullptr;
    for (int row = 0; row < count(); ++row) {
        QListWidgetItem* const here = item(row);
        if (here->data(HeadingRole).toBool()) {
            heading = here;
            heading->setHidden(true);
            continue;
        }
        const bool isShown = accepts(*here, heading != nullptr ? heading->text() : QString());
        here->setHidden(!isShown);
        if (!isShown) continue;
        ++shown;
        if (first == nullptr) first = here;
        if (heading != nullptr) heading->setHidden(false);
    }
    if (currentItem() == nullptr || currentItem()->isHidden()) setCurrentItem(first);
    return shown;
}

void EntryList::step(int by) {
    for (int row = currentRow() + by; row >= 0 && row < count(); row += by) {
        if (item(row)->isHidden() || !item(row)->flags().testFlag(Qt::ItemIsEnabled)) continue;
        setCurrentRow(row);
        return;
    }
}

void EntryList::keyPressEvent(QKeyEvent* event) {
    const bool isPlain = (event->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) == Qt::NoModifier;
    const QString text = event->text();
    // Not a space, which has a meaning in lists.
    if (isPlain && !text.isEmpty() && text.front().isPrint() && !text.front().isSpace()) return Q_EMIT typed(text);
    QListWidget::keyPressEvent(event);
}

}  // namespace mitos::views
