// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/start_term.h"

#include "core/ks/module.h"
#include "core/rules/language/term_text.h"

#include <fmt/format.h>

#include <utility>

namespace mitos::rewrite {

namespace {

/// The program of a text in the notation of rules: the term is printed in ks and parsed again.
Result<ir::Program> readRuleNotation(ir::TermBank& bank, const std::string& name, const std::string& text) {
    MITOS_TRY(const ir::TermId term, rules::readTerm(bank, SourceText(name, text)));
    const std::string ks = ks::printTerm(bank, term, {.width = 0});
    Result<ir::Program> program = ks::parseProgram(bank, name, ks);
    if (program && program->root == term) return program;
    const std::string reason = program ? "it reads as another one" : program.error().message;
    return Error{ErrorCode::Unsupported, fmt::format("the term cannot be a program: {}", reason), std::nullopt,
                 fmt::format("in ks it is {}", ks)};
}

/// The line and column that a reader reached.
std::pair<int, int> placeOf(const Error& error) {
    return error.place ? std::pair(error.place->line, error.place->column) : std::pair(0, 0);
}

}  // namespace

Result<ir::Program> readStartTerm(ir::TermBank& bank, const std::string& name, const std::string& text) {
    // Both notations may begin with a parenthesis; a text that can be read as ks is ks.
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    const bool mayBeKs = first != std::string::npos && text[first] == '(';
    Result<ir::Program> program = mayBeKs ? ks::parseProgram(bank, name, text) : readRuleNotation(bank, name, text);
    if (!program && mayBeKs) {
        Result<ir::Program> other = readRuleNotation(bank, name, text);
        if (other || placeOf(other.error()) > placeOf(program.error())) program = std::move(other);
    }
    if (!program) return program;
    for (const ir::Parameter& parameter : bank.function(program->function).parameters) {
        const std::string word(bank.text(parameter.name));
        const ir::OpId op = bank.registry().find(word);
        if (!op.isValid() || bank.registry().info(op).dialect != "user") continue;
        return inputError(fmt::format("{} is an operator of the rules, not a variable", word),
                          fmt::format("a constant is written {}() or ({})", word, word));
    }
    return program;
}

}  // namespace mitos::rewrite
