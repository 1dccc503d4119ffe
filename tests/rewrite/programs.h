// SPDX-License-Identifier: GPL-3.0-or-later
// What tests of threads begin with: shipped rules, a program from text, strings for Qt.
#pragma once

#include "core/ks/module.h"
#include "core/ks/operators.h"
#include "core/rules/rule.h"

#include <QString>
#include <string>
#include <string_view>
#include <utility>

namespace mitos::test {

inline QString qt(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

inline rules::RuleBook book(std::string_view names) {
    Result<rules::RuleBook> loaded = rules::RuleBook::load(names, ks::makeRegistry());
    if (!loaded) qFatal("%s", loaded.error().render().c_str());
    return *std::move(loaded);
}

inline ir::Program parse(ir::TermBank& bank, const std::string& text) {
    const Result<ir::Program> parsed = ks::parseProgram(bank, "test", text);
    if (!parsed) qFatal("%s", parsed.error().render().c_str());
    return *parsed;
}

}  // namespace mitos::test
