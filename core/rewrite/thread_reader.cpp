// SPDX-License-Identifier: GPL-3.0-or-later
// Reads threads: first the text as a whole, then the start program; then each step is matched and applied again.
#include "core/base/number_text.h"
#include "core/ir/attributes.h"
#include "core/ir/dialect.h"
#include "core/ir/transplant.h"
#include "core/rewrite/internal/replay.h"
#include "core/rewrite/internal/thread_format.h"
#include "core/rewrite/stated_thread.h"
#include "core/rewrite/substitution_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

namespace mitos::rewrite {

using ir::TermId;

namespace {

constexpr const char* StepHint =
    "a step reads `1. rule at /0/1 with x=./0  cost 12  state 0123456789abcdef` (the cost may be left out)";

/// A word and its span.
struct Word {
    std::string_view text;
    SourceSpan span;
};

struct Line {
    std::string_view text;  ///< without the line end and surrounding white space
    SourceSpan span;
};

struct StepLine {
    SourceSpan span;
    Word rule;
    Step place;                     ///< its positions
    std::string_view substitution;  ///< as substitution_text.h reads it
    std::size_t match = 0;          ///< in old versions in place of the substitution: 1-based; else 0
    std::uint64_t state = 0;
    bool isReversed = false;
    std::vector<std::string> given;  ///< variables whose values the program has; no names if not old
    std::vector<std::pair<std::string, std::string>> attributes;  ///< variables with values in the line
    SourceSpan program;  ///< the one to which the values refer: before the step, after a reversed one

    bool hasProgram = false;
};

struct ThreadText {
    std::vector<std::string> sets;
    std::optional<std::size_t> stepCount;
    SourceSpan stepCountSpan;
    std::optional<std::uint64_t> startState;
    SourceSpan program;
    std::vector<StepLine> steps;
    StatedThread stated;
};

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\r'; }

class ThreadParser {
public:
    explicit ThreadParser(const SourceText& source) : m_source(source), m_text(source.text()) {}

    Result<ThreadText> parse() {
        ThreadText result;
        MITOS_REQUIRE(readHeader());
        MITOS_REQUIRE(readMetadata(result));
        MITOS_REQUIRE(readProgram(result.program));
        MITOS_REQUIRE(readSteps(result));
        return result;
    }

private:
    /// The next line; nothing at the end.
    std::optional<Line> rawLine() {
        if (m_next >= m_text.size()) return std::nullopt;
        std::size_t begin = m_next;
        std::size_t end = std::min(m_text.find('\n', begin), m_text.size());
        m_next = end + 1;
        while (begin < end && isSpace(m_text[begin])) ++begin;
        while (end > begin && isSpace(m_text[end - 1])) --end;
        return Line{m_text.substr(begin, end - begin), {begin, end}};
    }
    /// Like rawLine, but skips empty lines and comments.
    std::optional<Line> line() {
        while (std::optional<Line> next = rawLine()) {
            if (!next->text.empty() && next->text.front() != ';') return next;
        }
        return std::nullopt;
    }
    [[nodiscard]] std::vector<Word> words(const Line& line) const {
        std::vector<Word> result;
        for (std::size_t at = line.span.begin; at < line.span.end;) {
            std::size_t end = at;
            while (end < line.span.end && !isSpace(m_text[end])) ++end;
            result.push_back({m_text.substr(at, end - at), {at, end}});
            while (end < line.span.end && isSpace(m_text[end])) ++end;
            at = end;
        }
        return result;
    }
    [[nodiscard]] Error cutOff(std::string_view missing) const {
        const std::size_t end = m_text.size();
        return m_source.error({end, end}, fmt::format("the thread ends early: {} is missing", missing),
                              "the file may have been cut off; write the thread again");
    }

