// SPDX-License-Identifier: GPL-3.0-or-later
// Names the parts of a graph. Runs in jobs: no widgets.
#include "views/program/program_parts.h"

#include "core/ir/dialect.h"
#include "core/ir/shared.h"
#include "core/tensor/blocks.h"
#include "core/tensor/operator.h"
#include "core/tensor/text.h"
#include "views/common/format.h"

#include <absl/container/flat_hash_map.h>

#include <QCoreApplication>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

QString translated(const char* text) { return QCoreApplication::translate("mitos::views::ProgramParts", text); }

PartNode::Kind kindOf(const ir::TermBank& bank, ir::TermId term, bool isRoot) {
    if (bank.is(term, ir::CoreOp::Variable)) return PartNode::Kind::Input;
    if (bank.opName(term) == tensor::AbsentName) return PartNode::Kind::Absent;
    if (isRoot && bank.is(term, ir::CoreOp::Tuple)) return PartNode::Kind::Outputs;
    const ir::Dialect* const own = bank.registry().findDialect(bank.registry().info(bank.op(term)).dialect);
    const bool mayBeWeight = own == nullptr || own->can(ir::Capability::Weights);
    return mayBeWeight && bank.childCount(term) == 0 ? PartNode::Kind::Weight : PartNode::Kind::Operator;
}

QString titleOf(const ir::TermBank& bank, ir::TermId term, PartNode::Kind kind, const QString& label) {
    if (kind == PartNode::Kind::Outputs) return translated("Outputs");
    const ir::Payload& payload = bank.payload(term);
    if (bank.is(term, ir::CoreOp::Get)) {
        return QCoreApplication::translate("mitos::views::ProgramParts", "output %1 of %2")
            .arg(payload.projectionIndex() + 1)
            .arg(payload.projectionArity());
    }
    if (bank.opName(term) == tensor::OpaqueName) {  // "com.acme::Fancy#7" becomes "acme::Fancy"
        const QString domain = fromUtf8(bank.text(payload.asSymbol())).section(QLatin1String("::"), 0, 0);
        return QStringLiteral("%1::%2").arg(domain.section(QLatin1Char('.'), -1),
                                            fromUtf8(tensor::operatorName(bank, term)));
    }
    return label;
}

/// The text between the operator and its arguments in the listing: "[strides=[2,2]]".
QString attributesOf(const QString& line, const QString& title) {
    const qsizetype from = line.indexOf(title + QLatin1Char('['));
    if (from < 0) return {};
    const qsizetype end = line.indexOf(QLatin1String("]("), from);
    return end < 0 ? QString() : line.mid(from + title.size(), end + 1 - from - title.size());
}

class Outline {
public:
    Outline(ProgramParts& parts, const std::vector<cost::CostPart>& costs) : m_parts(parts), m_costs(costs) {}

    void write() {
        m_parts.rowOf.assign(m_parts.nodes.size(), ProgramParts::None);
        list(PartNode::Kind::Input, "Inputs");
        std::vector<std::uint32_t> headOf(m_parts.blocks.size(), ProgramParts::None);
        for (const NodeIndex node : m_parts.order) {
            const PartNode& part = m_parts.nodes[node];
            if (part.kind != PartNode::Kind::Operator && part.kind != PartNode::Kind::Outputs) continue;
            addNode(node, part.block == ProgramParts::None ? ProgramParts::None : head(part.block, headOf));
        }
        list(PartNode::Kind::Weight, "Weights");
    }

private:
    std::uint32_t add(OutlineRow row) {
        const auto number = static_cast<std::uint32_t>(m_parts.outline.size());
        auto& siblings = row.parent == ProgramParts::None ? m_parts.top : m_parts.outline[row.parent].children;
        row.row = static_cast<std::uint32_t>(siblings.size());
        siblings.push_back(number);
        m_parts.outline.push_back(std::move(row));
        return number;
    }
    void addNode(NodeIndex node, std::uint32_t parent) {
        OutlineRow row;
        row.node = node;
        row.parent = parent;
        m_parts.rowOf[node] = add(std::move(row));
    }
    std::uint32_t head(std::uint32_t block, std::vector<std::uint32_t>& headOf) {
        if (headOf[block] != ProgramParts::None) return headOf[block];
        const PartBlock& part = m_parts.blocks[block];
        OutlineRow row;
        row.isHead = true;
        row.title = part.title;
        row.node = part.output;
        row.cost = part.cost;
        row.parent = part.parent == ProgramParts::None ? ProgramParts::None : head(part.parent, headOf);
        return headOf[block] = add(std::move(row));
    }
    void list(PartNode::Kind kind, const char* title) {
        std::uint32_t head = ProgramParts::None;
        for (const NodeIndex node : m_parts.order) {
            if (m_parts.nodes[node].kind != kind) continue;
            if (head == ProgramParts::None) {
                OutlineRow row;
                row.isHead = true;
                row.node = node;
                head = add(std::move(row));
            }
            addNode(node, head);
            if (!m_costs.empty()) m_parts.outline[head].cost += m_costs[node].own;
        }
        if (head == ProgramParts::None) return;
        OutlineRow& row = m_parts.outline[head];
        row.title = QStringLiteral("%1 (%2)").arg(translated(title)).arg(row.children.size());
    }

