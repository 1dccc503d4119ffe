// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of values, and terms that read them or are zero there.
#pragma once

#include "core/autodiff/derivative.h"
#include "core/autodiff/internal/block.h"
#include "core/autodiff/internal/nests.h"
#include "core/autodiff/internal/stated_types.h"
#include "core/ir/term_bank.h"
#include "core/ks/operators.h"

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace mitos::autodiff {

/// A step from a value into it: to an element of a tuple or of a tensor.
struct PathStep {
    ir::TermId index = {};      ///< the index of a tensor's element, an atom; invalid for a tuple
    std::uint32_t element = 0;  ///< of a tuple, counted from 0

    [[nodiscard]] bool isIndex() const { return index.isValid(); }
    friend bool operator==(const PathStep&, const PathStep&) = default;
};
using PartPath = std::vector<PathStep>;

/// A part of the value of a variable.
struct Place {
    ir::TermId base;  ///< a variable
    PartPath path = {};

    [[nodiscard]] Place then(const PathStep& step) const;
};

/// A summand of a tangent: zero but for the part at the path.
struct Contribution {
    PartPath path;
    ir::TermId value;        ///< an atom
    bool isGuarded = false;  ///< the index may be that of an element that does not exist; the value is then zero
    std::shared_ptr<const Nest> nest = {};  ///< loops that are still open around the path's indices and the value
};

/// Makes terms; every operator application is checked by the bank's type rules.
class TermMaker {
public:
    TermMaker(ir::TermBank& bank, Names& names) : m_bank(bank), m_names(names) {}

    ir::TermId op(ks::Op op, std::initializer_list<ir::TermId> children);
    ir::TermId tuple(const std::vector<ir::TermId>& elements) { return m_bank.tuple(elements); }
    ir::TermId get(ir::TermId tuple, std::uint32_t element);
    /// (lam (hint : type) body(variable)); the body is made in a block of its own below `outer`.
    ir::TermId lambda(const Block* outer, std::string_view hint, ir::TypeId type,
                      absl::FunctionRef<ir::TermId(Block&, ir::TermId)> body);

    [[nodiscard]] ir::TypeId tangent(ir::TypeId type) { return m_bank.types().tangent(type); }
    /// Whether values of the type may change with what they are computed from: they have Floats in them, or linear maps or functions.
    [[nodiscard]] bool carriesTangent(ir::TypeId type);
    /// Whether values of the type have linear maps or functions in them, whose tangents cannot be stated.
    [[nodiscard]] bool hasOpaqueTangent(ir::TypeId type);
    /// Whether the type alone determines the shapes of its values.
    [[nodiscard]] bool hasKnownShape(ir::TypeId type);

    /// The sizes that the parameter's type names are used for it and its parts.
    void declare(ir::TermId variable, ir::TypeId declared) { m_declared[variable] = declared; }
    /// The type of a value in a block, with the names of the sizes that it states.
    [[nodiscard]] ir::TypeId statedType(const Block& block, ir::TermId value);
    /// Whether these names determine the shape of the tensor at the place and of its elements.
    [[nodiscard]] bool hasNamedSizes(const Place& place) const;
    [[nodiscard]] ir::TermId valueAt(const Place& place);
    [[nodiscard]] ir::TypeId typeAt(const Place& place);
    [[nodiscard]] ir::TermId sizeAt(const Place& place);
    /// The zero tangent of the part.
    [[nodiscard]] ir::TermId zeroAt(const Place& place);
    /// The argument of buildFromSparse that gives zeros as large as the tensor at the place.
    [[nodiscard]] ir::TermId shapesAt(const Place& place);
    /// The sum of tangents, of which there is at least one.
    [[nodiscard]] ir::TermId sum(const std::vector<ir::TermId>& tangents);
    [[nodiscard]] ir::TermId isPositive(ir::TermId size);
    /// Whether the index is that of an element of a tensor of this size.
    [[nodiscard]] ir::TermId isIndexBelow(ir::TermId index, ir::TermId size);
    /// The index (or size) all of whose components are zero.
    [[nodiscard]] ir::TermId zeroIndex(ir::TypeId indexType);

private:
    ir::TermBank& m_bank;
    Names& m_names;
    StatedTypes m_declared;
};

/// Adds up contributions to the tangent of the value at a place.
class Combiner {
public:
    /// Whether an index is that of a loop over all elements of a tensor.
    using IsInRange = std::function<bool(const Block&, ir::TermId index, const Place& tensor)>;

    Combiner(ir::TermBank& bank, Names& names, TermMaker& make, Form form, IsInRange isInRange)
        : m_bank(bank),
          m_names(names),
          m_make(make),
          m_form(form),
          m_isInRange(std::move(isInRange)) {}

    /// The tangent; the zero tangent if there is no contribution.
    ir::TermId combine(Block& block, const Place& place, const std::vector<Contribution>& contributions);

private:
    /// The tangent of the part at the place from the nest of a contribution, whose path begins there.
    ir::TermId closedNest(Block& block, const Place& place, const Contribution& contribution);
    struct OpenNest;
    ir::TermId closedAt(Block& block, const Place& place, std::size_t step, std::vector<const OpenLoop*> open,
                        const OpenNest& nest);
    ir::TermId scatteredNest(Block& block, const Place& place, std::size_t step,
                             const std::vector<const OpenLoop*>& open, const OpenNest& nest);
    ir::TermId combineTuple(Block& block, const Place& place, const std::vector<Contribution>& contributions);
    void addElements(Block& block, const Place& place, const std::vector<Contribution>& contributions,
                     std::vector<ir::TermId>& summands);
    ir::TermId scattered(Block& block, const Place& place, const std::vector<Contribution>& elements);

    ir::TermBank& m_bank;
    Names& m_names;
    TermMaker& m_make;
    Form m_form;
    IsInRange m_isInRange;
};

}  // namespace mitos::autodiff
