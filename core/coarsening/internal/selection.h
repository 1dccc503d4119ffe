// SPDX-License-Identifier: GPL-3.0-or-later
// The selection of segments (Figure 7 of the coarsening paper) over the region tree of a function.
#pragma once

#include "core/coarsening/coarsen.h"
#include "core/coarsening/elevate.h"
#include "core/coarsening/internal/chain.h"

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <stop_token>
#include <string>
#include <vector>

namespace mitos::coarsening {

/// Definitions first … last - 1 of a chain, as one segment or region.
struct Range {
    Chain* chain = nullptr;
    std::size_t first = 0;
    std::size_t last = 0;
};

/// A node of the region tree with the definitions that it stands for.
struct Node {
    Region::Kind kind = Region::Kind::Block;
    Range range;
    std::size_t size = 0;
    bool isLarge = false;
    std::size_t segment = 0;
    std::vector<Node> children;
};

class Selection {
public:
    Selection(ir::TermBank& bank, Chains& chains, const ir::Program& program, const ElevationRules& rules,
              const CoarsenOptions& options);

    /// Builds the tree over the function's definitions and selects. `body` must outlive the result.
    [[nodiscard]] Node run(Chain& body);
    /// Likewise, but makes each definition without a loop a segment, whatever its size.
    [[nodiscard]] Node runByStatement(Chain& body);
    /// The selected segments, in the order of the tree. The whole function is not among them.
    [[nodiscard]] const std::vector<Range>& segments() const { return m_segments; }
    [[nodiscard]] bool isWhole() const { return m_isWhole; }

    /// The definitions of a range that are used after it, as variables.
    [[nodiscard]] std::vector<ir::TermId> outputs(const Range& range);
    /// The definitions as one term over free variables: lets around the output, or around the tuple of all outputs.
    [[nodiscard]] ir::TermId term(const Range& range);

private:
    [[nodiscard]] std::vector<Node> regionsOf(Chain& chain);
    void measure(Node& node);
    void select(Node& node);
    void selectStatements(Node& node);
    void split(const Node& block, std::vector<Node>& parts);
    void emitSmallChildren(Node& node);
    [[nodiscard]] std::size_t endOfSmall(const Node& node, std::size_t first);
    [[nodiscard]] std::size_t elevatedSize(const Range& range);

    ir::TermBank& m_bank;
    Chains& m_chains;
    ir::Program m_program;
    const ElevationRules& m_rules;
    std::size_t m_sizeLimit;
    UnrollLimits m_unrolled;
    std::stop_token m_stop;                                ///< after a stop the result is not complete
    FreeVariables m_references;                            ///< of the whole function
    absl::flat_hash_map<ir::TermId, std::size_t> m_sizes;  ///< of symbolic forms
    std::vector<Range> m_segments;
    bool m_isWhole = false;
};

}  // namespace mitos::coarsening
