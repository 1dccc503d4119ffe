// SPDX-License-Identifier: GPL-3.0-or-later
// A graph with its footer and controls.
#include "views/graph/graph_pane.h"

#include "views/common/flow_row.h"
#include "views/common/widgets.h"
#include "views/graph/internal/picture_dialog.h"

#include <QLabel>
#include <QSettings>
#include <QToolButton>

namespace mitos::views {

GraphPane::GraphPane(JobRunner& jobs, QWidget* parent)
    : GraphPane(jobs, QStringLiteral("graph"), GraphDirection::Down, parent) {}

GraphPane::GraphPane(JobRunner& jobs, const QString& name, GraphDirection usual, QWidget* parent)
    : QWidget(parent),
      m_name(name),
      m_view(new GraphView(jobs, this)),
      m_legend(new GraphLegend(this)),
      m_footer(new QLabel(this)),
      m_direction(new QToolButton(this)),
      m_improve(new QToolButton(this)),
      m_row(new FlowRow) {
    setObjectName(QStringLiteral("graphPane"));
    setFocusProxy(m_view);
    m_footer->setObjectName(QStringLiteral("graphFooter"));
    m_footer->setTextFormat(Qt::PlainText);
    m_footer->setContentsMargins(8, 2, 8, 0);
    m_footer->setWordWrap(true);
    m_footer->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    FlowRow* const row = m_row;
    row->setContentsMargins(8, 2, 4, 2);
    row->setSpacing(2);
    const auto button = [&](QToolButton* made, const char* name, const QString& text, const QString& toolTip) {
        setUpWidget(made, name, toolTip);
        made->setText(text);
        made->setAutoRaise(true);
        made->setFocusPolicy(Qt::TabFocus);
        row->addWidget(made);
        return made;
    };
    connect(button(new QToolButton(this), "graphFit", tr("Fit"), tr("Show all of it (Space)")), &QToolButton::clicked,
            m_view, &GraphView::fit);
    connect(button(new QToolButton(this), "graphSmaller", QStringLiteral("−"), tr("Smaller (−, Ctrl + wheel)")),
            &QToolButton::clicked, this, [this] { m_view->zoom(-1); });
    connect(button(new QToolButton(this), "graphLarger", QStringLiteral("+"), tr("Larger (+, Ctrl + wheel)")),
            &QToolButton::clicked, this, [this] { m_view->zoom(1); });
    button(m_direction, "graphDirection", {}, tr("Whether the drawing grows down or to the right"));
    QToolButton* const map = button(new QToolButton(this), "graphMap", tr("Map"),
                                    tr("A map in the corner while only a part of the graph is visible"));
    map->setCheckable(true);
    map->setChecked(QSettings().value(m_name + QStringLiteral("/map"), true).toBool());
    m_view->setMinimap(map->isChecked());
    connect(map, &QToolButton::toggled, this, [this](bool shown) {
        QSettings().setValue(m_name + QStringLiteral("/map"), shown);
        m_view->setMinimap(shown);
    });
    button(m_improve, "graphImprove", tr("Improve"), tr("Give Graphviz a minute for a better layout"));
    connect(button(new QToolButton(this), "graphPicture", tr("Picture…"), tr("Save the graph as a picture")),
            &QToolButton::clicked, this, &GraphPane::exportPicture);
    // The footer has its own line: beside the buttons it would be cut off in narrow windows.
    fillColumn(this, {m_legend, {m_view, 1}, m_footer, row}, {.margins = NoMargins, .spacing = 0});

    connect(m_direction, &QToolButton::clicked, this, [this] {
        const bool sideways = m_view->direction() == GraphDirection::Down;
        QSettings().setValue(directionKey(), sideways);
        m_view->setDirection(sideways ? GraphDirection::Right : GraphDirection::Down);
        updateDirection();
    });
    connect(m_improve, &QToolButton::clicked, m_view, &GraphView::improveLayout);
    connect(m_view, &GraphView::layoutChanged, this, &GraphPane::showNote);
    const bool sideways = QSettings().value(directionKey(), usual == GraphDirection::Right).toBool();
    m_view->setDirection(sideways ? GraphDirection::Right : GraphDirection::Down);
    updateDirection();
    showNote();
}

QToolButton* GraphPane::addButton(const QString& name, const QString& text, const QString& toolTip, bool checkable) {
    QToolButton* button = flatButton(name, text, toolTip);
    button->setCheckable(checkable);
    button->setFocusPolicy(Qt::TabFocus);
    m_row->insertWidget(m_added++, button);
    return button;
}

QString GraphPane::directionKey() const { return m_name + QStringLiteral("/sideways"); }

void GraphPane::setFooter(const QString& text) {
    m_footer->setText(text);
    showNote();
}

QString GraphPane::footer() const { return m_footer->text(); }

void GraphPane::updateDirection() {
    m_direction->setText(m_view->direction() == GraphDirection::Down ? tr("→ Sideways") : tr("↓ Downwards"));
}

void GraphPane::showNote() {
    m_footer->setToolTip(QStringList{m_footer->text(), m_view->layoutNote()}.join(QLatin1Char('\n')));
    m_improve->setToolTip(tr("Now: %1. Gives Graphviz a minute for a better one.").arg(m_view->layoutNote()));
    m_improve->setVisible(!m_view->hasGraphvizLayout() && !m_view->isLayoutPending());
}

void GraphPane::exportPicture() {
    auto* dialog = new PictureDialog(*m_view, m_title, footer(), window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

}  // namespace mitos::views
