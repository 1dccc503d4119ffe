// SPDX-License-Identifier: GPL-3.0-or-later
// Searches for inputs on which a program has a finite value.
#include "core/eval/samples.h"

#include "core/base/hash.h"
#include "core/eval/internal/finite.h"
#include "core/ks/operators.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

namespace mitos::eval {

namespace {

/// The way in which inputs are drawn.
struct Mode {
    bool equalSizes;
    bool positive;
    const char* note;
};

constexpr std::array Modes{
    Mode{false, false, ""},
    Mode{true, false, "mostly with equal sizes: with different ones the program mostly fails"},
    Mode{false, true, "mostly with positive numbers: with others the program mostly has no finite value"},
    Mode{true, true, "mostly with equal sizes and positive numbers: otherwise the program mostly has no value"},
};
constexpr int ProbesPerMode = 8;
constexpr int TriesPerSample = 4;
constexpr std::uint64_t MostStepsOfCover = 500'000;  // per input
// Number of consecutive inputs that exceed the limits after which the search ends: the next ones would exceed them too, and each costs a
// second.
constexpr int MostTooLong = 6;
// The same for inputs on which the program needs an operator that cannot be evaluated: whether it does may depend on the input.
constexpr int MostUnsupported = 16;

class Sampler {
public:
    Sampler(const ir::TermBank& bank, const ir::Program& program, std::uint64_t seed, const Limits& limits)
        : m_bank(bank),
          m_program(program),
          m_limits(limits),
          m_random(seed) {}

    Result<Samples> run(int count) {
        MITOS_TRY(std::size_t chosen, chooseMode());
        const Mode& mode = Modes[chosen];
        for (int i = 0; i < TriesPerSample * count && std::ssize(m_found.samples) < count && !isHopeless(); ++i) {
            Result<bool> drawn = collect(mode);
            // Equal sizes may help if the program fails on an input.
            if (drawn && !*drawn && !mode.equalSizes && m_lastFailed) drawn = collect(Mode{true, mode.positive, ""});
            // Inputs that were found before the stop are valid.
            if (!drawn && drawn.error().code == ErrorCode::Cancelled && !m_found.samples.empty()) break;
            if (!drawn) return std::move(drawn).error();
        }
        m_found.note = mode.note;
        m_found.onlyEqualSizes = mode.equalSizes;
        return std::move(m_found);
    }

    /// Appends more inputs to those that run() found.
    Result<Samples> cover(Samples found, const Cover& cover) {
        m_found = std::move(found);
        const int skipped = m_found.skipped;
        const std::string lastError = m_found.lastError;
        const auto wanted = m_found.samples.size() + static_cast<std::size_t>(cover.most);
        m_steps = 0;
        for (const InputOptions& options : regions(cover.numbers)) {
            if (m_found.samples.size() >= wanted || m_steps > cover.steps || isHopeless()) break;
            MITOS_TRY(const std::optional<Sample> drawn, draw(options));
            if (drawn) m_found.samples.push_back(*drawn);
        }
        m_found.skipped = skipped;
        m_found.lastError = lastError;
        return std::move(m_found);
    }

private:
    /// The regions to search, first those that violate the most frequent assumptions.
    [[nodiscard]] std::vector<InputOptions> regions(const std::vector<double>& numbers) const {
        InputOptions plain;
        plain.equalSizes = m_found.onlyEqualSizes;
        const std::size_t parameters = m_bank.function(m_program.function).parameters.size();
        std::vector<InputOptions> result;
        const auto add = [&](Region region, std::optional<std::size_t> parameter) {
            InputOptions options = plain;
            options.region = region;
            options.parameter = parameter;
            result.push_back(options);
        };
        for (const std::int64_t size : {1, 0, 0}) {
            InputOptions options = plain;
            options.minSize = size;
            options.maxSize = size;
            options.equalSizes = true;
            result.push_back(options);
        }
        // Sizes 0 to 2, drawn for each array and, in every second input, for each row: a loop that does not run evaluates nothing, which
        // hides failures. A program that fails on most inputs of different sizes may have a value on some of these.
        for (int i = 0; i < (m_found.onlyEqualSizes ? MixedSizesOfFailing : MixedSizes); ++i) {
            InputOptions options = plain;
            options.minSize = 0;
            options.maxSize = 2;
            options.equalSizes = false;
            options.isRagged = i % 2 == 1;
            result.push_back(options);
        }
        for (int i = 0; i < 2; ++i) {
            for (const Region region : {Region::Negative, Region::Large, Region::Zero, Region::Mixed}) add(region, {});
        }
        // Each parameter alone, because several at once hide each other.
        const std::size_t alone = std::min<std::size_t>(parameters, MostParameters);
        for (std::size_t p = 0; p < alone && parameters > 1; ++p) {
            for (const Region region : {Region::Negative, Region::Zero, Region::Large}) add(region, p);
        }
        for (const Region region : {Region::Tiny, Region::Huge, Region::Infinite, Region::NotANumber}) add(region, {});
        for (std::size_t p = 0; p < alone; ++p) {
            for (const double end : {std::numeric_limits<double>::max(), std::numeric_limits<double>::lowest(),
                                     std::numeric_limits<double>::denorm_min()}) {
                add(Region::Constants, p);
                result.back().numbers = {end};
            }
        }
        std::size_t left = MostConstantTries;
        for (const double number : withNeighbours(numbers)) {
            for (std::size_t p = 0; p < alone && left > 0; ++p, --left) {
                add(Region::Constants, p);
                result.back().numbers = {number};
            }
        }
        return result;
    }

