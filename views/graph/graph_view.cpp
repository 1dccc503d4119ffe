// SPDX-License-Identifier: GPL-3.0-or-later
// The scene, its two layouts, and the handling of mouse and keys.
#include "views/graph/graph_view.h"

#include "views/common/view_keys.h"
#include "views/graph/internal/layered_layout.h"
#include "views/graph/internal/minimap.h"

#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolButton>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

namespace mitos::views {

namespace {

constexpr double AutomaticSeconds = 3.0;
constexpr double AskedForSeconds = 60.0;
constexpr int AnimationMs = 200;
constexpr std::size_t MostMovingEdges = 600;  // drawing more takes longer than a frame
constexpr double ZoomStep = 1.2;
constexpr double SmallestScale = 0.02;
constexpr double LargestScale = 4.0;
constexpr double ReadableScale = 0.75;
constexpr double Margin = 24.0;
/// Largest prepared graph passed to Graphviz: swapping in larger layouts takes longer than a frame.
constexpr std::size_t MostForGraphviz = 400;
constexpr std::size_t PieceOfLine = 12;  // curves per piece; long edges are drawn piece by piece

/// A route between two boxes; edges that lead back leave the box where other edges arrive.
std::vector<QPointF> wayBetween(const QRectF& from, const QRectF& to, GraphDirection direction) {
    const QPointF way = to.center() - from.center();
    if ((direction == GraphDirection::Down ? way.y() : way.x()) >= 0) return directRoute(from, to, direction);
    std::vector<QPointF> route = directRoute(to, from, direction);
    std::ranges::reverse(route);
    return route;
}

/// The arrow head at the end of a route, along its last part.
QPolygonF arrowHead(const std::vector<QPointF>& route) {
    constexpr double Length = 7.0;
    constexpr double HalfWidth = 3.0;
    if (route.size() < 2) return {};
    const QPointF tip = route.back();
    QPointF way;
    for (std::size_t i = route.size() - 1; i-- > 0 && way.isNull();) way = tip - route[i];
    const double length = std::hypot(way.x(), way.y());
    if (length <= 0) return {};
    const QPointF along = way / length * Length;
    const QPointF across = QPointF(-way.y(), way.x()) / length * HalfWidth;
    return QPolygonF({tip, tip - along + across, tip - along - across});
}

/// A label stands where the edge nears its end, clear of the box there.
QPointF labelPlace(const std::vector<QPointF>& points) {
    constexpr double BeforeEnd = 0.62;  // of the last curve
    if (points.size() < 4) return points.back();
    QPainterPath end(points[points.size() - 4]);
    end.cubicTo(points[points.size() - 3], points[points.size() - 2], points.back());
    return end.pointAtPercent(BeforeEnd);
}

/// Adds an edge in pieces, so that only the visible pieces of a long edge are drawn.
void addPieces(std::vector<EdgeLayer::Line>& lines, const std::vector<QPointF>& points, const GraphEdge& edge,
               bool arrows) {
    if (points.empty()) return;
    const QPointF way = points.back() - points.front();
    const double length = std::hypot(way.x(), way.y());
    const std::size_t curves = (points.size() - 1) / 3;
    for (std::size_t first = 0; first == 0 || first < curves; first += PieceOfLine) {
        QPainterPath path(points[3 * first]);
        const std::size_t last = std::min(curves, first + PieceOfLine);
        for (std::size_t i = 3 * first + 1; i + 2 < 3 * last + 1; i += 3)
            path.cubicTo(points[i], points[i + 1], points[i + 2]);
        lines.push_back({path, edge.kind, edge.strong, arrows && last == curves ? arrowHead(points) : QPolygonF(),
                         edge.dashed, edge.faint, length, edge.from, edge.to});
    }
    lines.back().label = edge.label;
    lines.back().labelPlace = labelPlace(points);
}

/// The lines of all child edges: as laid out (`routed`), or straight from box to box.
std::vector<EdgeLayer::Line> edgeLines(const GraphDescription& graph, const GraphLayout& layout,
                                       const std::vector<QPointF>& centres, GraphDirection direction, bool routed) {
    std::vector<EdgeLayer::Line> lines;
    lines.reserve(graph.edges.size());
    const auto boxOf = [&](GraphIndex node) {
        QRectF box(QPointF(), graph.nodes[node].size);
        box.moveCenter(centres[node]);
        return box;
    };
    for (std::size_t i = 0; i < graph.edges.size(); ++i) {
        const GraphEdge& edge = graph.edges[i];
        if (edge.kind != GraphEdge::Kind::Child) continue;
        const bool known = routed && i < layout.routes.size() && !layout.routes[i].empty();
        const QRectF from = boxOf(edge.from);
        const double rowY =
            from.center().y() + (edge.fromRow < 0 ? 0.0 : graph.nodes[edge.from].rowMiddle(edge.fromRow));
        std::vector<QPointF> route = known ? layout.routes[i] : wayBetween(from, boxOf(edge.to), direction);
        if (edge.from == edge.to)
            route = loopRoute(from, rowY);
        else if (edge.fromRow >= 0)
            route = routeFromRow(std::move(route), from, rowY, direction);
        addPieces(lines, route, edge, graph.arrows);
    }
    return lines;
}

}  // namespace

GraphView::GraphView(JobRunner& jobs, QWidget* parent)
    : QGraphicsView(parent),
      m_jobs(jobs),
      m_style(palette(), font()),
      m_nodes(new NodeLayer),
      m_frames(new FrameLayer(m_style)),
      m_edges(new EdgeLayer(m_style)),
      m_overlay(new EdgeLayer(m_style)),
      m_chip(new QToolButton(this)),
      m_minimap(new Minimap(*m_nodes, m_style, this)) {
    setObjectName(QStringLiteral("graphView"));
    setScene(new QGraphicsScene(this));
    for (QGraphicsItem* layer : {static_cast<QGraphicsItem*>(m_frames), static_cast<QGraphicsItem*>(m_edges),
                                 static_cast<QGraphicsItem*>(m_frames->titles()),
                                 static_cast<QGraphicsItem*>(m_overlay), static_cast<QGraphicsItem*>(m_nodes)}) {
        scene()->addItem(layer);
    }
    m_overlay->setZValue(-0.5);  // behind the boxes, so that names stay readable
    setFrameShape(QFrame::NoFrame);
    setRenderHint(QPainter::Antialiasing);
    setFocusPolicy(Qt::StrongFocus);
    setBackgroundRole(QPalette::Base);
    setViewportUpdateMode(QGraphicsView::FullViewportUpdate);
    setTransformationAnchor(QGraphicsView::AnchorUnderMouse);
    setAccessibleName(tr("Graph"));
    m_chip->setObjectName(QStringLiteral("graphBetterLayout"));
    m_chip->setText(tr("Better layout ready – apply"));
    m_chip->hide();
    connect(m_chip, &QToolButton::clicked, this, &GraphView::applyBetterLayout);
    connect(m_minimap, &Minimap::placeChosen, this, [this](const QPointF& place) {
        m_sight = Sight::Own;
        centerOn(place);
    });
    addKeys();
    m_animation.setStartValue(0.0);
    m_animation.setEndValue(1.0);
    m_animation.setDuration(AnimationMs);
    connect(&m_animation, &QVariantAnimation::valueChanged, this, [this](const QVariant& value) {
        const double t = value.toDouble();
        std::vector<QPointF> centres(itemCount());
        for (std::size_t i = 0; i < centres.size(); ++i) centres[i] = m_from[i] * (1.0 - t) + m_layout.centres[i] * t;
        placeItems(centres);
        drawEdges(false);
    });
    connect(&m_animation, &QVariantAnimation::finished, this, [this] { show(m_layout); });
}

GraphView::~GraphView() {
    if (m_job != 0) m_jobs.discard(m_job);
}

// --- content -------------------------------------------------------------------------------------------------------------

void GraphView::reset(GraphDescription graph) {
    m_animation.stop();
    m_minimap->clear();
    m_edges->setSelected(std::nullopt);
    m_nodes->clear();  // they refer to the old graph
    m_frames->setFrames({});
    m_frames->setChosen(std::nullopt);
    m_graph = std::move(graph);
    m_selected.reset();
    m_references.clear();
}

void GraphView::setGraph(GraphDescription graph, bool sameSubject) {
    reset(std::move(graph));
    m_isPrepared = false;
    rebuild(false);
    layOut(sameSubject);
}

GraphView::Prepared GraphView::prepare(GraphDescription graph, const GraphStyle& style, GraphDirection direction) {
    Prepared prepared{std::move(graph), {}, {}, {}};
    for (GraphNode& node : prepared.graph.nodes) {
        style.measure(node);
        node.leads = node.leads && direction == GraphDirection::Down;  // else edges leave at the side
    }
    prepared.layout = layeredLayout(prepared.graph, direction);
    prepared.lines = edgeLines(prepared.graph, prepared.layout, prepared.layout.centres, direction, true);
    prepared.frames = groupFrames(prepared.graph, prepared.layout.centres, style);
    return prepared;
}

void GraphView::setPrepared(Prepared prepared, bool sameSubject) {
    reset(std::move(prepared.graph));
    m_isPrepared = true;
    rebuild(true);
    begin(sameSubject);
    m_layout = std::move(prepared.layout);
    placeItems(m_layout.centres);
    m_edges->setLines(std::move(prepared.lines));
    m_overlay->setLines({});
    m_frames->setFrames(std::move(prepared.frames));
    showRoom();
    showSight();
    const auto effort = graphvizEffort(m_graph.nodes.size(), m_graph.edges.size());
    if (effort && m_graph.nodes.size() <= MostForGraphviz) askGraphviz(AutomaticSeconds, *effort);
    Q_EMIT layoutChanged();
}

void GraphView::rebuild(bool measured) {
    for (std::size_t i = 0; i < m_graph.nodes.size(); ++i) {
        GraphNode& node = m_graph.nodes[i];
        if (!measured) m_style.measure(node);
        m_nodes->add(node, static_cast<GraphIndex>(i), m_style);
    }
}

void GraphView::setDirection(GraphDirection direction) {
    if (direction == m_direction) return;
    m_direction = direction;
    m_sight = Sight::Readable;
    if (!m_isPrepared) layOut(false);
    Q_EMIT directionChanged();
}

/// Clears the state of the previous layout.
void GraphView::begin(bool sameSubject) {
    m_animation.stop();
    if (m_job != 0) m_jobs.discard(std::exchange(m_job, 0));
    m_better.reset();
    m_chip->hide();
    if (!sameSubject) m_sight = Sight::Readable;
    m_fromGraphviz = false;
    m_note = tr("built-in layout");
}

void GraphView::layOut(bool sameSubject) {
    begin(sameSubject);
    show(layeredLayout(m_graph, m_direction));
    showSight();
    if (const auto effort = graphvizEffort(m_graph.nodes.size(), m_graph.edges.size())) {
        askGraphviz(AutomaticSeconds, *effort);
    }
    Q_EMIT layoutChanged();
}

void GraphView::improveLayout() {
    if (m_graph.nodes.empty()) return;
    const auto effort = graphvizEffort(m_graph.nodes.size(), m_graph.edges.size());
    if (m_sight == Sight::Own) m_sight = Sight::Readable;
    askGraphviz(AskedForSeconds, effort.value_or(GraphvizEffort::Springs));
}

void GraphView::askGraphviz(double seconds, GraphvizEffort effort) {
    if (m_job != 0) m_jobs.discard(m_job);
    m_job = m_jobs.start(
        tr("Laying out a graph"), seconds > AutomaticSeconds, this,
        [graph = m_graph, direction = m_direction, effort, seconds](std::stop_token stop, const JobRunner::Report&) {
            return graphvizLayout(graph, direction, effort, seconds, std::move(stop));
        },
        [this](Result<GraphLayout> better) { takeBetter(std::move(better)); });
    Q_EMIT layoutChanged();
}

void GraphView::takeBetter(Result<GraphLayout> better) {
    m_job = 0;
    if (!better) {
        m_note = tr("built-in layout (%1)").arg(QString::fromStdString(better.error().message));
    } else if (m_sight == Sight::Own) {
        m_better = std::move(*better);
        m_chip->show();
        placeChip();
    } else {
        animateTo(std::move(*better));
    }
    Q_EMIT layoutChanged();
}

void GraphView::applyBetterLayout() {
    if (!m_better) return;
    m_chip->hide();
    animateTo(std::move(*std::exchange(m_better, std::nullopt)));
    Q_EMIT layoutChanged();
}

void GraphView::animateTo(GraphLayout layout) {
    m_fromGraphviz = true;
    m_note = tr("Graphviz layout");
    if (layout.routes.size() < m_graph.edges.size()) layout.routes.resize(m_graph.edges.size());
    if (m_reducedMotion || !isVisible() || m_graph.edges.size() > MostMovingEdges) {
        show(layout);
        showSight();
        return;
    }
    m_from = m_layout.centres;
    m_frames->setFrames({});
    m_layout = std::move(layout);
    showRoom();
    showSight();
    m_animation.start();
}

void GraphView::show(const GraphLayout& layout) {
    if (&layout != &m_layout) m_layout = layout;
    placeItems(m_layout.centres);
    drawEdges(true);
    m_frames->setFrames(groupFrames(m_graph, m_layout.centres, m_style));
    showRoom();
}

void GraphView::showRoom() {
    const QRectF all = m_layout.bounds | m_frames->boundingRect();
    scene()->setSceneRect(all.adjusted(-Margin, -Margin, Margin, Margin));
    m_minimap->redraw(all);
    updateMinimap();
}

void GraphView::placeItems(const std::vector<QPointF>& centres) {
    for (std::size_t i = 0; i < itemCount(); ++i) m_nodes->items()[i]->setPos(centres[i]);
    m_nodes->moved();
}

QRectF GraphView::boxOf(GraphIndex node) const { return item(node).box().translated(item(node).pos()); }

std::vector<std::size_t> GraphView::framedGroups() const {
    std::vector<std::size_t> groups;
    for (const FrameLayer::Frame& frame : m_frames->frames()) groups.push_back(frame.group);
    return groups;
}

void GraphView::setChosenGroup(std::optional<std::size_t> group) { m_frames->setChosen(group); }

QRect GraphView::titleRectOf(std::size_t group) const {
    for (const FrameLayer::Frame& frame : m_frames->frames()) {
        if (frame.group == group) return mapFromScene(m_frames->titleBox(frame)).boundingRect();
    }
    return {};
}

void GraphView::drawEdges(bool routed) {
    std::vector<QPointF> centres;
    for (const auto& one : m_nodes->items()) centres.push_back(one->pos());
    m_edges->setLines(edgeLines(m_graph, m_layout, centres, m_direction, routed));
    std::vector<EdgeLayer::Line> over;
    for (const GraphEdge& edge : m_references) {
        const QRectF from = boxOf(edge.from);
        const QRectF to = boxOf(edge.to);
        QPainterPath path(from.center());
        // Curved sideways, so that it does not cover the edges of the tree.
        const QPointF way = to.center() - from.center();
        path.quadTo(from.center() + way / 2 + QPointF(-way.y(), way.x()) * 0.15, to.center());
        over.push_back({path, GraphEdge::Kind::Reference});
    }
    m_overlay->setLines(std::move(over));
}

void GraphView::setReferences(std::vector<GraphEdge> references) {
    m_references = std::move(references);
    if (m_animation.state() != QAbstractAnimation::Running) drawEdges(true);
}

void GraphView::setSelected(std::optional<GraphIndex> node) {
    if (node && *node >= itemCount()) node.reset();
    if (m_selected && *m_selected < itemCount()) item(*m_selected).setState(NodeState::Selected, false);
    m_selected = node;
    m_edges->setSelected(node);
    m_minimap->setMarked(node);
    m_nodes->update();
    if (!node) return;
    item(*node).setState(NodeState::Selected, true);
    describeSelected();
    reveal(*node);
}

void GraphView::setMarked(NodeState state, const std::vector<GraphIndex>& nodes) {
    for (const auto& one : m_nodes->items()) one->setState(state, false);
    for (const GraphIndex node : nodes) item(node).setState(state, true);
    m_nodes->update();
}

void GraphView::setHeat(const std::vector<std::optional<double>>& heats, const std::vector<QString>& notes) {
    bool isOther = false;
    for (std::size_t node = 0; node < m_graph.nodes.size(); ++node) {
        const std::optional<double> heat = node < heats.size() ? heats[node] : std::nullopt;
        isOther = std::exchange(m_graph.nodes[node].heat, heat) != heat || isOther;
        m_graph.nodes[node].note = node < notes.size() ? notes[node] : QString();
    }
    describeSelected();
    if (!isOther) return;
    m_nodes->update();
    m_minimap->recolour();
}

QString GraphView::toolTipOf(GraphIndex node) const {
    const GraphNode& which = m_graph.nodes[node];
    return which.note.isEmpty() ? which.toolTip : which.toolTip + QLatin1Char('\n') + which.note;
}

void GraphView::describeSelected() {
    if (!m_selected || *m_selected >= m_graph.nodes.size()) return;
    const GraphNode& node = m_graph.nodes[*m_selected];
    setAccessibleDescription(node.note.isEmpty() ? node.title : tr("%1: %2").arg(node.title, node.note));
}

std::vector<GraphIndex> GraphView::marked(NodeState state) const {
    std::vector<GraphIndex> nodes;
    for (const auto& one : m_nodes->items()) {
        if (one->is(state)) nodes.push_back(one->index());
    }
    return nodes;
}

// --- the view ------------------------------------------------------------------------------------------------------------

void GraphView::scaleTo(double scale) {
    setTransform(QTransform::fromScale(scale, scale));
    updateMinimap();
}

void GraphView::setMinimap(bool shown) {
    m_minimap->setWanted(shown);
    updateMinimap();
}

bool GraphView::hasMinimap() const { return m_minimap->isWanted(); }

void GraphView::updateMinimap() {
    const auto scrolls = [](const QScrollBar* bar) { return bar->minimum() < bar->maximum(); };
    if (scrolls(horizontalScrollBar()) || scrolls(verticalScrollBar()))
        m_minimap->setSeen(mapToScene(viewport()->rect()).boundingRect(), viewport()->geometry());
    else
        m_minimap->setSeen(sceneRect(), viewport()->geometry());
}

void GraphView::scrollContentsBy(int dx, int dy) {
    QGraphicsView::scrollContentsBy(dx, dy);
    updateMinimap();
}

void GraphView::fit() {
    m_sight = Sight::All;
    showSight();
}

double GraphView::fittingScale() const {
    const QSizeF room = viewport()->size() - QSize(2, 2);  // larger without scroll bars; then it is called again
    const QRectF all = sceneRect();
    if (all.isEmpty() || room.isEmpty()) return 1.0;
    return std::min({room.width() / all.width(), room.height() / all.height(), 1.0});
}

void GraphView::showSight() {
    if (m_layout.bounds.isEmpty() || viewport()->width() <= 0 || m_sight == Sight::Own) return;
    const double scale = fittingScale();
    if (m_sight == Sight::Readable && scale < ReadableScale) {
        showReadably();
        return;
    }
    scaleTo(scale);
    centerOn(sceneRect().center());
}

/// Shows a part of a graph that is too large to be readable as a whole: around the selection, or the beginning.
void GraphView::showReadably() {
    scaleTo(ReadableScale);
    if (m_selected) {
        centerOn(boxOf(*m_selected).center());
        return;
    }
    const QRectF first = QRectF(m_layout.centres[0], QSizeF());
    const double down = viewport()->height() / ReadableScale / 2 - 2 * Margin;
    const double right = viewport()->width() / ReadableScale / 2 - 4 * Margin;
    centerOn(m_direction == GraphDirection::Down ? first.center() + QPointF(0, down)
                                                 : first.center() + QPointF(right, 0));
}

void GraphView::zoom(int steps) {
    m_sight = Sight::Own;
    if (steps == 0) {
        scaleTo(1.0);
        if (m_selected) centerOn(boxOf(*m_selected).center());
        return;
    }
    // A very large graph may need a smaller scale to fit.
    const double smallest = std::min(SmallestScale, fittingScale());
    scaleTo(std::clamp(transform().m11() * std::pow(ZoomStep, steps), smallest, LargestScale));
}

void GraphView::reveal(GraphIndex node) {
    const QRectF box = item(node).box().translated(m_layout.centres[node]);
    const QRectF seen = mapToScene(viewport()->rect()).boundingRect();
    if (!seen.contains(box)) centerOn(box.center());
}

QRect GraphView::rectOf(GraphIndex node) const { return mapFromScene(boxOf(node)).boundingRect(); }

void GraphView::placeChip() {
    m_chip->adjustSize();
    m_chip->move(viewport()->width() - m_chip->width() - 8, 8);
}

void GraphView::resizeEvent(QResizeEvent* event) {
    QGraphicsView::resizeEvent(event);
    placeChip();
    showSight();
    updateMinimap();
}

void GraphView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        m_style = GraphStyle(palette(), font());
        for (const auto& one : m_nodes->items()) one->forgetTexts();
        scene()->update();
        m_minimap->recolour();
        if (event->type() == QEvent::FontChange && !m_isPrepared) {
            for (GraphNode& node : m_graph.nodes) m_style.measure(node);
            layOut(true);
        }
    }
    QGraphicsView::changeEvent(event);
}

