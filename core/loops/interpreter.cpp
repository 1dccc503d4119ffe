// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/interpreter.h"

#include "core/base/deep_stack.h"
#include "core/loops/internal/datum.h"
#include "core/loops/internal/effects.h"
#include "core/loops/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

namespace mitos::loops {

/// A function value with the symbols that it uses, as they were when it was defined.
struct Closure {
    const Function* function;
    const DefineFunction* defined;
    std::vector<std::pair<SymbolId, Datum>> captured = {};
};

namespace {

constexpr std::size_t DeepestCalls = 1'000;
constexpr std::size_t LevelsOfCall = 20;  ///< of the stack, in a nest of loops and expressions

/// The symbols of a function that runs.
struct Frame {
    explicit Frame(const Function& of)
        : function(of),
          own(of.symbols.size()),
          elsewhere(of.symbols.size(), nullptr),
          clocks() {}

    Datum& at(SymbolId symbol) {
        Datum* const other = elsewhere[symbol.value];
        return other != nullptr ? *other : own[symbol.value];
    }
    Datum& define(SymbolId symbol, Datum value) {
        elsewhere[symbol.value] = nullptr;
        return own[symbol.value] = std::move(value);
    }

    const Function& function;
    std::vector<Datum> own;
    std::vector<Datum*> elsewhere;  ///< the places that symbols are other names for
    std::vector<std::pair<SymbolId, std::chrono::steady_clock::time_point>> clocks;
    Datum result = {};
};

enum class Flow : std::uint8_t { Next, Break, Return };

class Interpreter {
public:
    Interpreter(const ir::TermBank& bank, const Program& program, std::uint64_t steps)
        : m_types(bank.types()),
          m_bank(bank),
          m_program(program),
          m_steps(steps) {}

    eval::Value run(const eval::Inputs& inputs) {
        const Function& function = m_program.functions.back();
        std::vector<Datum> arguments;
        for (const eval::Value& argument : inputs.arguments) arguments.push_back(fromValue(argument));
        for (const std::int64_t size : inputs.extraSizes) arguments.push_back({size});
        if (arguments.size() != function.parameters.size()) {
            throw Failure{ErrorCode::InvalidInput, fmt::format("{} arguments are given for {} parameters",
                                                               arguments.size(), function.parameters.size())};
        }
        Frame frame(function);
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            frame.elsewhere[function.parameters[i].symbol.value] = &arguments[i];
        }
        return toValue(resultOf(frame, function.body));
    }

    [[nodiscard]] const Counts& counts() const { return m_counts; }
    [[nodiscard]] const std::string& printed() const { return m_printed; }

private:
    void step() {
        if (m_steps == 0) throw Failure{ErrorCode::Limit, "the limit on steps is reached"};
        --m_steps;
    }

    Datum resultOf(Frame& frame, const Block& body) {
        if (run(frame, body) != Flow::Return) fail("a function ends without a value");
        return std::move(frame.result);
    }

    Flow run(Frame& frame, const Block& body) {
        if (++m_depth > DeepestCalls) throw Failure{ErrorCode::Limit, "calls are nested too deeply"};
        Frame* const outside = std::exchange(m_frame, &frame);
        const Flow flow = run(body);
        m_frame = outside;
        --m_depth;
        return flow;
    }

    // --- statements ---------------------------------------------------------------------------------------------------

    Flow run(const Block& block) {
        for (const Statement& statement : block.statements) {
            step();
            const Flow flow = std::visit([this](const auto& what) { return run(what); }, statement.what);
            if (flow != Flow::Next) return flow;
        }
        return Flow::Next;
    }

