// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/program/program_thumbnail.h"

#include "views/document/cost_text.h"
#include "views/program/code_view.h"
#include "views/program/internal/graph_picture.h"
#include "views/program/line_notes.h"

#include <QEvent>
#include <QPainter>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

constexpr auto Form = ProgramText::Form::Reading;
constexpr int Columns = 80;      // of the exchange form, which is not shown
constexpr int SmallFont = -2;    // points below the usual size
constexpr int SmallerFont = -3;  // if the text does not fit otherwise
constexpr int SmallestFont = -4;
constexpr double StripGap = 6.0;  // pixels between the parts of a graph
constexpr double Margin = 8.0;
constexpr double ScaleStep = 0.95;
constexpr double SmallestScale = 0.05;

/// The horizontal extents of the layers of a graph, from left to right; boxes that overlap horizontally are one layer.
std::vector<QRectF> layersOf(const GraphView::Prepared& graph) {
    std::vector<QRectF> boxes;
    for (std::size_t i = 0; i < graph.graph.nodes.size(); ++i) {
        QRectF box(QPointF(), graph.graph.nodes[i].size);
        box.moveCenter(graph.layout.centres[i]);
        boxes.push_back(box);
    }
    std::ranges::sort(boxes, {}, [](const QRectF& box) { return box.left(); });
    std::vector<QRectF> layers;
    for (const QRectF& box : boxes) {
        if (!layers.empty() && box.left() < layers.back().right())
            layers.back() |= box;
        else
            layers.push_back(box);
    }
    return layers;
}

}  // namespace

ProgramThumbnail::ProgramThumbnail(QWidget* parent)
    : QWidget(parent),
      m_code(new CodeView(this)),
      m_style(palette(), font()) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    m_code->setFocusPolicy(Qt::NoFocus);
    m_code->setFrameShape(QFrame::NoFrame);
    m_code->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_code->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_code->viewport()->setAutoFillBackground(false);
    m_code->hide();
}

ProgramThumbnail::~ProgramThumbnail() = default;

std::shared_ptr<const ProgramThumbnail::Content> ProgramThumbnail::layOut(const ir::TermBank& bank,
                                                                          const ir::Program& program,
                                                                          cost::CostEvaluator& costs,
                                                                          const QFont& font) {
    auto content = std::make_shared<Content>();
    content->program.text = ProgramText(bank, program, Columns);
    content->program.costs = explainedParts(costs, bank, program);
    content->program.findLineCosts();
    if (!content->program.text.isGraph()) return content;
    content->program.parts = findParts(bank, content->program.text, content->program.costs);
    PictureChoice choice;
    for (std::uint32_t block = 0; block < content->program.parts.blocks.size(); ++block) choice.expanded.insert(block);
    GraphDescription graph = drawGraph(content->program, choice).graph;
    graph.groups.clear();
    for (GraphNode& node : graph.nodes) {  // there is room for the operators only
        node.detail.clear();
        node.caption.clear();
    }
    // Colours do not matter for the layout.
    content->graph = GraphView::prepare(std::move(graph), GraphStyle(QPalette(), font), GraphDirection::Right);
    return content;
}

void ProgramThumbnail::setContent(std::shared_ptr<const Content> content) {
    m_scene.reset();
    m_content = std::move(content);
    const bool isText = m_content && !m_content->program.text.isGraph();
    m_code->setVisible(isText);
    if (isText) {
        m_code->setText(m_content->program.text.text(Form), true, languageOf(Form));
        fitText();
    } else if (m_content) {
        buildScene();
    }
    updateGeometry();
    update();
}

QString ProgramThumbnail::text() const { return m_code->text(); }

std::size_t ProgramThumbnail::boxes() const { return m_content ? m_content->graph.graph.nodes.size() : 0; }

QSize ProgramThumbnail::sizeHint() const {
    if (m_code->isHidden()) return {200, 100};
    return {m_code->wholeWidth(), m_code->lineCount() * m_code->lineHeight() + static_cast<int>(Margin)};
}

