// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/text.h"

#include "core/base/deep_stack.h"
#include "core/loops/internal/effects.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace mitos::loops {

namespace {

/// Precedence of operators, weakest first.
int strengthOf(Operator op) {
    switch (op) {
        case Operator::Or: return 1;
        case Operator::And: return 2;
        case Operator::Add:
        case Operator::Sub: return 4;
        case Operator::Mul:
        case Operator::Div: return 5;
        case Operator::Negate:
        case Operator::Not: return 6;
        default: return 3;
    }
}

constexpr int Strongest = 7;
constexpr std::size_t DeepestIndent = 30;

class Writer {
public:
    Writer(const ir::TermBank& bank, const Program& program, const Function& function)
        : m_bank(bank),
          m_program(program),
          m_function(function) {}

    std::string expression(ExpressionId id) const { return written(id).text; }

    /// Adds the lines of the function.
    void function(FunctionIndex index, std::vector<Line>& lines) {
        m_index = index;
        m_lines = &lines;
        std::string head = m_function.name + "(";
        for (std::size_t i = 0; i < m_function.parameters.size(); ++i) {
            const SymbolInfo& symbol = m_function.at(m_function.parameters[i].symbol);
            head += fmt::format("{}{}: {}", i == 0 ? "" : ", ", symbol.name, type(symbol.type));
        }
        line(head + (m_function.sum.isValid() ? ")" : fmt::format("): {}", type(m_function.result))));
        block(m_function.body);
    }

private:
    struct Written {
        std::string text;
        int strength = Strongest;
    };

    [[nodiscard]] std::string type(ir::TypeId type) const { return m_bank.types().toString(type); }
    [[nodiscard]] const std::string& nameOf(SymbolId symbol) const { return m_function.at(symbol).name; }

    [[nodiscard]] std::string list(const std::vector<ExpressionId>& ids, std::size_t first = 0) const {
        std::string text;
        for (std::size_t i = first; i < ids.size(); ++i) text += (i == first ? "" : ", ") + expression(ids[i]);
        return text;
    }

    [[nodiscard]] std::string within(ExpressionId id, int least) const {
        Written inner = written(id);
        return inner.strength < least ? "(" + inner.text + ")" : std::move(inner.text);
    }

    [[nodiscard]] std::string literal(const Expression& at) const {
        if (const auto* const number = std::get_if<double>(&at.payload)) {
            std::string text = fmt::format("{}", *number);
            return text.find_first_of(".enf") == std::string::npos ? text + ".0" : text;
        }
        if (const auto* const number = std::get_if<std::int64_t>(&at.payload)) return fmt::format("{}", *number);
        if (const auto* const truth = std::get_if<bool>(&at.payload)) return *truth ? "true" : "false";
        return fmt::format("\"{}\"", m_bank.text(std::get<Symbol>(at.payload)));
    }

    [[nodiscard]] Written written(ExpressionId id) const {
        const Expression& at = m_function.at(id);
        switch (at.kind) {
            case ExpressionKind::Literal: return {literal(at)};
            case ExpressionKind::Name: return {nameOf(std::get<SymbolId>(at.payload))};
            case ExpressionKind::Element:
                return {fmt::format("{}[{}]", within(at.operands[0], Strongest), list(at.operands, 1))};
            case ExpressionKind::Part:
                return {
                    fmt::format("{}.{}", within(at.operands[0], Strongest), std::get<std::int64_t>(at.payload) + 1)};
            case ExpressionKind::Elements: return {fmt::format("elements({})", list(at.operands))};
            case ExpressionKind::Unary: {
                const Operator op = std::get<Operator>(at.payload);
                return {signOf(op) + within(at.operands[0], Strongest), strengthOf(op)};
            }
            case ExpressionKind::Binary: {
                const Operator op = std::get<Operator>(at.payload);
                const int strength = strengthOf(op);
                return {fmt::format("{} {} {}", within(at.operands[0], strength), signOf(op),
                                    within(at.operands[1], strength + 1)),
                        strength};
            }
            case ExpressionKind::Choice:
                return {fmt::format("if {} then {} else {}", within(at.operands[0], 1), within(at.operands[1], 1),
                                    within(at.operands[2], 1)),
                        0};
            case ExpressionKind::Call: {
                const FunctionIndex callee = std::get<FunctionIndex>(at.payload);
                return {fmt::format("{}({})", m_program.functions[callee.value].name, list(at.operands))};
            }
            case ExpressionKind::Apply:
                return {fmt::format("{}({})", expression(at.operands[0]), expression(at.operands[1]))};
            case ExpressionKind::Run: {
                const Operation operation = std::get<Operation>(at.payload);
                const std::string number = operation == Operation::Dimension ? fmt::format(", {}", at.number) : "";
                return {fmt::format("{}({}{})", loops::nameOf(operation), list(at.operands), number)};
            }
            case ExpressionKind::Tuple: return {fmt::format("({})", list(at.operands))};
            case ExpressionKind::Vector: return {fmt::format("[{}]", list(at.operands))};
            case ExpressionKind::Filled:
                return {fmt::format("{}({})", at.payload == Expression::Payload(true) ? "filled" : "zeros",
                                    list(at.operands))};
            case ExpressionKind::Empty: return {fmt::format("zero {}", type(at.type))};
            case ExpressionKind::Convert:
                if (at.type != m_bank.types().floating()) return written(at.operands[0]);
                return {fmt::format("float({})", list(at.operands))};
            case ExpressionKind::Move: break;
        }
        return written(at.operands[0]);
    }

