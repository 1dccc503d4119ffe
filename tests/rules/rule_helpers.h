// SPDX-License-Identifier: GPL-3.0-or-later
// Rules from text, and what they make of programs, as strings that tests can compare.
#pragma once

#include "core/ir/binding.h"
#include "core/ks/module.h"
#include "core/ks/operators.h"
#include "core/rules/rule.h"

#include <QtTest/QTest>

#include <memory>
#include <string>
#include <vector>

/// So that a failed comparison shows both strings.
template <>
inline char* QTest::toString(const std::string& text) {
    return qstrdup(text.c_str());
}

namespace mitos::tests {

inline std::shared_ptr<const ir::OperatorRegistry> registry() {
    static const auto shared = ks::makeRegistry();
    return shared;
}

inline Result<rules::LoadedRules> load(const std::string& text) {
    return rules::loadRules(SourceText("test.rules", text), registry());
}

/// All errors of a text, one a line: "line:column message | hint".
inline std::string errorsOf(const std::string& text) {
    const Result<rules::LoadedRules> loaded = load(text);
    std::vector<Error> errors;
    if (loaded) {
        errors = loaded->errors;
    } else {
        errors = loaded.error().others;
        errors.insert(errors.begin(), loaded.error());
    }
    std::string result;
    for (const Error& error : errors) {
        if (!result.empty()) result += "\n";
        result += std::to_string(error.place->line) + ":" + std::to_string(error.place->column) + " " + error.message;
        if (!error.hint.empty()) result += " | " + error.hint;
    }
    return result;
}

/// Finds a direction by its name; null if there is none.
inline std::shared_ptr<const rules::DirectedRule> direction(const rules::LoadedRules& loaded, const std::string& name) {
    for (const auto& rule : loaded.set.rules) {
        for (const auto& d : rule->directions) {
            if (d->name() == name) return d;
        }
    }
    return nullptr;
}

inline std::string printed(const ir::TermBank& bank, ir::TermId term) {
    return ks::printTerm(bank, term, {.width = 0, .compact = true});
}

/// The whole program after each rewrite of the rule at the position, joined by " | "; "none". Every substitution found
/// must pass the independent check, and no other one found at the position may equal it.
inline std::string rewrites(const rules::DirectedRule& rule, const std::string& program,
                            const std::string& position = "/",
                            std::shared_ptr<const ir::OperatorRegistry> operators = registry()) {
    ir::TermBank bank(std::move(operators));
    const Result<ir::Program> parsed = ks::parseProgram(bank, "test.ks", program);
    if (!parsed) return parsed.error().render();
    const Result<ir::Path> path = ir::parsePath(position);
    if (!path) return path.error().message;
    const auto subject = ir::subterm(bank, parsed->root, *path);
    if (!subject) return "no such position";
    std::vector<rules::Substitution> found;
    rule.match(bank, *subject, [&](const rules::Substitution& substitution) {
        found.push_back(substitution);
        return true;
    });
    std::string result;
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (const Status status = rule.isInstance(bank, found[i], *subject); !status) {
            return "no instance: " + status.error().message;
        }
        for (std::size_t j = 0; j < i; ++j) {
            if (found[i] == found[j]) return "found twice";
        }
        const Result<ir::TermId> replacement = rule.apply(bank, found[i], *subject);
        if (!replacement) continue;
        const Result<ir::TermId> whole = ir::replaceAt(bank, parsed->root, *path, *replacement);
        if (!whole) return whole.error().message;
        result += (result.empty() ? "" : " | ") + printed(bank, *whole);
    }
    return result.empty() ? "none" : result;
}

/// The same for the first rule of a text.
inline std::string rewritesBy(const std::string& rules, const std::string& name, const std::string& program,
                              const std::string& position = "/") {
    const Result<rules::LoadedRules> loaded = load(rules);
    if (!loaded) return loaded.error().render();
    if (!loaded->errors.empty()) return loaded->errors.front().render();
    const auto found = direction(*loaded, name);
    return found == nullptr ? "no direction " + name : rewrites(*found, program, position, loaded->registry);
}

}  // namespace mitos::tests