/// The largest font and the most detailed notes that fit.
void ProgramThumbnail::fitText() {
    if (m_code->isHidden()) return;
    m_code->resize(size());
    struct Look {
        int font;
        bool hasNotes;
        bool areShort;
    };
    for (const Look& look : {Look{SmallFont, true, false}, Look{SmallFont, true, true}, Look{SmallerFont, true, true},
                             Look{SmallestFont, true, true}, Look{SmallestFont, false, true}}) {
        m_code->zoom(0);
        m_code->zoom(look.font);
        m_code->setShortNotes(look.areShort);
        m_code->setNotes(look.hasNotes ? lineNotes(m_content->program, Form) : std::vector<LineNote>());
        if (m_code->wholeWidth() <= width()) break;
    }
    const int wanted = std::min(height(), ProgramThumbnail::sizeHint().height());
    m_code->setGeometry(0, (height() - wanted) / 2, width(), wanted);
    updateGeometry();
}

void ProgramThumbnail::buildScene() {
    m_scene.reset();
    m_style = GraphStyle(palette(), font());
    m_scene = std::make_unique<QGraphicsScene>();
    auto* edges = new EdgeLayer(m_style);
    edges->setLines(m_content->graph.lines);
    auto* nodes = new NodeLayer;
    const std::vector<GraphNode>& all = m_content->graph.graph.nodes;
    for (GraphIndex i = 0; i < all.size(); ++i) nodes->add(all[i], i, m_style);
    for (const auto& item : nodes->items()) item->setPos(m_content->graph.layout.centres[item->index()]);
    nodes->moved();
    m_scene->addItem(edges);
    m_scene->addItem(nodes);
}

std::optional<ProgramThumbnail::Strips> ProgramThumbnail::stripsAt(double scale,
                                                                   const std::vector<QRectF>& layers) const {
    Strips strips{scale, {}};
    const double widest = (width() - 2 * Margin) / scale;
    double height = 0.0;
    for (std::size_t first = 0; first < layers.size();) {
        if (layers[first].width() > widest) return std::nullopt;
        QRectF rect = layers[first];
        std::size_t next = first + 1;
        for (; next < layers.size() && layers[next].right() - rect.left() <= widest; ++next) rect |= layers[next];
        Strip strip{rect, rect.left()};
        if (first > 0) strip.rect.setLeft((layers[first - 1].right() + rect.left()) / 2);
        if (next < layers.size()) strip.rect.setRight((rect.right() + layers[next].left()) / 2);
        strips.parts.push_back(strip);
        height += rect.height() * scale + StripGap;
        first = next;
    }
    if (height - StripGap > this->height() - 2 * Margin) return std::nullopt;
    return strips;
}

ProgramThumbnail::Strips ProgramThumbnail::strips() const {
    const std::vector<QRectF> layers = layersOf(m_content->graph);
    for (double scale = 1.0; scale > SmallestScale; scale *= ScaleStep) {
        if (const std::optional<Strips> strips = stripsAt(scale, layers)) return *strips;
    }
    return {SmallestScale, {{m_content->graph.layout.bounds, m_content->graph.layout.bounds.left()}}};
}

void ProgramThumbnail::paintEvent(QPaintEvent* /*event*/) {
    if (!m_scene) return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Strips all = strips();
    double height = -StripGap;
    for (const Strip& part : all.parts) height += part.rect.height() * all.scale + StripGap;
    double y = (this->height() - height) / 2;
    for (const Strip& part : all.parts) {
        const QSizeF size = part.rect.size() * all.scale;
        const double x = Margin + (part.rect.left() - part.left) * all.scale;
        m_scene->render(&painter, QRectF(QPointF(x, y), size), part.rect);
        y += size.height() + StripGap;
    }
}

void ProgramThumbnail::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitText();
}

void ProgramThumbnail::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_scene) buildScene();
}

}  // namespace mitos::views
