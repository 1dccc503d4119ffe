// SPDX-License-Identifier: GPL-3.0-or-later
// Boxes and the values that flow between them. Runs in jobs: no widgets.
#include "views/program/internal/graph_picture.h"

#include "core/ir/shared.h"
#include "views/common/format.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <utility>

namespace mitos::views {

namespace {

constexpr qsizetype LongestTitle = 32;
constexpr qsizetype LongestType = 18;  // wide boxes make wide graphs; the tool tip shows the full type

class Extraction {
public:
    Extraction(const ProgramText& text, const GraphExtract& extract)
        : m_text(text),
          m_extract(extract),
          m_shown(text.nodes().size(), false) {}

    std::vector<NodeIndex> run() {
        const NodeIndex focus = std::min<NodeIndex>(m_extract.focus, static_cast<NodeIndex>(m_shown.size() - 1));
        std::vector<NodeIndex> way{focus};
        while (way.back() != 0 && way.size() < GraphExtract::UsualLimit / 2) {
            way.push_back(m_text.nodes()[way.back()].parent);
        }
        for (const NodeIndex node : way) show(node);
        for (const NodeIndex node : way) showBelow(node, GraphExtract::UsualLimit);
        for (const NodeIndex node : m_extract.expanded) {
            if (node >= m_shown.size() || !m_shown[node]) continue;
            showBelow(node, std::min(m_count + GraphExtract::ExpansionLimit, GraphExtract::LargestLimit));
        }
        std::vector<NodeIndex> nodes;
        for (NodeIndex node = 0; node < m_shown.size(); ++node) {
            if (m_shown[node]) nodes.push_back(node);
        }
        return nodes;
    }

private:
    void show(NodeIndex node) {
        if (m_shown[node]) return;
        m_shown[node] = true;
        ++m_count;
    }

    /// Breadth-first, until `limit` nodes are shown in total.
    void showBelow(NodeIndex top, std::size_t limit) {
        std::deque<NodeIndex> next{top};
        while (!next.empty()) {
            const NodeIndex node = next.front();
            next.pop_front();
            if (m_extract.collapsed.count(node) > 0) continue;
            for (std::uint32_t row = 0; row < m_text.childCount(node); ++row) {
                const NodeIndex child = m_text.child(node, row);
                if (!m_shown[child] && m_count >= limit) return;
                show(child);
                next.push_back(child);
            }
        }
    }

    const ProgramText& m_text;
    const GraphExtract& m_extract;
    std::vector<bool> m_shown;
    std::size_t m_count = 0;
};

/// The node that binds the variable at `node`; nothing if it is bound outside.
std::optional<NodeIndex> binderOf(const ir::TermBank& bank, const ProgramText& text, NodeIndex node) {
    std::uint32_t index = bank.payload(text.nodes()[node].term).asIndex();
    while (node != 0) {
        const ProgramText::Node& here = text.nodes()[node];
        if (bank.boundIn(text.nodes()[here.parent].term, here.row) > 0 && index-- == 0) return here.parent;
        node = here.parent;
    }
    return std::nullopt;
}
constexpr auto None = ProgramParts::None;
constexpr qsizetype LongestName = 28;
constexpr qsizetype LongestShape = 26;
constexpr std::size_t MostRemoved = 500;

class Drawing {
public:
    Drawing(const ProgramContent& content, const PictureChoice& choice)
        : m_content(content),
          m_parts(content.parts),
          m_choice(choice) {}

