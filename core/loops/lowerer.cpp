// SPDX-License-Identifier: GPL-3.0-or-later
// Names, let, if, calls and tuples.
#include "core/loops/internal/lowerer.h"

#include "core/loops/internal/shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace mitos::loops {

using ir::CoreOp;
using ir::TermId;
using ir::TypeId;
using ks::Op;

namespace {

/// Whether a bound variable occurs only as a vector whose elements are read at the index of a sparse build of few iterations, which are
/// made one by one. `unrolled` has the indices of these builds, as variables of the scope of `term`.
bool isOnlyUnrolled(const ir::TermBank& bank, Uses& uses, TermId term, std::uint32_t variable,
                    std::vector<std::uint32_t> unrolled) {
    if (!uses.mentions(term, variable)) return true;
    if (bank.is(term, CoreOp::Bound)) return false;
    if (is(bank, term, Op::Index) && bank.is(bank.child(term, 1), CoreOp::Bound)) {
        const TermId at = bank.child(term, 0);
        return bank.payload(bank.child(term, 1)).asIndex() == variable && bank.is(at, CoreOp::Bound) &&
               std::ranges::find(unrolled, bank.payload(at).asIndex()) != unrolled.end();
    }
    const bool isSparse = is(bank, term, Op::BuildFromSparse) && isUnrolled(bank, term);
    for (std::uint32_t i = 0; i < bank.childCount(term); ++i) {
        const bool isIteration = isSparse && i == 2;
        const TermId child = isIteration ? bank.child(bank.child(term, i), 0) : bank.child(term, i);
        const std::uint32_t bound = isIteration ? 1 : bank.boundIn(term, i);
        std::vector<std::uint32_t> inside = unrolled;
        for (std::uint32_t& index : inside) index += bound;
        if (isIteration) inside.push_back(0);
        if (!isOnlyUnrolled(bank, uses, child, variable + bound, std::move(inside))) return false;
    }
    return true;
}

/// The binding under another name, which may be used several times.
Binding withoutMoves(Binding binding) {
    binding.isMovable = false;
    for (Binding& part : binding.parts) part = withoutMoves(std::move(part));
    return binding;
}

}  // namespace

bool isUnrolled(const ir::TermBank& bank, TermId sparse) {
    constexpr std::int64_t Most = 8;       // iterations
    constexpr std::uint64_t Largest = 12;  // nodes of an iteration that is made more than once
    const TermId count = bank.child(sparse, 1);
    const TermId function = bank.child(sparse, 2);
    if (!bank.is(count, CoreOp::Literal) || bank.type(count) != bank.types().integer()) return false;
    const std::int64_t number = bank.payload(count).asInteger();
    if (number < 1 || number > Most || !bank.is(function, CoreOp::Lam)) return false;
    return number == 1 || bank.treeSize(bank.child(function, 0)) <= Largest;
}

// --- text -------------------------------------------------------------------------------------------------------------

std::string FunctionLowerer::hintOf(TermId binder, std::string_view otherwise) const {
    const Symbol hint = m_bank.hint(binder);
    return std::string(hint.isValid() ? m_bank.text(hint) : otherwise);
}

Unsupported FunctionLowerer::without(std::string_view what, std::string hint) const {
    return {fmt::format("{} has no {}", what, m_lowering.options.language), std::move(hint)};
}

bool FunctionLowerer::isScalar(TypeId type) const { return m_types.isNumeric(type) || type == m_types.boolean(); }

bool FunctionLowerer::isSummedFromZero(TypeId type) const {
    if (m_types.isNumeric(type)) return true;
    if (!m_types.isTuple(type)) return false;
    const auto parts = m_types.children(type);
    return std::ranges::all_of(parts, [this](TypeId part) { return isSummedFromZero(part); });
}

ExpressionId FunctionLowerer::consume(const Code& code) {
    return code.form == Form::Local ? moved(code.expression) : code.expression;
}

ExpressionId FunctionLowerer::declare(std::string_view hint, TypeId type, const Code& code, bool unused) {
    const bool isView = code.form == Form::Path && !isScalar(type);
    // A vector or tuple with its own storage is not constant, so that it can be moved into the result.
    const Storage own = isScalar(type) ? Storage::Constant : Storage::Variable;
    const SymbolId made = symbol(hint, type, isView ? Storage::View : own);
    append(Declare{made, consume(code), unused});
    return name(made);
}

