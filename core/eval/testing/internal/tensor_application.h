// SPDX-License-Identifier: GPL-3.0-or-later
// Turns one operator of a pattern over arrays into a term. Private to core/eval.
#pragma once

#include "core/eval/testing/internal/tensor_instances.h"

#include <algorithm>
#include <functional>
#include <string_view>

namespace mitos::eval {

/// Chooses attributes and the shapes of inputs; used for one application.
class TensorApplication {
public:
    using Wanted = TensorInstances::Wanted;
    using At = TensorInstances::At;
    using Made = std::optional<ir::TermId>;

    /// `at` is the pattern's node, an operator or a function variable that is bound to `op`. `output` is the index of the wanted output
    /// if there are several.
    TensorApplication(TensorInstances& owner, At at, const tensor::Operator& op, Wanted wanted, std::uint32_t output);

    Made run();

private:
    bool readAttributes();
    bool bindAttributes();
    bool bindAttribute(const rules::Node& node, ir::TermId literal);
    std::optional<std::string> fixedText(const rules::Node& node);

    // Each makes all children; false if a shape or attribute does not fit.
    bool pointwise();
    bool matMul();
    bool fusedMatMul();
    bool attention();
    bool groupedAttention();
    bool gemm();
    bool convolution();
    bool transposedConvolution();
    bool summand();
    bool pool();
    bool transpose();
    bool reshape();
    bool concat();
    bool split();
    bool globalPool();
    bool einsum();
    bool squeeze();
    bool unsqueeze();
    bool slice();
    bool gather();
    bool pad();
    bool same();
    bool alongAxis();
    bool reduction();
    bool batchNormalization();
    bool layerNormalization();
    bool mergeGroups();
    bool chooseOthers();

    [[nodiscard]] std::size_t count() const { return m_children.size(); }
    /// Makes child `i` with that shape unless it exists already.
    bool child(std::size_t i, const Wanted& wanted);
    bool child(std::size_t i, tensor::Shape dims) { return child(i, Wanted{true, std::move(dims), m_wanted.dtype}); }
    [[nodiscard]] bool isDecided(std::size_t i);
    [[nodiscard]] bool isNumber(std::size_t i) const;
    [[nodiscard]] tensor::Shape shape(std::size_t i) const { return m_owner.shapeOf(m_children[i]); }
    [[nodiscard]] std::int64_t wanted(std::size_t dimension) const {
        return m_wanted.hasRank && dimension < m_wanted.dims.size() ? m_wanted.dims[dimension] : Wanted::Any;
    }
    // Images as convolutions and pools see them, N, C, H, W, also where the operator has the channels last.
    [[nodiscard]] tensor::Shape image(std::size_t i) const;
    bool makeImage(std::size_t i, const tensor::Shape& dims);
    [[nodiscard]] std::int64_t wantedOfImage(std::size_t dimension) const;
    [[nodiscard]] std::size_t rankOr(std::size_t least, std::size_t most);
    [[nodiscard]] Wanted any() const { return {false, {}, m_wanted.dtype}; }
    /// The element type of input `i`.
    [[nodiscard]] ir::Dtype dtype(std::size_t i) const;
    /// The value of an attribute; chosen by `choose` if the pattern leaves it open.
    template <typename Value>
    Value attribute(std::string_view name, const std::function<Value()>& choose);
    std::vector<std::int64_t> integers(std::string_view name,
                                       const std::function<std::vector<std::int64_t>()>& choose) {
        return attribute<std::vector<std::int64_t>>(name, choose);
    }
    std::int64_t integer(std::string_view name, const std::function<std::int64_t()>& choose) {
        return attribute<std::int64_t>(name, choose);
    }
    [[nodiscard]] bool has(std::string_view name) const;
    bool chance(double p) { return m_owner.m_choices->chance(p); }
    std::int64_t below(std::int64_t n) { return m_owner.m_choices->below(static_cast<std::size_t>(n)); }

    TensorInstances& m_owner;
    At m_at;
    const tensor::Operator& m_op;
    Wanted m_wanted;
    std::uint32_t m_output;
    bool m_isChannelsLast;
    tensor::Attributes m_attributes;
    std::vector<bool> m_isFixed;  ///< by attribute: whether the pattern states it or it has been chosen
    /// The child of the pattern for a child of the term; sequences are expanded to their elements.
    struct Place {
        const rules::Node* node = nullptr;
        rules::VarIndex sequence = rules::NoVar;
        std::size_t element = 0;
    };
    std::vector<Place> m_places;
    std::vector<ir::TermId> m_children;
};

template <typename Value>
Value TensorApplication::attribute(std::string_view name, const std::function<Value()>& choose) {
    const auto found = std::ranges::find(m_op.attributes, name, &tensor::AttributeInfo::name);
    const auto index = static_cast<std::size_t>(found - m_op.attributes.begin());
    if (m_isFixed[index]) return std::get<Value>(m_attributes.values()[index]);
    Value value = choose();
    m_attributes.set(name, value);
    m_isFixed[index] = true;
    return value;
}

}  // namespace mitos::eval