// --- mouse and keys ------------------------------------------------------------------------------------------------------

const NodeItem* GraphView::itemAtPoint(const QPoint& point) const {
    const QPointF at = mapToScene(point);
    const auto& items = m_nodes->items();
    const auto found = std::find_if(items.rbegin(), items.rend(), [&at](const std::unique_ptr<NodeItem>& one) {
        return one->box().translated(one->pos()).contains(at) || one->button().translated(one->pos()).contains(at);
    });
    return found == items.rend() ? nullptr : found->get();
}

bool GraphView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const NodeItem* const node = itemAtPoint(help->pos());
        QToolTip::showText(help->globalPos(), node == nullptr ? QString() : toolTipOf(node->index()), viewport());
        return true;
    }
    return QGraphicsView::viewportEvent(event);
}

void GraphView::wheelEvent(QWheelEvent* event) {
    if (event->modifiers().testFlag(Qt::ControlModifier)) {
        zoom(event->angleDelta().y() > 0 ? 1 : -1);
        event->accept();
        return;
    }
    m_sight = Sight::Own;
    QGraphicsView::wheelEvent(event);
}

void GraphView::mousePressEvent(QMouseEvent* event) {
    setFocus(Qt::MouseFocusReason);
    if (event->button() == Qt::LeftButton || event->button() == Qt::MiddleButton) m_pressed = event->pos();
    m_panning = false;
}

