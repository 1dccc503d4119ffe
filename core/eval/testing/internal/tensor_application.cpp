// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses attributes, and handles the operators whose inputs have the shape of the output or nearly so.
#include "core/eval/testing/internal/tensor_application.h"

#include "core/ir/attributes.h"
#include "core/tensor/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

namespace mitos::eval {

using ir::TermId;
using rules::Node;
using rules::NodeKind;
using tensor::Shape;

TensorApplication::TensorApplication(TensorInstances& owner, At at, const tensor::Operator& op, Wanted wanted,
                                     std::uint32_t output)
    : m_owner(owner),
      m_at(at),
      m_op(op),
      m_wanted(std::move(wanted)),
      m_output(output),
      m_isChannelsLast(tensor::channelsFirstForm(op) != nullptr),
      m_attributes(op),
      m_isFixed(op.attributes.size(), false) {}

TensorApplication::Made TensorApplication::run() {
    if (!readAttributes()) return std::nullopt;
    for (std::size_t i = 0; i < m_at.node->childCount; ++i) {
        const Node& node = m_at.table->child(*m_at.node, i);
        if (node.kind != NodeKind::Sequence) {
            m_places.push_back({&node});
            continue;
        }
        auto& elements = m_owner.m_sequences[node.var];
        if (!m_owner.m_hasSequence[node.var]) {
            m_owner.m_hasSequence[node.var] = true;
            elements.assign(m_owner.m_choices->below(4), TermId());
        }
        for (std::size_t k = 0; k < elements.size(); ++k) m_places.push_back({&node, node.var, k});
    }
    if (m_places.size() < m_op.minArity() || m_places.size() > m_op.maxArity()) return std::nullopt;
    m_children.assign(m_places.size(), TermId());
    for (std::size_t i = 0; i < count(); ++i) {
        if (isDecided(i) && !child(i, Wanted{false, {}, dtype(i)})) return std::nullopt;
    }
    struct Maker {
        std::string_view name;
        bool (TensorApplication::*make)();
    };
    static constexpr std::array Makers{Maker{"MatMul", &TensorApplication::matMul},
                                       Maker{"Gemm", &TensorApplication::gemm},
                                       Maker{"FusedMatMul", &TensorApplication::fusedMatMul},
                                       Maker{"MultiHeadAttention", &TensorApplication::attention},
                                       Maker{"Attention", &TensorApplication::groupedAttention},
                                       Maker{"Conv", &TensorApplication::convolution},
                                       Maker{"FusedConv", &TensorApplication::convolution},
                                       Maker{"ConvTranspose", &TensorApplication::transposedConvolution},
                                       Maker{"MaxPool", &TensorApplication::pool},
                                       Maker{"AveragePool", &TensorApplication::pool},
                                       Maker{"GlobalAveragePool", &TensorApplication::globalPool},
                                       Maker{"GlobalMaxPool", &TensorApplication::globalPool},
                                       Maker{"Transpose", &TensorApplication::transpose},
                                       Maker{"Reshape", &TensorApplication::reshape},
                                       Maker{"Squeeze", &TensorApplication::squeeze},
                                       Maker{"Unsqueeze", &TensorApplication::unsqueeze},
                                       Maker{"Concat", &TensorApplication::concat},
                                       Maker{"Split", &TensorApplication::split},
                                       Maker{"Slice", &TensorApplication::slice},
                                       Maker{"Gather", &TensorApplication::gather},
                                       Maker{"Dropout", &TensorApplication::same},
                                       Maker{"EyeLike", &TensorApplication::same},
                                       Maker{"Pad", &TensorApplication::pad},
                                       Maker{"Softmax", &TensorApplication::alongAxis},
                                       Maker{"LogSoftmax", &TensorApplication::alongAxis},
                                       Maker{"ReduceSum", &TensorApplication::reduction},
                                       Maker{"ReduceMean", &TensorApplication::reduction},
                                       Maker{"ReduceMax", &TensorApplication::reduction},
                                       Maker{"BatchNormalization", &TensorApplication::batchNormalization},
                                       Maker{"LayerNormalization", &TensorApplication::layerNormalization},
                                       Maker{"RMSNormalization", &TensorApplication::layerNormalization},
                                       Maker{"MergeGroups", &TensorApplication::mergeGroups},
                                       Maker{"Einsum", &TensorApplication::einsum}};
    const tensor::Operator* const plain = tensor::channelsFirstForm(m_op);
    const std::string_view kind = plain == nullptr ? m_op.name : plain->name;
    const auto* const found = std::ranges::find(Makers, kind, &Maker::name);
    if (found == Makers.end() && !m_op.traits.pointwise && m_op.name != "Identity") {
        m_owner.fail(fmt::format("no random instances are made of {}", m_op.name));
        return std::nullopt;
    }
    const bool isMade = found == Makers.end() ? pointwise() : (this->*found->make)();
    const bool isComplete = std::ranges::all_of(m_children, [](TermId id) { return id.isValid(); });
    if (!isMade || !isComplete || !chooseOthers() || !bindAttributes()) return std::nullopt;
    const Result<TermId> made = tensor::make(m_owner.m_bank, m_op, m_children, m_attributes);
    if (!made) return std::nullopt;
    if (m_owner.m_bank.types().isTuple(m_owner.m_bank.type(*made))) return *made;
    return m_owner.known(*made, m_wanted);
}

// --- attributes --------------------------------------------------------------------------------------------------------

std::optional<std::string> TensorApplication::fixedText(const Node& node) {
    const At at{m_at.table, &node, m_at.frame};
    if (const TermId* value = m_owner.slot(at); value != nullptr) {
        return value->isValid() ? ir::attributeText(m_owner.m_bank, *value) : std::nullopt;
    }
    switch (node.kind) {
        case NodeKind::Text: return node.name;
        case NodeKind::Literal:
            switch (node.payload.kind()) {
                case ir::PayloadKind::Integer: return fmt::format("{}", node.payload.asInteger());
                case ir::PayloadKind::Float: return fmt::format("{}", node.payload.asFloat());
                default: return node.payload.asBool() ? "true" : "false";
            }
        case NodeKind::Approx: return fmt::format("{}", node.value);
        case NodeKind::Apply: {
            std::string result;
            for (std::size_t i = 0; i < node.childCount; ++i) {
                const std::optional<std::string> element = fixedText(m_at.table->child(node, i));
                if (!element) return std::nullopt;
                result += (i > 0 ? "," : "") + *element;
            }
            return "[" + result + "]";
        }
        default: return std::nullopt;
    }
}

bool TensorApplication::readAttributes() {
    for (std::size_t i = 0; i < m_at.node->attributes.size(); ++i) {
        const std::optional<std::string> text = fixedText(m_at.table->nodes[m_at.node->attributes[i]]);
        if (!text) continue;
        const Result<tensor::AttributeValue> value = tensor::readAttribute(m_op.attributes[i], *text);
        if (!value) return false;
        m_attributes.set(m_op.attributes[i].name, *value);
        m_isFixed[i] = true;
    }
    return true;
}

/// Leaves the remaining attributes at their defaults, or chooses them at random.
bool TensorApplication::chooseOthers() {
    for (std::size_t i = 0; i < m_isFixed.size(); ++i) {
        const tensor::AttributeInfo& info = m_op.attributes[i];
        if (m_isFixed[i]) continue;
        if (!info.defaultText.empty() && chance(0.5)) {
            m_isFixed[i] = true;
            continue;
        }
        switch (info.kind) {
            case tensor::AttributeKind::Float:
                m_attributes.set(info.name,
                                 std::array<double, 4>{0.5, 1.0, 2.0, 0.25}[static_cast<std::size_t>(below(4))]);
                break;
            case tensor::AttributeKind::Boolean: m_attributes.set(info.name, chance(0.5)); break;
            case tensor::AttributeKind::Word:
                if (info.words.empty()) return !info.defaultText.empty();
                m_attributes.set(info.name, info.words[m_owner.m_choices->below(info.words.size())]);
                break;
            default:
                if (info.defaultText.empty()) return false;
        }
        m_isFixed[i] = true;
    }
    return true;
}

bool TensorApplication::bindAttribute(const Node& node, TermId literal) {
    if (TermId* const value = m_owner.slot({m_at.table, &node, m_at.frame}); value != nullptr) {
        if (!value->isValid()) *value = literal;
        return *value == literal;
    }
    if (node.kind != NodeKind::Apply) return true;  // the matcher compares what the pattern states
    if (m_owner.m_bank.childCount(literal) != node.childCount) return false;
    for (std::size_t i = 0; i < node.childCount; ++i) {
        if (!bindAttribute(m_at.table->child(node, i), m_owner.m_bank.child(literal, i))) return false;
    }
    return true;
}

bool TensorApplication::bindAttributes() {
    for (std::size_t i = 0; i < m_at.node->attributes.size(); ++i) {
        const TermId literal = ir::attributeLiteral(m_owner.m_bank, tensor::attributeText(m_attributes.values()[i]));
        if (!bindAttribute(m_at.table->nodes[m_at.node->attributes[i]], literal)) return false;
    }
    return true;
}

bool TensorApplication::has(std::string_view name) const {
    return std::ranges::any_of(m_op.attributes, [&](const tensor::AttributeInfo& info) { return info.name == name; });
}

ir::Dtype TensorApplication::dtype(std::size_t i) const {
    if (m_op.name == "IsNaN") return ir::Dtype::F32;
    if (m_op.name == "Where" && i == 0) return ir::Dtype::Bool;
    return m_op.name == "Gather" && i == 1 ? ir::Dtype::I64 : m_wanted.dtype;
}

// --- children ----------------------------------------------------------------------------------------------------------

bool TensorApplication::isDecided(std::size_t i) {
    const Place& place = m_places[i];
    if (m_children[i].isValid()) return true;
    if (place.sequence != rules::NoVar) return m_owner.m_sequences[place.sequence][place.element].isValid();
    return m_owner.isDecided({m_at.table, place.node, m_at.frame});
}

bool TensorApplication::isNumber(std::size_t i) const {
    return m_places[i].node->kind == NodeKind::Number || m_places[i].node->kind == NodeKind::Approx;
}

bool TensorApplication::child(std::size_t i, const Wanted& wanted) {
    const Place& place = m_places[i];
    if (m_children[i].isValid()) return m_owner.known(m_children[i], wanted).has_value();
    Made made;
    if (place.sequence == rules::NoVar) {
        made = m_owner.build({m_at.table, place.node, m_at.frame}, wanted);
    } else {
        TermId& element = m_owner.m_sequences[place.sequence][place.element];
        made = element.isValid() ? m_owner.known(element, wanted) : m_owner.leaf(wanted);
        if (made) element = *made;
    }
    if (made) m_children[i] = *made;
    return made.has_value();
}

std::size_t TensorApplication::rankOr(std::size_t least, std::size_t most) {
    if (m_wanted.hasRank) return m_wanted.dims.size();
    return least + m_owner.m_choices->below(most - least + 1);
}

/// All inputs broadcast to one shape; at least one input has it, the others may be smaller.
bool TensorApplication::pointwise() {
    if (count() == 0) return false;
    std::size_t rank = m_wanted.hasRank ? m_wanted.dims.size() : 0;
    bool anyDecided = false;
    bool someIsFull = false;
    for (std::size_t i = 0; i < count(); ++i) {
        if (!m_children[i].isValid()) continue;
        anyDecided = true;
        rank = std::max(rank, shape(i).size());
        someIsFull = someIsFull || !m_wanted.hasRank || m_owner.known(m_children[i], m_wanted).has_value();
    }
    if (!m_wanted.hasRank && !anyDecided) rank = rankOr(1, 4);
    if (m_wanted.hasRank && rank != m_wanted.dims.size()) return false;
    Shape target = m_wanted.hasRank ? m_wanted.dims : Shape(rank, Wanted::Any);
    const auto learn = [&](std::size_t i) {
        const Shape own = shape(i);
        for (std::size_t d = 0; d < own.size(); ++d) {
            std::int64_t& dim = target[rank - own.size() + d];
            if (dim == Wanted::Any && own[d] > 1) dim = own[d];
        }
    };
    for (std::size_t i = 0; i < count(); ++i) {
        if (m_children[i].isValid()) learn(i);
    }
    for (std::size_t i = 0; i < count(); ++i) {
        if (m_children[i].isValid() || isNumber(i)) continue;
        Shape dims = target;
        const bool isLast = [&] {
            for (std::size_t k = i + 1; k < count(); ++k) {
                if (!m_children[k].isValid() && !isNumber(k)) return false;
            }
            return true;
        }();
        const bool isSmaller = m_owner.m_broadcasts && count() > 1 && (someIsFull || !isLast) && chance(0.6);
        if (isSmaller) {
            // Often one number per column, or one per channel of images; else any axes are missing or have the size 1.
            if (dims.size() > 1 && chance(0.3)) {
                dims.erase(dims.begin(), dims.end() - 1);
            } else if (dims.size() == 4 && chance(0.3)) {
                dims = {1, dims[1], 1, 1};
                if (chance(0.5)) dims.erase(dims.begin());
            } else {
                if (chance(0.3))
                    dims.erase(dims.begin(), dims.begin() + below(static_cast<std::int64_t>(dims.size()) + 1));
                for (std::int64_t& dim : dims) {
                    if (chance(0.4)) dim = 1;
                }
            }
        }
        const Wanted own{true, dims, dtype(i)};
        if (!child(i, own)) return false;
        someIsFull = someIsFull || !isSmaller;
        learn(i);
    }
    for (std::size_t i = 0; i < count(); ++i) {
        if (m_children[i].isValid()) continue;
        const std::size_t kind = m_owner.m_choices->below(5);
        Shape dims = kind < 3 ? Shape() : kind == 3 ? Shape(rank, 1) : target;
        if (!child(i, std::move(dims))) return false;
    }
    return true;
}

bool TensorApplication::globalPool() {
    const std::size_t rank = rankOr(4, 4);
    Shape dims(rank, Wanted::Any);
    for (std::size_t i = 0; i < std::min<std::size_t>(rank, 2); ++i) dims[i] = wanted(i);
    return child(0, std::move(dims));
}

/// Axes with the same letter have the same size.
bool TensorApplication::einsum() {
    const std::vector<std::string>& words = m_attributes.names("equation");
    if (words.size() != count() + 1) return false;
    std::map<char, std::int64_t> sizes;
    const auto learn = [&](const std::string& letters, const Shape& dims) {
        for (std::size_t i = 0; i < letters.size() && i < dims.size(); ++i) {
            if (dims[i] != Wanted::Any) sizes.emplace(letters[i], dims[i]);
        }
    };
    if (m_wanted.hasRank) {
        if (m_wanted.dims.size() != words.back().size()) return false;
        learn(words.back(), m_wanted.dims);
    }
    for (std::size_t i = 0; i < count(); ++i) {
        if (m_children[i].isValid()) learn(words[i], shape(i));
    }
    for (std::size_t i = 0; i < count(); ++i) {
        Shape dims;
        for (const char letter : words[i]) {
            const auto known = sizes.find(letter);
            dims.push_back(known == sizes.end() ? Wanted::Any : known->second);
        }
        if (!child(i, std::move(dims))) return false;
        learn(words[i], shape(i));
    }
    return true;
}

}  // namespace mitos::eval
