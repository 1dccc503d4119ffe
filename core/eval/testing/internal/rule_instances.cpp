// SPDX-License-Identifier: GPL-3.0-or-later
// Fills the variables of rules.
#include "core/eval/testing/internal/rule_instances.h"

#include "core/eval/samples.h"
#include "core/eval/testing/internal/analysed_terms.h"
#include "core/eval/testing/internal/pattern_terms.h"
#include "core/eval/testing/internal/simple_terms.h"
#include "core/eval/testing/random_terms.h"
#include "core/ir/binding.h"
#include "core/ks/operators.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace mitos::eval {

using ir::TermId;
using ir::TypeId;
using rules::Binding;
using rules::NodeKind;
using rules::VarKind;

namespace {

constexpr std::size_t MaxTypings = 200;
/// No random vector has this many elements.
constexpr std::int64_t OutsideOfVectors = 9;
/// A program may have loops over loops of this size.
constexpr std::int64_t LargestSizeOfRule = 64;

/// A number of the list, rather one of the first.
template <typename Number>
Number draw(const std::vector<Number>& numbers, Random& random) {
    return numbers[random.below(1 + random.below(numbers.size()))];
}

}  // namespace

RuleInstances::RuleInstances(ir::TermBank& bank, const rules::CompiledDirection& direction)
    : m_bank(bank),
      m_direction(direction) {
    ir::TypeTable& types = bank.types();
    SymbolTable& symbols = bank.symbols();
    const TypeId vec = types.vec(types.floating());
    const std::array<std::pair<const char*, TypeId>, 9> parameters{{{"x", types.floating()},
                                                                    {"y", types.floating()},
                                                                    {"z", types.floating()},
                                                                    {"k", types.integer()},
                                                                    {"l", types.integer()},
                                                                    {"p", types.boolean()},
                                                                    {"v", vec},
                                                                    {"w", vec},
                                                                    {"m", types.vec(vec)}}};
    ir::Function function;
    function.name = "instance";
    std::vector<TypeId> argument;
    for (const auto& [name, type] : parameters) {
        function.parameters.push_back({symbols.intern(name), type});
        argument.push_back(type);
    }
    function.argument = types.tuple(argument);
    function.result = types.floating();
    function.declaredResult = function.result;
    const Result<ir::FunctionId> declared = bank.declare(std::move(function));
    assert(declared.ok());
    m_function = *declared;
    readWishes();
    DecidingNumbers constants;
    for (const rules::Node& node : direction.compiled().table.nodes) {
        m_hasLoops = m_hasLoops || (node.kind == NodeKind::Apply && node.op == ks::opId(ks::Op::Loop));
        const bool isNumber = node.kind == NodeKind::Number || node.kind == NodeKind::Approx;
        if (!isNumber && node.kind != NodeKind::Literal) continue;
        if (node.payload.kind() == ir::PayloadKind::Integer) {
            constants.integers.push_back(node.payload.asInteger());
        } else if (isNumber || node.payload.kind() == ir::PayloadKind::Float) {
            constants.floats.push_back(isNumber ? node.value : node.payload.asFloat());
        }
    }
    addDecidingNumbers(constants, m_numbers);
    m_numbers = withNeighbours(m_numbers);
    for (const std::int64_t size : m_numbers.integers) {
        if (size >= 0 && size <= LargestSizeOfRule) m_sizes.push_back(size);
    }
    rules::forEachTyping(direction.compiled(), bank.registry(), types, true, [&](const rules::Typing& typing) {
        m_typings.push_back(typing);
        return m_typings.size() < MaxTypings;
    });
}

void RuleInstances::readWishes() {
    const rules::CompiledRule& rule = m_direction.compiled();
    m_wishes.assign(rule.variables.size(), Wish::Anything);
    for (const rules::ConditionNode& condition : rule.table.conditions) {
        if (condition.owner != rules::Owner::Rule || condition.var >= m_wishes.size()) continue;
        Wish& wish = m_wishes[condition.var];
        const bool asks = condition.kind == rules::ConditionKind::Attribute;
        if (asks && condition.attribute == rules::Attribute::IsZero) wish = Wish::Zero;
        if (asks && condition.attribute == rules::Attribute::IsNonzero) wish = Wish::Nonzero;
        if (asks && (condition.attribute == rules::Attribute::IsPositive ||
                     condition.attribute == rules::Attribute::IsNonnegative)) {
            wish = Wish::Positive;
        }
        if (asks && condition.attribute == rules::Attribute::Analysis) {
            wish = Wish::Analysed;
            m_analysis = (*rule.analyses)[condition.analysis];
            continue;
        }
        if (wish == Wish::Analysed) continue;
        const bool isConstant = condition.attribute == rules::Attribute::IsConst;
        if ((asks && isConstant) || condition.kind == rules::ConditionKind::Value) wish = Wish::Constant;
    }
}

