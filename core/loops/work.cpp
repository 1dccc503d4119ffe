// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/work.h"

#include "core/loops/text.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>
#include <variant>
#include <vector>

namespace mitos::loops {

namespace {

constexpr double NumberBytes = 8.0;
constexpr double TruthBytes = 1.0;

Work larger(const Work& a, const Work& b) {
    Work result{larger(a.operations, b.operations), a.calls, larger(a.read, b.read), larger(a.written, b.written)};
    for (const auto& [name, amount] : b.calls) result.calls[name] = larger(result.calls[name], amount);
    return result;
}

class Counter {
public:
    Counter(const ir::TermBank& bank, const Program& program, const Function& function)
        : m_bank(bank),
          m_types(bank.types()),
          m_program(program),
          m_function(function) {}

    Work of(const Statement& statement) const {
        return std::visit([this](const auto& what) { return of(what); }, statement.what);
    }

private:
    [[nodiscard]] Work of(const Block& block) const {
        Work work;
        SymbolSizes largest;
        for (std::size_t i = 0; i < block.statements.size(); ++i) {
            const auto* const loop = std::get_if<For>(&block.statements[i].what);
            if (loop == nullptr) {
                addLargest(block.statements[i], largest);
                work += of(block.statements[i]);
                continue;
            }
            // Loops over parts of a range do the work of one over the whole.
            Work iteration = of(loop->body);
            ExpressionId end = loop->end;
            for (; i + 1 < block.statements.size(); ++i) {
                const auto* const next = std::get_if<For>(&block.statements[i + 1].what);
                if (next == nullptr || !areSame(m_function, next->begin, end)) break;
                iteration = larger(iteration, of(next->body));
                end = next->end;
            }
            const Expression& last = m_function.at(end);
            const auto known =
                last.kind == ExpressionKind::Name ? largest.find(std::get<SymbolId>(last.payload)) : largest.end();
            work += repeated(iteration, amountOf(known == largest.end() ? end : known->second));
        }
        return work;
    }
    using SymbolSizes = absl::flat_hash_map<SymbolId, ExpressionId>;
    /// Takes note of the largest value that a declared bound of loops can have.
    void addLargest(const Statement& statement, SymbolSizes& largest) const {
        const auto* const declare = std::get_if<Declare>(&statement.what);
        if (declare == nullptr || !declare->value.isValid()) return;
        const Expression& value = m_function.at(declare->value);
        if (value.payload == Expression::Payload(Operation::Clamp)) largest[declare->symbol] = value.operands[2];
    }

