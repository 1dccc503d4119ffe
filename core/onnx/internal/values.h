// SPDX-License-Identifier: GPL-3.0-or-later
// The values of a graph that is being read: their terms, and their elements if known. Only for .cpp files of this folder.
#pragma once

#include "core/onnx/internal/size_array.h"
#include "core/onnx/internal/tensor_proto.h"
#include "core/tensor/evaluate.h"
#include "core/tensor/onnx_mapping.h"

#include <absl/container/node_hash_map.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mitos::onnx {

/// A value of the graph.
struct Value {
    ir::TermId term;
    tensor::ArrayPtr known = nullptr;                      ///< its elements, if they are few and known; else null
    std::optional<SizeArray> sizes = std::nullopt;         ///< its elements, if they are computed from names of sizes
    std::optional<proto::TypeProto> other = std::nullopt;  ///< its type if it is not a dense tensor: a sequence, a map
    bool isLearned = false;  ///< a floating-point weight, or known floating-point numbers that are computed from one
};

/// The values by name, and the weights among them.
class ValueTable {
public:
    /// `kept` are names of floating-point weights that do not become Constant terms; they must outlive the table.
    ValueTable(ir::TermBank& bank, const std::vector<std::string>& kept) : m_bank(bank), m_kept(kept) {}

    /// Null if there is no value of that name. The pointer stays valid until the value is erased.
    [[nodiscard]] const Value* find(const std::string& name) const;
    [[nodiscard]] const Value& at(const std::string& name) const { return m_values.at(name); }
    [[nodiscard]] bool contains(const std::string& name) const { return m_values.contains(name); }
    const Value& set(const std::string& name, Value value);
    /// Adds a weight of that name, or a Constant term if it has one element (and is not floating-point and to be kept).
    const Value& setConstant(const std::string& name, tensor::WeightData data, bool isKept = false);
    void erase(const std::string& name) { m_values.erase(name); }

    /// The elements, if they are known and at most 4096; else null.
    [[nodiscard]] tensor::ArrayPtr elements(const Value& value) const;
    /// The same for Integers (and Bools), exactly; nullopt if they are not known, too many, or floating-point.
    [[nodiscard]] std::optional<std::vector<std::int64_t>> integers(const Value& value) const;
    [[nodiscard]] const tensor::WeightData& weight(const std::string& name) const { return *m_weights.find(name); }

private:
    [[nodiscard]] const tensor::WeightData* modestWeight(const Value& value) const;
    std::optional<Value> oneElement(const tensor::WeightData& data, Symbol name);

    ir::TermBank& m_bank;
    const std::vector<std::string>& m_kept;
    tensor::Weights m_weights;
    absl::node_hash_map<std::string, Value> m_values;
};

/// The inputs of a node, for mappings.
class NodeInputs : public tensor::OnnxContext {
public:
    /// An element of `inputs` is null if the input is left out. They and the table must outlive this object.
    NodeInputs(ir::TermBank& bank, const ValueTable& values, std::vector<const Value*> inputs);

    [[nodiscard]] const tensor::ArrayType* type(std::size_t input) const override {
        return input < m_types.size() && m_types[input] ? &*m_types[input] : nullptr;
    }
    [[nodiscard]] std::optional<std::vector<std::int64_t>> integers(std::size_t input) const override;
    [[nodiscard]] std::optional<std::vector<double>> floats(std::size_t input) const override;
    [[nodiscard]] std::optional<std::vector<tensor::SizeExpression>> sizes(std::size_t input) const override;
    [[nodiscard]] SymbolTable& symbols() const override { return m_bank.symbols(); }
    /// The elements of an input; null if they are not known or the input is left out.
    [[nodiscard]] tensor::ArrayPtr known(std::size_t input) const {
        return input < m_known.size() ? m_known[input] : nullptr;
    }
    /// Null if the input is left out.
    [[nodiscard]] const Value* value(std::size_t input) const { return m_inputs[input]; }

private:
    ir::TermBank& m_bank;
    const ValueTable& m_values;
    std::vector<const Value*> m_inputs;
    std::vector<std::optional<tensor::ArrayType>> m_types;
    std::vector<tensor::ArrayPtr> m_known;
};

}  // namespace mitos::onnx
