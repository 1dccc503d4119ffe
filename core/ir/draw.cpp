// SPDX-License-Identifier: GPL-3.0-or-later
// Labels, outlines and DOT graphs of terms.
#include "core/ir/draw.h"

#include "core/ir/dot.h"
#include "core/ir/shared.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>

namespace mitos::ir {

namespace {

std::string binderName(const TermBank& bank, TermId binder) {
    const Symbol hint = bank.hint(binder);
    return hint.isValid() ? std::string(bank.text(hint)) : "_";
}

std::string literalLabel(const TermBank& bank, const Payload& payload) {
    switch (payload.kind()) {
        case PayloadKind::Integer: return fmt::format("{}", payload.asInteger());
        case PayloadKind::Float: {
            const std::string text = fmt::format("{}", payload.asFloat());
            return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
        }
        case PayloadKind::Bool: return payload.asBool() ? "true" : "false";
        default: return fmt::format("\"{}\"", bank.text(payload.asSymbol()));
    }
}

/// Visits the tree in pre-order with the binders above each node.
template <typename Visit>
void walk(const TermBank& bank, TermId term, Path& path, std::vector<TermId>& binders, const Visit& visit) {
    if (!visit(path, term, binders)) return;
    for (std::size_t i = 0; i < bank.childCount(term); ++i) {
        const bool binds = bank.boundIn(term, i) > 0;
        if (binds) binders.push_back(term);
        path.push_back(static_cast<std::uint32_t>(i));
        walk(bank, bank.child(term, i), path, binders, visit);
        path.pop_back();
        if (binds) binders.pop_back();
    }
}

std::string labelWithBinder(const TermBank& bank, TermId term, const std::vector<TermId>& binders,
                            NodeLabel nodeText = nodeLabel) {
    std::string label = nodeText(bank, term, binders);
    if (bank.registry().info(bank.op(term)).bindingChild >= 0) label += " " + binderName(bank, term);
    return label;
}

}  // namespace

std::string nodeLabel(const TermBank& bank, TermId term, const std::vector<TermId>& binders) {
    const Payload& payload = bank.payload(term);
    if (bank.is(term, CoreOp::Literal)) return literalLabel(bank, payload);
    if (bank.is(term, CoreOp::Variable)) return std::string(bank.text(payload.asSymbol()));
    if (bank.is(term, CoreOp::Bound)) {
        const std::uint32_t index = payload.asIndex();
        if (index >= binders.size()) {
            const std::size_t out = index - binders.size();
            return out == 0 ? "bound variable" : fmt::format("bound variable {} out", out);
        }
        return binderName(bank, binders[binders.size() - 1 - index]);
    }
    if (bank.is(term, CoreOp::Get)) {
        return fmt::format("get${}${}", payload.projectionIndex() + 1, payload.projectionArity());
    }
    if (bank.is(term, CoreOp::Call)) return bank.function(payload.asFunction()).name;
    if (payload.kind() == PayloadKind::Attributes) {
        return fmt::format("{}${}", bank.opName(term), bank.text(payload.asSymbol()));
    }
    return std::string(bank.opName(term));
}

std::string treeText(const TermBank& bank, TermId root, absl::FunctionRef<std::string(const Path&, TermId)> columns,
                     Sharing sharing) {
    struct Line {
        std::string label;
        std::string columns;
    };
    std::vector<Line> lines;
    std::size_t width = 0;
    Path path;
    std::vector<TermId> binders;
    absl::flat_hash_set<TermId> written;
    walk(bank, root, path, binders, [&](const Path& at, TermId term, const std::vector<TermId>& above) {
        if (sharing == Sharing::Graph && !written.insert(term).second) {
            const char* const mark = bank.childCount(term) > 0 ? " (above)" : "";
            lines.push_back({std::string(2 * at.size(), ' ') + nodeLabel(bank, term, above) + mark, {}});
            width = std::max(width, lines.back().label.size());
            return false;
        }
        lines.push_back({std::string(2 * at.size(), ' ') + labelWithBinder(bank, term, above), columns(at, term)});
        width = std::max(width, lines.back().label.size());
        return true;
    });
    constexpr std::size_t WidestLabelColumn = 48;
    width = std::min(width, WidestLabelColumn);
    std::string text;
    for (const Line& line : lines) {
        text += line.columns.empty() ? line.label : fmt::format("{:<{}}  {}", line.label, width, line.columns);
        text += '\n';
    }
    return text;
}

namespace {

std::string sharedDotText(const TermBank& bank, TermId root, std::size_t maxNodes, NodeLabel label) {
    DotGraph graph;
    absl::flat_hash_map<TermId, std::size_t> numbers;
    const SharedNodes nodes(bank, root);
    for (const TermId node : nodes) {
        if (graph.nodes.size() == maxNodes) break;
        numbers.emplace(node, graph.nodes.size());
        DotNode drawn;
        drawn.label = label(bank, node, {});
        drawn.tooltip = bank.types().toString(bank.type(node));
        graph.nodes.push_back(std::move(drawn));
        for (const TermId child : bank.children(node)) graph.edges.push_back({numbers.at(node), numbers.at(child)});
    }
    if (nodes.size() > graph.nodes.size()) {
        graph.title = fmt::format("the first {} of {} nodes", graph.nodes.size(), nodes.size());
    }
    return toDot(graph);
}

}  // namespace

std::string dotText(const TermBank& bank, TermId root, Sharing sharing, std::size_t maxNodes, NodeLabel label) {
    if (sharing == Sharing::Graph) return sharedDotText(bank, root, maxNodes, label);
    DotGraph graph;
    std::vector<std::size_t> ancestors;
    Path path;
    std::vector<TermId> binders;
    walk(bank, root, path, binders, [&](const Path& at, TermId term, const std::vector<TermId>& above) {
        if (graph.nodes.size() >= maxNodes) return false;
        const std::size_t id = graph.nodes.size();
        DotNode node;
        node.label = labelWithBinder(bank, term, above, label);
        node.tooltip = toString(at) + " : " + bank.types().toString(bank.type(term));
        graph.nodes.push_back(std::move(node));
        ancestors.resize(at.size());
        if (!ancestors.empty()) graph.edges.push_back({ancestors.back(), id});
        ancestors.push_back(id);
        return true;
    });
    if (bank.treeSize(root) > graph.nodes.size()) {
        graph.title = fmt::format("the first {} of {} nodes", graph.nodes.size(), bank.treeSize(root));
    }
    return toDot(graph);
}

}  // namespace mitos::ir
