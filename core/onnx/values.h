// SPDX-License-Identifier: GPL-3.0-or-later
// The values of a graph that is read: their terms, and what is known of their elements. Only for .cpp files of this folder.
#pragma once

#include "core/onnx/size_array.h"
#include "core/onnx/tensor_proto.h"
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
    tensor::ArrayPtr known = nullptr;                      ///< its elements, if they are few and known
    std::optional<SizeArray> sizes = std::nullopt;         ///< its elements, if they are computed from names of sizes
    std::optional<proto::TypeProto> other = std::nullopt;  ///< the type of what is no dense tensor: a sequence, a map
};

/// The values by name, and the weights among them.
class ValueTable {
public:
    explicit ValueTable(ir::TermBank& bank) : m_bank(bank) {}

    /// Null if there is none. Stays valid until the value is erased.
    [[nodiscard]] const Value* find(const std::string& name) const;
    [[nodiscard]] const Value& at(const std::string& name) const { return m_values.at(name); }
    [[nodiscard]] bool contains(const std::string& name) const { return m_values.contains(name); }
    const Value& set(const std::string& name, Value value);
    /// A weight of that name, or a Constant term if it has one element.
    const Value& setConstant(const std::string& name, tensor::WeightData data);
    void erase(const std::string& name) { m_values.erase(name); }

    /// The elements, if they are known and at most 4096; else null.
    [[nodiscard]] tensor::ArrayPtr elements(const Value& value) const;
    /// The same of Integers (and Bools), exactly. Nothing: not known, too many, or floating.
    [[nodiscard]] std::optional<std::vector<std::int64_t>> integers(const Value& value) const;
    [[nodiscard]] const tensor::WeightData& weight(const std::string& name) const { return *m_weights.find(name); }

private:
    [[nodiscard]] const tensor::WeightData* modestWeight(const Value& value) const;
    std::optional<Value> oneElement(const tensor::WeightData& data, Symbol name);

    ir::TermBank& m_bank;
    tensor::Weights m_weights;
    absl::node_hash_map<std::string, Value> m_values;
};

/// What a node reads, as mappings ask for it.
class NodeInputs : public tensor::OnnxContext {
public:
    /// inputs: null where one is left out. They and the table must outlive this.
    NodeInputs(ir::TermBank& bank, const ValueTable& values, std::vector<const Value*> inputs);

    [[nodiscard]] const tensor::ArrayType* type(std::size_t input) const override {
        return input < m_types.size() && m_types[input] ? &*m_types[input] : nullptr;
    }
    [[nodiscard]] std::optional<std::vector<std::int64_t>> integers(std::size_t input) const override;
    [[nodiscard]] std::optional<std::vector<double>> floats(std::size_t input) const override;
    [[nodiscard]] std::optional<std::vector<tensor::SizeExpression>> sizes(std::size_t input) const override;
    [[nodiscard]] SymbolTable& symbols() const override { return m_bank.symbols(); }
    /// Null: not known, or left out.
    [[nodiscard]] tensor::ArrayPtr known(std::size_t input) const {
        return input < m_known.size() ? m_known[input] : nullptr;
    }
    /// Null: left out.
    [[nodiscard]] const Value* value(std::size_t input) const { return m_inputs[input]; }

private:
    ir::TermBank& m_bank;
    const ValueTable& m_values;
    std::vector<const Value*> m_inputs;
    std::vector<std::optional<tensor::ArrayType>> m_types;
    std::vector<tensor::ArrayPtr> m_known;
};

}  // namespace mitos::onnx