    Flow run(const Declare& declare) {
        const SymbolInfo& symbol = m_frame->function.at(declare.symbol);
        if (!declare.value.isValid()) {
            const bool isScalar = m_types.isNumeric(symbol.type) || symbol.type == m_types.boolean();
            m_frame->define(declare.symbol, isScalar ? Datum{} : emptyOf(m_types, symbol.type));
            return Flow::Next;
        }
        const Expression& value = at(declare.value);
        if (symbol.storage == Storage::Series) {
            TensorDatum series{{integer(value.operands[0])}, {}};
            series.elements.assign(elementCount(series.dims), emptyOf(m_types, symbol.type));
            if (!series.elements.empty()) ++m_counts.allocations;
            m_frame->define(declare.symbol, {std::move(series)});
        } else if (symbol.storage == Storage::Table) {
            Datum table = this->value(declare.value);
            if (!table.tensor().elements.empty()) --m_counts.allocations;  // an array
            m_frame->define(declare.symbol, std::move(table));
        } else if (value.kind == ExpressionKind::Filled && declare.isOverwritten) {
            m_frame->define(declare.symbol, unset(value));
        } else if ((symbol.storage == Storage::View || symbol.storage == Storage::Place) &&
                   isPlace(m_frame->function, declare.value)) {
            m_frame->elsewhere[declare.symbol.value] = &place(declare.value);
        } else {
            m_frame->define(declare.symbol, this->value(declare.value));
        }
        return Flow::Next;
    }

    Flow run(const Assign& assign) {
        const bool isCopied = isPlace(m_frame->function, assign.value) && !isScalar(assign.value);
        if (isCopied) {
            Datum copy = place(assign.value);
            Datum& target = place(assign.place);
            m_counts.read += bytesOf(copy);
            m_counts.written += bytesOf(copy);
            m_counts.allocations += allocationsToHold(copy, target);
            target = std::move(copy);
            return Flow::Next;
        }
        Datum value = this->value(assign.value);
        place(assign.place) = std::move(value);
        m_counts.written += bytesInVector(assign.place);
        return Flow::Next;
    }

    Flow run(const Resize& resize) {
        std::vector<std::int64_t> dims = sizes(resize.sizes);
        const std::size_t count = elementCount(dims);
        Datum& target = place(resize.place);
        const ir::TypeId element = m_types.element(at(resize.place).type);
        TensorDatum& tensor = target.tensor();
        const std::size_t before = tensor.elements.size();
        if (count > before) ++m_counts.allocations;
        tensor.dims = std::move(dims);
        tensor.elements.resize(count, emptyOf(m_types, element));
        if (!resize.isOverwritten) {
            if (count > before) m_counts.written += 8 * (count - before) * (isNumber(element) ? 1 : 0);
        } else if (isNumber(element)) {
            std::ranges::fill(tensor.elements, Datum{});
        }
        return Flow::Next;
    }

    Flow run(const Accumulate& accumulate) {
        const ir::TypeId type = at(accumulate.value).type;
        if (const Function* const callee = addingCallee(m_program, m_frame->function, accumulate.value)) {
            Frame frame(*callee);
            bindArguments(frame, at(accumulate.value));
            frame.elsewhere[callee->sum.value] = &place(accumulate.place);
            run(frame, callee->body);
            return Flow::Next;
        }
        if (isNumber(type)) {
            const Datum value = this->value(accumulate.value);
            Datum& target = place(accumulate.place);
            if (!target.isSet()) fail("a number is added to one that was not set");
            const PartsOperator op = accumulate.isDifference ? PartsOperator::Sub : PartsOperator::Add;
            target = calculated(op, target, value, m_counts);
            m_counts.read += bytesInVector(accumulate.place);
            m_counts.written += bytesInVector(accumulate.place);
            return Flow::Next;
        }
        Datum made;
        const Datum& value = read(accumulate.value, made);
        addTo(place(accumulate.place), value, accumulate.isDifference, m_counts);
        return Flow::Next;
    }

    Flow run(const AddProduct& product) {
        const std::array sizes{integer(product.rows), integer(product.terms), integer(product.columns)};
        addProduct(place(product.place), {place(product.left), product.isLeftTransposed},
                   {place(product.right), product.isRightTransposed}, sizes, m_counts);
        return Flow::Next;
    }

    Flow run(const Clear& cleared) {
        Datum& target = place(cleared.place);
        clear(target);
        m_counts.written += bytesOf(target);
        return Flow::Next;
    }

