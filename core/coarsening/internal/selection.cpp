// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/coarsening/internal/selection.h"

#include <algorithm>

namespace mitos::coarsening {

using ir::TermId;

namespace {

void addReferences(FreeVariables& references, const Chain& chain) {
    for (const Definition& definition : chain.definitions) {
        references.add(definition.value);
        for (const LoopBody& loop : definition.loops) addReferences(references, loop.body);
    }
}

}  // namespace

Selection::Selection(ir::TermBank& bank, Chains& chains, const ir::Program& program, const ElevationRules& rules,
                     const CoarsenOptions& options)
    : m_bank(bank),
      m_chains(chains),
      m_program(program),
      m_rules(rules),
      m_sizeLimit(options.sizeLimit),
      m_unrolled{.iterations = options.mostUnrolled, .operators = options.sizeLimit},
      m_stop(options.stop),
      m_references(bank) {}

Node Selection::run(Chain& body) {
    addReferences(m_references, body);
    Node root{Region::Kind::Function, {&body, 0, body.definitions.size()}, 0, false, 0, regionsOf(body)};
    // A part can be larger than the whole, where constants that it reads are in sight.
    const std::size_t size = elevatedSize(root.range);
    m_isWhole = size <= m_sizeLimit;
    if (m_isWhole) {
        for (Node& child : root.children) measure(child);
        root.size = size;
        root.segment = 1;
    } else {
        select(root);
    }
    return root;
}

void Selection::measure(Node& node) {
    for (Node& child : node.children) measure(child);
    node.size = elevatedSize(node.range);
}

Node Selection::runByStatement(Chain& body) {
    addReferences(m_references, body);
    Node root{Region::Kind::Function, {&body, 0, body.definitions.size()}, 0, true, 0, regionsOf(body)};
    selectStatements(root);
    return root;
}

void Selection::selectStatements(Node& node) {
    std::vector<Node> children;
    for (Node& child : node.children) {
        if (!child.children.empty()) {
            selectStatements(child);
            children.push_back(std::move(child));
            continue;
        }
        for (std::size_t i = child.range.first; i < child.range.last; ++i) {
            const Range statement{child.range.chain, i, i + 1};
            Node part{Region::Kind::Part, statement, elevatedSize(statement), false, 0, {}};
            if (part.size > 0) {
                m_segments.push_back(statement);
                part.segment = m_segments.size();
            }
            children.push_back(std::move(part));
        }
    }
    node.children = std::move(children);
    node.isLarge = true;
}

std::vector<Node> Selection::regionsOf(Chain& chain) {
    std::vector<Node> regions;
    for (std::size_t i = 0; i < chain.definitions.size(); ++i) {
        Definition& definition = chain.definitions[i];
        if (definition.loops.empty()) {
            const bool continues = !regions.empty() && regions.back().kind == Region::Kind::Block;
            if (!continues) regions.push_back({Region::Kind::Block, {&chain, i, i}, 0, false, 0, {}});
            regions.back().range.last = i + 1;
            continue;
        }
        Node loop{Region::Kind::Loop, {&chain, i, i + 1}, 0, false, 0, {}};
        for (LoopBody& inner : definition.loops) {
            std::vector<Node> children = regionsOf(inner.body);
            loop.children.insert(loop.children.end(), children.begin(), children.end());
        }
        regions.push_back(std::move(loop));
    }
    return regions;
}

/// Bottom-up: the children of a node are decided before it. A block that is too large is replaced by its parts.
void Selection::select(Node& node) {
    std::vector<Node> children;
    for (Node& child : node.children) {
        select(child);
        if (child.isLarge && child.children.empty()) {
            split(child, children);
        } else {
            children.push_back(std::move(child));
        }
    }
    node.children = std::move(children);
    const auto isLarge = [](const Node& child) { return child.isLarge; };
    if (std::ranges::any_of(node.children, isLarge)) {
        node.isLarge = true;
        emitSmallChildren(node);
        return;
    }
    node.size = elevatedSize(node.range);
    if (node.size <= m_sizeLimit) return;
    node.isLarge = true;
    emitSmallChildren(node);
}

/// Splits a large block after the variable with the most references, the one nearest to the middle if there are several, until its parts
/// are small or single definitions.
void Selection::split(const Node& block, std::vector<Node>& parts) {
    const Range range = block.range;
    if (range.last - range.first < 2) {
        parts.push_back(block);
        return;
    }
    const auto references = [&](std::size_t i) { return m_references.count(range.chain->definitions[i].name); };
    const auto fromMiddle = [&](std::size_t i) {
        const std::size_t doubled = 2 * (i + 1);
        const std::size_t middle = range.first + range.last;
        return doubled > middle ? doubled - middle : middle - doubled;
    };
    std::size_t at = range.first;
    for (std::size_t i = range.first; i + 1 < range.last; ++i) {
        const bool isAsUsed = references(i) == references(at);
        if (references(i) > references(at) || (isAsUsed && fromMiddle(i) < fromMiddle(at))) at = i;
    }
    for (const Range& half : {Range{range.chain, range.first, at + 1}, Range{range.chain, at + 1, range.last}}) {
        Node part{Region::Kind::Part, half, elevatedSize(half), false, 0, {}};
        part.isLarge = part.size > m_sizeLimit;
        if (part.isLarge) {
            split(part, parts);
        } else {
            parts.push_back(std::move(part));
        }
    }
}

/// Merges neighbours as long as they are small together, and makes each a segment.
void Selection::emitSmallChildren(Node& node) {
    std::size_t i = 0;
    while (i < node.children.size()) {
        if (node.children[i].isLarge) {
            ++i;
            continue;
        }
        const std::size_t end = endOfSmall(node, i);
        const Range merged{node.children[i].range.chain, node.children[i].range.first,
                           node.children[end - 1].range.last};
        if (elevatedSize(merged) > 0) {
            m_segments.push_back(merged);
            for (std::size_t k = i; k < end; ++k) node.children[k].segment = m_segments.size();
        }
        i = end;
    }
}

/// The end of the neighbours from a small one on that are small together. More neighbours are larger, so the end is found by doubling the
/// number of neighbours, and by halving it between one that is small and one that is large.
std::size_t Selection::endOfSmall(const Node& node, std::size_t first) {
    const Range& start = node.children[first].range;
    std::size_t last = first + 1;  // the end of those that may be merged
    while (last < node.children.size() && !node.children[last].isLarge &&
           node.children[last].range.chain == start.chain) {
        ++last;
    }
    const auto isSmall = [&](std::size_t end) {
        return elevatedSize({start.chain, start.first, node.children[end - 1].range.last}) <= m_sizeLimit;
    };
    std::size_t small = first + 1;
    std::size_t large = last + 1;
    for (std::size_t step = 1; small < last && large > last; step *= 2) {
        const std::size_t end = std::min(small + step, last);
        (isSmall(end) ? small : large) = end;
    }
    while (small + 1 < large) {
        const std::size_t middle = small + (large - small) / 2;
        (isSmall(middle) ? small : large) = middle;
    }
    return small;
}

std::vector<TermId> Selection::outputs(const Range& range) {
    const std::vector<Definition>& definitions = range.chain->definitions;
    FreeVariables later(m_bank);
    for (std::size_t i = range.last; i < definitions.size(); ++i) later.add(definitions[i].value);
    std::vector<TermId> outputs;
    for (std::size_t i = range.first; i < range.last; ++i) {
        const bool isResult = i + 1 == definitions.size();
        if (isResult || later.count(definitions[i].name) > 0) outputs.push_back(m_chains.variable(definitions[i]));
    }
    return outputs;
}

TermId Selection::term(const Range& range) {
    const std::vector<TermId> results = outputs(range);
    const Definition& last = range.chain->definitions[range.last - 1];
    const bool isLast = results.size() == 1 && results[0] == m_chains.variable(last);
    if (isLast) return m_chains.lets(*range.chain, range.first, range.last - 1, last.value);
    return m_chains.lets(*range.chain, range.first, range.last,
                         results.size() == 1 ? results[0] : m_bank.tuple(results));
}

std::size_t Selection::elevatedSize(const Range& range) {
    const TermId whole = term(range);
    if (const auto known = m_sizes.find(whole); known != m_sizes.end()) return known->second;
    const TermId form = symbolicForm(m_bank, {m_program.function, whole}, m_rules, m_unrolled, m_stop);
    return m_sizes[whole] = symbolicSize(m_bank, {form});
}

}  // namespace mitos::coarsening
