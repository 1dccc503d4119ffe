// SPDX-License-Identifier: GPL-3.0-or-later
// Assertions, tangent space, effects and the derivatives of fold.
#include "core/ks/loops.h"
#include "core/loops/internal/lowerer.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace mitos::loops {

using ir::CoreOp;
using ir::TermId;
using ir::TypeId;
using ks::Op;

namespace {

/// Finds the parts of the state that a step back of a fold reads. The state is a part of its argument, ((state, element), tangent).
class ReadParts {
public:
    ReadParts(const ir::TermBank& bank, Uses& uses, bool isTuple) : m_bank(bank), m_uses(uses), m_isTuple(isTuple) {}

    /// Whether it reads the whole state, then for each part whether it reads that.
    std::vector<bool> of(TermId step) {
        m_read.assign(1, false);
        visit(m_bank.child(step, 0), {{0, {}}});
        return m_read;
    }

private:
    using Path = std::vector<std::uint32_t>;
    /// Variables that are parts of the argument.
    struct Variable {
        std::uint32_t index;
        Path path;
    };

    [[nodiscard]] std::optional<Path> pathOf(TermId term, const std::vector<Variable>& variables) const {
        if (m_bank.is(term, CoreOp::Get)) {
            std::optional<Path> path = pathOf(m_bank.child(term, 0), variables);
            if (path) path->push_back(m_bank.payload(term).projectionIndex());
            return path;
        }
        if (!m_bank.is(term, CoreOp::Bound)) return std::nullopt;
        const auto found = std::ranges::find(variables, m_bank.payload(term).asIndex(), &Variable::index);
        return found == variables.end() ? std::nullopt : std::optional(found->path);
    }

    void visit(TermId term, const std::vector<Variable>& variables) {
        if (std::ranges::none_of(variables, [&](const Variable& each) { return m_uses.mentions(term, each.index); }))
            return;
        if (const std::optional<Path> path = pathOf(term, variables)) return read(*path);
        for (std::uint32_t i = 0; i < m_bank.childCount(term); ++i) {
            const std::uint32_t bound = m_bank.boundIn(term, i);
            std::vector<Variable> inside = variables;
            for (Variable& each : inside) each.index += bound;
            const bool isBody = m_bank.is(term, CoreOp::Let) && i == 1;
            const std::optional<Path> path = isBody ? pathOf(m_bank.child(term, 0), variables) : std::nullopt;
            if (path) inside.push_back({0, *path});
            const bool isName = m_bank.is(term, CoreOp::Let) && i == 0 && pathOf(m_bank.child(term, 0), variables);
            if (!isName) visit(m_bank.child(term, i), inside);
        }
    }

    void read(const Path& path) {
        const bool isOfState = path.empty() || (path[0] == 0 && (path.size() == 1 || path[1] == 0));
        if (!isOfState) return;
        const std::size_t place = m_isTuple && path.size() > 2 ? path[2] + 1 : 0;
        if (m_read.size() <= place) m_read.resize(place + 1, false);
        m_read[place] = true;
    }

    const ir::TermBank& m_bank;
    Uses& m_uses;
    bool m_isTuple;
    std::vector<bool> m_read;
};

}  // namespace

