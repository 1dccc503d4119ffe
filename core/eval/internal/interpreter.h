// SPDX-License-Identifier: GPL-3.0-or-later
// The interpreter behind evaluate(). Private to core/eval; each family of operators has a file.
#pragma once

#include "core/eval/evaluator.h"
#include "core/eval/internal/meter.h"
#include "core/ks/operators.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mitos::eval {

/// A lambda with the values of its surroundings.
struct FunctionValue {
    ir::TermId lambda;
    std::vector<Value> bound;      ///< values of the bound variables
    const ir::Function* function;  ///< the function that contains the lambda
    std::vector<Value> arguments;  ///< of that function
    std::vector<std::int64_t> sizes;
};

/// Thrown when the usual stack may not suffice; evaluate() then starts again on a deep stack.
struct NeedsDeepStack {};

/// Runs terms against a stack of bound values (one per de Bruijn level) and a stack of calls. Throws Failure; the place of the failure is
/// then still on the stack of places, see errorFrom().
class Interpreter {
public:
    /// depthLimit bounds nested calls and operators; NeedsDeepStack is thrown beyond it if it is less than limits.depth.
    Interpreter(const ir::TermBank& bank, const Limits& limits, std::uint32_t depthLimit);

    Value run(const ir::Program& program, const Inputs& inputs);
    [[nodiscard]] const std::string& printed() const { return m_printed; }
    [[nodiscard]] std::uint64_t steps() const { return m_meter.steps(); }
    /// The error for a failure, with the place and the subterm.
    [[nodiscard]] Error errorFrom(const Failure& failure) const;

private:
    /// A term that is being evaluated, and its index among the children of the term below it.
    struct Place {
        ir::TermId term;
        std::uint32_t child;
    };
    struct Frame {
        const ir::Function* function;
        std::vector<Value> arguments;
        std::vector<std::int64_t> sizes;  ///< one per SizeName; NoSize if it is not given
        std::size_t firstPlace;
        bool ofLambda = false;  ///< the frame of a function value in the function
    };
    static constexpr std::int64_t NoSize = -1;

    Value eval(ir::TermId parent, std::uint32_t child) { return evalTerm(m_bank.child(parent, child), child); }
    Value evalTerm(ir::TermId term, std::uint32_t child);
    double evalFloat(ir::TermId parent, std::uint32_t child) { return eval(parent, child).asFloat(); }
    std::int64_t evalInteger(ir::TermId parent, std::uint32_t child) { return eval(parent, child).asInteger(); }
    /// Applies the function value in that child to an argument.
    Value applyTo(ir::TermId parent, std::uint32_t child, Value argument);

    // interpreter.cpp
    Value compute(ir::TermId term);
    /// The application of an operator outside of ks, which the table of operators evaluates.
    Value computeByTable(ir::TermId term);
    Value computeCore(ir::TermId term);
    Value variable(ir::TermId term);
    /// The value of a lambda that is not applied where it is written.
    Value functionValue(ir::TermId lambda);
    Value apply(const FunctionValue& function, Value argument);
    Value call(ir::TermId term);
    void pushFrame(const ir::Function& function, std::vector<Value> arguments,
                   const std::vector<std::int64_t>* extraSizes);
    [[noreturn]] void tooDeep() const;
    // numbers.cpp
    Value computeNumber(ks::Op op, ir::TermId term);
    Value floatFunction(ks::Op op, ir::TermId term);
    Value comparison(ks::Op op, ir::TermId term);
    /// The nearest Float.
    [[nodiscard]] double rounded(std::int64_t number) const;
    Value matrixTimesVector(const TensorValue& matrix, const TensorValue& vector);
    // tensors.cpp
    Value computeTensor(ks::Op op, ir::TermId term);
    Value build(ir::TermId term);
    Value sumbuild(ir::TermId term);
    Value fold(ir::TermId term);
    Value map2(ir::TermId term);
    Value index(ir::TermId term);
    Value sum(ir::TermId term);
    Value unzip(ir::TermId term);
    Value deltaVec(ir::TermId term);
    Value diag(ir::TermId term);
    Value buildFromSparse(ir::TermId term, bool tupled);
    // special.cpp
    Value computeSpecial(ks::Op op, ir::TermId term);
    Value print(ir::TermId term);
    Value check(ir::TermId term);
    Value bench(ir::TermId term);
    Value computeLinearMap(ks::Op op, ir::TermId term);
    Value loop(ir::TermId term);
    Value forwardFold(ir::TermId term);
    Value reverseFold(ir::TermId term);

    const ir::TermBank& m_bank;
    const Limits& m_limits;
    std::uint32_t m_depthLimit;
    ir::Program m_program;
    Meter m_meter;
    std::vector<Value> m_bound;  ///< values of bound variables, by de Bruijn level
    std::vector<Place> m_places;
    std::vector<Frame> m_frames;
    std::string m_printed;
};

/// The values of a function's size names, from its arguments. Fails if sizes contradict each other or the arguments do not fit the
/// parameters.
[[nodiscard]] std::vector<std::int64_t> sizesOf(const ir::TermBank& bank, const ir::Function& function,
                                                const std::vector<Value>& arguments);

/// A term as short text for messages, cut at a depth and a length. `names` are those of loose bound variables, outermost first.
[[nodiscard]] std::string briefText(const ir::TermBank& bank, ir::TermId term, std::vector<std::string> names);

/// Appends the text that `print` and `$trace` write (as the C++ runtime's streams do).
void printValue(std::string& out, const Value& value);

}  // namespace mitos::eval