std::optional<RuleInstance> RuleInstances::make(Random& random, std::uint32_t maxSize, bool surroundings) {
    m_usualSize = !m_sizes.empty() && random.chance(0.1) ? draw(m_sizes, random) : random.integer(1, 3);
    m_isOfWideIntegers = random.chance(0.1);
    m_isWide = false;
    m_isOfEmptyLoops = random.chance(0.1);
    return m_typings.empty() ? fromProgram(random, maxSize) : fromTyping(random, maxSize, surroundings);
}

TermId RuleInstances::filling(TypeId type, Wish wish, const std::vector<TypeId>& bound, Random& random,
                              std::uint32_t maxSize) {
    const TermScope scope{m_bank.function(m_function).parameters, bound, m_usualSize};
    if (wish == Wish::Constant && !m_bank.types().isTensor(type) && random.chance(0.6))
        return randomTerm(m_bank, type, {}, random, 1);
    if (wish == Wish::Analysed && random.chance(0.9)) {
        return analysedTerm(m_bank, *m_analysis, type, scope.free, random, 1 + maxSize / 2);
    }
    if (wish == Wish::Zero && random.chance(0.9)) {
        const TermId zero = zeroTerm(m_bank, type, m_usualSize);
        if (zero.isValid()) return zero;
    }
    if ((wish == Wish::Positive || wish == Wish::Nonzero) && random.chance(0.9)) {
        const TermId known = signedTerm(type, wish == Wish::Nonzero && random.chance(0.3), bound, random, maxSize);
        if (known.isValid()) return known;
    }
    if (m_isOfEmptyLoops && random.chance(0.5)) {
        if (type == m_bank.types().integer()) return m_bank.integer(0);
        if (type == m_bank.types().floating()) {
            const TermId vector = m_bank.variable(m_bank.symbols().intern("v"), m_bank.types().vec(type));
            return eval::make(m_bank, ks::Op::Index, {m_bank.integer(OutsideOfVectors), vector});
        }
    }
    if (random.chance(0.1)) {
        const TermId number = ownNumber(type, random);
        if (number.isValid()) return number;
    }
    if (m_isOfWideIntegers && type == m_bank.types().integer() && random.chance(0.4)) {
        m_isWide = true;
        return m_bank.integer(wideInteger(random));
    }
    // Sizes and indices must be small for loops to run; constants and plain variables make guards and equal subterms.
    if (type == m_bank.types().integer() && random.chance(0.5)) return m_bank.integer(random.integer(0, 4));
    if (random.chance(0.15) && type == m_bank.types().floating()) {
        constexpr std::array<double, 6> Special{0.0, 1.0, -1.0, 2.0, 0.5, 3.0};
        return m_bank.floating(Special.at(random.below(Special.size())));
    }
    return randomTerm(m_bank, type, scope, random, random.chance(0.3) ? 1 : maxSize);
}

TermId RuleInstances::ownNumber(TypeId type, Random& random) {
    if (type == m_bank.types().floating() && !m_numbers.floats.empty())
        return m_bank.floating(draw(m_numbers.floats, random));
    if (type != m_bank.types().integer() || m_numbers.integers.empty()) return {};
    const std::int64_t number = draw(m_numbers.integers, random);
    m_isWide = m_isWide || number > LargestUsualInteger || number < -LargestUsualInteger;
    return m_bank.integer(number);
}

/// A number that is certain to be positive, or negative: a constant, or a term that cannot have another sign. Invalid for other types.
TermId RuleInstances::signedTerm(TypeId type, bool isNegative, const std::vector<TypeId>& bound, Random& random,
                                 std::uint32_t maxSize) {
    if (type == m_bank.types().integer())
        return m_bank.integer(isNegative ? random.integer(-4, -1) : random.integer(1, 4));
    if (type != m_bank.types().floating()) return {};
    const TermId any = filling(type, Wish::Anything, bound, random, maxSize);
    TermId positive;
    switch (random.below(4)) {
        case 0: positive = m_bank.floating(std::pow(10.0, random.uniform(-3.0, 3.0))); break;
        case 1: positive = eval::make(m_bank, ks::Op::Exp, {any}); break;
        case 2:
            positive =
                eval::make(m_bank, ks::Op::Add, {eval::make(m_bank, ks::Op::Mul, {any, any}), m_bank.floating(0.5)});
            break;
        default: positive = eval::make(m_bank, ks::Op::Max, {any, m_bank.floating(random.uniform(0.01, 2.0))}); break;
    }
    return isNegative ? eval::make(m_bank, ks::Op::Neg, {positive}) : positive;
}