    [[nodiscard]] Work of(const Declare& declare) const {
        if (!declare.value.isValid()) return {};
        const Expression& value = m_function.at(declare.value);
        if (value.kind == ExpressionKind::Filled && declare.isOverwritten) return operands(value);
        return of(declare.value);
    }
    [[nodiscard]] Work of(const Assign& assign) const {
        Work work = of(assign.value);
        work += place(assign.place);
        work.written += bytesOf(assign.place);
        return work;
    }
    [[nodiscard]] Work of(const Resize& resize) const {
        Work work = place(resize.place);
        for (const ExpressionId size : resize.sizes) work += of(size);
        if (!resize.isOverwritten) work.written += zeroBytes(m_function.at(resize.place).type, resize.sizes);
        return work;
    }
    [[nodiscard]] Work of(const Accumulate& accumulate) const {
        Work work = of(accumulate.value);
        work += place(accumulate.place);
        const ir::TypeId type = m_function.at(accumulate.value).type;
        if (type == m_types.floating()) {
            work.operations += Amount(1.0);
        } else if (type != m_types.integer() && addingCallee(m_program, m_function, accumulate.value) == nullptr) {
            work.calls["add"] += Amount(1.0);
        }
        work.read += bytesOf(accumulate.place);
        work.written += bytesOf(accumulate.place);
        return work;
    }
    [[nodiscard]] Work of(const AddProduct& product) const {
        const Amount rows = amountOf(product.rows);
        const Amount columns = amountOf(product.columns);
        const Amount all = rows * amountOf(product.terms) * columns;
        Work work;
        work.operations += Amount(2.0) * all;
        // As written in loops of rows, terms and columns.
        work.read += Amount(2.0 * NumberBytes) * all + Amount(NumberBytes) * rows * amountOf(product.terms);
        work.written += Amount(NumberBytes) * all;
        return work;
    }
    [[nodiscard]] Work of(const Clear& clear) const {
        Work work = place(clear.place);
        work.calls["clear"] += Amount(1.0);
        return work;
    }
    /// A nest by itself, which may go over a part of a range.
    [[nodiscard]] Work of(const For& loop) const {
        const Work iteration = of(loop.body);
        if (!loop.begin.isValid()) return repeated(iteration, amountOf(loop.end));
        const auto text = [this](ExpressionId id) { return expressionText(m_bank, m_program, m_function, id); };
        return repeated(iteration, Amount::named(fmt::format("({} - {})", text(loop.end), text(loop.begin))));
    }
    [[nodiscard]] Work of(const If& conditional) const {
        Work work = of(conditional.condition);
        work += larger(of(conditional.then), of(conditional.otherwise));
        return work;
    }
    /// Checks can be switched off.
    [[nodiscard]] Work of(const Require& require) const { return require.isAlways ? of(require.condition) : Work{}; }
    [[nodiscard]] Work of(const Return& result) const { return of(result.value); }
    [[nodiscard]] Work of(const Break& leave) const { return leave.condition.isValid() ? of(leave.condition) : Work{}; }
    /// Where it is applied, its name is counted.
    [[nodiscard]] Work of(const DefineFunction&) const { return {}; }
    [[nodiscard]] Work of(const Drop& drop) const { return of(drop.value); }
    [[nodiscard]] Work of(const Print& print) const { return print.value.isValid() ? of(print.value) : Work{}; }
    [[nodiscard]] Work of(const StartClock&) const { return {}; }
    [[nodiscard]] Work of(const ReadClock&) const { return {}; }

    [[nodiscard]] Work operands(const Expression& at) const {
        Work work;
        for (const ExpressionId operand : at.operands) work += of(operand);
        return work;
    }

    /// The work of finding a place, without reading it.
    [[nodiscard]] Work place(ExpressionId id) const { return operands(m_function.at(id)); }

    /// The bytes of a number that is kept in a vector or tensor; none for values of other types.
    [[nodiscard]] Amount bytesOf(ExpressionId id) const {
        ExpressionId whole = id;
        while (m_function.at(whole).kind == ExpressionKind::Part) whole = m_function.at(whole).operands[0];
        if (m_function.at(whole).kind != ExpressionKind::Element) return {};
        const Expression& at = m_function.at(id);
        if (m_types.isNumeric(at.type)) return Amount(NumberBytes);
        return at.type == m_types.boolean() ? Amount(TruthBytes) : Amount();
    }

    [[nodiscard]] Work of(ExpressionId id) const {
        const Expression& at = m_function.at(id);
        if (at.kind == ExpressionKind::Choice) {
            Work work = of(at.operands[0]);
            work += larger(of(at.operands[1]), of(at.operands[2]));
            return work;
        }
        Work work = operands(at);
        switch (at.kind) {
            case ExpressionKind::Element:
            case ExpressionKind::Part: work.read += bytesOf(id); break;
            case ExpressionKind::Unary:
            case ExpressionKind::Binary:
                if (at.type == m_types.floating()) work.operations += Amount(1.0);
                break;
            case ExpressionKind::Call:
                work.calls[m_program.functions[std::get<FunctionIndex>(at.payload).value].name] += Amount(1.0);
                break;
            case ExpressionKind::Apply:
                work.calls[expressionText(m_bank, m_program, m_function, at.operands[0])] += Amount(1.0);
                break;
            case ExpressionKind::Filled: work.written += filledBytes(at); break;
            case ExpressionKind::Run:
                if (isCounted(at)) work.calls[nameOf(std::get<Operation>(at.payload))] += Amount(1.0);
                break;
            default: break;
        }
        return work;
    }

    /// Whether an operation computes more than Integers.
    [[nodiscard]] bool isCounted(const Expression& at) const {
        switch (std::get<Operation>(at.payload)) {
            case Operation::Plus:
            case Operation::Minus:
            case Operation::Times:
            case Operation::Quotient:
            case Operation::Clamp:
            case Operation::Size:
            case Operation::Sizes:
            case Operation::Dimension:
            case Operation::SizeIfAny:
            case Operation::AsSize:
            case Operation::Copy: return false;
            default: return true;
        }
    }

