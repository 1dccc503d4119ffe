// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/internal/sized.h"

#include "core/tensor/onnx_hooks.h"

#include <fmt/format.h>

namespace mitos::tensor {

namespace {

constexpr const char* SizesName = "sizes";

}  // namespace

AttributeInfo sizesAttribute() {
    return {.name = SizesName, .kind = AttributeKind::Names, .doc = "of the result: numbers and names"};
}

ArrayType sizedType(const ShapeInput& in, ir::Dtype dtype) {
    ArrayType type{.dtype = dtype};
    for (const std::string& size : in.attributes.names(SizesName)) {
        type.dimensions.push_back(readDimension(size, in.symbols));
    }
    return type;
}

Result<std::vector<std::string>> sizeNames(std::span<const ir::Dimension> sizes, const SymbolTable& symbols) {
    std::vector<std::string> names;
    for (const ir::Dimension size : sizes) names.push_back(dimensionText(size, symbols));
    Result<AttributeValue> read = readAttribute(sizesAttribute(), attributeText(names));
    if (!read || std::get<std::vector<std::string>>(*read) != names) {
        return notThisForm("a size has a name that terms cannot carry");
    }
    return names;
}

ir::Dimension newSize(const OnnxNode& node, std::size_t output, std::size_t axis, SymbolTable& symbols) {
    const std::string_view name = output < node.outputs.size() ? std::string_view(node.outputs[output]) : "size";
    return ir::Dimension::named(symbols.intern(fmt::format("{}_{}", name, axis)));
}

Exported exportSized(const Attributes& attributes, std::span<const ArrayType> /*inputs*/) {
    Exported result = exportPlainly(attributes);
    result.attributes.erase(SizesName);
    return result;
}

}  // namespace mitos::tensor