Code FunctionLowerer::lowerSpecial(Op op, TermId term, std::string_view hint) {
    const TypeId resultType = m_bank.type(term);
    const auto child = [&](std::uint32_t i) { return m_bank.child(term, i); };
    switch (op) {
        case Op::Assert:
            append(Require{lower(child(0)).expression, "an assertion does not hold", true});
            return lower(child(1), hint);
        case Op::TsAdd: return addedTangents(term, hint);
        case Op::TsScale: return scaledTangent(term, hint);
        case Op::TsNeg: {
            if (isMadePointwise(term)) return pointwiseVector(term, hint);
            const Code x = lower(child(0));
            if (resultType == m_types.floating()) return Code{unary(Operator::Negate, resultType, x.expression)};
            return Code{run(Operation::ScaleTangent, resultType, {floating(-1.0), consume(x)})};
        }
        case Op::TsDot: {
            const TypeId type = m_bank.type(child(0));
            if (type == m_types.floating()) return shortened(joinedChildren(Operator::Mul, term), resultType);
            const ExpressionId x = lower(child(0)).expression;
            const ExpressionId y = lower(child(1)).expression;
            return Code{run(Operation::Dot, resultType, {x, y}, type)};
        }
        case Op::Print: {
            for (const TermId value : m_bank.children(term)) append(Print{lower(value).expression});
            return Code{integer(static_cast<std::int64_t>(m_bank.childCount(term)) - 1), Form::Value, true};
        }
        case Op::Trace: {
            const Code code = lower(child(0), hint);
            const ExpressionId value = code.form == Form::Value ? declare("traced", resultType, code) : code.expression;
            append(Print{{}, "Trace["});
            append(Print{value});
            append(Print{{}, "]"});
            return Code{value, Form::Path};
        }
        case Op::Inline:
        case Op::Copydown: return lower(child(0), hint);
        case Op::Check: return check(term);
        case Op::Ranhashdoub: return Code{run(Operation::HashToUnit, resultType, {lower(child(0)).expression})};
        case Op::Bench: return bench(term);
        case Op::Elim: {
            const Code code = lower(child(0));
            if (code.form == Form::Value) {
                declare("dropped", m_bank.type(child(0)), code, true);
            } else {
                append(Drop{code.expression});
            }
            return Code{tuple(resultType, {})};
        }
        case Op::Dup: {
            const ExpressionId x = atom(lower(child(0), "x"), m_bank.type(child(0)), "x");
            const auto copies = static_cast<std::size_t>(m_bank.payload(term).asInteger());
            return Code{tuple(resultType, std::vector<ExpressionId>(copies, x))};
        }
        case Op::Apply: return applied(term, hint);
        case Op::FFold: return forwardFold(term);
        case Op::RFold: return reverseFold(term);
        case Op::Loop: return loop(term, hint);
        default: break;
    }
    const bool isDeclared = m_bank.registry().info(m_bank.op(term)).dialect == "user";
    throw without(m_bank.opName(term),
                  isDeclared ? "it is declared in a rule file: define a function of its name with (def ...)"
                             : "linear maps can be evaluated (mitos-cli eval), but not exported");
}

Code FunctionLowerer::addedTangents(TermId term, std::string_view hint) {
    const TypeId type = m_bank.type(term);
    if (type == m_types.floating()) return shortened(joinedChildren(Operator::Add, term), type);
    if (const std::optional<Code> sum = summed(term, hint)) return *sum;
    if (isMadePointwise(term)) return pointwiseVector(term, hint);
    const Code x = lowerOwned(m_bank.child(term, 0));
    const Code y = lowerOwned(m_bank.child(term, 1));
    // Tensors of a sparse build that are added to each other are one variable.
    if (x.form == Form::Local && y.form == Form::Local && areSame(x.expression, y.expression)) return x;
    return Code{run(Operation::AddTangent, type, {consume(x), y.expression})};
}

Code FunctionLowerer::scaledTangent(TermId term, std::string_view hint) {
    const TypeId type = m_bank.type(term);
    if (type == m_types.floating()) return shortened(joinedChildren(Operator::Mul, term), type);
    if (isMadePointwise(term)) return pointwiseVector(term, hint);
    const ExpressionId factor = lower(m_bank.child(term, 0)).expression;
    const Code tangent = lower(m_bank.child(term, 1));
    return Code{run(Operation::ScaleTangent, type, {factor, consume(tangent)})};
}

Code FunctionLowerer::bench(TermId term) {
    const SymbolId clock = symbol("start", {}, Storage::Clock);
    append(StartClock{clock});
    const Code value = inlined(term, 0, Binding{tuple(m_types.unit(), {})});
    const SymbolId kept = symbol("kept", m_types.floating(), Storage::Kept);
    append(Declare{kept, value.expression, true});
    const SymbolId seconds = symbol("seconds", m_types.floating(), Storage::Constant);
    append(ReadClock{seconds, clock});
    return Code{name(seconds), Form::Path};
}

Code FunctionLowerer::applied(TermId term, std::string_view hint) {
    const TermId function = m_bank.child(term, 0);
    const TermId argument = m_bank.child(term, 1);
    if (!isInPlace(term, 0)) {
        const TypeId type = m_bank.type(term);
        const ExpressionId f = stored(function, "f");
        const ExpressionId x = lower(argument).expression;
        return shortened(Code{make(ExpressionKind::Apply, type, {}, {f, x})}, type);
    }
    const TermId body = m_bank.child(function, 0);
    bindValue(function, argument, body);
    Code code = lower(body, hint);
    m_bound.pop_back();
    return code;
}

