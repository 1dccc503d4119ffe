// SPDX-License-Identifier: GPL-3.0-or-later
// The families of the operator table, each in its own file, and code that their entries share.
#pragma once

#include "core/tensor/operator.h"

namespace mitos::tensor {

// Each function appends the entries of its family.
void addUnary(std::vector<Operator>& table);
void addBinary(std::vector<Operator>& table);
void addConversions(std::vector<Operator>& table);
void addReduce(std::vector<Operator>& table);
void addSoftmax(std::vector<Operator>& table);
void addNormalization(std::vector<Operator>& table);
void addLinear(std::vector<Operator>& table);
void addConvolutions(std::vector<Operator>& table);
void addColumns(std::vector<Operator>& table);
void addPools(std::vector<Operator>& table);
void addReshapes(std::vector<Operator>& table);
void addMovement(std::vector<Operator>& table);
void addSlices(std::vector<Operator>& table);
void addPads(std::vector<Operator>& table);
void addRepeats(std::vector<Operator>& table);
void addGathers(std::vector<Operator>& table);
void addGenerators(std::vector<Operator>& table);
void addResizes(std::vector<Operator>& table);
void addSamples(std::vector<Operator>& table);
void addEinsum(std::vector<Operator>& table);
void addRecurrent(std::vector<Operator>& table);
void addQuantization(std::vector<Operator>& table);  ///< called after the families whose entries it extends
void addSelections(std::vector<Operator>& table);
void addKernels(std::vector<Operator>& table);
void addGelus(std::vector<Operator>& table);
void addFused(std::vector<Operator>& table);  ///< called after the families whose entries it extends
void addAttention(std::vector<Operator>& table);
void addLayouts(std::vector<Operator>& table);  ///< called after the families whose entries it extends

/// An error of a shape rule or an evaluation, without a source position.
[[nodiscard]] Error shapeError(std::string message);

/// Fails unless the axis is within the rank; terms count axes from 0 only.
[[nodiscard]] Status checkAxis(const ShapeInput& in, std::int64_t axis, std::size_t rank);

/// NumPy's broadcasting, with dimensions aligned at the right. Two sizes with different names may be equal, or one of them may be 1:
/// the result is named "max(M:N)".
[[nodiscard]] Result<std::vector<ir::Dimension>> broadcast(std::span<const ir::Dimension> a,
                                                           std::span<const ir::Dimension> b, SymbolTable& symbols);

}  // namespace mitos::tensor