    Status readHeader() {
        const std::optional<Line> first = line();
        const std::vector<Word> found = first ? words(*first) : std::vector<Word>();
        if (found.size() != 2 || found[0].text != ThreadSignature) {
            return m_source.error(
                first ? first->span : SourceSpan{}, "this is not a thread",
                fmt::format("a thread begins with the line `{} {}`; `mitos-cli optimize --thread FILE` "
                            "writes one",
                            ThreadSignature, ThreadVersion));
        }
        const std::optional<int> version = numberFrom<int>(found[1].text);
        if (!version || *version < 1) {
            return m_source.error(found[1].span,
                                  fmt::format("'{}' is not a version of the thread format", found[1].text));
        }
        if (*version > ThreadVersion) {
            Error error = m_source.error(
                found[1].span,
                fmt::format("the thread has format {}, this program reads formats up to {}", *version, ThreadVersion),
                "it was written by a newer version of Mitos; open it with that one");
            error.code = ErrorCode::Incompatible;
            return error;
        }
        return Success{};
    }

    Status readMetadata(ThreadText& result) {
        while (const std::optional<Line> next = line()) {
            const std::vector<Word> found = words(*next);
            const std::string_view key = found[0].text;
            if (key == ProgramBegin && found.size() == 1) {
                if (!result.stepCount)
                    return m_source.error(next->span, "the number of steps is missing",
                                          "write a line `steps 3` before it");
                if (!result.startState)
                    return m_source.error(next->span, "the start state is missing",
                                          "write a line `start  state 0123456789abcdef` before it");
                return Success{};
            }
            if (key == "rules" && found.size() > 1) {
                result.sets.emplace_back(m_text.substr(found[1].span.begin, next->span.end - found[1].span.begin));
            } else if (key == "steps" && found.size() == 2) {
                result.stepCount = numberFrom<std::size_t>(found[1].text);
                result.stepCountSpan = found[1].span;
                if (!result.stepCount)
                    return m_source.error(found[1].span, fmt::format("'{}' is not a number of steps", found[1].text));
            } else if (key == "costs" && found.size() == 2) {
                result.stated.costModel = found[1].text;
            } else if (key == "start") {
                MITOS_TRY(result.startState, readState(found, 1, next->span, result.stated));
            } else {
                return m_source.error(next->span, fmt::format("'{}' is not expected here", next->text),
                                      "before the program stand lines with rules, costs, steps and start");
            }
        }
        return cutOff("the start program");
    }

    Status readProgram(SourceSpan& program) {
        program = {std::min(m_next, m_text.size()), std::min(m_next, m_text.size())};
        while (const std::optional<Line> next = rawLine()) {
            if (next->text == ProgramEnd) return Success{};
            program.end = next->span.end;
        }
        return cutOff(fmt::format("the line `{}`", ProgramEnd));
    }

    /// Reads `[cost NUMBER] state HASH`, to the end of the line, and adds the cost to `stated`.
    Result<std::uint64_t> readState(const std::vector<Word>& found, std::size_t at, SourceSpan line,
                                    StatedThread& stated) {
        stated.states.push_back({0, std::nullopt, m_source.place(line.begin).line});
        if (at + 1 < found.size() && found[at].text == "cost") {
            const std::optional<double> cost = numberFrom<double>(found[at + 1].text);
            if (!cost || !std::isfinite(*cost)) {
                return m_source.error(found[at + 1].span, fmt::format("'{}' is not a cost", found[at + 1].text));
            }
            stated.states.back().cost = cost;
            at += 2;
        }
        if (at >= found.size())
            return m_source.error({line.end, line.end}, "the state is missing",
                                  "write `state` and its 16 hexadecimal digits");
        if (found[at].text != "state")
            return m_source.error(found[at].span,
                                  fmt::format("'{}' found, `cost` or `state` expected", found[at].text));
        const bool hasHash = at + 1 < found.size() && found[at + 1].text.size() == 16;
        const std::optional<std::uint64_t> hash =
            hasHash ? numberFrom<std::uint64_t>(found[at + 1].text, 16) : std::nullopt;
        if (!hash)
            return m_source.error(found[at].span, "a state is 16 hexadecimal digits", "write `state 0123456789abcdef`");
        if (at + 2 < found.size())
            return m_source.error(found[at + 2].span,
                                  fmt::format("'{}' is not expected behind the state", found[at + 2].text));
        stated.states.back().hash = *hash;
        return *hash;
    }