/// Children: the bound, the first state, f of (k, state), which gives (done, next state).
Code FunctionLowerer::loop(TermId term, std::string_view hint) {
    const TypeId stateType = m_bank.type(m_bank.child(term, 1));
    const ExpressionId bound = stored(m_bank.child(term, 0), "bound");
    const Code start = lower(m_bank.child(term, 1));
    const ExpressionId state = variable(hint.empty() ? "state" : hint, stateType, consume(start));
    const ExpressionId k = variable("k", m_types.integer(), integer(0));
    For iterations{std::get<SymbolId>(m_result.at(k).payload), {}, bound};
    iterations.isVisibleAfter = true;
    openLoop(std::move(iterations), {});
    Binding argument{{}, {Binding{k}, Binding{state}}};
    if (isInPlace(term, 2)) {
        m_bound.push_back(std::move(argument));
        round(m_bank.child(m_bank.child(term, 2), 0), state);
        m_bound.pop_back();
    } else {
        const TypeId pairType = m_types.children(m_bank.type(m_bank.child(term, 2)))[1];
        leaveOrGoOn(inlined(term, 2, std::move(argument)), pairType, state);
    }
    closeLoop();
    return Code{tuple(m_bank.type(term), {k, isScalar(stateType) ? state : moved(state)})};
}

/// The body of a loop: assigns the next state, and leaves the loop when it is done.
void FunctionLowerer::round(TermId pair, ExpressionId state) {
    m_term = pair;
    if (m_bank.is(pair, CoreOp::Let)) {
        bindValue(pair, m_bank.child(pair, 0), m_bank.child(pair, 1));
        round(m_bank.child(pair, 1), state);
        m_bound.pop_back();
    } else if (ks::ksOp(m_bank.op(pair)) == Op::If) {
        const ExpressionId test = lower(m_bank.child(pair, 0)).expression;
        const TermId first = m_bank.child(pair, 1);
        const TermId second = m_bank.child(pair, 2);
        if (leaves(second) && !leaves(first)) {
            const ExpressionId fails = unary(Operator::Not, m_types.boolean(), test);
            append(If{fails, inBlock([&] { round(second, state); })});
            return round(first, state);
        }
        Block then = inBlock([&] { round(first, state); });
        if (leaves(first)) {
            append(If{test, std::move(then)});
            return round(second, state);
        }
        append(If{test, std::move(then), inBlock([&] { round(second, state); })});
    } else if (m_bank.is(pair, CoreOp::Tuple)) {
        const Code done = lower(m_bank.child(pair, 0));
        const bool isKnown = m_bank.is(m_bank.child(pair, 0), CoreOp::Literal);
        const ExpressionId test = isKnown ? done.expression : declare("done", m_types.boolean(), done);
        const Code next = lower(m_bank.child(pair, 1), "next");
        if (!areSame(next.expression, state)) append(Assign{state, consume(next)});
        if (!isKnown) return append(Break{test});
        if (m_bank.payload(m_bank.child(pair, 0)).asBool()) append(Break{});
    } else {
        leaveOrGoOn(lower(pair), m_bank.type(pair), state);
    }
}

/// Whether every path through the body of a loop leaves it.
bool FunctionLowerer::leaves(TermId pair) const {
    while (m_bank.is(pair, CoreOp::Let)) pair = m_bank.child(pair, 1);
    if (ks::ksOp(m_bank.op(pair)) == Op::If) return leaves(m_bank.child(pair, 1)) && leaves(m_bank.child(pair, 2));
    if (!m_bank.is(pair, CoreOp::Tuple) || !m_bank.is(m_bank.child(pair, 0), CoreOp::Literal)) return false;
    return m_bank.payload(m_bank.child(pair, 0)).asBool();
}

void FunctionLowerer::leaveOrGoOn(const Code& pair, TypeId pairType, ExpressionId state) {
    const ExpressionId step = pair.form == Form::Value ? declare("step", pairType, pair) : pair.expression;
    append(Assign{state, part(step, 1)});
    append(Break{part(step, 0)});
}