    Flow run(const For& loop) {
        std::int64_t first = 0;
        if (loop.isVisibleAfter) {
            first = m_frame->at(loop.index).integer();
        } else if (loop.begin.isValid()) {
            first = integer(loop.begin);
        }
        const std::int64_t last = integer(loop.end);
        if (loop.sum.isValid()) m_frame->define(loop.sum, {0.0});
        if (loop.isBackwards) {
            for (std::int64_t i = last - 1; i >= first; --i) {
                m_frame->define(loop.index, {i});
                ++m_counts.iterations;
                const Flow flow = run(loop.body);
                if (flow == Flow::Break) break;
                if (flow == Flow::Return) return flow;
            }
            return Flow::Next;
        }
        std::int64_t i = first;
        for (; i < last; ++i) {
            m_frame->define(loop.index, {i});
            ++m_counts.iterations;
            const Flow flow = run(loop.body);
            if (flow == Flow::Break) break;
            if (flow == Flow::Return) return flow;
            requireUnchanged(loop, last);
        }
        m_frame->define(loop.index, {i});
        return Flow::Next;
    }

    /// The end of a loop is written once, so it must not change meanwhile.
    void requireUnchanged(const For& loop, std::int64_t end) {
        const Counts before = m_counts;
        if (integer(loop.end) != end) fail("a loop changes its own end");
        m_counts = before;
    }

    Flow run(const If& conditional) {
        return run(truth(conditional.condition) ? conditional.then : conditional.otherwise);
    }

    Flow run(const Require& require) {
        if (require.isAlways) {
            if (!truth(require.condition)) fail(require.message);
            return Flow::Next;
        }
        const Counts before = m_counts;
        if (!truth(require.condition)) fail(require.message);
        m_counts = before;
        return Flow::Next;
    }

    Flow run(const Return& result) {
        const Expression& expression = at(result.value);
        if (expression.kind == ExpressionKind::Name && !isScalar(result.value)) {
            const SymbolId symbol = std::get<SymbolId>(expression.payload);
            const bool isOwn = m_frame->elsewhere[symbol.value] == nullptr;
            if (isOwn && m_frame->function.at(symbol).storage == Storage::Variable) {
                m_frame->result = std::move(m_frame->own[symbol.value]);
                return Flow::Return;
            }
        }
        m_frame->result = value(result.value);
        return Flow::Return;
    }

    Flow run(const Break& leave) {
        return !leave.condition.isValid() || truth(leave.condition) ? Flow::Break : Flow::Next;
    }

    Flow run(const DefineFunction& defined) {
        auto closure = std::make_shared<Closure>(Closure{&m_frame->function, &defined});
        SymbolSet used;
        for (const Statement& statement : defined.body.statements) addMentioned(m_frame->function, statement, used);
        for (const SymbolId symbol : used) {
            const Datum& value = m_frame->at(symbol);
            if (value.isSet()) closure->captured.emplace_back(symbol, value);
        }
        m_frame->define(defined.symbol, {std::shared_ptr<const Closure>(std::move(closure))});
        return Flow::Next;
    }

    Flow run(const Drop& drop) {
        static_cast<void>(value(drop.value));
        return Flow::Next;
    }
    Flow run(const Print& print) {
        if (!print.value.isValid()) {
            m_printed += print.text;
            return Flow::Next;
        }
        Datum made;
        loops::print(m_printed, read(print.value, made));
        return Flow::Next;
    }
    Flow run(const StartClock& clock) {
        m_frame->clocks.emplace_back(clock.clock, std::chrono::steady_clock::now());
        return Flow::Next;
    }
    Flow run(const ReadClock& clock) {
        for (const auto& [symbol, start] : m_frame->clocks) {
            if (symbol != clock.clock) continue;
            const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
            m_frame->define(clock.seconds, {seconds.count()});
        }
        return Flow::Next;
    }

    // --- places -------------------------------------------------------------------------------------------------------

    [[nodiscard]] const Expression& at(ExpressionId id) const { return m_frame->function.at(id); }
    [[nodiscard]] bool isNumber(ir::TypeId type) const { return m_types.isNumeric(type); }
    [[nodiscard]] bool isScalar(ExpressionId id) const {
        const ir::TypeId type = at(id).type;
        return !type.isValid() || isNumber(type) || type == m_types.boolean();
    }

