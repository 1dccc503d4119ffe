// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/internal/values.h"

#include <algorithm>

namespace mitos::onnx {

namespace {

using tensor::ArrayPtr;

/// Constants of at most this many elements may become attributes.
constexpr std::int64_t ModestSize = 4096;

}  // namespace

const Value* ValueTable::find(const std::string& name) const {
    const auto found = m_values.find(name);
    return found == m_values.end() ? nullptr : &found->second;
}

const Value& ValueTable::set(const std::string& name, Value value) {
    return m_values.insert_or_assign(name, std::move(value)).first->second;
}

std::optional<Value> ValueTable::oneElement(const tensor::WeightData& data, Symbol name) {
    if (tensor::elementCount(data.shape()) != 1) return std::nullopt;
    const Result<ArrayPtr> array = data.read();
    // A Constant term keeps its value as a double, and has none that its element type does not hold.
    if (!array || !tensor::isExact(**array)) return std::nullopt;
    const tensor::Operator& op = *tensor::findOperator("Constant");
    tensor::Attributes attributes(op);
    const double value = (*array)->elements.front();
    attributes.set("value", data.dtype() == ir::Dtype::F32 ? shortest(static_cast<float>(value)) : value);
    attributes.set("dtype", std::string(ir::dtypeName(data.dtype())));
    attributes.set("shape", data.shape());
    const Result<ir::TermId> term = tensor::make(m_bank, op, {}, attributes, name);
    if (!term) return std::nullopt;
    return Value{.term = *term, .known = *array};
}

const Value& ValueTable::setConstant(const std::string& name, tensor::WeightData data, bool isKept) {
    const Symbol symbol = m_bank.symbols().intern(name);
    const bool isFloating = ir::isFloating(data.dtype());
    const bool isAsked = isKept || std::ranges::find(m_kept, name) != m_kept.end();
    if (!isFloating || !isAsked) {
        if (std::optional<Value> value = oneElement(data, symbol)) return set(name, *std::move(value));
    }
    std::vector<ir::Dimension> dimensions;
    for (const std::int64_t size : data.shape()) dimensions.push_back(ir::Dimension::of(size));
    const ir::TypeId type = m_bank.types().array(data.dtype(), dimensions);
    m_weights.set(name, std::move(data));
    const ir::OpId weight = m_bank.registry().find(tensor::WeightName);
    return set(name,
               {.term = m_bank.stated(weight, type, {}, ir::Payload::name(symbol), symbol), .isLearned = isFloating});
}

const tensor::WeightData* ValueTable::modestWeight(const Value& value) const {
    if (m_bank.opName(value.term) != tensor::WeightName) return nullptr;
    const tensor::WeightData& data = *m_weights.find(m_bank.text(m_bank.payload(value.term).asSymbol()));
    return tensor::elementCount(data.shape()) <= ModestSize ? &data : nullptr;
}

ArrayPtr ValueTable::elements(const Value& value) const {
    const tensor::WeightData* const data = value.known ? nullptr : modestWeight(value);
    if (data == nullptr) return value.known;
    const Result<ArrayPtr> array = data->read();
    return array ? *array : nullptr;
}

std::optional<std::vector<std::int64_t>> ValueTable::integers(const Value& value) const {
    const tensor::WeightData* const data = value.known ? nullptr : modestWeight(value);
    const ir::Dtype dtype = value.known ? value.known->dtype : data != nullptr ? data->dtype() : ir::Dtype::Unknown;
    if (!tensor::isComputable(dtype) || ir::isFloating(dtype)) return std::nullopt;
    if (value.known) return tensor::integersIn(*value.known);
    Result<std::vector<std::int64_t>> elements = data->integers();
    if (!elements) return std::nullopt;
    return *std::move(elements);
}

NodeInputs::NodeInputs(ir::TermBank& bank, const ValueTable& values, std::vector<const Value*> inputs)
    : m_bank(bank),
      m_values(values),
      m_inputs(std::move(inputs)) {
    for (const Value* const input : m_inputs) {
        m_types.emplace_back();
        m_known.push_back(input != nullptr ? values.elements(*input) : nullptr);
        if (input != nullptr) m_types.back() = tensor::arrayType(bank.types(), bank.type(input->term));
    }
}

std::optional<std::vector<std::int64_t>> NodeInputs::integers(std::size_t input) const {
    const Value* const value = input < m_inputs.size() ? m_inputs[input] : nullptr;
    return value != nullptr ? m_values.integers(*value) : std::nullopt;
}

std::optional<std::vector<tensor::SizeExpression>> NodeInputs::sizes(std::size_t input) const {
    const Value* const value = input < m_inputs.size() ? m_inputs[input] : nullptr;
    if (value != nullptr && value->sizes) return value->sizes->elements;
    return OnnxContext::sizes(input);
}

std::optional<std::vector<double>> NodeInputs::floats(std::size_t input) const {
    const ArrayPtr array = known(input);
    if (!array || !ir::isFloating(array->dtype)) return std::nullopt;
    std::vector<double> result = array->elements;
    if (array->dtype == ir::Dtype::F32) {
        for (double& element : result) element = shortest(static_cast<float>(element));
    }
    return result;
}

}  // namespace mitos::onnx