/// Children: f, a, v, f's forward derivative of ((a, e), (da, de)), da, dv.
Code FunctionLowerer::forwardFold(TermId term) {
    const TypeId stateType = m_bank.type(m_bank.child(term, 1));
    const TypeId tangentType = m_bank.type(term);
    const Code start = lower(m_bank.child(term, 1));
    const ExpressionId vector = stored(m_bank.child(term, 2), "v");
    const Code dStart = lower(m_bank.child(term, 4));
    const ExpressionId dVector = stored(m_bank.child(term, 5), "dv");
    const auto sizesOf = [this](ExpressionId tensor) { return run(Operation::Sizes, {}, {tensor}); };
    require(binary(Operator::Equal, m_types.boolean(), sizesOf(vector), sizesOf(dVector)), "FFold: the sizes differ");
    const ExpressionId state = variable("state", stateType, consume(start));
    const ExpressionId dState = variable("dstate", tangentType, consume(dStart));
    const Binding index = openLoops({sizeCode(vector)}, TermId());
    const Binding point{{}, {Binding{state}, Binding{element(vector, index)}}};
    const Binding change{{}, {Binding{dState}, Binding{element(dVector, index)}}};
    const ExpressionId dNext = variable("dnext", tangentType, {});
    const Code dValue = inlined(term, 3, Binding{{}, {point, change}});
    append(Assign{dNext, consume(dValue)});
    const Code next = inlined(term, 0, point);
    if (!areSame(next.expression, state)) append(Assign{state, consume(next)});
    append(Assign{dState, moved(dNext)});
    closeLoop();
    return Code{dState, isScalar(tangentType) ? Form::Path : Form::Local};
}

Code FunctionLowerer::reverseFold(TermId term) {
    const TypeId resultType = m_bank.type(term);
    const FoldTangents made = foldBack(term, true);
    const ExpressionId point = tuple(m_types.children(resultType)[1], {consume(made.state), consume(made.elements)});
    return Code{tuple(resultType, {consume(made.captured), point})};
}

/// Children: a zero tangent of what f captures, f, f's reverse derivative of ((a, e), dr), a, v, dr. If f gives (a, kept), f's reverse
/// derivative is one of ((a, e), dr, kept).
FunctionLowerer::FoldTangents FunctionLowerer::foldBack(TermId term, bool areAllUsed) {
    const TypeId resultType = m_bank.type(term);
    const TypeId capturedType = m_types.children(resultType)[0];
    const TypeId pointTangent = m_types.children(resultType)[1];
    const TypeId dStateType = m_types.children(pointTangent)[0];
    const TypeId dVectorType = m_types.children(pointTangent)[1];
    const auto sum = [&](std::string_view hint, TypeId type, ExpressionId value) {
        const SymbolId made = symbol(hint, type, Storage::Variable);
        append(Declare{made, value, !areAllUsed});
        return name(made);
    };
    const Code zero = lower(m_bank.child(term, 0));
    const ExpressionId captured = sum("captured", capturedType, consume(zero));
    const Code start = lower(m_bank.child(term, 3));
    const Folded folded = this->folded(m_bank.child(term, 4));
    const Code dEnd = lower(m_bank.child(term, 5));
    const ExpressionId dState = sum("dstate", dStateType, consume(dEnd));
    const ExpressionId dVector = overwritten("dv", dVectorType, filled(dVectorType, {sizeArgument(folded.size)}));
    const Forwards forwards = runForwards(term, folded, start);
    For back{symbol("i", m_types.integer(), Storage::Index), {}, folded.size.expression};
    back.isBackwards = true;
    const Binding index{name(back.index), {}, ir::sizeRange()};
    openLoop(std::move(back), {});
    Binding point{{}, {stateAt(forwards.states, index), elementOf(folded, index)}};
    const PulledBack into{captured, element(dVector, index)};
    Binding argument{{}, {std::move(point), Binding{dState}}};
    if (forwards.kept.isValid()) argument.parts.push_back(Binding{element(forwards.kept, index)});
    ExpressionId before;
    if (isInPlace(term, 2)) {
        m_bound.push_back(std::move(argument));
        before = pullBack(m_bank.child(m_bank.child(term, 2), 0), into);
        m_bound.pop_back();
    } else {
        const TypeId stepType = m_types.children(m_bank.type(m_bank.child(term, 2)))[1];
        before = pullBackValue(stepType, inlined(term, 2, std::move(argument)), into);
    }
    append(Assign{dState, isScalar(dStateType) ? before : moved(before)});
    closeLoop();
    const auto own = [this](ExpressionId made) {
        return Code{made, isScalar(m_result.at(made).type) ? Form::Path : Form::Local};
    };
    return {own(captured), own(dState), own(dVector)};
}

