// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/eval/semantics.h"

#include "core/eval/internal/graphs.h"
#include "core/eval/internal/scalars.h"
#include "core/eval/signature.h"
#include "core/eval/verify/internal/verify_graphs.h"
#include "core/ir/dialect.h"

#include <fmt/format.h>

namespace mitos::eval {

const Semantics& scalarSemantics() {
    static constexpr auto Always = [](const ir::TermBank&, const ir::Program&) { return true; };
    static constexpr Semantics Scalars{evaluateTree, randomTreeInputs, compareTrees, verifyTrees, Always};
    return Scalars;
}

const Semantics& arraySemantics() {
    static constexpr Semantics Arrays{evaluateGraph, randomGraphInputs, compareGraphs, verifyGraphs, isQuickGraph};
    return Arrays;
}

const Semantics& semanticsOf(const ir::TermBank& bank, const ir::Function& function) {
    const ir::Dialect* const dialect = bank.registry().findDialect(function.dialect);
    return dialect != nullptr && dialect->semantics != nullptr ? *dialect->semantics : scalarSemantics();
}

Result<Evaluation> evaluate(const ir::TermBank& bank, const ir::Program& program, const Inputs& inputs,
                            const Limits& limits) {
    const ir::Function& function = bank.function(program.function);
    if (std::optional<Error> error = checkInputs(bank, function, inputs)) return *error;
    return semanticsOf(bank, function).evaluate(bank, program, inputs, limits);
}

Result<Inputs> randomInputs(const ir::TermBank& bank, const ir::Function& function, Random& random,
                            const InputOptions& options) {
    if (options.minSize < 0 || options.maxSize < options.minSize) {
        return Error{ErrorCode::InvalidInput,
                     fmt::format("there are no sizes from {} to {}", options.minSize, options.maxSize)};
    }
    return semanticsOf(bank, function).randomInputs(bank, function, random, options);
}

Result<Equivalence> compare(const ir::TermBank& bank, const ir::Program& a, const ir::Program& b,
                            const EquivalenceOptions& options) {
    const ir::Function& first = bank.function(a.function);
    const ir::Function& second = bank.function(b.function);
    if (first.argument != second.argument || bank.type(a.root) != bank.type(b.root)) {
        const auto signature = [&](const ir::Function& f, const ir::Program& p) {
            return fmt::format("{} -> {}", bank.types().toString(f.argument), bank.types().toString(bank.type(p.root)));
        };
        return Error{ErrorCode::InvalidInput,
                     fmt::format("programs of different signatures cannot be compared: {} and {}", signature(first, a),
                                 signature(second, b))};
    }
    return semanticsOf(bank, first).compare(bank, a, b, options);
}

bool isQuickToCompare(const ir::TermBank& bank, const ir::Program& program) {
    return semanticsOf(bank, bank.function(program.function)).isQuickToCompare(bank, program);
}

Result<Verification> verify(const ir::TermBank& bank, const ir::Program& start, const std::vector<VerifyStep>& steps,
                            const VerifyOptions& options) {
    return semanticsOf(bank, bank.function(start.function)).verify(bank, start, steps, options);
}

}  // namespace mitos::eval
