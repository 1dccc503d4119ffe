// SPDX-License-Identifier: GPL-3.0-or-later
// The driver's source text, and the conversion of inputs and results to and from bytes.
#include "core/codegen/driver.h"

#include <fmt/format.h>

#include <cstring>

namespace mitos::codegen {

namespace {

using ir::TypeId;
using ir::TypeKind;

/// Reads, writes and measures; the namespaces input and output and the type Arguments precede it.
constexpr const char* DriverText = R"(
template <typename T>
void readTensorDims(std::istream& in, T& tensor) {
    auto dims = tensor.dims;
    for (auto& d : dims) in.read(reinterpret_cast<char*>(&d), sizeof d);
    tensor.resize(dims);
}

template <typename T>
struct IsTuple : std::false_type {};
template <typename... T>
struct IsTuple<std::tuple<T...>> : std::true_type {};
template <typename T>
struct IsVector : std::false_type {};
template <typename T>
struct IsVector<std::vector<T>> : std::true_type {};

template <typename T>
void readValue(std::istream& in, T& value) {
    if constexpr (std::is_same_v<T, bool>) {
        value = in.get() != 0;
    } else if constexpr (std::is_arithmetic_v<T>) {
        in.read(reinterpret_cast<char*>(&value), sizeof value);
    } else if constexpr (std::is_same_v<T, std::string>) {
        std::int64_t size = 0;
        readValue(in, size);
        value.resize(static_cast<std::size_t>(size));
        in.read(value.data(), size);
    } else if constexpr (IsTuple<T>::value) {
        std::apply([&](auto&... parts) { (readValue(in, parts), ...); }, value);
    } else {
        auto* elements = [&] {
            if constexpr (IsVector<T>::value) {
                std::int64_t size = 0;
                readValue(in, size);
                value.resize(static_cast<std::size_t>(size));
                return &value;
            } else {
                readTensorDims(in, value);
                return &value.data;
            }
        }();
        for (std::size_t i = 0; i < elements->size(); ++i) {
            typename std::decay_t<decltype(*elements)>::value_type element{};
            readValue(in, element);
            (*elements)[i] = element;
        }
    }
}

template <typename T>
void writeValue(std::ostream& out, const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
        out.put(value ? 1 : 0);
    } else if constexpr (std::is_arithmetic_v<T>) {
        out.write(reinterpret_cast<const char*>(&value), sizeof value);
    } else if constexpr (std::is_same_v<T, std::string>) {
        writeValue(out, static_cast<std::int64_t>(value.size()));
        out.write(value.data(), static_cast<std::streamsize>(value.size()));
    } else if constexpr (IsTuple<T>::value) {
        std::apply([&](const auto&... parts) { (writeValue(out, parts), ...); }, value);
    } else if constexpr (IsVector<T>::value) {
        writeValue(out, static_cast<std::int64_t>(value.size()));
        for (std::size_t i = 0; i < value.size(); ++i) writeValue<typename T::value_type>(out, value[i]);
    } else {
        for (const std::int64_t d : value.dims) writeValue(out, d);
        for (std::size_t i = 0; i < value.data.size(); ++i) {
            writeValue<typename std::decay_t<decltype(value.data)>::value_type>(out, value.data[i]);
        }
    }
}

// Makes the compiler believe that the value is looked at.
template <typename T>
void keep(const T& value) {
    asm volatile("" : : "r"(&value) : "memory");
}

double seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <typename F>
double timeOf(F* function, const Arguments& arguments, long calls) {
    F* volatile hidden = function;
    const double start = seconds();
    for (long i = 0; i < calls; ++i) keep(std::apply(*hidden, arguments));
    return (seconds() - start) / static_cast<double>(calls);
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

int main(int count, char** words) {
    if (count < 3) return 2;
    std::ifstream in(words[2], std::ios::binary);
    std::int64_t samples = 0;
    readValue(in, samples);
    const std::string mode = words[1];
    // What the programs print themselves is not part of a result.
    std::ostream results(std::cout.rdbuf());
    std::stringbuf printed;
    std::cout.rdbuf(&printed);
    if (mode == "check") {
        for (std::int64_t i = 0; i < samples; ++i) {
            Arguments arguments;
            readValue(in, arguments);
            try {
                const auto value = std::apply(OUTPUT, arguments);
                writeValue(results, true);
                writeValue(results, value);
            } catch (const std::exception&) {
                writeValue(results, false);
            }
            results.flush();
        }
    } else {
        Arguments arguments;
        readValue(in, arguments);
        const double budget = count > 3 ? std::atof(words[3]) : 1.0;
        const double deadline = seconds() + budget;
        // Several calls at a time where one is too short for the clock.
        const double once = std::max(timeOf(&INPUT, arguments, 1), timeOf(&OUTPUT, arguments, 1));
        const long calls = std::max(1L, static_cast<long>(std::min(2e-4, budget / 40.0) / std::max(once, 1e-9)));
        std::vector<double> first;
        std::vector<double> second;
        while (first.size() < 3 || (seconds() < deadline && first.size() < 10000)) {
            if (!first.empty() && seconds() > deadline + budget) break;
            // A B, B A, A B, …: whoever comes second has no lasting advantage.
            const bool swapped = first.size() % 2 == 1;
            if (swapped) second.push_back(timeOf(&OUTPUT, arguments, calls));
            first.push_back(timeOf(&INPUT, arguments, calls));
            if (!swapped) second.push_back(timeOf(&OUTPUT, arguments, calls));
            printed.str(std::string());
        }
        results << std::setprecision(17) << median(first) << ' ' << median(second) << ' ' << first.size() << '\n';
        results.flush();
    }
    std::cout.rdbuf(results.rdbuf());
}
)";

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

}  // namespace

std::string driverSource(const ir::TermBank& bank, const ir::Program& signature, const EmittedProgram& input,
                         const EmittedProgram& output) {
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
    text += fmt::format("\nnamespace input {{\n{}}}\n\nnamespace output {{\n{}}}\n", input.functions, output.functions);
    text += fmt::format("\nusing Arguments = std::tuple<{}>;\n", arguments);
    std::string driver = DriverText;
    const auto replaceAll = [&](std::string_view what, const std::string& with) {
        for (std::size_t at = driver.find(what); at != std::string::npos; at = driver.find(what, at + with.size())) {
            driver.replace(at, what.size(), with);
        }
    };
    replaceAll("INPUT", "input::" + input.entry);
    replaceAll("OUTPUT", "output::" + output.entry);
    return text + driver;
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
