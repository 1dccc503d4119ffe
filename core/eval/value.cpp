// SPDX-License-Identifier: GPL-3.0-or-later
// Values as text and JSON, and their deviation.
#include "core/eval/value.h"

#include "core/eval/internal/array_difference.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

namespace mitos::eval {

namespace {

using ir::TypeId;
using ir::TypeKind;

std::string floatText(double v) {
    if (std::isnan(v)) return "nan";
    if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
    std::string text = fmt::format("{}", v);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

std::string quoted(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string elementText(ir::Dtype dtype, double element) {
    if (dtype == ir::Dtype::Bool) return element != 0.0 ? "true" : "false";
    return ir::isFloating(dtype) ? floatText(element) : fmt::format("{:.0f}", element);
}

/// Nested lists, one level per dimension; without dimensions the only element. `element` writes one element.
template <typename Element, typename WriteElement>
class ListWriter {
public:
    ListWriter(std::span<const std::int64_t> shape, const std::vector<Element>& elements, std::size_t most,
               const char* separator, const WriteElement& write)
        : m_shape(shape),
          m_elements(elements),
          m_most(most),
          m_separator(separator),
          m_write(write) {}

    void write(std::string& out) { write(out, 0); }

private:
    void write(std::string& out, std::size_t dimension) {
        if (dimension == m_shape.size()) return m_write(out, m_elements[m_next++]);
        const auto count = static_cast<std::size_t>(m_shape[dimension]);
        const auto below = static_cast<std::size_t>(tensor::elementCount(m_shape.subspan(dimension + 1)));
        const std::size_t first = m_next;
        out += '[';
        for (std::size_t i = 0; i < count; ++i) {
            if (i > 0) out += m_separator;
            if (i == m_most) {
                out += fmt::format("… {} more", count - i);
                break;
            }
            m_next = first + i * below;
            write(out, dimension + 1);
        }
        out += ']';
    }

    std::span<const std::int64_t> m_shape;
    const std::vector<Element>& m_elements;
    std::size_t m_most;  ///< elements of a list that are written
    const char* m_separator;
    const WriteElement& m_write;
    std::size_t m_next = 0;
};

/// Number of elements written per dimension so that about maxElements are written in all; at least two.
std::size_t perDimension(const tensor::Array& array, std::size_t maxElements) {
    if (array.elements.size() <= maxElements || array.shape.size() < 2) return maxElements;
    const double root = std::pow(static_cast<double>(maxElements), 1.0 / static_cast<double>(array.shape.size()));
    return std::max<std::size_t>(2, static_cast<std::size_t>(root));
}

/// Writes values for people, with about `most` elements of each tensor or array, or as JSON with all of them.
struct Writer {
    std::size_t most = std::numeric_limits<std::size_t>::max();
    bool isJson = true;

    void write(std::string& out, const Value& value) const {
        const char* const separator = isJson ? "," : ", ";
        if (value.isFloat()) {
            writeNumber(out, value.asFloat(), floatText(value.asFloat()));
        } else if (value.isInteger()) {
            out += fmt::format("{}", value.asInteger());
        } else if (value.isBool()) {
            out += value.asBool() ? "true" : "false";
        } else if (value.isString()) {
            out += quoted(value.asString());
        } else if (value.isTuple()) {
            out += isJson ? "{\"tuple\":[" : "(";
            const char* next = "";
            for (const Value& element : value.asTuple().elements) {
                out += std::exchange(next, separator);
                write(out, element);
            }
            out += isJson ? "]}" : ")";
        } else if (value.isTensor()) {
            const auto element = [this](std::string& to, const Value& one) { write(to, one); };
            ListWriter(value.asTensor().dims, value.asTensor().elements, most, separator, element).write(out);
        } else if (value.isArray()) {
            const tensor::Array& array = value.asArray();
            const auto element = [&](std::string& to, double one) {
                writeNumber(to, one, elementText(array.dtype, one));
            };
            ListWriter(array.shape, array.elements, perDimension(array, most), separator, element).write(out);
        } else {
            const std::string text = value.isFunction() ? "<function>" : "<linear map>";
            out += isJson ? quoted(text) : text;
        }
    }

private:
    /// JSON has no numbers that are not finite; it has their names as texts.
    void writeNumber(std::string& out, double number, const std::string& text) const {
        out += isJson && !std::isfinite(number) ? '"' + text + '"' : text;
    }
};

/// Reads values of a type from JSON; the error describes the first part that does not fit and what was expected.
class JsonReader {
public:
    explicit JsonReader(const ir::TypeTable& types) : m_types(types) {}

    Value read(TypeId type, const nlohmann::json& json) {
        if (!m_error.empty()) return {};
        switch (m_types.kind(type)) {
            case TypeKind::Float: return readFloat(json);
            case TypeKind::Integer:
                if (json.is_number_integer() && !isTooLarge(json)) return Value(json.get<std::int64_t>());
                break;
            case TypeKind::Bool:
                if (json.is_boolean()) return Value(json.get<bool>());
                break;
            case TypeKind::String:
                if (json.is_string()) return Value(json.get<std::string>());
                break;
            case TypeKind::Tuple: return readTuple(type, json);
            case TypeKind::Tensor: return readTensor(type, json);
            case TypeKind::Array: return readArray(type, json);
            case TypeKind::Lambda:
            case TypeKind::LinearMap: break;
        }
        return fail(m_types.toString(type), json);
    }
    [[nodiscard]] const std::string& error() const { return m_error; }

private:
    static bool isTooLarge(const nlohmann::json& json) {
        return json.is_number_unsigned() &&
               json.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    }

    Value fail(const std::string& expected, const nlohmann::json& json) {
        std::string found = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
        if (found.size() > 40) found = fmt::format("a JSON {}", json.type_name());
        if (m_error.empty()) m_error = fmt::format("expected {}, found {}", expected, found);
        return {};
    }

    Value readFloat(const nlohmann::json& json) {
        if (json.is_number()) return Value(json.get<double>());
        if (json == "nan") return Value(std::numeric_limits<double>::quiet_NaN());
        if (json == "inf") return Value(std::numeric_limits<double>::infinity());
        if (json == "-inf") return Value(-std::numeric_limits<double>::infinity());
        return fail("a number (Float)", json);
    }

    Value readTuple(TypeId type, const nlohmann::json& json) {
        const auto types = m_types.children(type);
        if (!json.is_object() || json.size() != 1 || !json.contains("tuple") || !json["tuple"].is_array() ||
            json["tuple"].size() != types.size()) {
            return fail(fmt::format("{{\"tuple\": [{} values]}} for {}", types.size(), m_types.toString(type)), json);
        }
        TupleValue tuple;
        for (std::size_t i = 0; i < types.size(); ++i) tuple.elements.push_back(read(types[i], json["tuple"][i]));
        return Value(std::move(tuple));
    }

    Value readTensor(TypeId type, const nlohmann::json& json) {
        TensorValue tensor;
        const nlohmann::json* level = &json;
        for (std::uint32_t d = 0; d < m_types.rank(type); ++d) {
            if (level != nullptr && !level->is_array()) return fail("a list for " + m_types.toString(type), *level);
            tensor.dims.push_back(level == nullptr ? 0 : static_cast<std::int64_t>(level->size()));
            level = level == nullptr || level->empty() ? nullptr : &(*level)[0];
        }
        collect(tensor, type, 0, json);
        return Value(std::move(tensor));
    }

    void collect(TensorValue& tensor, TypeId type, std::size_t dimension, const nlohmann::json& json) {
        if (!m_error.empty()) return;
        if (!json.is_array() || json.size() != static_cast<std::size_t>(tensor.dims[dimension])) {
            fail(fmt::format("{} elements in every list of dimension {} of {}", tensor.dims[dimension], dimension + 1,
                             m_types.toString(type)),
                 json);
            return;
        }
        for (const nlohmann::json& element : json) {
            if (dimension + 1 < tensor.dims.size()) {
                collect(tensor, type, dimension + 1, element);
            } else {
                tensor.elements.push_back(read(m_types.element(type), element));
            }
        }
    }

    Value readArray(TypeId type, const nlohmann::json& json) {
        auto array = std::make_shared<tensor::Array>();
        array->dtype = m_types.dtype(type);
        const nlohmann::json* level = &json;
        while (level != nullptr && level->is_array()) {
            array->shape.push_back(static_cast<std::int64_t>(level->size()));
            level = level->empty() ? nullptr : &level->front();
        }
        // An empty list does not show the sizes of the dimensions that follow.
        while (level == nullptr && m_types.hasRank(type) && array->shape.size() < m_types.rank(type)) {
            const ir::Dimension dimension = m_types.dimensions(type)[array->shape.size()];
            array->shape.push_back(dimension.isKnown() ? dimension.size : 0);
        }
        bool fits = !m_types.hasRank(type) || m_types.dimensions(type).size() == array->shape.size();
        for (std::size_t d = 0; fits && m_types.hasRank(type) && d < array->shape.size(); ++d) {
            const ir::Dimension dimension = m_types.dimensions(type)[d];
            fits = !dimension.isKnown() || dimension.size == array->shape[d];
        }
        if (!fits) return fail(fmt::format("nested lists of the sizes of {}", m_types.toString(type)), json);
        collect(*array, type, 0, json);
        return Value(tensor::ArrayPtr(std::move(array)));
    }

    void collect(tensor::Array& array, TypeId type, std::size_t dimension, const nlohmann::json& json) {
        if (!m_error.empty()) return;
        if (dimension == array.shape.size()) {
            if (array.dtype == ir::Dtype::Bool) {
                if (!json.is_boolean()) fail("true or false", json);
                array.elements.push_back(json == true ? 1.0 : 0.0);
            } else if (!ir::isFloating(array.dtype)) {
                if (!json.is_number_integer()) fail(fmt::format("an integer for {}", m_types.toString(type)), json);
                array.elements.push_back(json.is_number() ? json.get<double>() : 0.0);
            } else {
                const Value number = readFloat(json);
                array.elements.push_back(number.isFloat() ? number.asFloat() : 0.0);
            }
            return;
        }
        if (!json.is_array() || json.size() != static_cast<std::size_t>(array.shape[dimension])) {
            fail(fmt::format("{} elements in every list of dimension {} of {}", array.shape[dimension], dimension + 1,
                             m_types.toString(type)),
                 json);
            return;
        }
        for (const nlohmann::json& element : json) collect(array, type, dimension + 1, element);
    }

    const ir::TypeTable& m_types;
    std::string m_error;
};

double floatDeviation(double a, double b, double least = 1.0) {
    if (a == b || (std::isnan(a) && std::isnan(b))) return 0.0;
    if (!std::isfinite(a) || !std::isfinite(b)) return std::numeric_limits<double>::infinity();
    // Halves are subtracted, so that the difference of two huge numbers of opposite signs stays finite.
    const double half = std::abs(a * 0.5 - b * 0.5);
    return 2.0 * (half / std::max({least, std::abs(a), std::abs(b)}));
}

/// Elements that are not Floats are either equal or deviate by infinity.
double arrayDeviation(const tensor::Array& a, const tensor::Array& b) {
    double worst = 0.0;
    if (a.dtype != b.dtype || a.shape != b.shape) return std::numeric_limits<double>::infinity();
    const double least = magnitude(a);
    for (std::size_t i = 0; i < a.elements.size(); ++i) {
        const double x = a.elements[i];
        const double y = b.elements[i];
        if (!ir::isFloating(a.dtype) && x != y) return std::numeric_limits<double>::infinity();
        worst = std::max(worst, floatDeviation(x, y, least));
    }
    return worst;
}

double elementsDeviation(const std::vector<Value>& a, const std::vector<Value>& b) {
    double worst = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, deviation(a[i], b[i]));
    return worst;
}

}  // namespace

std::string toString(const Value& value, std::size_t maxElements) {
    std::string out;
    Writer{.most = maxElements, .isJson = false}.write(out, value);
    return out;
}

std::string toJson(const Value& value) {
    std::string out;
    Writer{}.write(out, value);
    return out;
}

Result<Value> valueFromJson(const ir::TermBank& bank, ir::TypeId type, const std::string& json) {
    const std::string hint = R"(values look like 1.5, true, "text", [1.0, 2.0], {"tuple": [1.0, 3]})";
    const nlohmann::json parsed = nlohmann::json::parse(json, nullptr, false);
    if (parsed.is_discarded()) {
        const std::string shown = quoted(json.substr(0, 40)) + (json.size() > 40 ? "…" : "");
        return inputError(fmt::format("this is not JSON: {}", shown), hint);
    }
    JsonReader reader(bank.types());
    Value value = reader.read(type, parsed);
    if (!reader.error().empty()) return inputError(reader.error(), hint);
    return value;
}

double deviation(const Value& a, const Value& b) {
    constexpr double Different = std::numeric_limits<double>::infinity();
    if (a.isFloat() && b.isFloat()) return floatDeviation(a.asFloat(), b.asFloat());
    if (a.isTuple() && b.isTuple()) {
        const auto& left = a.asTuple().elements;
        const auto& right = b.asTuple().elements;
        return left.size() == right.size() ? elementsDeviation(left, right) : Different;
    }
    if (a.isArray() && b.isArray()) return arrayDeviation(a.asArray(), b.asArray());
    if (a.isTensor() && b.isTensor()) {
        if (a.asTensor().dims != b.asTensor().dims) return Different;
        return elementsDeviation(a.asTensor().elements, b.asTensor().elements);
    }
    const bool equal = (a.isInteger() && b.isInteger() && a.asInteger() == b.asInteger()) ||
                       (a.isBool() && b.isBool() && a.asBool() == b.asBool()) ||
                       (a.isString() && b.isString() && a.asString() == b.asString()) ||
                       (a.isLinearMap() && b.isLinearMap() && &a.asLinearMap() == &b.asLinearMap()) ||
                       (a.isFunction() && b.isFunction() && &a.asFunction() == &b.asFunction());
    return equal ? 0.0 : Different;
}

bool differInZeroSigns(const Value& a, const Value& b) {
    const auto differ = [](double x, double y) { return x == 0.0 && y == 0.0 && std::signbit(x) != std::signbit(y); };
    const auto anyPart = [](const std::vector<Value>& left, const std::vector<Value>& right) {
        return !std::ranges::equal(left, right, std::not_fn(differInZeroSigns));
    };
    if (a.isFloat() && b.isFloat()) return differ(a.asFloat(), b.asFloat());
    if (a.isTuple() && b.isTuple()) return anyPart(a.asTuple().elements, b.asTuple().elements);
    if (a.isTensor() && b.isTensor()) return anyPart(a.asTensor().elements, b.asTensor().elements);
    if (!a.isArray() || !b.isArray()) return false;
    return !std::ranges::equal(a.asArray().elements, b.asArray().elements, std::not_fn(differ));
}

}  // namespace mitos::eval
