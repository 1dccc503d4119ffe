// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/internal/large_model.h"

#include <limits>
#include <ostream>

namespace mitos::onnx {

namespace {

// Field numbers in onnx.proto.
constexpr std::uint32_t ModelGraph = 7;
constexpr std::uint32_t GraphInitializer = 5;
constexpr std::uint32_t TensorDataType = 2;
constexpr std::uint32_t TensorRawData = 9;

/// Lifting smaller elements is not worthwhile.
constexpr std::size_t SmallestLifted = 4096;
constexpr std::uint32_t LengthDelimited = 2;

constexpr std::uint32_t tagOf(std::uint32_t field) { return field << 3U | LengthDelimited; }

void appendVarint(std::uint64_t value, std::string& to) {
    for (; value >= 0x80; value >>= 7U) to += static_cast<char>((value & 0x7FU) | 0x80U);
    to += static_cast<char>(value);
}

std::size_t varintSize(std::uint64_t value) {
    std::size_t size = 1;
    for (; value >= 0x80; value >>= 7U) ++size;
    return size;
}

std::string_view textOf(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Iterates over the fields of one message, in the order of the bytes.
class Fields {
public:
    struct Field {
        std::uint32_t number = 0;
        std::uint32_t wireType = 0;
        std::uint64_t value = 0;                  ///< value of a varint
        std::span<const std::byte> content = {};  ///< content of a length-delimited field
        std::span<const std::byte> whole = {};    ///< the field with its tag
    };

    explicit Fields(std::span<const std::byte> message) : m_rest(message) {}

    /// The next field; nullopt at the end, or if the bytes are not a message (isBroken).
    std::optional<Field> next() {
        if (m_rest.empty() || m_isBroken) return std::nullopt;
        const std::span<const std::byte> begin = m_rest;
        const std::uint64_t tag = varint();
        Field field{.number = static_cast<std::uint32_t>(tag >> 3U), .wireType = static_cast<std::uint32_t>(tag & 7U)};
        if (field.wireType == 0)
            field.value = varint();
        else if (field.wireType == 1)
            take(8);
        else if (field.wireType == LengthDelimited)
            field.content = take(varint());
        else if (field.wireType == 5)
            take(4);
        else
            m_isBroken = true;
        if (m_isBroken || tag > std::numeric_limits<std::uint32_t>::max()) {
            m_isBroken = true;
            return std::nullopt;
        }
        field.whole = begin.first(begin.size() - m_rest.size());
        return field;
    }
    [[nodiscard]] bool isBroken() const { return m_isBroken; }

private:
    std::uint64_t varint() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            if (m_rest.empty()) break;
            const auto byte = static_cast<std::uint64_t>(m_rest.front());
            m_rest = m_rest.subspan(1);
            value |= (byte & 0x7FU) << shift;
            if (byte < 0x80) return value;
        }
        m_isBroken = true;
        return 0;
    }
    std::span<const std::byte> take(std::uint64_t size) {
        if (size > m_rest.size()) {
            m_isBroken = true;
            return {};
        }
        const std::span<const std::byte> taken = m_rest.first(size);
        m_rest = m_rest.subspan(size);
        return taken;
    }