    Result<StepLine> readStep(const Line& line, std::size_t index, StatedThread& stated) {
        std::vector<Word> found = words(line);
        if (found[0].text != fmt::format("{}.", index)) {
            return m_source.error(found[0].span,
                                  fmt::format("'{}' found, step {} or `{}` expected", found[0].text, index, ThreadEnd),
                                  StepHint);
        }
        StepLine step;
        step.span = line.span;
        if (found.size() > 1 && found[1].text == ReversedStep) {
            step.isReversed = true;
            found.erase(found.begin() + 1);
        }
        if (found.size() > 1 && found[1].text.starts_with(GivenStep) && found[1].text.ends_with(')')) {
            std::string_view names = found[1].text.substr(GivenStep.size());
            while (names.size() > 1) {  // "(y,p=[1,1])", then ",p=[1,1])"
                names.remove_prefix(1);
                const std::size_t equals = names.find_first_of("=,)");
                const bool isList = names.substr(equals).starts_with("=[");
                const std::size_t end = names.find_first_of(",)", isList ? names.find(']', equals) : equals);
                if (end == std::string_view::npos) {
                    return m_source.error(found[1].span, fmt::format("step {} does not read as a step", index),
                                          StepHint);
                }
                if (names[equals] == '=') {
                    step.attributes.emplace_back(names.substr(0, equals), names.substr(equals + 1, end - equals - 1));
                } else {
                    step.given.emplace_back(names.substr(0, end));
                }
                names.remove_prefix(end);
            }
            found.erase(found.begin() + 1);
        }
        if (found.size() < 5 || found[2].text != "at") {
            return m_source.error(line.span, fmt::format("step {} does not read as a step", index), StepHint);
        }
        step.rule = found[1];
        stated.rules.emplace_back(step.rule.text);
        if (const Status place = step.place.setPlace(found[3].text); !place) {
            return m_source.error(found[3].span, place.error().message, place.error().hint);
        }
        MITOS_TRY(const std::size_t next, readInstance(found, step));
        MITOS_TRY(step.state, readState(found, next, line.span, stated));
        return step;
    }

    /// Reads the substitution, or the number of the match, from the word behind the position. Returns the index of the word after it.
    Result<std::size_t> readInstance(const std::vector<Word>& found, StepLine& step) const {
        const Word& first = found[4];
        if (first.text.starts_with('#')) {
            const std::optional<std::size_t> match = numberFrom<std::size_t>(first.text.substr(1));
            if (!match || *match == 0)
                return m_source.error(first.span, fmt::format("'{}' is not the number of a match", first.text),
                                      StepHint);
            step.match = *match;
            return std::size_t{5};
        }
        if (first.text != StatedValues) return std::size_t{4};
        std::size_t next = 5;
        while (next < found.size() && found[next].text != "cost" && found[next].text != "state") ++next;
        const std::size_t begin = first.span.end;
        step.substitution = m_text.substr(begin, found[next - 1].span.end - begin);
        const Result<std::size_t> given = givenCount(step.substitution);
        if (!given)
            return m_source.error({begin, begin + step.substitution.size()}, given.error().message, given.error().hint);
        step.given.resize(*given);
        return next;
    }