    void line(const std::string& text) {
        m_lines->push_back({.text = std::string(4 * std::min(m_indent, DeepestIndent), ' ') + text,
                            .function = m_index,
                            .statement = m_statement,
                            .around = m_around});
    }

    /// The last line is the first one of a nest, unless it is inside of one.
    void countNest() {
        if (m_loops == 0) m_lines->back().work = workOf(m_bank, m_program, m_function, *m_statement);
    }

    /// The statements in the one whose line is the last one.
    void block(const Block& block) {
        const Statement* const outside = m_statement;
        const std::optional<std::size_t> around = std::exchange(m_around, m_lines->size() - 1);
        ++m_indent;
        for (const Statement& statement : block.statements) {
            m_statement = &statement;
            std::visit([this](const auto& what) { write(what); }, statement.what);
        }
        --m_indent;
        m_around = around;
        m_statement = outside;
    }

    void write(const Declare& declare) {
        const SymbolInfo& symbol = m_function.at(declare.symbol);
        if (!declare.value.isValid()) return line(fmt::format("var {}: {}", symbol.name, type(symbol.type)));
        const Expression& value = m_function.at(declare.value);
        if (value.kind == ExpressionKind::Filled && declare.isOverwritten) {
            return line(fmt::format("var {} = unset({})", symbol.name, list(value.operands)));
        }
        const bool mayChange = symbol.storage == Storage::Variable || symbol.storage == Storage::Series;
        const bool isPlace = symbol.storage == Storage::Place;
        line(fmt::format("{}{} = {}",
                         isPlace     ? "place "
                         : mayChange ? "var "
                                     : "",
                         symbol.name, expression(declare.value)));
    }
    void write(const Assign& assign) {
        line(fmt::format("{} := {}", expression(assign.place), expression(assign.value)));
    }
    void write(const Resize& resize) {
        line(fmt::format("{} := {}({})", expression(resize.place), resize.isOverwritten ? "unset" : "zeros",
                         list(resize.sizes)));
    }
    void write(const Accumulate& accumulate) {
        if (m_sum.isValid() && isName(m_function, accumulate.place, m_sum)) return line(expression(accumulate.value));
        line(fmt::format("{} {} {}", expression(accumulate.place),
                         accumulate.isDifference ? "-=" : "+=", expression(accumulate.value)));
    }
    void write(const AddProduct& product) {
        const auto factor = [this](ExpressionId matrix, bool isTransposed) {
            return isTransposed ? fmt::format("transposed({})", expression(matrix)) : expression(matrix);
        };
        line(fmt::format("{} += product({}, {}) of {} x {} x {}", expression(product.place),
                         factor(product.left, product.isLeftTransposed),
                         factor(product.right, product.isRightTransposed), expression(product.rows),
                         expression(product.terms), expression(product.columns)));
        countNest();
    }
    void write(const Clear& clear) { line(fmt::format("{} := 0", expression(clear.place))); }
    void write(const For& loop) {
        const std::string begin = loop.begin.isValid() ? " from " + expression(loop.begin) : "";
        const std::string sum = loop.sum.isValid() ? nameOf(loop.sum) + " = sum " : "";
        line(fmt::format("{}for {}{} to {}{}", sum, nameOf(loop.index), begin, expression(loop.end),
                         loop.isBackwards ? " backwards" : ""));
        countNest();
        ++m_loops;
        const SymbolId around = std::exchange(m_sum, loop.sum);
        block(loop.body);
        m_sum = around;
        --m_loops;
    }
    void write(const If& conditional) {
        line(fmt::format("if {}", expression(conditional.condition)));
        block(conditional.then);
        if (conditional.otherwise.isEmpty()) return;
        line("else");
        block(conditional.otherwise);
    }
    void write(const Require& require) {
        line(fmt::format("{} {}", require.isAlways ? "assert" : "require", expression(require.condition)));
    }
    void write(const Return& result) { line("return " + expression(result.value)); }
    void write(const Break& leave) {
        line(leave.condition.isValid() ? "leave if " + expression(leave.condition) : "leave");
    }
    void write(const DefineFunction& function) {
        const SymbolInfo& argument = m_function.at(function.argument);
        line(fmt::format("{}({}: {}): {}", nameOf(function.symbol), argument.name, type(argument.type),
                         type(function.result)));
        block(function.body);
    }
    void write(const Drop& drop) { line("drop " + expression(drop.value)); }
    void write(const Print& print) {
        line("print " + (print.value.isValid() ? expression(print.value) : fmt::format("\"{}\"", print.text)));
    }
    void write(const StartClock& clock) { line(fmt::format("start {}", nameOf(clock.clock))); }
    void write(const ReadClock& clock) {
        line(fmt::format("{} = seconds since {}", nameOf(clock.seconds), nameOf(clock.clock)));
    }

