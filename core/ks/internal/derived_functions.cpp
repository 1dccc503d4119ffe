// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ks/internal/derived_functions.h"

#include "core/ks/operators.h"
#include "core/ks/signature.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

namespace mitos::ks {

namespace {

/// Makes a part of the split reverse mode at once, because its type depends on the body of `base`.
bool declareSplit(FileContext& file, std::string_view derivation, const FunctionName& name, ir::FunctionId base,
                  FormId place) {
    const ir::Dialect* const dialect = file.bank.registry().findDialect(DialectName);
    const bool isSplit = derivation == "suffwdpass" || derivation == "sufrevpass";
    if (!isSplit || dialect == nullptr || dialect->derive == nullptr || hasLargeTypes(file.bank, base)) return false;
    const Result<ir::FunctionId> made = dialect->derive(file.bank, {std::string(derivation), {}, base});
    if (!made) {
        file.diagnostics.warning(file.forms.span(place), fmt::format("[{} {}] cannot be made: {}", derivation,
                                                                     name.stripped, made.error().message));
        return false;
    }
    file.functions.add({file.bank.function(*made).name, fmt::format("[{} {}]", derivation, name.stripped), {}}, *made);
    return true;
}

}  // namespace

bool declareDerived(FileContext& file, std::string_view derivation, const FunctionName& name, ir::FunctionId base,
                    FormId place) {
    std::optional<ir::Function> signature = derivedSignature(file.bank, derivation, base);
    if (!signature) return declareSplit(file, derivation, name, base, place);
    const FunctionName derived{signature->name, fmt::format("[{} {}]", derivation, name.stripped), {}};
    ir::FunctionId id = file.bank.findFunction(derived.text, signature->argument);
    if (!id.isValid()) id = *file.bank.declare(*std::move(signature));
    file.functions.add(derived, id);
    file.derived.push_back({{std::string(derivation), id, base}, file.forms.span(place)});
    return true;
}

}  // namespace mitos::ks
