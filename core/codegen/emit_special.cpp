// SPDX-License-Identifier: GPL-3.0-or-later
// Assertions, tangent space, effects and the derivatives of fold.
#include "core/codegen/internal/emitter.h"

#include <fmt/format.h>

#include <optional>

namespace mitos::codegen {

using ir::CoreOp;
using ir::TermId;
using ir::TypeId;
using ks::Op;

Code FunctionEmitter::emitSpecial(Op op, TermId term, std::string_view hint) {
    const TypeId resultType = m_bank.type(term);
    const bool isFloat = resultType == m_types.floating();
    const auto child = [&](std::uint32_t i) { return m_bank.child(term, i); };
    switch (op) {
        case Op::Assert: {
            m_helpers.needHeader("stdexcept");
            line(fmt::format("if (!{}) throw std::runtime_error(\"an assertion does not hold\");",
                             wrapped(emit(child(0)), Unary)));
            return emit(child(1), hint);
        }
        case Op::TsAdd: {
            if (isFloat) return shortened(binary("+", Additive, term, false), resultType);
            if (const std::optional<Code> sum = summed(term, hint)) return *sum;
            if (pointwiseOperations(term) > 1) return pointwiseVector(term, hint);
            const Code x = emitOwned(child(0));
            const Code y = emitOwned(child(1));
            // Tensors of a sparse build that are added to each other are one variable.
            if (x.form == Form::Local && y.form == Form::Local && x.text == y.text) return x;
            return Code{ksCall("tsAdd", consume(x) + ", " + y.text)};
        }
        case Op::TsScale: {
            if (isFloat) return shortened(binary("*", Multiplicative, term, false), resultType);
            if (pointwiseOperations(term) > 1) return pointwiseVector(term, hint);
            const Code r = emit(child(0));
            return Code{ksCall("tsScale", r.text + ", " + consume(emit(child(1))))};
        }
        case Op::TsNeg: {
            if (pointwiseOperations(term) > 1) return pointwiseVector(term, hint);
            const Code x = emit(child(0));
            if (isFloat)
                return Code{x.text.starts_with('-') ? fmt::format("-({})", x.text) : "-" + wrapped(x, Unary), Unary};
            return Code{ksCall("tsScale", "-1.0, " + consume(x))};
        }
        case Op::TsDot: {
            if (m_bank.type(child(0)) == m_types.floating())
                return shortened(binary("*", Multiplicative, term, false), resultType);
            const std::string cpp = type(m_bank.type(child(0)));
            const Code x = emit(child(0));
            const Code y = emit(child(1));
            m_helpers.need("tsDot");
            return Code{fmt::format("ks::tsDot<{}>({}, {})", cpp, x.text, y.text)};
        }
        case Op::Print: {
            for (std::uint32_t i = 0; i < m_bank.childCount(term); ++i) {
                const std::string cpp = type(m_bank.type(child(i)));
                m_helpers.need("print");
                line(fmt::format("ks::print<{}>({});", cpp, emit(child(i)).text));
            }
            const auto count = static_cast<std::int64_t>(m_bank.childCount(term));
            return Code{fmt::format("{}", count - 1), count == 0 ? Unary : Primary, Form::Value, true};
        }
        case Op::Trace: {
            const Code code = emit(child(0), hint);
            const std::string text = code.form == Form::Value ? declare("traced", resultType, code) : code.text;
            m_helpers.need("print");
            line("std::cout << \"Trace[\";");
            line(fmt::format("ks::print<{}>({});", type(resultType), text));
            line("std::cout << \"]\";");
            return Code{text, Primary, Form::Path};
        }
        case Op::Inline:
        case Op::Copydown: return emit(child(0), hint);
        case Op::Check: return check(term);
        case Op::Ranhashdoub: return Code{ksCall("hashToUnit", emit(child(0)).text)};
        case Op::Bench: {
            m_helpers.needHeader("chrono");
            const std::string start = m_scope.declare("start");
            line(fmt::format("const auto {} = std::chrono::steady_clock::now();", start));
            const Code value = inlined(term, 0, Binding{"std::tuple<>()", {}});
            const std::string kept = m_scope.declare("kept");
            line(fmt::format("[[maybe_unused]] const volatile double {} = {};", kept, value.text));
            m_helpers.needHeader("tuple");
            const std::string seconds = m_scope.declare("seconds");
            line(fmt::format(
                "const double {} = std::chrono::duration<double>(std::chrono::steady_clock::now() - {}).count();",
                seconds, start));
            return Code{seconds, Primary, Form::Path};
        }
        case Op::Elim: {
            const Code code = emit(child(0));
            if (code.form == Form::Value) {
                declare("dropped", m_bank.type(child(0)), code, true);
            } else {
                line(fmt::format("static_cast<void>({});", code.text));
            }
            return Code{type(resultType) + "()"};
        }
        case Op::Dup: {
            const std::string x = atom(emit(child(0), "x"), m_bank.type(child(0)), "x");
            std::string parts;
            for (std::int64_t i = 0; i < m_bank.payload(term).asInteger(); ++i) parts += (i == 0 ? "" : ", ") + x;
            return Code{fmt::format("{}({})", type(resultType), parts)};
        }
        case Op::Apply: {
            if (!isInPlace(term, 0)) {
                const std::string f = stored(child(0), "f");
                return shortened(Code{fmt::format("{}({})", f, emit(child(1)).text)}, resultType);
            }
            const TermId body = m_bank.child(child(0), 0);
            bindValue(child(0), child(1), body);
            Code code = emit(body, hint);
            m_bound.pop_back();
            return code;
        }
        case Op::FFold: return forwardFold(term);
        case Op::RFold: return reverseFold(term);
        case Op::Loop: return loop(term, hint);
        default: break;
    }
    const bool isDeclared = m_bank.registry().info(m_bank.op(term)).dialect == "user";
    throw Unsupported{fmt::format("{} has no C++", m_bank.opName(term)),
                      isDeclared ? "it is declared in a rule file: define a function of its name with (def ...)"
                                 : "linear maps can be evaluated (mitos-cli eval), but not exported"};
}

/// Children: the bound, the first state, f of (k, state), which gives (done, next state).
Code FunctionEmitter::loop(TermId term, std::string_view hint) {
    const TypeId stateType = m_bank.type(m_bank.child(term, 1));
    const std::string integer = type(m_types.integer());
    const std::string bound = stored(m_bank.child(term, 0), "bound");
    const Code start = emit(m_bank.child(term, 1));
    const std::string state = m_scope.declare(hint.empty() ? "state" : hint);
    line(fmt::format("{} {} = {};", type(stateType), state, consume(start)));
    const std::string k = m_scope.declare("k");
    line(fmt::format("{} {} = 0;", integer, k));
    open(fmt::format("for (; {0} < {1}; ++{0})", k, bound));
    Binding argument{{}, {Binding{k, {}}, Binding{state, {}}}};
    if (isInPlace(term, 2)) {
        m_bound.push_back(std::move(argument));
        round(m_bank.child(m_bank.child(term, 2), 0), state);
        m_bound.pop_back();
    } else {
        leaveOrGoOn(inlined(term, 2, std::move(argument)), m_types.children(m_bank.type(m_bank.child(term, 2)))[1],
                    state);
    }
    close();
    m_helpers.needHeader("utility");
    m_helpers.needHeader("tuple");
    const std::string last = isScalar(stateType) ? state : fmt::format("std::move({})", state);
    return Code{fmt::format("{}({}, {})", type(m_bank.type(term)), k, last)};
}

/// The body of a loop: assigns the next state, and leaves the loop when it is done.
void FunctionEmitter::round(TermId pair, const std::string& state) {
    if (m_bank.is(pair, ir::CoreOp::Let)) {
        bindValue(pair, m_bank.child(pair, 0), m_bank.child(pair, 1));
        round(m_bank.child(pair, 1), state);
        m_bound.pop_back();
    } else if (ks::ksOp(m_bank.op(pair)) == Op::If) {
        const Code test = emit(m_bank.child(pair, 0));
        const bool isSecondOnly = leaves(m_bank.child(pair, 2)) && !leaves(m_bank.child(pair, 1));
        if (isSecondOnly) {
            open(fmt::format("if (!{})", wrapped(test, Unary)));
            round(m_bank.child(pair, 2), state);
            close();
            return round(m_bank.child(pair, 1), state);
        }
        open(fmt::format("if ({})", test.text));
        round(m_bank.child(pair, 1), state);
        close();
        if (leaves(m_bank.child(pair, 1))) return round(m_bank.child(pair, 2), state);
        open("else");
        round(m_bank.child(pair, 2), state);
        close();
    } else if (m_bank.is(pair, ir::CoreOp::Tuple)) {
        const Code done = emit(m_bank.child(pair, 0));
        const bool isKnown = m_bank.is(m_bank.child(pair, 0), ir::CoreOp::Literal);
        const std::string test = isKnown ? done.text : declare("done", m_types.boolean(), done);
        const Code next = emit(m_bank.child(pair, 1), "next");
        if (next.text != state) line(fmt::format("{} = {};", state, consume(next)));
        if (test == "true") return line("break;");
        if (test != "false") line(fmt::format("if ({}) break;", test));
    } else {
        leaveOrGoOn(emit(pair), m_bank.type(pair), state);
    }
}

/// Whether every path through the body of a loop leaves it.
bool FunctionEmitter::leaves(TermId pair) const {
    while (m_bank.is(pair, ir::CoreOp::Let)) pair = m_bank.child(pair, 1);
    if (ks::ksOp(m_bank.op(pair)) == Op::If) return leaves(m_bank.child(pair, 1)) && leaves(m_bank.child(pair, 2));
    if (!m_bank.is(pair, ir::CoreOp::Tuple) || !m_bank.is(m_bank.child(pair, 0), ir::CoreOp::Literal)) return false;
    return m_bank.payload(m_bank.child(pair, 0)).asBool();
}

void FunctionEmitter::leaveOrGoOn(const Code& pair, TypeId pairType, const std::string& state) {
    const std::string step = pair.form == Form::Value ? declare("step", pairType, pair) : pair.text;
    line(fmt::format("{} = std::get<1>({});", state, step));
    line(fmt::format("if (std::get<0>({})) break;", step));
}

/// Children: f, a, v, f's forward derivative of ((a, e), (da, de)), da, dv.
Code FunctionEmitter::forwardFold(TermId term) {
    const TypeId stateType = m_bank.type(m_bank.child(term, 1));
    const TypeId tangentType = m_bank.type(term);
    const Code start = emit(m_bank.child(term, 1));
    const std::string vector = stored(m_bank.child(term, 2), "v");
    const Code dStart = emit(m_bank.child(term, 4));
    const std::string dVector = stored(m_bank.child(term, 5), "dv");
    require(fmt::format("{}.size() == {}.size()", vector, dVector), "FFold: the sizes differ");
    const std::string state = m_scope.declare("state");
    const std::string dState = m_scope.declare("dstate");
    line(fmt::format("{} {} = {};", type(stateType), state, consume(start)));
    line(fmt::format("{} {} = {};", type(tangentType), dState, consume(dStart)));
    const Binding index = openLoops({sizeCode(vector)}, TermId());
    const Binding point{{}, {Binding{state, {}}, Binding{element(vector, index), {}}}};
    const Binding change{{}, {Binding{dState, {}}, Binding{element(dVector, index), {}}}};
    const std::string dNext = m_scope.declare("dnext");
    line(fmt::format("{} {};", type(tangentType), dNext));
    line(fmt::format("{} = {};", dNext, consume(inlined(term, 3, Binding{{}, {point, change}}))));
    const Code next = inlined(term, 0, point);
    if (next.text != state) line(fmt::format("{} = {};", state, consume(next)));
    line(fmt::format("{} = std::move({});", dState, dNext));
    close();
    m_helpers.needHeader("utility");
    return Code{dState, Primary, isScalar(tangentType) ? Form::Path : Form::Local};
}

/// Children: a zero tangent of what f captures, f, f's reverse derivative of ((a, e), dr), a, v, dr.
Code FunctionEmitter::reverseFold(TermId term) {
    const TypeId resultType = m_bank.type(term);
    const TypeId capturedType = m_types.children(resultType)[0];
    const TypeId pointTangent = m_types.children(resultType)[1];
    const TypeId stateType = m_bank.type(m_bank.child(term, 3));
    const TypeId dStateType = m_types.children(pointTangent)[0];
    const TypeId dVectorType = m_types.children(pointTangent)[1];
    const std::string captured = m_scope.declare("captured");
    const Code zero = emit(m_bank.child(term, 0));
    line(fmt::format("{} {} = {};", type(capturedType), captured, consume(zero)));
    const Code start = emit(m_bank.child(term, 3));
    const std::string state = m_scope.declare("state");
    line(fmt::format("{} {} = {};", type(stateType), state, consume(start)));
    const Folded folded = this->folded(m_bank.child(term, 4));
    const Code dEnd = emit(m_bank.child(term, 5));
    const std::string dState = m_scope.declare("dstate");
    line(fmt::format("{} {} = {};", type(dStateType), dState, consume(dEnd)));
    const std::string states = m_scope.declare("states");
    m_helpers.needHeader("vector");
    line(fmt::format("std::vector<{}> {}({});", type(stateType), states, sizeArgument(folded.size)));
    const std::string dVector = m_scope.declare("dv");
    line(fmt::format("{} {}({});", type(dVectorType), dVector, sizeArgument(folded.size)));
    Binding index = openLoops({folded.size}, TermId());
    line(fmt::format("{} = {};", element(states, index), state));
    const Code next = inlined(term, 1, Binding{{}, {Binding{state, {}}, elementOf(folded, index)}});
    if (next.text != state) line(fmt::format("{} = {};", state, consume(next)));
    close();
    const std::string integer = type(m_types.integer());
    const std::string back = m_scope.declare("i");
    open(fmt::format("for ({0} {1} = {2} - 1; {1} >= 0; --{1})", integer, back, folded.size.text));
    index = Binding{back, {}, ir::sizeRange()};
    Binding point{{}, {Binding{element(states, index), {}}, elementOf(folded, index)}};
    const PulledBack into{captured, element(dVector, index)};
    Binding argument{{}, {std::move(point), Binding{dState, {}}}};
    std::string before;
    if (isInPlace(term, 2)) {
        m_bound.push_back(std::move(argument));
        before = pullBack(m_bank.child(m_bank.child(term, 2), 0), into);
        m_bound.pop_back();
    } else {
        const TypeId stepType = m_types.children(m_bank.type(m_bank.child(term, 2)))[1];
        before = pullBackValue(stepType, inlined(term, 2, std::move(argument)), into);
    }
    line(fmt::format("{} = {};", dState, isScalar(dStateType) ? before : fmt::format("std::move({})", before)));
    m_helpers.needHeader("utility");
    close();
    return Code{fmt::format("{}({}, {}({}, {}))", type(resultType), captured, type(pointTangent), dState, dVector)};
}

std::string FunctionEmitter::pullBack(TermId term, const PulledBack& into) {
    if (m_bank.is(term, CoreOp::Let)) {
        std::string next;
        const auto emitRest = [&] { next = pullBack(m_bank.child(term, 1), into); };
        const TermId value = m_bank.child(term, 0);
        if (isAddedByStep(value, m_bank.child(term, 1))) {
            addedLater(value, emitRest);
        } else {
            boundFor(term, emitRest);
        }
        return next;
    }
    const bool isPair = m_bank.is(term, CoreOp::Tuple) && m_bank.is(m_bank.child(term, 1), CoreOp::Tuple);
    if (!isPair) return pullBackValue(m_bank.type(term), emit(term, "step"), into);
    // All parts are computed from the tangent of the state as it is.
    const TermId point = m_bank.child(term, 1);
    const std::string next = m_scope.declare("dnext");
    line(fmt::format("{} {} = {};", type(m_bank.type(m_bank.child(point, 0))), next, startOf(m_bank.child(point, 0))));
    line(fmt::format("{} = {};", into.element, startOf(m_bank.child(point, 1))));
    addLaterParts(m_bank.child(point, 0), next);
    addLaterParts(m_bank.child(point, 1), into.element);
    if (hasNumbers(m_bank.type(m_bank.child(term, 0)))) addInto(m_bank.child(term, 0), into.captured);
    return next;
}

std::string FunctionEmitter::pullBackValue(TypeId valueType, const Code& value, const PulledBack& into) {
    const std::string step = m_scope.declare("step");
    line(fmt::format("{} {} = {};", type(valueType), step, consume(value)));
    line(ksCall("addTo", fmt::format("{}, std::get<0>({})", into.captured, step)) + ";");
    line(fmt::format("{} = std::get<1>(std::get<1>({}));", into.element, step));
    return fmt::format("std::get<0>(std::get<1>({}))", step);
}

Code FunctionEmitter::check(TermId term) {
    const std::string x = stored(m_bank.child(term, 2), "x");
    const std::string dx = stored(m_bank.child(term, 3), "dx");
    const std::string df = stored(m_bank.child(term, 4), "df");
    const std::string cpp = type(m_bank.type(m_bank.child(term, 2)));
    m_helpers.need("tsAdd");
    m_helpers.need("tangent");
    m_helpers.need("tsDot");
    m_helpers.need("sub");
    m_helpers.needHeader("cmath");
    const std::string near = m_scope.declare("near");
    line(fmt::format("const {0} {1} = ks::tsAdd<{0}>({2}, {3});", cpp, near, x, dx));
    const Code moved = inlined(term, 0, Binding{near, {}});
    const Code still = inlined(term, 0, Binding{x, {}});
    const Code reverse = inlined(term, 1, Binding{{}, {Binding{x, {}}, Binding{df, {}}}});
    const std::string d1 = m_scope.declare("forward");
    const std::string d2 = m_scope.declare("backward");
    line(fmt::format("const double {} = ks::tsDot(ks::sub(ks::tangent({}), ks::tangent({})), {});", d1, moved.text,
                     still.text, df));
    line(fmt::format("const double {} = ks::tsDot({}, {});", d2, reverse.text, dx));
    return Code{fmt::format("std::abs({0} - {1}) / (std::abs({0}) + std::abs({1}))", d1, d2), Multiplicative};
}

}  // namespace mitos::codegen
