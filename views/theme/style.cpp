// SPDX-License-Identifier: GPL-3.0-or-later
// What Mitos draws differently from Fusion.
#include "views/theme/style.h"

#include "views/theme/theme.h"

#include <QAbstractButton>
#include <QDockWidget>
#include <QPainter>
#include <QStyleFactory>
#include <QStyleOption>
#include <QToolBar>

namespace mitos::views {

namespace {

constexpr const char* MainProperty = "mitosMainButton";
constexpr double BoxRadius = 4.0;
constexpr int Underline = 2;  // of the tab in front
constexpr int ScrollBarWidth = 11;
constexpr int ShortestHandle = 28;
constexpr int HandleMargin = 3;
constexpr int ButtonHeight = 26;
constexpr int TabHeight = 30;
constexpr int MenuArrow = 20;  // room for the arrow of a button with a menu
constexpr int TitleHeight = 28;

bool isMainButton(const QWidget* widget) { return widget != nullptr && widget->property(MainProperty).toBool(); }

void drawBox(QPainter& painter, const QRect& rect, const QColor& fill, const QColor& border) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(border.isValid() ? QPen(border, 1.0) : QPen(Qt::NoPen));
    painter.setBrush(fill.isValid() ? QBrush(fill) : QBrush(Qt::NoBrush));
    painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), BoxRadius, BoxRadius);
    painter.restore();
}

/// A button that is pressed, or under the pointer, or neither.
QColor buttonFill(const Theme& theme, const QStyleOption& option, const QColor& usual) {
    if (!option.state.testFlag(QStyle::State_Enabled)) return usual;
    if (option.state & (QStyle::State_Sunken | QStyle::State_On)) return theme.pressed();
    return option.state.testFlag(QStyle::State_MouseOver) ? theme.hovered() : usual;
}

void drawTab(const QStyleOptionTab& tab, QPainter& painter) {
    const Theme theme(tab.palette);
    const bool isFront = tab.state.testFlag(QStyle::State_Selected);
    const QRect& rect = tab.rect;
    if (!isFront && tab.state.testFlag(QStyle::State_MouseOver) && tab.state.testFlag(QStyle::State_Enabled)) {
        drawBox(painter, rect.adjusted(2, 4, -2, -4), theme.hovered(), {});
    }
    if (isFront)
        painter.fillRect(QRect(rect.left() + 4, rect.bottom() - Underline + 1, rect.width() - 8, Underline),
                         theme.accent());
}

void drawTabLabel(const QProxyStyle& style, const QStyleOptionTab& tab, QPainter& painter, const QWidget* widget) {
    const Theme theme(tab.palette);
    const bool isFront = tab.state.testFlag(QStyle::State_Selected);
    QFont font = painter.font();
    font.setWeight(isFront ? QFont::DemiBold : QFont::Normal);
    painter.save();
    painter.setFont(font);
    painter.setPen(isFront ? tab.palette.color(QPalette::WindowText) : theme.faintText());
    painter.drawText(tab.rect, Qt::AlignCenter | Qt::TextShowMnemonic, tab.text);
    painter.restore();
    if (!tab.state.testFlag(QStyle::State_HasFocus)) return;
    QStyleOptionFocusRect focus;
    focus.QStyleOption::operator=(tab);
    focus.rect = tab.rect.adjusted(3, 4, -3, -4);
    style.drawPrimitive(QStyle::PE_FrameFocusRect, &focus, &painter, widget);
}

void drawDockTitle(const QStyleOptionDockWidget& dock, QPainter& painter) {
    const Theme theme(dock.palette);
    QFont font = painter.font();
    font.setPointSizeF(font.pointSizeF() * 0.88);
    font.setWeight(QFont::DemiBold);
    font.setLetterSpacing(QFont::AbsoluteSpacing, 0.6);
    font.setCapitalization(QFont::AllUppercase);
    painter.save();
    painter.setFont(font);
    painter.setPen(theme.faintText());
    painter.drawText(dock.rect.adjusted(12, 0, -48, 0), Qt::AlignLeft | Qt::AlignVCenter, dock.title);
    painter.restore();
}

