// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ks/dialect.h"

#include "core/ks/math.h"
#include "core/ks/module.h"
#include "core/ks/operators.h"

#include <utility>

namespace mitos::ks {

namespace {

Result<ir::ParsedText> parse(ir::TermBank& bank, const SourceText& source, std::string_view function) {
    MITOS_TRY(Module module, parseModule(bank, source));
    MITOS_TRY(const ir::Program program, selectProgram(bank, module, function));
    return ir::ParsedText{program, std::move(module.warnings)};
}

std::string closedTerm(const ir::TermBank& bank, ir::TermId term, const ir::PrintOptions& options) {
    return printTerm(bank, term, options);
}

ir::TermPrinter printerAt(const ir::TermBank& bank, const ir::Program& program, const ir::Path& position) {
    return [&bank, names = binderNames(bank, program, position)](ir::TermId term, const ir::PrintOptions& options) {
        return printTerm(bank, term, options, names);
    };
}

}  // namespace

ir::Dialect dialect() {
    return {.name = std::string(DialectName),
            .sharing = ir::Sharing::Tree,
            .addOperators = addOperators,
            .parse = parse,
            .print = printProgram,
            .printWithSpans = printWithSpans,
            .printMath = printMath,
            .printTerm = closedTerm,
            .printerAt = printerAt,
            .defaultRules = "ks-all",
            .defaultCost = "ks-2021",
            .defaultStrategy = "portfolio",
            .exports = {"ks", "cpp"},
            .exampleRule = "# Multiplying by one changes nothing.\nrule my_mul_one [exact]: a * 1 => a\n"};
}

}  // namespace mitos::ks