void RuleInstances::choices(const rules::Typing& typing, std::uint32_t index, Binding& into) {
    const rules::NodeTable& table = m_direction.compiled().table;
    const rules::Node& node = table.nodes[index];
    if (node.kind == NodeKind::Number) {
        const bool isInteger = typing.numbers[index] == m_bank.types().integer();
        into.sequence.push_back(isInteger ? m_bank.integer(node.payload.asInteger()) : m_bank.floating(node.value));
    }
    if (node.kind == NodeKind::Approx) into.sequence.push_back(m_bank.floating(node.value));
    for (std::size_t i = 0; i < node.childCount; ++i) choices(typing, table.children[node.firstChild + i], into);
}

std::optional<rules::Substitution> RuleInstances::substitution(const rules::Typing& typing,
                                                               const std::vector<TypeId>& outer, Random& random,
                                                               std::uint32_t maxSize) {
    const rules::CompiledRule& rule = m_direction.compiled();
    rules::Substitution result;
    result.values.resize(rule.valueCount);
    for (std::size_t i = 0; i < rule.valueCount; ++i) {
        const rules::Variable& variable = rule.variables[i];
        Binding& value = result.values[i];
        std::vector<TypeId> bound = outer;
        for (const rules::VarIndex entry : variable.context) bound.push_back(typing.types[entry]);
        switch (variable.kind) {
            case VarKind::Term: value.term = filling(typing.types[i], m_wishes[i], bound, random, maxSize); break;
            case VarKind::Sequence:
                for (const TypeId type : typing.sequences[i])
                    value.sequence.push_back(filling(type, m_wishes[i], bound, random, maxSize));
                break;
            case VarKind::Binder: {
                if (!typing.types[i].isValid()) return std::nullopt;
                value.term = m_bank.variable(m_bank.symbols().intern(variable.name), typing.types[i]);
                break;
            }
            case VarKind::Attribute: value.term = m_bank.integer(typing.attributes[i]); break;
            case VarKind::Choices: choices(typing, rule.left, value); break;
            case VarKind::Function: return std::nullopt;
        }
    }
    return result;
}

TermId RuleInstances::enclosed(TermId term, const std::vector<TypeId>& outer, Random& random, ir::Path& position) {
    const ir::TypeTable& types = m_bank.types();
    TermId result = term;
    const auto below = [&](std::initializer_list<std::uint32_t> steps) {
        position.insert(position.begin(), steps.begin(), steps.end());
    };
    for (std::size_t i = outer.size(); i-- > 0;) {
        const std::vector<TypeId> above(outer.begin(), outer.begin() + static_cast<std::ptrdiff_t>(i));
        const TermScope scope{m_bank.function(m_function).parameters, above, m_usualSize};
        const Symbol hint = m_bank.symbols().intern("o" + std::to_string(i));
        if (outer[i] == types.integer()) {
            const TermId size = m_bank.integer(random.integer(1, 3));
            result = eval::make(m_bank, ks::Op::Build, {size, m_bank.lambda(hint, outer[i], result)});
            below({1, 0});
        } else {
            result = m_bank.let(hint, randomTerm(m_bank, outer[i], scope, random, 4), result);
            below({1});
        }
    }
    if (!random.chance(0.5)) return result;
    const std::array elements{m_bank.boolean(true), result};
    below({1});
    return m_bank.tuple(elements);
}

/// A linear map cannot be compared as a value, so it is applied to a tangent, in one direction or the other.
TermId RuleInstances::applied(TermId map, const std::vector<TypeId>& outer, Random& random, ir::Path& position) {
    ir::TypeTable& types = m_bank.types();
    const TypeId source = types.tangent(types.children(m_bank.type(map))[0]);
    const TypeId target = types.tangent(types.children(m_bank.type(map))[1]);
    const bool forward = random.chance(0.5);
    const TermId tangent = filling(forward ? source : target, Wish::Anything, outer, random, 3);
    position.push_back(forward ? 0 : 1);
    return forward ? eval::make(m_bank, ks::Op::LmApply, {map, tangent})
                   : eval::make(m_bank, ks::Op::LmApplyR, {tangent, map});
}

std::optional<RuleInstance> RuleInstances::at(TermId program, const ir::Path& position, TermId subject,
                                              const rules::Substitution& substitution) {
    const Result<TermId> replacement = m_direction.apply(m_bank, substitution, subject);
    // A replacement equal to the subject says nothing about the rule.
    if (!replacement || *replacement == subject) return std::nullopt;
    const Result<TermId> after = ir::replaceAt(m_bank, program, position, *replacement);
    if (!after) return std::nullopt;
    return RuleInstance{program, *after, position, subject, *replacement, m_usualSize, m_isWide};
}

