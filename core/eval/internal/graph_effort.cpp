// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/eval/internal/graph_effort.h"

#include "core/ir/shared.h"
#include "core/tensor/work.h"

#include <algorithm>
#include <vector>

namespace mitos::eval {

using ir::TermId;

namespace {

tensor::ArrayType sizedType(const ir::TypeTable& types, ir::TypeId type) {
    if (!types.isArray(type)) return tensor::ArrayType::absent();
    tensor::ArrayType array = tensor::arrayType(types, type);
    for (ir::Dimension& dimension : array.dimensions) {
        if (!dimension.isKnown()) dimension = ir::Dimension::of(1);
    }
    return array;
}

}  // namespace

Effort& Effort::operator+=(const Effort& other) {
    flops += other.flops;
    longestReduction = std::max(longestReduction, other.longestReduction);
    return *this;
}

Effort nodeEffort(const ir::TermBank& bank, TermId node) {
    const tensor::Operator* const op = tensor::operatorOf(bank, node);
    if (op == nullptr) return {};
    std::vector<tensor::ArrayType> inputs;
    for (const TermId child : bank.children(node)) inputs.push_back(sizedType(bank.types(), bank.type(child)));
    std::vector<tensor::ArrayType> outputs;
    const ir::TypeId type = bank.type(node);
    if (bank.types().isTuple(type)) {
        for (const ir::TypeId part : bank.types().children(type)) outputs.push_back(sizedType(bank.types(), part));
    } else {
        outputs.push_back(sizedType(bank.types(), type));
    }
    double elements = 0.0;
    for (const tensor::ArrayType& output : outputs) elements += tensor::elements(output);
    SymbolTable symbols;  // no size has a name here
    const tensor::Attributes attributes = tensor::attributesOf(bank, node);
    const double flops = tensor::work({*op, attributes, inputs, symbols}, outputs).flops;
    return {.flops = flops, .longestReduction = std::max(1.0, flops / std::max(1.0, elements))};
}

Effort effortOf(const ir::TermBank& bank, TermId root) {
    Effort effort;
    for (const TermId node : ir::SharedNodes(bank, root)) effort += nodeEffort(bank, node);
    return effort;
}

double leastMagnitudeFor(double longestReduction, double operands) {
    // An element of n operations may have an error of about n times 2^-53 of the operands. The tolerance relative to this magnitude is
    // 1e-8 up to a thousand operations and grows beyond; a tenth of it is reserved for rounding.
    constexpr double Least = 1e-6;
    constexpr double ForOne = 1e-7;
    constexpr double MostReduction = 1000.0;
    return std::max(Least, ForOne * std::min(longestReduction, MostReduction) * operands);
}

double toleranceFor(double plain, double longestReduction) {
    constexpr double PlainReduction = 1000.0;
    return plain * std::max(1.0, longestReduction / PlainReduction);
}

}  // namespace mitos::eval
