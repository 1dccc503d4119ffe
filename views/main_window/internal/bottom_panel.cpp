// SPDX-License-Identifier: GPL-3.0-or-later
// See bottom_panel.h. A collapsed dock is one pixel high, so that Qt's layout leaves the tabs only; a dock without any height would be
// hidden.
#include "views/main_window/internal/bottom_panel.h"

#include "views/common/widgets.h"

#include <QDockWidget>
#include <QEvent>
#include <QLayout>
#include <QMainWindow>
#include <QMouseEvent>
#include <QScopedValueRollback>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

constexpr int UsualHeight = 300;
constexpr int UsualLine = 17;       // pixels of a line of text; a panel with larger texts is higher
constexpr double UsualShare = 0.3;  // of the window's height, at most
constexpr double LargestShare = 0.34;
constexpr int SmallestHeight = 100;  // a lower one comes from a layout that was saved while the panel was collapsed

}  // namespace

BottomPanel::BottomPanel(QMainWindow& window) : QObject(&window), m_window(window) { window.installEventFilter(this); }

void BottomPanel::setToggle(QAction* toggle) {
    m_toggle = toggle;
    update();
}

void BottomPanel::add(QDockWidget* dock, QStackedWidget* pages) {
    const qsizetype index = m_parts.size();
    m_parts << Part{dock, pages};
    connect(dock, &QDockWidget::visibilityChanged, this, [this, index](bool isInFront) {
        Part& part = m_parts[index];
        part.isInFront = isInFront;
        if (isInFront && m_isShown) {
            const bool isOther = std::exchange(m_lastFront, part.dock) != part.dock;
            if (isOther && isCollapsed(part) && !m_isArranging) Q_EMIT requested(true);
        }
        update();
    });
    connect(dock, &QDockWidget::topLevelChanged, this, &BottomPanel::update);
    connect(dock, &QDockWidget::dockLocationChanged, this, &BottomPanel::update);
}

void BottomPanel::arrange(const std::function<void()>& work) {
    {
        const QScopedValueRollback arranging(m_isArranging, true);
        work();
    }
    update();
    m_givenHeight = 0;
    if (const QDockWidget* shown = front(); m_isOpen && shown != nullptr && shown->height() < SmallestHeight)
        giveHeight();
}

void BottomPanel::giveHeight() {
    QDockWidget* const shown = front();
    if (shown == nullptr) return;
    m_window.resizeDocks({shown}, {openHeight()}, Qt::Vertical);
    m_window.layout()->activate();
    m_givenHeight = shown->height();
}

int BottomPanel::openHeight() const {
    if (m_lastHeight > 0) return m_lastHeight;
    const double scale = std::max(1.0, static_cast<double>(m_window.fontMetrics().height()) / UsualLine);
    return static_cast<int>(
        std::min(UsualHeight * scale, std::min(UsualShare * scale, LargestShare) * m_window.height()));
}

void BottomPanel::setOpen(bool open) {
    if (open == m_isOpen) return;
    // Only a height that the user gave it is kept: the usual one depends on the window.
    if (const QDockWidget* shown = front();
        !open && shown != nullptr && m_givenHeight > 0 && shown->height() != m_givenHeight)
        m_lastHeight = shown->height() + (m_tabs != nullptr ? m_tabs->height() : 0);
    m_isOpen = open;
    update();
    if (open) giveHeight();
}

bool BottomPanel::isInPanel(QDockWidget* dock) const {
    return !dock->isFloating() && !dock->isHidden() && m_window.dockWidgetArea(dock) == Qt::BottomDockWidgetArea;
}

bool BottomPanel::isCollapsed(const Part& part) const {
    if (m_isOpen || !isInPanel(part.dock)) return false;
    const QList<QDockWidget*> beside = m_window.tabifiedDockWidgets(part.dock);
    return std::ranges::any_of(beside, [](const QDockWidget* dock) { return !dock->isHidden(); });
}

QDockWidget* BottomPanel::front() const {
    const auto found =
        std::ranges::find_if(m_parts, [this](const Part& part) { return part.isInFront && isInPanel(part.dock); });
    return found == m_parts.end() ? nullptr : found->dock;
}

void BottomPanel::update() {
    for (const Part& part : m_parts) {
        const bool collapsed = isCollapsed(part);
        part.dock->setMaximumHeight(collapsed ? 1 : QWIDGETSIZE_MAX);
        part.pages->setCurrentIndex(part.isInFront && !collapsed ? 0 : 1);
    }
    QMetaObject::invokeMethod(this, &BottomPanel::placeButton, Qt::QueuedConnection);  // Qt lays the tabs out first
}

/// Qt makes the tab bars of docks when it lays out the window.
void BottomPanel::placeButton() {
    const QDockWidget* const shown = front();
    const QList<QTabBar*> all = m_window.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly);
    const auto found = std::ranges::find_if(all, [shown](const QTabBar* tabs) {
        return shown != nullptr && tabs->tabText(tabs->currentIndex()) == shown->windowTitle();
    });
    QTabBar* const tabs = found == all.end() ? nullptr : *found;
    if (tabs != m_tabs) {
        if (m_tabs != nullptr) m_tabs->removeEventFilter(this);
        delete m_button;
        m_tabs = tabs;
        if (tabs != nullptr) tabs->installEventFilter(this);
    }
    if (tabs == nullptr || m_toggle == nullptr) return;
    if (m_button == nullptr) {
        m_button = new QToolButton(tabs);
        m_button->setObjectName(QStringLiteral("panelToggle"));
        m_button->setDefaultAction(m_toggle);
        m_button->setAutoRaise(true);
        m_button->setToolButtonStyle(Qt::ToolButtonIconOnly);
        m_button->setFocusPolicy(Qt::TabFocus);
        m_button->show();
    }
    const QSize size = m_button->sizeHint();
    m_button->setGeometry(tabs->width() - size.width() - 4, (tabs->height() - size.height()) / 2, size.width(),
                          size.height());
}

bool BottomPanel::eventFilter(QObject* watched, QEvent* event) {
    // Docks are shown before their window, and hidden after it.
    if (watched == &m_window && event->type() == QEvent::Show) m_isShown = true;
    if (watched == &m_window && event->type() == QEvent::Hide) m_isShown = false;
    if (watched == &m_window && (event->type() == QEvent::LayoutRequest || event->type() == QEvent::Show))
        QMetaObject::invokeMethod(this, &BottomPanel::placeButton, Qt::QueuedConnection);
    if (watched != m_tabs) return QObject::eventFilter(watched, event);
    switch (event->type()) {
        case QEvent::Resize:
        case QEvent::Show: placeButton(); break;
        case QEvent::MouseButtonPress: {
            const auto* mouse = static_cast<QMouseEvent*>(event);
            const int tab = m_tabs->tabAt(mouse->position().toPoint());
            m_pressed = mouse->button() == Qt::LeftButton && tab == m_tabs->currentIndex() ? tab : -1;
            break;
        }
        case QEvent::MouseButtonRelease: {
            const int tab = m_tabs->tabAt(static_cast<QMouseEvent*>(event)->position().toPoint());
            if (m_pressed >= 0 && tab == m_pressed)
                QMetaObject::invokeMethod(
                    this, [this] { Q_EMIT requested(!m_isOpen); }, Qt::QueuedConnection);
            m_pressed = -1;
            break;
        }
        default: break;
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace mitos::views
