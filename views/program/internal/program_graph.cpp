// SPDX-License-Identifier: GPL-3.0-or-later
// Maps between the program's nodes and the boxes of the graph.
#include "views/program/internal/program_graph.h"

#include "views/common/format.h"
#include "views/common/view_keys.h"

#include <QKeyEvent>
#include <QLocale>
#include <QSettings>
#include <QSignalBlocker>
#include <QToolButton>
#include <algorithm>
#include <array>
#include <utility>

namespace mitos::views {

namespace {

QString weightsKey() { return QStringLiteral("graph/weights"); }
QString barsKey() { return QStringLiteral("graph/costs"); }

}  // namespace

ProgramGraph::ProgramGraph(JobRunner& jobs, QWidget* parent) : GraphPane(jobs, parent), m_jobs(jobs) {
    setObjectName(QStringLiteral("programGraph"));
    view().setAccessibleName(tr("Program graph"));
    addButtons();
    connect(&view(), &GraphView::nodeClicked, this, [this](int node) {
        const auto at = static_cast<std::size_t>(node);
        if (at < m_picture.boxes.size()) Q_EMIT chosen(m_picture.boxes[at].node);  // else it shows an older state
    });
    connect(&view(), &GraphView::nodeToggled, this, [this](int node) {
        if (isGraph())
            toggleBox(static_cast<GraphIndex>(node));
        else
            toggle(m_picture.boxes[static_cast<std::size_t>(node)].node);
    });
    connect(&view(), &GraphView::groupClicked, this, [this](int group) {
        const auto at = static_cast<std::size_t>(group);
        const std::size_t blocks = m_picture.groupBlocks.size();
        if (at < blocks)
            toggleBlock(m_picture.groupBlocks[at]);
        else if (at - blocks < m_picture.groupRegions.size())
            Q_EMIT regionChosen(static_cast<int>(m_picture.groupRegions[at - blocks]));
    });
    connect(&view(), &GraphView::directionChanged, this, [this] {
        if (isGraph()) draw();
    });
    connect(&view(), &GraphView::backgroundClicked, this, &ProgramGraph::nothingChosen);
    connect(&legend(), &GraphLegend::clicked, this, &ProgramGraph::markFamily);
    auto* keys = new ViewKeys(&view(), tr("Graph"));
    keys->add({Qt::SHIFT | Qt::Key_E}, tr("Open all blocks of a network"), [this] {
        if (isGraph()) expandAll();
    });
    keys->add({Qt::SHIFT | Qt::Key_C}, tr("Close all blocks of a network"), [this] {
        if (isGraph()) collapseAll();
    });
}

void ProgramGraph::addButtons() {
    const auto add = [this](const char* name, const QString& text, const QString& toolTip, bool checkable) {
        m_buttons.push_back(addButton(QLatin1String(name), text, toolTip, checkable));
        m_buttons.back()->hide();
        return m_buttons.back();
    };
    connect(add("graphCollapse", tr("Collapse All"), tr("Draw each block as one box (Shift+C)"), false),
            &QToolButton::clicked, this, &ProgramGraph::collapseAll);
    connect(add("graphExpand", tr("Expand All"), tr("Draw all operators (Shift+E)"), false), &QToolButton::clicked,
            this, &ProgramGraph::expandAll);
    m_weights = add("graphWeights", tr("Weights"), tr("Show weights and constants"), true);
    connect(m_weights, &QToolButton::toggled, this, [this](bool shown) {
        m_choice.weights = shown;
        QSettings().setValue(weightsKey(), shown);
        draw();
    });
    QToolButton* bars =
        add("graphBars", tr("Costs"),
            tr("Bars of costs: launching, computing, moving memory; against the most expensive box"), true);
    // Restores the user's last settings.
    const QSettings settings;
    m_choice.bars = settings.value(barsKey(), true).toBool();
    bars->setChecked(m_choice.bars);
    m_choice.weights = settings.value(weightsKey(), false).toBool();
    {
        const QSignalBlocker blocker(m_weights);
        m_weights->setChecked(m_choice.weights);
    }
    connect(bars, &QToolButton::toggled, this, [this](bool shown) {
        m_choice.bars = shown;
        QSettings().setValue(barsKey(), shown);
        draw();
    });
}

void ProgramGraph::setContent(std::shared_ptr<const ProgramContent> content, const ir::TermBank* bank,
                              bool sameProgram) {
    // Expanded blocks stay expanded if the next state has them.
    std::vector<QString> open;
    if (sameProgram && isGraph()) {
        for (const std::uint32_t block : m_choice.expanded) open.push_back(m_content->parts.blocks[block].title);
    }
    m_content = std::move(content);
    m_bank = bank;
    m_sameProgram = sameProgram;
    m_extract = {};
    m_choice.expanded.clear();
    m_query.cancel();
    const bool hasWeights = isGraph() && std::ranges::any_of(m_content->parts.nodes, [](const PartNode& node) {
                                return node.kind == PartNode::Kind::Weight;
                            });
    for (QToolButton* button : m_buttons) button->setVisible(isGraph() && (button != m_weights || hasWeights));
    if (isGraph()) {
        const auto& blocks = m_content->parts.blocks;
        for (std::uint32_t block = 0; block < blocks.size(); ++block) {
            if (std::ranges::find(open, blocks[block].title) != open.end()) m_choice.expanded.insert(block);
        }
    }
    m_selected.reset();
    m_occurrences.clear();
    m_changed.clear();
    m_choice.removed.clear();
    m_choice.regions.clear();
    m_chosenRegion.reset();
    m_touched.clear();
    m_roots.clear();
    m_found.clear();
    m_gain.reset();
    m_nodes.clear();
    m_picture = {};
    m_outdated = true;
    legend().setChosen(std::nullopt);
    if (!m_content || !sameProgram) {
        view().setGraph({}, false);
        legend().setEntries({});
    }
    if (isGraph() && isVisible()) draw();
}

void ProgramGraph::showEvent(QShowEvent* event) {
    GraphPane::showEvent(event);
    if (m_outdated) draw();
}

void ProgramGraph::changeEvent(QEvent* event) {
    GraphPane::changeEvent(event);
    if (event->type() == QEvent::FontChange && isGraph()) draw();
}

void ProgramGraph::draw() {
    if (!m_content || m_bank == nullptr) return;
    m_outdated = !isVisible();
    if (m_outdated) return;
    isGraph() ? drawGraph() : drawTree();
}

void ProgramGraph::drawGraph() {
    struct Made {
        GraphPicture picture;
        GraphView::Prepared prepared;
    };
    m_query.ask(
        tr("Drawing the program"),
        [content = m_content, choice = m_choice, style = view().style(), direction = view().direction()](
            const std::stop_token&, const JobRunner::Report&) {
            auto made = std::make_shared<Made>();
            made->picture = views::drawGraph(*content, choice);
            made->prepared = GraphView::prepare(std::move(made->picture.graph), style, direction);
            return made;
        },
        [this](const std::shared_ptr<Made>& made) {
            takePicture(std::move(made->picture), std::move(made->prepared));
        });
}

void ProgramGraph::takePicture(GraphPicture picture, GraphView::Prepared prepared) {
    m_picture = std::move(picture);
    view().setPrepared(std::move(prepared), std::exchange(m_sameProgram, true));
    showFooter();
    showLegend();
    showHeat();
    showStates();
    showChosenRegion();
    Q_EMIT drawn();
}

void ProgramGraph::showFooter() {
    std::size_t collapsed = 0;
    for (const PictureBox& box : m_picture.boxes) collapsed += box.block != ProgramParts::None ? 1 : 0;
    const std::size_t operators = m_content->text.nodes().size();
    QStringList said{tr("%1 boxes for %2 nodes").arg(countText(m_picture.boxes.size()), countText(operators))};
    if (m_picture.removed > 0) said << tr("removed nodes, dashed: %1").arg(m_picture.removed);
    if (collapsed > 0) said << tr("collapsed blocks: %1 (Enter opens one)").arg(collapsed);
    if (const std::size_t hidden = m_choice.regions.size() - m_picture.groupRegions.size(); hidden > 0)
        said << tr("regions in collapsed blocks: %1").arg(hidden);
    if (m_picture.hiddenWeights > 0) said << tr("hidden weights: %1").arg(m_picture.hiddenWeights);
    setFooter(said.join(QStringLiteral(" · ")));
}

void ProgramGraph::drawTree() {
    if (m_selected) m_extract.focus = *m_selected;
    m_nodes = extractNodes(m_content->text, m_extract);
    m_picture = views::drawTree(*m_bank, *m_content, m_nodes);
    view().setGraph(std::move(m_picture.graph), std::exchange(m_sameProgram, true));
    const std::size_t all = m_content->text.nodes().size();
    const std::size_t shown = m_nodes.size();
    setFooter(shown == all ? tr("All %1 nodes").arg(countText(all))
                           : tr("%1 of %2 nodes, those around the selection; + on a box shows more, the tree shows all")
                                 .arg(countText(shown), countText(all)));
    showLegend();
    showHeat();
    showStates();
}

/// The families of the boxes that are drawn, unless heat is drawn instead.
void ProgramGraph::showLegend() {
    if (m_gain) return legend().setEntries({});
    std::array<bool, OperatorFamilies> drawn{};
    for (const GraphNode& node : view().graph().nodes) {
        if (node.fill >= 0) drawn.at(static_cast<std::size_t>(node.fill)) = true;
    }
    std::vector<GraphLegend::Entry> entries;
    for (int fill = 0; fill < OperatorFamilies; ++fill) {
        if (!drawn.at(static_cast<std::size_t>(fill))) continue;
        entries.push_back({fill, familyName(static_cast<OperatorFamily>(fill), isGraph())});
    }
    legend().setEntries(std::move(entries));
}

/// Marks the boxes of a family, or none if they are marked already.
void ProgramGraph::markFamily(int fill) {
    const bool isMarked = legend().chosen() == fill;
    std::vector<GraphIndex> boxes;
    for (GraphIndex box = 0; !isMarked && box < view().graph().nodes.size(); ++box) {
        if (view().graph().nodes[box].fill == fill) boxes.push_back(box);
    }
    legend().setChosen(isMarked ? std::nullopt : std::optional(fill));
    view().setMarked(NodeState::Found, boxes);
}

void ProgramGraph::setSelected(std::optional<NodeIndex> node, const std::vector<NodeIndex>& occurrences) {
    m_selected = node;
    m_occurrences = occurrences;
    if (isGraph()) {
        showStates();
        return;
    }
    if (m_outdated && !isVisible()) return;
    // The picture does not change while it contains the selection.
    if (m_outdated || (node && !m_picture.place(*node))) {
        if (isVisible())
            draw();
        else
            m_outdated = true;
        return;
    }
    showStates();
}

void ProgramGraph::setChanged(std::vector<NodeIndex> nodes, std::vector<RemovedNode> removed) {
    m_changed = std::move(nodes);
    const bool isOther = !removed.empty() || !m_choice.removed.empty();
    m_choice.removed = std::move(removed);
    if (isOther) return draw();
    if (!m_outdated) showStates();
}

void ProgramGraph::setTouched(std::vector<NodeIndex> nodes, std::vector<NodeIndex> roots) {
    m_touched = std::move(nodes);
    m_roots = std::move(roots);
    if (!m_outdated) showStates();
}

void ProgramGraph::setFound(std::vector<NodeIndex> nodes) {
    m_found = std::move(nodes);
    legend().setChosen(std::nullopt);
    if (!m_outdated) showStates();
}

void ProgramGraph::setGain(std::shared_ptr<const ShownGain> gain) {
    if (!gain && !m_gain) return;
    m_gain = std::move(gain);
    if (m_outdated) return;
    showLegend();
    showHeat();
}

void ProgramGraph::showHeat() {
    std::vector<std::optional<double>> heats;
    std::vector<QString> notes;
    if (m_gain) {
        const std::size_t count = view().graph().nodes.size();
        heats.assign(count, 0.0);
        notes.resize(count);
        for (std::size_t box = 0; box < m_picture.boxes.size() && box < count; ++box) {
            if (m_picture.boxes[box].block == ProgramParts::None) notes[box] = m_gain->text(m_picture.boxes[box].node);
        }
        for (NodeIndex node = 0; node < m_picture.boxOf.size(); ++node) {
            const auto box = m_picture.place(node);
            if (box && *box < count) heats[*box] = std::max(*heats[*box], m_gain->heat(node).value_or(0.0));
        }
    }
    view().setHeat(heats, notes);
}

void ProgramGraph::setRegions(std::vector<PictureRegion> regions) {
    if (!isGraph() || (regions.empty() && m_choice.regions.empty())) return;
    for (const PictureRegion& region : regions) {
        for (const NodeIndex node : region.nodes) open(node);
    }
    m_choice.regions = std::move(regions);
    m_chosenRegion.reset();
    draw();
}

void ProgramGraph::setChosenRegion(std::optional<std::size_t> region) {
    m_chosenRegion = region;
    if (m_outdated) return;
    showChosenRegion();
    const auto group = region ? m_picture.groupOf(*region) : std::nullopt;
    if (group) view().reveal(view().graph().groups[*group].members.back());
}

void ProgramGraph::showChosenRegion() {
    const auto group = m_chosenRegion ? m_picture.groupOf(*m_chosenRegion) : std::nullopt;
    view().setChosenGroup(group);
}

/// Opens the blocks that hide a node. Returns whether there were any.
bool ProgramGraph::open(NodeIndex node) {
    bool changed = false;
    const ProgramParts& parts = m_content->parts;
    for (std::uint32_t at = parts.nodes[node].block; at != ProgramParts::None; at = parts.blocks[at].parent)
        changed = m_choice.expanded.insert(at).second || changed;
    return changed;
}

void ProgramGraph::uncover(NodeIndex node) {
    if (!isGraph()) return;
    const ProgramParts& parts = m_content->parts;
    bool changed = open(node);
    if (parts.nodes[node].kind == PartNode::Kind::Weight && !m_choice.weights) {
        m_choice.weights = true;
        for (QToolButton* button : m_buttons) {
            const QSignalBlocker blocker(button);
            if (button->objectName() == QLatin1String("graphWeights")) button->setChecked(true);
        }
        changed = true;
    }
    if (changed) draw();
}

void ProgramGraph::showStates() {
    const auto places = [this](const std::vector<NodeIndex>& nodes) {
        std::vector<GraphIndex> found;
        for (const NodeIndex node : nodes) {
            if (const auto place = m_picture.place(node)) found.push_back(*place);
        }
        return found;
    };
    // A new use does not make another variable of it.
    const auto ownPlaces = [&](std::vector<NodeIndex> nodes) {
        if (!isGraph()) std::erase_if(nodes, [this](NodeIndex node) { return !m_picture.isOwnBox(node); });
        return places(nodes);
    };
    view().setMarked(NodeState::Changed, ownPlaces(m_changed));
    view().setMarked(NodeState::Gone, ownPlaces(m_touched));
    view().setMarked(NodeState::Root, places(m_roots));
    view().setMarked(NodeState::Found, places(m_found));
    view().setMarked(NodeState::Shared, m_occurrences.size() > 1 ? places(m_occurrences) : std::vector<GraphIndex>());
    view().setSelected(m_selected ? m_picture.place(*m_selected) : std::nullopt);
    if (isGraph()) return;
    view().setReferences(m_selected ? bindingEdges(*m_bank, m_content->text, m_picture, *m_selected)
                                    : std::vector<GraphEdge>());
}

void ProgramGraph::toggleBox(GraphIndex box) {
    if (box >= m_picture.boxes.size()) return;
    const PictureBox& what = m_picture.boxes[box];
    const std::uint32_t block = what.block != ProgramParts::None ? what.block : m_content->parts.nodes[what.node].block;
    if (block != ProgramParts::None) toggleBlock(block);
}

void ProgramGraph::toggleBlock(std::uint32_t block) {
    if (m_choice.expanded.erase(block) == 0) m_choice.expanded.insert(block);
    draw();
}

void ProgramGraph::collapseAll() {
    m_choice.expanded.clear();
    draw();
}

void ProgramGraph::expandAll() {
    for (std::uint32_t block = 0; block < m_content->parts.blocks.size(); ++block) m_choice.expanded.insert(block);
    draw();
}

void ProgramGraph::toggle(NodeIndex node) {
    const auto place = m_picture.place(node);
    if (!place) return;
    if (isGraph()) return toggleBox(*place);
    const GraphNode& box = view().graph().nodes[*place];
    if (!box.expandable) return;
    if (box.hidden > 0) {
        m_extract.collapsed.erase(node);
        m_extract.expanded.insert(node);
    } else {
        m_extract.expanded.erase(node);
        m_extract.collapsed.insert(node);
        // Collapsing a node above the selection selects that node.
        if (m_selected && *m_selected != node && *m_selected > node &&
            *m_selected < node + m_bank->treeSize(m_content->text.nodes()[node].term)) {
            m_selected = node;
            Q_EMIT chosen(node);
        }
    }
    draw();
}

}  // namespace mitos::views
