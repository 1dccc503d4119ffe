// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/autodiff/derivative.h"

#include "core/autodiff/internal/differentiator.h"
#include "core/autodiff/internal/shared_values.h"
#include "core/autodiff/internal/small_calls.h"
#include "core/base/deep_stack.h"
#include "core/ir/binding.h"
#include "core/ir/calls.h"
#include "core/ks/module.h"
#include "core/ks/signature.h"

#include <absl/container/flat_hash_map.h>
#include <absl/functional/function_ref.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace mitos::autodiff {

using ir::FunctionId;
using ir::TermBank;
using ir::TermId;

namespace {

/// The reader of ks accepts no deeper program (core/ks/declarations.cpp).
constexpr std::uint32_t MostLevels = 12'000;
/// Stack for the walks over a body: they go through inlined variables as well as terms.
constexpr std::size_t LevelsPerNode = 4;
constexpr std::size_t MostStackLevels = 60'000;

std::size_t stackLevels(const TermBank& bank, TermId body) {
    return std::min(LevelsPerNode * std::min<std::size_t>(bank.treeSize(body), MostStackLevels), MostStackLevels);
}

/// The split reverse mode of f : S -> T: S -> (T, bag), and (dT, bag) -> dS.
struct Split {
    FunctionId forward;
    FunctionId reverse;
};

/// The bodies of derivatives, made one after the other. A derivative is declared when it is first called.
class Worklist final : public Callees {
public:
    Worklist(TermBank& bank, Direction direction, Form form)
        : m_bank(bank),
          m_direction(direction),
          m_form(form),
          m_texts(bank) {}

    FunctionId derivative(FunctionId base) override {
        const FunctionId known = ks::findDerived(m_bank, derivationOf(m_direction), base);
        const bool hasBody = m_bank.function(base).body.isValid();
        if (known.isValid()) {
            if (hasBody && !m_bank.function(known).body.isValid()) plan(base, known);
            return known;
        }
        const std::string& name = m_bank.function(base).name;
        if (!hasBody) {
            throw NotDifferentiable{{ErrorCode::Unsupported,
                                     fmt::format("{} is defined outside of the program (edef), and there is no [{} {}]",
                                                 name, derivationOf(m_direction), name)}};
        }
        std::optional<ir::Function> signature = ks::derivedSignature(m_bank, derivationOf(m_direction), base);
        if (!signature) {
            throw NotDifferentiable{
                {ErrorCode::Unsupported, fmt::format("the types of {} are too large to derive from", name)}};
        }
        const Result<FunctionId> declared = m_bank.declare(*std::move(signature));
        if (!declared) throw NotDifferentiable{declared.error()};
        plan(base, *declared);
        return *declared;
    }

    [[nodiscard]] const Obstacle& obstacle() const { return m_obstacle; }

    /// Records where the terms of that function's derivative come from.
    void follow(FunctionId base) { m_followed = base; }
    [[nodiscard]] Origins origins() const {
        Origins origins = m_log.origins();
        if (!m_opened.isValid()) return origins;
        // From places in the body that was differentiated to places in that of the base.
        const Origins opened = m_openedLog.origins();
        for (auto& [term, paths] : origins) {
            std::vector<ir::Path> places;
            for (ir::Path path : paths) {
                auto known = opened.end();
                for (;;) {
                    known = opened.find(*ir::subterm(m_bank, m_opened, path));
                    if (known != opened.end() || path.empty()) break;
                    path.pop_back();
                }
                if (known != opened.end()) places.insert(places.end(), known->second.begin(), known->second.end());
            }
            std::ranges::sort(places);
            places.erase(std::unique(places.begin(), places.end()), places.end());
            paths = std::move(places);
        }
        return origins;
    }

