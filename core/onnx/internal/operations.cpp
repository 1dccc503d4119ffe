// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/internal/operations.h"

#include "core/ir/shared.h"
#include "core/tensor/operator.h"
#include "core/tensor/work.h"

#include <vector>

namespace mitos::onnx {

namespace {

/// An element of a result takes as long as that many multiplications of matrices.
constexpr double OfElement = 100.0;

tensor::ArrayType typeOf(const ir::TypeTable& types, ir::TypeId type) {
    return types.isArray(type) ? tensor::arrayType(types, type) : tensor::ArrayType::absent();
}

}  // namespace

double operationsOf(const ir::TermBank& bank, ir::TermId root) {
    SymbolTable symbols;
    double operations = 0.0;
    for (const ir::TermId term : ir::SharedNodes(bank, root)) {
        const tensor::Operator* const op = tensor::operatorOf(bank, term);
        if (op == nullptr) continue;
        std::vector<tensor::ArrayType> inputs;
        for (const ir::TermId child : bank.children(term)) inputs.push_back(typeOf(bank.types(), bank.type(child)));
        std::vector<tensor::ArrayType> outputs;
        const ir::TypeId type = bank.type(term);
        if (bank.types().isArray(type))
            outputs.push_back(typeOf(bank.types(), type));
        else
            for (const ir::TypeId output : bank.types().children(type)) outputs.push_back(typeOf(bank.types(), output));
        operations += tensor::work({*op, tensor::attributesOf(bank, term), inputs, symbols}, outputs).flops;
        for (const tensor::ArrayType& output : outputs) operations += OfElement * tensor::elements(output);
    }
    return operations;
}

}  // namespace mitos::onnx
