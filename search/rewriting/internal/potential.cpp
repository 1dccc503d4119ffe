// SPDX-License-Identifier: GPL-3.0-or-later
// See potential.h.
#include "search/rewriting/internal/potential.h"

#include "core/rewrite/rewriter.h"
#include "search/rewriting/internal/estimate.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace mitos::search {

namespace {

constexpr std::uint64_t LargestProgram = 2000;

/// Builds small terms and tries the problem's rules on them.
class Probe {
public:
    explicit Probe(const SearchProblem& problem)
        : m_bank(problem.bank.sharedRegistry()),
          m_rewriter(m_bank, problem.rules) {}

    [[nodiscard]] ir::TermBank& bank() { return m_bank; }
    [[nodiscard]] ir::TermId variable(std::string_view name) {
        return m_bank.variable(m_bank.symbols().intern(name), m_bank.types().floating());
    }
    /// Returns an invalid id if the registry has no such operator.
    [[nodiscard]] ir::TermId make(std::string_view op, ir::TermId a, ir::TermId b) {
        const ir::OpId id = m_bank.registry().find(op);
        if (!id.isValid() || !a.isValid() || !b.isValid()) return {};
        const ir::TermId children[] = {a, b};
        const Result<ir::TermId> term = m_bank.make(id, children);
        return term ? *term : ir::TermId();
    }
    /// Whether one rewrite leads from `from` to `to`.
    [[nodiscard]] bool leads(ir::TermId from, ir::TermId to) {
        if (!from.isValid() || !to.isValid()) return false;
        return std::ranges::any_of(m_rewriter.all(from), [&](const auto& rewrite) { return rewrite.result == to; });
    }

private:
    ir::TermBank m_bank;
    rewrite::Rewriter m_rewriter;
};

AlgebraRules algebraOf(Probe& probe) {
    const ir::TermId a = probe.variable("a");
    const ir::TermId b = probe.variable("b");
    const ir::TermId c = probe.variable("c");
    const auto mul = [&](ir::TermId x, ir::TermId y) { return probe.make("mul", x, y); };
    const auto div = [&](ir::TermId x, ir::TermId y) { return probe.make("div", x, y); };
    const auto add = [&](ir::TermId x, ir::TermId y) { return probe.make("add", x, y); };
    const ir::TermId one = probe.bank().floating(1.0);
    const ir::TermId product = mul(a, add(b, c));
    const ir::TermId sum = add(mul(a, b), mul(a, c));
    return {.unit = probe.leads(mul(one, a), a),
            .divideOut = probe.leads(div(a, a), one),
            .subtractOut = probe.leads(probe.make("sub", a, a), probe.bank().floating(0.0)),
            .distribute = probe.leads(product, sum),
            .factor = probe.leads(sum, product),
            .factorDivisor = probe.leads(add(div(a, c), div(b, c)), div(add(a, b), c))};
}

/// Whether the rules can bind values, and lift and merge the lets.
bool canShare(Probe& probe) {
    ir::TermBank& bank = probe.bank();
    const ir::TypeId type = bank.types().floating();
    const Symbol x = bank.symbols().intern("x");
    const ir::TermId value = probe.make("add", probe.variable("a"), probe.variable("b"));
    if (!value.isValid()) return false;
    const ir::TermId bound = bank.let(x, value, bank.bound(0, type));
    const ir::TermId twice =
        bank.let(x, value, bank.let(x, value, probe.make("mul", bank.bound(1, type), bank.bound(0, type))));
    const ir::TermId merged = bank.let(x, value, probe.make("mul", bank.bound(0, type), bank.bound(0, type)));
    const ir::TermId lifted = bank.let(x, value, probe.make("mul", bank.bound(0, type), probe.variable("c")));
    return probe.leads(value, bound) && probe.leads(twice, merged) &&
           probe.leads(probe.make("mul", bound, probe.variable("c")), lifted);
}

double costOfLet(Probe& probe, const cost::CostModel& model) {
    ir::TermBank& bank = probe.bank();
    ir::Function function;
    function.name = "probe";
    function.argument = bank.types().unit();
    function.result = function.declaredResult = bank.types().floating();
    const Result<ir::FunctionId> id = bank.declare(std::move(function));
    const ir::TermId a = probe.variable("a");
    const auto costs = model.evaluator(bank, *id);
    return costs->costOrInfinity(bank.let(bank.symbols().intern("x"), a, bank.bound(0, bank.type(a)))) -
           costs->costOrInfinity(a);
}

class Potential final : public ValueFunction {
public:
    Potential(const SearchProblem& problem, Savings savings)
        : m_problem(problem),
          m_costs(problem.cost->evaluator(problem.bank, problem.program.function)),
          m_savings(savings),
          m_discount(std::get<double>(problem.parameters.at("discount"))) {}

    [[nodiscard]] std::vector<double> values(std::span<const ir::TermId> roots, TimesLeft times) override {
        std::vector<double> all(roots.size() * times.count());
        for (std::size_t i = 0; i < roots.size(); ++i) {
            estimate(roots[i], times, std::span(all).subspan(i * times.count(), times.count()));
        }
        return all;
    }

    [[nodiscard]] std::size_t bytes() const override { return m_costs->bytes(); }

private:
    struct Rules {
        AlgebraRules algebra;
        bool share = false;
        double letCost = 0.0;
    };

    /// The value of one program for each of the times; 0 for programs that are too large.
    void estimate(ir::TermId root, TimesLeft times, std::span<double> values) {
        const std::vector<Occurrence> tree =
            programTree(m_problem.bank, *m_costs, {m_problem.program.function, root}, LargestProgram);
        if (tree.empty()) return;
        if (!m_rules) learnRules();
        const bool share = m_savings.sharing && m_rules->share;
        const SharingEstimates shared =
            share ? sharingEstimates(m_problem.bank, tree, m_rules->letCost, times.least) : SharingEstimates();
        const Estimate simpler =
            m_savings.algebra ? algebraEstimate(m_problem.bank, tree, m_rules->algebra) : Estimate();
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto timeLeft = static_cast<std::uint32_t>(times.least + i);
            values[i] = std::max(total(within(shared, timeLeft), timeLeft), total({simpler}, timeLeft));
        }
    }

    void learnRules() {
        Probe probe(m_problem);
        m_rules = Rules{.algebra = algebraOf(probe), .share = canShare(probe)};
        if (m_rules->share) m_rules->letCost = costOfLet(probe, *m_problem.cost);
    }

    /// Sums the savings with the best saving per step first, as long as the steps fit into the time left; later savings are
    /// discounted more.
    [[nodiscard]] double total(std::vector<Estimate> estimates, std::uint32_t timeLeft) const {
        std::ranges::stable_sort(estimates, [](const Estimate& a, const Estimate& b) {
            return a.saving * static_cast<double>(b.steps) > b.saving * static_cast<double>(a.steps);
        });
        double sum = 0.0;
        std::uint32_t steps = 0;
        for (const Estimate& estimate : estimates) {
            if (estimate.saving <= 0.0 || steps + estimate.steps > timeLeft) continue;
            steps += estimate.steps;
            sum += estimate.saving * std::pow(m_discount, static_cast<double>(steps));
        }
        return sum;
    }

    SearchProblem m_problem;
    std::unique_ptr<cost::CostEvaluator> m_costs;
    Savings m_savings;
    double m_discount;
    std::optional<Rules> m_rules;  ///< determined on first use
};

}  // namespace

std::unique_ptr<ValueFunction> makePotential(const SearchProblem& problem, Savings savings) {
    return std::make_unique<Potential>(problem, savings);
}

}  // namespace mitos::search
