// SPDX-License-Identifier: GPL-3.0-or-later
// See analysis_test.h.
#include "core/eval/testing/analysis_test.h"

#include "core/base/hash.h"
#include "core/eval/evaluator.h"
#include "core/eval/internal/finite.h"
#include "core/eval/testing/internal/analysed_terms.h"
#include "core/ir/binding.h"
#include "core/ks/module.h"
#include "core/rules/matching/term_analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <utility>

namespace mitos::eval {

using ir::TermId;

namespace {

using Clock = std::chrono::steady_clock;

constexpr int AttemptsPerSample = 8;
constexpr std::uint32_t LargestSize = 5;
constexpr std::size_t Regions = static_cast<std::size_t>(Region::NotANumber) + 1;

class AnalysisTest {
public:
    AnalysisTest(std::shared_ptr<const rules::CompiledAnalysis> analysis,
                 const std::shared_ptr<const ir::OperatorRegistry>& registry, const RuleTestOptions& options,
                 std::optional<Clock::time_point> deadline)
        : m_stated(std::move(analysis)),
          m_options(options),
          m_deadline(deadline),
          m_bank(registry),
          m_analysis(m_bank, m_stated) {
        ir::Function function;
        function.name = "analysed";
        const std::array<std::pair<const char*, ir::TypeId>, 5> parameters{{{"x", m_bank.types().floating()},
                                                                            {"y", m_bank.types().floating()},
                                                                            {"k", m_bank.types().integer()},
                                                                            {"l", m_bank.types().integer()},
                                                                            {"p", m_bank.types().boolean()}}};
        std::vector<ir::TypeId> argument;
        for (const auto& [name, type] : parameters) {
            function.parameters.push_back({m_bank.symbols().intern(name), type});
            argument.push_back(type);
        }
        function.argument = m_bank.types().tuple(argument);
        function.result = m_bank.types().floating();
        function.declaredResult = function.result;
        m_free = function.parameters;
        m_function = *m_bank.declare(std::move(function));
    }

    /// Null: the literals.
    RuleVerdict run(const rules::AnalysisEquation* equation) {
        const Clock::time_point start = Clock::now();
        RuleVerdict verdict;
        const std::string about = equation == nullptr ? "literal" : m_bank.registry().info(equation->op).name;
        verdict.name = fmt::format("{}.{}", m_stated->name, about);
        verdict.tag = rules::toString(m_stated->soundness);
        Random random(combineHash(m_options.seed, hashText(verdict.name)));
        const int attempts = m_options.samplesPerRule * AttemptsPerSample;
        for (int i = 0; i < attempts && verdict.samples < m_options.samplesPerRule && !stopped(); ++i) {
            const TermId term = termFor(equation, random);
            if (!term.isValid() || !m_analysis.knows(term)) continue;
            InputOptions ranges;
            ranges.region = static_cast<Region>(static_cast<std::size_t>(i) % Regions);
            const Result<Inputs> inputs = randomInputs(m_bank, m_bank.function(m_function), random, ranges);
            if (!inputs) continue;
            check(term, *inputs, verdict);
        }
        verdict.verdict = verdict.counterexample ? Verdict::Fail
                          : verdict.samples > 0  ? Verdict::Pass
                                                 : Verdict::Untested;
        if (verdict.verdict == Verdict::Untested) {
            verdict.note = stopped() ? "stopped" : "no term of which something is known could be evaluated";
        }
        verdict.seconds = std::chrono::duration<double>(Clock::now() - start).count();
        return verdict;
    }

private:
    [[nodiscard]] bool stopped() const {
        return m_options.stop.stop_requested() || (m_deadline && Clock::now() > *m_deadline);
    }

    TermId termFor(const rules::AnalysisEquation* equation, Random& random) {
        if (equation != nullptr) {
            const auto size = static_cast<std::uint32_t>(1 + random.below(LargestSize));
            return analysedTerm(m_bank, *m_stated, *equation, m_free, random, size);
        }
        const std::array kinds{m_bank.types().floating(), m_bank.types().integer(), m_bank.types().boolean()};
        return analysedTerm(m_bank, *m_stated, kinds.at(random.below(kinds.size())), {}, random, 0);
    }