    /// Makes the bodies of all planned derivatives.
    Status run() {
        while (!m_open.empty()) {
            const Item item = m_open.back();
            m_open.pop_back();
            std::optional<Error> problem;
            const TermId body = m_bank.function(item.base).body;
            withDeepStack(stackLevels(m_bank, body), [&] {
                problem = made(item, inlines() ? inlinedBody(item.base) : body);
                // The message about a function that is called names that function.
                if (problem && inlines()) {
                    if (item.base == m_followed) {
                        m_log = {};
                        m_opened = {};
                    }
                    problem = made(item, body);
                }
            });
            if (problem) {
                problem->message =
                    fmt::format("{} has no derivative: {}", m_bank.function(item.base).name, problem->message);
                return *std::move(problem);
            }
        }
        return Success{};
    }

    /// Makes the gradient with respect to some parameters. The functions that it calls are planned.
    FunctionId gradient(FunctionId id, std::span<const std::size_t> wrt) {
        const ir::Function base = m_bank.function(id);
        FunctionId made;
        withDeepStack(stackLevels(m_bank, base.body), [&] {
            const TermId body = inlines() ? inlinedBody(id) : base.body;
            Names names(m_bank, id == m_followed ? &m_log : nullptr);
            Block block(m_bank, names, nullptr);
            Differentiator differentiator(m_bank, names, *this, m_texts, m_form);
            std::vector<TermId> active(wrt.size());
            for (std::size_t k = 0; k < base.parameters.size(); ++k) {
                const ir::Parameter& parameter = base.parameters[k];
                const TermId variable = m_bank.variable(parameter.name, m_bank.types().erased(parameter.type));
                const auto chosen = std::ranges::find(wrt, k);
                if (chosen == wrt.end()) {
                    differentiator.make().declare(variable, parameter.type);
                } else {
                    differentiator.addVariable(variable, parameter.type);
                    active[static_cast<std::size_t>(chosen - wrt.begin())] = variable;
                }
            }
            differentiator.reverse(block, body, m_bank.floating(1.0));
            std::vector<TermId> tangents;
            for (std::size_t i = 0; i < active.size(); ++i) {
                const TermId d = differentiator.tangentOf(block, active[i]);
                tangents.push_back(block.emit(d, tangentName(base, wrt[i]), active.size() > 1));
            }
            const TermId result = block.close(active.size() == 1 ? tangents[0] : m_bank.tuple(tangents));
            made = defined(ks::signature(m_bank, freshName(base), base.parameters, m_bank.type(result)), result);
        });
        return made;
    }

    /// Makes `[suffwdpass f]` and `[sufrevpass f]`, unless the bank has them.
    Split split(FunctionId id) {
        const std::string forwardName = splitName("suffwdpass", id);
        const std::string reverseName = splitName("sufrevpass", id);
        const ir::Function base = m_bank.function(id);
        Split split{m_bank.findFunction(forwardName, base.argument), {}};
        if (split.forward.isValid()) {
            const ir::TypeId bag = m_bank.types().children(m_bank.function(split.forward).result)[1];
            split.reverse = m_bank.findFunction(reverseName, pairOf(m_bank.types().tangent(base.result), bag));
            if (split.reverse.isValid()) return split;
        }
        Names names(m_bank);
        Block block(m_bank, names, nullptr);
        Differentiator differentiator(m_bank, names, *this, m_texts, m_form);
        std::vector<TermId> points;
        for (const ir::Parameter& p : base.parameters) {
            points.push_back(m_bank.variable(p.name, m_bank.types().erased(p.type)));
            differentiator.addVariable(points.back(), p.type);
        }
        differentiator.leavePrimal();
        const Record record = differentiator.primal(block, base.body);
        const std::size_t end = block.size();
        const Symbol dt = names.fresh("dt");
        const TermId tangent = m_bank.variable(dt, m_bank.types().tangent(base.result));
        differentiator.reverse(block, record, tangent);
        std::vector<TermId> tangents;
        for (const TermId point : points) tangents.push_back(block.emit(differentiator.tangentOf(block, point), "d"));
        const TermId backward = block.rest(end).close(tangents.size() == 1 ? tangents[0] : m_bank.tuple(tangents));

        // The values of the way there that the way back mentions are passed on.
        std::vector<TermId> kept;
        absl::flat_hash_map<Symbol, std::size_t> places;
        forEachTyped(backward, [&](TermId variable) {
            const Symbol name = m_bank.payload(variable).asSymbol();
            if (name == dt || places.contains(name)) return;
            places.emplace(name, kept.size());
            kept.push_back(variable);
        });
        const TermId bag = kept.size() == 1 ? kept[0] : m_bank.tuple(kept);
        const std::vector<TermId> both{record.value, bag};
        const TermId forward = block.close(m_bank.tuple(both));
        const Symbol dtName = m_bank.symbols().intern("dt");
        const Symbol bagName = m_bank.symbols().intern("bag");
        const TermId bagVariable = m_bank.variable(bagName, m_bank.type(bag));
        const TermId reverse = replaceFree(m_bank, backward, [&](Symbol name) {
            if (name == dt) return m_bank.variable(dtName, m_bank.type(tangent));
            const auto place = places.find(name);
            if (place == places.end()) return TermId();
            return kept.size() == 1 ? bagVariable : m_bank.get(bagVariable, static_cast<std::uint32_t>(place->second));
        });
        split.forward = defined(ks::signature(m_bank, forwardName, base.parameters, m_bank.type(forward)), forward);
        split.reverse =
            defined(ks::signature(m_bank, reverseName, {{dtName, m_bank.type(tangent)}, {bagName, m_bank.type(bag)}},
                                  m_bank.types().tangent(base.argument)),
                    reverse);
        return split;
    }

private:
    [[nodiscard]] std::string splitName(std::string_view derivation, FunctionId id) const {
        const ir::Function& base = m_bank.function(id);
        return fmt::format("[{} [{} {}]]", derivation, base.name, m_bank.types().toString(base.argument));
    }

