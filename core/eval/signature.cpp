// SPDX-License-Identifier: GPL-3.0-or-later
// Derives the values of a signature's size names from the arguments.
#include "core/eval/signature.h"

#include "core/base/number_text.h"
#include "core/eval/internal/interpreter.h"

#include <fmt/format.h>

namespace mitos::eval {

namespace {

using ir::TypeId;
using ir::TypeKind;

class SizeReader {
public:
    explicit SizeReader(const ir::TermBank& bank) : m_bank(bank), m_types(bank.types()) {}

    void read(TypeId type, const Value& value, std::string_view parameter) {
        if (!namesSizes(m_types, type)) return;
        if (m_types.isTuple(type)) {
            for (std::size_t i = 0; i < m_types.children(type).size(); ++i) {
                read(m_types.children(type)[i], value.asTuple().elements[i], parameter);
            }
            return;
        }
        const TensorValue& tensor = value.asTensor();
        for (std::size_t d = 0; d < m_types.sizes(type).size(); ++d) {
            if (const Symbol name = m_types.sizes(type)[d]; name.isValid()) note(name, tensor.dims[d], parameter);
        }
        if (!namesSizes(m_types, m_types.element(type))) return;
        for (const Value& element : tensor.elements) read(m_types.element(type), element, parameter);
    }

    [[nodiscard]] std::optional<std::int64_t> find(Symbol name) const {
        for (const Known& known : m_known) {
            if (known.name == name) return known.size;
        }
        return std::nullopt;
    }

private:
    struct Known {
        Symbol name;
        std::int64_t size;
        std::string_view parameter;
    };

    void note(Symbol name, std::int64_t size, std::string_view parameter) {
        if (const std::optional<std::int64_t> constant = constantSize(m_bank, name)) {
            if (*constant == size) return;
            fail(fmt::format("a size of {} is {}, but its type says {}", parameter, size, *constant));
        }
        for (const Known& known : m_known) {
            if (known.name != name) continue;
            if (known.size == size) return;
            fail(fmt::format("the size {} is {} in {} and {} in {}", m_bank.text(name), known.size, known.parameter,
                             size, parameter),
                 "sizes of one name must be equal");
        }
        m_known.push_back(Known{name, size, parameter});
    }

    const ir::TermBank& m_bank;
    const ir::TypeTable& m_types;
    std::vector<Known> m_known;
};

bool fits(const ir::TypeTable& types, TypeId type, const Value& value) {
    switch (types.kind(type)) {
        case TypeKind::Float: return value.isFloat();
        case TypeKind::Integer: return value.isInteger();
        case TypeKind::Bool: return value.isBool();
        case TypeKind::String: return value.isString();
        case TypeKind::LinearMap: return value.isLinearMap();
        case TypeKind::Lambda: return value.isFunction();
        case TypeKind::Array: {
            if (!value.isArray() || value.asArray().dtype != types.dtype(type)) return false;
            if (!types.hasRank(type)) return true;
            const tensor::Shape& shape = value.asArray().shape;
            const auto& dimensions = types.dimensions(type);
            return std::ranges::equal(shape, dimensions, [](std::int64_t size, const ir::Dimension& dimension) {
                return !dimension.isKnown() || dimension.size == size;
            });
        }
        case TypeKind::Tuple: {
            if (!value.isTuple() || value.asTuple().elements.size() != types.children(type).size()) return false;
            for (std::size_t i = 0; i < types.children(type).size(); ++i) {
                if (!fits(types, types.children(type)[i], value.asTuple().elements[i])) return false;
            }
            return true;
        }
        case TypeKind::Tensor: {
            if (!value.isTensor() || value.asTensor().dims.size() != types.rank(type)) return false;
            const TensorValue& tensor = value.asTensor();
            std::size_t count = 1;
            for (const std::int64_t d : tensor.dims) {
                if (d < 0) return false;
                count *= static_cast<std::size_t>(d);
            }
            if (count != tensor.elements.size()) return false;
            for (const Value& element : tensor.elements) {
                if (!fits(types, types.element(type), element)) return false;
            }
            return true;
        }
    }
    return false;
}

}  // namespace

bool namesSizes(const ir::TypeTable& types, TypeId type) {
    if (!types.sizes(type).empty()) return true;
    for (const TypeId part : types.children(type)) {
        if (namesSizes(types, part)) return true;
    }
    return false;
}

std::optional<std::int64_t> constantSize(const ir::TermBank& bank, Symbol name) {
    const std::optional<std::int64_t> size = numberFrom<std::int64_t>(bank.text(name));
    return size && *size >= 0 ? size : std::nullopt;
}

std::vector<std::int64_t> sizesOf(const ir::TermBank& bank, const ir::Function& function,
                                  const std::vector<Value>& arguments) {
    constexpr std::int64_t NotGiven = -1;
    SizeReader reader(bank);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        reader.read(function.parameters[i].type, arguments[i], bank.text(function.parameters[i].name));
    }
    std::vector<std::int64_t> sizes;
    for (const ir::SizeName& size : function.sizes) {
        // An inner size of an empty tensor cannot be read from an element; it is 0.
        sizes.push_back(reader.find(size.name).value_or(size.parameter ? 0 : NotGiven));
    }
    return sizes;
}

std::optional<Error> checkInputs(const ir::TermBank& bank, const ir::Function& function, const Inputs& inputs) {
    const auto invalid = [](std::string message) { return Error{ErrorCode::InvalidInput, std::move(message)}; };
    if (inputs.arguments.size() != function.parameters.size()) {
        return invalid(fmt::format("{} takes {} arguments, {} given", function.name, function.parameters.size(),
                                   inputs.arguments.size()));
    }
    for (std::size_t i = 0; i < inputs.arguments.size(); ++i) {
        const ir::Parameter& parameter = function.parameters[i];
        if (fits(bank.types(), parameter.type, inputs.arguments[i])) continue;
        return invalid(fmt::format("the argument {} of {} must be a {}; found {}", bank.text(parameter.name),
                                   function.name, bank.types().toString(parameter.type),
                                   toString(inputs.arguments[i], 4)));
    }
    std::size_t extra = 0;
    for (const ir::SizeName& size : function.sizes) extra += size.parameter ? 0 : 1;
    if (inputs.extraSizes.size() != extra) {
        return invalid(fmt::format("{} needs {} sizes that no argument determines, {} given", function.name, extra,
                                   inputs.extraSizes.size()));
    }
    for (const std::int64_t size : inputs.extraSizes) {
        if (size < 0) return invalid(fmt::format("the size {} is negative", size));
    }
    return std::nullopt;
}

}  // namespace mitos::eval