    GraphPicture run() {
        m_picture.boxOf.assign(m_parts.nodes.size(), None);
        std::vector<std::uint32_t> boxOfBlock(m_parts.blocks.size(), None);
        for (const NodeIndex node : m_parts.order) {  // operands first, so edges lead from lower to higher numbers
            const PartNode& part = m_parts.nodes[node];
            if (part.kind == PartNode::Kind::Absent) continue;
            if (part.kind == PartNode::Kind::Weight && !m_choice.weights) {
                ++m_picture.hiddenWeights;
                continue;
            }
            const std::uint32_t block = outermostCollapsed(node);
            if (block == None) {
                m_picture.boxOf[node] = addNode(node);
                continue;
            }
            if (boxOfBlock[block] == None) boxOfBlock[block] = addBlock(block);
            m_picture.boxOf[node] = boxOfBlock[block];
        }
        addEdges();
        addBars();
        addGroups();
        addRegions();
        addRemoved();
        return std::move(m_picture);
    }

private:
    [[nodiscard]] std::uint32_t outermostCollapsed(NodeIndex node) const {
        std::uint32_t found = None;
        for (std::uint32_t at = m_parts.nodes[node].block; at != None; at = m_parts.blocks[at].parent) {
            if (m_choice.expanded.count(at) == 0) found = at;
        }
        return found;
    }

    std::uint32_t add(GraphNode box, PictureBox what) {
        m_picture.graph.nodes.push_back(std::move(box));
        m_picture.boxes.push_back(what);
        return static_cast<std::uint32_t>(m_picture.boxes.size() - 1);
    }

    std::uint32_t addNode(NodeIndex node) {
        const PartNode& part = m_parts.nodes[node];
        GraphNode box;
        const bool isLeaf = part.kind == PartNode::Kind::Input || part.kind == PartNode::Kind::Weight;
        box.title = shortened(isLeaf ? part.name : part.title, LongestName);
        if (isLeaf)
            box.detail = part.kind == PartNode::Kind::Input
                             ? QCoreApplication::translate("mitos::views::graph", "input")
                             : QCoreApplication::translate("mitos::views::graph", "weight");
        else if (part.kind == PartNode::Kind::Operator && part.name != part.title)
            box.detail = shortened(part.name, LongestName);
        box.fill = static_cast<int>(part.family);
        if (part.kind != PartNode::Kind::Outputs) box.caption = shortened(part.shape, LongestShape);
        box.toolTip = QCoreApplication::translate("mitos::views::graph", "%1%2\n%3 : %4")
                          .arg(part.title, part.attributes, part.name, part.shape);
        if (node < m_content.costs.size()) {
            const cost::CostPart& cost = m_content.costs[node];
            const double share = m_content.share(node);
            box.toolTip += QCoreApplication::translate("mitos::views::graph", "\ncost %1 (%2 % of the whole); %3")
                               .arg(costText(cost.own), QLocale().toString(std::max(0.0, share) * 100.0, 'f', 1),
                                    fromUtf8(cost.reason));
        }
        return add(std::move(box), {node, None});
    }

    /// The family in which most of a block's own cost is; without costs, of most operators.
    [[nodiscard]] OperatorFamily familyOf(const PartBlock& block) const {
        std::array<double, OperatorFamilies> weights{};
        const auto add = [&](const auto& self, const PartBlock& at) -> void {
            for (const NodeIndex node : at.nodes) {
                const double cost = node < m_content.costs.size() ? m_content.costs[node].own : 1.0;
                weights.at(static_cast<std::size_t>(m_parts.nodes[node].family)) += cost;
            }
            for (const std::uint32_t inner : at.blocks) self(self, m_parts.blocks[inner]);
        };
        add(add, block);
        return static_cast<OperatorFamily>(std::ranges::max_element(weights) - weights.begin());
    }

    std::uint32_t addBlock(std::uint32_t number) {
        const PartBlock& block = m_parts.blocks[number];
        GraphNode box;
        box.title = block.title;
        box.detail = QCoreApplication::translate("mitos::views::graph", "%1 operators").arg(block.operators);
        box.caption = shortened(m_parts.nodes[block.output].shape, LongestShape);
        box.fill = static_cast<int>(familyOf(block));
        box.doubleFrame = true;
        box.expandable = true;
        box.hidden = block.operators;
        box.toolTip = QCoreApplication::translate("mitos::views::graph", "%1: a block of %2 operators\ncost %3 in all")
                          .arg(block.title)
                          .arg(block.operators)
                          .arg(costText(block.cost));
        return add(std::move(box), {block.output, number});
    }

