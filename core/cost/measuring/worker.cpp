// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/measuring/worker.h"

#include "core/base/child_process.h"
#include "core/base/number_text.h"
#include "core/base/printable.h"
#include "core/tensor/operator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

namespace mitos::cost {

namespace {

constexpr std::string_view FirstLine = "mitos-measure\t1";

std::vector<std::string_view> fieldsOf(std::string_view line) {
    std::vector<std::string_view> fields;
    while (true) {
        const std::size_t tab = line.find('\t');
        fields.push_back(line.substr(0, tab));
        if (tab == std::string_view::npos) return fields;
        line.remove_prefix(tab + 1);
    }
}

/// The line that asks for an operation. Attributes have names, so that the process needs no table of operators.
std::string requestLine(const Operation& operation) {
    std::string line = fmt::format("operation\t{}", operation.op);
    const tensor::Operator* const op = tensor::findOperator(operation.op);
    if (op != nullptr && !op->attributes.empty()) {
        if (const auto attributes = tensor::Attributes::read(*op, operation.attributes)) {
            for (std::size_t i = 0; i < op->attributes.size(); ++i) {
                line += fmt::format("\t{}={}", op->attributes[i].name, tensor::attributeText(attributes->values()[i]));
            }
        }
    }
    for (const Operand& input : operation.inputs) line += fmt::format("\tin {}", text(input));
    return line + "\n";
}

/// Reads the answers of a process, line by line.
class Conversation {
public:
    Conversation(std::string runtime, std::span<const Operation> operations, const MeasureObserver& observer)
        : m_runtime(std::move(runtime)),
          m_operations(operations),
          m_observer(observer) {}

    Status hear(std::string_view line) {
        const std::vector<std::string_view> fields = fieldsOf(line);
        if (!m_isGreeted) {
            m_isGreeted = true;
            if (line == FirstLine) return Success{};
            return Error{
                ErrorCode::Incompatible,
                fmt::format("the measuring process of {} is of another version, or another program", m_runtime),
                std::nullopt, fmt::format("build it anew; it began with \"{}\"", shortened(line))};
        }
        if (!m_isSetUp) return hearSetup(line, fields);
        if (fields[0] == "calibration") return hearCalibration(line, fields);
        if (fields[0] == "time") return hearTime(line, fields);
        if (fields[0] == "refused") return hearRefusal(line, fields);
        return wrong(line);
    }

    /// Checks that nothing is missing, after the process has ended.
    [[nodiscard]] Status end(const ChildOutput& child) const {
        if (child.exitStatus == 0 && m_isSetUp && m_answered == m_operations.size()) return Success{};
        const std::string why = lastLine(child.errors);
        std::string message = fmt::format("the measuring process of {} ended", m_runtime);
        if (child.exitStatus > Signals)
            message += fmt::format(" by signal {}", child.exitStatus - Signals);
        else if (child.exitStatus != 0)
            message += fmt::format(" with status {}", child.exitStatus);
        if (m_isSetUp && m_answered < m_operations.size()) {
            message += fmt::format(" after {} of {} operations, at {}", m_answered, m_operations.size(),
                                   text(m_operations[m_answered]));
        }
        if (!why.empty()) message += fmt::format(": {}", why);
        return Error{ErrorCode::Io, message, std::nullopt, "what was measured before is kept"};
    }

    [[nodiscard]] bool isSetUp() const { return m_isSetUp; }
    [[nodiscard]] CostProfile take() {
        const auto [fastest, slowest] = std::ranges::minmax_element(m_calibrations);
        if (!m_calibrations.empty()) m_profile.drift = *slowest / *fastest - 1.0;
        return std::move(m_profile);
    }

private:
    static constexpr int Signals = 128;

    static std::string shortened(std::string_view line) {
        constexpr std::size_t Most = 80;
        return printable(line.substr(0, Most));
    }
    static std::string lastLine(std::string_view text) {
        while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
        return shortened(text.substr(text.rfind('\n') + 1));
    }
    [[nodiscard]] Error wrong(std::string_view line) const {
        return {ErrorCode::Io,
                fmt::format("the measuring process of {} gave a wrong answer: \"{}\"", m_runtime, shortened(line)),
                std::nullopt, "what was measured before is kept"};
    }

    Status hearSetup(std::string_view line, const std::vector<std::string_view>& fields) {
        const std::array<std::pair<std::string_view, std::string*>, 6> texts{{{"device", &m_profile.setup.device},
                                                                              {"processor", &m_profile.setup.processor},
                                                                              {"features", &m_profile.setup.features},
                                                                              {"runtime", &m_profile.setup.runtime},
                                                                              {"blas", &m_profile.setup.blas},
                                                                              {"settings", &m_profile.setup.settings}}};
        std::size_t known = 0;
        for (std::size_t i = 1; i < fields.size(); ++i) {
            const std::size_t equals = fields[i].find('=');
            const std::string_view key = fields[i].substr(0, equals);
            const std::string_view value = equals == std::string_view::npos ? "" : fields[i].substr(equals + 1);
            if (const auto found = std::ranges::find(texts, key, [](const auto& each) { return each.first; });
                found != texts.end()) {
                *found->second = value;
                ++known;
            } else if (key == "protocol" || key == "threads") {
                const auto number = numberFrom<std::int64_t>(value);
                if (!number || *number < 1) return wrong(line);
                (key == "threads" ? m_profile.setup.threads : m_profile.setup.protocol) = *number;
                ++known;
            }
        }
        const bool isWhole = fields[0] == "setup" && known == texts.size() + 2 && fields.size() == known + 1;
        if (!isWhole || m_profile.setup.protocol != MeasuringProtocol) return wrong(line);
        m_isSetUp = true;
        return Success{};
    }

