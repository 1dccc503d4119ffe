// SPDX-License-Identifier: GPL-3.0-or-later
// Draws the entries.
#include "views/start_page/internal/entry_list.h"

#include "views/theme/theme.h"

#include <QPainter>
#include <QStyledItemDelegate>

namespace mitos::views {

namespace {

constexpr int Padding = 6;
constexpr int DetailLines = 3;

class EntryDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const bool heading = index.data(EntryList::HeadingRole).toBool();
        const bool selected = option.state.testFlag(QStyle::State_Selected) && !heading;
        const bool enabled = index.flags().testFlag(Qt::ItemIsEnabled) || heading;
        const QColor highlighted = option.palette.color(QPalette::HighlightedText);
        const QColor faint = Theme(option.palette).faintText();
        painter->save();
        if (selected)
            painter->fillRect(option.rect, option.palette.highlight());
        else if (option.state.testFlag(QStyle::State_MouseOver) && !heading && enabled) {
            QColor hover = option.palette.color(QPalette::Highlight);
            hover.setAlphaF(0.12F);
            painter->fillRect(option.rect, hover);
        }
        const QRect room = option.rect.adjusted(2 * Padding, Padding, -2 * Padding, -Padding);
        QFont font = option.font;
        font.setBold(true);
        painter->setFont(font);
        const QColor title =
            heading ? faint : option.palette.color(enabled ? QPalette::Active : QPalette::Disabled, QPalette::Text);
        painter->setPen(selected ? highlighted : title);
        const QString text = QFontMetrics(font).elidedText(index.data().toString(), Qt::ElideRight, room.width());
        painter->drawText(room, heading ? Qt::AlignBottom | Qt::AlignLeft : Qt::AlignTop | Qt::AlignLeft, text);
        if (!heading) {
            painter->setFont(option.font);
            painter->setPen(selected ? highlighted : faint);
            const QRect detail = room.adjusted(0, QFontMetrics(font).height() + 1, 0, 0);
            painter->drawText(detail, Qt::TextWordWrap | Qt::AlignTop | Qt::AlignLeft,
                              index.data(EntryList::DetailRole).toString());
        } else {
            painter->drawLine(room.left(), option.rect.bottom(), room.right(), option.rect.bottom());
        }
        painter->restore();
    }

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const QFontMetrics metrics(option.font);
        if (index.data(EntryList::HeadingRole).toBool()) return {100, metrics.height() * 2 + Padding};
        const auto* list = qobject_cast<const QListWidget*>(option.widget);
        const int width = list != nullptr ? list->viewport()->width() : 300;
        const QRect detail = metrics.boundingRect(QRect(0, 0, width - 4 * Padding, metrics.lineSpacing() * DetailLines),
                                                  Qt::TextWordWrap, index.data(EntryList::DetailRole).toString());
        QFont bold = option.font;
        bold.setBold(true);
        return {100, QFontMetrics(bold).height() + detail.height() + 2 * Padding + 2};
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
    // A single click opens an entry; with the keyboard, Enter does.
    connect(this, &QListWidget::itemClicked, this, &EntryList::chosen);
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

}  // namespace mitos::views
