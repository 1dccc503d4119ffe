// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/program_graph.h"

#include <absl/container/inlined_vector.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace mitos::ir {

namespace {

/// A term, and the nodes of the binders of the loose variables that may occur in it.
using ValueKey = absl::InlinedVector<std::uint32_t, 6>;

/// Visits the nodes and numbers what they compute.
class GraphMaker {
public:
    GraphMaker(const TermBank& bank, Sharing sharing, const NodeVocabulary& vocabulary, std::uint64_t most)
        : m_bank(bank),
          m_sharing(sharing),
          m_vocabulary(vocabulary),
          m_most(most) {}

    Result<ProgramGraph> make(TermId root) {
        std::vector<Open> open{{.term = root}};
        while (!open.empty()) {
            const Open next = open.back();
            open.pop_back();
            const auto known = m_sharing == Sharing::Graph ? m_nodeOf.find(next.term) : m_nodeOf.end();
            const bool isKnown = known != m_nodeOf.end();
            const auto node = isKnown ? known->second : static_cast<std::uint32_t>(m_graph.size());
            if (!isKnown) {
                MITOS_REQUIRE(add(next));
            }
            if (next.parent != None) m_graph.edges.push_back({next.parent, node, next.place});
            if (isKnown) continue;
            const std::size_t count = m_bank.childCount(next.term);
            const bool isTuple = m_bank.is(next.term, CoreOp::Tuple);
            for (std::size_t i = count; i-- > 0;) {
                open.push_back({.term = m_bank.child(next.term, i),
                                .parent = node,
                                .place = isTuple ? Place::Tuple : static_cast<Place>(std::min<std::size_t>(i, 3)),
                                .scope = m_bank.boundIn(next.term, i) > 0 ? scopeUnder(node, next.scope) : next.scope});
            }
        }
        std::ranges::stable_sort(m_graph.edges, {}, &ProgramGraph::Edge::parent);
        return std::move(m_graph);
    }

private:
    using Place = ProgramGraph::Place;
    static constexpr std::uint32_t None = UINT32_MAX;

    struct Open {
        TermId term;
        std::uint32_t parent = None;
        Place place = Place::First;
        std::uint32_t scope = None;  ///< the innermost binder above
    };
    /// A binder and the scope that it stands in.
    struct Scope {
        std::uint32_t binder = 0;
        std::uint32_t outer = None;
    };

    std::uint32_t scopeUnder(std::uint32_t binder, std::uint32_t outer) {
        m_scopes.push_back({binder, outer});
        return static_cast<std::uint32_t>(m_scopes.size() - 1);
    }

    Status add(const Open& next) {
        if (m_graph.size() >= m_most)
            return Error{ErrorCode::Limit, fmt::format("the program has more than {} nodes", m_most), std::nullopt, ""};
        const std::optional<std::uint32_t> kind = m_vocabulary.kindOf(m_bank, next.term);
        if (!kind) {
            return Error{ErrorCode::Incompatible,
                         fmt::format("the network does not know \"{}\"", NodeVocabulary::kindName(m_bank, next.term)),
                         std::nullopt, "train it on programs with this operator"};
        }
        if (m_sharing == Sharing::Graph) m_nodeOf.emplace(next.term, static_cast<std::uint32_t>(m_graph.size()));
        m_graph.terms.push_back(next.term);
        m_graph.kinds.push_back(*kind);
        m_graph.values.push_back(valueOf(next));
        return Success{};
    }

    std::uint32_t valueOf(const Open& next) {
        ValueKey key{next.term.value};
        std::uint32_t scope = next.scope;
        for (std::uint32_t index = 0; index < m_bank.looseBound(next.term) && scope != None; ++index) {
            if (m_bank.mayMention(next.term, index, 1)) key.push_back(m_scopes[scope].binder);
            scope = m_scopes[scope].outer;
        }
        const auto [place, isNew] = m_values.try_emplace(std::move(key), m_graph.valueCount);
        if (isNew) ++m_graph.valueCount;
        return place->second;
    }

    const TermBank& m_bank;
    Sharing m_sharing;
    const NodeVocabulary& m_vocabulary;
    std::uint64_t m_most;
    ProgramGraph m_graph;
    std::vector<Scope> m_scopes;
    absl::flat_hash_map<TermId, std::uint32_t> m_nodeOf;
    absl::flat_hash_map<ValueKey, std::uint32_t> m_values;
};

}  // namespace

NodeVocabulary::NodeVocabulary(std::vector<std::string> names) : m_names(std::move(names)) {
    for (std::size_t i = 0; i < m_names.size(); ++i) m_numbers.try_emplace(m_names[i], static_cast<std::uint32_t>(i));
}

NodeVocabulary NodeVocabulary::knossos() {
    return NodeVocabulary({"constant", "variable", "let",    "if",    "tuple", "select",  "add",
                           "sub",      "mul",      "div",    "exp",   "log",   "eq",      "gt",
                           "gte",      "or",       "build",  "apply", "lam",   "sum",     "sumbuild",
                           "constVec", "deltaVec", "assert", "size",  "index", "to_float"});
}

NodeVocabulary NodeVocabulary::of(const TermBank& bank, std::span<const TermId> roots) {
    std::set<std::string, std::less<>> names;
    absl::flat_hash_map<TermId, bool> known;
    std::vector<TermId> open(roots.begin(), roots.end());
    while (!open.empty()) {
        const TermId term = open.back();
        open.pop_back();
        if (!known.try_emplace(term, true).second) continue;
        names.emplace(kindName(bank, term));
        for (const TermId child : bank.children(term)) open.push_back(child);
    }
    return NodeVocabulary({names.begin(), names.end()});
}

std::string_view NodeVocabulary::kindName(const TermBank& bank, TermId term) {
    if (bank.is(term, CoreOp::Literal)) return "constant";
    if (bank.is(term, CoreOp::Variable) || bank.is(term, CoreOp::Bound)) return "variable";
    if (bank.is(term, CoreOp::Let)) return "let";
    if (bank.is(term, CoreOp::Lam)) return "lam";
    if (bank.is(term, CoreOp::Tuple)) return "tuple";
    if (bank.is(term, CoreOp::Get)) return "select";
    if (bank.is(term, CoreOp::Call)) return "apply";
    return bank.opName(term);
}

std::optional<std::uint32_t> NodeVocabulary::kindOf(const TermBank& bank, TermId term) const {
    const auto found = m_numbers.find(std::string(kindName(bank, term)));
    return found == m_numbers.end() ? std::nullopt : std::optional(found->second);
}

Result<ProgramGraph> programGraph(const TermBank& bank, TermId root, Sharing sharing, const NodeVocabulary& vocabulary,
                                  std::uint64_t most) {
    return GraphMaker(bank, sharing, vocabulary, most).make(root);
}

}  // namespace mitos::ir
