// SPDX-License-Identifier: GPL-3.0-or-later
// Free algebras for tests: rules over operators of their own, and terms written as (f a (g b)).
#pragma once

#include "core/egraph/runner.h"
#include "core/ks/operators.h"
#include "core/rules/rule.h"

#include <QtTest/QTest>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

template <>
inline char* QTest::toString(const std::string& text) {
    return qstrdup(text.c_str());
}

namespace mitos::tests {

class Algebra {
public:
    explicit Algebra(const std::string& rules)
        : m_loaded(rules::loadRules(SourceText("test.rules", rules), ks::makeRegistry())),
          m_bank(m_loaded ? m_loaded->registry : ks::makeRegistry()) {
        if (!m_loaded) qFatal("%s", m_loaded.error().render().c_str());
        for (const Error& error : m_loaded->errors) qFatal("%s", error.render().c_str());
    }

    ir::TermBank& bank() { return m_bank; }
    [[nodiscard]] const rules::LoadedRules& loaded() const { return *m_loaded; }

    /// The directions of all rules.
    [[nodiscard]] std::vector<std::shared_ptr<const egraph::EGraphRule>> rules() const {
        std::vector<std::shared_ptr<const rules::DirectedRule>> directions;
        for (const auto& rule : m_loaded->set.rules) {
            directions.insert(directions.end(), rule->directions.begin(), rule->directions.end());
        }
        auto prepared = *egraph::prepareRules(directions);
        return prepared;
    }

    /// (f a (g b)): operators of the rules; other words are free variables of type Float, numbers are Floats.
    ir::TermId term(std::string_view text) {
        std::size_t at = 0;
        return read(text, at);
    }

    /// The inverse of `term`.
    std::string text(ir::TermId term) {
        if (m_bank.is(term, ir::CoreOp::Variable)) return std::string(m_bank.text(m_bank.payload(term).asSymbol()));
        if (m_bank.is(term, ir::CoreOp::Literal)) return std::to_string(m_bank.payload(term).asFloat());
        std::string result(m_bank.opName(term));
        for (std::size_t i = 0; i < m_bank.childCount(term); ++i) result += " " + text(m_bank.child(term, i));
        return m_bank.childCount(term) == 0 ? result : "(" + result + ")";
    }

private:
    ir::TermId read(std::string_view text, std::size_t& at) {
        const auto word = [&] {
            const std::size_t begin = at;
            while (at < text.size() && text[at] != ' ' && text[at] != ')' && text[at] != '(') ++at;
            return std::string(text.substr(begin, at - begin));
        };
        const auto skip = [&] {
            while (at < text.size() && text[at] == ' ') ++at;
        };
        skip();
        if (text[at] != '(') {
            const std::string name = word();
            if (const ir::OpId op = m_bank.registry().find(name); op.isValid()) return *m_bank.make(op, {});
            if (name[0] >= '0' && name[0] <= '9') return m_bank.floating(std::stod(name));
            return m_bank.variable(m_bank.symbols().intern(name), m_bank.types().floating());
        }
        ++at;
        const ir::OpId op = m_bank.registry().find(word());
        std::vector<ir::TermId> children;
        for (skip(); text[at] != ')'; skip()) children.push_back(read(text, at));
        ++at;
        const Result<ir::TermId> made = m_bank.make(op, children);
        if (!made) qFatal("%s", made.error().render().c_str());
        return *made;
    }

    Result<rules::LoadedRules> m_loaded;
    ir::TermBank m_bank;
};

/// a1 op (a2 op (… an)).
inline std::string comb(const std::string& op, int leaves) {
    std::string text;
    for (int i = 1; i < leaves; ++i) text += "(" + op + " a" + std::to_string(i) + " ";
    text += "a" + std::to_string(leaves);
    return text.append(static_cast<std::size_t>(leaves) - 1, ')');
}

inline egraph::SaturationReport saturate(egraph::EGraph& graph,
                                         const std::vector<std::shared_ptr<const egraph::EGraphRule>>& rules,
                                         const egraph::SaturationOptions& options = {}) {
    Result<egraph::SaturationReport> report =
        egraph::saturate(graph, rules, options, {}, [](const auto&, auto&) { return true; });
    if (!report) qFatal("%s", report.error().render().c_str());
    return *std::move(report);
}

}  // namespace mitos::tests
