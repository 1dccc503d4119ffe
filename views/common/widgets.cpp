// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/widgets.h"

#include "views/theme/theme.h"

#include <QApplication>
#include <QEvent>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <utility>

namespace mitos::views {

namespace {

template <typename Layout>
Layout* filled(Layout* made, std::initializer_list<LayoutItem> items, const LayoutSpace& space) {
    if (space.margins) made->setContentsMargins(*space.margins);
    if (space.spacing) made->setSpacing(*space.spacing);
    for (const LayoutItem& item : items) {
        if (item.widget != nullptr)
            made->addWidget(item.widget, item.stretch, item.alignment);
        else if (item.layout != nullptr)
            made->addLayout(item.layout, item.stretch);
        else if (item.space > 0)
            made->addSpacing(item.space);
        else
            made->addStretch(item.stretch);
    }
    return made;
}

class ShowFollower final : public QObject {
public:
    ShowFollower(QWidget* widget, Qt::ConnectionType type, std::function<void()> work)
        : QObject(widget),
          m_type(type),
          m_work(std::move(work)) {
        widget->installEventFilter(this);
    }
    bool eventFilter(QObject* /*watched*/, QEvent* event) override {
        if (event->type() == QEvent::Show) QMetaObject::invokeMethod(this, m_work, m_type);
        return false;
    }

private:
    Qt::ConnectionType m_type;
    std::function<void()> m_work;
};

}  // namespace

void setUpWidget(QWidget* widget, const char* name, const QString& toolTip, const QString& accessibleName) {
    widget->setObjectName(QLatin1String(name));
    if (!toolTip.isEmpty()) widget->setToolTip(toolTip);
    if (!accessibleName.isEmpty()) widget->setAccessibleName(accessibleName);
}

QLabel* sectionTitle(const QString& text, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    setOwnFont(label, [] {
        QFont font = smallFont(QApplication::font());
        font.setWeight(QFont::DemiBold);
        font.setCapitalization(QFont::AllUppercase);
        return font;
    });
    label->setForegroundRole(QPalette::PlaceholderText);
    return label;
}

void setUpPlainLabel(QLabel* label, const char* name) {
    label->setObjectName(QLatin1String(name));
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
}

QLabel* addTextRow(QFormLayout& form, const char* name, const QString& title) {
    auto* label = new QLabel(form.parentWidget());
    setUpPlainLabel(label, name);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    form.addRow(title, label);
    return label;
}

void setUpRowTable(QTableView& table, QAbstractItemModel& model, const QString& name, const QString& title) {
    constexpr int Margin = 6;         // total space above and below a row's text
    constexpr int MeasuredRows = 32;  // rows measured for the width of columns
    table.setObjectName(name);
    table.setAccessibleName(title);
    table.setModel(&model);
    table.setSelectionBehavior(QAbstractItemView::SelectRows);
    table.setSelectionMode(QAbstractItemView::SingleSelection);
    table.setShowGrid(false);
    table.setAlternatingRowColors(true);
    table.setWordWrap(false);
    table.setTabKeyNavigation(false);
    table.verticalHeader()->hide();
    table.verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    followFont(&table,
               [&table] { table.verticalHeader()->setDefaultSectionSize(table.fontMetrics().height() + Margin); });
    table.horizontalHeader()->setHighlightSections(false);
    table.horizontalHeader()->setResizeContentsPrecision(MeasuredRows);
    table.horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
}

void showsSizeOfCurrentPage(QStackedWidget& pages) {
    const auto fit = [&pages] {
        for (int i = 0; i < pages.count(); ++i) {
            const auto policy = i == pages.currentIndex() ? QSizePolicy::Preferred : QSizePolicy::Ignored;
            pages.widget(i)->setSizePolicy(policy, policy);
        }
    };
    fit();
    QObject::connect(&pages, &QStackedWidget::currentChanged, &pages, fit);
}

QVBoxLayout* columnOf(std::initializer_list<LayoutItem> items, const LayoutSpace& space) {
    return filled(new QVBoxLayout, items, space);
}

QHBoxLayout* rowOf(std::initializer_list<LayoutItem> items, const LayoutSpace& space) {
    return filled(new QHBoxLayout, items, space);
}

void fillColumn(QWidget* widget, std::initializer_list<LayoutItem> items, const LayoutSpace& space) {
    filled(new QVBoxLayout(widget), items, space);
}

void fillRow(QWidget* widget, std::initializer_list<LayoutItem> items, const LayoutSpace& space) {
    filled(new QHBoxLayout(widget), items, space);
}

EmptyState::EmptyState(QWidget* parent) : QWidget(parent), m_label(new QLabel(this)), m_button(new QPushButton(this)) {
    setObjectName(QStringLiteral("emptyState"));
    m_label->setObjectName(QStringLiteral("emptyStateText"));
    m_label->setWordWrap(true);
    m_label->setAlignment(Qt::AlignCenter);
    m_label->setForegroundRole(QPalette::PlaceholderText);
    m_button->setObjectName(QStringLiteral("emptyStateAction"));
    m_button->hide();

    fillColumn(this, {stretch(), m_label, {m_button, 0, Qt::AlignHCenter}, stretch()});
    connect(m_button, &QPushButton::clicked, this, [this] {
        if (m_action) m_action();
    });
}

void EmptyState::explain(const QString& text, const QString& actionText, std::function<void()> action) {
    m_label->setText(text);
    m_button->setText(actionText);
    m_action = std::move(action);
    m_button->setVisible(!actionText.isEmpty() && m_action);
}

QString EmptyState::text() const { return m_label->text(); }

QToolButton* flatButton(const QString& name, const QString& text, const QString& toolTip) {
    auto* button = new QToolButton;
    button->setObjectName(name);
    button->setText(text);
    button->setToolTip(toolTip);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setAutoRaise(true);
    return button;
}

QToolButton* ButtonRow::addButton(const QString& name, const QString& text, const QString& toolTip) {
    QToolButton* button = flatButton(name, text, toolTip);
    insertWidget(m_buttons++, button);
    return button;
}

void whenShown(QWidget* widget, Qt::ConnectionType type, std::function<void()> work) {
    new ShowFollower(widget, type, std::move(work));
}

}  // namespace mitos::views
