// SPDX-License-Identifier: GPL-3.0-or-later
// See gain_map.h.
#include "search/rewriting/gain_map.h"

#include "core/base/suggestion.h"
#include "core/ir/binding.h"
#include "core/ir/shared.h"
#include "core/ir/transplant.h"
#include "search/rewriting/internal/program_tree.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

namespace mitos::search {

namespace {

constexpr double NoNumber = std::numeric_limits<double>::quiet_NaN();
/// Nodes of the parts that are valued in one call, which cannot be stopped.
constexpr std::uint64_t NodesPerCall = 50'000;
/// A difference of gains below this share of them is rounding.
constexpr double GainRounding = 1e-9;

/// A distinct subterm that is valued.
struct ValuedPart {
    ir::TermId term;
    std::uint64_t size = 0;
};

/// Turns subterms into programs of their own: a loose bound variable becomes a free variable of the same type.
class Closing {
public:
    explicit Closing(ir::TermBank& bank) : m_bank(bank) {}

    ir::TermId closed(ir::TermId term) {
        const std::uint32_t loose = m_bank.looseBound(term);
        if (loose == 0) return term;
        return ir::substituteLoose(m_bank, term, loose, -static_cast<std::int32_t>(loose),
                                   [this](std::uint32_t index, ir::TypeId type) {
                                       // No program has a variable of such a name, as names contain no spaces.
                                       const std::string name = fmt::format("bound {}", index);
                                       return m_bank.variable(m_bank.symbols().intern(name), type);
                                   });
    }

private:
    ir::TermBank& m_bank;
};

bool isFunction(const ir::TermBank& bank, ir::TermId term) {
    return bank.types().kind(bank.type(term)) == ir::TypeKind::Lambda;
}

/// Fills in the parameters of the value function that the problem does not give.
Result<std::unique_ptr<ValueFunction>> valueOf(const ValueInfos& values, SearchProblem& problem) {
    const std::string& name = std::get<std::string>(problem.parameters.at("value"));
    const auto found = std::ranges::find(values, name, &ValueInfo::name);
    if (found == values.end()) {
        std::vector<std::string_view> names;
        for (const ValueInfo& value : values) names.emplace_back(value.name);
        return noSuchName("value function", name, names);
    }
    problem.parameters.try_emplace("discount", 1.0);
    for (const ParameterInfo& parameter : found->parameters)
        problem.parameters.try_emplace(parameter.name, parameter.defaultValue);
    MITOS_TRY(std::unique_ptr<ValueFunction> value, found->make(problem));
    if (value->isZero() && name != "zero") {
        return Error{ErrorCode::Unsupported,
                     fmt::format("The value function {} has no estimates for programs of this kind.", name)};
    }
    return value;
}

/// The parts that the limits allow, the smallest first.
std::vector<ValuedPart> partsOf(const ir::TermBank& bank, const std::vector<Occurrence>& nodes, ir::Sharing sharing,
                                const GainLimits& limits) {
    std::vector<ValuedPart> parts;
    absl::flat_hash_set<ir::TermId> known;
    for (const Occurrence& node : nodes) {
        if (isFunction(bank, node.term)) continue;
        if (known.insert(node.term).second) parts.push_back({node.term, ir::sizeOf(bank, node.term, sharing)});
    }
    std::ranges::stable_sort(parts, {}, &ValuedPart::size);
    std::uint64_t total = 0;
    const auto end = std::ranges::find_if(parts, [&](const ValuedPart& part) {
        total += part.size;
        return part.size > limits.part || total > limits.allParts;
    });
    parts.erase(end, parts.end());
    return parts;
}

/// GainRows of values, by the subterm as it stands in the program.
using GainRows = absl::flat_hash_map<ir::TermId, std::vector<double>>;

/// The values of all parts; a row is empty if one of its numbers is not finite.
Result<GainRows> valuesOf(ir::TermBank& bank, ValueFunction& value, const std::vector<ValuedPart>& parts,
                          TimesLeft steps, const std::stop_token& stop, absl::FunctionRef<void(double)> progress) {
    GainRows rows;
    Closing closing(bank);
    std::uint64_t all = 0;
    for (const ValuedPart& part : parts) all += part.size;
    std::uint64_t done = 0;
    for (std::size_t first = 0; first < parts.size();) {
        std::vector<ir::TermId> roots;
        for (std::uint64_t inCall = 0; first + roots.size() < parts.size() && inCall < NodesPerCall;) {
            if (stop.stop_requested()) return Error{ErrorCode::Cancelled, "The estimate of gains was stopped."};
            const ValuedPart& part = parts[first + roots.size()];
            inCall += part.size;
            done += part.size;
            roots.push_back(closing.closed(part.term));
        }
        const std::vector<double> found = value.values(roots, steps);
        for (std::size_t i = 0; i < roots.size(); ++i) {
            const std::span<const double> row = std::span(found).subspan(i * steps.count(), steps.count());
            const bool isFinite = std::ranges::all_of(row, [](double number) { return std::isfinite(number); });
            rows.emplace(parts[first + i].term,
                         isFinite ? std::vector<double>(row.begin(), row.end()) : std::vector<double>());
        }
        first += roots.size();
        progress(static_cast<double>(done) / static_cast<double>(all));
    }
    return rows;
}

/// For each node with a number the nearest ones below it that have one.
std::vector<std::vector<std::uint32_t>> operandsOf(const ir::TermBank& bank, const std::vector<Occurrence>& nodes,
                                                   ir::Sharing sharing, const std::vector<bool>& hasNumber) {
    std::vector<std::vector<std::uint32_t>> children(nodes.size());
    if (sharing == ir::Sharing::Tree) {
        for (std::uint32_t i = 1; i < nodes.size(); ++i) children[nodes[i].parent].push_back(i);
    } else {
        absl::flat_hash_map<ir::TermId, std::uint32_t> numbers;
        for (std::uint32_t i = 0; i < nodes.size(); ++i) numbers.emplace(nodes[i].term, i);
        for (std::uint32_t i = 0; i < nodes.size(); ++i) {
            for (const ir::TermId child : bank.children(nodes[i].term)) children[i].push_back(numbers.at(child));
        }
    }
    std::vector<std::vector<std::uint32_t>> operands(nodes.size());
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        if (!hasNumber[i]) continue;
        absl::flat_hash_set<std::uint32_t> seen;
        std::vector<std::uint32_t> open = children[i];
        while (!open.empty()) {
            const std::uint32_t at = open.back();
            open.pop_back();
            if (!seen.insert(at).second) continue;
            if (hasNumber[at])
                operands[i].push_back(at);
            else
                open.insert(open.end(), children[at].begin(), children[at].end());
        }
    }
    return operands;
}

}  // namespace

