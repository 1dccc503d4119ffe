// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/autodiff/internal/block.h"

#include "core/autodiff/internal/simplify.h"
#include "core/facts/analysis.h"
#include "core/ks/operators.h"

#include <absl/container/flat_hash_set.h>
#include <absl/container/inlined_vector.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace mitos::autodiff {

using ir::CoreOp;
using ir::TermBank;
using ir::TermId;

namespace {

using Children = absl::InlinedVector<TermId, 8>;

Children childrenOf(const TermBank& bank, TermId term) {
    return {bank.children(term).begin(), bank.children(term).end()};
}

/// Terms with fewer nodes are walked again rather than remembered.
constexpr std::uint64_t WorthKnowing = 16;

class FreeReplacer {
public:
    FreeReplacer(TermBank& bank, absl::FunctionRef<TermId(Symbol)> map) : m_bank(bank), m_map(map) {}

    TermId apply(TermId term) {
        if (m_bank.is(term, CoreOp::Variable)) {
            const TermId replacement = m_map(m_bank.payload(term).asSymbol());
            return replacement.isValid() ? replacement : term;
        }
        if (m_bank.childCount(term) == 0) return term;
        const bool isLarge = m_bank.treeSize(term) >= WorthKnowing;
        if (isLarge) {
            if (const auto known = m_done.find(term); known != m_done.end()) return known->second;
        }
        Children children = childrenOf(m_bank, term);
        bool isChanged = false;
        for (TermId& child : children) {
            const TermId before = child;
            child = apply(child);
            isChanged = isChanged || child != before;
        }
        const TermId result = isChanged ? *m_bank.withChildren(term, children) : term;
        if (isLarge) m_done.emplace(term, result);
        return result;
    }

private:
    TermBank& m_bank;
    absl::FunctionRef<TermId(Symbol)> m_map;
    absl::flat_hash_map<TermId, TermId> m_done;
};

void visitFree(const TermBank& bank, TermId term, bool isInLambda, absl::FunctionRef<void(Symbol, bool)> visit) {
    if (bank.is(term, CoreOp::Variable)) {
        visit(bank.payload(term).asSymbol(), isInLambda);
        return;
    }
    const bool isLambda = isInLambda || bank.is(term, CoreOp::Lam);
    for (std::size_t i = 0; i < bank.childCount(term); ++i) visitFree(bank, bank.child(term, i), isLambda, visit);
}

/// Turns names of a block into de Bruijn indices and inlines variables, in one walk.
class Closer {
public:
    Closer(TermBank& bank, const Names& names) : m_bank(bank), m_names(names) {}

    void bindAt(Symbol name, std::uint32_t level) { m_levels[name] = level; }
    void inlineAs(Symbol name, TermId value) { m_values[name] = value; }

    /// The term at a place below `depth` binders.
    TermId apply(TermId term, std::uint32_t depth) {
        if (m_bank.is(term, CoreOp::Variable)) return variable(term, depth);
        if (m_bank.childCount(term) == 0) return term;
        const bool isLarge = m_bank.treeSize(term) >= WorthKnowing;
        const std::pair key(term, depth);
        if (isLarge) {
            if (const auto known = m_done.find(key); known != m_done.end()) return known->second;
        }
        Children children = childrenOf(m_bank, term);
        for (std::size_t i = 0; i < children.size(); ++i) {
            children[i] = apply(children[i], depth + m_bank.boundIn(term, i));
        }
        const TermId result = simplified(m_bank, term, children);
        m_names.carry(term, result);
        if (isLarge) m_done.emplace(key, result);
        return result;
    }

private:
    TermId variable(TermId term, std::uint32_t depth) {
        const Symbol name = m_bank.payload(term).asSymbol();
        if (const auto value = m_values.find(name); value != m_values.end()) {
            const TermId result = apply(value->second, depth);
            m_names.noteValue(name, result);
            return result;
        }
        const auto level = m_levels.find(name);
        return level == m_levels.end() ? term : m_bank.bound(depth - 1 - level->second, m_bank.type(term));
    }

