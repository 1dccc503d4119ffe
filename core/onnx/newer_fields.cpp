// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/newer_fields.h"

#include <google/protobuf/unknown_field_set.h>

namespace mitos::onnx {

namespace {

// Field numbers from onnx.proto.
constexpr int NodeOverload = 8;
constexpr int FunctionAttributes = 11;
constexpr int FunctionOverload = 13;

const google::protobuf::UnknownFieldSet& unknownFields(const google::protobuf::Message& message) {
    return message.GetReflection()->GetUnknownFields(message);
}

std::string unknownText(const google::protobuf::Message& message, int field) {
    const google::protobuf::UnknownFieldSet& fields = unknownFields(message);
    std::string result;
    for (int i = 0; i < fields.field_count(); ++i) {
        const google::protobuf::UnknownField& found = fields.field(i);
        const bool isText = found.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED;
        if (found.number() == field && isText) result = found.length_delimited();
    }
    return result;
}

}  // namespace

std::string overloadOf(const proto::FunctionProto& function) { return unknownText(function, FunctionOverload); }

std::string overloadOf(const proto::NodeProto& node) { return unknownText(node, NodeOverload); }

std::optional<proto::AttributeProto> defaultOf(const proto::FunctionProto& function, const std::string& attribute) {
    const google::protobuf::UnknownFieldSet& fields = unknownFields(function);
    for (int i = 0; i < fields.field_count(); ++i) {
        const google::protobuf::UnknownField& field = fields.field(i);
        const bool isMessage = field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED;
        if (field.number() != FunctionAttributes || !isMessage) continue;
        proto::AttributeProto read;
        if (read.ParseFromString(field.length_delimited()) && read.name() == attribute) return read;
    }
    return std::nullopt;
}

}  // namespace mitos::onnx
