// SPDX-License-Identifier: GPL-3.0-or-later
// Labels, outlines, Graphviz.
#include "core/ir/draw.h"

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

std::string labelWithBinder(const TermBank& bank, TermId term, const std::vector<TermId>& binders) {
    std::string label = nodeLabel(bank, term, binders);
    if (bank.registry().info(bank.op(term)).bindingChild >= 0) label += " " + binderName(bank, term);
    return label;
}

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '"' || c == '\\') out.push_back('\\');
        if (c == '\n') {
            out += "\\n";
        } else {
            out.push_back(c);
        }
    }
    return out;
}

}  // namespace

std::string nodeLabel(const TermBank& bank, TermId term, const std::vector<TermId>& binders) {
    const Payload& payload = bank.payload(term);
    if (bank.is(term, CoreOp::Literal)) return literalLabel(bank, payload);
    if (bank.is(term, CoreOp::Variable)) return std::string(bank.text(payload.asSymbol()));
    if (bank.is(term, CoreOp::Bound)) {
        const std::uint32_t index = payload.asIndex();
        if (index >= binders.size()) return fmt::format("%{}", index - binders.size());
        return binderName(bank, binders[binders.size() - 1 - index]);
    }
    if (bank.is(term, CoreOp::Get)) {
        return fmt::format("get${}${}", payload.projectionIndex() + 1, payload.projectionArity());
    }
    if (bank.is(term, CoreOp::Call)) return bank.function(payload.asFunction()).name;
    return std::string(bank.opName(term));
}

std::string treeText(const TermBank& bank, TermId root, absl::FunctionRef<std::string(const Path&, TermId)> columns) {
    struct Line {
        std::string label;
        std::string columns;
    };
    std::vector<Line> lines;
    std::size_t width = 0;
    Path path;
    std::vector<TermId> binders;
    walk(bank, root, path, binders, [&](const Path& at, TermId term, const std::vector<TermId>& above) {
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

std::string dotText(const TermBank& bank, TermId root, std::size_t maxNodes) {
    std::string nodes;
    std::string edges;
    std::size_t count = 0;
    std::vector<std::size_t> ancestors;
    Path path;
    std::vector<TermId> binders;
    walk(bank, root, path, binders, [&](const Path& at, TermId term, const std::vector<TermId>& above) {
        if (count >= maxNodes) return false;
        const std::size_t id = count++;
        nodes +=
            fmt::format("  n{} [label=\"{}\" tooltip=\"{} : {}\"];\n", id, escaped(labelWithBinder(bank, term, above)),
                        toString(at), escaped(bank.types().toString(bank.type(term))));
        ancestors.resize(at.size());
        if (!ancestors.empty()) edges += fmt::format("  n{} -> n{};\n", ancestors.back(), id);
        ancestors.push_back(id);
        return true;
    });
    std::string text =
        "digraph program {\n  node [shape=box style=rounded fontname=\"sans-serif\" fontsize=11];\n"
        "  edge [arrowhead=none];\n  ordering=out;\n";
    text += nodes + edges;
    if (bank.treeSize(root) > count) {
        text += fmt::format("  label=\"the first {} of {} nodes\";\n", count, bank.treeSize(root));
    }
    return text + "}\n";
}

}  // namespace mitos::ir
