// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/widening.h"

#include "core/tensor/operator.h"

#include <string_view>

namespace mitos::tensor {

namespace {

/// Casts of up to this many elements do not count as widening.
constexpr std::int64_t Few = 64;

}  // namespace

bool widens(const ir::TermBank& bank, ir::TermId term) {
    const std::string_view op = bank.opName(term);
    if (op == "DequantizeLinear") return true;
    if (op != "Cast") return false;
    const ir::Dtype from = bank.types().dtype(bank.type(bank.child(term, 0)));
    const ArrayType to = arrayType(bank.types(), bank.type(term));
    if (from == ir::Dtype::Bool || ir::dtypeBytes(to.dtype) <= ir::dtypeBytes(from)) return false;
    return !to.isStatic() || elementCount(to.shape()) > Few;
}

}  // namespace mitos::tensor