ExpressionId FunctionLowerer::atom(const Code& code, TypeId type, std::string_view hint) {
    if (code.form != Form::Value || isWord(code.expression)) return code.expression;
    return declare(hint, type, code);
}

ExpressionId FunctionLowerer::stored(TermId term, std::string_view hint) {
    const Code code = lower(term, hint);
    return code.form == Form::Value ? declare(hint, m_bank.type(term), code) : code.expression;
}

ExpressionId FunctionLowerer::nameless(ExpressionId name) {
    m_result.symbols[std::get<SymbolId>(m_result.at(name).payload).value].isNameless = true;
    return name;
}

Code FunctionLowerer::shortened(Code code, TypeId type) {
    if (code.form != Form::Value || !isScalar(type)) return code;
    if (widthOf(code.expression) <= m_lowering.options.longestExpression) return code;
    return Code{nameless(declare("part", type, code)), Form::Path, false, code.range};
}

// --- functions --------------------------------------------------------------------------------------------------------

void FunctionLowerer::addParameters(const ir::Function& function, TermId body) {
    const auto free = m_uses.freeVariables(body);
    const auto add = [&](TypeId type, Symbol name, bool isUsed) {
        const SymbolId made = symbol(m_bank.text(name), type, Storage::Parameter);
        m_variables.emplace(name, Code{this->name(made), Form::Path});
        m_result.parameters.push_back({made, isUsed});
    };
    for (const ir::Parameter& parameter : function.parameters) {
        m_declared.parameters.emplace(parameter.name, parameter.type);
    }
    for (const ir::SizeName& size : function.sizes) {
        if (free.contains(size.name)) m_declared.sizes.insert(size.name);
    }
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
        const ir::Parameter& parameter = function.parameters[i];
        const bool tellsSize = std::ranges::any_of(function.sizes, [&](const ir::SizeName& size) {
            return size.parameter && *size.parameter == i && free.contains(size.name);
        });
        add(parameter.type, parameter.name, tellsSize || free.contains(parameter.name));
    }
    for (const ir::SizeName& size : function.sizes) {
        if (!size.parameter) add(m_types.integer(), size.name, free.contains(size.name));
    }
}

void FunctionLowerer::defineSizes(const ir::Function& function) {
    for (const ir::SizeName& size : function.sizes) {
        if (!size.parameter || !m_declared.sizes.contains(size.name)) continue;
        const ir::Parameter& parameter = function.parameters[*size.parameter];
        ExpressionId path = m_variables.at(parameter.name).expression;
        std::vector<ExpressionId> guarded;
        for (const std::uint32_t step : size.steps) {
            if (m_types.isTuple(m_result.at(path).type)) {
                path = part(path, step);
            } else {
                const ExpressionId elements = elementsOf(path);
                guarded.push_back(elements);
                path = element(elements, std::vector{integer(0)});
            }
        }
        const bool isVector = m_types.rank(m_result.at(path).type) == 1;
        ExpressionId value = isVector ? sizeCode(path).expression : dimension(path, size.dimension);
        if (!guarded.empty()) {
            guarded.push_back(value);
            value = run(Operation::SizeIfAny, m_types.integer(), std::move(guarded));
        }
        const SymbolId made = symbol(m_bank.text(size.name), m_types.integer(), Storage::Constant);
        m_variables.emplace(size.name, Code{name(made), Form::Path, false, ir::sizeRange()});
        m_result.sizes.push_back({size.name, name(made)});
        append(Declare{made, value});
    }
}

void FunctionLowerer::define(const ir::Function& function, TermId body, bool isAdding) {
    const std::size_t outside = m_scope.mark();
    m_term = body;
    m_result.body = inBlock([&] {
        addParameters(function, body);
        if (isAdding) {
            m_result.sum = symbol("sum", m_bank.type(body), Storage::Place);
            m_result.parameters.push_back({m_result.sum});
        }
        defineSizes(function);
        if (isAdding) return addInto(body, name(m_result.sum));
        lowerReturn(body);
    });
    m_scope.leave(outside);
}

void FunctionLowerer::lowerReturn(TermId term) {
    m_term = term;
    if (m_bank.is(term, CoreOp::Let) && !isSum(term)) {
        bindValue(term, m_bank.child(term, 0), m_bank.child(term, 1));
        lowerReturn(m_bank.child(term, 1));
        m_bound.pop_back();
        return;
    }
    if (ks::ksOp(m_bank.op(term)) == Op::If && m_bank.depth(term) > 3 && !isSum(term)) {
        const ExpressionId condition = lower(m_bank.child(term, 0)).expression;
        append(If{condition, inBlock([&] { lowerReturn(m_bank.child(term, 1)); })});
        return lowerReturn(m_bank.child(term, 2));
    }
    append(Return{lower(term, "result").expression});
}

