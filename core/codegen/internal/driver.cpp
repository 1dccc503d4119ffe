// SPDX-License-Identifier: GPL-3.0-or-later
// The driver's source text, and the conversion of inputs and results to and from bytes.
#include "core/codegen/internal/driver.h"

#include "core/codegen/internal/shipped_texts.h"
#include "core/timing/batches.h"

#include <fmt/format.h>

#include <cstring>

namespace mitos::codegen {

namespace {

using ir::TypeId;
using ir::TypeKind;

void packNumber(std::string& out, std::int64_t value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    out.append(bytes, sizeof value);
}

void pack(std::string& out, const eval::Value& value) {
    if (value.isFloat()) {
        const double v = value.asFloat();
        std::int64_t bits = 0;
        std::memcpy(&bits, &v, sizeof bits);
        packNumber(out, bits);
    } else if (value.isInteger()) {
        packNumber(out, value.asInteger());
    } else if (value.isBool()) {
        out += value.asBool() ? '\1' : '\0';
    } else if (value.isString()) {
        packNumber(out, static_cast<std::int64_t>(value.asString().size()));
        out += value.asString();
    } else if (value.isTuple()) {
        for (const eval::Value& part : value.asTuple().elements) pack(out, part);
    } else {
        for (const std::int64_t d : value.asTensor().dims) packNumber(out, d);
        for (const eval::Value& part : value.asTensor().elements) pack(out, part);
    }
}

bool takeNumber(std::string_view& bytes, std::int64_t& number) {
    if (bytes.size() < sizeof number) return false;
    std::memcpy(&number, bytes.data(), sizeof number);
    bytes.remove_prefix(sizeof number);
    return true;
}

/// `second` defines the namespace of the output program.
std::string driverText(const ir::TermBank& bank, const ir::Program& signature, const EmittedProgram& input,
                       const EmittedProgram& output, const std::string& second) {
    Helpers headers;
    headers.add(input.helpers);
    headers.add(output.helpers);
    const ir::Function& function = bank.function(signature.function);
    // The arguments' types are written inside a namespace that contains the helpers.
    std::string arguments;
    Helpers argumentHelpers;
    for (const ir::Parameter& parameter : function.parameters) {
        arguments += (arguments.empty() ? "" : ", ") + cppType(bank.types(), parameter.type, argumentHelpers);
    }
    for (const ir::SizeName& size : function.sizes) {
        if (!size.parameter) arguments += std::string(arguments.empty() ? "" : ", ") + "std::int64_t";
    }
    Helpers shared;  // one set of helpers, so that both programs have the same types
    shared.add(input.helpers);
    shared.add(output.helpers);
    shared.add(argumentHelpers);
    headers.add(shared);
    for (const char* header : {"algorithm", "chrono", "cstdint", "cstdlib", "exception", "fstream", "iomanip",
                               "iostream", "sstream", "string", "tuple", "type_traits", "utility", "vector"}) {
        headers.needHeader(header);
    }
    std::string text = headers.includes() + "\n" + shared.definitions();
    text += fmt::format("\nnamespace input {{\n{}}}\n\n{}\n", input.functions, second);
    text += fmt::format("\nusing Arguments = std::tuple<{}>;\n", arguments);
    text += "\n";
    text += timing::measuringText();
    std::string driver("\n");
    driver += shippedText("driver");
    const auto replaceAll = [&](std::string_view what, const std::string& with) {
        for (std::size_t at = driver.find(what); at != std::string::npos; at = driver.find(what, at + with.size())) {
            driver.replace(at, what.size(), with);
        }
    };
    replaceAll("INPUT", "input::" + input.entry);
    replaceAll("OUTPUT", "output::" + output.entry);
    return text + driver;
}

}  // namespace

std::string driverSource(const ir::TermBank& bank, const ir::Program& signature, const EmittedProgram& input,
                         const EmittedProgram& output) {
    return driverText(bank, signature, input, output, fmt::format("namespace output {{\n{}}}", output.functions));
}

std::string driverSource(const ir::TermBank& bank, const ir::Program& program, const EmittedProgram& emitted) {
    return driverText(bank, program, emitted, emitted, "namespace output = input;");
}

std::string packCount(std::int64_t count) {
    std::string bytes(sizeof count, '\0');
    std::memcpy(bytes.data(), &count, sizeof count);
    return bytes;
}

std::string packInputs(const eval::Inputs& inputs) {
    std::string out;
    for (const eval::Value& argument : inputs.arguments) pack(out, argument);
    for (const std::int64_t size : inputs.extraSizes) packNumber(out, size);
    return out;
}

std::optional<eval::Value> unpackValue(const ir::TypeTable& types, TypeId type, std::string_view& bytes) {
    std::int64_t number = 0;
    switch (types.kind(type)) {
        case TypeKind::Float: {
            if (!takeNumber(bytes, number)) return std::nullopt;
            double v = 0.0;
            std::memcpy(&v, &number, sizeof v);
            return eval::Value(v);
        }
        case TypeKind::Integer:
            if (!takeNumber(bytes, number)) return std::nullopt;
            return eval::Value(number);
        case TypeKind::Bool: {
            if (bytes.empty()) return std::nullopt;
            const bool value = bytes[0] != 0;
            bytes.remove_prefix(1);
            return eval::Value(value);
        }
        case TypeKind::String: {
            if (!takeNumber(bytes, number) || number < 0 || static_cast<std::size_t>(number) > bytes.size())
                return std::nullopt;
            std::string text(bytes.substr(0, static_cast<std::size_t>(number)));
            bytes.remove_prefix(text.size());
            return eval::Value(std::move(text));
        }
        case TypeKind::Tuple: {
            eval::TupleValue tuple;
            for (const TypeId part : types.children(type)) {
                std::optional<eval::Value> value = unpackValue(types, part, bytes);
                if (!value) return std::nullopt;
                tuple.elements.push_back(std::move(*value));
            }
            return eval::Value(std::move(tuple));
        }
        case TypeKind::Tensor: {
            constexpr std::int64_t Most = 1 << 28;
            eval::TensorValue tensor;
            std::int64_t count = 1;
            for (std::uint32_t d = 0; d < types.rank(type); ++d) {
                if (!takeNumber(bytes, number) || number < 0 || number > Most) return std::nullopt;
                tensor.dims.push_back(number);
                count *= number;
                if (count > Most) return std::nullopt;
            }
            for (std::int64_t i = 0; i < count; ++i) {
                std::optional<eval::Value> value = unpackValue(types, types.element(type), bytes);
                if (!value) return std::nullopt;
                tensor.elements.push_back(std::move(*value));
            }
            return eval::Value(std::move(tensor));
        }
        case TypeKind::Lambda:
        case TypeKind::LinearMap:
        case TypeKind::Array: break;
    }
    return std::nullopt;
}

}  // namespace mitos::codegen
