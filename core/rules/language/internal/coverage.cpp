// SPDX-License-Identifier: GPL-3.0-or-later
// Compares two alternates.
#include "core/rules/language/internal/coverage.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace mitos::rules {

namespace {

std::string withoutSpaces(std::string_view text) {
    std::string result;
    std::copy_if(text.begin(), text.end(), std::back_inserter(result),
                 [](char c) { return c != ' ' && c != '\n' && c != '\t' && c != '\r'; });
    return result;
}

bool coversNumber(const Node& a, const Node& b) {
    switch (a.kind) {
        case NodeKind::Literal: return b.kind == NodeKind::Literal && a.payload == b.payload;
        case NodeKind::Number:
            if (b.kind == NodeKind::Number) return a.payload == b.payload;
            return b.kind == NodeKind::Literal &&
                   (b.payload == a.payload || b.payload == ir::Payload::floating(a.value));
        case NodeKind::Approx:
            if (b.kind == NodeKind::Approx) return a.value == b.value;
            return b.kind == NodeKind::Literal && b.payload.kind() == ir::PayloadKind::Float &&
                   std::abs(b.payload.asFloat() - a.value) <= ApproximateTolerance * std::max(1.0, std::abs(a.value));
        default: return false;
    }
}

class Comparison {
public:
    Comparison(const Alternate& earlier, const Alternate& later, std::string_view source)
        : m_a(earlier),
          m_b(later),
          m_source(source) {}

    bool run() {
        if (m_a.constraints.size() != m_b.constraints.size() || m_a.locals.size() != m_b.locals.size()) return false;
        if (!nodes(m_a.root, m_b.root)) return false;
        for (std::size_t i = 0; i < m_a.constraints.size(); ++i) {
            if (!nodes(m_a.constraints[i].subject, m_b.constraints[i].subject)) return false;
            if (!nodes(m_a.constraints[i].pattern, m_b.constraints[i].pattern)) return false;
        }
        return m_a.guard == NoNode || (m_b.guard != NoNode && text(m_a) == text(m_b));
    }

private:
    /// The source text of the alternate, because conditions are compared by their text, with the names they use.
    [[nodiscard]] std::string text(const Alternate& alternate) const {
        return withoutSpaces(m_source.substr(alternate.span.begin, alternate.span.end - alternate.span.begin));
    }

    /// Whether two locals or bound variables are each other's counterparts.
    static bool paired(std::map<std::uint32_t, std::uint32_t>& pairs, std::uint32_t a, std::uint32_t b) {
        const auto [known, isNew] = pairs.emplace(a, b);
        return known->second == b &&
               (!isNew || std::count_if(pairs.begin(), pairs.end(), [&](const auto& p) { return p.second == b; }) == 1);
    }

    bool nodes(std::uint32_t indexA, std::uint32_t indexB) {
        const Node& a = m_a.table.nodes[indexA];
        const Node& b = m_b.table.nodes[indexB];
        if (a.kind == NodeKind::AnyLiteral) return true;
        if (a.kind == NodeKind::Literal || a.kind == NodeKind::Number || a.kind == NodeKind::Approx) {
            return coversNumber(a, b);
        }
        if (a.kind != b.kind || a.childCount != b.childCount) return false;
        switch (a.kind) {
            case NodeKind::Bound: return paired(m_binders, a.var, b.var);
            case NodeKind::Text: return a.name == b.name;
            case NodeKind::Parameter: return a.index == b.index;
            case NodeKind::Local: return paired(m_locals, a.index, b.index);
            case NodeKind::Function: {
                if (a.owner != b.owner) return false;
                const bool same = a.owner == Owner::Local ? paired(m_locals, a.index, b.index) : a.index == b.index;
                if (!same) return false;
                break;
            }
            case NodeKind::Unfold:
                if (a.index != b.index) return false;
                break;
            case NodeKind::Apply: {
                const bool typed = !a.binderType.empty() || !b.binderType.empty();
                if (a.op != b.op || a.index != b.index || typed) return false;
                if ((a.binder == NoVar) != (b.binder == NoVar)) return false;
                if (a.binder != NoVar && !paired(m_binders, a.binder, b.binder)) return false;
                for (std::size_t i = 0; i < a.attributes.size(); ++i) {
                    if (!nodes(a.attributes[i], b.attributes[i])) return false;
                }
                break;
            }
            default: return false;
        }
        for (std::size_t i = 0; i < a.childCount; ++i) {
            if (!nodes(m_a.table.children[a.firstChild + i], m_b.table.children[b.firstChild + i])) return false;
        }
        return true;
    }

    const Alternate& m_a;
    const Alternate& m_b;
    std::string_view m_source;
    std::map<std::uint32_t, std::uint32_t> m_locals;
    std::map<std::uint32_t, std::uint32_t> m_binders;
};

}  // namespace

bool covers(const Alternate& earlier, const Alternate& later, std::string_view source) {
    return Comparison(earlier, later, source).run();
}

}  // namespace mitos::rules