FunctionLowerer::Forwards FunctionLowerer::runForwards(TermId term, const Folded& folded, const Code& start) {
    const TypeId stateType = m_bank.type(m_bank.child(term, 3));
    const bool isTuple = m_types.isTuple(stateType);
    const std::vector<bool> isRead =
        isInPlace(term, 2) ? ReadParts(m_bank, m_uses, isTuple).of(m_bank.child(term, 2)) : std::vector{true};
    const auto typeOf = [&](std::size_t k) { return isTuple ? m_types.children(stateType)[k] : stateType; };
    const std::size_t count = isTuple ? m_types.children(stateType).size() : 1;
    const auto isPartRead = [&](std::size_t k) { return isRead[0] || (k + 1 < isRead.size() && isRead[k + 1]); };
    bool areNumbers = true;
    for (std::size_t k = 0; k < count; ++k) {
        const bool isNumber = isSummedFromZero(typeOf(k)) || typeOf(k) == m_types.boolean();
        areNumbers = areNumbers && (isNumber || !isPartRead(k));
    }
    const ExpressionId size = sizeArgument(folded.size);
    const auto series = [&](std::string_view hint, TypeId type, ExpressionId length) {
        const SymbolId made = symbol(hint, type, Storage::Series);
        append(Declare{made, filled(type, {length}), false, true, true});
        return name(made);
    };
    const TypeId keptType = ks::keptByStep(m_types, m_bank.type(m_bank.child(term, 1)), stateType);
    const ExpressionId kept = keptType.isValid() ? series("kept", keptType, size) : ExpressionId();
    const auto keptAt = [&](const Binding& index) { return kept.isValid() ? element(kept, index) : ExpressionId(); };
    if (!areNumbers) {
        // The state before each step, and that after the last one: none is copied.
        const ExpressionId states =
            series("states", stateType, binary(Operator::Add, m_types.integer(), size, integer(1)));
        append(Assign{element(states, std::vector{integer(0)}), consume(start)});
        const Binding index = openLoops({folded.size}, TermId());
        const Code next = stepForwards(term, Binding{{}, {Binding{element(states, index)}, elementOf(folded, index)}},
                                       keptAt(index), {});
        const ExpressionId after = binary(Operator::Add, m_types.integer(), index.expression, integer(1));
        append(Assign{element(states, std::vector{after}), consume(next)});
        closeLoop();
        return {Binding{states}, kept};
    }
    Binding states;
    const SymbolId current = symbol("state", stateType, Storage::Variable);
    append(Declare{current, consume(start), true});
    const ExpressionId state = name(current);
    const auto partOf = [&](std::size_t k) { return isTuple ? part(state, static_cast<std::uint32_t>(k)) : state; };
    for (std::size_t k = 0; k < count; ++k) {
        states.parts.push_back(Binding{isPartRead(k) ? series("states", typeOf(k), size) : partOf(k)});
    }
    const Binding index = openLoops({folded.size}, TermId());
    for (std::size_t k = 0; k < count; ++k) {
        if (isPartRead(k)) append(Assign{element(states.parts[k].expression, index), partOf(k)});
    }
    const Binding argument{{}, {Binding{state}, elementOf(folded, index)}};
    const Code next = stepForwards(term, argument, keptAt(index), "next");
    if (!areSame(next.expression, state)) append(Assign{state, consume(next)});
    closeLoop();
    return {isTuple && count > 0 ? states : isTuple ? Binding{state} : states.parts[0], kept};
}

Code FunctionLowerer::stepForwards(TermId fold, Binding argument, ExpressionId keptHere, std::string_view hint) {
    if (!keptHere.isValid()) return inlined(fold, 1, std::move(argument), hint);
    const TermId function = m_bank.child(fold, 1);
    if (!isInPlace(fold, 1)) {
        const TypeId pairType = m_types.children(m_bank.type(function))[1];
        return keepPart(inlined(fold, 1, std::move(argument)), pairType, keptHere);
    }
    m_bound.push_back(std::move(argument));
    Code next = keepOf(m_bank.child(function, 0), keptHere, hint);
    m_bound.pop_back();
    return next;
}

Code FunctionLowerer::keepOf(TermId pair, ExpressionId keptHere, std::string_view hint) {
    m_term = pair;
    if (m_bank.is(pair, CoreOp::Let)) {
        bindValue(pair, m_bank.child(pair, 0), m_bank.child(pair, 1));
        Code next = keepOf(m_bank.child(pair, 1), keptHere, hint);
        m_bound.pop_back();
        return next;
    }
    if (!m_bank.is(pair, CoreOp::Tuple)) return keepPart(lower(pair), m_bank.type(pair), keptHere);
    append(Assign{keptHere, consume(lowerOwned(m_bank.child(pair, 1)))});
    return lower(m_bank.child(pair, 0), hint);
}