// --- control ----------------------------------------------------------------------------------------------------------

Code FunctionLowerer::lower(TermId term, std::string_view hint) {
    const TermId outside = std::exchange(m_term, term);
    const bool isLess = std::exchange(m_isLess, false);
    Code code = lowered(term, hint);
    m_isLess = isLess;
    m_term = outside;
    return code;
}

Code FunctionLowerer::lowered(TermId term, std::string_view hint) {
    const ir::OpId id = m_bank.op(term);
    if (id.value < static_cast<std::uint32_t>(CoreOp::Count)) return lowerCore(term, hint);
    const Op op = ks::ksOp(id);
    if (op == Op::If) return conditional(term, hint);
    if (op < Op::Build && op != Op::Assert) return shortened(lowerNumber(op, term), m_bank.type(term));
    if (op >= Op::Build && op <= Op::BuildFromSparseTupled) return lowerTensor(op, term, hint);
    return lowerSpecial(op, term, hint);
}

void FunctionLowerer::lowerInto(TermId term, ExpressionId target) {
    m_term = term;
    if (m_bank.is(term, CoreOp::Let) && !isSum(term)) {
        bindValue(term, m_bank.child(term, 0), m_bank.child(term, 1));
        lowerInto(m_bank.child(term, 1), target);
        m_bound.pop_back();
        return;
    }
    const Op op = ks::ksOp(m_bank.op(term));
    if (op == Op::Build) {
        const std::uint32_t rank = m_types.rank(m_bank.type(term));
        const std::vector<Code> sizes = components(m_bank.child(term, 0), rank, true);
        append(Resize{target, sizeArguments(sizes), true});
        fillBuild(term, target, sizes);
        return;
    }
    if (op == Op::If && !isScalar(m_bank.type(term)) && !isSum(term)) {
        const ExpressionId condition = lower(m_bank.child(term, 0)).expression;
        Block then = inBlock([&] { lowerInto(m_bank.child(term, 1), target); });
        append(If{condition, std::move(then), inBlock([&] { lowerInto(m_bank.child(term, 2), target); })});
        return;
    }
    const Code code = lower(term);
    append(Assign{target, consume(code)});
}

Code FunctionLowerer::literal(TermId term) {
    const ir::Payload& payload = m_bank.payload(term);
    switch (payload.kind()) {
        case ir::PayloadKind::Float: return Code{floating(payload.asFloat())};
        case ir::PayloadKind::Integer: {
            const std::int64_t value = payload.asInteger();
            if (value == INT64_MIN) return Code{integer(value)};
            return Code{integer(value), Form::Value, value > INT32_MIN && value <= INT32_MAX,
                        ir::ValueRange::exactly(static_cast<double>(value))};
        }
        case ir::PayloadKind::Bool: return Code{boolean(payload.asBool())};
        default: return Code{make(ExpressionKind::Literal, m_types.string(), payload.asSymbol())};
    }
}

Code FunctionLowerer::lowerCore(TermId term, std::string_view hint) {
    const ir::Payload& payload = m_bank.payload(term);
    switch (static_cast<CoreOp>(m_bank.op(term).value)) {
        case CoreOp::Literal: return literal(term);
        case CoreOp::Variable: {
            const auto known = m_variables.find(payload.asSymbol());
            if (known == m_variables.end()) {
                throw Unsupported{fmt::format("the variable {} has no value", m_bank.text(payload.asSymbol()))};
            }
            return known->second;
        }
        case CoreOp::Bound: {
            const std::uint32_t back = payload.asIndex();
            if (back >= m_bound.size()) throw Unsupported{"a bound variable stands outside of its binder"};
            return boundCode(m_bound[m_bound.size() - 1 - back], m_bank.type(term));
        }
        case CoreOp::Let: {
            if (const std::optional<Code> sum = summed(term, hint)) return *sum;
            bindValue(term, m_bank.child(term, 0), m_bank.child(term, 1));
            Code code = lower(m_bank.child(term, 1), hint);
            m_bound.pop_back();
            return code;
        }
        case CoreOp::Tuple: return makeTuple(term);
        case CoreOp::Get: return projection(term);
        case CoreOp::Call: return shortened(call(term), m_bank.type(term));
        case CoreOp::Dummy: return Code{make(ExpressionKind::Empty, payload.asType())};
        case CoreOp::Lam: return functionValue(term, hint);
        case CoreOp::Count: break;
    }
    throw without(m_bank.opName(term));
}

