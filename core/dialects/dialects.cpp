// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dialects/dialects.h"

#include "core/ks/module.h"
#include "core/ks/operators.h"
#include "core/tensor/operator.h"
#include "core/tensor/text.h"

#include <utility>

namespace mitos::dialects {

namespace {

bool isGraph(const ir::TermBank& bank, const ir::Program& program) {
    return bank.function(program.function).sharing == ir::Sharing::Graph;
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
    return tensor::printListing(bank, program, options).text;
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

}  // namespace mitos::dialects
