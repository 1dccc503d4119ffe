// SPDX-License-Identifier: GPL-3.0-or-later
// Typed attributes of tensor operators. A term keeps all of an operator's attributes, in the order of its table entry, as
// one text (ir/attributes.h): "[1,1]$[0,0,0,0]$1". No default is left implicit, so equal attributes have equal text.
#pragma once

#include "core/base/result.h"
#include "core/ir/term_bank.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mitos::tensor {

enum class AttributeKind : std::uint8_t {
    Integer,
    Float,
    Boolean,
    Word,      ///< one of a fixed set: a dtype (f32), a mode (constant)
    Integers,  ///< a list, "[1,1]"
    Floats,
    Names,  ///< a list of words, or of names or expressions of sizes, "[2*N,3]", "[ij,jk,ik]"
};

struct AttributeInfo {
    std::string name;
    AttributeKind kind = AttributeKind::Integer;
    /// The text of the default ("1", "[0,0,0,0]"); "" if programs must write the attribute.
    std::string defaultText = {};
    std::string doc = {};
    std::vector<std::string> words = {};  ///< the values of a Word; empty if they are dtypes
};

using AttributeValue = std::variant<std::int64_t, double, bool, std::string, std::vector<std::int64_t>,
                                    std::vector<double>, std::vector<std::string>>;

/// The text of a value; the inverse of readAttribute. Floats are written so that they read back to the same bits.
[[nodiscard]] std::string attributeText(const AttributeValue& value);
[[nodiscard]] Result<AttributeValue> readAttribute(const AttributeInfo& info, std::string_view text);

struct Operator;

/// The attributes of one term (or of a term to be made), by name. Reading a name or kind that the operator does not have fails
/// an assertion: shape rules and evaluation belong to their table entry.
class Attributes {
public:
    /// Reads the text of a payload. Fails if the number or the kinds of the values do not fit the operator.
    static Result<Attributes> read(const Operator& op, std::string_view text);
    /// All attributes have their defaults; those without one are unset until set() is called.
    explicit Attributes(const Operator& op);

    [[nodiscard]] const Operator& op() const { return *m_op; }
    Attributes& set(std::string_view name, AttributeValue value);
    [[nodiscard]] std::int64_t integer(std::string_view name) const;
    [[nodiscard]] double floating(std::string_view name) const;
    [[nodiscard]] bool boolean(std::string_view name) const;
    [[nodiscard]] const std::string& word(std::string_view name) const;
    [[nodiscard]] const std::vector<std::int64_t>& integers(std::string_view name) const;
    [[nodiscard]] const std::vector<double>& floats(std::string_view name) const;
    [[nodiscard]] const std::vector<std::string>& names(std::string_view name) const;
    /// The values in the order of the table entry.
    [[nodiscard]] std::span<const AttributeValue> values() const { return m_values; }
    [[nodiscard]] std::string text() const;

private:
    [[nodiscard]] std::size_t index(std::string_view name) const;

    const Operator* m_op;
    std::vector<AttributeValue> m_values;
};

}  // namespace mitos::tensor
