// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/gradient/internal/derivation.h"

#include "core/ir/transplant.h"
#include "core/ks/module.h"
#include "views/common/format.h"
#include "views/document/cost_text.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::views {

namespace {

using autodiff::Direction;

/// The function alone in a bank of its own, so that its derivative is made anew. Functions defined outside of the program bring their
/// derivatives along.
Result<ProgramCopy> aloneOf(const DerivationOrder& order) {
    const ir::TermBank& from = *order.program.bank;
    const ir::Program& open = order.program.program;
    const bool isOpen = order.function == open.function;
    const ir::Program program{order.function, isOpen ? open.root : from.function(order.function).body};
    ProgramCopy copy;
    copy.bank = std::make_shared<ir::TermBank>(from.sharedRegistry());
    // As text, because the body of the open program is its current state.
    MITOS_TRY(copy.program, ks::parseProgram(*copy.bank, from.function(order.function).name,
                                             ks::printProgram(from, program, {.headed = true})));
    ir::Transplanter transplanter(from, *copy.bank);
    std::vector<std::string> derivatives;
    for (std::uint32_t i = 0; i < from.functionCount(); ++i) {
        const ir::Function& base = from.function(ir::FunctionId(i));
        if (base.body.isValid()) continue;
        derivatives.push_back("[rev [" + base.name + ' ');
        derivatives.push_back("[fwd [" + base.name + ' ');
    }
    for (std::uint32_t i = 0; i < from.functionCount() && !derivatives.empty(); ++i) {
        const ir::Function& function = from.function(ir::FunctionId(i));
        const auto isNamed = [&](const std::string& beginning) { return function.name.starts_with(beginning); };
        if (function.body.isValid() && std::ranges::any_of(derivatives, isNamed))
            transplanter.function(ir::FunctionId(i));
    }
    return copy;
}

ProgramContent laidOut(ir::TermBank& bank, const ir::Program& program, const DerivationOrder& order) {
    ProgramContent content;
    content.text = ProgramText(bank, program, order.columns);
    content.costs = explainedParts(*order.costs->evaluator(bank, program.function), bank, program);
    content.findLineCosts();
    return content;
}

/// The first application of an operator or a function.
std::optional<NodeIndex> applicationOf(const ir::TermBank& bank, const ProgramText& text, const std::string& head) {
    for (NodeIndex node = 0; node < text.nodes().size(); ++node) {
        const ir::TermId term = text.nodes()[node].term;
        const bool isCall = bank.is(term, ir::CoreOp::Call);
        const std::string_view name = isCall ? std::string_view(bank.function(bank.payload(term).asFunction()).name)
                                             : std::string_view(bank.opName(term));
        if (name == head) return node;
    }
    return std::nullopt;
}

}  // namespace

Derivation derived(const DerivationOrder& order) {
    Derivation result;
    const Result<ProgramCopy> alone = aloneOf(order);
    if (!alone) {
        result.problem = alone.error();
        return result;
    }
    const ProgramCopy& copy = *alone;
    ir::TermBank& bank = *copy.bank;
    result.bank = copy.bank;
    result.primal = copy.program;
    result.function = laidOut(bank, copy.program, order);
    autodiff::Obstacle obstacle;
    autodiff::Origins origins;
    const Result<ir::FunctionId> made =
        autodiff::derive(bank, order.direction, copy.program.function, order.form, &obstacle, &origins);
    if (!made) {
        result.problem = made.error();
        if (obstacle.function.isValid()) {
            result.problemFunction = fromUtf8(bank.function(obstacle.function).name);
            if (obstacle.function == copy.program.function)
                result.problemPlace = applicationOf(bank, result.function.text, obstacle.head);
        }
        return result;
    }
    const ir::Program derivative{*made, bank.function(*made).body};
    result.name = QStringLiteral("[%1 %2]").arg(fromUtf8(autodiff::derivationOf(order.direction)),
                                                fromUtf8(bank.function(copy.program.function).name));
    result.derivative = laidOut(bank, derivative, order);
    result.links = Links(result.function.text, result.derivative.text, origins);
    result.text = fromUtf8(autodiff::withDerivatives(bank, copy.program, {*made}));
    return result;
}

Result<autodiff::CheckReport> checked(const DerivationOrder& order, const std::stop_token& stop,
                                      const std::function<void(int compared)>& progress) {
    MITOS_TRY(const ProgramCopy copy, aloneOf(order));
    const ir::FunctionId base = copy.program.function;
    MITOS_TRY(const ir::FunctionId forward, autodiff::derive(*copy.bank, Direction::Forward, base, order.form));
    MITOS_TRY(const ir::FunctionId reverse, autodiff::derive(*copy.bank, Direction::Reverse, base, order.form));
    autodiff::CheckOptions options;
    options.limits.stop = stop;
    options.mayFail = order.form == autodiff::Form::Delta;
    options.progress = progress;
    return autodiff::check(*copy.bank, {base, forward, reverse}, options);
}

}  // namespace mitos::views
