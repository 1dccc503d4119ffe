// SPDX-License-Identifier: GPL-3.0-or-later
// Function bodies as definitions in order. While a body is taken apart, its lets and loop variables are free variables with names that no
// program can have ("x#7").
#pragma once

#include "core/ir/path.h"
#include "core/ir/term_bank.h"

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::coarsening {

struct Definition;

/// Definitions in order; the last one is the result.
struct Chain {
    std::vector<Definition> definitions;
};

/// The body of a loop in a definition.
struct LoopBody {
    ir::Path lambda;  ///< its place in the value of the definition
    Symbol variable;
    ir::TypeId type;
    Chain body;
};

struct Definition {
    Symbol name;
    ir::TermId value;                  ///< over free variables
    ir::Path place = {};               ///< of the value in the body that was taken apart first
    std::vector<LoopBody> loops = {};  ///< the outermost ones, in order
};

class Chains {
public:
    explicit Chains(ir::TermBank& bank) : m_bank(bank) {}

    /// Takes a body apart, which is at a place of the function's body. Definitions that the result does not need are left out.
    [[nodiscard]] Chain open(ir::TermId body, ir::Path place = {});
    /// The term of some definitions: lets around a result over the same free variables.
    [[nodiscard]] ir::TermId lets(const Chain& chain, std::size_t first, std::size_t last, ir::TermId result);
    /// The term of a chain and of the loop bodies in it.
    [[nodiscard]] ir::TermId close(const Chain& chain);

    [[nodiscard]] Symbol fresh(std::string_view hint);
    /// "x" of "x#7"; other names stay.
    [[nodiscard]] std::string hint(Symbol name) const;
    [[nodiscard]] ir::TermId variable(const Definition& definition) {
        return m_bank.variable(definition.name, m_bank.type(definition.value));
    }

private:
    void openLoops(Definition& definition);
    ir::TermId abstracted(ir::TermId term, Symbol name);

    ir::TermBank& m_bank;
    std::size_t m_next = 0;
};

/// The free variables of a term, in the order of their first appearance, and how often each occurs.
class FreeVariables {
public:
    explicit FreeVariables(const ir::TermBank& bank) : m_bank(bank) {}
    void add(ir::TermId term);
    [[nodiscard]] const std::vector<ir::TermId>& all() const { return m_all; }
    [[nodiscard]] std::size_t count(Symbol name) const {
        const auto found = m_counts.find(name);
        return found == m_counts.end() ? 0 : found->second;
    }

private:
    const ir::TermBank& m_bank;
    std::vector<ir::TermId> m_all;
    absl::flat_hash_map<Symbol, std::size_t> m_counts;
};

/// The term with free variables replaced by terms without loose indices.
[[nodiscard]] ir::TermId replaced(ir::TermBank& bank, ir::TermId term,
                                  const absl::flat_hash_map<Symbol, ir::TermId>& values);

/// The number of different operators and calls in terms in which all lets are inlined: the size of a symbolic form.
[[nodiscard]] std::size_t symbolicSize(ir::TermBank& bank, const std::vector<ir::TermId>& terms);

}  // namespace mitos::coarsening