    [[nodiscard]] std::string freshName(const ir::Function& base) const {
        const std::string name = base.name + "_gradient";
        std::string fresh = name;
        for (int i = 2; m_bank.findFunction(fresh, base.argument).isValid(); ++i) fresh = fmt::format("{}{}", name, i);
        return fresh;
    }

    ir::TypeId pairOf(ir::TypeId first, ir::TypeId second) {
        const std::vector<ir::TypeId> pair{first, second};
        return m_bank.types().tuple(pair);
    }

    void forEachTyped(TermId term, absl::FunctionRef<void(TermId)> visit) {
        if (m_bank.is(term, ir::CoreOp::Variable)) return visit(term);
        for (std::size_t i = 0; i < m_bank.childCount(term); ++i) forEachTyped(m_bank.child(term, i), visit);
    }

    FunctionId defined(ir::Function function, TermId body) {
        const Result<FunctionId> id = m_bank.declare(std::move(function));
        if (!id) throw NotDifferentiable{id.error()};
        define(*id, body);
        return *id;
    }

    struct Item {
        FunctionId base;
        FunctionId derived;
    };

    void plan(FunctionId base, FunctionId derived) {
        const auto isSame = [&](const Item& item) { return item.derived == derived; };
        if (std::ranges::any_of(m_planned, isSame)) return;
        m_planned.push_back({base, derived});
        m_open.push_back({base, derived});
    }

    /// Calls are opened where the tangents of what they read are then added up in place, and values that occur several times get a name. The
    /// delta form is that of the paper.
    [[nodiscard]] bool inlines() const { return m_direction == Direction::Reverse && m_form == Form::Scatter; }

    TermId inlinedBody(FunctionId base) {
        const TermId body = withSmallCallsInlined(m_bank, base, [&](FunctionId callee) {
            return ks::findDerived(m_bank, derivationOf(m_direction), callee).isValid();
        });
        const bool isFollowed = base == m_followed;
        Names names(m_bank, isFollowed ? &m_openedLog : nullptr);
        const TermId opened = withSharedValues(m_bank, names, body, m_bank.function(base).body);
        if (isFollowed) m_opened = opened;
        return opened;
    }

    std::optional<Error> made(const Item& item, TermId body) {
        try {
            make(item, body);
            return std::nullopt;
        } catch (const NotDifferentiable& failure) {
            m_obstacle = {item.base, failure.head};
            return failure.error;
        }
    }