Code FunctionLowerer::keepPart(const Code& pair, TypeId pairType, ExpressionId keptHere) {
    const ExpressionId step = pair.form == Form::Value ? declare("step", pairType, pair) : pair.expression;
    append(Assign{keptHere, part(step, 1)});
    return Code{part(step, 0), Form::Path};
}

Binding FunctionLowerer::stateAt(const Binding& states, const Binding& index) {
    if (states.parts.empty())
        return isSeries(m_result, states.expression) ? Binding{element(states.expression, index)} : states;
    Binding state;
    for (const Binding& part : states.parts) state.parts.push_back(stateAt(part, index));
    return state;
}

ExpressionId FunctionLowerer::pullBack(TermId term, const PulledBack& into) {
    m_term = term;
    if (m_bank.is(term, CoreOp::Let)) {
        ExpressionId next;
        const auto lowerRest = [&] { next = pullBack(m_bank.child(term, 1), into); };
        const TermId value = m_bank.child(term, 0);
        if (isAddedByStep(value, m_bank.child(term, 1))) {
            addedLater(value, lowerRest);
        } else {
            boundFor(term, lowerRest);
        }
        return next;
    }
    const bool isPair = m_bank.is(term, CoreOp::Tuple) && m_bank.is(m_bank.child(term, 1), CoreOp::Tuple);
    if (!isPair) return pullBackValue(m_bank.type(term), lower(term, "step"), into);
    // All parts are computed from the tangent of the state as it is.
    const TermId point = m_bank.child(term, 1);
    const ExpressionId start = startOf(m_bank.child(point, 0));
    const ExpressionId next = variable("dnext", m_bank.type(m_bank.child(point, 0)), start);
    append(Assign{into.element, startOf(m_bank.child(point, 1))});
    addLaterParts(m_bank.child(point, 0), next);
    addLaterParts(m_bank.child(point, 1), into.element);
    if (hasNumbers(m_bank.type(m_bank.child(term, 0)))) addInto(m_bank.child(term, 0), into.captured);
    return next;
}

ExpressionId FunctionLowerer::pullBackValue(TypeId valueType, const Code& value, const PulledBack& into) {
    const ExpressionId step = variable("step", valueType, consume(value));
    append(Accumulate{into.captured, part(step, 0), false, true});
    append(Assign{into.element, part(part(step, 1), 1)});
    return part(part(step, 1), 0);
}

Code FunctionLowerer::check(TermId term) {
    const TypeId floating = m_types.floating();
    const ExpressionId x = stored(m_bank.child(term, 2), "x");
    const ExpressionId dx = stored(m_bank.child(term, 3), "dx");
    const ExpressionId df = stored(m_bank.child(term, 4), "df");
    const TypeId type = m_bank.type(m_bank.child(term, 2));
    const SymbolId near = symbol("near", type, Storage::Constant);
    append(Declare{near, run(Operation::AddTangent, type, {x, dx}, type)});
    const TypeId tangentType = m_bank.type(m_bank.child(term, 4));
    const auto tangent = [&](const Code& code) { return run(Operation::ToTangent, tangentType, {code.expression}); };
    const ExpressionId moved = tangent(inlined(term, 0, Binding{name(near)}));
    const ExpressionId still = tangent(inlined(term, 0, Binding{x}));
    const Code reverse = inlined(term, 1, Binding{{}, {Binding{x}, Binding{df}}});
    const ExpressionId difference = run(Operation::SubParts, tangentType, {moved, still});
    const auto product = [&](std::string_view hint, ExpressionId a, ExpressionId b) {
        const SymbolId made = symbol(hint, floating, Storage::Constant);
        append(Declare{made, run(Operation::Dot, floating, {a, b})});
        return name(made);
    };
    const ExpressionId d1 = product("forward", difference, df);
    const ExpressionId d2 = product("backward", reverse.expression, dx);
    const auto magnitude = [&](ExpressionId number) { return run(Operation::Abs, floating, {number}); };
    const ExpressionId apart = magnitude(binary(Operator::Sub, floating, d1, d2));
    const ExpressionId sizes = binary(Operator::Add, floating, magnitude(d1), magnitude(d2));
    return Code{binary(Operator::Div, floating, apart, sizes)};
}

}  // namespace mitos::loops