    Status readSteps(ThreadText& result) {
        while (const std::optional<Line> next = line()) {
            if (next->text == ThreadEnd) {
                if (result.steps.size() != *result.stepCount) {
                    return m_source.error(result.stepCountSpan, fmt::format("{} steps are announced, {} follow",
                                                                            *result.stepCount, result.steps.size()));
                }
                if (const std::optional<Line> more = line()) {
                    return m_source.error(more->span,
                                          fmt::format("'{}' stands behind the end of the thread", more->text));
                }
                return Success{};
            }
            std::shared_ptr<const StepRegion> region;
            std::optional<Line> stepLine = next;
            if (next->text.starts_with(RegionOfStep)) {
                Result<StepRegion> read = parseStepRegion(next->text.substr(RegionOfStep.size()));
                if (!read) return m_source.error(next->span, read.error().message, read.error().hint);
                region = std::make_shared<const StepRegion>(*std::move(read));
                stepLine = line();
                if (!stepLine) return cutOff("the step within a region");
            }
            Result<StepLine> step = readStep(*stepLine, result.steps.size() + 1, result.stated);
            if (!step) return std::move(step).error();
            step->place.region = std::move(region);
            step->hasProgram = !step->given.empty() || (step->isReversed && (step->match > 0 || isProgramNext()));
            if (step->hasProgram) MITOS_REQUIRE(readNextProgram(step->program));
            result.steps.push_back(*std::move(step));
        }
        return cutOff(fmt::format("the line `{}`", ThreadEnd));
    }

    bool isProgramNext() {
        const std::size_t here = m_next;
        const std::optional<Line> next = line();
        m_next = here;
        return next && next->text == ProgramBegin;
    }

    /// Reads the block that follows a reversed or given step.
    Status readNextProgram(SourceSpan& program) {
        const std::optional<Line> begin = line();
        if (!begin) return cutOff("the program after the last step");
        if (begin->text == ProgramBegin) return readProgram(program);
        return m_source.error(begin->span, fmt::format("'{}' found, `{}` expected", begin->text, ProgramBegin),
                              "behind a step with given values stands the program that has them");
    }

