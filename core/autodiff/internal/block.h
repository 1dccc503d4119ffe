// SPDX-License-Identifier: GPL-3.0-or-later
// Straight-line code under construction. While a derivative is built, its local variables are free variables with names that no program
// can have ("x#7"); closing a block turns them into lets.
#pragma once

#include "core/autodiff/internal/origins.h"
#include "core/base/result.h"
#include "core/ir/term_bank.h"

#include <absl/container/flat_hash_map.h>
#include <absl/functional/function_ref.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::autodiff {

/// Thrown inside this folder only; derive() catches it.
struct NotDifferentiable {
    Error error;
    std::string head = {};  ///< the operator or function that has no derivative
};

/// Makes names that occur in no program, and gives the part that readers see.
class Names {
public:
    /// `log` may be null.
    explicit Names(ir::TermBank& bank, OriginLog* log = nullptr) : m_bank(bank), m_log(log) {}

    [[nodiscard]] Symbol fresh(std::string_view hint);
    /// "x" of "x#7"; other names are their own hints.
    [[nodiscard]] Symbol hintOf(Symbol name);

    /// The place in the primal that code is made for.
    [[nodiscard]] Origin origin() const { return m_origin; }
    void setOrigin(Origin origin) { m_origin = origin; }
    [[nodiscard]] Origin inner(Origin origin, std::size_t child) const {
        return m_log == nullptr ? origin : m_log->inner(origin, static_cast<std::uint32_t>(child));
    }
    void note(Symbol variable) const {
        if (m_log != nullptr) m_log->note(variable, m_origin);
    }
    void noteValue(Symbol variable, ir::TermId term) const {
        if (m_log != nullptr && m_bank.childCount(term) > 0) m_log->noteValue(variable, term);
    }
    /// The term is made for the place.
    void noteTerm(ir::TermId term) const {
        if (m_log != nullptr && m_bank.childCount(term) > 0) m_log->noteTerm(term, m_origin);
    }
    void carry(ir::TermId from, ir::TermId to) const {
        if (m_log != nullptr && m_bank.childCount(to) > 0) m_log->carry(from, to);
    }

private:
    ir::TermBank& m_bank;
    OriginLog* m_log;
    Origin m_origin;
    std::uint64_t m_next = 0;
};

/// Code that is made while it exists is for that place in the primal.
class AtOrigin {
public:
    AtOrigin(Names& names, Origin origin) : m_names(names), m_before(names.origin()) { names.setOrigin(origin); }
    ~AtOrigin() { m_names.setOrigin(m_before); }
    AtOrigin(const AtOrigin&) = delete;
    AtOrigin& operator=(const AtOrigin&) = delete;

private:
    Names& m_names;
    Origin m_before;
};

/// Whether a term needs no let to be used twice: a variable, a literal, or the empty tuple.
[[nodiscard]] bool isAtom(const ir::TermBank& bank, ir::TermId term);

/// Calls visit for every occurrence of a free variable; the flag says whether it stands below a lambda.
void forEachFree(const ir::TermBank& bank, ir::TermId term, absl::FunctionRef<void(Symbol, bool)> visit);

/// The term with free variables replaced by terms without loose indices. `map` returns an invalid id for variables that stay.
[[nodiscard]] ir::TermId replaceFree(ir::TermBank& bank, ir::TermId term, absl::FunctionRef<ir::TermId(Symbol)> map);

/// Lets in order, the code of a function body, of a lambda or of a branch.
class Block {
public:
    Block(ir::TermBank& bank, Names& names, const Block* outer) : m_bank(bank), m_names(names), m_outer(outer) {}

    /// Adds the variable of the lambda whose body the block is.
    ir::TermId parameter(std::string_view hint, ir::TypeId type);
    /// A variable with this value, or the value itself if it is an atom or a function. Equal values share a variable, and so do sums and
    /// products that differ in the order of two Floats. A kept variable stays a let of that name if it is used at all; others are inlined where they are used once.
    ir::TermId emit(ir::TermId value, std::string_view hint, bool isKept = false);

    /// The variable with this value, of this block or an outer one, that emit() would share; invalid if there is none.
    [[nodiscard]] ir::TermId known(ir::TermId value) const;

    /// A variable with this value that comes before a variable of this block; invalid if the value mentions later ones.
    ir::TermId emitBefore(ir::TermId atom, ir::TermId value, std::string_view hint);
    /// Whether this block gives the variable this value.
    [[nodiscard]] bool isDefinedAs(ir::TermId variable, ir::TermId value) const;

    /// A new variable for the same value. It stands for it in records; the code uses the value's own variable.
    ir::TermId alias(ir::TermId atom);