void drawHeader(const QStyleOptionHeader& header, QPainter& painter) {
    const Theme theme(header.palette);
    painter.fillRect(header.rect, header.palette.color(QPalette::Base));
    painter.fillRect(QRect(header.rect.left(), header.rect.bottom(), header.rect.width(), 1), theme.line());
}

void drawScrollBar(const QStyle& style, const QStyleOptionSlider& slider, QPainter& painter, const QWidget* widget) {
    const Theme theme(slider.palette);
    if (slider.minimum == slider.maximum) return;
    QRect handle = style.subControlRect(QStyle::CC_ScrollBar, &slider, QStyle::SC_ScrollBarSlider, widget);
    const bool isHeld = slider.activeSubControls.testFlag(QStyle::SC_ScrollBarSlider) &&
                        (slider.state & (QStyle::State_Sunken | QStyle::State_MouseOver));
    handle.adjust(HandleMargin, HandleMargin, -HandleMargin, -HandleMargin);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(isHeld ? theme.faintText() : theme.handle());
    const double radius = std::min(handle.width(), handle.height()) / 2.0;
    painter.drawRoundedRect(handle, radius, radius);
    painter.restore();
}

QIcon tinted(const QIcon& icon, QSize size, const QColor& colour) {
    QPixmap pixmap = icon.pixmap(size * 2);
    QPainter painter(&pixmap);
    painter.setCompositionMode(QPainter::CompositionMode_SourceIn);
    painter.fillRect(pixmap.rect(), colour);
    return pixmap;
}

void drawArrow(QPainter& painter, const QRectF& room, const QColor& colour) {
    const QPointF middle = room.center();
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(colour, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPolyline(
        QPolygonF{middle + QPointF(-3.5, -1.75), middle + QPointF(0, 1.75), middle + QPointF(3.5, -1.75)});
    painter.restore();
}

}  // namespace

void setMainButton(QWidget* button) { button->setProperty(MainProperty, true); }

Style::Style() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}