GainMap::GainMap(TimesLeft steps, std::vector<double> costs, std::vector<double> gains,
                 std::vector<std::vector<std::uint32_t>> operands, std::size_t large)
    : m_steps(steps),
      m_costs(std::move(costs)),
      m_gains(std::move(gains)),
      m_arising(m_gains),
      m_largest(steps.count(), 0.0),
      m_large(large) {
    const std::size_t columns = steps.count();
    for (std::size_t node = 0; node < m_costs.size(); ++node) {
        for (std::size_t column = 0; column < columns; ++column) {
            const double gain = m_gains[node * columns + column];
            if (std::isnan(gain)) continue;
            double rest = gain;
            for (const std::uint32_t operand : operands[node]) rest -= m_gains[operand * columns + column];
            if (rest <= GainRounding * gain) rest = 0.0;
            m_arising[node * columns + column] = rest;
            m_largest[column] = std::max(m_largest[column], rest);
        }
    }
}

std::optional<double> GainMap::at(const std::vector<double>& table, std::size_t node, std::uint32_t steps) const {
    assert(steps >= m_steps.least && steps <= m_steps.most);
    const double number = table[node * m_steps.count() + (steps - m_steps.least)];
    return std::isnan(number) ? std::nullopt : std::optional(number);
}

std::optional<double> GainMap::gain(std::size_t node, std::uint32_t steps) const { return at(m_gains, node, steps); }

std::optional<double> GainMap::arising(std::size_t node, std::uint32_t steps) const {
    return at(m_arising, node, steps);
}

std::optional<double> GainMap::heat(std::size_t node, std::uint32_t steps) const {
    const std::optional<double> own = arising(node, steps);
    if (!own || largest(steps) <= 0.0) return own;
    return *own / largest(steps);
}

Result<GainMap> gainMap(const ValueInfos& values, const SearchProblem& problem, TimesLeft steps,
                        const GainLimits& limits, const std::stop_token& stop,
                        absl::FunctionRef<void(double)> progress) {
    const ir::Sharing sharing = problem.bank.function(problem.program.function).sharing;
    const std::uint64_t size = ir::sizeOf(problem.bank, problem.program.root, sharing);
    if (size > limits.nodes) {
        return Error{ErrorCode::Limit,
                     fmt::format("The program has {} nodes; gains are estimated for at most {}.", size, limits.nodes)};
    }
    ir::TermBank bank(problem.bank.sharedRegistry());
    const ir::Program program = ir::Transplanter(problem.bank, bank).program(problem.program);
    SearchProblem own{bank,           program,      problem.rules,      problem.cost,
                      problem.budget, problem.seed, problem.parameters, problem.comparingSeconds};
    MITOS_TRY(const std::unique_ptr<ValueFunction> value, valueOf(values, own));
    const std::unique_ptr<cost::CostEvaluator> costs = problem.cost->evaluator(bank, program.function);
    MITOS_REQUIRE(costs->cost(program.root, stop));
    const std::vector<Occurrence> nodes = programTree(bank, *costs, program, std::numeric_limits<std::uint64_t>::max());
    assert(nodes.size() == size);

    const std::vector<ValuedPart> parts = partsOf(bank, nodes, sharing, limits);
    MITOS_TRY(const GainRows rows, valuesOf(bank, *value, parts, steps, stop, progress));
    const std::size_t columns = steps.count();
    std::vector<double> contributions(nodes.size());
    std::vector<double> gains(nodes.size() * columns, NoNumber);
    std::vector<bool> hasNumber(nodes.size(), false);
    std::size_t large = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const Occurrence& node = nodes[i];
        contributions[i] = sharing == ir::Sharing::Tree ? node.total : node.own;
        const auto row = rows.find(node.term);
        if (row == rows.end()) large += isFunction(bank, node.term) ? 0 : 1;
        if (row == rows.end() || row->second.empty()) continue;
        hasNumber[i] = true;
        std::ranges::transform(row->second, gains.begin() + static_cast<std::ptrdiff_t>(i * columns),
                               [&node](double once) { return std::max(0.0, once) * node.times; });
    }
    return GainMap(steps, std::move(contributions), std::move(gains), operandsOf(bank, nodes, sharing, hasNumber),
                   large);
}

}  // namespace mitos::search
