// SPDX-License-Identifier: GPL-3.0-or-later
// Functions and statements of the loop form as C++.
#include "core/codegen/internal/literals.h"
#include "core/codegen/internal/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

namespace mitos::codegen {

using loops::Expression;
using loops::ExpressionKind;
using loops::Storage;

namespace {

constexpr std::size_t LineWidth = 108;
constexpr std::size_t ListWidth = LineWidth - 4;
constexpr int DeepestIndent = 30;

}  // namespace

std::string Printer::signature() {
    std::vector<std::string> parameters;
    for (const loops::Parameter& parameter : m_function.parameters) {
        const loops::SymbolInfo& symbol = m_function.at(parameter.symbol);
        const std::string typeText = type(symbol.type);
        const std::string whole = parameter.symbol == m_function.sum ? typeText + "&" : "const " + typeText + "&";
        parameters.push_back(fmt::format("{}{} {}", parameter.isUsed ? "" : "[[maybe_unused]] ",
                                         isScalar(symbol.type) ? typeText : whole, symbol.name));
    }
    const std::string result = m_function.sum.isValid() ? "void" : type(m_function.result);
    // Compilers then open calls also of longer functions.
    const bool isHelper = &m_function != &m_program.functions.back();
    const std::string head = fmt::format("{}{} {}(", isHelper ? "inline " : "", result, m_function.name);
    std::string all;
    std::string line = head;
    for (const std::string& parameter : parameters) {
        const std::string text = parameter + (&parameter == &parameters.back() ? ")" : ", ");
        if (line.size() + text.size() > LineWidth && line.size() > head.size()) {
            all += line.substr(0, line.size() - 1) + "\n";
            line = "        ";
        }
        line += text;
    }
    return all + line + (parameters.empty() ? ")" : "");
}

std::string Printer::definition() {
    m_out.clear();
    open(signature());
    block(m_function.body);
    close();
    return std::move(m_out);
}

void Printer::line(const std::string& text) {
    m_out.append(4 * static_cast<std::size_t>(std::min(m_indent, DeepestIndent)), ' ');
    m_out += text;
    m_out += '\n';
}

void Printer::open(const std::string& head) {
    line(head + " {");
    ++m_indent;
}

void Printer::close(std::string_view after) {
    --m_indent;
    line(fmt::format("}}{}", after));
}

void Printer::block(const loops::Block& block) {
    for (std::size_t i = 0; i < block.statements.size(); ++i) {
        const std::size_t zeros = zerosAt(block, i);
        if (zeros > 1) {
            printZeros(block, i, zeros);
            i += zeros - 1;
            continue;
        }
        std::visit([this](const auto& what) { print(what); }, block.statements[i].what);
    }
}

std::size_t Printer::zerosAt(const loops::Block& block, std::size_t first) const {
    ir::TypeId type;
    std::size_t count = 0;
    for (; first + count < block.statements.size(); ++count) {
        const auto* const declare = std::get_if<loops::Declare>(&block.statements[first + count].what);
        if (declare == nullptr || !declare->value.isValid() || declare->mayBeUnused ||
            m_function.at(declare->value).kind != ExpressionKind::Empty)
            break;
        const ir::TypeId next = m_function.at(declare->symbol).type;
        if (!isScalar(next) || (type.isValid() && next != type)) break;
        type = next;
    }
    return count;
}

void Printer::printZeros(const loops::Block& block, std::size_t first, std::size_t count) {
    std::string all;
    const auto flush = [&] {
        line(all + ";");
        all.clear();
    };
    for (std::size_t i = first; i < first + count; ++i) {
        const loops::SymbolInfo& symbol = m_function.at(std::get<loops::Declare>(block.statements[i].what).symbol);
        if (all.size() + symbol.name.size() + 4 * static_cast<std::size_t>(m_indent) > ListWidth) flush();
        all += (all.empty() ? type(symbol.type) + " " : ", ") + symbol.name + "{}";
    }
    flush();
}

void Printer::print(const loops::Declare& declare) {
    const loops::SymbolInfo& symbol = m_function.at(declare.symbol);
    if (!declare.value.isValid()) return line(fmt::format("{} {};", type(symbol.type), symbol.name));
    const Expression& value = m_function.at(declare.value);
    if (symbol.storage == Storage::Series) {
        m_helpers.needHeader("vector");
        return line(fmt::format("std::vector<{}> {}({});", type(symbol.type), symbol.name, list(value.operands)));
    }
    if (symbol.storage == Storage::Table) {
        m_helpers.needHeader("array");
        return line(fmt::format("const std::array<{}, {}> {}{{{{{}}}}};", type(m_types.element(symbol.type)),
                                value.operands.size(), symbol.name, list(value.operands)));
    }
    if (declare.isConstructed) return printConstructed(symbol.name, value);
    const std::string prefix = declare.mayBeUnused ? "[[maybe_unused]] " : "";
    const std::string typeText = type(symbol.type);
    if (value.kind == ExpressionKind::Empty) return line(fmt::format("{}{} {}{{}};", prefix, typeText, symbol.name));
    const bool isConstant = symbol.storage != Storage::Variable && symbol.storage != Storage::Place;
    const bool isReference = symbol.storage == Storage::View || symbol.storage == Storage::Place;
    line(fmt::format("{}{}{}{}{} {} = {};", prefix, isConstant ? "const " : "",
                     symbol.storage == Storage::Kept ? "volatile " : "", typeText, isReference ? "&" : "", symbol.name,
                     expression(declare.value)));
}

void Printer::printConstructed(const std::string& name, const Expression& value) {
    const std::string typeText = type(value.type);
    if (m_types.isTensor(value.type) && !isVector(value.type)) {
        line(fmt::format("{} {};", typeText, name));
        return resize(name, value.operands);
    }
    if (value.kind == ExpressionKind::Tuple) m_helpers.needHeader("utility");
    line(fmt::format("{} {}({});", typeText, name, list(value.operands)));
}

void Printer::resize(const std::string& place, const std::vector<loops::ExpressionId>& sizes) {
    // The sizes of another tensor are one value.
    const std::string all = list(sizes);
    line(fmt::format("{}.resize({});", place, sizes.size() == 1 ? all : "{" + all + "}"));
}

void Printer::print(const loops::Assign& assign) {
    m_helpers.needHeader("utility");
    line(fmt::format("{} = {};", expression(assign.place), listed(assign.value)));
}

std::string Printer::listed(loops::ExpressionId id) {
    const Expression& value = m_function.at(id);
    // With one part, it could be the tuple itself.
    if (value.kind != ExpressionKind::Tuple || value.operands.size() < 2) return expression(id);
    m_helpers.needHeader("utility");
    return fmt::format("{{{}}}", list(value.operands));
}

void Printer::print(const loops::Resize& resized) { resize(expression(resized.place), resized.sizes); }

void Printer::print(const loops::Accumulate& accumulate) {
    if (const loops::Function* const callee = addingCallee(m_program, m_function, accumulate.value)) {
        std::vector<loops::ExpressionId> operands = m_function.at(accumulate.value).operands;
        operands.push_back(accumulate.place);
        return line(fmt::format("{}({});", callee->name, list(operands)));
    }
    const ir::TypeId summand = m_function.at(accumulate.value).type;
    const std::string place = expression(accumulate.place);
    const std::string value = expression(accumulate.value);
    if (!accumulate.isByParts && summand == m_types.floating()) {
        return line(fmt::format("{} {} {};", place, accumulate.isDifference ? "-=" : "+=", value));
    }
    if (!accumulate.isByParts && summand == m_types.integer()) {
        return line(fmt::format("{} = {};", place, ksCall("plus", place + ", " + value)));
    }
    line(ksCall("addTo", fmt::format("{}, {}", place, value)) + ";");
}

void Printer::print(const loops::AddProduct& product) {
    const auto factor = [this](loops::ExpressionId matrix, bool isTransposed) {
        if (!isTransposed) return expression(matrix);
        m_helpers.need("Transposed");
        return fmt::format("ks::Transposed{{{}}}", expression(matrix));
    };
    const std::vector<loops::ExpressionId> sizes{product.rows, product.terms, product.columns};
    line(ksCall("addProduct",
                fmt::format("{}, {}, {}, {}", expression(product.place), factor(product.left, product.isLeftTransposed),
                            factor(product.right, product.isRightTransposed), list(sizes))) +
         ";");
}

void Printer::print(const loops::Clear& clear) {
    const ir::TypeId cleared = m_function.at(clear.place).type;
    const std::string place = expression(clear.place);
    // A series has the type of its elements.
    const bool isOfFloats = cleared == m_types.floating() || m_types.element(cleared) == m_types.floating();
    if (!isOfFloats) return line(ksCall("clear", place) + ";");
    m_helpers.needHeader("algorithm");
    line(fmt::format("std::fill({0}.begin(), {0}.end(), 0.0);", place));
}

void Printer::printSum(const loops::For& loop) {
    const std::string head = fmt::format("const double {} = ks::sumOf({}, [&]({} {}) {{", nameOf(loop.sum),
                                         expression(loop.end), type(m_types.integer()), nameOf(loop.index));
    m_helpers.need("sumOf");
    const auto& summand = std::get<loops::Accumulate>(loop.body.statements.back().what);
    const std::string result = fmt::format("return {};", expression(summand.value));
    const std::size_t width = 4 * static_cast<std::size_t>(m_indent) + head.size() + result.size() + 6;
    if (loop.body.statements.size() == 1 && width <= LineWidth) return line(fmt::format("{} {} }});", head, result));
    line(head);
    ++m_indent;
    loops::Block before = loop.body;
    before.statements.pop_back();
    block(before);
    line(result);
    close(");");
}

void Printer::print(const loops::For& loop) {
    if (loop.sum.isValid()) return printSum(loop);
    const std::string& i = nameOf(loop.index);
    const std::string begin = loop.begin.isValid() ? expression(loop.begin) : "0";
    const std::string end = expression(loop.end);
    if (loop.isVisibleAfter) {
        open(fmt::format("for (; {0} < {1}; ++{0})", i, end));
    } else if (loop.isBackwards) {
        open(fmt::format("for ({0} {1} = {2} - 1; {1} >= {3}; --{1})", type(m_types.integer()), i, end, begin));
    } else {
        open(fmt::format("for ({0} {1} = {2}; {1} < {3}; ++{1})", type(m_types.integer()), i, begin, end));
    }
    block(loop.body);
    close();
}

void Printer::print(const loops::If& conditional) {
    open(fmt::format("if ({})", expression(conditional.condition)));
    block(conditional.then);
    if (!conditional.otherwise.isEmpty()) {
        --m_indent;
        open("} else");
        block(conditional.otherwise);
    }
    close();
}

void Printer::print(const loops::Require& require) {
    const std::string message = stringLiteral(require.message);
    if (require.isAlways) {
        m_helpers.needHeader("stdexcept");
        return line(fmt::format("if (!{}) throw std::runtime_error({});", wrapped(require.condition, Unary), message));
    }
    const std::string condition = expression(require.condition);
    if (require.isCostly) {
        return line(ksCall("requireThat", fmt::format("[&] {{ return {}; }}, {}", condition, message)) + ";");
    }
    line(ksCall("require", fmt::format("{}, {}", condition, message)) + ";");
}

void Printer::print(const loops::Return& result) { line(fmt::format("return {};", listed(result.value))); }

void Printer::print(const loops::Break& leave) {
    line(leave.condition.isValid() ? fmt::format("if ({}) break;", expression(leave.condition)) : "break;");
}

void Printer::print(const loops::DefineFunction& function) {
    const loops::SymbolInfo& symbol = m_function.at(function.symbol);
    const loops::SymbolInfo& argument = m_function.at(function.argument);
    // Variables are captured by value: the function may outlive the block in which it is created.
    open(fmt::format("const {} {} = [=]({}const {}& {}) -> {}", type(symbol.type), symbol.name,
                     function.isArgumentUsed ? "" : "[[maybe_unused]] ", type(argument.type), argument.name,
                     type(function.result)));
    block(function.body);
    close(";");
}

void Printer::print(const loops::Drop& drop) { line(fmt::format("static_cast<void>({});", expression(drop.value))); }

void Printer::print(const loops::Print& print) {
    m_helpers.need("print");
    if (!print.value.isValid()) return line(fmt::format("std::cout << {};", stringLiteral(print.text)));
    line(fmt::format("ks::print<{}>({});", type(m_function.at(print.value).type), expression(print.value)));
}

void Printer::print(const loops::StartClock& clock) {
    m_helpers.needHeader("chrono");
    line(fmt::format("const auto {} = std::chrono::steady_clock::now();", nameOf(clock.clock)));
}

void Printer::print(const loops::ReadClock& clock) {
    m_helpers.needHeader("tuple");
    line(fmt::format("const double {} = std::chrono::duration<double>(std::chrono::steady_clock::now() - {}).count();",
                     nameOf(clock.seconds), nameOf(clock.clock)));
}

}  // namespace mitos::codegen