    static constexpr int MixedSizes = 24;
    static constexpr int MixedSizesOfFailing = 60;  // most of them fail early
    static constexpr std::size_t MostConstantTries = 240;
    static constexpr std::size_t MostParameters = 6;

    /// Chooses the first mode in which the program has a finite value on at least half of the inputs, else the best one.
    Result<std::size_t> chooseMode() {
        std::size_t best = 0;
        int bestCount = -1;
        bool fails = false;  // the program fails, rather than giving a value that is not finite: equal sizes may help
        for (std::size_t m = 0; m < Modes.size(); ++m) {
            if (Modes[m].equalSizes && !fails) continue;
            int count = 0;
            for (int i = 0; i < ProbesPerMode && !isHopeless(); ++i) {
                MITOS_TRY(const std::optional<Sample> sample, draw(Modes[m]));
                if (sample) ++count;
                fails = fails || m_lastFailed;
            }
            if (2 * count >= ProbesPerMode) return m;
            if (count > bestCount) {
                best = m;
                bestCount = count;
            }
        }
        return best;
    }

    Result<std::optional<Sample>> draw(const Mode& mode) {
        InputOptions options;
        options.equalSizes = mode.equalSizes;
        options.positive = mode.positive;
        return draw(options);
    }

    Result<std::optional<Sample>> draw(const InputOptions& options) {
        MITOS_TRY(Inputs inputs, randomInputs(m_bank, m_bank.function(m_program.function), m_random, options));
        Result<Evaluation> result = evaluate(m_bank, m_program, inputs, m_limits);
        m_lastFailed = !result.ok();
        const auto failedWith = [&](ErrorCode code) { return !result && result.error().code == code; };
        m_tooLong = failedWith(ErrorCode::Limit) ? m_tooLong + 1 : 0;
        m_unsupported = failedWith(ErrorCode::Unsupported) ? m_unsupported + 1 : 0;
        if (!result) {
            if (result.error().code == ErrorCode::Cancelled) return std::move(result).error();
            m_found.lastError = result.error().message;
            return std::optional<Sample>();
        }
        m_steps += result->steps;
        if (!isFinite(result->value)) return std::optional<Sample>();
        return std::optional<Sample>(Sample{std::move(inputs), std::move(result->value)});
    }

    [[nodiscard]] bool isHopeless() const { return m_tooLong >= MostTooLong || m_unsupported >= MostUnsupported; }

    /// Draws an input; returns whether the program has a finite value on it.
    Result<bool> collect(const Mode& mode) {
        MITOS_TRY(std::optional<Sample> drawn, draw(mode));
        if (!drawn) {
            ++m_found.skipped;
            return false;
        }
        m_found.samples.push_back(*std::move(drawn));
        return true;
    }

