// SPDX-License-Identifier: GPL-3.0-or-later
// The program is run once on abstract values (sizes and constants). The cost of a term depends on its surroundings, so results are cached
// by term and environment; environments are interned, and a closed term always has the empty one.
#include "core/cost/internal/sized_evaluator.h"

#include "core/base/deep_stack.h"
#include "core/base/number_text.h"
#include "core/ir/calls.h"
#include "core/ir/fact_rule.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace mitos::cost {

using ir::AbstractValue;
using ir::CoreOp;
using ir::EnvId;
using ir::FunctionId;
using ir::Size;
using ir::TermId;
using ir::ValueId;
using ir::ValueKind;

namespace {

struct Outcome {
    double cost = 0.0;
    ValueId value;
};

/// Values of the bound variables, innermost first; the last entry represents a frame, a function with its arguments.
struct Environment {
    EnvId outer;  ///< invalid if this is a frame
    ValueId value;
    EnvId frame;
};

struct Frame {
    FunctionId function;
    absl::flat_hash_map<Symbol, ValueId> variables;
};

using Outcomes = absl::InlinedVector<Outcome, 4>;
using Costs = absl::InlinedVector<double, 4>;
using ValueList = absl::InlinedVector<ValueId, 4>;
using TypeList = absl::InlinedVector<ir::TypeId, 4>;

class SizedEvaluator : public CostEvaluator {
public:
    SizedEvaluator(const ir::TermBank& bank, FunctionId function, const Profile& profile, AssumedSizes sizes)
        : m_bank(bank),
          m_profile(profile),
          m_sizes(std::move(sizes)),
          m_values(ir::AbstractValues::Tracks::Constants),
          m_function(function),
          m_entered{function} {
        m_main = frame(function, assumedArguments(function));
    }

    Result<double> cost(TermId root, const std::stop_token&) override {
        m_newFrames = 0;
        Outcome outcome;
        withDeepStack(levels(root), [&] { outcome = evaluate(root, m_main); });
        return outcome.cost;
    }

    Result<std::vector<CostPart>> explain(TermId root, const std::stop_token&) override {
        m_newFrames = 0;
        std::vector<CostPart> parts;
        withDeepStack(levels(root), [&] {
            if (isFunction(m_bank, root)) {  // a function as the result: charged where it is applied
                const ValueId argument = anyOfType(m_bank.types().children(m_bank.type(root))[0]);
                explainFunction(root, m_main, argument, 0.0, 0.0, parts);
                parts.front().total = 0.0;
            } else {
                explainTerm(root, m_main, 1.0, parts);
            }
        });
        return parts;
    }

    [[nodiscard]] std::size_t bytes() const override {
        return m_outcomes.capacity() * (sizeof(decltype(m_outcomes)::value_type) + 1) +
               m_environments.capacity() * sizeof(Environment) +
               m_environmentIds.capacity() * (sizeof(decltype(m_environmentIds)::value_type) + 1) + m_values.bytes();
    }

private:
    class SizedFacts : public Facts {
    public:
        SizedFacts(SizedEvaluator& owner, const ValueList& children, ValueId result, std::optional<double> body)
            : m_owner(owner),
              m_children(children),
              m_result(result),
              m_body(body) {}
        [[nodiscard]] double elements(std::size_t i) const override { return m_owner.elements(m_children[i]); }
        [[nodiscard]] double length(std::size_t i) const override { return m_owner.length(m_children[i]); }
        [[nodiscard]] double iterations(std::size_t i) const override { return m_owner.iterations(m_children[i]); }
        [[nodiscard]] double resultElements() const override { return m_owner.elements(m_result); }
        [[nodiscard]] std::optional<bool> truth(std::size_t i) const override {
            return m_owner.m_values.truth(m_children[i]);
        }
        [[nodiscard]] std::optional<double> calledBody() const override { return m_body; }

    private:
        SizedEvaluator& m_owner;
        const ValueList& m_children;
        ValueId m_result;
        std::optional<double> m_body;
    };

    /// The costs and values of one term in one environment.
    struct Charged {
        Charge charge;
        Costs costs;          ///< of the children; of a function: one application
        ValueList values;     ///< of the children
        ValueList arguments;  ///< of children that are functions
        ValueId result;
        double total = 0.0;
        std::string reason;
    };

    /// An upper bound for nested evaluations: calls enter bodies, each at most once on a path.
    [[nodiscard]] std::size_t levels(TermId root) const { return ir::nestingWithCalls(m_bank, {m_function, root}); }