    TermBank& m_bank;
    const Names& m_names;
    absl::flat_hash_map<Symbol, std::uint32_t> m_levels;
    absl::flat_hash_map<Symbol, TermId> m_values;
    absl::flat_hash_map<std::pair<TermId, std::uint32_t>, TermId> m_done;
};

/// Whether a value costs nothing, so that it may stand wherever it is used.
bool isFree(const TermBank& bank, TermId value) {
    if (isAtom(bank, value)) return true;
    const bool isSizeTest = bank.op(value) == ks::opId(ks::Op::Gt) && isAtom(bank, bank.child(value, 0)) &&
                            bank.is(bank.child(value, 1), CoreOp::Literal) &&
                            bank.type(bank.child(value, 1)) == bank.types().integer();
    if (isSizeTest) return true;
    const bool isPart = bank.is(value, CoreOp::Get) || bank.op(value) == ks::opId(ks::Op::Size);
    return isPart && isAtom(bank, bank.child(value, 0));
}

/// A sum or product of two Floats with its operands in one order; other terms as they are.
TermId ordered(TermBank& bank, TermId value) {
    const bool commutes = bank.op(value) == ks::opId(ks::Op::Add) || bank.op(value) == ks::opId(ks::Op::Mul);
    if (!commutes) return value;
    const TermId a = bank.child(value, 0);
    const TermId b = bank.child(value, 1);
    const ir::TypeId floating = bank.types().floating();
    if (bank.type(a) != floating || bank.type(b) != floating || a.value <= b.value) return value;
    return *bank.withChildren(value, std::array{b, a});
}

}  // namespace

Symbol Names::fresh(std::string_view hint) {
    return m_bank.symbols().intern(fmt::format("{}#{}", hint.substr(0, hint.find('#')), ++m_next));
}

Symbol Names::hintOf(Symbol name) {
    const std::string text(m_bank.text(name));
    return m_bank.symbols().intern(text.substr(0, text.find('#')));
}

bool isAtom(const TermBank& bank, TermId term) {
    return bank.is(term, CoreOp::Variable) || bank.is(term, CoreOp::Literal) ||
           (bank.is(term, CoreOp::Tuple) && bank.childCount(term) == 0);
}

void forEachFree(const TermBank& bank, TermId term, absl::FunctionRef<void(Symbol, bool)> visit) {
    visitFree(bank, term, false, visit);
}

TermId replaceFree(TermBank& bank, TermId term, absl::FunctionRef<TermId(Symbol)> map) {
    return FreeReplacer(bank, map).apply(term);
}

TermId Block::parameter(std::string_view hint, ir::TypeId type) {
    m_parameter = m_names.fresh(hint);
    m_parameterType = type;
    return m_bank.variable(m_parameter, type);
}

TermId Block::emit(TermId value, std::string_view hint, bool isKept) {
    if (m_bank.types().kind(m_bank.type(value)) == ir::TypeKind::Lambda) return value;
    if (isAtom(m_bank, value)) {
        if (isKept) keep(value, hint);
        return value;
    }
    if (const TermId variable = known(value); variable.isValid()) {
        m_names.note(m_bank.payload(variable).asSymbol());
        if (isKept) keep(variable, hint);
        return variable;
    }
    const Symbol name = m_names.fresh(hint);
    m_names.note(name);
    m_places.emplace(name, m_bindings.size());
    m_known.emplace(ordered(m_bank, value), m_bindings.size());
    m_bindings.push_back({name, value, m_names.hintOf(name), isKept});
    return m_bank.variable(name, m_bank.type(value));
}

TermId Block::known(TermId value) const {
    const TermId key = ordered(m_bank, value);
    for (const Block* block = this; block != nullptr; block = block->m_outer) {
        const auto known = block->m_known.find(key);
        if (known != block->m_known.end()) {
            return m_bank.variable(block->m_bindings[known->second].name, m_bank.type(value));
        }
    }
    return {};
}

/// Keeps a variable of this block under this name, unless it is kept already.
void Block::keep(TermId atom, std::string_view hint) {
    rename(atom, hint);
    if (!m_bank.is(atom, CoreOp::Variable)) return;
    const auto place = m_places.find(m_bank.payload(atom).asSymbol());
    if (place != m_places.end()) m_bindings[place->second].isKept = true;
}