    /// Evaluates the term and keeps the smallest counterexample.
    void check(TermId term, const Inputs& inputs, RuleVerdict& verdict) {
        const Limits limits{.steps = 200'000, .bytes = 64U << 20U, .stop = m_options.stop};
        const Result<Evaluation> run = evaluate(m_bank, {m_function, term}, inputs, limits);
        if (!run) return;
        const TermId literal = literalOf(run->value);
        if (!literal.isValid()) return;
        if (m_stated->soundness != rules::Soundness::Exact && !isFinite(run->value)) return;
        const bool isRight = m_analysis.admits(term, literal);
        if (!isRight && !std::ranges::all_of(m_bank.children(term),
                                             [&](TermId child) { return isAdmitted(child, inputs, limits); })) {
            return;  // the equation of an operand is to blame
        }
        ++verdict.samples;
        if (isRight) return;
        if (verdict.counterexample && m_bank.treeSize(term) >= m_smallest) return;
        m_smallest = m_bank.treeSize(term);
        verdict.difference = SidesDiffer::Different;
        verdict.counterexample.emplace();
        Counterexample& example = *verdict.counterexample;
        example.before = ks::printTerm(m_bank, term, {.width = 0, .compact = true});
        example.beforeValue = toString(run->value);
        example.after = m_stated->name;
        example.afterValue = m_analysis.text(term);
        example.position = "/";
        for (std::size_t i = 0; i < m_free.size(); ++i) {
            if (!ir::mentionsFree(m_bank, term, m_free[i].name)) continue;
            example.inputs += fmt::format("{}{} = {}", example.inputs.empty() ? "" : ", ", m_bank.text(m_free[i].name),
                                          toString(inputs.arguments[i]));
        }
        if (const rules::AnalysisEquation* const guilty = m_analysis.equationOf(term)) {
            const SourcePlace& place = guilty->place;
            verdict.note = fmt::format("{}:{}:{}: {}", place.file, place.line, place.column, guilty->text);
        }
    }

    /// Whether what is known of the term, if anything, admits its value.
    [[nodiscard]] bool isAdmitted(TermId term, const Inputs& inputs, const Limits& limits) {
        if (!m_analysis.knows(term)) return true;
        const Result<Evaluation> run = evaluate(m_bank, {m_function, term}, inputs, limits);
        const TermId literal = run ? literalOf(run->value) : TermId();
        return literal.isValid() && m_analysis.admits(term, literal);
    }

    /// Invalid for values that are not numbers or truth values.
    [[nodiscard]] TermId literalOf(const Value& value) {
        if (value.isFloat()) return m_bank.floating(value.asFloat());
        if (value.isInteger()) return m_bank.integer(value.asInteger());
        if (value.isBool()) return m_bank.boolean(value.asBool());
        return {};
    }

    std::shared_ptr<const rules::CompiledAnalysis> m_stated;
    const RuleTestOptions& m_options;
    std::optional<Clock::time_point> m_deadline;
    ir::TermBank m_bank;
    rules::TermAnalysis m_analysis;
    std::vector<ir::Parameter> m_free;
    ir::FunctionId m_function;
    std::uint64_t m_smallest = 0;  ///< size of the term of the counterexample
};

}  // namespace

std::vector<RuleVerdict> testAnalysis(const std::shared_ptr<const rules::CompiledAnalysis>& analysis,
                                      const std::shared_ptr<const ir::OperatorRegistry>& registry,
                                      const RuleTestOptions& options) {
    std::optional<Clock::time_point> deadline;
    if (options.seconds > 0.0) {
        deadline =
            Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.seconds));
    }
    std::vector<RuleVerdict> verdicts;
    const auto test = [&](const rules::AnalysisEquation* equation) {
        verdicts.push_back(AnalysisTest(analysis, registry, options, deadline).run(equation));
    };
    if (!analysis->literals.empty()) test(nullptr);
    std::vector<ir::OpId> tested;
    for (const rules::AnalysisEquation& equation : analysis->operators) {
        if (std::ranges::find(tested, equation.op) != tested.end()) continue;
        tested.push_back(equation.op);
        test(&equation);
    }
    return verdicts;
}

}  // namespace mitos::eval
