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
// The limits on an input with wide Integers. One that is the bound of a loop exceeds them at once.
constexpr std::uint64_t LeastStepsOfWide = 20'000;
constexpr std::uint64_t WideOverPlain = 8;  // times the steps that other inputs took
constexpr std::uint64_t MostBytesOfWide = 16U << 20U;
// Number of consecutive inputs in which the wide Integers of a parameter exceed the limits, after which they are taken for sizes.
constexpr int MostWideTooLong = 3;
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
        if (m_probed == 0) {
            MITOS_TRY(chosen, chooseSizes(chosen));
        }
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
        if (m_leastSize) {
            m_found.note += fmt::format("{}with sizes from {}: with smaller ones the program has no value",
                                        m_found.note.empty() ? "" : "; ", *m_leastSize);
        }
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
            MITOS_TRY(std::optional<Sample> drawn, isWide(options) ? drawWide(options) : draw(options));
            if (drawn) m_found.samples.push_back(*std::move(drawn));
        }
        m_found.skipped = skipped;
        m_found.lastError = lastError;
        return std::move(m_found);
    }

private:
    /// The regions to search, first those that violate the most frequent assumptions.
    [[nodiscard]] std::vector<InputOptions> regions(const DecidingNumbers& numbers) const {
        InputOptions plain;
        plain.equalSizes = m_found.onlyEqualSizes;
        const ir::Function& function = m_bank.function(m_program.function);
        const std::size_t parameters = function.parameters.size();
        std::vector<InputOptions> result;
        const auto add = [&](Region region, std::optional<std::size_t> parameter) {
            InputOptions options = plain;
            options.region = region;
            options.parameter = parameter;
            result.push_back(options);
        };
        const auto addSizes = [&](std::int64_t least, std::int64_t most, bool equalSizes, bool isRagged) {
            InputOptions options = plain;
            options.minSize = least;
            options.maxSize = most;
            options.equalSizes = equalSizes;
            options.isRagged = isRagged;
            result.push_back(options);
        };
        for (const std::int64_t size : {1, 0, 0}) addSizes(size, size, true, false);
        // Sizes 0 to 2, drawn for each array and, in every second input, for each row: a loop that does not run evaluates nothing, which
        // hides failures. A program that fails on most inputs of different sizes may have a value on some of these.
        for (int i = 0; i < (m_found.onlyEqualSizes ? MixedSizesOfFailing : MixedSizes); ++i)
            addSizes(0, 2, false, i % 2 == 1);
        for (int i = 0; i < 2; ++i) {
            for (const Region region : {Region::Negative, Region::Large, Region::Zero, Region::Mixed}) add(region, {});
        }
        // Each parameter alone, because several at once hide each other.
        const std::size_t alone = std::min<std::size_t>(parameters, MostParameters);
        std::vector<std::size_t> withFloats;
        std::vector<std::size_t> withIntegers;
        for (std::size_t p = 0; p < alone; ++p) {
            const ir::TypeId type = function.parameters[p].type;
            if (contains(type, ir::TypeKind::Float)) withFloats.push_back(p);
            if (contains(type, ir::TypeKind::Integer)) withIntegers.push_back(p);
        }
        for (std::size_t p = 0; p < alone && parameters > 1; ++p) {
            for (const Region region : {Region::Negative, Region::Zero, Region::Large}) add(region, p);
        }
        if (!withIntegers.empty()) {
            for (int i = 0; i < WideTogether; ++i) add(Region::Wide, {});
        }
        for (const std::size_t p : withIntegers) {
            for (int i = 0; i < WideAlone; ++i) add(Region::Wide, p);
        }
        for (const Region region : {Region::Tiny, Region::Huge, Region::Infinite, Region::NotANumber}) add(region, {});
        const auto addNumbers = [&](std::size_t parameter, DecidingNumbers alternatives) {
            add(Region::Constants, parameter);
            result.back().numbers = std::move(alternatives);
        };
        using Floats = std::numeric_limits<double>;
        for (const std::size_t p : withFloats) {
            for (const double end : {-0.0, Floats::max(), Floats::lowest(), Floats::denorm_min(), Floats::infinity(),
                                     -Floats::infinity()}) {
                addNumbers(p, {.floats = {end}});
            }
            if (parameters > 1) add(Region::NotANumber, p);
        }
        using Integers = std::numeric_limits<std::int64_t>;
        for (const std::size_t p : withIntegers) {
            for (const std::int64_t end : {Integers::max(), Integers::min()}) addNumbers(p, {.integers = {end}});
        }
        const DecidingNumbers all = withNeighbours(numbers);
        if (hasSizes(function)) {
            std::vector<std::int64_t> sizes = affordableSizes(m_bank, function, all.integers);
            if (sizes.size() > MostSizes) sizes.resize(MostSizes);
            for (const std::int64_t size : sizes) {
                addSizes(size, size, true, false);
                if (!m_found.onlyEqualSizes) addSizes(std::max<std::int64_t>(0, size - 1), size + 1, false, false);
            }
        }
        const std::size_t most = result.size() + MostConstantTries;
        for (std::size_t i = 0; i < std::max(all.floats.size(), all.integers.size()); ++i) {
            for (const std::size_t p : withFloats) {
                if (i < all.floats.size()) addNumbers(p, {.floats = {all.floats[i]}});
            }
            for (const std::size_t p : withIntegers) {
                if (i < all.integers.size()) addNumbers(p, {.integers = {all.integers[i]}});
            }
            if (result.size() >= most) break;
        }
        return result;
    }

    static constexpr int MixedSizes = 24;
    static constexpr int MixedSizesOfFailing = 60;  // most of them fail early
    static constexpr int WideTogether = 12;
    static constexpr int WideAlone = 12;
    static constexpr std::size_t MostSizes = 12;
    static constexpr std::size_t MostConstantTries = 240;
    static constexpr std::size_t MostParameters = 6;

    [[nodiscard]] bool contains(ir::TypeId type, ir::TypeKind kind) const {
        const auto parts = m_bank.types().children(type);
        return m_bank.types().kind(type) == kind ||
               std::ranges::any_of(parts, [&](ir::TypeId part) { return contains(part, kind); });
    }

    [[nodiscard]] bool hasSizes(const ir::Function& function) const {
        const auto isSized = [&](const ir::Parameter& p) { return contains(p.type, ir::TypeKind::Tensor); };
        return !function.sizes.empty() || std::ranges::any_of(function.parameters, isSized);
    }

    [[nodiscard]] static bool isWide(const InputOptions& options) {
        const auto isLarge = [](std::int64_t i) { return i > LargestUsualInteger || i < -LargestUsualInteger; };
        return options.region == Region::Wide || std::ranges::any_of(options.numbers.integers, isLarge);
    }

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
            m_probed = std::max(m_probed, count);
            if (2 * count >= ProbesPerMode) return m;
            if (count > bestCount) {
                best = m;
                bestCount = count;
            }
        }
        return best;
    }

    /// The mode for sizes that the program's constants suggest, if it has a value on none of the usual ones, which are small: an element
    /// that it reads at a constant place exists only in larger tensors.
    Result<std::size_t> chooseSizes(std::size_t mode) {
        if (!hasSizes(m_bank.function(m_program.function))) return mode;
        DecidingNumbers numbers;
        addDecidingNumbers(m_bank, m_program.root, numbers);
        std::vector<std::int64_t> sizes =
            affordableSizes(m_bank, m_bank.function(m_program.function), withNeighbours(numbers).integers);
        std::erase_if(sizes, [](std::int64_t size) { return size <= InputOptions().maxSize; });
        if (sizes.size() > MostSizes) sizes.resize(MostSizes);
        std::ranges::sort(sizes);
        for (const std::int64_t size : sizes) {
            if (isHopeless()) break;
            m_leastSize = size;
            MITOS_TRY(const std::size_t chosen, chooseMode());
            if (m_probed == 0) continue;
            m_moreSizes = 1;
            return chosen;
        }
        m_leastSize.reset();
        return mode;
    }

    Result<std::optional<Sample>> draw(const Mode& mode) {
        InputOptions options;
        options.equalSizes = mode.equalSizes;
        options.positive = mode.positive;
        if (m_leastSize) {
            options.minSize = *m_leastSize;
            options.maxSize = *m_leastSize + m_moreSizes;
        }
        return draw(options);
    }

    Result<std::optional<Sample>> draw(const InputOptions& options) {
        MITOS_TRY(std::optional<Sample> drawn, draw(options, m_limits));
        m_tooLong = m_lastTooLong ? m_tooLong + 1 : 0;
        return drawn;
    }

    /// With wide Integers, one of which may be the bound of a loop: such an input is given up early, and does not end the search.
    Result<std::optional<Sample>> drawWide(const InputOptions& options) {
        // One more than the number of the parameter; 0 stands for all.
        const std::size_t which = options.parameter ? *options.parameter + 1 : 0;
        if (m_wideTooLong.size() <= which) m_wideTooLong.resize(which + 1, 0);
        if (m_wideTooLong[which] >= MostWideTooLong) return std::optional<Sample>();
        Limits limits = m_limits;
        limits.steps = std::min(limits.steps, std::max(LeastStepsOfWide, WideOverPlain * m_mostSteps));
        limits.bytes = std::min(limits.bytes, MostBytesOfWide);
        MITOS_TRY(std::optional<Sample> drawn, draw(options, limits));
        m_wideTooLong[which] = m_lastTooLong ? m_wideTooLong[which] + 1 : 0;
        if (drawn) drawn->isWide = true;
        return drawn;
    }

    Result<std::optional<Sample>> draw(const InputOptions& options, const Limits& limits) {
        MITOS_TRY(Inputs inputs, randomInputs(m_bank, m_bank.function(m_program.function), m_random, options));
        Result<Evaluation> result = evaluate(m_bank, m_program, inputs, limits);
        m_lastFailed = !result.ok();
        const auto failedWith = [&](ErrorCode code) { return !result && result.error().code == code; };
        m_lastTooLong = failedWith(ErrorCode::Limit);
        m_unsupported = failedWith(ErrorCode::Unsupported) ? m_unsupported + 1 : 0;
        if (!result) {
            if (result.error().code == ErrorCode::Cancelled) return std::move(result).error();
            m_found.lastError = result.error().message;
            return std::optional<Sample>();
        }
        m_steps += result->steps;
        if (!isWide(options)) m_mostSteps = std::max(m_mostSteps, result->steps);
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
    int m_probed = 0;                         // values found in the best mode so far
    std::optional<std::int64_t> m_leastSize;  // of tensors, if the usual ones are too small
    std::int64_t m_moreSizes = 0;             // above that one
    bool m_lastFailed = false;
    bool m_lastTooLong = false;
    std::uint64_t m_steps = 0;
    std::uint64_t m_mostSteps = 0;   // of an input without wide Integers
    int m_tooLong = 0;               // consecutive evaluations beyond the limits
    std::vector<int> m_wideTooLong;  // the same for wide Integers of each parameter
    int m_unsupported = 0;           // consecutive evaluations that needed an unsupported operator
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

namespace {

/// Arithmetic of Integers, which wrap around.
std::int64_t plus(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t minus(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
std::int64_t times(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

/// Appends a number that is not in the list yet, unless the list has `most`.
template <typename Number>
void addOnce(std::vector<Number>& list, Number number, std::size_t most) {
    if (list.size() < most && std::ranges::find(list, number) == list.end()) list.push_back(number);
}

/// The Integer that a Float is equal to.
std::optional<std::int64_t> asInteger(double number) {
    constexpr double End = 0x1p63;
    if (!(number >= -End && number < End) || number != std::floor(number)) return std::nullopt;
    return static_cast<std::int64_t>(number);
}

}  // namespace

DecidingNumbers withNeighbours(const DecidingNumbers& numbers) {
    constexpr std::size_t MostWithNeighbours = 12;
    DecidingNumbers result = numbers;
    std::vector<double>& floats = result.floats;
    const std::size_t count = std::min(numbers.floats.size(), MostWithNeighbours);
    for (std::size_t i = 0; i < count; ++i) floats.insert(floats.end(), {floats[i] + 1.0, floats[i] - 1.0});
    for (std::size_t i = 0; i < count; ++i) {
        floats.insert(floats.end(), {std::nextafter(floats[i], HUGE_VAL), std::nextafter(floats[i], -HUGE_VAL)});
    }
    for (std::size_t i = 0; i < count; ++i) floats.insert(floats.end(), {2.0 * floats[i], -floats[i] - 1.0});
    const std::size_t most = std::numeric_limits<std::size_t>::max();
    for (std::size_t i = 0; i < std::min(numbers.integers.size(), MostWithNeighbours); ++i) {
        const std::int64_t number = numbers.integers[i];
        for (const std::int64_t near : {plus(number, 1), minus(number, 1), times(2, number), minus(-1, number)})
            addOnce(result.integers, near, most);
    }
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

void addDecidingNumbers(const ir::TermBank& bank, ir::TermId root, DecidingNumbers& into, std::size_t most) {
    absl::flat_hash_set<ir::TermId> seen;
    DecidingNumbers constants;
    std::vector<ir::TermId> open{root};
    while (!open.empty()) {
        const ir::TermId term = open.back();
        open.pop_back();
        if (!term.isValid() || !seen.insert(term).second) continue;
        const ir::PayloadKind kind = bank.payload(term).kind();
        if (bank.is(term, ir::CoreOp::Literal) && kind == ir::PayloadKind::Float) {
            constants.floats.push_back(bank.payload(term).asFloat());
        } else if (bank.is(term, ir::CoreOp::Literal) && kind == ir::PayloadKind::Integer) {
            constants.integers.push_back(bank.payload(term).asInteger());
        }
        if (bank.is(term, ir::CoreOp::Call)) open.push_back(bank.function(bank.payload(term).asFunction()).body);
        const auto children = bank.children(term);
        open.insert(open.end(), children.rbegin(), children.rend());
    }
    addDecidingNumbers(constants, into, most);
}

void addDecidingNumbers(const DecidingNumbers& constants, DecidingNumbers& into, std::size_t most) {
    // Comparisons of to_float(n) are with Floats, and an Integer may stand beside Floats.
    std::vector<double> floats = constants.floats;
    for (const std::int64_t number : constants.integers) floats.push_back(static_cast<double>(number));
    std::vector<std::int64_t> integers = constants.integers;
    for (const double number : constants.floats) {
        if (const std::optional<std::int64_t> whole = asInteger(number)) integers.push_back(*whole);
    }
    const auto add = [&](double number) {
        if (std::isfinite(number)) addOnce(into.floats, number, most);
    };
    for (const double c : floats) add(c);
    // The points where x * x, and where x + c, x - c, c x and x / c reach a constant.
    for (const double c : floats) {
        for (const double root : {std::sqrt(c), -std::sqrt(c)}) add(root);
    }
    for (const double c : floats) {
        if (into.floats.size() >= most) break;
        for (const double d : floats) {
            for (const double number : {d - c, d + c, d / c, d * c, -c}) add(number);
        }
    }
    for (const std::int64_t c : integers) addOnce(into.integers, c, most);
    for (const std::int64_t c : integers) {
        if (into.integers.size() >= most) break;
        for (const std::int64_t d : integers) {
            const std::int64_t quotient = c == 0 || c == -1 ? minus(0, d) : d / c;
            for (const std::int64_t number : {minus(d, c), plus(d, c), quotient, times(d, c), minus(0, c)})
                addOnce(into.integers, number, most);
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
