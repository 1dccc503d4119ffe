// SPDX-License-Identifier: GPL-3.0-or-later
// Takes steps of a thread in another program, in which its nodes have images.
#pragma once

#include "core/ir/shared.h"
#include "core/rewrite/step.h"

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mitos::rewrite {

/// The nodes that a step of a thread replaces, and what replaces them.
struct Change {
    ir::TermId before;  ///< the root
    ir::TermId after;
    std::vector<ir::TermId> places;  ///< the replaced nodes of `before`
};
[[nodiscard]] Change changeOf(const ir::TermBank& bank, const Thread& thread, std::size_t step);

/// The forms that the nodes of `before` have after a step. A replacement is found where it stands: nodes with a replaced operand have the
/// same operator in `after`, at the same position.
[[nodiscard]] ir::ChangedNodes formsAfter(const ir::TermBank& bank, const Change& change);

/// Follows a thread over a graph in another graph of the bank, and takes some of its steps there. The thread must outlive this object.
class Follower {
public:
    /// `images` has the node of the other graph for each node of the thread's start; a node without one has the operator itself, with the
    /// images of its operands. If `region` is not empty, the thread is one over the program of the region with that name, and its steps are marked as
    /// taken within it; other steps keep the regions that they have.
    Follower(ir::TermBank& bank, const Thread& thread, absl::flat_hash_map<ir::TermId, ir::TermId> images,
             std::string region = {})
        : m_bank(bank),
          m_thread(thread),
          m_images(std::move(images)),
          m_region(std::move(region)) {}

    /// Takes the thread's step `index`, the one after that of the last call, at the end of `built`, and appends it there if it is an instance.
    /// Returns the forms that nodes of the other graph have now.
    ir::ChangedNodes take(std::size_t index, Thread& built);
    void leaveOut(std::size_t index) { carry(changeOf(m_bank, m_thread, index), {}); }
    /// Another step was taken in the other graph.
    void update(const ir::ChangedNodes& forms);

private:
    ir::TermId image(ir::TermId node);
    /// Appends the step in its form for the other graph. Returns whether it is an instance there.
    bool append(Step step, const Change& change, Thread& built);
    bool add(const Step& step, Thread& built);
    bool match(Step& step, const Change& change, Thread& built);
    void carry(const Change& change, const ir::ChangedNodes& own);
    /// The region of a step in the other graph, whose root is `root`; null if it belongs to none, or if that is not part of the graph any more.
    std::shared_ptr<const StepRegion> regionOf(const Step& step, ir::TermId before, ir::TermId root);

    ir::TermBank& m_bank;
    const Thread& m_thread;
    absl::flat_hash_map<ir::TermId, ir::TermId>
        m_images;  ///< for all nodes of the thread's program before the next step
    std::string m_region;
};

}  // namespace mitos::rewrite