    ValueId anyOfType(ir::TypeId type) { return m_values.anyOfType(m_bank.types(), type); }

    [[nodiscard]] double product(std::span<const Size> sizes) const {
        double result = 1.0;
        for (const Size size : sizes) result *= static_cast<double>(size.number().value_or(m_sizes.otherwise));
        return std::min(result, LargestCost);
    }
    /// Number of index tuples below a size.
    [[nodiscard]] double iterations(ValueId size) const { return product(m_values.sizesFrom(size)); }
    /// Number of elements of a tensor; 1 for anything else.
    [[nodiscard]] double length(ValueId tensor) const {
        const AbstractValue& value = m_values[tensor];
        return value.kind == ValueKind::Tensor ? product(value.sizes) : 1.0;
    }
    /// Number of scalars in a value.
    [[nodiscard]] double elements(ValueId id) const {
        const AbstractValue& value = m_values[id];
        if (value.kind != ValueKind::Tuple && value.kind != ValueKind::Tensor) return 1.0;
        double sum = 0.0;
        for (const ValueId part : value.parts) sum += elements(part);
        return std::min(value.kind == ValueKind::Tensor ? product(value.sizes) * sum : sum, LargestCost);
    }

    [[nodiscard]] std::int64_t assumedSize(Symbol name) const {
        if (!name.isValid()) return m_sizes.otherwise;
        const std::string_view text = m_bank.text(name);
        if (const auto given = m_sizes.named.find(std::string(text)); given != m_sizes.named.end())
            return given->second;
        const std::optional<std::int64_t> constant = numberFrom<std::int64_t>(text);
        return constant && *constant >= 0 ? *constant : m_sizes.otherwise;
    }

    EnvId intern(const Environment& environment) {
        const EnvId fresh(static_cast<std::uint32_t>(m_environments.size()));
        const auto [place, isNew] = m_environmentIds.try_emplace({environment.outer, environment.value}, fresh);
        if (isNew) m_environments.push_back(environment);
        return place->second;
    }
    EnvId extended(EnvId outer, ValueId value) { return intern({outer, value, m_environments[outer.value].frame}); }

    /// The arguments that are assumed if the actual ones are not known.
    ValueList assumedArguments(FunctionId function) {
        ValueList arguments;
        for (const ir::Parameter& p : m_bank.function(function).parameters) {
            arguments.push_back(
                m_values.ofType(m_bank.types(), p.type, [this](Symbol name) { return Size::of(assumedSize(name)); }));
        }
        return arguments;
    }

    /// The frame of a function for these arguments; its key contains the arguments as a tuple.
    EnvId frame(FunctionId function, const ValueList& arguments) {
        const std::pair key(function, m_values.tuple(arguments));
        if (const auto known = m_frameIds.find(key); known != m_frameIds.end()) return known->second;
        const EnvId id(static_cast<std::uint32_t>(m_environments.size()));
        m_environments.push_back({EnvId(), ValueId(), id});
        ++m_newFrames;
        Frame& made = m_frames[id];
        made.function = function;
        const ir::Function& f = m_bank.function(function);
        for (std::size_t i = 0; i < f.parameters.size(); ++i) made.variables[f.parameters[i].name] = arguments[i];
        for (const ir::SizeName& size : f.sizes) made.variables[size.name] = sizeNamed(size, arguments);
        m_frameIds.emplace(key, id);
        return id;
    }

    /// Value of a size name: read from the argument, else the size assumed for the name.
    ValueId sizeNamed(const ir::SizeName& size, const ValueList& arguments) {
        if (size.parameter && *size.parameter < arguments.size()) {
            ValueId at = arguments[*size.parameter];
            for (const std::uint32_t step : size.steps) {
                if (step >= m_values[at].parts.size()) return m_values.integer(assumedSize(size.name));
                at = m_values[at].parts[step];
            }
            const AbstractValue& tensor = m_values[at];
            if (tensor.kind == ValueKind::Tensor && size.dimension < tensor.sizes.size()) {
                const std::optional<std::int64_t> known = tensor.sizes[size.dimension].number();
                return known ? m_values.integer(*known) : m_values.unknown();
            }
        }
        return m_values.integer(assumedSize(size.name));
    }