    void make(const Item& item, TermId baseBody) {
        const ir::Function base = m_bank.function(item.base);
        const ir::Function derived = m_bank.function(item.derived);
        if (derived.parameters.size() != 2) {
            throw NotDifferentiable{{ErrorCode::Unsupported, fmt::format("{} is declared with {} parameters",
                                                                         derived.name, derived.parameters.size())}};
        }
        Names names(m_bank, item.base == m_followed ? &m_log : nullptr);
        Block block(m_bank, names, nullptr);
        Differentiator differentiator(m_bank, names, *this, m_texts, m_form);
        const auto variable = [&](std::size_t i) {
            return m_bank.variable(derived.parameters[i].name, m_bank.types().erased(derived.parameters[i].type));
        };
        const TermId tangent = variable(1);
        const std::vector<TermId> points = bindParameters(block, differentiator, base, derived, variable(0));
        const TermId body = overPoints(block, differentiator, base, baseBody, derived, points);
        TermId result;
        if (m_direction == Direction::Forward) {
            for (std::size_t k = 0; k < points.size(); ++k) {
                const TermId d = points.size() == 1 ? tangent
                                                    : block.emit(m_bank.get(tangent, static_cast<std::uint32_t>(k)),
                                                                 tangentName(base, k), true);
                differentiator.setTangent(points[k], d);
            }
            result = differentiator.forward(block, body);
        } else {
            differentiator.reverse(block, body, tangent);
            std::vector<TermId> tangents;
            for (std::size_t k = 0; k < points.size(); ++k) {
                const TermId d = differentiator.tangentOf(block, points[k]);
                tangents.push_back(block.emit(d, tangentName(base, k), points.size() > 1));
            }
            result = points.size() == 1 ? tangents[0] : m_bank.tuple(tangents);
        }
        define(item.derived, block.close(result));
    }

    [[nodiscard]] std::string tangentName(const ir::Function& base, std::size_t k) const {
        return "d" + std::string(m_bank.text(base.parameters[k].name));
    }

    /// The variables of the base's parameters: the first parameter itself, or the elements of its tuple.
    std::vector<TermId> bindParameters(Block& block, Differentiator& differentiator, const ir::Function& base,
                                       const ir::Function& derived, TermId argument) {
        const bool hasSizes = std::ranges::all_of(base.sizes, [&](const ir::SizeName& s) {
            return std::ranges::any_of(derived.sizes, [&](const ir::SizeName& d) { return d.name == s.name; });
        });
        std::vector<TermId> points;
        for (std::size_t k = 0; k < base.parameters.size(); ++k) {
            const ir::Parameter& parameter = base.parameters[k];
            const TermId value = base.parameters.size() == 1
                                     ? argument
                                     : block.emit(m_bank.get(argument, static_cast<std::uint32_t>(k)),
                                                  m_bank.text(parameter.name), true);
            const bool namesParameter = derived.sizes.empty() || !hasSizes;
            differentiator.addVariable(value, namesParameter ? m_bank.types().erased(parameter.type) : parameter.type);
            points.push_back(value);
        }
        return points;
    }

    /// The body with these variables in place of its parameters, and with its sizes.
    TermId overPoints(Block& block, Differentiator& differentiator, const ir::Function& base, TermId body,
                      const ir::Function& derived, const std::vector<TermId>& points) {
        absl::flat_hash_map<Symbol, TermId> values;
        for (std::size_t k = 0; k < points.size(); ++k) values[base.parameters[k].name] = points[k];
        for (const ir::SizeName& size : base.sizes) {
            const auto isSame = [&](const ir::SizeName& d) { return d.name == size.name; };
            if (std::ranges::any_of(derived.sizes, isSame)) continue;
            if (!size.parameter) continue;
            Place place{points[*size.parameter]};
            for (const std::uint32_t step : size.steps) {
                const ir::TypeId type = differentiator.make().typeAt(place);
                const bool isTensor = m_bank.types().isTensor(type);
                const ir::TypeId indexType = isTensor ? m_bank.types().indexType(m_bank.types().rank(type)) : type;
                place.path.push_back(isTensor ? PathStep{differentiator.make().zeroIndex(indexType), 0}
                                              : PathStep{{}, step});
            }
            TermId value = differentiator.make().sizeAt(place);
            if (m_bank.types().isTuple(m_bank.type(value))) value = differentiator.make().get(value, size.dimension);
            values[size.name] = block.emit(value, m_bank.text(size.name));
        }
        return replaceFree(m_bank, body, [&](Symbol name) {
            const auto value = values.find(name);
            return value == values.end() ? TermId() : value->second;
        });
    }