    /// The bytes of a number in a vector or tensor; 0 for other places.
    [[nodiscard]] std::uint64_t bytesInVector(ExpressionId id) const {
        if (!isScalar(id)) return 0;
        ExpressionId whole = id;
        while (at(whole).kind == ExpressionKind::Part) whole = at(whole).operands[0];
        if (at(whole).kind != ExpressionKind::Element) return 0;
        return at(id).type == m_types.boolean() ? 1 : 8;
    }

    Datum& place(ExpressionId id) {
        step();
        const Expression& expression = at(id);
        switch (expression.kind) {
            case ExpressionKind::Name: return m_frame->at(std::get<SymbolId>(expression.payload));
            case ExpressionKind::Part: {
                Datum& tuple = place(expression.operands[0]);
                if (!tuple.isTuple()) fail("a tuple is read that was not set");
                return tuple.parts()[static_cast<std::size_t>(std::get<std::int64_t>(expression.payload))];
            }
            case ExpressionKind::Elements: return place(expression.operands[0]);
            case ExpressionKind::Choice:
                return place(truth(expression.operands[0]) ? expression.operands[1] : expression.operands[2]);
            case ExpressionKind::Element: return element(expression);
            default: break;
        }
        fail("a place is written that is none");
    }

    Datum& element(const Expression& expression) {
        const ExpressionId vector = expression.operands[0];
        std::vector<std::int64_t> indices;
        for (std::size_t i = 1; i < expression.operands.size(); ++i) indices.push_back(integer(expression.operands[i]));
        const bool isFlat = at(vector).kind == ExpressionKind::Elements;
        const bool isChecked = std::get<bool>(expression.payload);
        Datum* datum = nullptr;
        Datum made;
        if (isPlace(m_frame->function, vector)) {
            datum = &place(vector);
        } else {
            m_kept.push_back(std::make_unique<Datum>(value(vector)));
            datum = m_kept.back().get();
        }
        for (std::size_t used = 0; used < indices.size();) {
            if (!datum->isTensor()) fail("an element is read of a vector that was not set");
            TensorDatum& tensor = datum->tensor();
            std::int64_t offset = 0;
            const bool isTensor = !isFlat && tensor.dims.size() > 1;
            for (std::size_t d = 0; d < (isFlat ? 1 : tensor.dims.size()); ++d) {
                const std::int64_t size = isFlat ? static_cast<std::int64_t>(tensor.elements.size()) : tensor.dims[d];
                const std::int64_t index = indices[used++];
                if (index < 0 || index >= size) {
                    if (isTensor) fail("an index is outside of a tensor");
                    if (isChecked) fail("an index is outside of a vector");
                    fail(fmt::format("the index {} is not checked, and outside of {} elements", index, size));
                }
                offset = offset * size + index;
            }
            datum = &tensor.elements[static_cast<std::size_t>(offset)];
        }
        return *datum;
    }

    // --- values -------------------------------------------------------------------------------------------------------

    double number(ExpressionId id) { return value(id).number(); }
    bool truth(ExpressionId id) { return value(id).truth(); }
    std::int64_t integer(ExpressionId id) {
        Datum made;
        return read(id, made).integer();
    }

    std::vector<std::int64_t> sizes(std::span<const ExpressionId> ids) {
        std::vector<std::int64_t> all;
        for (const ExpressionId id : ids) {
            const Datum size = value(id);
            if (!size.isTuple()) {
                all.push_back(size.integer());
                continue;
            }
            for (const Datum& each : size.parts()) all.push_back(each.integer());
        }
        return all;
    }

    /// A value where it is, or one that is made.
    const Datum& read(ExpressionId id, Datum& made) {
        if (!isPlace(m_frame->function, id)) return made = value(id);
        const Datum& found = place(id);
        if (!found.isSet()) {
            fail(fmt::format("{} is read before it is set", expressionText(m_bank, m_program, m_frame->function, id)));
        }
        m_counts.read += bytesInVector(id);
        return found;
    }

