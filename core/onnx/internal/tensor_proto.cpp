// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/internal/tensor_proto.h"

#include "core/base/number_text.h"
#include "core/tensor/dimension.h"
#include "core/tensor/onnx_mapping.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace mitos::onnx {

namespace {

namespace fs = std::filesystem;
using ir::Dtype;
using tensor::Shape;
using tensor::WeightData;

constexpr std::int64_t MostElements = std::int64_t{1} << 47U;

template <typename Field>
std::span<const std::byte> bytesOf(const Field& field) {
    return std::as_bytes(std::span(field.data(), static_cast<std::size_t>(field.size())));
}

/// Each element of a small type is stored in an int32 (or uint64); collects their low bytes in a text of its own.
template <typename Element, typename Field>
std::shared_ptr<const std::string> narrowed(const Field& field) {
    auto bytes = std::make_shared<std::string>(static_cast<std::size_t>(field.size()) * sizeof(Element), '\0');
    for (int i = 0; i < field.size(); ++i) {
        const auto element = static_cast<Element>(field.Get(i));
        std::memcpy(bytes->data() + static_cast<std::size_t>(i) * sizeof(Element), &element, sizeof(Element));
    }
    return bytes;
}

struct Bytes {
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> owner;
};

/// The elements in the message itself.
Bytes inlineBytes(const proto::TensorProto& tensor, Dtype dtype, const std::shared_ptr<const void>& owner) {
    if (tensor.has_raw_data()) return {std::as_bytes(std::span(tensor.raw_data())), owner};
    const auto own = [](std::shared_ptr<const std::string> text) {
        const std::span<const std::byte> bytes = std::as_bytes(std::span(*text));
        return Bytes{bytes, std::move(text)};
    };
    switch (dtype) {
        case Dtype::F32: return {bytesOf(tensor.float_data()), owner};
        case Dtype::F64: return {bytesOf(tensor.double_data()), owner};
        case Dtype::I64: return {bytesOf(tensor.int64_data()), owner};
        case Dtype::I32: return {bytesOf(tensor.int32_data()), owner};
        case Dtype::U64: return {bytesOf(tensor.uint64_data()), owner};
        case Dtype::U32: return own(narrowed<std::uint32_t>(tensor.uint64_data()));
        case Dtype::F16:
        case Dtype::Bf16:
        case Dtype::U16:
        case Dtype::I16: return own(narrowed<std::uint16_t>(tensor.int32_data()));
        case Dtype::Bool:
        case Dtype::U8:
        case Dtype::I8: return own(narrowed<std::uint8_t>(tensor.int32_data()));
        case Dtype::String:
        case Dtype::C64:
        case Dtype::C128:
        case Dtype::Unknown: break;
    }
    return {};
}

/// The path of a file in the model's folder or below, even after links are followed: a model must not read files that are not its
/// own.
Result<fs::path> externalPath(const fs::path& folder, const std::string& location) {
    const fs::path relative(location);
    const bool climbs = std::ranges::find(relative, fs::path("..")) != relative.end();
    const bool isPlain = !location.empty() && location.find('\0') == std::string::npos && !relative.is_absolute();
    const auto outside = [&location] {
        return onnxError(ErrorCode::InvalidInput,
                         fmt::format("the model refers to weights in {}, outside of its folder", location));
    };
    if (!isPlain || climbs) return outside();
    std::error_code code;
    const fs::path home = fs::canonical(folder, code);
    const fs::path path = fs::canonical(folder / relative, code);
    if (code) {
        return onnxError(ErrorCode::Io, fmt::format("the file of weights {} is missing", (folder / relative).string()),
                         "it must lie where it lay when the model was saved, beside the model");
    }
    if (std::mismatch(home.begin(), home.end(), path.begin(), path.end()).first != home.end()) return outside();
    return path;
}

/// The name of a size; empty if none is given.
std::string sizeName(const proto::TensorShapeProto::Dimension& size) {
    std::string name = size.has_dim_param() ? size.dim_param() : std::string();
    std::erase(name, ' ');  // "past + 1", as exporters write it
    return name;
}

std::uint16_t halfBits(double value) {
    const std::uint16_t sign = std::signbit(value) ? 0x8000U : 0U;
    const double size = std::fabs(value);
    if (std::isnan(value)) return sign | 0x7E00U;
    if (size >= 65520.0) return sign | 0x7C00U;
    if (size < 0x1p-14) return static_cast<std::uint16_t>(sign | static_cast<unsigned>(std::nearbyint(size * 0x1p24)));
    int exponent = 0;
    const double fraction = std::frexp(size, &exponent);  // size = fraction * 2^exponent, 0.5 <= fraction < 1
    // A mantissa that rounds up to 2048 carries into the exponent, as intended.
    const auto mantissa = static_cast<unsigned>(std::nearbyint(fraction * 2048.0));
    return static_cast<std::uint16_t>(sign | ((static_cast<unsigned>(exponent + 13) << 10U) + mantissa));
}

std::uint16_t bfloatBits(double value) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16U) | 0x40U);
    return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U);
}

