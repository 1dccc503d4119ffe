// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ks/signature.h"

#include "core/ks/internal/operator_rules.h"
#include "core/ks/names.h"
#include "core/ks/operators.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace mitos::ks {

using ir::FunctionId;
using ir::TypeId;
using ir::TypeKind;
using ir::TypeTable;

namespace {

/// Limit on the text of each type of a function from which others are derived.
constexpr std::size_t MostCharacters = 10'000;

class SizeCollector {
public:
    SizeCollector(const ir::TermBank& bank, ir::Function& function) : m_bank(bank), m_function(function) {}

    void collect(TypeId type, std::optional<std::uint32_t> parameter) {
        const TypeTable& types = m_bank.types();
        for (std::uint32_t i = 0; i < types.sizes(type).size(); ++i) {
            const Symbol name = types.sizes(type)[i];
            if (!name.isValid() || !isVariableName(m_bank.text(name)) || isKnown(name)) continue;
            m_function.sizes.push_back({name, parameter, parameter ? m_steps : std::vector<std::uint32_t>(), i});
        }
        // The argument and result sizes of a function value are unknown before it is called.
        if (types.kind(type) == TypeKind::Lambda || types.kind(type) == TypeKind::LinearMap) return;
        const std::vector<TypeId> parts(types.children(type).begin(), types.children(type).end());
        for (std::uint32_t i = 0; i < parts.size(); ++i) {
            m_steps.push_back(i);
            collect(parts[i], parameter);
            m_steps.pop_back();
        }
    }

private:
    [[nodiscard]] bool isKnown(Symbol name) const {
        const auto isSize = [&](const ir::SizeName& s) { return s.name == name; };
        const auto isParameter = [&](const ir::Parameter& p) { return p.name == name; };
        return std::ranges::any_of(m_function.sizes, isSize) || std::ranges::any_of(m_function.parameters, isParameter);
    }

    const ir::TermBank& m_bank;
    ir::Function& m_function;
    std::vector<std::uint32_t> m_steps;
};

/// The tangent type of a declared type, with its size names.
TypeId tangentOf(TypeTable& types, TypeId type) {
    const std::vector<TypeId> parts(types.children(type).begin(), types.children(type).end());
    const std::vector<Symbol> sizes(types.sizes(type).begin(), types.sizes(type).end());
    if (types.isTuple(type)) {
        std::vector<TypeId> tangents;
        for (const TypeId part : parts) tangents.push_back(tangentOf(types, part));
        return types.tuple(tangents);
    }
    if (!types.isTensor(type)) return types.tangent(type);
    const TypeId element = tangentOf(types, parts[0]);
    return types.tensor(types.rank(type), element, sizes);
}

std::string fullName(const ir::TermBank& bank, std::string_view derivation, const ir::Function& base) {
    return fmt::format("[{} [{} {}]]", derivation, base.name, bank.types().toString(base.argument));
}

/// The declared types of a function, without size names if a parameter has one of these names.
struct Declared {
    TypeId argument;
    TypeId result;
};

Declared declaredTypes(ir::TermBank& bank, const ir::Function& base) {
    std::vector<TypeId> arguments;
    for (const ir::Parameter& p : base.parameters) arguments.push_back(p.type);
    const TypeId argument = arguments.size() == 1 ? arguments[0] : bank.types().tuple(arguments);
    // A size that is a parameter's value cannot be read from the tuple of all parameters.
    ir::Function sizes;
    SizeCollector(bank, sizes).collect(argument, 0);
    SizeCollector(bank, sizes).collect(base.declaredResult, 0);
    const auto isParameter = [&](const ir::SizeName& s) {
        return std::ranges::any_of(base.parameters, [&](const ir::Parameter& p) { return p.name == s.name; });
    };
    if (std::ranges::any_of(sizes.sizes, isParameter)) return {base.argument, base.result};
    return {argument, base.declaredResult};
}

/// A name that no parameter or size of the function has.
Symbol unusedName(ir::TermBank& bank, const ir::Function& base, std::string name) {
    const auto isUsed = [&] {
        const Symbol symbol = bank.symbols().intern(name);
        return std::ranges::any_of(base.parameters, [&](const ir::Parameter& p) { return p.name == symbol; }) ||
               std::ranges::any_of(base.sizes, [&](const ir::SizeName& s) { return s.name == symbol; });
    };
    while (isUsed() || !isVariableName(name)) name += "_";
    return bank.symbols().intern(name);
}

}  // namespace

ir::Function signature(ir::TermBank& bank, std::string name, std::vector<ir::Parameter> parameters, TypeId result) {
    TypeTable& types = bank.types();
    ir::Function function;
    function.name = std::move(name);
    function.dialect = DialectName;
    function.result = types.erased(result);
    function.declaredResult = result;
    std::vector<TypeId> arguments;
    for (const ir::Parameter& p : parameters) arguments.push_back(types.erased(p.type));
    function.argument = arguments.size() == 1 ? arguments[0] : types.tuple(arguments);
    function.parameters = std::move(parameters);
    SizeCollector sizes(bank, function);
    for (std::uint32_t i = 0; i < function.parameters.size(); ++i) sizes.collect(function.parameters[i].type, i);
    sizes.collect(result, std::nullopt);
    return function;
}

bool hasLargeTypes(const ir::TermBank& bank, FunctionId function) {
    const auto isLarge = [&](TypeId type) {
        return bank.types().toShortString(type, MostCharacters).size() > MostCharacters;
    };
    return isLarge(bank.function(function).argument) || isLarge(bank.function(function).result);
}

std::optional<ir::Function> derivedSignature(ir::TermBank& bank, std::string_view derivation, FunctionId id) {
    if (hasLargeTypes(bank, id)) return std::nullopt;
    const ir::Function base = bank.function(id);
    TypeTable& types = bank.types();
    const auto [argument, result] = declaredTypes(bank, base);
    const bool isSingle = base.parameters.size() == 1;
    const std::string point = isSingle ? std::string(bank.text(base.parameters[0].name)) : "args";
    const ir::Parameter at{isSingle ? base.parameters[0].name : unusedName(bank, base, point), argument};
    const auto made = [&](std::vector<ir::Parameter> parameters, TypeId to) {
        return signature(bank, fullName(bank, derivation, base), std::move(parameters), to);
    };
    if (derivation == "fwd") {
        return made({at, {unusedName(bank, base, "d" + point), tangentOf(types, argument)}}, tangentOf(types, result));
    }
    if (derivation == "rev" || derivation == "sufrev") {
        return made({at, {unusedName(bank, base, "dt"), tangentOf(types, result)}}, tangentOf(types, argument));
    }
    if (derivation == "D") return made({at}, types.linearMap(base.argument, base.result));
    if (derivation == "Dt") return made({at}, pairOf(types, base.result, types.linearMap(base.argument, base.result)));
    if (derivation == "shape") return made(base.parameters, types.shape(base.result));
    if (derivation == "CL") return made(base.parameters, base.declaredResult);
    return std::nullopt;
}

FunctionId findDerived(ir::TermBank& bank, std::string_view derivation, FunctionId id) {
    const std::optional<ir::Function> wanted = derivedSignature(bank, derivation, id);
    if (!wanted) return {};
    const FunctionId brief =
        bank.findFunction(fmt::format("[{} {}]", derivation, bank.function(id).name), wanted->argument);
    return brief.isValid() ? brief : bank.findFunction(wanted->name, wanted->argument);
}

}  // namespace mitos::ks
