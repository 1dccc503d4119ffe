// SPDX-License-Identifier: GPL-3.0-or-later
// The interpreter's core: variables, let, calls, dispatch, and the places of failures.
#include "core/eval/internal/interpreter.h"

#include "core/eval/internal/algebra.h"

#include <fmt/format.h>

#include <utility>

namespace mitos::eval {

using ir::CoreOp;
using ir::TermId;
using ks::Op;

Interpreter::Interpreter(const ir::TermBank& bank, const Limits& limits, std::uint32_t depthLimit)
    : m_bank(bank),
      m_limits(limits),
      m_depthLimit(depthLimit),
      m_meter(limits) {}

Value Interpreter::run(const ir::Program& program, const Inputs& inputs) {
    m_program = program;
    pushFrame(m_bank.function(program.function), inputs.arguments, &inputs.extraSizes);
    return evalTerm(program.root, 0);
}

Value Interpreter::evalTerm(TermId term, std::uint32_t child) {
    m_places.push_back({term, child});
    if (m_places.size() > m_depthLimit) tooDeep();
    m_meter.spend();
    Value value = compute(term);
    m_places.pop_back();
    return value;
}

Value Interpreter::applyTo(TermId parent, std::uint32_t child, Value argument) {
    const TermId lambda = m_bank.child(parent, child);
    if (!m_bank.is(lambda, CoreOp::Lam)) {
        const Value function = eval(parent, child);
        return apply(function.asFunction(), std::move(argument));
    }
    m_places.push_back({lambda, child});
    m_bound.push_back(std::move(argument));
    Value value = eval(lambda, 0);
    m_bound.pop_back();
    m_places.pop_back();
    return value;
}

Value Interpreter::functionValue(TermId lambda) {
    const Frame& frame = m_frames.back();
    return Value(std::make_shared<const FunctionValue>(
        FunctionValue{lambda, m_bound, frame.function, frame.arguments, frame.sizes}));
}

Value Interpreter::apply(const FunctionValue& function, Value argument) {
    m_frames.push_back(Frame{function.function, function.arguments, function.sizes, m_places.size(), true});
    std::vector<Value> outside = std::exchange(m_bound, function.bound);
    m_bound.push_back(std::move(argument));
    Value value = eval(function.lambda, 0);
    m_bound = std::move(outside);
    m_frames.pop_back();
    return value;
}

Value Interpreter::compute(TermId term) {
    const ir::OpId id = m_bank.op(term);
    if (id.value < static_cast<std::uint32_t>(CoreOp::Count)) return computeCore(term);
    const Op op = ks::ksOp(id);
    if (op == Op::If) return eval(term, eval(term, 0).asBool() ? 1 : 2);
    if (op < Op::Build && op != Op::Assert) return computeNumber(op, term);
    if (op >= Op::Build && op <= Op::BuildFromSparseTupled) return computeTensor(op, term);
    if (op == Op::Count) return computeByTable(term);
    return computeSpecial(op, term);
}

Value Interpreter::computeByTable(TermId term) {
    const ir::EvaluateOperator evaluate = m_bank.registry().info(m_bank.op(term)).evaluate;
    if (evaluate == nullptr) failUnsupported(m_bank.opName(term));
    std::vector<Value> arguments;
    for (std::uint32_t i = 0; i < m_bank.childCount(term); ++i) arguments.push_back(eval(term, i));
    Result<Value> value = evaluate(arguments);
    if (!value) throw Failure{value.error().code, value.error().message, value.error().hint};
    return *std::move(value);
}

Value Interpreter::computeCore(TermId term) {
    const ir::Payload& payload = m_bank.payload(term);
    switch (static_cast<CoreOp>(m_bank.op(term).value)) {
        case CoreOp::Literal:
            switch (payload.kind()) {
                case ir::PayloadKind::Float: return Value(m_meter.exact(payload.asFloat()));
                case ir::PayloadKind::Integer: return Value(payload.asInteger());
                case ir::PayloadKind::Bool: return Value(payload.asBool());
                default: return Value(std::string(m_bank.text(payload.asSymbol())));
            }
        case CoreOp::Variable: return variable(term);
        case CoreOp::Bound: {
            const std::uint32_t index = payload.asIndex();
            if (index >= m_bound.size()) fail("a bound variable stands outside of its binder");
            return m_bound[m_bound.size() - 1 - index];
        }
        case CoreOp::Let: {
            m_bound.push_back(eval(term, 0));
            Value value = eval(term, 1);
            m_bound.pop_back();
            return value;
        }
        case CoreOp::Tuple: {
            TupleValue tuple;
            const auto count = static_cast<std::uint32_t>(m_bank.childCount(term));
            tuple.elements.reserve(count);
            for (std::uint32_t i = 0; i < count; ++i) tuple.elements.push_back(eval(term, i));
            return m_meter.tuple(std::move(tuple));
        }
        case CoreOp::Get: return eval(term, 0).asTuple().elements[payload.projectionIndex()];
        case CoreOp::Call: return call(term);
        case CoreOp::Dummy: return someValue(m_meter, m_bank.types(), payload.asType());
        case CoreOp::Lam: return functionValue(term);
        case CoreOp::Count: break;
    }
    failUnsupported(m_bank.opName(term));
}

Value Interpreter::variable(TermId term) {
    const Symbol name = m_bank.payload(term).asSymbol();
    const Frame& frame = m_frames.back();
    const ir::Function& function = *frame.function;
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
        if (function.parameters[i].name == name) return frame.arguments[i];
    }
    for (std::size_t i = 0; i < function.sizes.size(); ++i) {
        if (function.sizes[i].name != name) continue;
        if (frame.sizes[i] == NoSize) {
            fail(fmt::format("the size {} of {} is named in its result type only, so a call does not determine it",
                             m_bank.text(name), function.name));
        }
        return Value(frame.sizes[i]);
    }
    fail(fmt::format("the variable {} has no value", m_bank.text(name)));
}