    /// A time; none if it is not one.
    static std::optional<double> secondsFrom(std::string_view text) {
        const auto value = numberFrom<double>(text);
        if (!value || !std::isfinite(*value) || *value < 0.0 || *value > LongestSeconds) return std::nullopt;
        return value;
    }

    Status hearCalibration(std::string_view line, const std::vector<std::string_view>& fields) {
        const auto seconds = fields.size() == 2 ? secondsFrom(fields[1]) : std::nullopt;
        if (!seconds || *seconds <= 0.0) return wrong(line);
        m_calibrations.push_back(*seconds);
        return Success{};
    }

    /// Whether an answer is to the operation whose turn it is.
    [[nodiscard]] bool isNext(const std::vector<std::string_view>& fields, std::size_t count) const {
        return fields.size() == count && m_answered < m_operations.size() &&
               numberFrom<std::uint64_t>(fields[1]) == m_answered + 1;
    }

    Status hearTime(std::string_view line, const std::vector<std::string_view>& fields) {
        constexpr std::size_t Fields = 7;
        if (!isNext(fields, Fields)) return wrong(line);
        const auto minimum = secondsFrom(fields[2]);
        const auto median = secondsFrom(fields[3]);
        const auto spread = secondsFrom(fields[4]);
        const auto launches = numberFrom<std::uint32_t>(fields[5]);
        const auto batches = numberFrom<std::uint32_t>(fields[6]);
        if (!minimum || !median || !spread || !launches || !batches || *minimum < ShortestSeconds ||
            *median < *minimum || *launches < 1 || *batches < 1) {
            return wrong(line);
        }
        const Operation& operation = m_operations[m_answered++];
        const Measurement time{*minimum, *median, *spread, *launches, *batches, secondsNow()};
        m_profile.times.insert_or_assign(operation, time);
        if (m_observer) m_observer({operation, time, {}});
        return Success{};
    }

    Status hearRefusal(std::string_view line, const std::vector<std::string_view>& fields) {
        constexpr std::size_t Fields = 3;
        constexpr std::size_t LongestReason = 300;
        if (!isNext(fields, Fields) || fields[2].empty()) return wrong(line);
        const Operation& operation = m_operations[m_answered++];
        std::string reason = printable(fields[2].substr(0, LongestReason));
        if (m_observer) m_observer({operation, std::nullopt, reason});
        m_profile.refused.insert_or_assign(operation, std::move(reason));
        return Success{};
    }

    std::string m_runtime;
    std::span<const Operation> m_operations;
    const MeasureObserver& m_observer;
    bool m_isGreeted = false;
    bool m_isSetUp = false;
    std::size_t m_answered = 0;
    std::vector<double> m_calibrations;
    CostProfile m_profile;
};

class WorkerMeasurer final : public Measurer {
public:
    explicit WorkerMeasurer(WorkerProgram program) : m_program(std::move(program)) {}

    Result<MeasuringSetup> setup(const std::stop_token& stop) override {
        const MeasuredProfile none = measure({}, {}, stop);
        if (none.ended) return *none.ended;
        return none.profile.setup;
    }

    MeasuredProfile measure(std::span<const Operation> operations, const MeasureObserver& observer,
                            const std::stop_token& stop) override {
        Conversation conversation(m_program.runtime, operations, observer);
        ChildOptions options{.seconds = std::numeric_limits<double>::infinity(),
                             .stop = stop,
                             .environment = m_program.environment,
                             .onLine = [&](std::string_view line) { return conversation.hear(line); },
                             .silentSeconds = m_program.silentSeconds,
                             .firstLineSeconds = m_program.startSeconds};
        for (const Operation& operation : operations) options.input += requestLine(operation);
        const Result<ChildOutput> child = runChild(m_program.command, options);
        MeasuredProfile measured;
        if (!child) {
            measured.ended = child.error();
        } else if (const Status whole = conversation.end(*child); !whole) {
            measured.ended = whole.error();
        }
        const bool isFailure =
            measured.ended && (measured.ended->code == ErrorCode::Io || measured.ended->code == ErrorCode::Limit);
        const bool couldNotBegin = isFailure && !conversation.isSetUp();
        if (couldNotBegin) measured.ended->hint = m_program.howToGet;
        measured.profile = conversation.take();
        return measured;
    }

private:
    WorkerProgram m_program;
};

}  // namespace

std::unique_ptr<Measurer> workerMeasurer(WorkerProgram program) {
    return std::make_unique<WorkerMeasurer>(std::move(program));
}

}  // namespace mitos::cost
