// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/program_graph.h"

#include <absl/container/inlined_vector.h>
#include <absl/container/node_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace mitos::ir {

namespace {

using Numbers = absl::InlinedVector<std::uint32_t, 8>;

/// Numbers for keys, dense in the order in which they are asked for.
class Numbering {
public:
    std::uint32_t of(Numbers key) {
        return m_numbers.try_emplace(std::move(key), static_cast<std::uint32_t>(m_numbers.size())).first->second;
    }
    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(m_numbers.size()); }

private:
    absl::flat_hash_map<Numbers, std::uint32_t> m_numbers;
};

/// Terms with loose variables, without regard to which ones these are: `x + 2 y` is the same form with any two variables for x and y. Indices say
/// how far away a binder is, so one subexpression is several terms if it occurs at several depths.
class LooseForms {
public:
    struct Form {
        std::uint32_t number = 0;
        std::vector<std::uint32_t> loose;  ///< the indices, in the order in which they occur first
    };

    explicit LooseForms(const TermBank& bank) : m_bank(bank) {}

    /// The forms of the children must have been asked for.
    const Form& of(TermId term) {
        const auto known = m_forms.find(term);
        return known != m_forms.end() ? known->second : m_forms.emplace(term, make(term)).first->second;
    }

private:
    static constexpr std::uint32_t Bound = 0;  ///< instead of the place among the loose ones: bound by the term itself

    Form make(TermId term) {
        Form form;
        if (m_bank.is(term, CoreOp::Bound)) {
            form.loose.push_back(m_bank.payload(term).asIndex());
            form.number = m_numbering.of({m_bank.op(term).value, m_bank.type(term).value});
            return form;
        }
        const Payload& payload = m_bank.payload(term);
        Numbers key{m_bank.op(term).value, m_bank.type(term).value, static_cast<std::uint32_t>(payload.kind()),
                    static_cast<std::uint32_t>(payload.rawBits()),
                    static_cast<std::uint32_t>(payload.rawBits() >> 32U)};
        m_places.assign(m_bank.looseBound(term), Bound);
        for (std::size_t i = 0; i < m_bank.childCount(term); ++i) {
            const TermId child = m_bank.child(term, i);
            const bool isLoose = m_bank.looseBound(child) > 0;
            key.push_back(isLoose ? 1 : 0);
            if (!isLoose) {
                key.push_back(child.value);
                continue;
            }
            const Form& part = m_forms.at(child);
            key.push_back(part.number);
            const std::uint32_t bound = m_bank.boundIn(term, i);
            for (const std::uint32_t index : part.loose)
                key.push_back(index < bound ? Bound : placeOf(index - bound, form.loose));
        }
        form.number = m_numbering.of(std::move(key));
        return form;
    }

    /// The place, counted from 1, of a loose index in the list, to which it is added if it is new.
    std::uint32_t placeOf(std::uint32_t index, std::vector<std::uint32_t>& loose) {
        if (m_places[index] == Bound) {
            loose.push_back(index);
            m_places[index] = static_cast<std::uint32_t>(loose.size());
        }
        return m_places[index];
    }

    const TermBank& m_bank;
    absl::node_hash_map<TermId, Form> m_forms;
    Numbering m_numbering;
    std::vector<std::uint32_t> m_places;
};

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
        numberValues();
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
        const auto node = static_cast<std::uint32_t>(m_graph.size());
        if (m_sharing == Sharing::Graph) m_nodeOf.emplace(next.term, node);
        m_graph.terms.push_back(next.term);
        m_graph.kinds.push_back(*kind);
        m_graph.binders.push_back(node);
        if (m_bank.is(next.term, CoreOp::Bound)) {
            const auto above = bindersAbove(next.scope, m_bank.looseBound(next.term));
            if (!above.empty()) m_graph.binders.back() = above.back();
        }
        m_scopeOf.push_back(next.scope);
        return Success{};
    }

    /// The nodes of the innermost binders, at most so many; fewer if the root has loose variables.
    std::span<const std::uint32_t> bindersAbove(std::uint32_t scope, std::uint32_t count) {
        m_above.clear();
        for (; m_above.size() < count && scope != None; scope = m_scopes[scope].outer)
            m_above.push_back(m_scopes[scope].binder);
        return m_above;
    }

    void numberValues() {
        const std::size_t count = m_graph.size();
        m_graph.values.resize(count);
        if (m_sharing == Sharing::Graph) {
            std::iota(m_graph.values.begin(), m_graph.values.end(), 0U);
            m_graph.valueCount = static_cast<std::uint32_t>(count);
            return;
        }
        LooseForms forms(m_bank);
        const auto isLoose = [this](std::size_t node) { return m_bank.looseBound(m_graph.terms[node]) > 0; };
        // Children stand behind their parents.
        for (std::size_t node = count; node-- > 0;) {
            if (isLoose(node)) forms.of(m_graph.terms[node]);
        }
        Numbering values;
        for (std::size_t node = 0; node < count; ++node) {
            if (!isLoose(node)) {
                m_graph.values[node] = values.of({m_graph.terms[node].value});
                continue;
            }
            const LooseForms::Form& form = forms.of(m_graph.terms[node]);
            const auto above = bindersAbove(m_scopeOf[node], m_bank.looseBound(m_graph.terms[node]));
            Numbers key{form.number};
            // Variables that the program itself leaves loose have no node; they are told apart by how far beyond it they are.
            for (const std::uint32_t index : form.loose) {
                const auto depth = static_cast<std::uint32_t>(above.size());
                key.push_back(index < depth ? 1 : 0);
                key.push_back(index < depth ? above[index] : index - depth);
            }
            m_graph.values[node] = values.of(std::move(key));
        }
        m_graph.valueCount = values.size();
    }

    const TermBank& m_bank;
    Sharing m_sharing;
    const NodeVocabulary& m_vocabulary;
    std::uint64_t m_most;
    ProgramGraph m_graph;
    std::vector<Scope> m_scopes;
    std::vector<std::uint32_t> m_scopeOf;  ///< by node
    std::vector<std::uint32_t> m_above;
    absl::flat_hash_map<TermId, std::uint32_t> m_nodeOf;
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
