// SPDX-License-Identifier: GPL-3.0-or-later
// See form_parts.h.
#include "search/strategies/internal/form_parts.h"

#include "search/strategies/strategies.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace mitos::search {

namespace {

constexpr std::string_view NoSearch = "none";
constexpr std::string_view AllForms = "all";

Error invalidEntry(std::string_view entry, std::string_view what) {
    return inputError(fmt::format("\"{}\": {}", entry, what),
                      "Write one strategy, or several for forms of regions: greedy; 2, 4-6: mcts(depth=100); 3: none");
}

std::optional<std::size_t> formNumber(std::string_view text) {
    text = trimmed(text);
    std::size_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc() || end != text.data() + text.size() || number == 0) return std::nullopt;
    return number;
}

}  // namespace

Result<std::vector<FormParts::Range>> FormParts::parseForms(std::string_view entry, std::string_view text) {
    std::vector<Range> forms;
    bool isForAll = false;
    for (const std::string_view each : split(text, ',')) {
        if (each == AllForms) {
            isForAll = true;
            continue;
        }
        const std::size_t dash = std::min(each.find('-'), each.size());
        const std::optional<std::size_t> first = formNumber(each.substr(0, dash));
        const std::optional<std::size_t> last = dash == each.size() ? first : formNumber(each.substr(dash + 1));
        if (!first || !last || *last < *first)
            return invalidEntry(entry, fmt::format("\"{}\" is no form of regions, which are numbered from 1", each));
        forms.emplace_back(*first, *last);
    }
    if (isForAll) forms.clear();
    return forms;
}

Result<FormParts> FormParts::parse(std::string_view name, std::string_view text) {
    FormParts parts;
    for (const std::string_view entry : split(text, ';')) {
        if (entry.empty()) continue;
        // A colon in the parameters of a strategy belongs to these.
        const std::size_t colon = entry.substr(0, entry.find('(')).find(':');
        Entry made;
        if (colon != std::string_view::npos) {
            MITOS_TRY(made.forms, parseForms(entry, entry.substr(0, colon)));
        }
        const std::string_view how = trimmed(colon == std::string_view::npos ? entry : entry.substr(colon + 1));
        made.text = std::string(how);
        if (how != NoSearch) {
            MITOS_TRY(std::vector<SearchPart> one, parseParts(name, how));
            const StrategyInfo& info = one.front().strategy->info();
            if (!searchesRegions(info)) {
                return inputError(fmt::format("{} does not search regions", info.name),
                                  "A region is searched by a strategy that rewrites: greedy, mcts, saturation");
            }
            if (one.front().share < 1.0)
                return invalidEntry(entry, "forms share the budget equally, so a share is not given");
            made.part = std::move(one.front());
        }
        parts.m_entries.push_back(std::move(made));
    }
    if (parts.m_entries.empty()) return invalidEntry(text, fmt::format("{} names no strategy", name));
    if (std::ranges::none_of(parts.m_entries, [](const Entry& entry) { return entry.part.has_value(); }))
        return invalidEntry(text, "no form would be searched");
    return parts;
}

const FormParts::Entry* FormParts::entryOf(std::size_t form) const {
    const auto isMeant = [form](const Entry& entry) {
        return entry.forms.empty() || std::ranges::any_of(entry.forms, [form](const Range& range) {
                   return range.first <= form && form <= range.second;
               });
    };
    const auto last = std::find_if(m_entries.rbegin(), m_entries.rend(), isMeant);
    return last == m_entries.rend() ? nullptr : &*last;
}

const SearchPart* FormParts::of(std::size_t form) const {
    const Entry* const entry = entryOf(form);
    return entry != nullptr && entry->part ? &*entry->part : nullptr;
}

std::string_view FormParts::textOf(std::size_t form) const {
    const Entry* const entry = entryOf(form);
    return entry != nullptr ? std::string_view(entry->text) : NoSearch;
}

std::size_t FormParts::largestForm() const {
    std::size_t largest = 0;
    for (const Entry& entry : m_entries) {
        for (const Range& range : entry.forms) largest = std::max(largest, range.second);
    }
    return largest;
}

}  // namespace mitos::search