    ValueId boundValue(TermId term, EnvId environment) {
        EnvId at = environment;
        for (std::uint32_t i = m_bank.payload(term).asIndex(); i > 0 && m_environments[at.value].outer.isValid(); --i) {
            at = m_environments[at.value].outer;
        }
        const Environment& found = m_environments[at.value];
        return found.outer.isValid() ? found.value : anyOfType(m_bank.type(term));
    }

    ValueId leafValue(TermId term, EnvId environment) {
        const ir::Payload& payload = m_bank.payload(term);
        switch (payload.kind()) {
            case ir::PayloadKind::Integer:
            case ir::PayloadKind::Float:
            case ir::PayloadKind::Bool: return m_values.literal(payload);
            case ir::PayloadKind::Index: return boundValue(term, environment);
            case ir::PayloadKind::Name: {
                const Frame& frame = m_frames.at(m_environments[environment.value].frame);
                const auto found = frame.variables.find(payload.asSymbol());
                if (found != frame.variables.end()) return found->second;
                break;
            }
            default: break;
        }
        return anyOfType(m_bank.type(term));
    }

    Outcome evaluate(TermId term, EnvId environment) {
        if (m_bank.is(term, CoreOp::Lam)) return {0.0, m_values.function(term, environment)};
        if (m_bank.looseBound(term) == 0) environment = m_environments[environment.value].frame;
        if (m_bank.childCount(term) == 0 && !m_bank.is(term, CoreOp::Call)) {
            Charge charged = charge(m_bank, term, m_profile, {}, SizedFacts(*this, {}, {}, {}));
            return {charged.own, leafValue(term, environment)};
        }
        const std::pair key(term, environment);
        if (const auto known = m_outcomes.find(key); known != m_outcomes.end()) return known->second;
        const Outcome outcome = outcomeOf(*charged(term, environment, false));
        m_outcomes.emplace(key, outcome);
        return outcome;
    }

    static Outcome outcomeOf(const Charged& c) { return {c.total, c.result}; }

    Outcome apply(ValueId function, ValueId argument, ir::TypeId functionType) {
        const AbstractValue closure = m_values[function];
        if (closure.kind != ValueKind::Function) {
            return {0.0, anyOfType(m_bank.types().children(functionType)[1])};
        }
        const TermId lambda(static_cast<std::uint32_t>(closure.bits));
        return evaluate(m_bank.child(lambda, 0), extended(closure.environment, argument));
    }

    /// Allocated on the heap, so that a level of the recursion takes little stack.
    std::unique_ptr<Charged> charged(TermId term, EnvId environment, bool withReason) {
        auto c = std::make_unique<Charged>();
        const std::size_t count = m_bank.childCount(term);
        c->arguments.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            const EnvId below = m_bank.boundIn(term, i) > 0 ? extended(environment, c->values[0]) : environment;
            const Outcome child = evaluate(m_bank.child(term, i), below);
            c->costs.push_back(child.cost);
            c->values.push_back(child.value);
        }
        const bool isOfDialect = m_bank.op(term).value >= static_cast<std::uint32_t>(CoreOp::Count);
        std::optional<double> body;
        c->result = isOfDialect ? operatorValue(term, *c) : coreValue(term, *c, environment, body);
        c->charge = charge(m_bank, term, m_profile, c->costs, SizedFacts(*this, c->values, c->result, body),
                           withReason ? &c->reason : nullptr);
        c->total = total(c->charge, c->costs);
        return c;
    }

    /// The value of an operator by its transfer rule; adds the costs of one application of each function to those of the children.
    ValueId operatorValue(TermId term, Charged& c) {
        ValueList results = c.values;
        TypeList types;
        absl::InlinedVector<std::uint32_t, 4> sources;
        for (const TermId child : m_bank.children(term)) {
            types.push_back(m_bank.type(child));
            sources.push_back(child.value);
        }
        const ir::OpId op = m_bank.op(term);
        const auto input = [&] {
            return ir::FactInput{m_values,
                                 m_bank.types(),
                                 op,
                                 m_bank.registry().info(op),
                                 m_bank.payload(term),
                                 m_bank.type(term),
                                 types,
                                 c.values,
                                 results,
                                 sources};
        };
        for (std::size_t i = 0; i < types.size(); ++i) {
            if (!isFunction(m_bank, m_bank.child(term, i))) continue;
            c.arguments[i] = ir::argumentOf(input(), i);
            const Outcome once = apply(c.values[i], c.arguments[i], types[i]);
            c.costs[i] = std::min(c.costs[i] + once.cost, LargestCost);
            results[i] = once.value;
        }
        return ir::factsOf(input()).value;
    }

