// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/work.h"

namespace mitos::tensor {

double elements(const ArrayType& type) {
    double result = 1.0;
    for (const ir::Dimension& dimension : type.dimensions) {
        if (dimension.isKnown()) result *= static_cast<double>(dimension.size);
    }
    return result;
}

double bytes(const ArrayType& type) { return elements(type) * static_cast<double>(ir::dtypeBytes(type.dtype)); }

Work movement(const ShapeInput& in, std::span<const ArrayType> outputs) {
    Work result;
    for (const ArrayType& input : in.inputs) result.readBytes += bytes(input);
    for (const ArrayType& output : outputs) result.writtenBytes += bytes(output);
    return result;
}

Work view(const ShapeInput& in, std::span<const ArrayType> outputs) {
    Work result = movement(in, outputs);
    result.isView = true;
    return result;
}

Work work(const ShapeInput& in, std::span<const ArrayType> outputs) {
    if (in.op.work != nullptr) return in.op.work(in, outputs);
    Work result = movement(in, outputs);
    for (const ArrayType& output : outputs) result.flops += elements(output);
    return result;
}

}  // namespace mitos::tensor
