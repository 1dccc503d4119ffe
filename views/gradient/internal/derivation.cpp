// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/gradient/internal/derivation.h"

#include "core/coarsening/elevate.h"
#include "core/ir/transplant.h"
#include "core/ks/module.h"
#include "views/common/format.h"
#include "views/document/cost_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::views {

namespace {

using autodiff::Direction;

ProgramContent laidOut(const ir::TermBank& bank, const ir::Program& program, const DerivationOrder& order) {
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

/// The derivative that an order asks for.
struct Made {
    ir::FunctionId derivative;
    std::optional<coarsening::Coarsened> coarsened = {};
};

Result<Made> plain(ir::TermBank& bank, const ir::Program& program, const DerivationOrder& order,
                   autodiff::Obstacle* obstacle, autodiff::Origins* origins) {
    Result<ir::FunctionId> id =
        order.wrt.empty() ? autodiff::derive(bank, order.direction, program.function, order.form, obstacle, origins)
                          : autodiff::gradient(bank, program.function, order.wrt, order.form, obstacle, origins);
    if (!id) return std::move(id).error();
    return Made{*id};
}

Result<Made> coarse(ir::TermBank& bank, const ir::Program& program, const DerivationOrder& order,
                    const std::stop_token& stop, autodiff::Obstacle* obstacle) {
    MITOS_TRY(const coarsening::ElevationRules rules, coarsening::ElevationRules::load(bank.sharedRegistry()));
    coarsening::CoarsenOptions options;
    options.sizeLimit = order.sizeLimit;
    options.form = order.form;
    options.wrt = order.wrt;
    options.stop = stop;
    Result<coarsening::Coarsened> made = coarsening::coarsen(bank, program, rules, options, obstacle);
    if (!made && made.error().code == ErrorCode::Unsupported) {
        // The message about the function as written names its parts, not those of the symbolic form.
        const Result<Made> asWritten = plain(bank, program, order, obstacle, nullptr);
        return asWritten ? std::move(made).error() : asWritten.error();
    }
    if (!made) return std::move(made).error();
    for (std::size_t i = 0; i < made->segments.size(); ++i) {
        const rewrite::ThreadReport report = rewrite::check(bank, made->segments[i].thread);
        if (report.valid) continue;
        return Error{ErrorCode::Evaluation,
                     fmt::format("step {} of segment {} is wrong: {}", report.failedStep, i + 1, report.reason)};
    }
    const ir::FunctionId derivative = made->derivative;
    return Made{derivative, *std::move(made)};
}

Result<Made> made(ir::TermBank& bank, const ir::Program& program, const DerivationOrder& order,
                  const std::stop_token& stop, autodiff::Obstacle* obstacle, autodiff::Origins* origins) {
    return order.coarsens ? coarse(bank, program, order, stop, obstacle)
                          : plain(bank, program, order, obstacle, origins);
}

QString nameOf(const ir::TermBank& bank, const ir::Program& program, const DerivationOrder& order,
               ir::FunctionId derivative) {
    if (!order.wrt.empty()) return fromUtf8(bank.function(derivative).name);
    return QStringLiteral("[%1 %2]").arg(fromUtf8(autodiff::derivationOf(order.direction)),
                                         fromUtf8(bank.function(program.function).name));
}

}  // namespace

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

Derivation derived(const DerivationOrder& order, const std::stop_token& stop) {
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
    Result<Made> done = made(bank, copy.program, order, stop, &obstacle, &origins);
    if (!done) {
        result.problem = done.error();
        if (obstacle.function.isValid()) {
            result.problemFunction = fromUtf8(bank.function(obstacle.function).name);
            if (obstacle.function == copy.program.function)
                result.problemPlace = applicationOf(bank, result.function.text, obstacle.head);
        }
        return result;
    }
    result.derived = {done->derivative, bank.function(done->derivative).body};
    result.name = nameOf(bank, copy.program, order, done->derivative);
    result.derivative = laidOut(bank, result.derived, order);
    result.origins = std::move(origins);
    if (done->coarsened) result.coarsened = std::make_shared<const coarsening::Coarsened>(*std::move(done->coarsened));
    if (!result.coarsened) result.links = Links(result.function.text, result.derivative.text, result.origins);
    result.text = fromUtf8(autodiff::withDerivatives(bank, copy.program, {done->derivative}));
    return result;
}

Derivation laidOutAnew(const Derivation& derivation, const DerivationOrder& order) {
    Derivation result = derivation;
    result.function = laidOut(*result.bank, result.primal, order);
    if (result.problem) return result;
    result.derivative = laidOut(*result.bank, result.derived, order);
    if (!result.coarsened) result.links = Links(result.function.text, result.derivative.text, result.origins);
    return result;
}

Result<autodiff::CheckReport> checked(const DerivationOrder& order, const std::stop_token& stop,
                                      const std::function<void(int compared)>& progress) {
    MITOS_TRY(const ProgramCopy copy, aloneOf(order));
    const ir::FunctionId base = copy.program.function;
    autodiff::Derivatives derivatives{base, {}, {}, {}, order.wrt};
    DerivationOrder reverse = order;
    reverse.direction = Direction::Reverse;
    MITOS_TRY(const Made wanted, made(*copy.bank, copy.program, reverse, stop, nullptr, nullptr));
    derivatives.reverse = wanted.derivative;
    if (!order.wrt.empty()) {  // a gradient in chosen parameters is compared with the whole derivative
        derivatives.gradient = wanted.derivative;
        MITOS_TRY(derivatives.reverse, autodiff::derive(*copy.bank, Direction::Reverse, base, order.form));
    }
    MITOS_TRY(derivatives.forward, autodiff::derive(*copy.bank, Direction::Forward, base, order.form));
    autodiff::CheckOptions options;
    options.limits.stop = stop;
    options.mayFail = order.form == autodiff::Form::Delta;
    options.progress = progress;
    return autodiff::check(*copy.bank, derivatives, options);
}

}  // namespace mitos::views