void FunctionLowerer::bindValue(TermId binder, TermId value, TermId body) {
    const std::string hint = hintOf(binder, "x");
    const TypeId valueType = m_bank.type(value);
    if (ks::ksOp(m_bank.op(value)) == Op::BuildFromSparseTupled && m_uses.isOnlyProjected(body, 0)) {
        m_bound.push_back(scattered(value, body));
        return;
    }
    if (is(m_bank, value, Op::RFold) && m_uses.isOnlyProjected(body, 0)) {
        const FoldTangents made = foldBack(value, false);
        Binding captured{made.captured.expression};
        captured.isMovable = m_uses.countOfPart(body, 0, 0) == 1 && !isScalar(m_result.at(captured.expression).type);
        Binding point{{}, {Binding{made.state.expression}, Binding{made.elements.expression}}};
        m_bound.push_back(Binding{{}, {std::move(captured), std::move(point)}});
        return;
    }
    const bool isUsedOnce = m_uses.count(body, 0) == 1;
    if (const Binding* const moved = movable(value)) {
        m_bound.push_back(Binding{moved->expression, {}, {}, isUsedOnce});
        return;
    }
    const Binding* known = bindingOf(value);
    const bool isUnstored = m_bank.is(value, CoreOp::Tuple) || (known != nullptr && !known->parts.empty());
    if (isUnstored && m_uses.isOnlyProjected(body, 0)) {
        Binding binding = unstored(value);
        m_bound.push_back(std::move(binding));
        return;
    }
    const bool isUsed = m_uses.mentions(body, 0);
    if (is(m_bank, value, Op::VecInit) && isUsed && isOnlyUnrolled(m_bank, m_uses, body, 0, {})) {
        Binding elements = unstoredElements(value);
        m_bound.push_back(std::move(elements));
        return;
    }
    const bool isTable = is(m_bank, value, Op::VecInit) && isScalar(m_types.element(valueType)) && isUsed &&
                         m_uses.isOnlyIndexed(body, 0);
    if (isTable) {
        m_bound.push_back(Binding{table(value, hint)});
        return;
    }
    Code code = lower(value, hint);
    const bool isOwn = !isScalar(valueType) && code.form != Form::Path;
    if (code.form != Form::Local) code.expression = declare(hint, valueType, code, !isUsed);
    m_bound.push_back(Binding{code.expression, {}, code.range, isOwn && isUsedOnce});
}

const Binding* FunctionLowerer::movable(TermId term) const {
    const bool isPart = m_bank.is(term, CoreOp::Get);
    const TermId variable = isPart ? m_bank.child(term, 0) : term;
    if (!m_bank.is(variable, CoreOp::Bound) || m_bank.payload(variable).asIndex() >= m_bound.size()) return nullptr;
    const Binding& binding = m_bound[m_bound.size() - 1 - m_bank.payload(variable).asIndex()];
    if (!isPart) return binding.parts.empty() && binding.isMovable ? &binding : nullptr;
    if (binding.parts.empty()) return nullptr;
    const Binding& part = binding.parts[m_bank.payload(term).projectionIndex()];
    return part.parts.empty() && part.isMovable ? &part : nullptr;
}

Code FunctionLowerer::lowerOwned(TermId term, std::string_view hint) {
    if (const Binding* const moved = movable(term)) return Code{moved->expression, Form::Local};
    return lower(term, hint);
}

ExpressionId FunctionLowerer::table(TermId vector, std::string_view hint) {
    std::vector<ExpressionId> parts;
    for (const TermId element : m_bank.children(vector)) parts.push_back(lower(element).expression);
    const TypeId type = m_bank.type(vector);
    const SymbolId made = symbol(hint, type, Storage::Table);
    append(Declare{made, make(ExpressionKind::Vector, type, {}, std::move(parts))});
    return name(made);
}

