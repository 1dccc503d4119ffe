// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ks/internal/derived_functions.h"

#include "core/ks/signature.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace mitos::ks {

bool declareDerived(FileContext& file, std::string_view derivation, const FunctionName& name, ir::FunctionId base,
                    FormId place) {
    std::optional<ir::Function> signature = derivedSignature(file.bank, derivation, base);
    if (!signature) return false;
    const FunctionName derived{signature->name, fmt::format("[{} {}]", derivation, name.stripped), {}};
    ir::FunctionId id = file.bank.findFunction(derived.text, signature->argument);
    if (!id.isValid()) id = *file.bank.declare(*std::move(signature));
    file.functions.add(derived, id);
    file.derived.push_back({{std::string(derivation), id, base}, file.forms.span(place)});
    return true;
}

}  // namespace mitos::ks