std::optional<RuleInstance> RuleInstances::fromTyping(Random& random, std::uint32_t maxSize, bool surroundings) {
    // The first typings are the plain ones (Floats): half of the instances use one of them.
    const std::size_t first = std::min<std::size_t>(m_typings.size(), 3);
    const rules::Typing& typing = m_typings[random.below(random.chance(0.5) ? first : m_typings.size())];
    std::vector<TypeId> outer;
    ir::TypeTable& types = m_bank.types();
    const std::array kinds{types.integer(), types.floating(), types.vec(types.floating())};
    if (surroundings) {
        for (std::size_t count = random.below(3); count > 0; --count)
            outer.push_back(kinds.at(random.below(kinds.size())));
    }
    const std::optional<rules::Substitution> values = substitution(typing, outer, random, maxSize);
    if (!values) return std::nullopt;
    const Result<TermId> subject = m_direction.left(m_bank, *values);
    if (!subject || !m_direction.guardHolds(m_bank, *values)) return std::nullopt;
    TermId program = *subject;
    ir::Path position;
    if (types.kind(m_bank.type(program)) == ir::TypeKind::LinearMap)
        program = applied(program, outer, random, position);
    if (surroundings) program = enclosed(program, outer, random, position);
    return at(program, position, *subject, *values);
}

TermId RuleInstances::withLets(TermId term, Random& random) {
    std::vector<ir::Path> places;
    ir::forEachSubterm(m_bank, term, [&](const ir::Path& path, TermId id) {
        if (m_bank.types().kind(m_bank.type(id)) != ir::TypeKind::Lambda) places.push_back(path);
        return true;
    });
    const ir::Path& place = places[random.below(places.size())];
    const TermId old = *ir::subterm(m_bank, term, place);
    const Symbol hint = m_bank.symbols().intern("t");
    TermId fresh;
    if (random.chance(0.5)) {
        fresh = m_bank.let(hint, old, m_bank.bound(0, m_bank.type(old)));
    } else {
        std::vector<TypeId> bound;
        for (const TermId binder : ir::bindersAbove(m_bank, term, place)) bound.push_back(m_bank.boundType(binder));
        const TypeId type = randomType(m_bank, random);
        const TermScope outside{m_bank.function(m_function).parameters, bound, m_usualSize};
        TermScope inside = outside;
        inside.bound.push_back(type);
        const TermId value = randomTerm(m_bank, type, outside, random, 4);
        fresh = m_bank.let(hint, value, randomTerm(m_bank, m_bank.type(old), inside, random, 5));
    }
    const Result<TermId> result = ir::replaceAt(m_bank, term, place, fresh);
    return result ? *result : term;
}

std::optional<RuleInstance> RuleInstances::fromProgram(Random& random, std::uint32_t maxSize) {
    const TermScope scope{m_bank.function(m_function).parameters, {}, m_usualSize, m_hasLoops};
    TermId program;
    if (random.chance(0.7))
        program = patternTerm(m_bank, m_direction.compiled(), m_bank.function(m_function).parameters, random, maxSize);
    const bool isClosed = program.isValid() && m_bank.looseBound(program) == 0;
    if (!isClosed) program = randomTerm(m_bank, randomType(m_bank, random), scope, random, maxSize);
    for (std::size_t lets = random.below(4); lets > 0; --lets) program = withLets(program, random);
    // Chooses among all matches, so that every position has the same probability.
    std::vector<RuleInstance> instances;
    forEachIn(program, [&](const RuleInstance& instance) {
        instances.push_back(instance);
        return instances.size() < 100;
    });
    if (instances.empty()) return std::nullopt;
    return instances[random.below(instances.size())];
}

void RuleInstances::forEachIn(TermId program, absl::FunctionRef<bool(const RuleInstance&)> found) {
    std::vector<std::pair<ir::Path, TermId>> subterms;
    ir::forEachSubterm(m_bank, program, [&](const ir::Path& path, TermId id) {
        subterms.emplace_back(path, id);
        return true;
    });
    bool continues = true;
    for (std::size_t i = 0; i < subterms.size() && continues; ++i) {
        const auto& [path, subject] = subterms[i];
        std::vector<rules::Substitution> matches;
        m_direction.match(m_bank, subject, [&](const rules::Substitution& substitution) {
            matches.push_back(substitution);
            return matches.size() < 100;
        });
        for (std::size_t k = 0; k < matches.size() && continues; ++k) {
            const std::optional<RuleInstance> instance = at(program, path, subject, matches[k]);
            if (instance) continues = found(*instance);
        }
    }
}

}  // namespace mitos::eval
