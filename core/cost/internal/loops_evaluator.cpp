// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/internal/loops_evaluator.h"

#include "core/base/deep_stack.h"
#include "core/loops/form.h"
#include "core/loops/lowering.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

namespace mitos::cost {

using ir::TermId;
using ir::TypeId;
using loops::Expression;
using loops::ExpressionId;
using loops::ExpressionKind;
using LoopOperation = loops::Operation;

using loops::SymbolId;

namespace {

/// As for the analytic models of ks.
constexpr double CheaperBranch = 0.0001;
constexpr double NumberBytes = 8.0;

enum Share : std::uint8_t { Arithmetic, Functions, Memory, Allocations, Control };
constexpr std::array<std::string_view, 5> ShareNames{"arithmetic", "functions", "memory", "allocations", "control"};

struct Effort {
    std::array<double, ShareNames.size()> shares{};

    Effort& operator+=(const Effort& other) {
        for (std::size_t i = 0; i < shares.size(); ++i) shares[i] += other.shares[i];
        return *this;
    }
    friend Effort operator*(double times, Effort effort) {
        for (double& share : effort.shares) share *= times;
        return effort;
    }
    [[nodiscard]] double sum() const { return std::accumulate(shares.begin(), shares.end(), 0.0); }
};

Effort effort(Share share, double cost) {
    Effort made;
    made.shares[share] = cost;
    return made;
}

/// The contribution of the statements that come from one term.
struct Contribution {
    Effort effort = {};
    double times = 0.0;  ///< of the statement that runs most often
};
using Contributions = absl::flat_hash_map<TermId, Contribution>;

/// How long a function takes, as a multiple of exp.
double slowness(LoopOperation operation) {
    switch (operation) {
        case LoopOperation::Abs:
        case LoopOperation::Max: return 0.1;
        case LoopOperation::Sqrt: return 0.6;
        case LoopOperation::Sin:
        case LoopOperation::Cos: return 2.0;
        case LoopOperation::Tanh:
        case LoopOperation::Cosh:
        case LoopOperation::Erf: return 3.0;
        case LoopOperation::Pow: return 4.0;
        case LoopOperation::Lgamma: return 8.0;
        default: return 1.0;
    }
}

/// Adds up the work of one program.
class Estimate {
public:
    Estimate(const ir::TypeTable& types, const loops::Program& program, const LoopWeights& weights, double vectorSize)
        : m_types(types),
          m_program(program),
          m_weights(weights),
          m_vectorSize(vectorSize),
          m_functions(program.functions.size()),
          m_areKnown(program.functions.size(), false) {}

    /// The effort of the program, and what its terms contribute if that is asked for.
    Effort total(Contributions* contributions) {
        // Callees first; a function that calls itself is charged the call.
        for (std::size_t i = 0; i + 1 < m_program.functions.size(); ++i) {
            m_functions[i] = ofBody(m_program.functions[i]);
            m_areKnown[i] = true;
        }
        m_contributions = contributions;
        return ofBody(m_program.functions.back());
    }

private:
    Effort ofBody(const loops::Function& function) {
        m_function = &function;
        m_values.assign(function.symbols.size(), m_vectorSize);
        m_bodies.clear();
        m_times = 1.0;
        return of(function.body);
    }

    using Statements = std::span<const loops::Statement>;

    Effort of(const loops::Block& block) { return of(Statements(block.statements)); }
    Effort of(Statements statements) {
        Effort sum;
        for (std::size_t i = 0; i < statements.size(); ++i) {
            const TermId outside = std::exchange(m_term, statements[i].term);
            const auto* const conditional = std::get_if<loops::If>(&statements[i].what);
            const bool isReturn = conditional != nullptr && returns(*conditional);
            sum += isReturn ? branches(*conditional, conditional->then.statements, statements.subspan(i + 1))
                            : std::visit([this](const auto& what) { return of(what); }, statements[i].what);
            m_term = outside;
            if (isReturn) break;
        }
        return sum;
    }

