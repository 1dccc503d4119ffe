// SPDX-License-Identifier: GPL-3.0-or-later
// Comparing two programs on random inputs.
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "core/eval/evaluator.h"

namespace mitos::eval {

namespace {

/// How inputs are drawn.
struct Mode {
    bool equalSizes;
    bool positive;
    const char* note;
};

constexpr std::array Modes{
    Mode{false, false, ""},
    Mode{true, false, "all sizes equal: with different sizes the first program mostly fails"},
    Mode{false, true, "positive numbers only: with others the first program mostly has no finite value"},
    Mode{true, true, "all sizes equal and positive numbers only: otherwise the first program mostly has no value"},
};
constexpr int ProbesPerMode = 8;
constexpr int AttemptsPerSample = 4;

bool isFinite(const Value& value) {
    if (value.isFloat()) return std::isfinite(value.asFloat());
    if (!value.isTuple() && !value.isTensor()) return true;
    for (const Value& part : value.isTuple() ? value.asTuple().elements : value.asTensor().elements) {
        if (!isFinite(part)) return false;
    }
    return true;
}

std::string describe(const ir::TermBank& bank, const ir::Function& function, const Inputs& inputs) {
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

class Comparison {
public:
    Comparison(const ir::TermBank& bank, const ir::Program& a, const ir::Program& b, const EquivalenceOptions& options)
        : m_bank(bank), m_a(a), m_b(b), m_options(options), m_function(bank.function(a.function)), m_random(options.seed) {}

    Result<Equivalence> run() {
        Result<std::size_t> chosen = chooseMode();
        if (!chosen) return std::move(chosen).error();
        const Mode& mode = Modes[*chosen];
        m_report.note = mode.note;
        const int attempts = AttemptsPerSample * m_options.samples;
        for (int i = 0; i < attempts && m_report.compared < m_options.samples && m_differing.empty(); ++i) {
            Result<bool> drawn = compareOne(mode);
            // An input on which the first program fails may do with equal sizes.
            if (drawn && !*drawn && !mode.equalSizes && m_lastFailed) drawn = compareOne(Mode{true, mode.positive, ""});
            if (!drawn) return std::move(drawn).error();
        }
        m_report.equivalent = m_differing.empty() && m_report.compared > 0;
        m_report.counterexample = m_differing;
        if (m_report.compared == 0) {
            m_report.note = "no input was found on which the first program has a finite value";
            if (!m_lastError.empty()) m_report.note += ": " + m_lastError;
        }
        return m_report;
    }

private:
    /// The first mode in which the first program has a finite value on at least half of the inputs, else the best one.
    Result<std::size_t> chooseMode() {
        std::size_t best = 0;
        int bestCount = -1;
        for (std::size_t m = 0; m < Modes.size(); ++m) {
            int count = 0;
            for (int i = 0; i < ProbesPerMode; ++i) {
                const Result<std::optional<Sample>> sample = draw(Modes[m]);
                if (!sample) return sample.error();
                if (*sample) ++count;
            }
            if (2 * count >= ProbesPerMode) return m;
            if (count > bestCount) {
                best = m;
                bestCount = count;
            }
        }
        return best;
    }

    struct Sample {
        Inputs inputs;
        Value expected;
    };

    /// Random inputs with the first program's value, if it has a finite one.
    Result<std::optional<Sample>> draw(const Mode& mode) {
        InputOptions options;
        options.equalSizes = mode.equalSizes;
        options.positive = mode.positive;
        Result<Inputs> inputs = randomInputs(m_bank, m_function, m_random, options);
        if (!inputs) return std::move(inputs).error();
        Result<Evaluation> first = evaluate(m_bank, m_a, *inputs, m_options.limits);
        m_lastFailed = !first.ok();
        if (!first) {
            if (first.error().code == ErrorCode::Cancelled) return std::move(first).error();
            m_lastError = first.error().message;
            return std::optional<Sample>();
        }
        if (!isFinite(first->value)) return std::optional<Sample>();
        return std::optional<Sample>(Sample{std::move(*inputs), std::move(first->value)});
    }

    /// Whether an input was found and compared.
    Result<bool> compareOne(const Mode& mode) {
        const Result<std::optional<Sample>> drawn = draw(mode);
        if (!drawn) return drawn.error();
        if (!*drawn) {
            ++m_report.skipped;
            return false;
        }
        const Sample& sample = **drawn;
        const Result<Evaluation> second = evaluate(m_bank, m_b, sample.inputs, m_options.limits);
        if (!second && second.error().code == ErrorCode::Cancelled) return second.error();
        if (!second && second.error().code == ErrorCode::Limit) {
            ++m_report.skipped;  // slower is not different
            m_lastError = second.error().message;
            return false;
        }
        ++m_report.compared;
        if (!second) {
            m_report.maxDeviation = HUGE_VAL;
            m_differing = fmt::format("{}: the first gives {}, the second fails: {}",
                                      describe(m_bank, m_function, sample.inputs), toString(sample.expected),
                                      second.error().message);
            return true;
        }
        const double apart = deviation(sample.expected, second->value);
        m_report.maxDeviation = std::max(m_report.maxDeviation, apart);
        if (apart > m_options.tolerance) {
            m_differing = fmt::format("{}: the first gives {}, the second {}", describe(m_bank, m_function, sample.inputs),
                                      toString(sample.expected), toString(second->value));
        }
        return true;
    }

    const ir::TermBank& m_bank;
    const ir::Program& m_a;
    const ir::Program& m_b;
    const EquivalenceOptions& m_options;
    const ir::Function& m_function;
    Random m_random;
    Equivalence m_report;
    std::string m_differing;
    std::string m_lastError;
    bool m_lastFailed = false;
};

}  // namespace

Result<Equivalence> compare(const ir::TermBank& bank, const ir::Program& a, const ir::Program& b,
                            const EquivalenceOptions& options) {
    const ir::Function& first = bank.function(a.function);
    const ir::Function& second = bank.function(b.function);
    if (first.argument != second.argument || bank.type(a.root) != bank.type(b.root)) {
        const auto signature = [&](const ir::Function& f, const ir::Program& p) {
            return fmt::format("{} -> {}", bank.types().toString(f.argument), bank.types().toString(bank.type(p.root)));
        };
        return Error{ErrorCode::InvalidInput,
                     fmt::format("programs of different signatures cannot be compared: {} and {}", signature(first, a),
                                 signature(second, b)),
                     std::nullopt, {}, {}};
    }
    return Comparison(bank, a, b, options).run();
}

}  // namespace mitos::eval