    /// Adds one edge between two boxes, however many values flow.
    void addEdges() {
        absl::flat_hash_set<std::pair<GraphIndex, GraphIndex>> known;
        const ProgramText& text = m_content.text;
        for (const NodeIndex node : m_parts.order) {
            const std::uint32_t to = m_picture.boxOf[node];
            if (to == None) continue;
            for (std::uint32_t row = 0; row < text.childCount(node); ++row) {
                const std::uint32_t from = m_picture.boxOf[text.child(node, row)];
                if (from == None || from == to || !known.emplace(from, to).second) continue;
                m_picture.graph.edges.push_back({from, to});
                m_picture.graph.nodes[from].leads = true;
            }
        }
        m_picture.graph.arrows = true;
    }

    void addBars() {
        if (!m_choice.bars || m_content.costs.empty()) return;
        std::vector<double> costs(m_picture.boxes.size(), 0.0);
        std::vector<std::map<std::string_view, double>> shares(m_picture.boxes.size());
        for (std::size_t node = 0; node < m_parts.nodes.size(); ++node) {
            const std::uint32_t box = m_picture.boxOf[node];
            if (box == None) continue;
            costs[box] += m_content.costs[node].own;
            for (const cost::CostShare& share : m_content.costs[node].shares) shares[box][share.name] += share.cost;
        }
        const double highest = costs.empty() ? 0.0 : *std::ranges::max_element(costs);
        if (!(highest > 0.0)) return;
        for (std::size_t box = 0; box < costs.size(); ++box) {
            GraphNode& node = m_picture.graph.nodes[box];
            node.share = costs[box] / highest;
            if (shares[box].empty() || !(costs[box] > 0.0)) continue;
            QStringList said;
            // In a fixed order, so that each colour has one meaning.
            for (const char* name : {"launch", "computing", "memory"}) {
                const double part = shares[box].count(name) > 0 ? shares[box].at(name) / costs[box] : 0.0;
                node.parts.push_back(part);
                if (part > 0.0) {
                    said << QCoreApplication::translate("mitos::views::graph", "%1 %2 %")
                                .arg(QLatin1String(name), QLocale().toString(part * 100.0, 'f', 0));
                }
            }
            node.toolTip += QLatin1Char('\n') + said.join(QStringLiteral(", "));
        }
    }

    void addGroups() {
        std::vector<GraphGroup> groups(m_parts.blocks.size());
        for (GraphIndex box = 0; box < m_picture.boxes.size(); ++box) {
            const PictureBox& what = m_picture.boxes[box];
            std::uint32_t at = what.block == None ? m_parts.nodes[what.node].block : m_parts.blocks[what.block].parent;
            for (; at != None; at = m_parts.blocks[at].parent) groups[at].members.push_back(box);
        }
        for (std::uint32_t block = 0; block < groups.size(); ++block) {
            if (groups[block].members.empty()) continue;
            groups[block].title = QStringLiteral("− %1").arg(m_parts.blocks[block].title);
            for (const std::uint32_t inner : m_parts.blocks[block].blocks) {
                if (m_choice.expanded.count(inner) > 0) groups[block].depth = m_parts.blocks[block].depth;
            }
            m_picture.graph.groups.push_back(std::move(groups[block]));
            m_picture.groupBlocks.push_back(block);
        }
    }

    /// A region with operators in a collapsed block has no frame.
    void addRegions() {
        for (std::size_t region = 0; region < m_choice.regions.size(); ++region) {
            GraphGroup group{.title = m_choice.regions[region].title, .members = {}, .isRegion = true};
            bool isHidden = false;
            for (const NodeIndex node : m_choice.regions[region].nodes) {
                const std::uint32_t box = m_picture.boxOf[node];
                if (box == None) continue;
                isHidden = isHidden || m_picture.boxes[box].block != None;
                group.members.push_back(box);
            }
            if (isHidden || group.members.empty()) continue;
            m_picture.graph.groups.push_back(std::move(group));
            m_picture.groupRegions.push_back(region);
        }
    }