template <typename Element, typename Convert>
std::string encodedAs(std::span<const double> elements, Convert convert) {
    std::string bytes(elements.size() * sizeof(Element), '\0');
    for (std::size_t i = 0; i < elements.size(); ++i) {
        const Element element = convert(elements[i]);
        std::memcpy(bytes.data() + i * sizeof(Element), &element, sizeof(Element));
    }
    return bytes;
}

template <typename Element>
Element nearest(double value) {
    if constexpr (std::is_integral_v<Element>) {
        using Limits = std::numeric_limits<Element>;
        // The first number above the type's range is a power of 2, so it is exact in double precision.
        if (value >= std::ldexp(1.0, Limits::digits)) return Limits::max();
        if (!(value >= static_cast<double>(Limits::min()))) return std::isnan(value) ? Element{0} : Limits::min();
    }
    return static_cast<Element>(value);
}

template <typename Element>
std::string encodedAs(std::span<const double> elements) {
    return encodedAs<Element>(elements, nearest<Element>);
}

}  // namespace

Result<Shape> tensorShape(std::span<const std::int64_t> sizes) {
    std::int64_t elements = 1;
    for (const std::int64_t size : sizes) {
        if (size < 0) return onnxError(ErrorCode::Parse, fmt::format("a size cannot be {}", size));
        if (size > 0 && elements > MostElements / size) {
            return onnxError(ErrorCode::Limit, "the declared sizes are beyond any memory");
        }
        elements *= std::max<std::int64_t>(size, 1);
    }
    return Shape(sizes.begin(), sizes.end());
}

Result<WeightData> TensorReader::read(const proto::TensorProto& tensor) {
    const std::optional<Dtype> dtype = tensor::dtypeOfOnnx(tensor.data_type());
    if (!dtype || ir::dtypeBytes(*dtype) == 0 || *dtype == Dtype::C64 || *dtype == Dtype::C128) {
        return onnxError(ErrorCode::Unsupported, "elements of this type cannot be computed with");
    }
    MITOS_TRY(Shape shape, tensorShape(std::span(tensor.dims().data(), static_cast<std::size_t>(tensor.dims_size()))));
    if (tensor.has_segment()) return onnxError(ErrorCode::Unsupported, "tensors in segments cannot be read");
    if (tensor.data_location() == proto::TensorProto::EXTERNAL) return readExternal(tensor, *dtype, std::move(shape));
    const auto lifted = m_file.lifted.find(&tensor);
    if (lifted != m_file.lifted.end()) {
        return WeightData::raw(*dtype, std::move(shape), lifted->second, m_file.mapped,
                               [file = m_file.mapped] { return file->check(); });
    }
    Bytes elements = inlineBytes(tensor, *dtype, m_owner);
    return WeightData::raw(*dtype, std::move(shape), elements.bytes, std::move(elements.owner));
}

