// SPDX-License-Identifier: GPL-3.0-or-later
// A program as a graph with typed nodes and edges, which networks take (Knossos paper, section 3.2 and appendix B).
#pragma once

#include "core/base/result.h"
#include "core/ir/dialect.h"
#include "core/ir/term_bank.h"

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::ir {

/// Names of kinds of nodes in the order in which networks number them.
class NodeVocabulary {
public:
    explicit NodeVocabulary(std::vector<std::string> names);
    /// The 23 kinds of the Knossos paper (appendix B), and those of the public optimizer that came later: assert, size, index, to_float.
    [[nodiscard]] static NodeVocabulary knossos();
    /// The kinds of nodes in these programs, in alphabetical order.
    [[nodiscard]] static NodeVocabulary of(const TermBank& bank, std::span<const TermId> roots);

    [[nodiscard]] std::span<const std::string> names() const { return m_names; }
    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(m_names.size()); }
    /// The number of a term's kind. Nothing if the vocabulary does not have it.
    [[nodiscard]] std::optional<std::uint32_t> kindOf(const TermBank& bank, TermId term) const;

    /// "constant" for literals, "variable" for free and bound ones, "select" for elements of tuples, else the name of the operator.
    [[nodiscard]] static std::string_view kindName(const TermBank& bank, TermId term);
    friend bool operator==(const NodeVocabulary& a, const NodeVocabulary& b) { return a.m_names == b.m_names; }

private:
    std::vector<std::string> m_names;
    absl::flat_hash_map<std::string, std::uint32_t> m_numbers;
};

/// Nodes are occurrences, in pre-order; of programs that share nodes, each node once, at its first path.
struct ProgramGraph {
    /// The edge types of the paper (Table 2b), one a child's place. Each exists in both directions.
    enum class Place : std::uint8_t { First, Second, Third, Tuple };
    static constexpr std::uint32_t Places = 4;

    struct Edge {
        std::uint32_t parent = 0;
        std::uint32_t child = 0;
        Place place = Place::First;  ///< Tuple: any child of a tuple, and children after the third

        friend bool operator==(const Edge&, const Edge&) = default;
    };

    std::vector<TermId> terms;         ///< by node; the root is node 0
    std::vector<std::uint32_t> kinds;  ///< by node: its number in the vocabulary
    /// By node: what it computes. Nodes with equal numbers are identical subexpressions: α-equivalent, with loose variables of the same binders,
    /// at whatever depth below them. Numbers are dense, in the order of the nodes. Of programs that share nodes, each has its own.
    std::vector<std::uint32_t> values;
    std::uint32_t valueCount = 0;
    std::vector<std::uint32_t>
        binders;              ///< by node: of a bound variable the node that binds it, of others the node itself
    std::vector<Edge> edges;  ///< in the order of the parents, then of their children

    [[nodiscard]] std::size_t size() const { return terms.size(); }
};

/// Fails with Incompatible if the vocabulary does not have a kind, which the message names, and with Limit for programs of more than `most` nodes.
[[nodiscard]] Result<ProgramGraph> programGraph(const TermBank& bank, TermId root, Sharing sharing,
                                                const NodeVocabulary& vocabulary, std::uint64_t most = 20'000);

}  // namespace mitos::ir
