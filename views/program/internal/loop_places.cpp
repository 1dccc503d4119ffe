// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/program/internal/loop_places.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <variant>

namespace mitos::views {

LoopPlaces::LoopPlaces(const ir::TermBank& bank, const ProgramText& text, const loops::Program& form)
    : m_bank(bank),
      m_form(form),
      m_text(text) {
    for (const ProgramText::Node& node : text.nodes()) m_origins.try_emplace(node.term, Parts{node.term.value});
    addPlaces();
}

LoopPlaces::LoopPlaces(const ir::TermBank& bank, const ProgramText& text, const loops::Program& form,
                       const ir::TermOrigins& origins)
    : m_bank(bank),
      m_form(form),
      m_text(text),
      m_origins(origins.terms()) {
    addPlaces();
}

void LoopPlaces::addPlaces() {
    for (std::size_t i = 0; i < m_text.nodes().size(); ++i) {
        m_places[m_text.nodes()[i].term.value].push_back(static_cast<NodeIndex>(i));
    }
}

bool LoopPlaces::isOwn(const loops::Line& line) const { return line.function.value + 1 == m_form.functions.size(); }

/// Such a line comes from the program's head.
bool LoopPlaces::isSizeOfParameter(const loops::Line& line) const {
    const auto* declare = std::get_if<loops::Declare>(&line.statement->what);
    if (declare == nullptr) return false;
    const loops::Function& function = m_form.functions[line.function.value];
    return std::ranges::any_of(function.sizes, [&](const loops::NamedSize& size) {
        const loops::Expression& value = function.at(size.value);
        return value.kind == loops::ExpressionKind::Name && std::get<loops::SymbolId>(value.payload) == declare->symbol;
    });
}

ir::TermId LoopPlaces::letOf(const loops::Line& line) const {
    const auto* declare = std::get_if<loops::Declare>(&line.statement->what);
    const ir::TermId term = line.statement->term;
    if (declare == nullptr || !m_bank.is(term, ir::CoreOp::Let) || !m_bank.hint(term).isValid()) return {};
    const std::string& hint = m_form.functions[line.function.value].at(declare->symbol).hint;
    return hint == m_bank.text(m_bank.hint(term)) ? term : ir::TermId();
}

std::vector<NodeIndex> LoopPlaces::placesOf(ir::TermId term) const {
    std::vector<NodeIndex> places;
    const auto origins = m_origins.find(term);
    if (origins == m_origins.end()) return places;
    for (const std::uint32_t part : origins->second) {
        if (const auto known = m_places.find(part); known != m_places.end()) {
            places.insert(places.end(), known->second.begin(), known->second.end());
        }
    }
    std::ranges::sort(places);
    return places;
}

std::vector<NodeIndex> LoopPlaces::of(const loops::Line& line, const std::vector<NodeIndex>& around,
                                      std::size_t most) const {
    if (line.text.empty() || !isOwn(line)) return {};
    if (line.statement == nullptr) return {0};
    if (!line.statement->term.isValid()) return around;
    if (isSizeOfParameter(line)) return {};
    const ir::TermId let = letOf(line);
    std::vector<NodeIndex> all = placesOf(let.isValid() ? m_bank.child(let, 0) : line.statement->term);
    if (all.empty()) return around;
    std::vector<NodeIndex> inside;
    std::ranges::copy_if(all, std::back_inserter(inside), [&](NodeIndex place) {
        return std::ranges::any_of(around, [&](NodeIndex outer) { return m_text.places().isWithin(place, outer); });
    });
    std::vector<NodeIndex>& result = inside.empty() ? all : inside;
    if (result.size() > most) result.resize(most);
    return std::move(result);
}

}  // namespace mitos::views