Result<WeightData> TensorReader::readExternal(const proto::TensorProto& tensor, Dtype dtype, Shape shape) {
    std::string location;
    std::uint64_t offset = 0;
    std::optional<std::uint64_t> length;
    for (const proto::StringStringEntryProto& entry : tensor.external_data()) {
        if (entry.key() == "location") location = entry.value();
        const std::optional<std::uint64_t> value = numberFrom<std::uint64_t>(entry.value());
        if (entry.key() != "offset" && entry.key() != "length") continue;
        if (!value) {
            return onnxError(ErrorCode::Parse, fmt::format("the {} of external data is not a number", entry.key()));
        }
        if (entry.key() == "offset")
            offset = *value;
        else
            length = value;
    }
    if (m_file.folder.empty()) {
        return onnxError(ErrorCode::InvalidInput,
                         "the model keeps weights in another file, but was not read from a file",
                         "open the model from its folder");
    }
    std::shared_ptr<const MappedFile>& file = m_external[location];
    if (!file) {
        MITOS_TRY(const fs::path path, externalPath(m_file.folder, location));
        MITOS_TRY(file, MappedFile::open(path));
        m_dataFiles.push_back(path.string());
    }
    const std::span<const std::byte> all = file->bytes();
    const std::uint64_t wanted = static_cast<std::uint64_t>(tensor::elementCount(shape)) * ir::dtypeBytes(dtype);
    if (offset > all.size() || length.value_or(wanted) > all.size() - offset) {
        return onnxError(ErrorCode::Parse, fmt::format("the file of weights {} is too short", location));
    }
    return WeightData::raw(dtype, std::move(shape), all.subspan(offset, length.value_or(wanted)), file,
                           [file] { return file->check(); });
}

SizeNames::SizeNames(const proto::ModelProto& file) {
    add(file.graph());
    for (const std::string& name : m_given) {
        const std::size_t end = name.rfind('_');
        const bool isOfAPlace =
            end != std::string::npos && numberFrom<std::uint64_t>(std::string_view(name).substr(end + 1));
        if (isOfAPlace && !m_own.contains(name)) m_stems.insert(name.substr(0, end));
    }
}

/// The parsers limit how deep graphs nest.
void SizeNames::add(const proto::GraphProto& graph) {
    for (const auto* const list : {&graph.input(), &graph.output(), &graph.value_info()}) {
        for (const proto::ValueInfoProto& info : *list) {
            const proto::TensorShapeProto& shape = info.type().tensor_type().shape();
            for (int i = 0; i < shape.dim_size(); ++i) {
                const std::string name = sizeName(shape.dim(i));
                if (name.empty()) continue;
                m_given.insert(name);
                if (isOwn(name, info.name(), static_cast<std::size_t>(i))) m_own.insert(name);
            }
        }
    }
    for (const proto::NodeProto& node : graph.node()) {
        for (const proto::AttributeProto& attribute : node.attribute()) {
            if (attribute.has_g()) add(attribute.g());
            for (const proto::GraphProto& inner : attribute.graphs()) add(inner);
        }
    }
}

bool SizeNames::isOwn(std::string_view name, std::string_view value, std::size_t axis) {
    return name.starts_with(value) && name.substr(value.size()).starts_with('_') &&
           name.ends_with(fmt::format("_{}", axis));
}

std::string SizeNames::of(std::string_view value, std::size_t axis) const {
    const std::string wanted = fmt::format("{}_{}", value, axis);
    std::string name = wanted;
    for (int number = 2; m_given.contains(name); ++number) name = fmt::format("{}_{}", wanted, number);
    return name;
}

std::string SizeNames::stem(const std::string& value) const {
    std::string stem = value;
    for (int number = 2; m_stems.contains(stem); ++number) stem = fmt::format("{}_{}", value, number);
    return stem;
}

Result<std::optional<tensor::ArrayType>> readType(const proto::TypeProto& type, std::string_view value,
                                                  const SizeNames& names, SymbolTable& symbols) {
    using Found = std::optional<tensor::ArrayType>;
    if (!type.has_tensor_type()) return Found();
    const std::optional<Dtype> dtype = tensor::dtypeOfOnnx(type.tensor_type().elem_type());
    if (!dtype) return Found();
    tensor::ArrayType result{.dtype = *dtype, .hasRank = type.tensor_type().has_shape()};
    const proto::TensorShapeProto& shape = type.tensor_type().shape();
    Shape sizes;
    for (int i = 0; i < shape.dim_size(); ++i) {
        const auto& dim = shape.dim(i);
        // Some exporters write -1 for unknown sizes.
        if (dim.has_dim_value() && dim.dim_value() != -1) {
            sizes.push_back(dim.dim_value());
            result.dimensions.push_back(ir::Dimension::of(dim.dim_value()));
        } else {
            std::string name = sizeName(dim);
            if (name.empty()) name = names.of(value, static_cast<std::size_t>(i));
            result.dimensions.push_back(tensor::readDimension(name, symbols));
            if (result.dimensions.back().isKnown()) sizes.push_back(result.dimensions.back().size);
        }
    }
    MITOS_TRY(const Shape checked, tensorShape(sizes));
    return Found(std::move(result));
}