    /// How many vectors a place has to allocate to hold a copy.
    static std::uint64_t allocationsToHold(const Datum& copy, const Datum& target) {
        if (!copy.isTensor() || !target.isTensor()) return buffersOf(copy);
        const std::vector<Datum>& from = copy.tensor().elements;
        const std::vector<Datum>& to = target.tensor().elements;
        std::uint64_t count = from.size() > to.size() ? 1 : 0;
        for (std::size_t i = 0; i < from.size(); ++i) {
            count += i < to.size() ? allocationsToHold(from[i], to[i]) : buffersOf(from[i]);
        }
        return count;
    }

    Datum copied(const Datum& datum) {
        m_counts.read += bytesOf(datum);
        return made(datum);
    }
    Datum made(Datum datum) {
        m_counts.written += bytesOf(datum);
        m_counts.allocations += buffersOf(datum);
        return datum;
    }

    /// A vector whose elements are not set.
    Datum unset(const Expression& filled) {
        TensorDatum tensor{sizes(filled.operands), {}};
        const ir::TypeId element = m_types.element(filled.type);
        const std::size_t count = elementCount(tensor.dims);
        tensor.elements.assign(count, isNumber(element) ? Datum{} : emptyOf(m_types, element));
        if (count > 0) ++m_counts.allocations;
        return {std::move(tensor)};
    }

    Datum value(ExpressionId id) {
        step();
        const Expression& expression = at(id);
        const std::vector<ExpressionId>& operands = expression.operands;
        switch (expression.kind) {
            case ExpressionKind::Literal: return literal(expression);
            case ExpressionKind::Name:
            case ExpressionKind::Element:
            case ExpressionKind::Part:
            case ExpressionKind::Elements: {
                Datum made;
                if (expression.kind == ExpressionKind::Part && !isPlace(m_frame->function, operands[0])) {
                    made = value(operands[0]);
                    return std::move(
                        made.parts()[static_cast<std::size_t>(std::get<std::int64_t>(expression.payload))]);
                }
                const Datum& found = read(id, made);
                return isScalar(id) ? found : copied(found);
            }
            case ExpressionKind::Unary: return unary(expression);
            case ExpressionKind::Binary: return binary(expression);
            case ExpressionKind::Choice: return value(truth(operands[0]) ? operands[1] : operands[2]);
            case ExpressionKind::Call: return call(expression);
            case ExpressionKind::Apply: {
                const auto closure = std::get<std::shared_ptr<const Closure>>(value(operands[0]).is);
                Frame frame(*closure->function);
                for (const auto& [symbol, captured] : closure->captured) frame.own[symbol.value] = captured;
                frame.own[closure->defined->argument.value] = value(operands[1]);
                return resultOf(frame, closure->defined->body);
            }
            case ExpressionKind::Run: return run(expression);
            case ExpressionKind::Tuple: {
                TupleDatum tuple;
                for (const ExpressionId operand : operands) tuple.parts.push_back(value(operand));
                return {std::move(tuple)};
            }
            case ExpressionKind::Vector: {
                TensorDatum vector{{static_cast<std::int64_t>(operands.size())}, {}};
                for (const ExpressionId operand : operands) {
                    vector.elements.push_back(value(operand));
                    if (isScalar(operand)) m_counts.written += at(operand).type == m_types.boolean() ? 1 : 8;
                }
                if (!operands.empty()) ++m_counts.allocations;
                return {std::move(vector)};
            }
            case ExpressionKind::Filled: return filled(expression);
            case ExpressionKind::Empty: return emptyOf(m_types, expression.type);
            case ExpressionKind::Convert: {
                Datum made = value(operands[0]);
                const bool isFloat = expression.type == m_types.floating();
                if (!isFloat || std::holds_alternative<double>(made.is)) return made;
                return {static_cast<double>(made.integer())};
            }
            case ExpressionKind::Move: break;
        }
        return std::exchange(place(operands[0]), Datum{});
    }

    [[nodiscard]] Datum literal(const Expression& expression) const {
        if (const auto* const number = std::get_if<double>(&expression.payload)) return {*number};
        if (const auto* const number = std::get_if<std::int64_t>(&expression.payload)) return {*number};
        if (const auto* const truth = std::get_if<bool>(&expression.payload)) return {*truth};
        return {std::string(m_bank.text(std::get<Symbol>(expression.payload)))};
    }