    /// The bytes of a vector or tensor of numbers of these sizes; none for other types.
    [[nodiscard]] Amount zeroBytes(ir::TypeId type, std::span<const ExpressionId> sizes) const {
        if (!m_types.isTensor(type) || !m_types.isNumeric(m_types.element(type))) return {};
        Amount bytes(NumberBytes);
        for (const ExpressionId size : sizes) bytes = bytes * amountOf(size);
        return bytes;
    }

    [[nodiscard]] Amount filledBytes(const Expression& at) const {
        const bool hasElement = at.payload == Expression::Payload(true);
        const auto sizes = std::span(at.operands).first(at.operands.size() - (hasElement ? 1 : 0));
        const Expression& element = m_function.at(at.operands.back());
        if (!hasElement || element.kind != ExpressionKind::Filled) return zeroBytes(at.type, sizes);
        Amount bytes = filledBytes(element);
        for (const ExpressionId size : sizes) bytes = bytes * amountOf(size);
        return bytes;
    }

    /// An Integer as a polynomial of sizes; what is not made of sizes is one by itself.
    [[nodiscard]] Amount amountOf(ExpressionId id) const {
        const Expression& at = m_function.at(id);
        if (const auto* const number = std::get_if<std::int64_t>(&at.payload);
            number != nullptr && at.kind == ExpressionKind::Literal) {
            return Amount(static_cast<double>(*number));
        }
        if (at.kind == ExpressionKind::Convert) return amountOf(at.operands[0]);
        if (at.payload == Expression::Payload(Operation::AsSize)) return amountOf(at.operands[0]);
        const auto isOf = [&](Operator op, Operation guarded) {
            return at.payload == Expression::Payload(op) || at.payload == Expression::Payload(guarded);
        };
        if (at.operands.size() == 2) {
            if (isOf(Operator::Add, Operation::Plus)) return amountOf(at.operands[0]) + amountOf(at.operands[1]);
            if (isOf(Operator::Sub, Operation::Minus)) return amountOf(at.operands[0]) - amountOf(at.operands[1]);
            if (isOf(Operator::Mul, Operation::Times)) return amountOf(at.operands[0]) * amountOf(at.operands[1]);
        }
        return Amount::named(expressionText(m_bank, m_program, m_function, id));
    }

    const ir::TermBank& m_bank;
    const ir::TypeTable& m_types;
    const Program& m_program;
    const Function& m_function;
};

}  // namespace

Work& Work::operator+=(const Work& other) {
    operations += other.operations;
    read += other.read;
    written += other.written;
    for (const auto& [name, amount] : other.calls) calls[name] += amount;
    return *this;
}

Work repeated(const Work& work, const Amount& times) {
    Work result{work.operations * times, {}, work.read * times, work.written * times};
    for (const auto& [name, amount] : work.calls) result.calls[name] = amount * times;
    return result;
}

Work workOf(const ir::TermBank& bank, const Program& program, const Function& function, const Statement& statement) {
    return Counter(bank, program, function).of(statement);
}

std::vector<std::string> amountTexts(const Work& work) {
    std::vector<std::string> texts;
    const auto add = [&](const Amount& amount, const std::string& what) {
        if (!amount.isZero()) texts.push_back(fmt::format("{} {}", amount.text(), what));
    };
    add(work.operations, "operations");
    for (const auto& [name, amount] : work.calls) add(amount, name);
    add(work.read, "bytes read");
    add(work.written, "bytes written");
    return texts;
}

std::string growthText(const Work& work) {
    std::vector<std::string> texts;
    const auto add = [&](const Amount& amount, const std::string& what) {
        if (amount.isZero()) return;
        const Amount leading = amount.leading();
        texts.push_back(fmt::format("{}{} {}", leading == amount ? "" : "~", leading.text(), what));
    };
    add(work.operations, "op");
    for (const auto& [name, amount] : work.calls) add(amount, name);
    add(work.read + work.written, "B");
    return fmt::format("{}", fmt::join(texts, ", "));
}

std::string text(const Work& work) { return fmt::format("{}", fmt::join(amountTexts(work), ", ")); }

}  // namespace mitos::loops
