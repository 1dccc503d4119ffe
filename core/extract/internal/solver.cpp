// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the problem as a file in the LP format and reads CBC's solution file.
#include "core/extract/internal/solver.h"

#include "core/base/child_process.h"
#include "core/base/source_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <string_view>

namespace mitos::extract {

namespace {

/// CBC treats improvements below 1e-5 as noise, so costs are scaled to this size by a power of two (which is exact).
constexpr double WantedCost = 4096.0;
constexpr double LeastCost = 64.0;
constexpr double LargestCost = 1e7;
/// Tolerance for the values reported by the solver, relative to their size.
constexpr double SolverTolerance = 1e-7;
/// Time between CBC's own limit and its termination, in which it writes its solution.
constexpr double WritingSeconds = 0.3;

double scaleFor(const IntegerProgram& problem, const std::vector<std::uint32_t>& start) {
    double cost = 0.0;
    for (const std::uint32_t one : start) cost += problem.cost[one];
    if (cost == 0.0) cost = *std::ranges::max_element(problem.cost);
    if (cost == 0.0 || (cost >= LeastCost && cost <= LargestCost)) return 1.0;
    return std::exp2(std::round(std::log2(WantedCost / cost)));
}

/// Writes one term per line, since the reader of the format limits the length of lines. Nothing if the time is up.
std::optional<std::string> textOf(const IntegerProgram& problem, double scale, const Deadline& deadline) {
    constexpr std::size_t BetweenLooks = 1'024;
    std::string text = "minimize\n obj:";
    const auto add = std::back_inserter(text);
    for (std::size_t i = 0; i < problem.cost.size(); ++i) {
        // The objective must not be empty.
        if (problem.cost[i] != 0.0 || i == 0) fmt::format_to(add, "\n + {} x{}", problem.cost[i] * scale, i);
    }
    text += "\nsubject to\n";
    for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
        if (i % BetweenLooks == 0 && deadline.isReached()) return std::nullopt;
        const IntegerProgram::Constraint& constraint = problem.constraints[i];
        fmt::format_to(add, " r{}:", i);
        for (const auto& [variable, factor] : constraint.terms) {
            fmt::format_to(add, "\n {} {} x{}", factor < 0.0 ? '-' : '+', std::abs(factor), variable);
        }
        const char* relation = constraint.relation == IntegerProgram::Relation::AtMost  ? "<="
                               : constraint.relation == IntegerProgram::Relation::Equal ? "="
                                                                                        : ">=";
        fmt::format_to(add, "\n {} {}\n", relation, constraint.bound);
    }
    text += "bounds\n";
    for (std::size_t i = 0; i < problem.orders.size(); ++i) {
        fmt::format_to(add, " 0 <= x{} <= {}\n", problem.cost.size() + i, problem.orders[i]);
    }
    text += "binaries\n";
    for (std::size_t i = 0; i < problem.cost.size(); ++i) fmt::format_to(add, " x{}\n", i);
    text += "end\n";
    return text;
}

std::string startText(const IntegerProgram& problem, const std::vector<std::uint32_t>& start) {
    std::vector<bool> isOne(problem.cost.size(), false);
    for (const std::uint32_t one : start) isOne[one] = true;
    std::string text;
    for (std::size_t i = 0; i < isOne.size(); ++i) {
        fmt::format_to(std::back_inserter(text), "{} x{} {}\n", i, i, isOne[i] ? 1 : 0);
    }
    return text;
}

std::optional<double> numberAfter(std::string_view text, std::string_view label) {
    const std::size_t at = text.rfind(label);
    if (at == std::string_view::npos) return std::nullopt;
    text.remove_prefix(at + label.size());
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    double value = 0.0;
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc()) return std::nullopt;
    return value;
}

/// Lines have the form "  12 x7   1   3.5": row number, variable, value, cost; "**" precedes those that violate a
/// constraint.
void readSolution(std::string_view text, std::size_t variables, SolverOutcome& outcome) {
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        const std::size_t name = line.find(" x");
        if (name == std::string_view::npos) continue;
        std::uint32_t variable = 0;
        const auto number = std::from_chars(line.data() + name + 2, line.data() + line.size(), variable);
        if (number.ec != std::errc() || variable >= variables) continue;
        const std::string_view rest(number.ptr, static_cast<std::size_t>(line.data() + line.size() - number.ptr));
        const std::size_t value = rest.find_first_not_of(' ');
        double x = 0.0;
        if (value == std::string_view::npos) continue;
        std::from_chars(rest.data() + value, rest.data() + rest.size(), x);
        if (x > 0.5) outcome.ones.push_back(variable);
    }
    std::ranges::sort(outcome.ones);
}

/// The start of a line of the solver's output, shortened to fit into a message.
std::string beginningOf(std::string_view line) {
    constexpr std::size_t Most = 60;
    std::string text(line.substr(0, Most));
    for (char& each : text) {
        if (each < ' ' || each > '~') each = '?';
    }
    return text;
}

