// SPDX-License-Identifier: GPL-3.0-or-later
// A region as a program of its own, and its way back into the whole program.
#pragma once

#include "core/ir/repeats.h"
#include "core/partition/partition.h"
#include "core/rewrite/step.h"

namespace mitos::partition {

/// The region as a program: its parameters are the region's inputs, with the names that these values have, its results the outputs.
struct RegionProgram {
    /// With the one copy that the region is.
    ir::PartProgram part;
    std::vector<std::string>
        outputs;  ///< names of the outputs, different from each other and from those of parameters and weights

    [[nodiscard]] const ir::Program& program() const { return part.program; }
};

/// Fails if the region's program has a name that the bank has for another function.
[[nodiscard]] Result<RegionProgram> programOf(ir::TermBank& bank, const ir::Program& whole, const Region& region);

/// The whole program with the results of `result` in place of the region's outputs: a program over the same parameters as the region's, such as
/// its optimized form, or its own root, which gives the whole program again. Fails if the results do not have the types of the outputs.
[[nodiscard]] Result<ir::TermId> putBack(ir::TermBank& bank, const ir::Program& whole, const Region& region,
                                         const RegionProgram& program, ir::TermId result);

/// A region as it is at the end of a thread over its program: the operators from the present forms of its outputs down to those of its
/// inputs. It may have fewer inputs, and no operators at all if each output is an input or a number by then.
[[nodiscard]] Region regionAtEnd(const ir::TermBank& bank, const rewrite::Thread& thread, const Region& region);

}  // namespace mitos::partition