TermId Block::emitBefore(TermId atom, TermId value, std::string_view hint) {
    const std::size_t at = m_places.at(m_bank.payload(atom).asSymbol());
    bool isPossible = true;
    forEachFree(m_bank, value, [&](Symbol name, bool) {
        const auto place = m_places.find(name);
        isPossible = isPossible && (place == m_places.end() || place->second < at);
    });
    if (!isPossible) return {};
    for (auto& [name, place] : m_places) place += place >= at ? 1 : 0;
    for (auto& [known, place] : m_known) place += place >= at ? 1 : 0;
    const Symbol name = m_names.fresh(hint);
    m_names.note(name);
    m_places.emplace(name, at);
    m_bindings.insert(m_bindings.begin() + static_cast<std::ptrdiff_t>(at), {name, value, m_names.hintOf(name), false});
    return m_bank.variable(name, m_bank.type(value));
}

bool Block::isDefinedAs(TermId variable, TermId value) const {
    const Binding* const binding = find(m_bank.payload(variable).asSymbol());
    return binding != nullptr && binding->value == value;
}

TermId Block::alias(TermId atom) {
    const Symbol name = m_names.fresh("x");
    m_places.emplace(name, m_bindings.size());
    m_bindings.push_back({name, atom, m_names.hintOf(name), false});
    return m_bank.variable(name, m_bank.type(atom));
}

void Block::equate(TermId atom, TermId known) {
    if (!m_bank.is(atom, CoreOp::Variable)) return;
    const auto place = m_places.find(m_bank.payload(atom).asSymbol());
    if (place != m_places.end()) m_bindings[place->second].value = known;
}

void Block::setAlternative(TermId atom, TermId value, TermId reused) {
    if (!m_bank.is(atom, CoreOp::Variable) || !m_bank.is(reused, CoreOp::Variable)) return;
    const auto place = m_places.find(m_bank.payload(atom).asSymbol());
    if (place == m_places.end()) return;
    m_bindings[place->second].alternative = value;
    m_bindings[place->second].reused = m_bank.payload(reused).asSymbol();
}

std::string Block::hint(Symbol name) const {
    for (const Block* block = this; block != nullptr; block = block->m_outer) {
        const Binding* const binding = block->find(name);
        if (binding == nullptr) continue;
        const bool isOtherName = m_bank.is(binding->value, CoreOp::Variable);
        return isOtherName ? hint(m_bank.payload(binding->value).asSymbol()) : std::string(m_bank.text(binding->hint));
    }
    return std::string(m_bank.text(m_names.hintOf(name)));
}

void Block::rename(TermId atom, std::string_view hint) {
    if (!m_bank.is(atom, CoreOp::Variable)) return;
    const auto place = m_places.find(m_bank.payload(atom).asSymbol());
    if (place == m_places.end() || m_bindings[place->second].isKept) return;
    m_bindings[place->second].hint = m_bank.symbols().intern(hint);
}

const Block::Binding* Block::find(Symbol name) const {
    const auto place = m_places.find(name);
    return place == m_places.end() ? nullptr : &m_bindings[place->second];
}

bool Block::isInner(TermId term) const {
    bool isFound = false;
    forEachFree(m_bank, term, [&](Symbol name, bool) { isFound = isFound || binds(name); });
    return isFound;
}

TermId Block::definition(Symbol name) const {
    for (const Block* block = this; block != nullptr; block = block->m_outer) {
        if (const Binding* const binding = block->find(name); binding != nullptr) return binding->value;
    }
    return {};
}

void Block::markNeeded(TermId term, std::vector<bool>& isNeeded) const {
    forEachFree(m_bank, term, [&](Symbol name, bool) {
        if (const auto place = m_places.find(name); place != m_places.end()) isNeeded[place->second] = true;
    });
}

std::vector<bool> Block::neededBy(const std::vector<TermId>& terms) const {
    std::vector<bool> isNeeded(m_bindings.size(), false);
    for (const TermId term : terms) markNeeded(term, isNeeded);
    for (std::size_t i = m_bindings.size(); i-- > 0;) {
        if (!isNeeded[i]) continue;
        markNeeded(m_bindings[i].value, isNeeded);
        if (m_bindings[i].alternative.isValid()) markNeeded(m_bindings[i].alternative, isNeeded);
    }
    return isNeeded;
}

bool Block::needs(const std::vector<TermId>& terms, TermId variable) const {
    const auto place = m_places.find(m_bank.payload(variable).asSymbol());
    return place != m_places.end() && neededBy(terms)[place->second];
}