    /// Adds the boxes of removed nodes after those of the program's nodes.
    void addRemoved() {
        std::vector<std::uint32_t> boxes;
        absl::flat_hash_set<std::pair<GraphIndex, GraphIndex>> known;
        const auto join = [&](std::uint32_t from, std::uint32_t to) {
            if (from == None || to == None || !known.emplace(from, to).second) return;
            m_picture.graph.edges.push_back({.from = from, .to = to, .dashed = true});
        };
        for (const RemovedNode& node : m_choice.removed) {
            if ((node.isWeight && !m_choice.weights) || m_picture.removed == MostRemoved) {
                boxes.push_back(None);
                continue;
            }
            GraphNode box;
            box.title = QStringLiteral("− ") + shortened(node.title, LongestName);
            if (node.name != node.title) box.detail = shortened(node.name, LongestName);
            box.caption = shortened(node.shape, LongestShape);
            box.removed = true;
            box.toolTip =
                QCoreApplication::translate("mitos::views::graph", "%1\n%2 : %3\nremoved since the state compared with")
                    .arg(node.title, node.name, node.shape);
            boxes.push_back(static_cast<std::uint32_t>(m_picture.graph.nodes.size()));
            m_picture.graph.nodes.push_back(std::move(box));
            ++m_picture.removed;
            for (const NodeIndex operand : node.operands) join(m_picture.boxOf[operand], boxes.back());
            for (const std::size_t operand : node.removedOperands) join(boxes[operand], boxes.back());
            for (const NodeIndex user : node.users) join(boxes.back(), m_picture.boxOf[user]);
        }
    }

    const ProgramContent& m_content;
    const ProgramParts& m_parts;
    const PictureChoice& m_choice;
    GraphPicture m_picture;
};

/// Draws nodes of a tree, in pre-order, so that the value of a `let` comes before the uses of its variable.
class TreeDrawing {
public:
    TreeDrawing(const ir::TermBank& bank, const ProgramContent& content)
        : m_bank(bank),
          m_content(content),
          m_text(content.text) {}

    GraphPicture run(const std::vector<NodeIndex>& nodes) {
        m_picture.graph.ordered = true;
        m_picture.boxOf.assign(m_text.nodes().size(), None);
        std::vector<QString> names(m_text.nodes().size());  // of uses that lead to a value
        for (const NodeIndex node : nodes) {
            const std::optional<GraphIndex> known = boxOfVariable(node);
            if (known) {
                m_picture.boxOf[node] = *known;
                if (isUseOfLet(node)) {
                    names[node] = m_text.label(node);
                    m_used.insert(*binderOf(m_bank, m_text, node));
                }
                addShare(*known, node);
            } else {
                add(node);
            }
        }
        for (const NodeIndex node : nodes) {
            if (node == 0) continue;
            const std::uint32_t parent = m_picture.boxOf[m_text.nodes()[node].parent];
            const bool isUsedValue = m_text.nodes()[node].row == 0 && m_used.contains(m_text.nodes()[node].parent);
            if (parent == None || isUsedValue) continue;  // the uses lead to it
            GraphEdge edge{parent, m_picture.boxOf[node]};
            edge.label = shortened(names[node], LongestName);
            m_picture.graph.edges.push_back(std::move(edge));
        }
        for (const NodeIndex node : nodes) countHidden(node);
        return std::move(m_picture);
    }

private:
    [[nodiscard]] ir::TermId term(NodeIndex node) const { return m_text.nodes()[node].term; }

    [[nodiscard]] bool isUseOfLet(NodeIndex node) const {
        if (!m_bank.is(term(node), ir::CoreOp::Bound)) return false;
        const std::optional<NodeIndex> binder = binderOf(m_bank, m_text, node);
        return binder && m_bank.is(term(*binder), ir::CoreOp::Let);
    }

