// SPDX-License-Identifier: GPL-3.0-or-later
// Resolves overloads.
#include "core/ks/internal/file_context.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::ks {

std::string FunctionName::full(const ir::TypeTable& types) const {
    return argument.isValid() ? fmt::format("[{} {}]", text, types.toString(argument)) : text;
}

void FunctionTable::add(const FunctionName& name, ir::FunctionId id) {
    std::vector<Entry>& entries = m_functions[name.stripped];
    if (entries.empty()) m_names.push_back(name.stripped);
    const bool known = std::ranges::any_of(entries, [&](const Entry& e) { return e.id == id; });
    if (!known) entries.push_back({name.text, id});
}

std::vector<ir::FunctionId> FunctionTable::overloads(const FunctionName& name) const {
    std::vector<ir::FunctionId> found;
    const auto entries = m_functions.find(name.stripped);
    if (entries == m_functions.end()) return found;
    const auto fits = [&](const Entry& entry) {
        return !name.argument.isValid() || m_bank.function(entry.id).argument == name.argument;
    };
    for (const Entry& entry : entries->second) {
        if (entry.text == name.text && fits(entry)) found.push_back(entry.id);
    }
    // [rev f] matches any [rev [f T]] and vice versa; [rev [f S]] does not match [rev [f T]].
    for (const Entry& entry : entries->second) {
        const bool related = entry.text == name.stripped || name.text == name.stripped;
        if (entry.text != name.text && related && fits(entry)) found.push_back(entry.id);
    }
    return found;
}

std::optional<Choice> FunctionTable::choose(std::span<const ir::FunctionId> overloads,
                                            std::span<const ir::TypeId> arguments) const {
    ir::TypeTable& types = m_bank.types();
    const ir::TypeId argument = arguments.size() == 1 ? arguments[0] : types.tuple(arguments);
    for (const ir::FunctionId id : overloads) {
        const ir::Function& function = m_bank.function(id);
        if (function.argument != argument) continue;
        const std::size_t wanted = function.parameters.size();
        if (wanted == arguments.size()) return Choice{id, Fit::Direct};
        if (wanted == 1) return Choice{id, Fit::Packed};
        if (arguments.size() == 1) return Choice{id, Fit::Unpacked};
    }
    return std::nullopt;
}

}  // namespace mitos::ks