void Style::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                          const QWidget* widget) const {
    const Theme theme(option->palette);
    const bool isEnabled = option->state.testFlag(State_Enabled);
    switch (element) {
        case PE_PanelButtonCommand: {
            const bool hasFocus = option->state.testFlag(State_HasFocus) && isEnabled;
            if (isMainButton(widget)) {
                const QColor fill = !isEnabled                                         ? theme.line()
                                    : option->state & (State_Sunken | State_MouseOver) ? theme.accent().lighter(115)
                                                                                       : theme.accent();
                drawBox(*painter, option->rect, fill, {});
                if (hasFocus)
                    drawBox(*painter, option->rect.adjusted(2, 2, -2, -2), {}, option->palette.color(QPalette::Base));
                return;
            }
            const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option);
            const bool isDefault = button != nullptr && button->features.testFlag(QStyleOptionButton::DefaultButton);
            const bool isFlat = button != nullptr && button->features.testFlag(QStyleOptionButton::Flat);
            const QColor usual = isFlat ? QColor() : option->palette.color(QPalette::Base);
            return drawBox(*painter, option->rect, buttonFill(theme, *option, usual),
                           hasFocus                 ? theme.accent()
                           : isFlat                 ? QColor()
                           : isDefault && isEnabled ? theme.accent()
                                                    : theme.border());
        }
        case PE_PanelButtonTool: {
            if (isMainButton(widget)) return drawPrimitive(PE_PanelButtonCommand, option, painter, widget);
            const bool isRaised = !option->state.testFlag(State_AutoRaise);
            const QColor fill = buttonFill(theme, *option, isRaised ? option->palette.color(QPalette::Base) : QColor());
            if (fill.isValid()) drawBox(*painter, option->rect, fill, isRaised ? theme.border() : QColor());
            return;
        }
        case PE_FrameFocusRect: {
            const QColor contrast = option->palette.color(QPalette::Base);
            return drawBox(*painter, option->rect, {}, isMainButton(widget) ? contrast : theme.accent());
        }
        case PE_PanelLineEdit:
        case PE_FrameLineEdit: {
            const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
            if (frame != nullptr && frame->lineWidth <= 0) return;
            const QColor fill = element == PE_PanelLineEdit ? option->palette.color(QPalette::Base) : QColor();
            return drawBox(*painter, option->rect, fill,
                           option->state.testFlag(State_HasFocus) ? theme.accent() : theme.border());
        }
        case PE_Frame:
        case PE_FrameGroupBox:
        case PE_FrameTabWidget:
            painter->save();
            painter->setPen(option->state.testFlag(State_HasFocus) ? theme.accent() : theme.line());
            painter->drawRect(option->rect.adjusted(0, 0, -1, -1));
            painter->restore();
            return;
        case PE_FrameDockWidget:
        case PE_FrameStatusBarItem:
        case PE_FrameTabBarBase: return;
        case PE_IndicatorCheckBox: {
            const bool isOn = option->state.testFlag(State_On);
            const bool isPartly = option->state.testFlag(State_NoChange);
            const QColor ground = isOn || isPartly ? (isEnabled ? theme.accent() : theme.handle())
                                                   : option->palette.color(QPalette::Base);
            const QRect box = option->rect;
            drawBox(*painter, box, ground, option->state.testFlag(State_HasFocus) ? theme.accent() : theme.border());
            if (!isOn && !isPartly) return;
            painter->save();
            painter->setRenderHint(QPainter::Antialiasing);
            painter->setPen(
                QPen(option->palette.color(QPalette::Base), 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
            const QPointF middle = QRectF(box).center();
            painter->drawPolyline(
                isOn ? QPolygonF{middle + QPointF(-3, 0), middle + QPointF(-1, 2.5), middle + QPointF(3, -2.5)}
                     : QPolygonF{middle + QPointF(-3, 0), middle + QPointF(3, 0)});
            painter->restore();
            return;
        }
        case PE_IndicatorArrowDown: return drawArrow(*painter, option->rect, theme.faintText());
        case PE_IndicatorToolBarSeparator:
            painter->fillRect(QRect(option->rect.center().x(), option->rect.top() + 6, 1, option->rect.height() - 12),
                              theme.line());
            return;
        case PE_IndicatorDockWidgetResizeHandle: {
            QRect hairline = option->rect;
            if (hairline.width() < hairline.height())
                hairline = QRect(hairline.center().x(), hairline.top(), 1, hairline.height());
            else
                hairline = QRect(hairline.left(), hairline.center().y(), hairline.width(), 1);
            painter->fillRect(hairline, option->state.testFlag(State_MouseOver) ? theme.accent() : theme.line());
            return;
        }
        default: QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

void Style::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                        const QWidget* widget) const {
    const Theme theme(option->palette);
    switch (element) {
        case CE_TabBarTabShape:
            if (const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option)) return drawTab(*tab, *painter);
            break;
        case CE_TabBarTabLabel:
            if (const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option);
                tab != nullptr && tab->icon.isNull()) {
                return drawTabLabel(*this, *tab, *painter, widget);
            }
            break;
        case CE_DockWidgetTitle:
            if (const auto* dock = qstyleoption_cast<const QStyleOptionDockWidget*>(option))
                return drawDockTitle(*dock, *painter);
            break;
        case CE_HeaderSection:
        case CE_HeaderEmptyArea:
            if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option))
                return drawHeader(*header, *painter);
            painter->fillRect(option->rect, option->palette.color(QPalette::Base));
            painter->fillRect(QRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1), theme.line());
            return;
        case CE_HeaderLabel:
            if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option)) {
                QStyleOptionHeader faint = *header;
                faint.state &= ~State_On;  // not bold for the column of the current row
                faint.palette.setColor(QPalette::ButtonText, theme.faintText());
                return QProxyStyle::drawControl(element, &faint, painter, widget);
            }
            break;
        case CE_Splitter: {
            QStyleOption handle = *option;
            return drawPrimitive(PE_IndicatorDockWidgetResizeHandle, &handle, painter, widget);
        }
        case CE_PushButtonBevel: {
            // Qt draws no bevel, so no focus either, for flat buttons.
            const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option);
            if (button == nullptr || !button->features.testFlag(QStyleOptionButton::Flat)) break;
            return drawPrimitive(PE_PanelButtonCommand, option, painter, widget);
        }
        case CE_PushButtonLabel:
        case CE_ToolButtonLabel:
            if (isMainButton(widget)) {
                const QColor text =
                    option->state.testFlag(State_Enabled) ? option->palette.color(QPalette::Base) : theme.faintText();
                if (const auto* tool = qstyleoption_cast<const QStyleOptionToolButton*>(option)) {
                    QStyleOptionToolButton light = *tool;
                    light.palette.setColor(QPalette::ButtonText, text);
                    light.font.setWeight(QFont::DemiBold);
                    light.icon = tinted(tool->icon, tool->iconSize, text);
                    return QProxyStyle::drawControl(element, &light, painter, widget);
                }
                if (const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option)) {
                    QStyleOptionButton light = *button;
                    light.palette.setColor(QPalette::ButtonText, text);
                    return QProxyStyle::drawControl(element, &light, painter, widget);
                }
            }
            break;
        case CE_ToolBar: {
            painter->fillRect(option->rect, option->palette.color(QPalette::Base));
            const auto* bar = qobject_cast<const QToolBar*>(widget);
            const bool isUpright = bar != nullptr && bar->orientation() == Qt::Vertical;
            const QRect line = isUpright ? QRect(option->rect.right(), option->rect.top(), 1, option->rect.height())
                                         : QRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1);
            painter->fillRect(line, theme.line());
            return;
        }
        case CE_FocusFrame: return drawBox(*painter, option->rect, {}, theme.accent());
        case CE_MenuBarEmptyArea: painter->fillRect(option->rect, option->palette.color(QPalette::Base)); return;
        case CE_MenuBarItem:
            if (const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option)) {
                painter->fillRect(option->rect, option->palette.color(QPalette::Base));
                if (option->state.testFlag(State_Selected))
                    drawBox(*painter, option->rect.adjusted(1, 2, -1, -2), theme.hovered(), {});
                drawItemText(painter, option->rect, Qt::AlignCenter | Qt::TextShowMnemonic, option->palette,
                             option->state.testFlag(State_Enabled), item->text, QPalette::WindowText);
                return;
            }
            break;
        default: break;
    }
    QProxyStyle::drawControl(element, option, painter, widget);
}