    /// Whether what follows a branch is the other branch.
    static bool returns(const loops::If& conditional) {
        const std::vector<loops::Statement>& then = conditional.then.statements;
        return conditional.otherwise.isEmpty() && !then.empty() &&
               std::holds_alternative<loops::Return>(then.back().what);
    }

    /// Counts what a statement does itself, once.
    Effort own(const Effort& effort) {
        if (m_contributions == nullptr) return effort;
        Contribution& contribution = (*m_contributions)[m_term];
        contribution.effort += m_times * effort;
        contribution.times = std::max(contribution.times, m_times);
        return effort;
    }

    Effort of(const loops::Declare& declare) {
        if (!declare.value.isValid()) return {};
        const Expression& value = at(declare.value);
        const loops::SymbolInfo& symbol = m_function->at(declare.symbol);
        if (symbol.type == m_types.integer()) m_values[declare.symbol.value] = number(declare.value);
        if (symbol.storage == loops::Storage::Series) return own(allocations(1.0));
        if (symbol.storage == loops::Storage::Table) return own(operands(value));
        if (value.kind == ExpressionKind::Filled && declare.isOverwritten) {
            Effort effort = operands(value);
            effort += allocations(1.0);
            return own(effort);
        }
        const bool isName = symbol.storage == loops::Storage::View || symbol.storage == loops::Storage::Place;
        return own(isName ? of(declare.value) : copied(declare.value));
    }
    Effort of(const loops::Assign& assign) {
        Effort effort = copied(assign.value);
        effort += place(assign.place);
        effort += bytes(bytesOf(assign.place));
        return own(effort);
    }
    Effort of(const loops::Resize& resize) {
        Effort effort = place(resize.place);
        effort += allocations(1.0);
        if (!resize.isOverwritten) effort += bytes(NumberBytes * product(resize.sizes));
        return own(effort);
    }
    Effort of(const loops::Accumulate& accumulate) {
        Effort effort = of(accumulate.value);
        effort += place(accumulate.place);
        const TypeId type = at(accumulate.value).type;
        if (type == m_types.floating()) {
            effort += arithmetic(1.0);
            effort += bytes(2.0 * bytesOf(accumulate.place));
        } else if (type != m_types.integer()) {
            effort += arithmetic(elements(type));
            effort += bytes(3.0 * NumberBytes * elements(type));
        }
        return own(effort);
    }
    Effort of(const loops::AddProduct& product) {
        const double rows = number(product.rows);
        const double terms = number(product.terms);
        const double all = rows * terms * number(product.columns);
        // As written in loops of rows, terms and columns.
        Effort effort = arithmetic(2.0 * all);
        effort += bytes(NumberBytes * (3.0 * all + rows * terms));
        effort += control(m_weights.iteration * (all + rows * terms + rows));
        return own(effort);
    }
    Effort of(const loops::Clear& clear) {
        Effort effort = place(clear.place);
        effort += bytes(NumberBytes * elements(at(clear.place).type));
        return own(effort);
    }
    Effort of(const loops::For& loop) {
        const double begin = loop.begin.isValid() ? number(loop.begin) : 0.0;
        const double times = std::max(number(loop.end) - begin, 0.0);
        m_values[loop.index.value] = begin + std::max(times - 1.0, 0.0) / 2.0;
        Effort effort = own(control(times * m_weights.iteration));
        const double outside = std::exchange(m_times, m_times * times);
        effort += times * of(loop.body);
        m_times = outside;
        return effort;
    }
    Effort of(const loops::If& conditional) {
        return branches(conditional, conditional.then.statements, conditional.otherwise.statements);
    }
    Effort branches(const loops::If& conditional, Statements thenBranch, Statements otherBranch) {
        Effort condition = of(conditional.condition);
        condition += control(m_weights.iteration);
        Effort effort = own(condition);
        Contributions* const asked = std::exchange(m_contributions, nullptr);
        const Effort then = of(thenBranch);
        const Effort otherwise = of(otherBranch);
        m_contributions = asked;
        const bool isThen = then.sum() >= otherwise.sum();
        effort += weighted(then, isThen);
        effort += weighted(otherwise, !isThen);
        if (asked != nullptr) {
            contribute(thenBranch, isThen);
            contribute(otherBranch, !isThen);
        }
        return effort;
    }
    static Effort weighted(const Effort& branch, bool isLarger) { return (isLarger ? 1.0 : CheaperBranch) * branch; }
    void contribute(Statements branch, bool isLarger) {
        const double outside = m_times;
        if (!isLarger) m_times *= CheaperBranch;
        static_cast<void>(of(branch));
        m_times = outside;
    }
    /// Other checks are switched off in code that is timed.
    Effort of(const loops::Require& require) { return require.isAlways ? own(of(require.condition)) : Effort{}; }
    Effort of(const loops::Return& result) {
        const Expression& value = at(result.value);
        const bool isMoved = value.kind == ExpressionKind::Name &&
                             m_function->at(std::get<SymbolId>(value.payload)).storage == loops::Storage::Variable;
        return own(isMoved ? of(result.value) : copied(result.value));
    }
    Effort of(const loops::Break& leave) {
        Effort effort = control(m_weights.iteration);
        if (leave.condition.isValid()) effort += of(leave.condition);
        return own(effort);
    }
    Effort of(const loops::DefineFunction& defined) {
        Contributions* const asked = std::exchange(m_contributions, nullptr);
        m_bodies[defined.symbol] = of(defined.body);
        m_contributions = asked;
        return own(allocations(1.0));
    }
    Effort of(const loops::Drop& drop) { return own(of(drop.value)); }
    Effort of(const loops::Print& print) { return print.value.isValid() ? own(of(print.value)) : Effort{}; }
    Effort of(const loops::StartClock&) { return own(control(m_weights.call)); }
    Effort of(const loops::ReadClock&) { return own(control(m_weights.call)); }

