// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dialects/dialects.h"

#include "core/autodiff/derivative.h"
#include "core/eval/semantics.h"
#include "core/ks/dialect.h"
#include "core/tasks/dialect.h"
#include "core/tensor/dialect.h"

#include <utility>

namespace mitos::dialects {

std::vector<ir::Dialect> all() {
    ir::Dialect ks = ks::dialect();
    ir::Dialect tensor = tensor::dialect();
    ks.semantics = &eval::scalarSemantics();
    tensor.semantics = &eval::arraySemantics();
    ks.derive = [](ir::TermBank& bank, const ir::DerivedFunction& derived) {
        return autodiff::deriveDeclared(bank, derived, autodiff::Form::Scatter);
    };
    return {std::move(ks), std::move(tensor), tasks::dialect()};
}

std::shared_ptr<const ir::OperatorRegistry> makeRegistry(std::vector<ir::Dialect> dialects) {
    const auto registry = std::make_shared<ir::OperatorRegistry>();
    for (ir::Dialect& dialect : dialects) registry->addDialect(std::move(dialect));
    return registry;
}

}  // namespace mitos::dialects
