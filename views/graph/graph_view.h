// SPDX-License-Identifier: GPL-3.0-or-later
// Shows a graph: a quick layout at once, then a better one; zoom, pan, selection, walking by keys. Independent of programs.
#pragma once

#include "views/graph/graph_items.h"
#include "views/graph/graphviz_layout.h"
#include "views/job_runner/job_runner.h"

#include <QGraphicsView>
#include <QVariantAnimation>
#include <optional>
#include <vector>

class QToolButton;

namespace mitos::views {

class Minimap;

class GraphView : public QGraphicsView {
    Q_OBJECT
public:
    explicit GraphView(JobRunner& jobs, QWidget* parent = nullptr);
    ~GraphView() override;

    /// Shows another graph. `sameSubject`: it is a modified version of the graph shown; zoom and position are kept if
    /// the user chose them.
    void setGraph(GraphDescription graph, bool sameSubject);
    /// A graph measured and laid out elsewhere, for graphs whose layout takes longer than a frame.
    struct Prepared {
        GraphDescription graph;
        GraphLayout layout;
        std::vector<EdgeLayer::Line> lines;
        std::vector<FrameLayer::Frame> frames;
    };
    /// Measures and lays out a graph; thread-safe. The style is style()'s.
    [[nodiscard]] static Prepared prepare(GraphDescription graph, const GraphStyle& style, GraphDirection direction);
    void setPrepared(Prepared prepared, bool sameSubject);
    [[nodiscard]] const GraphStyle& style() const { return m_style; }
    /// Indices of the groups whose frames are drawn.
    [[nodiscard]] std::vector<std::size_t> framedGroups() const;
    /// Rectangle of the title of a group's frame, in the viewport; empty if it has none.
    [[nodiscard]] QRect titleRectOf(std::size_t group) const;
    /// Emphasizes the frame of a region (GraphGroup::isRegion); a new graph has none.
    void setChosenGroup(std::optional<std::size_t> group);
    [[nodiscard]] std::optional<std::size_t> chosenGroup() const { return m_frames->chosen(); }
    [[nodiscard]] const GraphDescription& graph() const { return m_graph; }
    void setDirection(GraphDirection direction);
    [[nodiscard]] GraphDirection direction() const { return m_direction; }

    void setSelected(std::optional<GraphIndex> node);
    [[nodiscard]] std::optional<GraphIndex> selected() const { return m_selected; }
    void setMarked(NodeState state, const std::vector<GraphIndex>& nodes);
    [[nodiscard]] std::vector<GraphIndex> marked(NodeState state) const;
    /// The heat of each node (GraphNode::heat) and its note; both empty: none.
    void setHeat(const std::vector<std::optional<double>>& heats, const std::vector<QString>& notes);
    /// Sets dashed lines drawn over the graph, from node to node.
    void setReferences(std::vector<GraphEdge> references);

    void fit();            ///< shows all of it until the user zooms or pans
    void zoom(int steps);  ///< 0: original size
    void reveal(GraphIndex node);
    /// Runs Graphviz again with more time.
    void improveLayout();
    void applyBetterLayout();
    /// Rectangle of a node in the viewport; for tests and tool tips.
    [[nodiscard]] QRect rectOf(GraphIndex node) const;
    [[nodiscard]] bool isLayoutPending() const { return m_job != 0; }
    /// The origin of the layout: "built-in", "Graphviz", or why there is no better one.
    [[nodiscard]] QString layoutNote() const { return m_note; }
    [[nodiscard]] bool hasGraphvizLayout() const { return m_fromGraphviz || m_better.has_value(); }
    /// Whether a map is shown in the corner while only a part of the graph is visible.
    void setMinimap(bool shown);
    [[nodiscard]] bool hasMinimap() const;
    [[nodiscard]] const EdgeLayer& edges() const { return *m_edges; }
    /// Turns the animation of changes off.
    void setReducedMotion(bool reduced) { m_reducedMotion = reduced; }

Q_SIGNALS:
    void nodeClicked(int node);
    void nodeToggled(int node);    ///< by its button, a double click, or Enter
    void groupClicked(int group);  ///< on the title of its frame
    void directionChanged();
    void backgroundClicked();
    void layoutChanged();

protected:
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;

private:
    void addKeys();
    void reset(GraphDescription graph);
    void rebuild(bool measured);
    void layOut(bool sameSubject);
    void begin(bool sameSubject);
    void askGraphviz(double seconds, GraphvizEffort effort);
    void takeBetter(Result<GraphLayout> better);
    void show(const GraphLayout& layout);
    void animateTo(GraphLayout layout);
    void showRoom();
    void placeItems(const std::vector<QPointF>& centres);
    void drawEdges(bool routed);
    [[nodiscard]] double fittingScale() const;  ///< the scale that shows all of it
    void showSight();
    void showReadably();
    void scaleTo(double scale);
    void placeChip();
    void updateMinimap();
    [[nodiscard]] QString toolTipOf(GraphIndex node) const;
    void describeSelected();
    void walk(int key);
    [[nodiscard]] const NodeItem* itemAtPoint(const QPoint& point) const;
    [[nodiscard]] NodeItem& item(GraphIndex node) const { return *m_nodes->items()[node]; }
    [[nodiscard]] std::size_t itemCount() const { return m_nodes->items().size(); }
    [[nodiscard]] QRectF boxOf(GraphIndex node) const;

    JobRunner& m_jobs;
    GraphStyle m_style;
    GraphDescription m_graph;
    GraphDirection m_direction = GraphDirection::Down;
    GraphLayout m_layout;
    std::optional<GraphLayout> m_better;  ///< applied when the user requests it
    NodeLayer* m_nodes;                   ///< owned by the scene, like the other layers
    FrameLayer* m_frames;
    EdgeLayer* m_edges;
    EdgeLayer* m_overlay;  ///< draws the references
    std::vector<GraphEdge> m_references;
    std::optional<GraphIndex> m_selected;
    JobId m_job = 0;
    /// The part in view; restored when the viewport or the drawing changes size.
    enum class Sight {
        Readable,  ///< all of it if it is readable at that scale, else a part
        All,
        Own,  ///< the part the user panned or zoomed to
    };
    Sight m_sight = Sight::Readable;
    bool m_reducedMotion = false;
    bool m_fromGraphviz = false;
    bool m_isPrepared = false;  ///< the graph came from setPrepared(); the caller lays it out again
    QString m_note;
    QVariantAnimation m_animation;
    std::vector<QPointF> m_from;
    QToolButton* m_chip;
    Minimap* m_minimap;
    std::optional<QPoint> m_pressed;
    bool m_panning = false;
};

}  // namespace mitos::views
