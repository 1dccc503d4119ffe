// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/dialect.h"

#include "core/tensor/operator.h"
#include "core/tensor/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::tensor {

namespace {

/// A listing has one program.
Result<ir::ParsedText> parse(ir::TermBank& bank, const SourceText& source, std::string_view /*function*/) {
    return parseListing(bank, source).map([](const ir::Program& program) { return ir::ParsedText{program}; });
}

std::string closedTerm(const ir::TermBank& bank, ir::TermId term, const ir::PrintOptions& /*options*/) {
    return termText(bank, term);
}

/// Only the uppermost levels are printed.
ir::TermPrinter printerAt(const ir::TermBank& bank, const ir::Program& /*program*/, const ir::Path& /*position*/) {
    return [&bank](ir::TermId term, const ir::PrintOptions& /*options*/) { return termText(bank, term); };
}

/// Whether the type is a tuple of arrays, the result of a graph node with several outputs.
bool isOfArrays(const ir::TermBank& bank, ir::TypeId type) {
    const ir::TypeTable& types = bank.types();
    if (!types.isTuple(type)) return false;
    const auto elements = types.children(type);
    return std::ranges::any_of(elements, [&types](ir::TypeId element) { return types.isArray(element); });
}

/// The operator with its attributes (`Conv[strides=[2,2]]`), the name of a weight, or "output 2 of 3".
std::optional<std::string> label(const ir::TermBank& bank, ir::TermId term, const std::vector<ir::TermId>& /*above*/) {
    if (bank.is(term, ir::CoreOp::Get) && isOfArrays(bank, bank.type(bank.child(term, 0)))) {
        const ir::Payload& payload = bank.payload(term);
        return fmt::format("output {} of {}", payload.projectionIndex() + 1, payload.projectionArity());
    }
    if (bank.registry().info(bank.op(term)).dialect != DialectName) return std::nullopt;
    if (bank.opName(term) == WeightName) return std::string(bank.text(bank.payload(term).asSymbol()));
    if (bank.opName(term) == AbsentName) return "left out";
    return operatorText(bank, term);
}

/// Networks have hundreds of positions with small savings each, and none that must be unfolded first. So strategies look further ahead
/// than for arithmetic, and the schedule first applies rules that are always beneficial (the same fold dozens of times), then writes layers
/// in the form of the runtime (kept if that is cheaper when neighbours have merged), then searches far ahead with most of the budget, then
/// collects the remaining savings.
std::vector<ir::ParameterDefault> parameterDefaults() {
    return {
        {"random", "depth", "100"},
        {"astar", "depth", "300"},
        {"beam", "depth", "300"},
        {"blocks", "depth", "300"},
        {"mcts", "depth", "300"},
        {"phases", "depth", "300"},
        {"phases", "schedule",
         "always: simplify; forms: exhaust; always: simplify; unmerged: exhaust; all: blocks @ 80%; all: backtracking"},
        {"portfolio", "parts", "phases @ 60%; tensat(extraction=dag) @ 20%"}};
}

}  // namespace

ir::Dialect dialect() {
    return {.name = std::string(DialectName),
            .sharing = ir::Sharing::Graph,
            .addOperators = addOperators,
            .recognizes = isListing,
            .parse = parse,
            .parseLike = parseListingLike,
            .print = listingText,
            .printWithSpans = printListing,
            .printTerm = closedTerm,
            .printerAt = printerAt,
            .printsWholeTerms = false,
            .nodeLabel = label,
            .defaultRules = "tensor-default",
            .defaultCost = "roofline:processor,kernels=onnxruntime",
            .defaultStrategy = "portfolio",
            .parameterDefaults = parameterDefaults(),
            .exports = {"onnx"},
            .capabilities = {ir::Capability::Weights, ir::Capability::Runtime, ir::Capability::Measure,
                             ir::Capability::Train, ir::Capability::Schedule, ir::Capability::Divide},
            .exampleRule = "# A second Relu changes nothing.\nrule my_relu_twice [exact]: Relu(Relu(x)) => Relu(x)\n"};
}

}  // namespace mitos::tensor
