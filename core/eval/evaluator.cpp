// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a program of scalars: first on the current stack, then on a deep one if that is not enough.
#include "core/base/deep_stack.h"
#include "core/eval/internal/interpreter.h"
#include "core/eval/internal/scalars.h"

#include <algorithm>
#include <new>
#include <optional>

namespace mitos::eval {

namespace {

/// Depth of nested evaluations that fits the stack of any thread, sanitizers included.
constexpr std::uint32_t ShallowDepth = 150;

/// Empty if a deeper stack is needed.
std::optional<Result<Evaluation>> attempt(const ir::TermBank& bank, const ir::Program& program, const Inputs& inputs,
                                          const Limits& limits, std::uint32_t depthLimit) {
    Interpreter interpreter(bank, limits, depthLimit);
    try {
        Value value = interpreter.run(program, inputs);
        return Evaluation{std::move(value), interpreter.printed(), interpreter.steps()};
    } catch (const Failure& failure) {
        return interpreter.errorFrom(failure);
    } catch (const NeedsDeepStack&) {
        return std::nullopt;
    } catch (const std::bad_alloc&) {
        return interpreter.errorFrom(Failure{ErrorCode::Limit, "there is not enough memory", "use smaller inputs"});
    }
}

}  // namespace

Result<Evaluation> evaluateTree(const ir::TermBank& bank, const ir::Program& program, const Inputs& inputs,
                                const Limits& limits) {
    std::optional<Result<Evaluation>> result =
        attempt(bank, program, inputs, limits, std::min(limits.depth, ShallowDepth));
    if (!result) withDeepStack(limits.depth, [&] { result = attempt(bank, program, inputs, limits, limits.depth); });
    return *std::move(result);
}

}  // namespace mitos::eval
