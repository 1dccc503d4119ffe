// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/autodiff/derivative.h"

#include "core/autodiff/internal/differentiator.h"
#include "core/base/deep_stack.h"
#include "core/ks/signature.h"

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

    /// Makes the bodies of all planned derivatives.
    Status run() {
        while (!m_open.empty()) {
            const Item item = m_open.back();
            m_open.pop_back();
            std::optional<Error> problem;
            const TermId body = m_bank.function(item.base).body;
            const std::size_t levels = LevelsPerNode * std::min<std::size_t>(m_bank.treeSize(body), MostStackLevels);
            withDeepStack(std::min(levels, MostStackLevels), [&] {
                try {
                    make(item);
                } catch (const NotDifferentiable& failure) {
                    problem = failure.error;
                    m_obstacle = {item.base, failure.head};
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

private:
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

    void make(const Item& item) {
        const ir::Function base = m_bank.function(item.base);
        const ir::Function derived = m_bank.function(item.derived);
        if (derived.parameters.size() != 2) {
            throw NotDifferentiable{{ErrorCode::Unsupported, fmt::format("{} is declared with {} parameters",
                                                                         derived.name, derived.parameters.size())}};
        }
        Names names(m_bank);
        Block block(m_bank, names, nullptr);
        Differentiator differentiator(m_bank, names, *this, m_texts, m_form);
        const auto variable = [&](std::size_t i) {
            return m_bank.variable(derived.parameters[i].name, m_bank.types().erased(derived.parameters[i].type));
        };
        const TermId tangent = variable(1);
        const std::vector<TermId> points = bindParameters(block, differentiator, base, derived, variable(0));
        const TermId body = overPoints(block, differentiator, base, derived, points);
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

    /// The base's body with these variables in place of its parameters, and with its sizes.
    TermId overPoints(Block& block, Differentiator& differentiator, const ir::Function& base,
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
        return replaceFree(m_bank, base.body, [&](Symbol name) {
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
};

std::vector<TermId> parametersOf(TermBank& bank, FunctionId id) {
    std::vector<TermId> variables;
    const std::vector<ir::Parameter> parameters = bank.function(id).parameters;
    for (const ir::Parameter& p : parameters) variables.push_back(bank.variable(p.name, bank.types().erased(p.type)));
    return variables;
}

/// Defines a function by a call with its own parameters.
Status defineAsCall(TermBank& bank, FunctionId id, FunctionId callee) {
    const std::vector<TermId> parameters = parametersOf(bank, id);
    const bool isPacked = bank.function(callee).parameters.size() == 1 && parameters.size() != 1;
    const std::vector<TermId> packed{bank.tuple(parameters)};
    MITOS_TRY(const TermId call, bank.call(callee, isPacked ? packed : parameters));
    bank.define(id, call);
    return Success{};
}

Status defineShape(TermBank& bank, const ir::DerivedFunction& derived) {
    MITOS_TRY(const TermId call, bank.call(derived.base, parametersOf(bank, derived.function)));
    const std::vector<TermId> children{call};
    MITOS_TRY(const TermId shape, bank.make(ks::opId(ks::Op::Shape), children));
    bank.define(derived.function, shape);
    return Success{};
}

}  // namespace

std::string_view derivationOf(Direction direction) { return direction == Direction::Forward ? "fwd" : "rev"; }

Result<FunctionId> derive(TermBank& bank, Direction direction, FunctionId base, Form form, Obstacle* obstacle) {
    Worklist worklist(bank, direction, form);
    FunctionId derived;
    try {
        derived = worklist.derivative(base);
    } catch (const NotDifferentiable& failure) {
        return failure.error;
    }
    const Status made = worklist.run();
    if (!made && obstacle != nullptr) *obstacle = worklist.obstacle();
    if (!made) return made.error();
    return derived;
}

Status deriveDeclared(TermBank& bank, const ir::DerivedFunction& derived, Form form) {
    if (bank.function(derived.function).body.isValid()) return Success{};
    if (derived.derivation == "shape") return defineShape(bank, derived);
    if (derived.derivation == "CL") return defineAsCall(bank, derived.function, derived.base);
    const bool isForward = derived.derivation == "fwd";
    if (!isForward && derived.derivation != "rev" && derived.derivation != "sufrev") {
        return Error{ErrorCode::Unsupported, fmt::format("{} is not generated", derived.derivation)};
    }
    MITOS_TRY(const FunctionId made,
              derive(bank, isForward ? Direction::Forward : Direction::Reverse, derived.base, form));
    if (made == derived.function) return Success{};
    return defineAsCall(bank, derived.function, made);
}

}  // namespace mitos::autodiff
