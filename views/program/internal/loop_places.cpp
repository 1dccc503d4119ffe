// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/program/internal/loop_places.h"

#include "core/base/deep_stack.h"
#include "core/ir/transplant.h"

#include <absl/functional/function_ref.h>
#include <absl/hash/hash.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <variant>

namespace mitos::views {

namespace {

constexpr std::uint64_t MostNodes = 2'000'000;  ///< beyond, only the head of a program is linked

/// A key for each node of a term, in pre-order: equal terms have equal keys, where variables are known by name.
class Keys {
public:
    using Visit = absl::FunctionRef<void(std::uint32_t place, ir::TermId term, std::uint64_t key)>;

    Keys(const ir::TermBank& bank, Visit visit) : m_bank(bank), m_visit(visit) {}

    std::uint64_t of(ir::TermId term) {
        const std::uint32_t place = m_next++;
        const ir::Payload& payload = m_bank.payload(term);
        std::uint64_t key = absl::HashOf(m_bank.op(term), payload.kind());
        if (m_bank.is(term, ir::CoreOp::Bound)) {
            const std::uint32_t back = payload.asIndex();
            key = absl::HashOf(key, back < m_names.size() ? m_names[m_names.size() - 1 - back] : Symbol());
        } else if (!m_bank.is(term, ir::CoreOp::Lam)) {  // its type may say more of sizes
            key = absl::HashOf(key, payload.rawBits());
        }
        for (std::uint32_t i = 0; i < m_bank.childCount(term); ++i) {
            const std::uint32_t bound = m_bank.boundIn(term, i);
            m_names.insert(m_names.end(), bound, m_bank.hint(term));
            key = absl::HashOf(key, of(m_bank.child(term, i)));
            m_names.resize(m_names.size() - bound);
        }
        m_visit(place, term, key);
        return key;
    }

private:
    const ir::TermBank& m_bank;
    Visit m_visit;
    std::vector<Symbol> m_names;  ///< of the bound variables, outermost first
    std::uint32_t m_next = 0;
};

void visitKeys(const ir::TermBank& bank, ir::TermId root, Keys::Visit visit) {
    if (bank.treeSize(root) > MostNodes) return;
    withDeepStack(bank.depth(root), [&] { Keys(bank, visit).of(root); });
}

}  // namespace

LoopPlaces::LoopPlaces(const ir::TermBank& bank, const ProgramText& text, const loops::Program& form)
    : m_bank(bank),
      m_form(form),
      m_text(text) {
    for (std::size_t i = 0; i < text.nodes().size(); ++i) {
        const ir::TermId term = text.nodes()[i].term;
        m_keys.try_emplace(term, std::vector<Key>{term.value});
        m_places[term.value].push_back(static_cast<NodeIndex>(i));
    }
}

LoopPlaces::LoopPlaces(const ir::TermBank& bank, const ir::Program& program, const ProgramText& text,
                       loops::OwnProgram& own, const loops::Program& form)
    : m_bank(*own.bank),
      m_form(form),
      m_text(text) {
    visitKeys(m_bank, own.program.root,
              [this](std::uint32_t, ir::TermId term, Key key) { m_keys[term].push_back(key); });
    for (auto& [term, keys] : m_keys) {
        std::ranges::sort(keys);
        keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    }
    const ir::TermId copied = ir::Transplanter(bank, *own.bank).term(program.root);
    visitKeys(m_bank, copied, [this](std::uint32_t place, ir::TermId term, Key key) {
        m_places[key].push_back(place);
        if (!m_bank.is(term, ir::CoreOp::Let) || !m_bank.hint(term).isValid()) return;
        m_lets[m_bank.hint(term)].push_back(m_text.child(place, 0));
    });
    for (auto& [key, places] : m_places) std::ranges::sort(places);
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
    const auto keys = m_keys.find(term);
    if (keys == m_keys.end()) return places;
    for (const Key key : keys->second) {
        if (const auto known = m_places.find(key); known != m_places.end()) {
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
    if (!line.statement->term.isValid() || isSizeOfParameter(line)) return {};
    const ir::TermId let = letOf(line);
    std::vector<NodeIndex> all = placesOf(let.isValid() ? m_bank.child(let, 0) : line.statement->term);
    if (all.empty() && let.isValid()) {
        const auto known = m_lets.find(m_bank.hint(let));
        if (known != m_lets.end() && known->second.size() == 1) all = known->second;
    }
    std::vector<NodeIndex> inside;
    std::ranges::copy_if(all, std::back_inserter(inside), [&](NodeIndex place) {
        return std::ranges::any_of(around, [&](NodeIndex outer) { return m_text.places().isWithin(place, outer); });
    });
    std::vector<NodeIndex>& result = inside.empty() ? all : inside;
    if (result.size() > most) result.resize(most);
    return std::move(result);
}

}  // namespace mitos::views