/// Checks the solution against the problem; empty if it is valid.
std::optional<std::string> whatIsWrong(const IntegerProgram& problem, const SolverOutcome& outcome,
                                       std::string_view verdict, double scale) {
    std::vector<double> value(problem.cost.size() + problem.orders.size(), 0.0);
    double cost = 0.0;
    for (const std::uint32_t one : outcome.ones) {
        if (value[one] != 0.0) return fmt::format("its solution has the variable x{} twice", one);
        value[one] = 1.0;
        cost += problem.cost[one];
    }
    constexpr double Within = 1e-6;
    for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
        const IntegerProgram::Constraint& constraint = problem.constraints[i];
        double sum = 0.0;
        bool isKnown = true;  // the solution does not contain all values of orders
        for (const auto& [variable, factor] : constraint.terms) {
            sum += factor * value[variable];
            isKnown = isKnown && variable < problem.cost.size();
        }
        if (!isKnown) continue;
        const bool isTooLittle =
            constraint.relation != IntegerProgram::Relation::AtMost && sum < constraint.bound - Within;
        const bool isTooMuch =
            constraint.relation != IntegerProgram::Relation::AtLeast && sum > constraint.bound + Within;
        if (isTooLittle || isTooMuch) return fmt::format("its solution breaks constraint r{}", i);
    }
    const std::optional<double> reported = numberAfter(verdict, "objective value");
    if (!reported) return "it does not report the cost of its solution";
    // CBC prints eight digits after the decimal point.
    if (!(std::abs(*reported / scale - cost) <= Within * (1.0 + std::abs(cost)))) {
        return fmt::format("its solution costs {}, but it reports {}", cost, *reported / scale);
    }
    return std::nullopt;
}

}  // namespace

Error wrongAnswer(const std::string& program, const std::string& what) {
    return {ErrorCode::Evaluation, fmt::format("the solver {} failed: {}", program, what), std::nullopt,
            "the other methods need no solver"};
}

Result<SolverOutcome> solve(const IntegerProgram& problem, const std::vector<std::uint32_t>& start,
                            const std::string& program, const Deadline& deadline) {
    if (deadline.secondsLeft() <= WritingSeconds) return SolverOutcome{};
    MITOS_TRY(const TemporaryFolder folder, TemporaryFolder::make());
    const double scale = scaleFor(problem, start);
    const std::string model = folder.path() + "/extract.lp";
    const std::string startFile = folder.path() + "/start.txt";
    const std::string solution = folder.path() + "/solution.txt";
    const std::optional<std::string> text = textOf(problem, scale, deadline);
    if (!text) return SolverOutcome{};
    MITOS_REQUIRE(writeFile(model, *text));
    MITOS_REQUIRE(writeFile(startFile, startText(problem, start)));

    const double seconds = deadline.secondsLeft();
    if (seconds <= WritingSeconds || deadline.isReached()) return SolverOutcome{};
    const Result<ChildOutput> child =
        runChild({program, model, "mips", startFile, "timeMode", "elapsed", "sec",
                  fmt::format("{:.2f}", seconds - WritingSeconds), "ratio", "0",
                  // CBC 2.10.8 aborts on some programs when its own preprocessing is combined with a start.
                  "preprocess", "off",
                  // Dense cuts cost more than they gain here: without them proofs take a quarter of the time.
                  "gomory", "off", "twoMir", "off", "zeroHalf", "off", "solve", "solution", solution},
                 ChildOptions{.seconds = seconds, .folder = folder.path(), .stop = deadline.stop()});
    if (!child) {
        const ErrorCode code = child.error().code;
        if (code == ErrorCode::Limit || code == ErrorCode::Cancelled) return SolverOutcome{};
        Error error = child.error();
        error.hint = "exact extraction needs the solver CBC: install the Debian package coinor-cbc";
        return error;
    }
    const Result<SourceText> answer = readSourceFile(solution, std::size_t{1} << 30U);
    if (!answer || child->exitStatus != 0) {
        return wrongAnswer(program, fmt::format("it ended with status {} and without a solution", child->exitStatus));
    }
    SolverOutcome outcome;
    const std::string_view lines = answer->text();
    const std::string_view verdict = lines.substr(0, lines.find('\n'));
    outcome.isOptimal = verdict.starts_with("Optimal");
    if (!outcome.isOptimal && !verdict.starts_with("Stopped")) {
        return wrongAnswer(program, fmt::format("its answer begins with \"{}\"", beginningOf(verdict)));
    }
    const bool hasSolution = outcome.isOptimal || verdict.find("no integer") == std::string_view::npos;
    if (hasSolution) readSolution(lines, problem.cost.size(), outcome);
    const std::optional<std::string> wrong =
        outcome.ones.empty() && !outcome.isOptimal ? std::nullopt : whatIsWrong(problem, outcome, verdict, scale);
    if (wrong && outcome.isOptimal) return wrongAnswer(program, *wrong);
    if (wrong) outcome.ones.clear();  // a solver that was stopped may have printed an incomplete attempt
    std::optional<double> bound =
        outcome.isOptimal ? numberAfter(verdict, "objective value") : numberAfter(child->output, "Lower bound:");
    if (bound) outcome.bound = *bound / scale - SolverTolerance * (1.0 + std::abs(*bound)) / scale;
    return outcome;
}

}  // namespace mitos::extract
