// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/lowering.h"

#include "core/base/deep_stack.h"
#include "core/ir/calls.h"
#include "core/loops/internal/lowerer.h"
#include "core/loops/optimize.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace mitos::loops {

namespace {

using ir::FunctionId;
using ir::TermId;

std::uint32_t deepest(const ir::TermBank& bank, const ir::Program& program) {
    std::uint32_t depth = bank.depth(program.root);
    for (std::uint32_t i = 0; i < bank.functionCount(); ++i) {
        const TermId body = bank.function(FunctionId(i)).body;
        if (body.isValid()) depth = std::max(depth, bank.depth(body));
    }
    return depth;
}

/// Throws Unsupported for a callee without a body.
void requireBody(const ir::Function& function, const LoweringOptions& options) {
    if (function.body.isValid()) return;
    const bool isDerived = function.name.starts_with('[');
    throw Unsupported{fmt::format("{} is {} but not defined, so it has no {}", function.name,
                                  isDerived ? "a derived function that is requested or declared" : "declared (edef)",
                                  options.language),
                      "define it with (def ...) first"};
}

/// Removes the functions that are not called.
void keepOnly(const absl::flat_hash_set<FunctionIndex>& called, Program& program) {
    std::vector<FunctionIndex> places(program.functions.size());
    std::vector<Function> kept;
    for (std::uint32_t i = 0; i < program.functions.size(); ++i) {
        if (!called.contains(FunctionIndex(i))) continue;
        places[i] = FunctionIndex(static_cast<std::uint32_t>(kept.size()));
        kept.push_back(std::move(program.functions[i]));
    }
    for (Function& function : kept) {
        for (Expression& expression : function.expressions) {
            if (auto* const callee = std::get_if<FunctionIndex>(&expression.payload)) *callee = places[callee->value];
        }
    }
    program.functions = std::move(kept);
}

/// Translates the callees of the program's function first, each once.
Program lowered(const ir::TermBank& bank, const ir::Program& program, const LoweringOptions& options) {
    Program result;
    Lowering lowering{.bank = bank, .options = options, .program = result, .uses = Uses(bank)};
    // The program's own name is taken first, so that no callee gets it.
    const ir::Function& own = bank.function(program.function);
    const std::string usual = own.bareExpression ? "expression" : own.name;
    const std::string ownName =
        lowering.scope.declare(options.functionName.empty() ? usual : options.functionName, "f");
    std::vector<FunctionId> order = ir::callOrder(bank, program);
    for (const FunctionId callee : order) requireBody(bank.function(callee), options);
    order.push_back(program.function);
    const auto bodyOf = [&](FunctionId id) { return id == program.function ? program.root : bank.function(id).body; };
    for (const FunctionId id : order) {
        const bool isOwn = id == program.function;
        const std::string name = isOwn ? ownName : lowering.scope.declare(bank.function(id).name, "f");
        result.functions.push_back(Function{id, "add_" + name, bank.type(bodyOf(id))});
        lowering.functions.emplace(id, FunctionIndex(static_cast<std::uint32_t>(result.functions.size())));
        result.functions.push_back(Function{id, name, bank.type(bodyOf(id))});
    }
    static_cast<void>(lowering.calling(program.function, false));
    while (!lowering.open.empty()) {
        const FunctionIndex next = lowering.open.back();
        lowering.open.pop_back();
        Function& function = result.functions[next.value];
        const bool isAdding = next != lowering.functions.at(function.id);
        if (isAdding) function.name = lowering.scope.declare(function.name, "add");
        FunctionLowerer(lowering, function).define(bank.function(function.id), bodyOf(function.id), isAdding);
    }
    keepOnly(lowering.called, result);
    return result;
}

}  // namespace

Result<Program> lower(const ir::TermBank& bank, const ir::Program& program, const LoweringOptions& options) {
    const std::uint32_t nesting = deepest(bank, program);
    Result<Program> result = Program{};
    withDeepStack(nesting, [&] {
        try {
            result = lowered(bank, program, options);
            result->nesting = nesting;
            if (options.isOptimized) optimize(bank.types(), *result);
        } catch (const Unsupported& unsupported) {
            result = Error{ErrorCode::Unsupported, unsupported.message, std::nullopt, unsupported.hint};
        }
    });
    return result;
}

}  // namespace mitos::loops