    Datum unary(const Expression& expression) {
        const Datum operand = value(expression.operands[0]);
        if (std::get<Operator>(expression.payload) == Operator::Not) return {!operand.truth()};
        if (!std::holds_alternative<double>(operand.is)) {
            return calculated(PartsOperator::Sub, {std::int64_t{0}}, operand, m_counts);
        }
        ++m_counts.additions;
        return {-operand.number()};
    }

    Datum binary(const Expression& expression) {
        const Operator op = std::get<Operator>(expression.payload);
        if (op == Operator::And || op == Operator::Or) {
            const bool left = truth(expression.operands[0]);
            return {left == (op == Operator::Or) ? left : truth(expression.operands[1])};
        }
        Datum madeLeft;
        Datum madeRight;
        const Datum& left = read(expression.operands[0], madeLeft);
        const Datum& right = read(expression.operands[1], madeRight);
        const bool isComparison = op >= Operator::Less && op <= Operator::NotEqual;
        if (isComparison && std::holds_alternative<double>(left.is)) ++m_counts.comparisons;
        const auto compared = [&](const auto& holds) {
            if (std::holds_alternative<std::int64_t>(left.is)) return holds(left.integer(), right.integer());
            if (std::holds_alternative<bool>(left.is)) return holds(left.truth(), right.truth());
            if (std::holds_alternative<std::string>(left.is)) {
                return holds(std::get<std::string>(left.is), std::get<std::string>(right.is));
            }
            return holds(left.number(), right.number());
        };
        switch (op) {
            case Operator::Add: return calculated(PartsOperator::Add, left, right, m_counts);
            case Operator::Sub: return calculated(PartsOperator::Sub, left, right, m_counts);
            case Operator::Mul: return calculated(PartsOperator::Mul, left, right, m_counts);
            case Operator::Div: return calculated(PartsOperator::Div, left, right, m_counts);
            case Operator::Less: return {compared(std::less<>())};
            case Operator::Greater: return {compared(std::greater<>())};
            case Operator::LessEqual: return {compared(std::less_equal<>())};
            case Operator::GreaterEqual: return {compared(std::greater_equal<>())};
            case Operator::Equal: return {areEqual(left, right)};
            default: break;
        }
        return {!areEqual(left, right)};
    }

    Datum call(const Expression& expression) {
        const Function& callee = m_program.functions[std::get<FunctionIndex>(expression.payload).value];
        Frame frame(callee);
        bindArguments(frame, expression);
        return resultOf(frame, callee.body);
    }

    void bindArguments(Frame& frame, const Expression& expression) {
        for (std::size_t i = 0; i < expression.operands.size(); ++i) {
            const ExpressionId operand = expression.operands[i];
            const SymbolId parameter = frame.function.parameters[i].symbol;
            if (!isScalar(operand) && isPlace(m_frame->function, operand)) {
                frame.elsewhere[parameter.value] = &place(operand);
            } else {
                frame.own[parameter.value] = value(operand);
            }
        }
    }

    Datum filled(const Expression& expression) {
        const bool hasElement = std::get<bool>(expression.payload);
        const std::vector<ExpressionId>& operands = expression.operands;
        TensorDatum tensor{sizes(std::span(operands).first(operands.size() - (hasElement ? 1 : 0))), {}};
        const std::size_t count = elementCount(tensor.dims);
        const Datum element = hasElement ? value(operands.back()) : emptyOf(m_types, m_types.element(expression.type));
        tensor.elements.assign(count, element);
        return made({std::move(tensor)});
    }

    // --- operations ---------------------------------------------------------------------------------------------------

    Datum run(const Expression& expression) {
        const Operation operation = std::get<Operation>(expression.payload);
        const std::vector<ExpressionId>& operands = expression.operands;
        if (operation == Operation::SizeIfAny) {
            for (std::size_t i = 0; i + 1 < operands.size(); ++i) {
                Datum made;
                if (read(operands[i], made).tensor().elements.empty()) return {std::int64_t{0}};
            }
            return value(operands.back());
        }
        if (operation >= Operation::Exp && operation <= Operation::Max) return {floatFunction(operation, operands)};
        std::vector<Datum> made(operands.size());
        std::vector<const Datum*> all;
        for (std::size_t i = 0; i < operands.size(); ++i) all.push_back(&read(operands[i], made[i]));
        return runOn(expression, operation, all);
    }