    void define(FunctionId derived, TermId body) {
        const ir::Function& function = m_bank.function(derived);
        if (m_bank.type(body) != function.result) {
            throw NotDifferentiable{
                {ErrorCode::Unsupported,
                 fmt::format("the result is a {}, not a {}", m_bank.types().toShortString(m_bank.type(body)),
                             m_bank.types().toShortString(function.result))}};
        }
        if (m_bank.depth(body) > MostLevels) {
            throw NotDifferentiable{
                {ErrorCode::Limit, fmt::format("its derivative would be nested {} levels deep; up to {} are possible",
                                               m_bank.depth(body), MostLevels)}};
        }
        m_bank.define(derived, body);
    }

    TermBank& m_bank;
    Direction m_direction;
    Form m_form;
    OperatorTexts m_texts;
    std::vector<Item> m_planned;
    std::vector<Item> m_open;
    Obstacle m_obstacle;
    FunctionId m_followed;
    OriginLog m_log;        ///< places in the body that is differentiated
    TermId m_opened;        ///< this body, if it is not that of the function
    OriginLog m_openedLog;  ///< places in the function's body, for terms of the opened one
};

std::vector<TermId> parametersOf(TermBank& bank, FunctionId id) {
    std::vector<TermId> variables;
    const std::vector<ir::Parameter> parameters = bank.function(id).parameters;
    for (const ir::Parameter& p : parameters) variables.push_back(bank.variable(p.name, bank.types().erased(p.type)));
    return variables;
}

/// Defines a function by a call with its own parameters.
Result<FunctionId> defineAsCall(TermBank& bank, FunctionId id, FunctionId callee) {
    const std::vector<TermId> parameters = parametersOf(bank, id);
    const bool isPacked = bank.function(callee).parameters.size() == 1 && parameters.size() != 1;
    const std::vector<TermId> packed{bank.tuple(parameters)};
    MITOS_TRY(const TermId call, bank.call(callee, isPacked ? packed : parameters));
    bank.define(id, call);
    return id;
}

Result<FunctionId> defineShape(TermBank& bank, const ir::DerivedFunction& derived) {
    MITOS_TRY(const TermId call, bank.call(derived.base, parametersOf(bank, derived.function)));
    const std::vector<TermId> children{call};
    MITOS_TRY(const TermId shape, bank.make(ks::opId(ks::Op::Shape), children));
    bank.define(derived.function, shape);
    return derived.function;
}

Result<Split> deriveSplit(TermBank& bank, FunctionId base, Form form) {
    if (!bank.function(base).body.isValid()) {
        return Error{ErrorCode::Unsupported,
                     fmt::format("{} is defined outside of the program (edef)", bank.function(base).name)};
    }
    Worklist worklist(bank, Direction::Reverse, form);
    std::optional<Error> problem;
    Split split;
    withDeepStack(stackLevels(bank, bank.function(base).body), [&] {
        try {
            split = worklist.split(base);
        } catch (const NotDifferentiable& failure) {
            problem = failure.error;
        }
    });
    if (problem) return *std::move(problem);
    MITOS_REQUIRE(worklist.run());
    return split;
}

}  // namespace

std::string_view derivationOf(Direction direction) { return direction == Direction::Forward ? "fwd" : "rev"; }