    /// The box that stands for the variable at a node, if it is a variable and has one already.
    std::optional<GraphIndex> boxOfVariable(NodeIndex node) {
        if (m_bank.is(term(node), ir::CoreOp::Variable)) return firstUse(m_parameters, term(node), node);
        if (!m_bank.is(term(node), ir::CoreOp::Bound)) return std::nullopt;
        const std::optional<NodeIndex> binder = binderOf(m_bank, m_text, node);
        if (!binder) return std::nullopt;
        if (m_bank.is(term(*binder), ir::CoreOp::Let)) {
            if (const auto value = m_picture.place(m_text.child(*binder, 0))) return value;  // unless it is not shown
        }
        return firstUse(m_bound, *binder, node);
    }

    /// Nothing at the first use of the variable, which makes its box.
    template <typename Key>
    std::optional<GraphIndex> firstUse(absl::flat_hash_map<Key, NodeIndex>& uses, Key variable, NodeIndex node) {
        const auto [found, isFirst] = uses.try_emplace(variable, node);
        return isFirst ? std::nullopt : m_picture.place(found->second);
    }

    void add(NodeIndex node) {
        GraphNode made;
        made.title = shortened(m_text.label(node), LongestTitle);
        const QString type = fromUtf8(m_bank.types().toString(m_bank.type(term(node))));
        made.detail = shortened(type, LongestType);
        made.share = m_content.share(node);
        made.fill = static_cast<int>(views::familyOf(m_bank, term(node)));
        made.expandable = m_text.childCount(node) > 0;
        made.toolTip = QCoreApplication::translate("mitos::views::graph", "%1 : %2\nat %3")
                           .arg(made.title, type, fromUtf8(ir::toString(m_text.path(node))));
        if (node < m_content.costs.size()) {
            const cost::CostPart& part = m_content.costs[node];
            made.toolTip += QCoreApplication::translate("mitos::views::graph", "\ncost %1, %2 times; %3")
                                .arg(costText(part.total), costText(part.times), fromUtf8(part.reason));
        }
        m_picture.boxOf[node] = static_cast<std::uint32_t>(m_picture.boxes.size());
        m_picture.graph.nodes.push_back(std::move(made));
        m_picture.boxes.push_back({node, None});
    }

    /// The bar of a variable is the share of all its uses.
    void addShare(GraphIndex box, NodeIndex node) {
        const NodeIndex first = m_picture.boxes[box].node;
        if (m_text.childCount(first) > 0 || isUseOfLet(node)) return;
        GraphNode& made = m_picture.graph.nodes[box];
        if (made.share >= 0) made.share = std::min(1.0, made.share + std::max(0.0, m_content.share(node)));
    }

    void countHidden(NodeIndex node) {
        if (!m_picture.isOwnBox(node)) return;
        for (std::uint32_t row = 0; row < m_text.childCount(node); ++row) {
            const NodeIndex child = m_text.child(node, row);
            if (m_picture.boxOf[child] == None)
                m_picture.graph.nodes[m_picture.boxOf[node]].hidden += m_bank.treeSize(term(child));
        }
    }