    // --- expressions --------------------------------------------------------------------------------------------------

    [[nodiscard]] const Expression& at(ExpressionId id) const { return m_function->at(id); }
    [[nodiscard]] Effort arithmetic(double count) const { return effort(Arithmetic, count * m_weights.arithmetic); }
    [[nodiscard]] Effort bytes(double count) const { return effort(Memory, count * m_weights.byte); }
    [[nodiscard]] Effort allocations(double count) const { return effort(Allocations, count * m_weights.allocation); }
    [[nodiscard]] static Effort control(double cost) { return effort(Control, cost); }

    /// The work of making a value of the type: its vectors, and writing their numbers.
    [[nodiscard]] Effort made(TypeId type) const {
        const double vectors = buffers(type);
        if (vectors == 0.0) return {};
        Effort effort = allocations(vectors);
        effort += bytes(NumberBytes * elements(type));
        return effort;
    }

    Effort operands(const Expression& expression) {
        Effort sum;
        for (const ExpressionId operand : expression.operands) sum += of(operand);
        return sum;
    }

    /// The work of finding a place, without reading it.
    Effort place(ExpressionId id) { return operands(at(id)); }

    /// A value that gets a place of its own: another place is copied.
    Effort copied(ExpressionId id) {
        Effort effort = of(id);
        if (loops::isPlace(*m_function, id)) effort += made(at(id).type);
        return effort;
    }

    /// The bytes of a number in a vector or tensor; none for other places.
    [[nodiscard]] double bytesOf(ExpressionId id) const {
        ExpressionId whole = id;
        while (at(whole).kind == ExpressionKind::Part) whole = at(whole).operands[0];
        if (at(whole).kind != ExpressionKind::Element) return 0.0;
        return m_types.isNumeric(at(id).type) ? NumberBytes : 1.0;
    }

