// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/start_term.h"

#include "core/ir/dialect.h"
#include "core/ir/transplant.h"
#include "core/ks/module.h"
#include "core/rules/language/term_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
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

/// The text without white space and comments of ks at its beginning.
std::string_view withoutComments(std::string_view text) {
    while (true) {
        text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
        if (!text.starts_with(';')) return text;
        text.remove_prefix(std::min(text.find('\n'), text.size()));
    }
}

bool hasDefinitions(std::string_view text) {
    constexpr std::string_view Words[] = {"(def", "(edef", "(gdef", "(rule"};
    return std::ranges::any_of(Words, [&](std::string_view word) {
        return text.starts_with(word) && text.substr(word.size()).find_first_of(" \t\r\n") == 0;
    });
}

/// Parses the text as the body of a definition that has the parameters and the type of a function.
Result<ir::Program> readBody(ir::TermBank& bank, const std::string& name, const std::string& text,
                             const ir::TermBank& likeBank, const ir::Function& like) {
    std::string parameters;
    for (const ir::Parameter& p : like.parameters) {
        parameters += fmt::format("({} : {})", likeBank.text(p.name), likeBank.types().toString(p.type));
    }
    if (like.parameters.size() != 1) parameters = "(" + parameters + ")";
    const std::string type = likeBank.types().toString(like.declaredResult);
    Result<ir::Program> program =
        ks::parseProgram(bank, name, fmt::format("(def goal {} {}\n{}\n)", type, parameters, text));
    if (program) return program;
    Error error = std::move(program).error();
    const auto lines = static_cast<int>(std::ranges::count(text, '\n')) + 1;
    const std::string lastLine = text.substr(text.rfind('\n') + 1);
    const auto isFirstByte = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; };
    const auto move = [&](Error& each) {
        if (!each.place || (--each.place->line >= 1 && each.place->line <= lines)) return;
        // The lines around the text are right, so the text ends too early or too late.
        each.place->line = lines;
        each.place->column = static_cast<int>(std::ranges::count_if(lastLine, isFirstByte)) + 1;
        each.place->lineText = lastLine;
    };
    move(error);
    std::ranges::for_each(error.others, move);
    return error;
}

/// Fails if the goal has a parameter that the other program has not, or another type.
Status checkSignature(const ir::TermBank& bank, const ir::Program& goal, const ir::TermBank& likeBank,
                      const ir::Function& like) {
    for (const ir::Parameter& p : bank.function(goal.function).parameters) {
        const std::string type = bank.types().toString(p.type);
        const auto isSame = [&](const ir::Parameter& own) {
            return likeBank.text(own.name) == bank.text(p.name) && likeBank.types().toString(own.type) == type;
        };
        if (std::ranges::any_of(like.parameters, isSame)) continue;
        return inputError(fmt::format("the program has no parameter {} : {}", bank.text(p.name), type),
                          "steps cannot introduce variables");
    }
    const std::string type = bank.types().toString(bank.function(goal.function).result);
    const std::string wanted = likeBank.types().toString(like.result);
    if (type == wanted) return Success{};
    return inputError(fmt::format("the type is {}, that of the program is {}", type, wanted),
                      "only programs of one type can be equal");
}

}  // namespace

Result<ir::Program> readProgramLike(ir::TermBank& bank, const std::string& name, const std::string& text,
                                    const ir::TermBank& likeBank, const ir::Program& like) {
    const ir::Function& function = likeBank.function(like.function);
    if (const auto parseLike = likeBank.dialect(like.function).parseLike; parseLike != nullptr) {
        const ir::Program own = &bank == &likeBank ? like : ir::Transplanter(likeBank, bank).program(like);
        return parseLike(bank, SourceText(name, text), own);
    }
    const std::string_view content = withoutComments(text);
    if (content.empty()) return inputError("there is no program in the text", "write a term, such as a * (b + c)");
    if (hasDefinitions(content)) {
        MITOS_TRY(const ir::Program program, ks::parseProgram(bank, name, text));
        if (Status same = checkSignature(bank, program, likeBank, function); !same) return std::move(same).error();
        return program;
    }
    // As in readStartTerm(): a text that can be read as ks is ks.
    const bool mayBeKs = content.front() == '(';
    std::optional<Error> ksError;
    if (mayBeKs) {
        Result<ir::Program> program = readBody(bank, name, text, likeBank, function);
        if (program) return program;
        ksError = std::move(program).error();
    }
    const Result<ir::TermId> term = rules::readTerm(bank, SourceText(name, text));
    if (!term) return ksError && placeOf(*ksError) >= placeOf(term.error()) ? *ksError : term.error();
    Result<ir::Program> program = readBody(bank, name, ks::printTerm(bank, *term, {.width = 0}), likeBank, function);
    if (program) return program;
    Error error = std::move(program).error();
    error.place.reset();  // in the printed term
    return error;
}

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