    const ir::TermBank& m_bank;
    const ir::Program& m_program;
    const Limits& m_limits;
    Random m_random;
    Samples m_found;
    bool m_lastFailed = false;
    std::uint64_t m_steps = 0;
    int m_tooLong = 0;      // consecutive evaluations beyond the limits
    int m_unsupported = 0;  // consecutive evaluations that needed an unsupported operator
};

}  // namespace

Result<Samples> drawSamples(const ir::TermBank& bank, const ir::Program& program, int count, std::uint64_t seed,
                            const Limits& limits) {
    return Sampler(bank, program, seed, limits).run(count);
}

Result<Samples> drawCoveringSamples(const ir::TermBank& bank, const ir::Program& program, int count, std::uint64_t seed,
                                    const Limits& limits, const Cover& cover) {
    MITOS_TRY(Samples plain, drawSamples(bank, program, count, seed, limits));
    Limits tight = limits;
    tight.steps = std::min(limits.steps, MostStepsOfCover);
    return Sampler(bank, program, combineHash(seed, 1), tight).cover(std::move(plain), cover);
}

std::vector<double> withNeighbours(const std::vector<double>& numbers) {
    constexpr std::size_t MostWithNeighbours = 12;
    std::vector<double> result = numbers;
    const std::size_t count = std::min(numbers.size(), MostWithNeighbours);
    for (std::size_t i = 0; i < count; ++i) result.insert(result.end(), {numbers[i] + 1.0, numbers[i] - 1.0});
    for (std::size_t i = 0; i < count; ++i) {
        result.insert(result.end(), {std::nextafter(numbers[i], HUGE_VAL), std::nextafter(numbers[i], -HUGE_VAL)});
    }
    for (std::size_t i = 0; i < count; ++i) result.insert(result.end(), {2.0 * numbers[i], -numbers[i] - 1.0});
    return result;
}

namespace {

bool holdsFor(const Value& value, std::string_view relation) {
    if (value.isTuple() || value.isTensor()) {
        const std::vector<Value>& parts = value.isTuple() ? value.asTuple().elements : value.asTensor().elements;
        return std::ranges::all_of(parts, [&](const Value& part) { return holdsFor(part, relation); });
    }
    if (!value.isFloat() && !value.isInteger()) return true;
    const double number = value.isFloat() ? value.asFloat() : static_cast<double>(value.asInteger());
    if (relation == "> 0") return number > 0.0;
    if (relation == ">= 0") return number >= 0.0;
    if (relation == "< 0") return number < 0.0;
    if (relation == "<= 0") return number <= 0.0;
    return number != 0.0 && !std::isnan(number);
}

}  // namespace

void keepAssumed(const ir::TermBank& bank, ir::FunctionId function, const std::vector<AssumedSign>& assumptions,
                 const Limits& limits, std::vector<Sample>& samples) {
    for (const AssumedSign& assumed : assumptions) {
        std::erase_if(samples, [&](const Sample& sample) {
            const Result<Evaluation> value = evaluate(bank, {function, assumed.term}, sample.inputs, limits);
            return !value || !holdsFor(value->value, assumed.relation);
        });
    }
}

void addDecidingNumbers(const ir::TermBank& bank, ir::TermId root, std::vector<double>& into, std::size_t most) {
    absl::flat_hash_set<ir::TermId> seen;
    std::vector<double> constants;
    std::vector<ir::TermId> open{root};
    while (!open.empty()) {
        const ir::TermId term = open.back();
        open.pop_back();
        if (!term.isValid() || !seen.insert(term).second) continue;
        const ir::PayloadKind kind = bank.payload(term).kind();
        if (bank.is(term, ir::CoreOp::Literal) && kind == ir::PayloadKind::Float) {
            constants.push_back(bank.payload(term).asFloat());
        } else if (bank.is(term, ir::CoreOp::Literal) && kind == ir::PayloadKind::Integer) {
            constants.push_back(static_cast<double>(bank.payload(term).asInteger()));
        }
        if (bank.is(term, ir::CoreOp::Call)) open.push_back(bank.function(bank.payload(term).asFunction()).body);
        const auto children = bank.children(term);
        open.insert(open.end(), children.rbegin(), children.rend());
    }
    const auto add = [&](double number) {
        const bool isKnown = std::ranges::find(into, number) != into.end();
        if (std::isfinite(number) && !isKnown && into.size() < most) into.push_back(number);
    };
    for (const double number : constants) add(number);
    // The points where x + c, x - c, c x and x / c reach a constant.
    for (const double c : constants) {
        for (const double d : constants) {
            for (const double number : {d - c, d + c, d / c, d * c, -c}) add(number);
            if (into.size() >= most) return;
        }
    }
}

bool isRepeatable(const ir::TermBank& bank, const ir::Program& program) {
    absl::flat_hash_set<ir::TermId> seen;
    std::vector<ir::TermId> open{program.root};
    while (!open.empty()) {
        const ir::TermId term = open.back();
        open.pop_back();
        if (!term.isValid() || !seen.insert(term).second) continue;
        if (bank.op(term) == ks::opId(ks::Op::Bench)) return false;
        if (bank.is(term, ir::CoreOp::Call)) open.push_back(bank.function(bank.payload(term).asFunction()).body);
        for (const ir::TermId child : bank.children(term)) open.push_back(child);
    }
    return true;
}

std::string describeInputs(const ir::TermBank& bank, const ir::Function& function, const Inputs& inputs) {
    std::string text;
    for (std::size_t i = 0; i < inputs.arguments.size(); ++i) {
        if (!text.empty()) text += ", ";
        text += fmt::format("{} = {}", bank.text(function.parameters[i].name), toString(inputs.arguments[i]));
    }
    std::size_t extra = 0;
    for (const ir::SizeName& size : function.sizes) {
        if (size.parameter) continue;
        text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", bank.text(size.name), inputs.extraSizes[extra++]);
    }
    return text.empty() ? "no inputs" : text;
}

}  // namespace mitos::eval