    Effort of(ExpressionId id) {
        const Expression& expression = at(id);
        if (expression.kind == ExpressionKind::Choice) {
            Effort effort = of(expression.operands[0]);
            effort += control(m_weights.iteration);
            const Effort then = of(expression.operands[1]);
            const Effort otherwise = of(expression.operands[2]);
            effort += weighted(then, then.sum() >= otherwise.sum());
            effort += weighted(otherwise, then.sum() < otherwise.sum());
            return effort;
        }
        const bool isMade = expression.kind == ExpressionKind::Tuple || expression.kind == ExpressionKind::Vector;
        Effort effort;
        for (const ExpressionId operand : expression.operands) effort += isMade ? copied(operand) : of(operand);
        switch (expression.kind) {
            case ExpressionKind::Element:
            case ExpressionKind::Part:
                if (m_types.isNumeric(expression.type) || expression.type == m_types.boolean()) {
                    effort += bytes(bytesOf(id));
                }
                break;
            case ExpressionKind::Unary:
            case ExpressionKind::Binary:
                if (expression.type != m_types.floating()) break;
                effort += std::get<loops::Operator>(expression.payload) == loops::Operator::Div
                              ? cost::effort(Arithmetic, m_weights.division)
                              : arithmetic(1.0);
                break;
            case ExpressionKind::Call: {
                const std::uint32_t callee = std::get<loops::FunctionIndex>(expression.payload).value;
                effort += control(m_weights.call);
                if (m_areKnown[callee]) effort += m_functions[callee];
                break;
            }
            case ExpressionKind::Apply: {
                effort += control(m_weights.call);
                const Expression& applied = at(expression.operands[0]);
                if (applied.kind != ExpressionKind::Name) break;
                const auto body = m_bodies.find(std::get<SymbolId>(applied.payload));
                if (body != m_bodies.end()) effort += body->second;
                break;
            }
            case ExpressionKind::Filled: effort += made(expression.type); break;
            case ExpressionKind::Vector: {
                const auto count = static_cast<double>(expression.operands.size());
                effort += allocations(1.0);
                effort += bytes(NumberBytes * count);
                break;
            }
            case ExpressionKind::Convert:
                if (buffers(expression.type) > 0.0) effort += made(expression.type);
                break;
            case ExpressionKind::Run: effort += run(expression); break;
            default: break;
        }
        return effort;
    }

    Effort run(const Expression& expression) {
        const LoopOperation operation = std::get<LoopOperation>(expression.payload);
        if (operation >= LoopOperation::Exp && operation <= LoopOperation::Max) {
            return effort(Functions, slowness(operation) * m_weights.function);
        }
        const auto read = [&] {
            double count = 0.0;
            for (const ExpressionId operand : expression.operands) {
                if (buffers(at(operand).type) > 0.0) count += elements(at(operand).type);
            }
            return count;
        }();
        Effort effort = bytes(NumberBytes * read);
        const double count = elements(expression.type);
        switch (operation) {
            case LoopOperation::AddParts:
            case LoopOperation::SubParts:
            case LoopOperation::MulParts:
            case LoopOperation::AddTangent:
            case LoopOperation::ScaleTangent: effort += arithmetic(count); break;
            case LoopOperation::DivParts: effort += cost::effort(Arithmetic, count * m_weights.division); break;
            case LoopOperation::Dot: effort += arithmetic(2.0 * elements(at(expression.operands[0]).type)); break;
            case LoopOperation::MatrixTimesVector:
                effort += arithmetic(2.0 * elements(at(expression.operands[0]).type));
                break;
            case LoopOperation::ExpParts: effort += cost::effort(Functions, count * m_weights.function); break;
            case LoopOperation::Sum:
            case LoopOperation::PlaceOfMax: effort += arithmetic(read); return effort;
            case LoopOperation::ToTangent:
            case LoopOperation::ZeroLike:
            case LoopOperation::ZeroOf:
            case LoopOperation::Unzip:
            case LoopOperation::DeltaVector:
            case LoopOperation::DeltaTensor:
            case LoopOperation::HashToUnit: break;
            default: return {};  // Integers and sizes
        }
        effort += made(expression.type);
        return effort;
    }

    // --- sizes --------------------------------------------------------------------------------------------------------

