// SPDX-License-Identifier: GPL-3.0-or-later
// An operation to be measured, as a line of the protocol (README.md) states it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::measure {

/// The reason why an operation cannot be measured.
class Refusal : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct Operand {
    std::string dtype;  ///< "f32"
    std::vector<std::int64_t> shape;
    bool isAbsent = false;
};

/// An operator applied to inputs. Attributes are read by name; those that are missing or have another form are refused.
struct Request {
    std::string op;
    std::map<std::string, std::string, std::less<>> attributes;
    std::vector<Operand> inputs;

    [[nodiscard]] std::int64_t integer(std::string_view name) const;
    [[nodiscard]] double floating(std::string_view name) const;
    [[nodiscard]] bool boolean(std::string_view name) const;
    [[nodiscard]] const std::string& word(std::string_view name) const;
    [[nodiscard]] std::vector<std::int64_t> integers(std::string_view name) const;
    [[nodiscard]] std::vector<double> floats(std::string_view name) const;
    [[nodiscard]] std::vector<std::string> names(std::string_view name) const;

    [[nodiscard]] bool isPresent(std::size_t input) const { return input < inputs.size() && !inputs[input].isAbsent; }
};

/// Reads "operation<TAB>Conv<TAB>strides=[1,1]<TAB>…<TAB>in f32[1,3,8,8]<TAB>in absent". None if it is not of that form.
[[nodiscard]] std::optional<Request> parseRequest(std::string_view line);

}  // namespace mitos::measure