    std::span<const std::byte> m_rest;
    bool m_isBroken = false;
};

/// Whether elements of that type are read in place; the elements of others stay in protobuf's message.
bool isLiftable(std::uint64_t dataType) {
    return dataType >= 1 && dataType <= 16 && dataType != proto::TensorProto::STRING &&
           dataType != proto::TensorProto::COMPLEX64 && dataType != proto::TensorProto::COMPLEX128;
}

/// The elements of a tensor, if they are large and occur once.
std::optional<std::span<const std::byte>> largeElements(std::span<const std::byte> tensor) {
    std::optional<std::span<const std::byte>> raw;
    std::uint64_t dataType = 0;
    Fields fields(tensor);
    while (const auto field = fields.next()) {
        if (field->number == TensorDataType) dataType = field->value;
        if (field->number != TensorRawData) continue;
        if (raw || field->wireType != LengthDelimited) return std::nullopt;
        raw = field->content;
    }
    const bool isWanted = !fields.isBroken() && raw && raw->size() >= SmallestLifted && isLiftable(dataType);
    return isWanted ? raw : std::nullopt;
}

void appendField(std::uint32_t number, std::string_view content, std::string& to) {
    appendVarint(tagOf(number), to);
    appendVarint(content.size(), to);
    to += content;
}

/// Copies the graph without its large elements. False if it is not a message.
bool lift(std::span<const std::byte> graph, std::string& rest, LiftedModel& model) {
    Fields fields(graph);
    while (const auto field = fields.next()) {
        const bool isInitializer = field->number == GraphInitializer && field->wireType == LengthDelimited;
        if (isInitializer) model.elements.push_back(largeElements(field->content));
        if (!isInitializer || !model.elements.back()) {
            rest += textOf(field->whole);
            continue;
        }
        std::string tensor;
        Fields own(field->content);
        while (const auto inner = own.next()) {
            if (inner->number != TensorRawData) tensor += textOf(inner->whole);
        }
        appendField(GraphInitializer, tensor, rest);
    }
    return !fields.isBroken();
}

}  // namespace

std::optional<LiftedModel> liftElements(std::span<const std::byte> model) {
    LiftedModel result;
    bool hasGraph = false;
    Fields fields(model);
    while (const auto field = fields.next()) {
        if (field->number != ModelGraph) {
            result.rest += textOf(field->whole);
            continue;
        }
        if (hasGraph || field->wireType != LengthDelimited) return std::nullopt;
        hasGraph = true;
        std::string graph;
        if (!lift(field->content, graph, result)) return std::nullopt;
        appendField(ModelGraph, graph, result.rest);
    }
    if (fields.isBroken()) return std::nullopt;
    for (const auto& elements : result.elements) {
        if (elements) return result;
    }
    return std::nullopt;
}

Result<std::uintmax_t> writeModel(proto::ModelProto& model, const std::vector<std::uintmax_t>& sizes,
                                  ElementSource source, std::ostream& out) {
    // Fields may be in any order: first those outside of the graph, then the graph without initializers, then these one by one.
    proto::GraphProto graph;
    graph.Swap(model.mutable_graph());
    model.clear_graph();
    google::protobuf::RepeatedPtrField<proto::TensorProto> initializers;
    initializers.Swap(graph.mutable_initializer());
    std::string head = model.SerializeAsString();
    const std::string body = graph.SerializeAsString();
    std::uintmax_t bytes = body.size();
    std::vector<std::string> heads;
    std::vector<std::uintmax_t> lengths;
    for (int i = 0; i < initializers.size(); ++i) {
        heads.push_back(initializers[i].SerializeAsString());
        const std::uintmax_t size = sizes[static_cast<std::size_t>(i)];
        lengths.push_back(heads.back().size() + (size > 0 ? 1 + varintSize(size) + size : 0));
        bytes += 1 + varintSize(lengths.back()) + lengths.back();
    }
    initializers.Swap(graph.mutable_initializer());
    graph.Swap(model.mutable_graph());
    if (head.size() + bytes + 16 > static_cast<std::uintmax_t>(std::numeric_limits<std::int32_t>::max())) {
        return onnxError(ErrorCode::Limit, "the model takes more than the 2 GB that one ONNX file can hold",
                         "export to a file, with the weights in a file of their own");
    }
    appendVarint(tagOf(ModelGraph), head);
    appendVarint(bytes, head);
    const std::uintmax_t all = head.size() + bytes;
    out << head << body;
    for (int i = 0; i < model.graph().initializer_size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        std::string begin;
        appendVarint(tagOf(GraphInitializer), begin);
        appendVarint(lengths[at], begin);
        begin += heads[at];
        if (sizes[at] > 0) {
            appendVarint(tagOf(TensorRawData), begin);
            appendVarint(sizes[at], begin);
        }
        out << begin;
        if (sizes[at] == 0) continue;
        if (const Status status = source(i, [&out](std::string_view piece) { out << piece; }); !status)
            return status.error();
    }
    return all;
}

}  // namespace mitos::onnx
