// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of a thread that can be taken without the others, or elsewhere: which steps belong together, the thread of some of them, and the
// thread that takes all of them in each copy of a part of the program; and runs of equal steps, which are shown as one.
#pragma once

#include "core/ir/repeats.h"
#include "core/rewrite/step.h"

#include <absl/functional/function_ref.h>

#include <cstddef>
#include <string>
#include <vector>

namespace mitos::rewrite {

/// Steps of one kind, in one place or in several.
struct ThreadPart {
    std::string kind;                ///< the rules of one place, "conv_bias_of_add, conv_scale_channels × 2"
    std::size_t places = 0;          ///< in how many places the same rules are applied
    std::vector<std::size_t> steps;  ///< indexes of the thread's steps, in their order
};

/// Divides the steps of a thread over a graph. Steps are in one place if one rewrites what another has made, directly or through others;
/// places with the same rules are one part. Parts are in the order of their first steps; each step is in exactly one.
[[nodiscard]] std::vector<ThreadPart> partsOf(ir::TermBank& bank, const Thread& thread);

/// The thread over a graph that takes the steps of `kept` only, one entry for each step. A step that needs one which is left out, because it
/// is no instance of its rule without it, is left out as well. The result is valid by construction: each of its steps is replayed.
[[nodiscard]] Thread onlySteps(ir::TermBank& bank, const Thread& thread, const std::vector<bool>& kept);

/// Consecutive steps of one name, such as a step taken in each layer of a network.
struct StepRun {
    std::size_t first = 0;  ///< index of the first of them
    std::size_t count = 0;
};

/// Whether a step belongs to the same run of equal steps as the one before it: both have the same name.
[[nodiscard]] bool repeats(const Step& step, const Step& before);
/// Divides the steps of a thread into runs of equal steps, in the order of the thread.
[[nodiscard]] std::vector<StepRun> stepRuns(const Thread& thread);

/// A thread over the first copy of a repeated part.
struct PartThread {
    ir::PartProgram part;
    Thread thread;  ///< starts with the part's program
    /// The names of the regions that the copies are (StepRegion): their steps are marked as taken within them. Empty: they are none. A step that
    /// would leave the region in the whole program, where a node may be equal to one outside, is left out.
    std::vector<std::string> regions = {};
};

/// The forms that nodes of a thread's start have at its end, in the same order. Those that are gone keep their last form.
[[nodiscard]] std::vector<ir::TermId> formsAtEnd(const ir::TermBank& bank, const Thread& thread,
                                                 std::vector<ir::TermId> nodes);

/// Takes threads over parts of a graph in each copy of the parts: the first step of a thread in all copies, then the second one, and so on.
/// The parts must not overlap. Ends early, between two steps, when `goesOn` returns false. A step that is no instance of its rule in some copy is left out there, with those that need it. The result
/// is valid by construction.
[[nodiscard]] Thread everywhere(ir::TermBank& bank, const ir::Program& whole, const std::vector<PartThread>& parts,
                                absl::FunctionRef<bool()> goesOn);

}  // namespace mitos::rewrite
