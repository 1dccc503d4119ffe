// SPDX-License-Identifier: GPL-3.0-or-later
// Prints a program for display. Takes time linear in the printed size.
#include "views/program/program_text.h"

#include "core/dialects/dialects.h"
#include "core/ir/binding.h"
#include "core/tensor/operator.h"
#include "views/common/format.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <string_view>

namespace mitos::views {

namespace {

/// Positions in a QString (UTF-16 units) of byte offsets into its UTF-8 form.
std::vector<qsizetype> utf16Positions(std::string_view utf8) {
    std::vector<qsizetype> positions;
    positions.reserve(utf8.size() + 1);
    qsizetype at = 0;
    for (const char c : utf8) {
        positions.push_back(at);
        const auto byte = static_cast<unsigned char>(c);
        if ((byte & 0xC0U) == 0x80U) continue;  // a continuation byte; its character was counted at the first byte
        at += byte >= 0xF0U ? 2 : 1;
    }
    positions.push_back(at);
    return positions;
}

/// The marked ranges of a line, trimmed of spaces. A line in which only closing brackets are marked is skipped, because
/// they close what begins in a marked line above.
void addMarkedInLine(std::vector<TextRange>& ranges, const QString& text, const std::vector<bool>& marked,
                     TextRange line) {
    const std::size_t before = ranges.size();
    bool saysSomething = false;
    const auto isMarked = [&](qsizetype at) { return marked[static_cast<std::size_t>(at)]; };
    for (qsizetype at = line.begin; at < line.end;) {
        if (!isMarked(at) || text[at].isSpace()) {
            ++at;
            continue;
        }
        TextRange range{at, at};
        for (; at < line.end && isMarked(at); ++at) {
            if (text[at].isSpace()) continue;
            range.end = at + 1;
            saysSomething = saysSomething || text[at] != QLatin1Char(')');
        }
        ranges.push_back(range);
    }
    if (!saysSomething) ranges.resize(before);
}

}  // namespace

ProgramText::Printed::Printed(const ir::PrintedText& printed) : text(fromUtf8(printed.text)) {
    const bool ascii = text.size() == static_cast<qsizetype>(printed.text.size());
    const std::vector<qsizetype> positions = ascii ? std::vector<qsizetype>() : utf16Positions(printed.text);
    const auto position = [&](std::size_t offset) {
        return ascii ? static_cast<qsizetype>(offset) : positions[std::min(offset, positions.size() - 1)];
    };
    ranges.reserve(printed.spans.size());
    for (const ir::PrintedSpan& span : printed.spans) ranges.push_back({position(span.begin), position(span.end)});
}

ProgramText::ProgramText(const ir::TermBank& bank, const ir::Program& program, int columns)
    : m_isGraph(bank.dialect(program.function).sharesNodes()) {
    ir::PrintOptions options;
    options.width = columns;
    ir::PrintedText printed = dialects::printWithSpans(bank, program, options);
    m_exchange = Printed(printed);
    options.compact = true;
    m_reading = Printed(m_isGraph ? dialects::printWithSpans(bank, program, options)
                                  : dialects::printMath(bank, program, ir::MathForm::Text));
    m_places = std::move(printed.places);
    m_nodes.reserve(m_places.size());
    for (NodeIndex node = 0; node < m_places.size(); ++node)
        m_nodes.push_back({{}, m_places.parent(node), m_places.row(node)});
    if (!m_isGraph) findTreeChildren();
    findTerms(bank, program.root);
    if (m_isGraph) findGraphChildren(bank);
}

void ProgramText::findTreeChildren() {
    m_firstChild.assign(m_nodes.size() + 1, 0);
    for (std::size_t i = 1; i < m_nodes.size(); ++i) ++m_firstChild[m_nodes[i].parent + 1];
    for (std::size_t i = 1; i < m_firstChild.size(); ++i) m_firstChild[i] += m_firstChild[i - 1];
    m_children.resize(m_nodes.empty() ? 0 : m_nodes.size() - 1);
    for (std::size_t i = 1; i < m_nodes.size(); ++i) {
        m_children[m_firstChild[m_nodes[i].parent] + m_nodes[i].row] = static_cast<NodeIndex>(i);
    }
}

void ProgramText::findGraphChildren(const ir::TermBank& bank) {
    absl::flat_hash_map<ir::TermId, NodeIndex> places;
    for (const Node& node : m_nodes) places.emplace(node.term, static_cast<NodeIndex>(places.size()));
    for (const Node& node : m_nodes) {
        m_firstChild.push_back(static_cast<std::uint32_t>(m_children.size()));
        for (const ir::TermId child : bank.children(node.term)) m_children.push_back(places.at(child));
        const ir::Dialect* const own = bank.registry().findDialect(bank.registry().info(bank.op(node.term)).dialect);
        const bool hasOwnLabels = own != nullptr && own->nodeLabel != nullptr && own->name != tensor::DialectName;
        const bool hasAttributes = bank.payload(node.term).kind() == ir::PayloadKind::Attributes;
        const bool isPlain = (hasAttributes && !hasOwnLabels) || bank.opName(node.term) == tensor::WeightName;
        m_labels.push_back(fromUtf8(isPlain ? std::string(bank.opName(node.term)) : ir::labelOf(bank, node.term)));
    }
    m_firstChild.push_back(static_cast<std::uint32_t>(m_children.size()));
}

void ProgramText::findTerms(const ir::TermBank& bank, ir::TermId root) {
    if (m_nodes.empty()) return;
    m_nodes[0].term = root;
    for (std::size_t i = 1; i < m_nodes.size(); ++i) {
        m_nodes[i].term = bank.child(m_nodes[m_nodes[i].parent].term, m_nodes[i].row);
    }
}

QString ProgramText::text(NodeIndex node, Form form) const { return text(range(node, form), form); }

QString ProgramText::name(NodeIndex node) const {
    if (!m_isGraph) return {};
    QString text = this->text(node);
    // "conv1 = Conv…", "x: f32[1,3]", "parts[0]".
    for (const QLatin1String end : {QLatin1String(" = "), QLatin1String(": ")}) {
        if (const qsizetype at = text.indexOf(end); at >= 0) text.truncate(at);
    }
    if (text.size() > 1 && text.startsWith(QLatin1Char('"')) && text.endsWith(QLatin1Char('"'))) {
        text = text.mid(1, text.size() - 2);
    }
    return text;
}

QString ProgramText::label(NodeIndex node) const {
    if (m_isGraph) return m_labels[node];
    TextRange head = range(node);
    if (childCount(node) > 0) head.end = range(child(node, 0)).begin;
    QString label = text(head);
    if (childCount(node) > 0) label.remove(QLatin1Char('(')).remove(QLatin1Char(')'));
    return label.simplified();
}

std::optional<NodeIndex> ProgramText::find(const ir::Path& path) const {
    if (m_nodes.empty()) return std::nullopt;
    NodeIndex node = 0;
    for (const std::uint32_t step : path) {
        if (step >= childCount(node)) return std::nullopt;
        node = child(node, step);
    }
    return node;
}

std::optional<NodeIndex> ProgramText::at(qsizetype position, Form form) const {
    const std::vector<TextRange>& ranges = printed(form).ranges;
    const auto covers = [&](NodeIndex node) { return ranges[node].begin <= position && position < ranges[node].end; };
    if (m_isGraph) {  // ranges are lines, or parts of one line
        std::optional<NodeIndex> shortest;
        const auto length = [&](NodeIndex node) { return ranges[node].end - ranges[node].begin; };
        for (NodeIndex node = 0; node < m_nodes.size(); ++node) {
            if (covers(node) && (!shortest || length(node) < length(*shortest))) shortest = node;
        }
        return shortest;
    }
    if (m_nodes.empty() || !covers(0)) return std::nullopt;
    NodeIndex node = 0;
    while (true) {
        NodeIndex inner = node;
        for (std::uint32_t row = 0; row < childCount(node) && inner == node; ++row) {
            if (covers(child(node, row))) inner = child(node, row);
        }
        if (inner == node) return node;
        node = inner;
    }
}

std::vector<NodeIndex> ProgramText::bindersAbove(const ir::TermBank& bank, NodeIndex node) const {
    std::vector<NodeIndex> binders;  // innermost first, so that the index is the de Bruijn index
    while (node != 0) {
        const Node& here = m_nodes[node];
        if (bank.boundIn(m_nodes[here.parent].term, here.row) > 0) binders.push_back(here.parent);
        node = here.parent;
    }
    return binders;
}

std::vector<NodeIndex> ProgramText::occurrences(const ir::TermBank& bank, NodeIndex node) const {
    if (m_isGraph) return {node};
    const ir::TermId term = m_nodes[node].term;
    std::vector<std::uint32_t> mentioned;
    for (std::uint32_t index = 0; index < bank.looseBound(term); ++index) {
        if (ir::mentions(bank, term, index)) mentioned.push_back(index);
    }
    const std::vector<NodeIndex> binders = mentioned.empty() ? std::vector<NodeIndex>() : bindersAbove(bank, node);
    std::vector<NodeIndex> found;
    for (NodeIndex other = 0; other < m_nodes.size(); ++other) {
        if (m_nodes[other].term != term) continue;
        if (!mentioned.empty() && other != node) {
            const std::vector<NodeIndex> others = bindersAbove(bank, other);
            const bool same = std::ranges::all_of(mentioned, [&](std::uint32_t index) {
                return index < others.size() && index < binders.size() && others[index] == binders[index];
            });
            if (!same) continue;
        }
        found.push_back(other);
    }
    return found;
}

std::vector<TextRange> markedRanges(const ProgramText& text, const std::vector<ir::DiffMark>& marks, ir::DiffMark mark,
                                    ProgramText::Form form) {
    std::vector<TextRange> ranges;
    const QString& all = text.text(form);
    const auto& nodes = text.nodes();
    if (marks.size() != nodes.size()) return ranges;
    std::vector<bool> marked(static_cast<std::size_t>(all.size()), false);
    const auto fill = [&](std::size_t node, bool value) {
        const TextRange range = text.range(static_cast<NodeIndex>(node), form);
        std::fill(marked.begin() + range.begin, marked.begin() + range.end, value);
    };
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const bool wanted = marks[i] == mark;
        if (text.isGraph()) {  // one line per node
            if (wanted) fill(i, true);
            continue;
        }
        if (i == 0 ? !wanted : (marks[nodes[i].parent] == mark) == wanted) continue;
        fill(i, wanted);
    }
    for (qsizetype at = 0; at < all.size();) {
        qsizetype end = all.indexOf(QLatin1Char('\n'), at);
        if (end < 0) end = all.size();
        addMarkedInLine(ranges, all, marked, {at, end});
        at = end + 1;
    }
    return ranges;
}

}  // namespace mitos::views