void writeType(const tensor::ArrayType& type, const SymbolTable& symbols, proto::TypeProto& to) {
    proto::TypeProto::Tensor& tensor = *to.mutable_tensor_type();
    tensor.set_elem_type(static_cast<int>(tensor::onnxNumber(type.dtype)));
    if (!type.hasRank) return;
    proto::TensorShapeProto& shape = *tensor.mutable_shape();
    for (const ir::Dimension& dimension : type.dimensions) {
        if (dimension.isKnown())
            shape.add_dim()->set_dim_value(dimension.size);
        else
            shape.add_dim()->set_dim_param(std::string(symbols.text(dimension.name)));
    }
}

double shortest(float value) { return numberFrom<double>(fmt::format("{}", value)).value_or(value); }

std::optional<tensor::AttributeValue> attributeValue(const proto::AttributeProto& attribute) {
    using proto::AttributeProto;
    switch (attribute.type()) {
        case AttributeProto::INT: return attribute.i();
        case AttributeProto::FLOAT: return shortest(attribute.f());
        case AttributeProto::STRING: return attribute.s();
        case AttributeProto::INTS: return std::vector<std::int64_t>(attribute.ints().begin(), attribute.ints().end());
        case AttributeProto::FLOATS: {
            std::vector<double> values;
            for (const float value : attribute.floats()) values.push_back(shortest(value));
            return values;
        }
        case AttributeProto::STRINGS:
            return std::vector<std::string>(attribute.strings().begin(), attribute.strings().end());
        default: return std::nullopt;
    }
}

const proto::AttributeProto* findAttribute(const proto::NodeProto& node, std::string_view name) {
    const auto found = std::ranges::find(node.attribute(), name, &proto::AttributeProto::name);
    return found == node.attribute().end() ? nullptr : &*found;
}

std::string encoded(const tensor::Array& array) {
    const std::span<const double> elements(array.elements);
    switch (array.dtype) {
        case Dtype::F16: return encodedAs<std::uint16_t>(elements, halfBits);
        case Dtype::Bf16: return encodedAs<std::uint16_t>(elements, bfloatBits);
        case Dtype::F32: return encodedAs<float>(elements);
        case Dtype::F64: return encodedAs<double>(elements);
        case Dtype::I8: return encodedAs<std::int8_t>(elements);
        case Dtype::I16: return encodedAs<std::int16_t>(elements);
        case Dtype::I32: return encodedAs<std::int32_t>(elements);
        case Dtype::I64: return encodedAs<std::int64_t>(elements);
        case Dtype::U8:
        case Dtype::Bool: return encodedAs<std::uint8_t>(elements);
        case Dtype::U16: return encodedAs<std::uint16_t>(elements);
        case Dtype::U32: return encodedAs<std::uint32_t>(elements);
        case Dtype::U64: return encodedAs<std::uint64_t>(elements);
        case Dtype::String:
        case Dtype::C64:
        case Dtype::C128:
        case Dtype::Unknown: break;
    }
    return {};
}

std::string encoded(const WeightData& data) {
    if (data.bytes().empty()) return encoded(**data.read());
    return {reinterpret_cast<const char*>(data.bytes().data()), data.bytes().size()};
}

WeightData integerData(Shape shape, std::span<const std::int64_t> elements) {
    const std::span<const std::byte> bytes = std::as_bytes(elements);
    const auto own = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
    Result<WeightData> data = WeightData::raw(Dtype::I64, std::move(shape), *own, own);
    assert(data.ok());
    return *std::move(data);
}

void writeHead(std::string_view name, Dtype dtype, const Shape& shape, proto::TensorProto& to) {
    to.set_name(std::string(name));
    to.set_data_type(static_cast<int>(tensor::onnxNumber(dtype)));
    for (const std::int64_t size : shape) to.add_dims(size);
}

}  // namespace mitos::onnx