Code FunctionLowerer::boundCode(const Binding& binding, TypeId boundType) {
    if (binding.parts.empty()) return Code{binding.expression, Form::Path, false, binding.range};
    std::vector<ExpressionId> parts;
    for (std::size_t i = 0; i < binding.parts.size(); ++i) {
        parts.push_back(boundCode(binding.parts[i], m_types.children(boundType)[i]).expression);
    }
    return Code{tuple(boundType, std::move(parts))};
}

Code FunctionLowerer::functionValue(TermId lambda, std::string_view hint) {
    const TypeId from = m_types.children(m_bank.type(lambda))[0];
    const TypeId to = m_types.children(m_bank.type(lambda))[1];
    const TermId body = m_bank.child(lambda, 0);
    const SymbolId made = symbol(hint.empty() ? "f" : hint, m_bank.type(lambda), Storage::Function);
    DefineFunction defined{made, {}, to, {}, m_uses.mentions(body, 0)};
    const std::size_t outside = m_scope.mark();
    defined.argument = symbol(hintOf(lambda, "x"), from, Storage::Argument);
    defined.body = inBlock([&] {
        m_bound.push_back(Binding{name(defined.argument)});
        lowerReturn(body);
        m_bound.pop_back();
    });
    m_scope.leave(outside);
    append(std::move(defined));
    return Code{name(made), Form::Path};
}

bool FunctionLowerer::isInPlace(TermId term, std::uint32_t child) const {
    return m_bank.is(m_bank.child(term, child), CoreOp::Lam);
}

Code FunctionLowerer::inlined(TermId term, std::uint32_t child, Binding argument, std::string_view hint) {
    const TermId function = m_bank.child(term, child);
    if (!isInPlace(term, child)) {
        const ExpressionId applied = stored(function, "f");
        const TypeId from = m_types.children(m_bank.type(function))[0];
        const TypeId to = m_types.children(m_bank.type(function))[1];
        return Code{make(ExpressionKind::Apply, to, {}, {applied, boundCode(argument, from).expression})};
    }
    m_bound.push_back(std::move(argument));
    Code code = lower(m_bank.child(function, 0), hint);
    m_bound.pop_back();
    return code;
}

void FunctionLowerer::inlinedInto(TermId term, std::uint32_t child, Binding argument, ExpressionId target) {
    if (!isInPlace(term, child)) {
        append(Assign{target, inlined(term, child, std::move(argument)).expression});
        return;
    }
    m_bound.push_back(std::move(argument));
    lowerInto(m_bank.child(m_bank.child(term, child), 0), target);
    m_bound.pop_back();
}

Code FunctionLowerer::conditional(TermId term, std::string_view hint) {
    const TypeId resultType = m_bank.type(term);
    if (resultType == m_types.floating() && countOfSumOrZero(m_bank, term).isValid()) {
        return sumbuild(m_bank.child(term, 1), hint, true);
    }
    if (const std::optional<Code> sum = summed(term, hint)) return *sum;
    const Code condition = lower(m_bank.child(term, 0));
    const std::size_t mark = m_scope.mark();
    const SymbolId chosen = symbol(hint.empty() ? "chosen" : hint, resultType, Storage::Variable);
    Block blocks[2];
    Code codes[2];
    for (std::uint32_t i = 0; i < 2; ++i) {
        blocks[i] = inBlock([&] { codes[i] = lower(m_bank.child(term, i + 1)); });
    }
    const bool paths = codes[0].form == Form::Path && codes[1].form == Form::Path;
    const ir::ValueRange range = hull(codes[0].range, codes[1].range);
    if (blocks[0].isEmpty() && blocks[1].isEmpty() && (isScalar(resultType) || paths)) {
        m_scope.leave(mark);
        Code code{choice(resultType, condition.expression, codes[0].expression, codes[1].expression)};
        code.plainInt = codes[0].plainInt && codes[1].plainInt;
        code.range = range;
        if (paths && !isScalar(resultType)) code.form = Form::Path;
        return shortened(code, resultType);
    }
    append(Declare{chosen, make(ExpressionKind::Empty, resultType)});
    for (std::uint32_t i = 0; i < 2; ++i) {
        blocks[i].statements.push_back({Assign{name(chosen), consume(codes[i])}, m_term});
    }
    append(If{condition.expression, std::move(blocks[0]), std::move(blocks[1])});
    return Code{name(chosen), isScalar(resultType) ? Form::Path : Form::Local, false, range};
}