    const ir::TermBank& m_bank;
    const ProgramContent& m_content;
    const ProgramText& m_text;
    GraphPicture m_picture;
    absl::flat_hash_map<ir::TermId, NodeIndex> m_parameters;  ///< first uses
    absl::flat_hash_map<NodeIndex, NodeIndex> m_bound;        ///< first uses, by binder
    absl::flat_hash_set<NodeIndex> m_used;                    ///< each `let` with a use that leads to its value
};

}  // namespace

std::vector<NodeIndex> extractNodes(const ProgramText& text, const GraphExtract& extract) {
    if (text.nodes().empty()) return {};
    return Extraction(text, extract).run();
}

GraphPicture drawTree(const ir::TermBank& bank, const ProgramContent& content, const std::vector<NodeIndex>& nodes) {
    return TreeDrawing(bank, content).run(nodes);
}

std::vector<GraphEdge> bindingEdges(const ir::TermBank& bank, const ProgramText& text, const GraphPicture& picture,
                                    NodeIndex node) {
    const auto isBound = [&](NodeIndex at) { return bank.is(text.nodes()[at].term, ir::CoreOp::Bound); };
    const std::optional<NodeIndex> binder = isBound(node) ? binderOf(bank, text, node) : node;
    const auto from = binder ? picture.place(*binder) : std::nullopt;
    if (!from) return {};
    const auto joined = [&from](std::optional<GraphIndex> to) {
        return to ? std::vector<GraphEdge>{{*from, *to, GraphEdge::Kind::Reference}} : std::vector<GraphEdge>();
    };
    if (bank.is(text.nodes()[*binder].term, ir::CoreOp::Let)) return joined(picture.place(text.child(*binder, 0)));
    for (const PictureBox& box : picture.boxes) {
        if (isBound(box.node) && binderOf(bank, text, box.node) == binder) return joined(picture.place(box.node));
    }
    return {};
}

bool GraphPicture::isOwnBox(NodeIndex node) const {
    const auto box = place(node);
    return box && boxes[*box].node == node;
}

std::optional<GraphIndex> GraphPicture::place(NodeIndex node) const {
    if (node >= boxOf.size() || boxOf[node] == None) return std::nullopt;
    return boxOf[node];
}

std::optional<std::size_t> GraphPicture::groupOf(std::size_t region) const {
    const auto found = std::ranges::find(groupRegions, region);
    if (found == groupRegions.end()) return std::nullopt;
    return groupBlocks.size() + static_cast<std::size_t>(found - groupRegions.begin());
}

GraphPicture drawGraph(const ProgramContent& content, const PictureChoice& choice) {
    return Drawing(content, choice).run();
}

std::vector<RemovedNode> removedNodes(const ir::TermBank& bank, const ProgramText& before, const ir::Diff& difference) {
    std::vector<RemovedNode> removed;
    if (!before.isGraph()) return removed;
    const auto isGone = [&difference](NodeIndex node) { return difference.before[node] != ir::DiffMark::Kept; };
    absl::flat_hash_map<ir::TermId, NodeIndex> places;
    for (const ProgramText::Node& node : before.nodes())
        places.emplace(node.term, static_cast<NodeIndex>(places.size()));
    std::vector<NodeIndex> gone;  // operands first
    for (const ir::TermId term : ir::SharedNodes(bank, before.nodes().front().term)) {
        if (const NodeIndex node = places.at(term); isGone(node)) gone.push_back(node);
    }
    std::vector<std::size_t> numberOf(before.nodes().size(), 0);
    for (std::size_t number = 0; number < gone.size(); ++number) {
        const NodeIndex node = gone[number];
        numberOf[node] = number;
        const ir::TermId term = before.nodes()[node].term;
        RemovedNode& made = removed.emplace_back();
        made.title = before.label(node);
        made.name = before.name(node);
        made.shape = shapeText(bank.types(), bank.type(term));
        made.isWeight = before.childCount(node) == 0;
        for (std::uint32_t row = 0; row < before.childCount(node); ++row) {
            const NodeIndex operand = before.child(node, row);
            if (isGone(operand))
                made.removedOperands.push_back(numberOf[operand]);
            else
                made.operands.push_back(difference.partner[operand]);
        }
    }
    for (NodeIndex user = 0; user < before.nodes().size(); ++user) {
        if (isGone(user)) continue;
        for (std::uint32_t row = 0; row < before.childCount(user); ++row) {
            const NodeIndex operand = before.child(user, row);
            if (isGone(operand)) removed[numberOf[operand]].users.push_back(difference.partner[user]);
        }
    }
    return removed;
}

std::vector<NodeIndex> findNodes(const ProgramParts& parts, const QString& text) {
    std::vector<NodeIndex> found;
    if (text.isEmpty()) return found;
    for (const NodeIndex node : parts.order) {
        const PartNode& part = parts.nodes[node];
        if (part.kind == PartNode::Kind::Absent) continue;
        const auto holds = [&text](const QString& in) { return in.contains(text, Qt::CaseInsensitive); };
        if (holds(part.title) || holds(part.name) || holds(part.shape) || holds(part.attributes)) found.push_back(node);
    }
    return found;
}

}  // namespace mitos::views
