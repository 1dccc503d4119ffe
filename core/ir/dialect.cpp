// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/dialect.h"

#include "core/ir/draw.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace mitos::ir {

bool Dialect::canExport(std::string_view form) const { return std::ranges::find(exports, form) != exports.end(); }

bool Dialect::can(Capability capability) const {
    return std::ranges::find(capabilities, capability) != capabilities.end();
}

const Dialect& recognized(const OperatorRegistry& registry, std::string_view text, std::string_view name) {
    const auto dialects = registry.dialects();
    auto own = std::ranges::find_if(
        dialects, [&](const auto& dialect) { return dialect->recognizes != nullptr && dialect->recognizes(text); });
    if (own == dialects.end()) {
        own = std::ranges::find_if(dialects, [name](const auto& dialect) {
            return std::ranges::any_of(dialect->fileEndings,
                                       [name](const std::string& ending) { return name.ends_with(ending); });
        });
    }
    return own == dialects.end() ? *dialects.front() : **own;
}

Result<Program> parseProgram(TermBank& bank, std::string name, std::string text) {
    const SourceText source(std::move(name), std::move(text));
    return recognized(bank.registry(), source.text(), source.name())
        .parse(bank, source, {})
        .map([](const ParsedText& parsed) { return parsed.program; });
}

std::string printProgram(const TermBank& bank, const Program& program, const PrintOptions& options) {
    return bank.dialect(program.function).print(bank, program, options);
}

PrintedText printWithSpans(const TermBank& bank, const Program& program, const PrintOptions& options) {
    return bank.dialect(program.function).printWithSpans(bank, program, options);
}

namespace {

/// Separates the backslash from each `end`, so that no name in the text ends an environment of LaTeX.
void breakEnds(PrintedText& printed) {
    std::vector<std::size_t> places;  // in the text as it was, behind the backslashes
    std::string broken;
    for (std::size_t at = 0; at < printed.text.size(); ++at) {
        broken += printed.text[at];
        if (!std::string_view(printed.text).substr(at).starts_with("\\end")) continue;
        places.push_back(at + 1);
        broken += ' ';
    }
    const auto moved = [&places](std::size_t at, auto place) {
        return at + static_cast<std::size_t>(place - places.begin());
    };
    for (PrintedSpan& span : printed.spans) {
        span.begin = moved(span.begin, std::ranges::upper_bound(places, span.begin));
        span.end = moved(span.end, std::ranges::lower_bound(places, span.end));
    }
    printed.text = std::move(broken);
}

}  // namespace

PrintedText printMath(const TermBank& bank, const Program& program, MathForm form) {
    const Dialect& dialect = bank.dialect(program.function);
    if (dialect.printMath != nullptr) return dialect.printMath(bank, program, form);
    PrintedText printed = dialect.printWithSpans(bank, program, {});
    if (form == MathForm::Text) return printed;
    breakEnds(printed);
    const std::string begin = "\\begin{verbatim}\n";
    for (PrintedSpan& span : printed.spans) {
        span.begin += begin.size();
        span.end += begin.size();
    }
    printed.text = begin + printed.text + "\n\\end{verbatim}";
    return printed;
}

std::string printTermAt(const TermBank& bank, const Program& program, const Path& position, TermId term,
                        const PrintOptions& options) {
    return bank.dialect(program.function).printerAt(bank, program, position)(term, options);
}

const Dialect& dialectOf(const TermBank& bank, TermId term) {
    std::vector<TermId> open{term};
    for (std::size_t at = 0; at < open.size(); ++at) {
        if (const Dialect* own = bank.registry().findDialect(bank.registry().info(bank.op(open[at])).dialect)) {
            return *own;
        }
        open.insert(open.end(), bank.children(open[at]).begin(), bank.children(open[at]).end());
    }
    return *bank.registry().dialects().front();
}

std::string labelOf(const TermBank& bank, TermId term, const std::vector<TermId>& binders) {
    for (const auto& dialect : bank.registry().dialects()) {
        if (dialect->nodeLabel == nullptr) continue;
        if (std::optional<std::string> label = dialect->nodeLabel(bank, term, binders)) return *std::move(label);
    }
    return nodeLabel(bank, term, binders);
}

}  // namespace mitos::ir