    const SourceText& m_source;
    std::string_view m_text;
    std::size_t m_next = 0;
};

/// The text of a program, which begins at the start of a line, preceded by as many empty lines as there are lines before it, so that
/// errors name the line numbers of the file.
std::string programText(const SourceText& source, SourceSpan span) {
    const std::string_view text(source.text());
    std::string result(static_cast<std::size_t>(source.place(span.begin).line - 1), '\n');
    result += text.substr(span.begin, span.end - span.begin);
    return result;
}

Error incompatible(const SourceText& source, SourceSpan span, std::string message, std::string hint) {
    Error error = source.error(span, std::move(message), std::move(hint));
    error.code = ErrorCode::Incompatible;
    return error;
}

/// Checks that functions of the thread that the bank already has are the same there. The body of the program's own function may
/// differ, because the thread may begin at any state. Its result type is the program's, without outputs that only give values.
Status checkKnownFunctions(const SourceText& source, SourceSpan span, const ir::TermBank& from,
                           const ir::Program& program, ir::TermBank& to) {
    ir::Transplanter types(from, to);
    for (std::size_t i = 0; i < from.functionCount(); ++i) {
        const ir::FunctionId id(static_cast<std::uint32_t>(i));
        const ir::Function& theirs = from.function(id);
        const ir::FunctionId known = to.findFunction(theirs.name, types.type(theirs.argument));
        if (!known.isValid()) continue;
        const ir::Function& ours = to.function(known);
        const bool isOwn = id == program.function;
        const ir::TypeId result = types.type(isOwn ? from.type(program.root) : theirs.result);
        bool same = ours.parameters.size() == theirs.parameters.size() && ours.result == result;
        for (std::size_t p = 0; same && p < ours.parameters.size(); ++p) {
            same =
                to.text(ours.parameters[p].name) == from.text(theirs.parameters[p].name) &&
                to.types().erased(ours.parameters[p].type) == to.types().erased(types.type(theirs.parameters[p].type));
        }
        if (same && !isOwn) {
            same = ours.body.isValid() == theirs.body.isValid() &&
                   (!ours.body.isValid() || to.hash(ours.body) == from.hash(theirs.body));
        }
        if (!same) {
            return incompatible(source, span,
                                fmt::format("the thread's {} is another function than the program's", theirs.name),
                                "the thread belongs to another program, or to another version of it");
        }
    }
    return Success{};
}

/// Removes the further outputs of a graph and returns them, as takeGiven does for the let of a tree.
Result<std::vector<TermId>> takeGivenOutputs(const ir::TermBank& bank, const SourceText& source, const StepLine& step,
                                             TermId& root) {
    if (!bank.is(root, ir::CoreOp::Tuple) || bank.childCount(root) != step.given.size() + 1) {
        return incompatible(
            source, step.program,
            fmt::format("the program does not have {} given values as further outputs", step.given.size()),
            "the program in the file was changed; write the thread again");
    }
    std::vector<TermId> values(bank.children(root).begin() + 1, bank.children(root).end());
    root = bank.child(root, 0);
    return values;
}

/// Removes the let of a given step: returns the values of its variables and removes it from `root`. Fails if there is no such let.
Result<std::vector<TermId>> takeGiven(ir::TermBank& bank, const SourceText& source, const StepLine& step,
                                      TermId& root) {
    const SourceSpan span = step.program;
    const ir::Path& position = step.place.positions.front();
    const std::optional<TermId> let = ir::subterm(bank, root, position);
    if (!let || !bank.is(*let, ir::CoreOp::Let) || ir::mentions(bank, bank.child(*let, 1), 0)) {
        return incompatible(source, span,
                            fmt::format("there is no `let` of given values at {}", ir::toString(position)),
                            "the program in the file was changed; write the thread again");
    }
    const TermId value = bank.child(*let, 0);
    std::vector<TermId> values{value};
    if (step.given.size() > 1) {
        const bool isTuple = bank.is(value, ir::CoreOp::Tuple) && bank.childCount(value) == step.given.size();
        if (!isTuple) {
            return incompatible(source, span, fmt::format("there is no tuple of {} given values", step.given.size()),
                                "the program in the file was changed; write the thread again");
        }
        values.assign(bank.children(value).begin(), bank.children(value).end());
    }
    root = bank.replaceAt(root, position, bank.shifted(bank.child(*let, 1), 0, -1));
    return values;
}

/// Reads a program. If `given` is set, it is a step whose given values the program contains; they are stored in `values`.
Result<ir::Program> readProgram(ir::TermBank& bank, const SourceText& source, SourceSpan span, std::uint64_t state,
                                const StepLine* given = nullptr, std::vector<TermId>* values = nullptr) {
    ir::TermBank own(bank.sharedRegistry());  // the bank may hold functions of these names
    MITOS_TRY(ir::Program parsed, ir::parseProgram(own, source.name(), programText(source, span)));
    if (given != nullptr) {
        const bool isGraph = own.function(parsed.function).sharing == ir::Sharing::Graph;
        MITOS_TRY(std::vector<TermId> taken, isGraph ? takeGivenOutputs(own, source, *given, parsed.root)
                                                     : takeGiven(own, source, *given, parsed.root));
        *values = std::move(taken);
    }
    if (own.hash(parsed.root) != state) {
        return incompatible(source, span,
                            fmt::format("the program has the state {:016x}, not {:016x} as the file says",
                                        own.hash(parsed.root), state),
                            "the program in the file was changed; write the thread again");
    }
    MITOS_REQUIRE(checkKnownFunctions(source, span, own, parsed, bank));
    ir::Transplanter into(own, bank);
    if (values != nullptr) {
        for (TermId& value : *values) value = into.term(value);
    }
    return into.program(parsed);
}

Error unknownRule(const SourceText& source, const StepLine& step, const ThreadText& text,
                  const rules::RuleBook& rules) {
    std::string hint;
    for (const std::string& set : rules::shippedRuleSets()) {
        const Result<rules::RuleBook> book = rules::RuleBook::load(set, rules.registry());
        if (book && book->find(step.rule.text) != nullptr) {
            hint = fmt::format("it is in the set {}: add it to --rules", set);
            break;
        }
    }
    if (hint.empty() && !text.sets.empty()) {
        hint = "the thread was made with the rules of ";
        for (std::size_t i = 0; i < text.sets.size(); ++i) hint += (i > 0 ? ", " : "") + text.sets[i];
    }
    return source.error(step.rule.span, fmt::format("there is no rule '{}' in {}", step.rule.text, rules.names()),
                        hint);
}

/// The substitution of a step in the old versions. `root` is the program that contains the rule's left side, `given` are the values of
/// variables that the match leaves open.
Result<rules::Substitution> numberedSubstitution(ir::TermBank& bank, TermId root, const StepLine& line,
                                                 std::span<const TermId> given, const Step& step) {
    MITOS_TRY(rules::Substitution result, matchOf(bank, step, root, line.match));
    const auto give = [&](const std::string& name, TermId value) -> Status {
        const std::vector<std::string>& names = step.rule->variables();
        const auto index = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
        if (index >= result.values.size() || result.values[index].term.isValid()) {
            return Error{ErrorCode::InvalidInput,
                         fmt::format("{} leaves no variable {} open", step.rule->name(), name)};
        }
        result.values[index].term = value;
        return Success{};
    };
    for (std::size_t i = 0; i < given.size(); ++i) MITOS_REQUIRE(give(line.given[i], given[i]));
    for (const auto& [name, text] : line.attributes) MITOS_REQUIRE(give(name, ir::attributeLiteral(bank, text)));
    return result;
}

/// The next root, or the reason why the step fails. `stated` is the program to which the substitution refers.
Result<TermId> replayLine(ir::TermBank& bank, const ir::Program& program, TermId stated, const StepLine& line,
                          std::span<const TermId> given, Step& step) {
    MITOS_TRY(step.substitution, line.match > 0 ? numberedSubstitution(bank, stated, line, given, step)
                                                : readSubstitution(bank, step, stated, line.substitution, given));
    const Result<TermId> next = replayed(bank, program, step);
    if (!next || bank.hash(*next) == line.state) return next;
    return Error{ErrorCode::InvalidInput,
                 fmt::format("{} at {} leads to the state {:016x}, not {:016x} as the file says", step.name(),
                             step.place(), bank.hash(*next), line.state)};
}

}  // namespace

Result<StatedThread> statedThread(const SourceText& source) {
    MITOS_TRY(ThreadText text, ThreadParser(source).parse());
    return std::move(text.stated);
}

Result<Replay> readThread(ir::TermBank& bank, const SourceText& source, const rules::RuleBook& rules) {
    MITOS_TRY(const ThreadText text, ThreadParser(source).parse());
    std::vector<Step> steps;
    for (const StepLine& line : text.steps) {
        std::shared_ptr<const rules::DirectedRule> rule = rules.find(line.rule.text);
        if (rule == nullptr) return unknownRule(source, line, text, rules);
        Step& step = steps.emplace_back(line.place);
        step.rule = std::move(rule);
        step.isReversed = line.isReversed;
    }
    MITOS_TRY(const ir::Program start, readProgram(bank, source, text.program, *text.startState));

    Replay replay{{start, {}, {}}, {}};
    ir::Program current = start;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const StepLine& textLine = text.steps[i];
        TermId stated = current.root;
        std::vector<TermId> given;
        if (textLine.hasProgram) {
            const std::uint64_t state = textLine.isReversed ? textLine.state : bank.hash(current.root);
            MITOS_TRY(const ir::Program after, readProgram(bank, source, textLine.program, state,
                                                           textLine.given.empty() ? nullptr : &textLine, &given));
            if (after.function != start.function) {
                return incompatible(source, textLine.program, "this is a program of another function than the start",
                                    "the program in the file was changed; write the thread again");
            }
            stated = after.root;
        }
        const Result<TermId> next = replayLine(bank, current, stated, textLine, given, steps[i]);
        if (!next) {
            const int line = source.place(textLine.span.begin).line;
            replay.report.failedStep = i + 1;
            replay.report.reason = fmt::format("{} (line {} of {})", next.error().message, line, source.name());
            return replay;
        }
        replay.thread.steps.push_back(std::move(steps[i]));
        replay.thread.states.push_back(*next);
        ++replay.report.steps;
        current.root = *next;
    }
    replay.report.valid = true;
    return replay;
}

}  // namespace mitos::rewrite