Result<FunctionId> derive(TermBank& bank, Direction direction, FunctionId base, Form form, Obstacle* obstacle,
                          Origins* origins) {
    Worklist worklist(bank, direction, form);
    if (origins != nullptr) worklist.follow(base);
    FunctionId derived;
    try {
        derived = worklist.derivative(base);
    } catch (const NotDifferentiable& failure) {
        return failure.error;
    }
    const Status made = worklist.run();
    if (!made && obstacle != nullptr) *obstacle = worklist.obstacle();
    if (!made) return made.error();
    if (origins != nullptr) *origins = worklist.origins();
    return derived;
}

Result<FunctionId> gradient(TermBank& bank, FunctionId base, std::span<const std::size_t> wrt, Form form,
                            Obstacle* obstacle, Origins* origins) {
    const ir::Function function = bank.function(base);
    const auto isFloat = [&](ir::TypeId type) { return type == bank.types().floating(); };
    if (!isFloat(bank.types().erased(function.declaredResult))) {
        return Error{ErrorCode::InvalidInput,
                     fmt::format("the result of {} has the type {}", function.name,
                                 bank.types().toShortString(function.declaredResult)),
                     {},
                     "a gradient belongs to a result that is one Float; `--reverse` takes a tangent of any result"};
    }
    if (!function.body.isValid()) {
        return Error{ErrorCode::Unsupported, fmt::format("{} is defined outside of the program (edef)", function.name)};
    }
    for (const std::size_t k : wrt) {
        const ir::TypeId type = bank.types().erased(function.parameters[k].type);
        if (bank.types().tangent(type) != bank.types().unit()) continue;
        return Error{ErrorCode::InvalidInput,
                     fmt::format("{} has the type {}, which has no tangent", bank.text(function.parameters[k].name),
                                 bank.types().toShortString(type))};
    }
    Worklist worklist(bank, Direction::Reverse, form);
    if (origins != nullptr) worklist.follow(base);
    FunctionId made;
    try {
        made = worklist.gradient(base, wrt);
    } catch (const NotDifferentiable& failure) {
        if (obstacle != nullptr) *obstacle = {base, failure.head};
        Error error = failure.error;
        error.message = fmt::format("{} has no derivative: {}", function.name, error.message);
        return error;
    }
    const Status others = worklist.run();
    if (!others && obstacle != nullptr) *obstacle = worklist.obstacle();
    if (!others) return others.error();
    if (origins != nullptr) *origins = worklist.origins();
    return made;
}

Result<FunctionId> deriveDeclared(TermBank& bank, const ir::DerivedFunction& derived, Form form) {
    if (derived.derivation == "suffwdpass" || derived.derivation == "sufrevpass") {
        MITOS_TRY(const Split split, deriveSplit(bank, derived.base, form));
        return derived.derivation == "suffwdpass" ? split.forward : split.reverse;
    }
    const FunctionId id = derived.function;
    if (bank.function(id).body.isValid()) return id;
    if (derived.derivation == "shape") return defineShape(bank, derived);
    if (derived.derivation == "CL") return defineAsCall(bank, id, derived.base);
    const bool isForward = derived.derivation == "fwd";
    if (!isForward && derived.derivation != "rev" && derived.derivation != "sufrev") {
        return Error{ErrorCode::Unsupported, fmt::format("{} is not generated", derived.derivation)};
    }
    MITOS_TRY(const FunctionId made,
              derive(bank, isForward ? Direction::Forward : Direction::Reverse, derived.base, form));
    return made == id ? id : defineAsCall(bank, id, made);
}

std::string withDerivatives(const TermBank& bank, const ir::Program& program,
                            const std::vector<FunctionId>& derivatives) {
    ks::Module module;
    const auto add = [&](FunctionId id) {
        if (std::ranges::find(module.functions, id) != module.functions.end()) return;
        module.functions.push_back(id);
        module.bodies.push_back(id == program.function ? program.root : bank.function(id).body);
    };
    for (const FunctionId id : ir::callOrder(bank, program)) add(id);
    add(program.function);
    for (const FunctionId derivative : derivatives) {
        for (const FunctionId id : ir::callOrder(bank, {derivative, bank.function(derivative).body})) add(id);
        add(derivative);
    }
    return ks::printModule(bank, module, {.headed = true});
}

}  // namespace mitos::autodiff
