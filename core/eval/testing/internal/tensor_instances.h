// SPDX-License-Identifier: GPL-3.0-or-later
// Random well-typed instances of rules over arrays.
#pragma once

#include "core/eval/testing/internal/choices.h"
#include "core/rules/language/compiled.h"
#include "core/tensor/operator.h"

#include <optional>
#include <string>
#include <vector>

namespace mitos::eval {

/// Generates terms that a left side over arrays matches. The pattern is traversed from the root with the known part of the wanted shape,
/// and every operator chooses attributes and shapes of its inputs such that its shape rule accepts them: grouped, strided, padded and
/// dilated convolutions, broadcast arithmetic, splits of unequal parts. Further conditions of the rule hold only by chance.
class TensorInstances {
public:
    /// The known part of a shape.
    struct Wanted {
        static constexpr std::int64_t Any = -1;
        bool hasRank = false;
        tensor::Shape dims = {};  ///< if the rank is known: sizes, or Any
        ir::Dtype dtype = ir::Dtype::F32;
    };
    struct Leaf {
        std::string name;
        ir::TypeId type;
        bool isWeight = false;
    };

    /// The rule's left side may be a tuple of roots. The registry of the bank must have the tensor dialect.
    TensorInstances(ir::TermBank& bank, const rules::CompiledRule& rule);

    /// Makes a term for the left side; empty if the choices were incompatible. `sizes` are the sizes of dimensions.
    std::optional<ir::TermId> make(Choices& choices, std::vector<std::int64_t> sizes);
    /// The inputs and weights of the last term.
    [[nodiscard]] const std::vector<Leaf>& leaves() const { return m_leaves; }
    /// Why no instance of the rule can be made; empty if none is known.
    [[nodiscard]] const std::string& obstacle() const { return m_obstacle; }

private:
    friend class TensorApplication;

    /// One unfolding of a named pattern.
    struct Unfolding {
        const rules::NodeTable* table = nullptr;  ///< table of the arguments
        const rules::Node* use = nullptr;
        Unfolding* outer = nullptr;  ///< unfolding of the arguments
        const rules::Alternate* alternate = nullptr;
        std::uint32_t depth = 0;
        std::vector<ir::TermId> locals = {};
    };
    /// A node with its table and unfolding.
    struct At {
        const rules::NodeTable* table = nullptr;
        const rules::Node* node = nullptr;
        Unfolding* frame = nullptr;
    };
    using Made = std::optional<ir::TermId>;

    /// A match constraint: the value of the variable is made from the pattern.
    struct Constraint {
        ir::TermId* slot = nullptr;
        At pattern;
        bool isUsed = false;
    };

    Made build(At at, const Wanted& wanted);
    Made made(ir::TermId& slot, const Wanted& wanted);
    /// Records constraints; false if the subject of one is not a variable.
    bool expect(const rules::NodeTable& table, const std::vector<rules::CompiledConstraint>& constraints,
                Unfolding* frame);
    /// Makes the values of the constraints from the `first` on that do not exist yet, and removes these constraints.
    bool meet(std::size_t first);
    Made apply(At at, const Wanted& wanted, std::uint32_t output);
    Made function(At at, const Wanted& wanted);
    Made unfold(At at, const Wanted& wanted);
    /// The kind of value that the rule's condition requires for a variable.
    enum class LeafKind : std::uint8_t { Any, Constant, Weight };
    Made leaf(const Wanted& wanted, LeafKind kind = LeafKind::Any);
    Made known(ir::TermId term, const Wanted& wanted) const;
    /// The slot that stores the value of a variable or local; null for every other node. Parameters are followed.
    ir::TermId* slot(At at);
    [[nodiscard]] At resolved(At at) const;
    /// Whether the shape of the node's value is decided already.
    bool isDecided(At at);
    [[nodiscard]] tensor::Shape shapeOf(ir::TermId term) const;
    [[nodiscard]] ir::Dtype dtypeOf(ir::TermId term) const;
    /// One of the sizes of this instance.
    std::int64_t size();
    tensor::Shape filled(const Wanted& wanted);
    void fail(std::string obstacle);

    ir::TermBank& m_bank;
    const rules::CompiledRule& m_rule;
    Choices* m_choices = nullptr;
    std::vector<LeafKind> m_kinds;  ///< by variable
    std::vector<std::int64_t> m_sizes;
    double m_weights = 0.0;    ///< probability that a leaf is a weight
    double m_constants = 0.0;  ///< probability that a leaf is a constant array
    bool m_broadcasts = false;
    ir::Dtype m_dtype = ir::Dtype::F32;
    std::vector<ir::TermId> m_values;                  ///< by variable; for function variables, the operator's term
    std::vector<std::vector<ir::TermId>> m_sequences;  ///< by variable
    std::vector<bool> m_hasSequence;
    std::vector<Leaf> m_leaves;
    std::vector<Constraint> m_constraints;
    std::string m_obstacle;
};

}  // namespace mitos::eval