void GraphView::mouseMoveEvent(QMouseEvent* event) {
    if (!m_pressed) {
        QGraphicsView::mouseMoveEvent(event);
        return;
    }
    const QPoint way = event->pos() - *m_pressed;
    if (!m_panning && way.manhattanLength() < QApplication::startDragDistance()) return;
    if (!std::exchange(m_panning, true)) viewport()->setCursor(Qt::ClosedHandCursor);
    m_sight = Sight::Own;
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() - way.x());
    verticalScrollBar()->setValue(verticalScrollBar()->value() - way.y());
    m_pressed = event->pos();
}

void GraphView::mouseReleaseEvent(QMouseEvent* event) {
    if (!m_pressed) return;
    m_pressed.reset();
    viewport()->unsetCursor();
    if (std::exchange(m_panning, false) || event->button() != Qt::LeftButton) return;
    const NodeItem* const item = itemAtPoint(event->pos());
    if (item == nullptr) {
        if (const auto group = m_frames->titleAt(mapToScene(event->pos()))) {
            Q_EMIT groupClicked(static_cast<int>(*group));
            return;
        }
        Q_EMIT backgroundClicked();
        return;
    }
    const auto node = static_cast<int>(item->index());
    if (item->button().translated(item->pos()).contains(mapToScene(event->pos()))) {
        Q_EMIT nodeToggled(node);
    } else {
        Q_EMIT nodeClicked(node);
    }
}

