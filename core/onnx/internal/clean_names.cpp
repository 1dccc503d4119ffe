// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/internal/clean_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace mitos::onnx {

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

/// The number of bytes of the first character of a text; 0 if it is invalid or a control character. Prose may have line breaks.
std::size_t characterLength(std::string_view text, bool isProse) {
    const auto byte = [text](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : std::uint32_t{0};
    };
    const std::uint32_t lead = byte(0);
    if (isProse && (lead == '\n' || lead == '\r' || lead == '\t')) return 1;
    if (lead < 0x80U) return lead >= 0x20U && lead != 0x7FU ? 1 : 0;
    const std::size_t length = lead < 0xC2U ? 0 : lead < 0xE0U ? 2 : lead < 0xF0U ? 3 : lead < 0xF5U ? 4 : 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0U) != 0x80U) return 0;
    }
    // Overlong forms, surrogates, code points beyond the last one, and the second block of control characters.
    const bool isNone = (lead == 0xE0U && byte(1) < 0xA0U) || (lead == 0xEDU && byte(1) > 0x9FU) ||
                        (lead == 0xF0U && byte(1) < 0x90U) || (lead == 0xF4U && byte(1) > 0x8FU) ||
                        (lead == 0xC2U && byte(1) < 0xA0U);
    return isNone ? 0 : length;
}

bool isClean(std::string_view text, bool isProse) {
    while (!text.empty()) {
        const std::size_t length = characterLength(text, isProse);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

std::string cleaned(std::string_view text, bool isProse) {
    std::string result;
    while (!text.empty()) {
        const std::size_t length = characterLength(text, isProse);
        if (length == 0) result += fmt::format("%{:02X}", static_cast<unsigned char>(text.front()));
        result += text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(1, length));
    }
    return result;
}

/// The parsers limit how deep messages nest.
class Cleaner {
public:
    void clean(Message& message) {
        const Reflection& fields = *message.GetReflection();
        std::vector<const FieldDescriptor*> given;
        fields.ListFields(message, &given);
        for (const FieldDescriptor* const field : given) {
            const bool isMessage = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
            const bool isText = field->type() == FieldDescriptor::TYPE_STRING;
            if ((!isMessage && !isText) || field->name() == "external_data") continue;
            const int count = field->is_repeated() ? fields.FieldSize(message, field) : 1;
            for (int i = 0; i < count; ++i) {
                if (isMessage)
                    clean(field->is_repeated() ? *fields.MutableRepeatedMessage(&message, field, i)
                                               : *fields.MutableMessage(&message, field));
                else
                    cleanText(message, fields, *field, i);
            }
        }
    }
    [[nodiscard]] const std::optional<std::string>& first() const { return m_first; }

private:
    void cleanText(Message& message, const Reflection& fields, const FieldDescriptor& field, int at) {
        std::string scratch;
        const std::string& text = field.is_repeated() ? fields.GetRepeatedStringReference(message, &field, at, &scratch)
                                                      : fields.GetStringReference(message, &field, &scratch);
        const bool isProse = field.name() == "doc_string" || field.name() == "value";  // `value` of metadata
        if (isClean(text, isProse)) return;
        std::string clean = cleaned(text, isProse);
        if (!m_first && field.name() != "doc_string") m_first = clean;
        if (field.is_repeated())
            fields.SetRepeatedString(&message, &field, at, std::move(clean));
        else
            fields.SetString(&message, &field, std::move(clean));
    }

    std::optional<std::string> m_first;
};

}  // namespace

std::string cleanText(std::string_view text) { return cleaned(text, true); }

std::optional<std::string> cleanNames(proto::ModelProto& model) {
    Cleaner cleaner;
    cleaner.clean(model);
    return cleaner.first();
}

}  // namespace mitos::onnx