    [[nodiscard]] double elements(TypeId type) const {
        if (!type.isValid()) return 0.0;
        if (m_types.isTuple(type)) {
            double sum = 0.0;
            for (const TypeId part : m_types.children(type)) sum += elements(part);
            return sum;
        }
        if (!m_types.isTensor(type)) return 1.0;
        return std::min(std::pow(m_vectorSize, m_types.rank(type)) * elements(m_types.element(type)), LargestCost);
    }

    /// The vectors and tensors in a value.
    [[nodiscard]] double buffers(TypeId type) const {
        if (!type.isValid()) return 0.0;
        if (m_types.isTuple(type)) {
            double sum = 0.0;
            for (const TypeId part : m_types.children(type)) sum += buffers(part);
            return sum;
        }
        if (!m_types.isTensor(type)) return 0.0;
        const double inner = buffers(m_types.element(type));
        return std::min(1.0 + std::pow(m_vectorSize, m_types.rank(type)) * inner, LargestCost);
    }

    double product(const std::vector<ExpressionId>& sizes) {
        double count = 1.0;
        for (const ExpressionId size : sizes) count *= number(size);
        return count;
    }

    /// An Integer: literals are known, sizes and what else is not are the vector size, indices are half their range.
    double number(ExpressionId id) {
        const Expression& expression = at(id);
        const std::vector<ExpressionId>& operands = expression.operands;
        const auto isOf = [&](loops::Operator op, LoopOperation guarded) {
            return expression.payload == Expression::Payload(op) || expression.payload == Expression::Payload(guarded);
        };
        switch (expression.kind) {
            case ExpressionKind::Literal:
                if (const auto* const value = std::get_if<std::int64_t>(&expression.payload)) {
                    return static_cast<double>(*value);
                }
                return m_vectorSize;
            case ExpressionKind::Name: return m_values[std::get<SymbolId>(expression.payload).value];
            case ExpressionKind::Convert: return number(operands[0]);
            case ExpressionKind::Choice: return std::max(number(operands[1]), number(operands[2]));
            default: break;
        }
        if (expression.payload == Expression::Payload(LoopOperation::AsSize)) return number(operands[0]);
        if (expression.payload == Expression::Payload(LoopOperation::Clamp)) {
            const double least = number(operands[1]);
            return std::clamp(number(operands[0]), least, std::max(least, number(operands[2])));
        }
        if (operands.size() != 2) return m_vectorSize;
        if (isOf(loops::Operator::Add, LoopOperation::Plus)) return number(operands[0]) + number(operands[1]);
        if (isOf(loops::Operator::Sub, LoopOperation::Minus)) return number(operands[0]) - number(operands[1]);
        if (isOf(loops::Operator::Mul, LoopOperation::Times)) return number(operands[0]) * number(operands[1]);
        if (isOf(loops::Operator::Div, LoopOperation::Quotient)) {
            const double divisor = number(operands[1]);
            return divisor == 0.0 ? m_vectorSize : std::trunc(number(operands[0]) / divisor);
        }
        return m_vectorSize;
    }

    const ir::TypeTable& m_types;
    const loops::Program& m_program;
    const LoopWeights& m_weights;
    double m_vectorSize;
    std::vector<Effort> m_functions;  ///< of a call, without the call itself
    std::vector<bool> m_areKnown;
    const loops::Function* m_function = nullptr;
    std::vector<double> m_values;                    ///< of Integers, by symbol
    absl::flat_hash_map<SymbolId, Effort> m_bodies;  ///< of function values
    Contributions* m_contributions = nullptr;
    TermId m_term;
    double m_times = 1.0;  ///< how often the statement runs
};

class LoopsEvaluator final : public CostEvaluator {
public:
    LoopsEvaluator(const ir::TermBank& bank, ir::FunctionId function, const LoopWeights& weights, double vectorSize)
        : m_bank(bank),
          m_function(function),
          m_weights(weights),
          m_vectorSize(vectorSize) {}