    ProgramParts& m_parts;
    const std::vector<cost::CostPart>& m_costs;
};

QString titleOf(const tensor::Block& block) {
    const QString name = fromUtf8(block.name);
    return block.repeats == 0 ? name
                              : QCoreApplication::translate("mitos::views::ProgramParts", "%1 (%2 of %3)")
                                    .arg(name)
                                    .arg(block.repeat)
                                    .arg(block.repeats);
}

}  // namespace

bool ProgramParts::isIn(NodeIndex node, std::uint32_t block) const {
    for (std::uint32_t at = nodes[node].block; at != None; at = blocks[at].parent) {
        if (at == block) return true;
    }
    return false;
}

QString shapeText(const ir::TypeTable& types, ir::TypeId type) {
    if (!types.isArray(type)) {
        if (!types.isTuple(type)) return fromUtf8(types.toString(type));
        const std::size_t count = types.children(type).size();
        if (count == 0) return {};
        return count == 1 ? QCoreApplication::translate("mitos::views::ProgramParts", "1 array")
                          : QCoreApplication::translate("mitos::views::ProgramParts", "%1 arrays").arg(count);
    }
    if (!types.hasRank(type)) return QCoreApplication::translate("mitos::views::ProgramParts", "shape unknown");
    // f32[1,64,56,56]
    const QString text = fromUtf8(tensor::typeText(types, type));
    const qsizetype open = text.indexOf(QLatin1Char('['));
    if (open < 0) return text;
    const QString sizes = text.mid(open + 1, text.size() - open - 2).replace(QLatin1Char(','), QLatin1Char('x'));
    return sizes.isEmpty() ? text.left(open) : QStringLiteral("%1 %2").arg(sizes, text.left(open));
}

ProgramParts findParts(const ir::TermBank& bank, const ProgramText& text, const std::vector<cost::CostPart>& costs) {
    ProgramParts parts;
    if (text.nodes().empty()) return parts;
    absl::flat_hash_map<ir::TermId, NodeIndex> places;
    const auto count = static_cast<NodeIndex>(text.nodes().size());
    for (NodeIndex node = 0; node < count; ++node) {
        const ir::TermId term = text.nodes()[node].term;
        places.emplace(term, node);
        PartNode part;
        part.kind = kindOf(bank, term, node == 0);
        part.family = familyOf(bank, term);
        part.title = titleOf(bank, term, part.kind, text.label(node));
        part.name = text.name(node);
        part.shape = shapeText(bank.types(), bank.type(term));
        part.attributes = attributesOf(text.text(node), part.title);
        parts.nodes.push_back(std::move(part));
    }
    for (const ir::TermId term : ir::SharedNodes(bank, text.nodes()[0].term)) parts.order.push_back(places.at(term));
    std::vector<std::size_t> position(count);
    for (std::size_t i = 0; i < parts.order.size(); ++i) position[parts.order[i]] = i;

    for (const tensor::Block& block : tensor::findBlocks(bank, text.nodes()[0].term)) {
        const auto number = static_cast<std::uint32_t>(parts.blocks.size());
        PartBlock made;
        made.title = titleOf(block);
        made.parent = block.parent;
        made.operators = block.operators;
        for (const ir::TermId term : block.nodes) {
            const NodeIndex node = places.at(term);
            parts.nodes[node].block = number;
            made.nodes.push_back(node);
            if (!costs.empty()) made.cost += costs[node].own;
        }
        made.output = made.nodes.empty() ? parts.order.front() : made.nodes.back();
        if (made.parent != ProgramParts::None) parts.blocks[made.parent].blocks.push_back(number);
        parts.blocks.push_back(std::move(made));
    }
    for (std::size_t i = parts.blocks.size(); i-- > 0;) {  // inner blocks come after their parents
        const PartBlock& block = parts.blocks[i];
        if (block.parent == ProgramParts::None) continue;
        PartBlock& outer = parts.blocks[block.parent];
        outer.cost += block.cost;
        outer.depth = std::max(outer.depth, block.depth + 1);
        if (position[block.output] > position[outer.output]) outer.output = block.output;
    }
    Outline(parts, costs).write();
    return parts;
}

}  // namespace mitos::views
