// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dialects/dialects.h"

#include "core/ir/draw.h"
#include "core/ks/module.h"
#include "core/ks/operators.h"
#include "core/tensor/operator.h"
#include "core/tensor/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mitos::dialects {

namespace {

bool isGraph(const ir::TermBank& bank, const ir::Program& program) {
    return bank.function(program.function).sharing == ir::Sharing::Graph;
}

/// Whether the type is a tuple of arrays, the result of a graph node with several outputs.
bool isOfArrays(const ir::TermBank& bank, ir::TypeId type) {
    const ir::TypeTable& types = bank.types();
    if (!types.isTuple(type)) return false;
    const auto elements = types.children(type);
    return std::ranges::any_of(elements, [&types](ir::TypeId element) { return types.isArray(element); });
}

}  // namespace

std::shared_ptr<const ir::OperatorRegistry> makeRegistry() {
    const auto registry = std::make_shared<ir::OperatorRegistry>(*ks::makeRegistry());
    tensor::addOperators(*registry);
    return registry;
}

std::string_view dialectOf(const ir::Function& function) {
    return function.sharing == ir::Sharing::Graph ? "tensor" : "ks";
}

Result<ir::Program> parseProgram(ir::TermBank& bank, std::string name, std::string text) {
    if (!tensor::isListing(text)) return ks::parseProgram(bank, std::move(name), std::move(text));
    return tensor::parseListing(bank, SourceText(std::move(name), std::move(text)));
}

std::string printProgram(const ir::TermBank& bank, const ir::Program& program, const ir::PrintOptions& options) {
    if (!isGraph(bank, program)) return ks::printProgram(bank, program, options);
    return tensor::listingText(bank, program, options);
}

ir::PrintedText printWithSpans(const ir::TermBank& bank, const ir::Program& program, const ir::PrintOptions& options) {
    if (!isGraph(bank, program)) return ks::printWithSpans(bank, program, options);
    return tensor::printListing(bank, program, options);
}

std::string printTermAt(const ir::TermBank& bank, const ir::Program& program, const ir::Path& position, ir::TermId term,
                        const ir::PrintOptions& options) {
    if (isGraph(bank, program)) return tensor::termText(bank, term);
    return ks::printTerm(bank, term, options, ks::binderNames(bank, program, position));
}

std::string nodeLabel(const ir::TermBank& bank, ir::TermId term, const std::vector<ir::TermId>& binders) {
    if (bank.is(term, ir::CoreOp::Get) && isOfArrays(bank, bank.type(bank.child(term, 0)))) {
        const ir::Payload& payload = bank.payload(term);
        return fmt::format("output {} of {}", payload.projectionIndex() + 1, payload.projectionArity());
    }
    if (bank.registry().info(bank.op(term)).dialect != "tensor") return ir::nodeLabel(bank, term, binders);
    if (bank.opName(term) == tensor::WeightName) return std::string(bank.text(bank.payload(term).asSymbol()));
    if (bank.opName(term) == tensor::AbsentName) return "left out";
    return tensor::operatorText(bank, term);
}

}  // namespace mitos::dialects