    double floatFunction(Operation operation, const std::vector<ExpressionId>& operands) {
        ++m_counts.calls[nameOf(operation)];
        const double x = number(operands[0]);
        switch (operation) {
            case Operation::Exp: return std::exp(x);
            case Operation::Log: return std::log(x);
            case Operation::Sin: return std::sin(x);
            case Operation::Cos: return std::cos(x);
            case Operation::Tanh: return std::tanh(x);
            case Operation::Cosh: return std::cosh(x);
            case Operation::Sqrt: return std::sqrt(x);
            case Operation::Erf: return std::erf(x);
            case Operation::Lgamma: return std::lgamma(x);
            case Operation::Abs: return std::abs(x);
            case Operation::Max: return std::max(x, number(operands[1]));
            default: break;
        }
        const Datum exponent = value(operands[1]);
        const bool isWhole = std::holds_alternative<std::int64_t>(exponent.is);
        return std::pow(x, isWhole ? static_cast<double>(exponent.integer()) : exponent.number());
    }

    Datum runOn(const Expression& expression, Operation operation, std::span<const Datum* const> operands) {
        const Datum& first = *operands[0];
        switch (operation) {
            case Operation::Plus: return calculated(PartsOperator::Add, first, *operands[1], m_counts);
            case Operation::Minus: return calculated(PartsOperator::Sub, first, *operands[1], m_counts);
            case Operation::Times: return calculated(PartsOperator::Mul, first, *operands[1], m_counts);
            case Operation::Quotient: return calculated(PartsOperator::Div, first, *operands[1], m_counts);
            case Operation::Clamp: return clamped(first, *operands[1], *operands[2]);
            case Operation::AddParts: return combined(PartsOperator::Add, first, *operands[1], m_counts);
            case Operation::SubParts: return combined(PartsOperator::Sub, first, *operands[1], m_counts);
            case Operation::MulParts: return combined(PartsOperator::Mul, first, *operands[1], m_counts);
            case Operation::DivParts: return combined(PartsOperator::Div, first, *operands[1], m_counts);
            case Operation::AddTangent: {
                Datum result = copied(first);
                addTangent(result, *operands[1], m_counts);
                return result;
            }
            case Operation::ScaleTangent: {
                Datum result = copied(*operands[1]);
                scale(first.number(), result, m_counts);
                return result;
            }
            case Operation::Dot:
                m_counts.read += bytesOf(first) + bytesOf(*operands[1]);
                return {dot(first, *operands[1], m_counts)};
            case Operation::MatrixTimesVector: return product(first.tensor(), operands[1]->tensor());
            case Operation::ExpParts: {
                Datum result = copied(first);
                for (Datum& element : result.tensor().elements) element = {std::exp(element.number())};
                m_counts.calls[nameOf(Operation::Exp)] += result.tensor().elements.size();
                return result;
            }
            case Operation::Size: return {static_cast<std::int64_t>(first.tensor().elements.size())};
            case Operation::Sizes: {
                TupleDatum sizes;
                for (const std::int64_t size : first.tensor().dims) sizes.parts.push_back({size});
                return {std::move(sizes)};
            }
            case Operation::Dimension: return {first.tensor().dims[expression.number]};
            case Operation::AsSize:
                if (first.integer() < 0) fail("a size is negative");
                return first;
            case Operation::ToTangent: return made(asTangent(first));
            case Operation::Shape: return shapeOf(m_types, at(expression.operands[0]).type, first);
            case Operation::ZeroLike: return made(zeroLike(first));
            case Operation::ZeroOf: return made(zeroOf(m_types, expression.told, first));
            case Operation::Sum: return sum(first.tensor());
            case Operation::PlaceOfMax: return placeOfMax(first.tensor());
            case Operation::Unzip: return made(unzipped(m_types, expression.type, first));
            case Operation::DeltaVector:
            case Operation::DeltaTensor: return delta(operands);
            case Operation::Copy: return first;
            case Operation::HashToUnit: return {eval::hashToUnit(first.integer())};
            default: break;
        }
        fail(fmt::format("{} cannot be run", nameOf(operation)));
    }

