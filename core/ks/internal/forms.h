// SPDX-License-Identifier: GPL-3.0-or-later
// The lexical layer of ks: reads a text as S-expressions (ks-language.md 1).
#pragma once

#include "core/ks/internal/diagnostics.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::ks {

enum class FormKind : std::uint8_t {
    List,     ///< ( … )
    Bracket,  ///< [ … ], a structured name
    Name,
    Integer,
    Float,
    String,
};

using FormId = std::uint32_t;

/// All forms of a text in one table. It refers to the SourceText from which it was read.
class FormTree {
public:
    static constexpr std::size_t MaxDepth = 10'000;

    /// Reads the whole text and reports errors to diagnostics. Top-level forms that contain errors are not in top().
    static FormTree read(const SourceText& source, Diagnostics& diagnostics);

    [[nodiscard]] FormKind kind(FormId id) const { return m_forms[id].kind; }
    [[nodiscard]] SourceSpan span(FormId id) const { return m_forms[id].span; }
    [[nodiscard]] std::string_view text(FormId id) const {
        return m_source->text().substr(m_forms[id].span.begin, m_forms[id].span.end - m_forms[id].span.begin);
    }
    /// The text for messages: one line, cut off with … if it is long.
    [[nodiscard]] std::string shortText(FormId id) const;
    [[nodiscard]] std::span<const FormId> children(FormId id) const {
        return {m_children.data() + m_forms[id].firstChild, m_forms[id].childCount};
    }
    [[nodiscard]] bool is(FormId id, FormKind kind) const { return m_forms[id].kind == kind; }
    [[nodiscard]] bool isName(FormId id, std::string_view name) const {
        return is(id, FormKind::Name) && text(id) == name;
    }

    [[nodiscard]] const std::vector<FormId>& top() const { return m_top; }
    /// Top-level forms that contain errors. They only tell which names they would have defined.
    [[nodiscard]] const std::vector<FormId>& broken() const { return m_broken; }
    [[nodiscard]] std::size_t depth() const { return m_depth; }

private:
    friend class FormReader;
    struct Form {
        FormKind kind;
        SourceSpan span;
        std::uint32_t firstChild = 0;
        std::uint32_t childCount = 0;
    };
    explicit FormTree(const SourceText& source) : m_source(&source) {}

    const SourceText* m_source;
    std::vector<Form> m_forms;
    std::vector<FormId> m_children;
    std::vector<FormId> m_top;
    std::vector<FormId> m_broken;
    std::size_t m_depth = 0;
};

}  // namespace mitos::ks
