// SPDX-License-Identifier: GPL-3.0-or-later
// Argument and result types of derived functions.
#include "core/ks/internal/derived_functions.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

namespace mitos::ks {

using ir::FunctionId;
using ir::TypeId;

namespace {

/// Limit on the text of each type of a function from which others are derived.
constexpr std::size_t MostCharacters = 10'000;

struct Signature {
    TypeId from;
    TypeId to;
};

std::optional<Signature> signatureOf(ir::TypeTable& types, std::string_view derivation, TypeId argument,
                                     TypeId result) {
    const auto pair = [&](TypeId first, TypeId second) {
        const std::vector<TypeId> elements{first, second};
        return types.tuple(elements);
    };
    if (derivation == "fwd") return Signature{pair(argument, types.tangent(argument)), types.tangent(result)};
    if (derivation == "rev" || derivation == "sufrev") {
        return Signature{pair(argument, types.tangent(result)), types.tangent(argument)};
    }
    if (derivation == "D") return Signature{argument, types.linearMap(argument, result)};
    if (derivation == "Dt") return Signature{argument, pair(result, types.linearMap(argument, result))};
    if (derivation == "shape") return Signature{argument, types.shape(result)};
    if (derivation == "CL") return Signature{argument, result};
    return std::nullopt;
}

}  // namespace

bool hasLargeTypes(const ir::TermBank& bank, FunctionId function) {
    const auto isLarge = [&](TypeId type) {
        return bank.types().toShortString(type, MostCharacters).size() > MostCharacters;
    };
    return isLarge(bank.function(function).argument) || isLarge(bank.function(function).result);
}

bool declareDerived(FileContext& file, std::string_view derivation, const FunctionName& name, FunctionId base) {
    ir::TypeTable& types = file.bank.types();
    if (hasLargeTypes(file.bank, base)) return false;
    const std::optional<Signature> signature =
        signatureOf(types, derivation, file.bank.function(base).argument, file.bank.function(base).result);
    if (!signature) return false;
    const FunctionName derived{
        fmt::format("[{} {}]", derivation, name.full(types)), fmt::format("[{} {}]", derivation, name.stripped), {}};
    FunctionId id = file.bank.findFunction(derived.text, signature->from);
    if (!id.isValid()) {
        TypeReader reader(file);
        id = *file.bank.declare(reader.signature(derived, reader.externalParameters(signature->from), signature->to));
    }
    file.functions.add(derived, id);
    return true;
}

}  // namespace mitos::ks