std::vector<TermId> Block::firstNeeded(const std::vector<TermId>& terms, std::size_t count,
                                       absl::FunctionRef<bool(TermId, TermId)> isWanted) const {
    std::vector<bool> isNeeded(m_bindings.size(), false);
    for (const TermId term : terms) markNeeded(term, isNeeded);
    const TermId parameter = m_bank.variable(m_parameter, m_parameterType);
    std::vector<TermId> found;
    for (std::size_t i = m_bindings.size(); i-- > 0;) {
        if (!isNeeded[i]) continue;
        const TermId value = m_bindings[i].value;
        const TermId variable = m_bank.variable(m_bindings[i].name, m_bank.type(value));
        if (i < count && isWanted(variable, value) && reaches(value, parameter)) {
            found.push_back(variable);
        } else {
            markNeeded(value, isNeeded);
        }
    }
    return found;
}

Block Block::needed(const std::vector<TermId>& terms) const {
    const std::vector<bool> isNeeded = neededBy(terms);
    Block block(m_bank, m_names, m_outer);
    block.m_parameter = m_parameter;
    block.m_parameterType = m_parameterType;
    for (std::size_t i = 0; i < m_bindings.size(); ++i) {
        if (!isNeeded[i]) continue;
        block.m_places.emplace(m_bindings[i].name, block.m_bindings.size());
        block.m_bindings.push_back(m_bindings[i]);
    }
    return block;
}

std::vector<TermId> Block::values() const {
    std::vector<TermId> values;
    for (const Binding& binding : m_bindings) values.push_back(binding.value);
    return values;
}

bool Block::isCheap() const {
    constexpr std::size_t Most = 24;
    if (m_bindings.size() > Most) return false;
    return std::ranges::all_of(m_bindings, [&](const Binding& binding) {
        std::vector<TermId> open{binding.value};
        while (!open.empty()) {
            const TermId term = open.back();
            open.pop_back();
            if (m_bank.is(term, CoreOp::Lam) || m_bank.is(term, CoreOp::Call)) return false;
            if (m_bank.treeSize(term) > WorthKnowing) return false;
            for (const TermId child : m_bank.children(term)) open.push_back(child);
        }
        return !m_bank.types().isTensor(m_bank.type(binding.value)) ||
               m_bank.op(binding.value) == ks::opId(ks::Op::Index);
    });
}

bool Block::reaches(TermId term, TermId variable) const {
    const Block between = needed({term});
    const Symbol wanted = m_bank.payload(variable).asSymbol();
    bool isFound = false;
    const auto look = [&](TermId value) {
        forEachFree(m_bank, value, [&](Symbol name, bool) { isFound = isFound || name == wanted; });
    };
    look(term);
    for (const Binding& binding : between.m_bindings) look(binding.value);
    return isFound;
}

void Block::define(Symbol name, TermId value) {
    m_places.emplace(name, m_bindings.size());
    m_bindings.push_back({name, value, m_names.hintOf(name), false});
}

void Block::append(const Block& other) {
    for (const Binding& binding : other.m_bindings) {
        if (!m_places.emplace(binding.name, m_bindings.size()).second) continue;
        m_bindings.push_back(binding);
    }
}

void Block::setParameter(TermId variable) {
    m_parameter = m_bank.payload(variable).asSymbol();
    m_parameterType = m_bank.type(variable);
}

TermId Block::last() const {
    return m_bindings.empty() ? TermId()
                              : m_bank.variable(m_bindings.back().name, m_bank.type(m_bindings.back().value));
}

std::size_t Block::countUpTo(TermId variable) const {
    return variable.isValid() ? m_places.at(m_bank.payload(variable).asSymbol()) + 1 : 0;
}

Block Block::rest(std::size_t from) const {
    Block rest(m_bank, m_names, m_outer);
    for (std::size_t i = from; i < m_bindings.size(); ++i) {
        rest.m_places.emplace(m_bindings[i].name, rest.m_bindings.size());
        rest.m_bindings.push_back(m_bindings[i]);
    }
    return rest;
}

std::optional<TermId> Block::lifted(TermId term) const {
    TermId current = term;
    const std::uint64_t largest = m_bank.treeSize(term) + 4 * WorthKnowing;
    while (isInner(current)) {
        if (m_bank.treeSize(current) > largest) return std::nullopt;
        bool isPossible = true;
        current = replaceFree(m_bank, current, [&](Symbol name) -> TermId {
            const Binding* const binding = find(name);
            if (binding == nullptr) {
                isPossible = isPossible && name != m_parameter;
                return {};
            }
            isPossible = isPossible && facts::of(m_bank).isTotal(binding->value) &&
                         m_bank.treeSize(binding->value) < WorthKnowing;
            return binding->value;
        });
        if (!isPossible) return std::nullopt;
    }
    return current;
}