    Result<double> cost(TermId root, const std::stop_token&) override {
        if (const auto known = m_costs.find(root); known != m_costs.end()) return known->second;
        MITOS_TRY(const Effort effort, effortOf(root, nullptr));
        const double cost = std::min(effort.sum(), LargestCost);
        m_costs.emplace(root, cost);
        return cost;
    }

    Result<std::vector<CostPart>> explain(TermId root, const std::stop_token&) override {
        Contributions contributions;
        MITOS_TRY(const Effort effort, effortOf(root, &contributions));
        absl::flat_hash_map<TermId, double> occurrences;
        std::vector<CostPart> parts;
        withDeepStack(m_bank.depth(root), [&] {
            countOccurrences(root, occurrences);
            // The effort that belongs to no term of the program belongs to its root.
            Contribution& whole = contributions[root];
            for (const auto& [term, contribution] : contributions) {
                if (!occurrences.contains(term)) whole.effort += contribution.effort;
            }
            explainTerm(root, 1.0, contributions, occurrences, parts);
        });
        parts.front().total = effort.sum();
        return parts;
    }

    [[nodiscard]] std::size_t bytes() const override { return m_costs.capacity() * sizeof(std::pair<TermId, double>); }

private:
    Result<Effort> effortOf(TermId root, Contributions* contributions) {
        loops::LoweringOptions options;
        // Names for parts of long expressions change no cost.
        options.widthOf = [](const loops::Program&, const loops::Function&, ExpressionId) { return std::size_t{0}; };
        MITOS_TRY(const loops::Program form, loops::lower(m_bank, ir::Program{m_function, root}, options));
        Effort effort;
        withDeepStack(m_bank.depth(root),
                      [&] { effort = Estimate(m_bank.types(), form, m_weights, m_vectorSize).total(contributions); });
        return effort;
    }

    void countOccurrences(TermId term, absl::flat_hash_map<TermId, double>& occurrences) const {
        ++occurrences[term];
        for (const TermId child : m_bank.children(term)) countOccurrences(child, occurrences);
    }

    /// Appends the parts of the term in pre-order; returns what the term contributes to the whole.
    double explainTerm(TermId term, double times, const Contributions& contributions,
                       const absl::flat_hash_map<TermId, double>& occurrences, std::vector<CostPart>& parts) const {
        const std::size_t index = parts.size();
        const bool isRoot = parts.empty();
        CostPart part;
        const auto found = contributions.find(term);
        double whole = 0.0;
        if (found == contributions.end() || found->second.times == 0.0) {
            part.times = times;
            part.reason = "no statement of its own in the loop form";
        } else {
            part.times = isRoot ? 1.0 : found->second.times;
            const Effort once = (1.0 / (part.times * occurrences.at(term))) * found->second.effort;
            part.own = once.sum();
            for (std::size_t i = 0; i < once.shares.size(); ++i) {
                if (once.shares[i] == 0.0) continue;
                part.shares.push_back({ShareNames[i], once.shares[i]});
                part.reason +=
                    fmt::format("{}{:.3g} ns for {}", part.reason.empty() ? "" : ", ", once.shares[i], ShareNames[i]);
            }
            if (part.reason.empty()) part.reason = "its statements take no time";
            whole = part.own * part.times;
        }
        parts.push_back(std::move(part));
        for (const TermId child : m_bank.children(term)) {
            whole += explainTerm(child, parts[index].times, contributions, occurrences, parts);
        }
        parts[index].total = parts[index].times > 0.0 ? whole / parts[index].times : 0.0;
        return whole;
    }

    const ir::TermBank& m_bank;
    ir::FunctionId m_function;
    LoopWeights m_weights;
    double m_vectorSize;
    absl::flat_hash_map<TermId, double> m_costs;
};

}  // namespace

std::unique_ptr<CostEvaluator> loopsEvaluator(const ir::TermBank& bank, ir::FunctionId function,
                                              const LoopWeights& weights, double vectorSize) {
    return std::make_unique<LoopsEvaluator>(bank, function, weights, vectorSize);
}

}  // namespace mitos::cost