    /// Gives a variable of this block the value of a variable of an outer one, which is the same. Other atoms stay.
    void equate(ir::TermId atom, ir::TermId known);
    /// Gives a variable of this block another value that is the same, for the case that `reused`, which its value mentions, is needed for
    /// nothing else.
    void setAlternative(ir::TermId atom, ir::TermId value, ir::TermId reused);

    /// The name that readers see.
    [[nodiscard]] std::string hint(Symbol name) const;
    /// Gives a variable of this block that is not kept another name for readers.
    void rename(ir::TermId atom, std::string_view hint);

    /// Whether the variable belongs to this block (not to an outer one).
    [[nodiscard]] bool binds(Symbol name) const { return m_places.contains(name) || m_parameter == name; }
    /// Whether the term mentions a variable of this block.
    [[nodiscard]] bool isInner(ir::TermId term) const;
    /// The value of a variable of this block or of an outer one; invalid for other variables and for parameters.
    [[nodiscard]] ir::TermId definition(Symbol name) const;
    /// The term over variables of outer blocks: variables of this block are replaced by their values. Nothing if that would mention the
    /// parameter or an operator that may fail, or make the term much larger.
    [[nodiscard]] std::optional<ir::TermId> lifted(ir::TermId term) const;

    /// Whether the terms need a variable of this block.
    [[nodiscard]] bool needs(const std::vector<ir::TermId>& terms, ir::TermId variable) const;
    /// Those of the first `count` variables that are wanted, whose value depends on the parameter and that the terms need not only for another
    /// wanted one.
    [[nodiscard]] std::vector<ir::TermId> firstNeeded(
        const std::vector<ir::TermId>& terms, std::size_t count,
        absl::FunctionRef<bool(ir::TermId variable, ir::TermId value)> isWanted) const;
    /// The variables that the terms need, with the parameter.
    [[nodiscard]] Block needed(const std::vector<ir::TermId>& terms) const;
    [[nodiscard]] std::vector<ir::TermId> values() const;
    /// Whether all values are applications of operators that take no function, so that computing them again costs little.
    [[nodiscard]] bool isCheap() const;
    /// Whether a term depends on a variable, through variables of this block.
    [[nodiscard]] bool reaches(ir::TermId term, ir::TermId variable) const;
    /// Adds a variable of another block with its value.
    void define(Symbol name, ir::TermId value);
    /// Adds the variables of another block.
    void append(const Block& other);
    /// Makes an existing variable the parameter.
    void setParameter(ir::TermId variable);

    /// The last variable so far; invalid if there is none.
    [[nodiscard]] ir::TermId last() const;
    /// The number of variables up to this one, with it; 0 if it is invalid.
    [[nodiscard]] std::size_t countUpTo(ir::TermId variable) const;
    /// The number of variables so far, for rest().
    [[nodiscard]] std::size_t size() const { return m_bindings.size(); }
    /// Whether it is in no loop, branch or other function.
    [[nodiscard]] bool isOutermost() const { return m_outer == nullptr; }
    /// The variables from that number on. The earlier ones are free in them.
    [[nodiscard]] Block rest(std::size_t from) const;

    /// The block's lets around `result`. Variables of outer blocks stay free. Unused lets are dropped.
    [[nodiscard]] ir::TermId close(ir::TermId result) const;
    /// The same below a lambda over the block's parameter.
    [[nodiscard]] ir::TermId closeAsLambda(ir::TermId result) const;

private:
    struct Binding {
        Symbol name;
        ir::TermId value;
        Symbol hint;
        bool isKept = false;
        ir::TermId alternative = {};  ///< another term of this value, which does not mention `reused`
        Symbol reused = {};
    };
    struct Uses {
        std::uint64_t count = 0;
        bool isInLambda = false;
    };
    enum class Fate : std::uint8_t { Dropped, Inlined, Bound };
    struct Plan;

    void keep(ir::TermId atom, std::string_view hint);
    void markNeeded(ir::TermId term, std::vector<bool>& isNeeded) const;
    [[nodiscard]] std::vector<bool> neededBy(const std::vector<ir::TermId>& terms) const;
    [[nodiscard]] const Binding* find(Symbol name) const;
    /// The values of the variables: alternatives where the value is the only one that needs a variable.
    [[nodiscard]] std::vector<ir::TermId> chosenValues(ir::TermId result) const;
    [[nodiscard]] std::vector<Fate> plan(ir::TermId result, const std::vector<ir::TermId>& values) const;
    [[nodiscard]] ir::TermId closed(ir::TermId result, std::uint32_t depth) const;

    ir::TermBank& m_bank;
    Names& m_names;
    const Block* m_outer;
    Symbol m_parameter;
    ir::TypeId m_parameterType;
    std::vector<Binding> m_bindings;
    absl::flat_hash_map<Symbol, std::size_t> m_places;
    absl::flat_hash_map<ir::TermId, std::size_t> m_known;  ///< by value, its operands in one order
};

}  // namespace mitos::autodiff
