// SPDX-License-Identifier: GPL-3.0-or-later
// A small picture of a program, drawn as the program view draws it: the reading form with the cost of each line, or a graph's boxes.
#pragma once

#include "views/graph/graph_view.h"
#include "views/program/program_tree_model.h"

#include <QGraphicsScene>
#include <QWidget>
#include <memory>
#include <optional>
#include <vector>

namespace mitos::views {

class CodeView;

/// Does not react to the mouse or the keyboard. A graph that is too wide is cut between its layers and continues below, as the lines of
/// a text do.
class ProgramThumbnail : public QWidget {
    Q_OBJECT
public:
    struct Content {
        ProgramContent program;
        GraphView::Prepared graph;  ///< empty for a tree
    };

    explicit ProgramThumbnail(QWidget* parent = nullptr);
    ~ProgramThumbnail() override;

    /// Prints, prices, measures and lays out. Takes time: call it in a job, with the font of the thumbnail.
    [[nodiscard]] static std::shared_ptr<const Content> layOut(const ir::TermBank& bank, const ir::Program& program,
                                                               cost::CostEvaluator& costs, const QFont& font);
    void setContent(std::shared_ptr<const Content> content);
    [[nodiscard]] bool isEmpty() const { return m_content == nullptr; }
    /// The text that is shown; empty for a graph.
    [[nodiscard]] QString text() const;
    /// Number of boxes that are drawn.
    [[nodiscard]] std::size_t boxes() const;
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    /// Consecutive layers of a graph, with half of the space between them and their neighbours.
    struct Strip {
        QRectF rect;
        double left = 0.0;  ///< of the first layer
    };
    /// The parts that a graph is cut into, and the scale at which they fit below each other.
    struct Strips {
        double scale = 1.0;
        std::vector<Strip> parts;
    };
    void fitText();
    void buildScene();
    [[nodiscard]] Strips strips() const;
    [[nodiscard]] std::optional<Strips> stripsAt(double scale, const std::vector<QRectF>& layers) const;

    std::shared_ptr<const Content> m_content;
    CodeView* m_code;
    GraphStyle m_style;
    std::unique_ptr<QGraphicsScene> m_scene;  // of a graph; refers to the style and the content
};

}  // namespace mitos::views