void Style::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                               const QWidget* widget) const {
    const Theme theme(option->palette);
    if (const auto* slider = qstyleoption_cast<const QStyleOptionSlider*>(option);
        control == CC_ScrollBar && slider != nullptr) {
        return drawScrollBar(*this, *slider, *painter, widget);
    }
    if (const auto* box = qstyleoption_cast<const QStyleOptionComboBox*>(option);
        control == CC_ComboBox && box != nullptr) {
        const bool hasFocus = option->state.testFlag(State_HasFocus);
        const QColor usual = option->palette.color(QPalette::Base);
        drawBox(*painter, option->rect, box->editable ? usual : buttonFill(theme, *option, usual),
                hasFocus ? theme.accent() : theme.border());
        const QRect arrow = subControlRect(CC_ComboBox, option, SC_ComboBoxArrow, widget);
        return drawArrow(*painter, arrow, option->state.testFlag(State_Enabled) ? theme.faintText() : theme.handle());
    }
    const auto* tool = qstyleoption_cast<const QStyleOptionToolButton*>(option);
    const bool hasMenu = tool != nullptr && tool->features.testFlag(QStyleOptionToolButton::HasMenu) &&
                         !tool->features.testFlag(QStyleOptionToolButton::MenuButtonPopup);
    if (control == CC_ToolButton && tool != nullptr && (hasMenu || isMainButton(widget))) {
        drawPrimitive(PE_PanelButtonTool, option, painter, widget);
        QStyleOptionToolButton label = *tool;
        if (hasMenu) {
            label.rect.setRight(label.rect.right() - MenuArrow);
            const QRect room(tool->rect.right() - MenuArrow, tool->rect.top(), MenuArrow - 4, tool->rect.height());
            drawArrow(*painter, room, theme.faintText());
        }
        drawControl(CE_ToolButtonLabel, &label, painter, widget);
        if (!option->state.testFlag(State_HasFocus)) return;
        QStyleOptionFocusRect focus;
        focus.QStyleOption::operator=(*option);
        focus.rect = option->rect.adjusted(2, 2, -2, -2);
        return drawPrimitive(PE_FrameFocusRect, &focus, painter, widget);
    }
    QProxyStyle::drawComplexControl(control, option, painter, widget);
}

