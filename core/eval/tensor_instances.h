// SPDX-License-Identifier: GPL-3.0-or-later
// Random well-typed instances of rules over arrays.
#pragma once

#include "core/eval/choices.h"
#include "core/rules/compiled.h"
#include "core/tensor/operator.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mitos::eval {

/// Terms that a left side over arrays matches: the pattern is gone through from the root, with what is known of the shape that is
/// wanted, and every operator chooses attributes and the shapes of its inputs such that its shape rule is content:
/// grouped, strided, padded and dilated convolutions, broadcast arithmetic, splits of unequal parts. What the rule's conditions
/// ask beyond that is left to chance.
class TensorInstances {
public:
    /// A shape as far as it is known.
    struct Wanted {
        static constexpr std::int64_t Any = -1;
        bool hasRank = false;
        tensor::Shape dims = {};  ///< of known rank: sizes, or Any
        ir::Dtype dtype = ir::Dtype::F32;
    };
    struct Leaf {
        std::string name;
        ir::TypeId type;
        bool isWeight = false;
    };

    /// The rule's left side may be a tuple of roots. The registry of the bank must have the tensor dialect.
    TensorInstances(ir::TermBank& bank, const rules::CompiledRule& rule);

    /// One of the left side; nothing if the choices did not go together. `sizes`: those that dimensions have.
    std::optional<ir::TermId> make(Choices& choices, std::vector<std::int64_t> sizes);
    /// The inputs and weights of the last one.
    [[nodiscard]] const std::vector<Leaf>& leaves() const { return m_leaves; }
    /// Why no instance can be made of the rule; empty: one may be.
    [[nodiscard]] const std::string& obstacle() const { return m_obstacle; }

private:
    friend class TensorApplication;

    /// One unfolding of a named pattern.
    struct Unfolding {
        const rules::NodeTable* table = nullptr;  ///< of the arguments
        const rules::Node* use = nullptr;
        Unfolding* outer = nullptr;  ///< of the arguments
        const rules::Alternate* alternate = nullptr;
        std::uint32_t depth = 0;
        std::vector<ir::TermId> locals = {};
    };
    /// A node with what it is read in.
    struct At {
        const rules::NodeTable* table = nullptr;
        const rules::Node* node = nullptr;
        Unfolding* frame = nullptr;
    };
    using Made = std::optional<ir::TermId>;

    /// A match constraint: what stands for the variable is made of the pattern.
    struct Constraint {
        ir::TermId* slot = nullptr;
        At pattern;
        bool isUsed = false;
    };

    Made build(At at, const Wanted& wanted);
    Made made(ir::TermId& slot, const Wanted& wanted);
    /// Notes constraints; false if one is about something that is no variable.
    bool expect(const rules::NodeTable& table, const std::vector<rules::CompiledConstraint>& constraints,
                Unfolding* frame);
    /// Makes what constraints speak of from the `first` on and nothing else has made, and forgets these constraints.
    bool meet(std::size_t first);
    Made apply(At at, const Wanted& wanted, std::uint32_t output);
    Made function(At at, const Wanted& wanted);
    Made unfold(At at, const Wanted& wanted);
    /// What the rule's condition asks of a variable.
    enum class LeafKind : std::uint8_t { Any, Constant, Weight };
    Made leaf(const Wanted& wanted, LeafKind kind = LeafKind::Any);
    Made known(ir::TermId term, const Wanted& wanted) const;
    /// The place that keeps the value of a variable or local; null for everything else. Parameters are followed.
    ir::TermId* slot(At at);
    [[nodiscard]] At resolved(At at) const;
    /// Whether the shape of what stands there is decided already.
    bool isDecided(At at);
    [[nodiscard]] tensor::Shape shapeOf(ir::TermId term) const;
    [[nodiscard]] ir::Dtype dtypeOf(ir::TermId term) const;
    /// A size, of those for this instance.
    std::int64_t size();
    tensor::Shape filled(const Wanted& wanted);
    void fail(std::string obstacle);

    ir::TermBank& m_bank;
    const rules::CompiledRule& m_rule;
    Choices* m_choices = nullptr;
    std::vector<LeafKind> m_kinds;  ///< by variable
    std::vector<std::int64_t> m_sizes;
    double m_weights = 0.0;    ///< how often a leaf is a weight
    double m_constants = 0.0;  ///< how often it is a constant array
    bool m_broadcasts = false;
    ir::Dtype m_dtype = ir::Dtype::F32;
    std::vector<ir::TermId> m_values;                  ///< by variable; of function variables, the operator's term
    std::vector<std::vector<ir::TermId>> m_sequences;  ///< by variable
    std::vector<bool> m_hasSequence;
    std::vector<Leaf> m_leaves;
    std::vector<Constraint> m_constraints;
    std::string m_obstacle;
};

}  // namespace mitos::eval