Value Interpreter::call(TermId term) {
    const ir::FunctionId id = m_bank.payload(term).asFunction();
    const ir::Function& function = m_bank.function(id);
    // A program that calls itself calls its current state.
    const TermId body = id == m_program.function ? m_program.root : function.body;
    if (!body.isValid()) {
        fail(fmt::format(
            "{} is {} but not defined, so it cannot be run", function.name,
            function.name.starts_with('[') ? "a derived function that is requested or declared" : "declared (edef)"));
    }
    std::vector<Value> arguments;
    const auto count = static_cast<std::uint32_t>(m_bank.childCount(term));
    arguments.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) arguments.push_back(eval(term, i));
    pushFrame(function, std::move(arguments), nullptr);
    Value value = evalTerm(body, 0);
    m_frames.pop_back();
    return value;
}

void Interpreter::pushFrame(const ir::Function& function, std::vector<Value> arguments,
                            const std::vector<std::int64_t>* extraSizes) {
    std::vector<std::int64_t> sizes = sizesOf(m_bank, function, arguments);
    std::size_t extra = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (function.sizes[i].parameter || extraSizes == nullptr) continue;
        if (extra < extraSizes->size()) sizes[i] = (*extraSizes)[extra++];
    }
    m_frames.push_back(Frame{&function, std::move(arguments), std::move(sizes), m_places.size()});
}

void Interpreter::tooDeep() const {
    if (m_depthLimit < m_limits.depth) throw NeedsDeepStack{};
    throw Failure{ErrorCode::Limit, fmt::format("calls and operators are nested more than {} deep", m_limits.depth),
                  "a function may call itself without end"};
}

Error Interpreter::errorFrom(const Failure& failure) const {
    std::string message = failure.message;
    if (!m_frames.empty() && m_places.size() > m_frames.back().firstPlace) {
        const Frame& frame = m_frames.back();
        ir::Path path;
        std::vector<std::string> names;
        for (std::size_t i = frame.firstPlace + 1; i < m_places.size(); ++i) {
            const TermId parent = m_places[i - 1].term;
            path.push_back(m_places[i].child);
            if (m_bank.boundIn(parent, m_places[i].child) == 0) continue;
            const Symbol hint = m_bank.hint(parent);
            names.emplace_back(hint.isValid() ? m_bank.text(hint) : std::string_view("_"));
        }
        // A runaway recursion has a path of thousands of steps, whose end is not informative.
        std::string place = path.size() > 40 ? "deep inside" : "at " + ir::toString(path);
        if (frame.ofLambda) place = fmt::format("in a lambda of {}", frame.function->name);
        if (!frame.ofLambda && m_frames.size() > 1)
            place = fmt::format("in function {} {}", frame.function->name, place);
        message += fmt::format("; {}: {}", place, briefText(m_bank, m_places.back().term, std::move(names)));
    }
    return Error{failure.code, std::move(message), std::nullopt, failure.hint};
}

}  // namespace mitos::eval