std::vector<TermId> Block::chosenValues(TermId result) const {
    std::vector<TermId> chosen = values();
    const auto hasAlternative = [](const Binding& binding) { return binding.alternative.isValid(); };
    if (std::ranges::none_of(m_bindings, hasAlternative)) return chosen;
    absl::flat_hash_set<Symbol> used;
    absl::flat_hash_set<Symbol> usedOtherwise;
    const auto use = [&](TermId term, Symbol reused) {
        forEachFree(m_bank, term, [&](Symbol name, bool) {
            used.insert(name);
            if (name != reused) usedOtherwise.insert(name);
        });
    };
    use(result, {});
    for (std::size_t i = m_bindings.size(); i-- > 0;) {
        if (!used.contains(m_bindings[i].name)) continue;
        use(m_bindings[i].value, m_bindings[i].reused);
    }
    for (std::size_t i = 0; i < m_bindings.size(); ++i) {
        const Binding& binding = m_bindings[i];
        const bool isNeededHere = m_places.contains(binding.reused) && !usedOtherwise.contains(binding.reused);
        if (hasAlternative(binding) && isNeededHere) chosen[i] = binding.alternative;
    }
    return chosen;
}

std::vector<Block::Fate> Block::plan(TermId result, const std::vector<TermId>& values) const {
    absl::flat_hash_map<Symbol, Uses> uses;
    const auto count = [&](TermId term, const Uses& of) {
        forEachFree(m_bank, term, [&](Symbol name, bool isInLambda) {
            if (!m_places.contains(name)) return;
            Uses& u = uses[name];
            u.count += of.count;
            u.isInLambda = u.isInLambda || isInLambda || of.isInLambda;
        });
    };
    count(result, {1, false});
    std::vector<Fate> fates(m_bindings.size(), Fate::Dropped);
    for (std::size_t i = m_bindings.size(); i-- > 0;) {
        const Binding& binding = m_bindings[i];
        const auto used = uses.find(binding.name);
        if (used == uses.end()) continue;
        const Uses of = used->second;
        const bool isInlined = isAtom(m_bank, values[i]) ||
                               (!binding.isKept && ((of.count == 1 && !of.isInLambda) || isFree(m_bank, values[i])));
        fates[i] = isInlined ? Fate::Inlined : Fate::Bound;
        count(values[i], isInlined ? of : Uses{1, false});
    }
    return fates;
}

TermId Block::closed(TermId result, std::uint32_t depth) const {
    const std::vector<TermId> chosen = chosenValues(result);
    const std::vector<Fate> fates = plan(result, chosen);
    Closer closer(m_bank, m_names);
    if (m_parameter.isValid()) closer.bindAt(m_parameter, 0);
    std::vector<std::pair<Symbol, TermId>> lets;
    for (std::size_t i = 0; i < m_bindings.size(); ++i) {
        const Binding& binding = m_bindings[i];
        if (fates[i] == Fate::Inlined) closer.inlineAs(binding.name, chosen[i]);
        if (fates[i] != Fate::Bound) continue;
        const TermId value = closer.apply(chosen[i], depth);
        m_names.noteValue(binding.name, value);
        if (m_bank.is(value, CoreOp::Literal)) {
            closer.inlineAs(binding.name, value);
            continue;
        }
        if (m_bank.is(value, CoreOp::Bound) && !binding.isKept) {
            closer.bindAt(binding.name, depth - 1 - m_bank.payload(value).asIndex());  // another name
            continue;
        }
        lets.emplace_back(binding.hint, value);
        closer.bindAt(binding.name, depth++);
    }
    TermId term = closer.apply(result, depth);
    for (std::size_t i = lets.size(); i-- > 0;) {
        const bool isItself = m_bank.is(term, CoreOp::Bound) && m_bank.payload(term).asIndex() == 0;
        term = isItself ? lets[i].second : m_bank.let(lets[i].first, lets[i].second, term);
    }
    return term;
}

TermId Block::close(TermId result) const { return closed(result, 0); }

TermId Block::closeAsLambda(TermId result) const {
    return m_bank.lambda(m_names.hintOf(m_parameter), m_parameterType, closed(result, 1));
}

}  // namespace mitos::autodiff