void GraphView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (const NodeItem* item = itemAtPoint(event->pos())) Q_EMIT nodeToggled(static_cast<int>(item->index()));
}

void GraphView::addKeys() {
    auto* keys = new ViewKeys(this, tr("Graph"));
    keys->add({Qt::Key_Space}, tr("Show all of it"), [this] { fit(); });
    keys->add({Qt::Key_Plus}, tr("Larger"), [this] { zoom(1); });
    keys->add({Qt::Key_Minus}, tr("Smaller"), [this] { zoom(-1); });
    keys->add({Qt::Key_Equal}, tr("Usual size"), [this] { zoom(0); });
    keys->add({Qt::Key_Return, Qt::Key_Enter}, tr("Show or hide what is behind the box"), [this] {
        if (m_selected) Q_EMIT nodeToggled(static_cast<int>(*m_selected));
    });
    keys->add({Qt::Key_Up}, tr("To the box above"), [this] { walk(Qt::Key_Up); });
    keys->add({Qt::Key_Down}, tr("To the box below"), [this] { walk(Qt::Key_Down); });
    keys->add({Qt::Key_Left}, tr("To the box at the left"), [this] { walk(Qt::Key_Left); });
    keys->add({Qt::Key_Right}, tr("To the box at the right"), [this] { walk(Qt::Key_Right); });
    keys->describe(tr("Ctrl + wheel"), tr("Zoom"));
    keys->describe(tr("Drag"), tr("Move"));
    keys->describe(tr("Double click"), tr("Show or hide what is behind the box"));
}

