// SPDX-License-Identifier: GPL-3.0-or-later
// Shows a graph: lays it out at once, then better; zoom, pan, selection, walking by keys. Knows nothing of programs.
#pragma once

#include "views/graph/graph_items.h"
#include "views/graph/graphviz_layout.h"
#include "views/jobs/job_runner.h"

#include <QGraphicsView>
#include <QVariantAnimation>
#include <memory>
#include <optional>
#include <vector>

class QToolButton;

namespace mitos::views {

class GraphView : public QGraphicsView {
    Q_OBJECT
public:
    explicit GraphView(JobRunner& jobs, QWidget* parent = nullptr);
    ~GraphView() override;

    /// Shows another graph. `sameSubject`: a change of the one that was shown; zoom and place stay if the user chose them.
    void setGraph(GraphDescription graph, bool sameSubject);
    /// A graph that was measured and laid out elsewhere: for those that take longer than a frame.
    struct Prepared {
        GraphDescription graph;
        GraphLayout layout;
        std::vector<EdgeLayer::Line> lines;
        std::vector<FrameLayer::Frame> frames;
    };
    /// Does that, on any thread; the style is style()'s.
    [[nodiscard]] static Prepared prepare(GraphDescription graph, const GraphStyle& style, GraphDirection direction);
    void setPrepared(Prepared prepared, bool sameSubject);
    [[nodiscard]] const GraphStyle& style() const { return m_style; }
    /// Frames around groups that are drawn, by the number of the group.
    [[nodiscard]] std::vector<std::size_t> framedGroups() const;
    /// Where the title of a group's frame is drawn, in the viewport; empty: it has none.
    [[nodiscard]] QRect titleRectOf(std::size_t group) const;
    [[nodiscard]] const GraphDescription& graph() const { return m_graph; }
    void setDirection(GraphDirection direction);
    [[nodiscard]] GraphDirection direction() const { return m_direction; }

    void setSelected(std::optional<GraphIndex> node);
    [[nodiscard]] std::optional<GraphIndex> selected() const { return m_selected; }
    void setMarked(NodeState state, const std::vector<GraphIndex>& nodes);
    [[nodiscard]] std::vector<GraphIndex> marked(NodeState state) const;
    /// Dashed lines over the drawing, from node to node.
    void setReferences(std::vector<GraphEdge> references);

    void fit();            ///< all of it, until its user zooms or pans
    void zoom(int steps);  ///< 0: one to one
    void reveal(GraphIndex node);
    /// Asks Graphviz again, with more time.
    void improveLayout();
    void applyBetterLayout();
    /// Where a node is drawn, in the viewport; for tests and tool tips.
    [[nodiscard]] QRect rectOf(GraphIndex node) const;
    [[nodiscard]] bool isLayoutPending() const { return m_job != 0; }
    /// How the drawing came about: "built-in", "Graphviz", or why there is no better one.
    [[nodiscard]] QString layoutNote() const { return m_note; }
    [[nodiscard]] bool hasGraphvizLayout() const { return m_fromGraphviz || m_better.has_value(); }
    /// No animation of changes.
    void setReducedMotion(bool reduced) { m_reducedMotion = reduced; }

Q_SIGNALS:
    void nodeClicked(int node);
    void nodeToggled(int node);    ///< its button, a double click, or Enter
    void groupClicked(int group);  ///< the title of its frame
    void directionChanged();
    void backgroundClicked();
    void layoutChanged();

protected:
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
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
    [[nodiscard]] double fittingScale() const;  ///< at which all of it is in sight
    void showSight();
    void showReadably();
    void scaleTo(double scale);
    void placeChip();
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
    std::optional<GraphLayout> m_better;  ///< waits for the user's word
    NodeLayer* m_nodes;                   ///< owned by the scene, as the other layers
    FrameLayer* m_frames;
    EdgeLayer* m_edges;
    EdgeLayer* m_overlay;  ///< references
    std::vector<GraphEdge> m_references;
    std::optional<GraphIndex> m_selected;
    JobId m_job = 0;
    /// What is in sight, also after the room or the drawing changed.
    enum class Sight {
        Readable,  ///< all of it if it can be read then, else a part
        All,
        Own,  ///< what the user panned or zoomed to
    };
    Sight m_sight = Sight::Readable;
    bool m_reducedMotion = false;
    bool m_fromGraphviz = false;
    bool m_isPrepared = false;  ///< whoever prepared the graph lays it out again
    QString m_note;
    QVariantAnimation m_animation;
    std::vector<QPointF> m_from;
    QToolButton* m_chip;
    std::optional<QPoint> m_pressed;
    bool m_panning = false;
};

}  // namespace mitos::views
