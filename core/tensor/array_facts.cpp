// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/internal/array_facts.h"

namespace mitos::tensor {

ir::OperationFacts factsOfArrays(const ir::FactInput& in) {
    const ir::Certainty fails = in.op.traits.mayFail ? ir::Certainty::Maybe : ir::Certainty::Never;
    return {in.anything(), fails, ir::Certainty::Maybe};
}

ir::OperationFacts factsInRange(const ir::FactInput& in, const ir::ValueRange& exact) {
    ir::OperationFacts facts = factsOfArrays(in);
    facts.value = ir::scalarOf(in, exact);
    return facts;
}

}  // namespace mitos::tensor