/// Along the layout direction, selects the node above or below; across it, the next one of the same layer.
void GraphView::walk(int key) {
    if (m_graph.nodes.empty()) return;
    if (!m_selected) {
        Q_EMIT nodeClicked(0);
        return;
    }
    const bool sideways = m_direction == GraphDirection::Right;
    const int back = sideways ? Qt::Key_Left : Qt::Key_Up;
    const int on = sideways ? Qt::Key_Right : Qt::Key_Down;
    if (key == back || key == on) {
        for (const GraphEdge& edge : m_graph.edges) {
            if (edge.kind != GraphEdge::Kind::Child) continue;
            if ((key == back ? edge.to : edge.from) != *m_selected) continue;
            Q_EMIT nodeClicked(static_cast<int>(key == back ? edge.from : edge.to));
            return;
        }
        return;
    }
    const bool forward = key == Qt::Key_Right || key == Qt::Key_Down;
    const QPointF here = m_layout.centres[*m_selected];
    std::optional<GraphIndex> next;
    double nearest = 0.0;
    for (std::size_t i = 0; i < m_layout.centres.size(); ++i) {
        const QPointF way = m_layout.centres[i] - here;
        const double across = sideways ? way.y() : way.x();
        const double along = sideways ? way.x() : way.y();
        const QSizeF size = m_graph.nodes[i].size;
        if (std::abs(along) > (sideways ? size.width() : size.height()) / 2 + Margin / 2) continue;
        const double distance = forward ? across : -across;
        if (distance <= 0.5 || (next && distance >= nearest)) continue;
        next = static_cast<GraphIndex>(i);
        nearest = distance;
    }
    if (next) Q_EMIT nodeClicked(static_cast<int>(*next));
}

}  // namespace mitos::views