QSize Style::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& contents,
                              const QWidget* widget) const {
    QSize size = QProxyStyle::sizeFromContents(type, option, contents, widget);
    switch (type) {
        case CT_PushButton: size = QSize(size.width() + 8, std::max(size.height(), ButtonHeight)); break;
        case CT_ComboBox:
        case CT_LineEdit:
        case CT_SpinBox: size.setHeight(std::max(size.height(), ButtonHeight)); break;
        case CT_TabBarTab: size = QSize(size.width() + 6, std::max(size.height(), TabHeight)); break;
        case CT_ToolButton:
            if (const auto* tool = qstyleoption_cast<const QStyleOptionToolButton*>(option);
                tool != nullptr && tool->features.testFlag(QStyleOptionToolButton::HasMenu)) {
                size = QSize(size.width() + MenuArrow - 6, std::max(size.height(), ButtonHeight));
            }
            if (isMainButton(widget)) size = QSize(size.width() + 16, std::max(size.height(), ButtonHeight + 2));
            break;
        default: break;
    }
    return size;
}

int Style::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
    switch (metric) {
        case PM_ScrollBarExtent: return ScrollBarWidth;
        case PM_ScrollBarSliderMin: return ShortestHandle;
        case PM_DockWidgetSeparatorExtent:
        case PM_SplitterWidth: return 5;
        case PM_DockWidgetTitleMargin: return (TitleHeight - 16) / 2;
        case PM_FocusFrameHMargin:
        case PM_FocusFrameVMargin: return 0;
        case PM_DefaultFrameWidth: return 1;
        case PM_TabBarTabShiftVertical:
        case PM_TabBarTabShiftHorizontal:
        case PM_ToolBarFrameWidth:
        case PM_TabBarTabOverlap: return 0;
        case PM_ToolBarItemSpacing: return 4;
        case PM_ToolBarItemMargin: return 6;
        default: return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int Style::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget, QStyleHintReturn* data) const {
    if (hint == SH_DialogButtonBox_ButtonsHaveIcons) return 0;
    if (hint == SH_FocusFrame_AboveWidget) return 1;
    if (hint == SH_FocusFrame_Mask) {
        if (auto* mask = qstyleoption_cast<QStyleHintReturnMask*>(data)) {
            mask->region = QRegion(option->rect) - QRegion(option->rect.adjusted(2, 2, -2, -2));
        }
        return 1;
    }
    if (hint == SH_EtchDisabledText || hint == SH_DitherDisabledText) return 0;
    return QProxyStyle::styleHint(hint, option, widget, data);
}

}  // namespace mitos::views