    ValueId coreValue(TermId term, const Charged& c, EnvId environment, std::optional<double>& body) {
        switch (static_cast<CoreOp>(m_bank.op(term).value)) {
            case CoreOp::Let: return c.values[1];
            case CoreOp::Tuple: return m_values.tuple(c.values);
            case CoreOp::Get: {
                const AbstractValue& tuple = m_values[c.values[0]];
                const std::uint32_t index = m_bank.payload(term).projectionIndex();
                if (tuple.kind == ValueKind::Tuple && index < tuple.parts.size()) return tuple.parts[index];
                return anyOfType(m_bank.type(term));
            }
            case CoreOp::Call: {
                const FunctionId function = m_bank.payload(term).asFunction();
                if (!m_bank.function(function).body.isValid() || !m_entered.insert(function).second) break;
                // Functions that call each other with different numbers every time have exponentially many frames.
                const EnvId entered =
                    frame(function, m_newFrames < MostNewFrames ? c.values : assumedArguments(function));
                const Outcome called = evaluate(m_bank.function(function).body, entered);
                m_entered.erase(function);
                body = called.cost;
                return called.value;
            }
            case CoreOp::Lam: return m_values.function(term, environment);
            default: return leafValue(term, environment);
        }
        return anyOfType(m_bank.type(term));
    }

    void explainTerm(TermId term, EnvId environment, double times, std::vector<CostPart>& parts) {
        if (m_bank.looseBound(term) == 0) environment = m_environments[environment.value].frame;
        const std::unique_ptr<Charged> c = charged(term, environment, true);
        parts.push_back({c->charge.own, c->total, times, std::move(c->reason)});
        for (std::size_t i = 0; i < c->costs.size(); ++i) {
            const TermId child = m_bank.child(term, i);
            const double childTimes = times * c->charge.times[i];
            if (isFunction(m_bank, child)) {
                const ValueId argument = c->arguments[i].isValid()
                                             ? c->arguments[i]
                                             : anyOfType(m_bank.types().children(m_bank.type(child))[0]);
                explainFunction(child, environment, argument, c->costs[i], childTimes, parts);
            } else {
                const EnvId below = m_bank.boundIn(term, i) > 0 ? extended(environment, c->values[0]) : environment;
                explainTerm(child, below, childTimes, parts);
            }
        }
    }

    /// Explains the body of a lambda for its argument. Any other function value is one part: its parts are charged where it was created.
    void explainFunction(TermId term, EnvId environment, ValueId argument, double once, double times,
                         std::vector<CostPart>& parts) {
        if (m_bank.is(term, CoreOp::Lam)) {
            const EnvId inside = extended(environment, argument);
            const double bodyCost = evaluate(m_bank.child(term, 0), inside).cost;
            parts.push_back({0.0, bodyCost, times, "lam: 0, its body is charged where the function is used"});
            explainTerm(m_bank.child(term, 0), inside, times, parts);
            return;
        }
        parts.push_back({once, once, times, "one application of this function"});
        ir::forEachSubterm(m_bank, term, [&](const ir::Path& below, TermId) {
            if (below.empty()) return true;
            parts.push_back({0.0, 0.0, 0.0, "charged with the function"});
            return true;
        });
    }

    const ir::TermBank& m_bank;
    Profile m_profile;
    AssumedSizes m_sizes;
    ir::AbstractValues m_values;
    static constexpr std::size_t MostNewFrames = 50'000;  // per program; further calls get assumed arguments

    FunctionId m_function;
    std::size_t m_newFrames = 0;                // since costing of the current program began
    absl::flat_hash_set<FunctionId> m_entered;  // functions being costed, and the program's own function
    std::vector<Environment> m_environments;
    absl::flat_hash_map<std::pair<EnvId, ValueId>, EnvId> m_environmentIds;
    absl::flat_hash_map<EnvId, Frame> m_frames;
    absl::flat_hash_map<std::pair<FunctionId, ValueId>, EnvId> m_frameIds;
    absl::flat_hash_map<std::pair<TermId, EnvId>, Outcome> m_outcomes;
    EnvId m_main;
};

}  // namespace

std::unique_ptr<CostEvaluator> sizedEvaluator(const ir::TermBank& bank, FunctionId function, const Profile& profile,
                                              const AssumedSizes& sizes) {
    return std::make_unique<SizedEvaluator>(bank, function, profile, sizes);
}

}  // namespace mitos::cost