Code FunctionLowerer::call(TermId term) {
    const ir::FunctionId id = m_bank.payload(term).asFunction();
    const ir::Function& function = m_bank.function(id);
    for (const ir::SizeName& size : function.sizes) {
        if (size.parameter) continue;
        throw Unsupported{fmt::format("a call of {} does not tell the size {}, which only its result type names",
                                      function.name, m_bank.text(size.name))};
    }
    return Code{calling(term, false)};
}

ExpressionId FunctionLowerer::calling(TermId term, bool isAdding) {
    std::vector<ExpressionId> arguments;
    for (std::size_t i = 0; i < m_bank.childCount(term); ++i) {
        arguments.push_back(lower(m_bank.child(term, i)).expression);
    }
    const FunctionIndex callee = m_lowering.calling(m_bank.payload(term).asFunction(), isAdding);
    return make(ExpressionKind::Call, m_bank.type(term), callee, std::move(arguments));
}

bool FunctionLowerer::isAddingCall(TermId term) const {
    if (!m_bank.is(term, CoreOp::Call)) return false;
    const TypeId type = m_bank.type(term);
    const ir::Function& function = m_bank.function(m_bank.payload(term).asFunction());
    const bool hasOtherSizes = std::ranges::any_of(function.sizes, [](const ir::SizeName& s) { return !s.parameter; });
    return m_types.isTensor(type) && isAddable(type) && hasNumbers(type) && !hasOtherSizes;
}

Code FunctionLowerer::makeTuple(TermId term) {
    std::vector<ExpressionId> parts;
    for (std::size_t i = 0; i < m_bank.childCount(term); ++i) {
        parts.push_back(consume(lowerOwned(m_bank.child(term, i))));
    }
    return Code{tuple(m_bank.type(term), std::move(parts))};
}

Code FunctionLowerer::projection(TermId term) {
    const TermId inner = m_bank.child(term, 0);
    if (is(m_bank, inner, Op::RFold)) {
        const FoldTangents made = foldBack(inner, false);
        if (m_bank.payload(term).projectionIndex() == 0) return made.captured;
        return Code{tuple(m_bank.type(term), {consume(made.state), consume(made.elements)})};
    }
    if (m_bank.is(inner, CoreOp::Get) && is(m_bank, m_bank.child(inner, 0), Op::RFold) &&
        m_bank.payload(inner).projectionIndex() == 1) {
        const FoldTangents made = foldBack(m_bank.child(inner, 0), false);
        return m_bank.payload(term).projectionIndex() == 0 ? made.state : made.elements;
    }
    if (const Binding* binding = bindingOf(term)) return boundCode(*binding, m_bank.type(term));
    const std::uint32_t place = m_bank.payload(term).projectionIndex();
    return Code{part(stored(m_bank.child(term, 0), "tuple"), place), Form::Path};
}

const Binding* FunctionLowerer::bindingOf(TermId term) const {
    std::vector<std::uint32_t> steps;
    while (m_bank.is(term, CoreOp::Get)) {
        steps.push_back(m_bank.payload(term).projectionIndex());
        term = m_bank.child(term, 0);
    }
    if (!m_bank.is(term, CoreOp::Bound) || m_bank.payload(term).asIndex() >= m_bound.size()) return nullptr;
    const Binding* binding = &m_bound[m_bound.size() - 1 - m_bank.payload(term).asIndex()];
    while (!steps.empty() && !binding->parts.empty()) {
        binding = &binding->parts[steps.back()];
        steps.pop_back();
    }
    return steps.empty() ? binding : nullptr;
}

Binding FunctionLowerer::unstoredElements(TermId vector) {
    Binding binding;
    binding.areElements = true;
    for (std::uint32_t i = 0; i < m_bank.childCount(vector); ++i) {
        binding.parts.push_back(unstored(m_bank.child(vector, i)));
    }
    return binding;
}

Binding FunctionLowerer::unstored(TermId term) {
    if (const Binding* binding = bindingOf(term)) return withoutMoves(*binding);
    if (!m_bank.is(term, CoreOp::Tuple) || m_bank.childCount(term) == 0) {
        const Code code = lower(term);
        const bool isPlace = code.form != Form::Value || m_bank.is(term, CoreOp::Tuple);
        return Binding{isPlace ? code.expression : declare("part", m_bank.type(term), code, true), {}, code.range};
    }
    Binding binding;
    for (std::size_t i = 0; i < m_bank.childCount(term); ++i) binding.parts.push_back(unstored(m_bank.child(term, i)));
    return binding;
}

}  // namespace mitos::loops
