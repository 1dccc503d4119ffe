// SPDX-License-Identifier: GPL-3.0-or-later
// Table operators tried one at a time: applied to arrays, asked for types, read from ONNX nodes. Types are written as
// programs write them, "f32[2,N]".
#pragma once

#include "core/base/random.h"
#include "core/tensor/dimension.h"
#include "core/tensor/evaluate.h"
#include "core/tensor/onnx_mapping.h"
#include "core/tensor/samples.h"

#include <QtGlobal>
#include <charconv>
#include <map>
#include <string>
#include <vector>

namespace mitos::tensor::test {

inline ArrayPtr array(Shape shape, std::vector<double> elements, ir::Dtype dtype = ir::Dtype::F32) {
    return std::make_shared<Array>(Array{dtype, std::move(shape), std::move(elements)});
}

/// 0, 1, 2, …
inline ArrayPtr counting(Shape shape, double first = 0.0) {
    std::vector<double> elements(static_cast<std::size_t>(elementCount(shape)));
    for (double& element : elements) element = first++;
    return array(std::move(shape), std::move(elements));
}

/// Small whole numbers, so that sums are exact in any order.
inline ArrayPtr randomIntegers(Shape shape, Random& random) {
    std::vector<double> elements(static_cast<std::size_t>(elementCount(shape)));
    for (double& element : elements) element = static_cast<double>(random.integer(-4, 4));
    return array(std::move(shape), std::move(elements));
}

inline Attributes attributes(const Operator& op, std::string_view text) { return *Attributes::read(op, text); }

/// Attributes as terms write them: "[1,1]$1".
inline Result<std::vector<ArrayPtr>> run(std::string_view name, std::string_view text, std::vector<ArrayPtr> inputs) {
    const Operator& op = *findOperator(name);
    return apply(op, attributes(op, text), inputs);
}

/// Of one output; none, and a warning, if there is an error instead.
inline std::vector<double> elementsOf(const Result<std::vector<ArrayPtr>>& result, std::size_t output = 0) {
    if (!result) qWarning("%s", result.error().message.c_str());
    return result ? (*result)[output]->elements : std::vector<double>();
}

inline bool areClose(const std::vector<double>& a, const std::vector<double>& b) {
    const auto size = [](const std::vector<double>& elements) { return static_cast<std::int64_t>(elements.size()); };
    const Result<double> apart = maxDeviation(*array({size(a)}, a), *array({size(b)}, b));
    return apart && *apart < 1e-10;
}

/// "f32[2,N]"; "f32[...]": no rank; "": an input that is absent.
inline ArrayType type(std::string_view text, SymbolTable& symbols) {
    if (text.empty()) return ArrayType::absent();
    ArrayType result{.dtype = ir::Dtype::Unknown, .hasRank = false};
    const std::size_t bracket = text.find('[');
    result.dtype = *ir::dtypeFromName(text.substr(0, bracket));
    std::string_view rest = text.substr(bracket + 1, text.size() - bracket - 2);
    result.hasRank = rest != "...";
    while (result.hasRank && !rest.empty()) {
        const std::string_view size = rest.substr(0, rest.find(','));
        std::int64_t number = 0;
        const bool isNumber = std::from_chars(size.data(), size.data() + size.size(), number).ptr == size.end();
        result.dimensions.push_back(isNumber ? ir::Dimension::of(number) : ir::Dimension::named(symbols.intern(size)));
        rest.remove_prefix(std::min(rest.size(), size.size() + 1));
    }
    return result;
}

inline std::string text(const ArrayType& type, const SymbolTable& symbols) {
    std::string result = std::string(ir::dtypeName(type.dtype)) + "[";
    if (!type.hasRank) result += "...";
    for (std::size_t i = 0; i < type.rank(); ++i) {
        result += (i > 0 ? "," : "") + dimensionText(type.dimensions[i], symbols);
    }
    return result + "]";
}

/// The types of the outputs, separated by spaces; or the message of the error.
inline std::string types(std::string_view name, std::string_view attributeText,
                         const std::vector<std::string>& inputs) {
    const Operator& op = *findOperator(name);
    SymbolTable symbols;
    std::vector<ArrayType> given;
    for (const std::string& input : inputs) given.push_back(type(input, symbols));
    const Result<std::vector<ArrayType>> outputs = op.shape({op, attributes(op, attributeText), given, symbols});
    if (!outputs) return outputs.error().message;
    std::string result;
    for (const ArrayType& output : *outputs) result += (result.empty() ? "" : " ") + text(output, symbols);
    return result;
}

inline Work workOf(std::string_view name, std::string_view attributeText, const std::vector<std::string>& inputs) {
    const Operator& op = *findOperator(name);
    SymbolTable symbols;
    std::vector<ArrayType> given;
    for (const std::string& input : inputs) given.push_back(type(input, symbols));
    const Attributes values = attributes(op, attributeText);
    const ShapeInput in{op, values, given, symbols};
    return op.work(in, *op.shape(in));
}

/// What an importing hook asks, answered from lists.
class FakeContext final : public OnnxContext {
public:
    FakeContext(const std::vector<std::string>& types, std::map<std::size_t, std::vector<std::int64_t>> integers = {},
                std::map<std::size_t, std::vector<double>> floats = {})
        : m_integers(std::move(integers)),
          m_floats(std::move(floats)) {
        for (const std::string& text : types) m_types.push_back(test::type(text, m_symbols));
    }
    [[nodiscard]] SymbolTable& symbols() const override { return m_symbols; }
    [[nodiscard]] const ArrayType* type(std::size_t input) const override {
        return input < m_types.size() ? &m_types[input] : nullptr;
    }
    [[nodiscard]] std::optional<std::vector<std::int64_t>> integers(std::size_t input) const override {
        const auto found = m_integers.find(input);
        return found == m_integers.end() ? std::nullopt : std::optional(found->second);
    }
    [[nodiscard]] std::optional<std::vector<double>> floats(std::size_t input) const override {
        const auto found = m_floats.find(input);
        return found == m_floats.end() ? std::nullopt : std::optional(found->second);
    }

private:
    mutable SymbolTable m_symbols;
    std::vector<ArrayType> m_types;
    std::map<std::size_t, std::vector<std::int64_t>> m_integers;
    std::map<std::size_t, std::vector<double>> m_floats;
};

/// The attributes of the term that the node becomes; or the message of the error.
inline std::string imported(const OnnxNode& node, const OnnxContext& context) {
    const Operator& op = *findOperator(node.type);
    const Result<Imported> result =
        op.onnx.import != nullptr ? op.onnx.import(op, node, context) : importPlainly(op, node);
    return result ? result->attributes.text() : result.error().message;
}

}  // namespace mitos::tensor::test