    const ir::TermBank& m_bank;
    const Program& m_program;
    const Function& m_function;
    FunctionIndex m_index = {};
    std::vector<Line>* m_lines = nullptr;
    std::size_t m_indent = 0;
    SymbolId m_sum;                            ///< of the loop around the statement, if that declares it
    std::size_t m_loops = 0;                   ///< around the statement
    const Statement* m_statement = nullptr;    ///< that is being written
    std::optional<std::size_t> m_around = {};  ///< the line of what is around it
};

}  // namespace

const char* nameOf(Operation operation) {
    switch (operation) {
        case Operation::Plus: return "plus";
        case Operation::Minus: return "minus";
        case Operation::Times: return "times";
        case Operation::Quotient: return "quotient";
        case Operation::Clamp: return "clamp";
        case Operation::Exp: return "exp";
        case Operation::Log: return "log";
        case Operation::Sin: return "sin";
        case Operation::Cos: return "cos";
        case Operation::Tanh: return "tanh";
        case Operation::Cosh: return "cosh";
        case Operation::Sqrt: return "sqrt";
        case Operation::Erf: return "erf";
        case Operation::Lgamma: return "lgamma";
        case Operation::Abs: return "abs";
        case Operation::Pow: return "pow";
        case Operation::Max: return "max";
        case Operation::AddParts: return "add";
        case Operation::SubParts: return "sub";
        case Operation::MulParts: return "mul";
        case Operation::DivParts: return "div";
        case Operation::AddTangent: return "add";
        case Operation::ScaleTangent: return "scale";
        case Operation::Dot: return "dot";
        case Operation::ToTangent: return "tangent";
        case Operation::MatrixTimesVector: return "mul";
        case Operation::ExpParts: return "exp";
        case Operation::Size: return "size";
        case Operation::Sizes: return "sizes";
        case Operation::Dimension: return "size";
        case Operation::SizeIfAny: return "sizeIfAny";
        case Operation::AsSize: return "asSize";
        case Operation::Shape: return "shape";
        case Operation::ZeroLike: return "zeroLike";
        case Operation::ZeroOf: return "zeroOf";
        case Operation::Sum: return "sum";
        case Operation::PlaceOfMax: return "placeOfMax";
        case Operation::Unzip: return "unzip";
        case Operation::DeltaVector: return "delta";
        case Operation::DeltaTensor: return "delta";
        case Operation::Copy: return "copy";
        case Operation::HashToUnit: break;
    }
    return "hash";
}

const char* signOf(Operator op) {
    switch (op) {
        case Operator::Negate: return "-";
        case Operator::Not: return "not ";
        case Operator::Add: return "+";
        case Operator::Sub: return "-";
        case Operator::Mul: return "*";
        case Operator::Div: return "/";
        case Operator::Less: return "<";
        case Operator::Greater: return ">";
        case Operator::LessEqual: return "<=";
        case Operator::GreaterEqual: return ">=";
        case Operator::Equal: return "==";
        case Operator::NotEqual: return "!=";
        case Operator::And: return "and";
        case Operator::Or: break;
    }
    return "or";
}

std::string expressionText(const ir::TermBank& bank, const Program& program, const Function& function,
                           ExpressionId expression) {
    return Writer(bank, program, function).expression(expression);
}

std::vector<Line> lines(const ir::TermBank& bank, const Program& program) {
    std::vector<Line> all;
    withDeepStack(program.nesting, [&] {
        for (std::size_t i = 0; i < program.functions.size(); ++i) {
            const FunctionIndex index(static_cast<std::uint32_t>(i));
            if (i > 0) all.push_back({.function = index});
            Writer(bank, program, program.functions[i]).function(index, all);
        }
    });
    return all;
}

std::string text(const ir::TermBank& bank, const Program& program) {
    std::string all;
    for (const Line& line : lines(bank, program)) {
        const std::string work = line.work ? loops::text(*line.work) : "";
        all += line.text + (work.empty() ? "" : "  # ") + work + '\n';
    }
    return all;
}

}  // namespace mitos::loops
