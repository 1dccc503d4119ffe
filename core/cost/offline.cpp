// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/offline.h"

#include "core/tensor/operator.h"
#include "core/tensor/widening.h"

#include <fmt/format.h>

namespace mitos::cost {

using ir::TermId;

bool isOffline(const ir::TermBank& bank, TermId node, absl::FunctionRef<bool(std::size_t child)> isOffline) {
    const std::string_view op = bank.opName(node);
    if (op == tensor::WeightName || op == tensor::AbsentName) return true;
    if (bank.is(node, ir::CoreOp::Variable) || op == tensor::OpaqueName) return false;
    if (bank.registry().info(bank.op(node)).traits.effectful) return false;
    // Quantized weights stay quantized, and weights in half precision stay so: nodes that widen them run with the program.
    if (tensor::operatorOf(bank, node) != nullptr && tensor::widens(bank, node)) return false;
    for (std::size_t i = 0; i < bank.childCount(node); ++i) {
        if (!isOffline(i)) return false;
    }
    return true;
}

TermId leaf(ir::TermBank& bank, ir::TypeId type, bool isOffline, std::size_t number) {
    const Symbol name = bank.symbols().intern(fmt::format("?{}", number));  // not a name in a program
    if (!isOffline) return bank.variable(name, type);
    return bank.stated(bank.registry().find(tensor::WeightName), type, {}, ir::Payload::name(name));
}

}  // namespace mitos::cost