    Datum product(const TensorDatum& matrix, const TensorDatum& vector) {
        const auto columns = vector.elements.size();
        if (matrix.dims[1] != static_cast<std::int64_t>(columns)) {
            fail("a matrix's columns and a vector's size differ");
        }
        TensorDatum result{{matrix.dims[0]}, {}};
        for (std::int64_t row = 0; row < matrix.dims[0]; ++row) {
            double sum = 0.0;
            for (std::size_t c = 0; c < columns; ++c) {
                sum +=
                    matrix.elements[static_cast<std::size_t>(row) * columns + c].number() * vector.elements[c].number();
            }
            result.elements.push_back({sum});
        }
        m_counts.additions += matrix.elements.size();
        m_counts.multiplications += matrix.elements.size();
        m_counts.read += 16 * matrix.elements.size();
        return made({std::move(result)});
    }

    Datum sum(const TensorDatum& vector) {
        if (vector.elements.empty()) fail("the sum of an empty tensor");
        Datum total = vector.elements[0];
        if (!std::holds_alternative<double>(total.is)) m_counts.allocations += buffersOf(total);
        for (std::size_t i = 1; i < vector.elements.size(); ++i) addTo(total, vector.elements[i], false, m_counts);
        m_counts.read += 8 * vector.elements.size();
        return total;
    }

    Datum placeOfMax(const TensorDatum& vector) {
        if (vector.elements.empty()) fail("the maximum of an empty vector");
        std::size_t best = 0;
        for (std::size_t i = 1; i < vector.elements.size(); ++i) {
            if (vector.elements[i].number() > vector.elements[best].number()) best = i;
        }
        m_counts.comparisons += vector.elements.size() - 1;
        m_counts.read += 8 * vector.elements.size();
        return {static_cast<std::int64_t>(best)};
    }

    /// Sizes, indices and the element.
    Datum delta(std::span<const Datum* const> operands) {
        const std::size_t rank = operands.size() / 2;
        TensorDatum tensor;
        for (std::size_t d = 0; d < rank; ++d) tensor.dims.push_back(operands[d]->integer());
        const std::size_t count = elementCount(tensor.dims);
        const Datum& element = *operands.back();
        tensor.elements.assign(count, zeroLike(element));
        std::size_t offset = 0;
        bool isInside = true;
        for (std::size_t d = 0; d < rank; ++d) {
            const std::int64_t index = operands[rank + d]->integer();
            isInside = isInside && index >= 0 && index < tensor.dims[d];
            if (isInside) {
                offset = offset * static_cast<std::size_t>(tensor.dims[d]) + static_cast<std::size_t>(index);
            }
        }
        if (isInside) tensor.elements[offset] = element;
        return made({std::move(tensor)});
    }

    const ir::TypeTable& m_types;
    const ir::TermBank& m_bank;
    const Program& m_program;
    std::uint64_t m_steps;
    Frame* m_frame = nullptr;
    std::size_t m_depth = 0;
    std::vector<std::unique_ptr<Datum>> m_kept;  ///< values that elements were read of
    Counts m_counts;
    std::string m_printed;
};

}  // namespace

std::uint64_t Counts::operations() const {
    std::uint64_t sum = additions + multiplications + divisions + comparisons;
    for (const auto& [name, count] : calls) sum += count;
    return sum;
}

Result<Interpretation> interpret(const ir::TermBank& bank, const Program& program, const eval::Inputs& inputs,
                                 std::uint64_t steps) {
    Result<Interpretation> result = Interpretation{};
    withDeepStack(DeepestCalls * LevelsOfCall, [&] {
        Interpreter interpreter(bank, program, steps);
        try {
            eval::Value value = interpreter.run(inputs);
            result = Interpretation{std::move(value), interpreter.printed(), interpreter.counts()};
        } catch (const Failure& failure) {
            result = Error{failure.code, failure.message};
        }
    });
    return result;
}

}  // namespace mitos::loops
