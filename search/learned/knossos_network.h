// SPDX-License-Identifier: GPL-3.0-or-later
// The graph network of the Knossos paper (section 3.2, appendix B) over programs: ValueNetworkKind::Knossos, by the library with LibTorch.
#pragma once

#include "core/base/result.h"
#include "search/learned/graph_network.h"
#include "search/learned/learned_library.h"
#include "search/learned/value_network.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace mitos::search::learned {

/// Several programs as one graph for NetworkKind::Gated, with the nine types of edges of the paper (Table 2b): for each place of children one from the
/// parent and one from the child, and one between identical subexpressions.
class ProgramBatch {
public:
    static constexpr std::uint32_t EdgeTypes = 2 * ir::ProgramGraph::Places + 1;
    static constexpr std::uint32_t Identical = EdgeTypes - 1;
    /// Each of up to so many identical subexpressions is linked with each other one. Larger groups would have more edges than a program has nodes
    /// by far: each of theirs is linked with the first only.
    static constexpr std::size_t LargestClique = 32;

    /// A variable that is bound also has such links with its binder, in both directions. In the paper's graphs a binder has a child for the
    /// variable that it declares, which is one of the identical ones; ours is the binder itself.
    void add(const ir::ProgramGraph& program);
    void clear() { *this = {}; }

    [[nodiscard]] std::size_t programs() const { return m_begins.size(); }
    [[nodiscard]] std::size_t nodes() const { return m_kinds.size(); }
    /// Valid until the next change.
    [[nodiscard]] GraphView view() const;

private:
    void link(std::uint32_t from, std::uint32_t to, std::uint32_t type);
    void linkBoth(std::uint32_t one, std::uint32_t other, std::uint32_t there, std::uint32_t back);
    void linkIdentical(const ir::ProgramGraph& program, std::uint32_t first);

    std::vector<std::uint32_t> m_begins;
    std::vector<std::uint32_t> m_kinds;
    std::vector<std::uint32_t> m_from;
    std::vector<std::uint32_t> m_to;
    std::vector<std::uint32_t> m_types;
};

/// A network with parameters of 0. `library` is LearnedLibrary::load()'s. Fails as that does, and for shapes that checkShape() refuses: sizes of 0 or too
/// large, and fewer hidden units than kinds of nodes. Calls take the programs in parts of about 2,000 nodes; training takes memory for
/// about 15 × rounds × hidden numbers for each node of such a part, or of a program that is larger.
[[nodiscard]] Result<std::unique_ptr<ValueNetwork>> makeKnossosNetwork(
    const ValueNetworkShape& shape, std::string_view library = LearnedLibrary::FileName);

}  // namespace mitos::search::learned
