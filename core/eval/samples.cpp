// SPDX-License-Identifier: GPL-3.0-or-later
// Looking for inputs on which a program has a finite value.
#include "core/eval/samples.h"

#include "core/eval/finite.h"
#include "core/ks/operators.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>

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
    Mode{true, false, "all sizes equal: with different sizes the program mostly fails"},
    Mode{false, true, "positive numbers only: with others the program mostly has no finite value"},
    Mode{true, true, "all sizes equal and positive numbers only: otherwise the program mostly has no value"},
};
constexpr int ProbesPerMode = 8;
constexpr int TriesPerSample = 4;
// So many inputs in a row that take more than the limits: the next ones would too, and each costs a second.
constexpr int MostTooLong = 6;

class Sampler {
public:
    Sampler(const ir::TermBank& bank, const ir::Program& program, std::uint64_t seed, const Limits& limits)
        : m_bank(bank),
          m_program(program),
          m_limits(limits),
          m_random(seed) {}

    Result<Samples> run(int count) {
        Result<std::size_t> chosen = chooseMode();
        if (!chosen) return std::move(chosen).error();
        const Mode& mode = Modes[*chosen];
        for (int i = 0; i < TriesPerSample * count && std::ssize(m_found.samples) < count && !takesTooLong(); ++i) {
            Result<bool> drawn = collect(mode);
            // An input on which the program fails may do with equal sizes.
            if (drawn && !*drawn && !mode.equalSizes && m_lastFailed) drawn = collect(Mode{true, mode.positive, ""});
            if (!drawn) return std::move(drawn).error();
        }
        m_found.note = mode.note;
        return std::move(m_found);
    }

private:
    /// The first mode in which the program has a finite value on at least half of the inputs, else the best one.
    Result<std::size_t> chooseMode() {
        std::size_t best = 0;
        int bestCount = -1;
        bool fails = false;  // rather than giving a value that is not finite: equal sizes may help
        for (std::size_t m = 0; m < Modes.size(); ++m) {
            if (Modes[m].equalSizes && !fails) continue;
            int count = 0;
            for (int i = 0; i < ProbesPerMode && !takesTooLong(); ++i) {
                const Result<std::optional<Sample>> sample = draw(Modes[m]);
                if (!sample) return sample.error();
                if (*sample) ++count;
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
        Result<Inputs> inputs = randomInputs(m_bank, m_bank.function(m_program.function), m_random, options);
        if (!inputs) return std::move(inputs).error();
        Result<Evaluation> result = evaluate(m_bank, m_program, *inputs, m_limits);
        m_lastFailed = !result.ok();
        m_tooLong = !result && result.error().code == ErrorCode::Limit ? m_tooLong + 1 : 0;
        if (!result) {
            if (result.error().code == ErrorCode::Cancelled) return std::move(result).error();
            m_found.lastError = result.error().message;
            return std::optional<Sample>();
        }
        if (!isFinite(result->value)) return std::optional<Sample>();
        return std::optional<Sample>(Sample{std::move(*inputs), std::move(result->value)});
    }

    [[nodiscard]] bool takesTooLong() const { return m_tooLong >= MostTooLong; }

    /// Whether an input was found.
    Result<bool> collect(const Mode& mode) {
        Result<std::optional<Sample>> drawn = draw(mode);
        if (!drawn) return std::move(drawn).error();
        if (!*drawn) {
            ++m_found.skipped;
            return false;
        }
        m_found.samples.push_back(**std::move(drawn));
        return true;
    }

    const ir::TermBank& m_bank;
    const ir::Program& m_program;
    const Limits& m_limits;
    Random m_random;
    Samples m_found;
    bool m_lastFailed = false;
    int m_tooLong = 0;  // evaluations in a row
};

}  // namespace

Result<Samples> drawSamples(const ir::TermBank& bank, const ir::Program& program, int count, std::uint64_t seed,
                            const Limits& limits) {
    return Sampler(bank, program, seed, limits).run(count);
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
