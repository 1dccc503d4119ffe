// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/measuring/worker.h"

#include "core/base/child_process.h"
#include "core/base/printable.h"
#include "core/cost/measuring/answers.h"
#include "core/cost/measuring/requests.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

namespace mitos::cost {

namespace {

/// Reads the answers of a process, line by line.
class Conversation {
public:
    Conversation(std::string runtime, std::span<const Operation> operations, const MeasureObserver& observer)
        : m_runtime(std::move(runtime)),
          m_operations(operations),
          m_observer(observer),
          m_reader(operations) {}

    Status hear(std::string_view line) {
        if (!m_isGreeted) {
            m_isGreeted = true;
            if (AnswerReader::isGreeting(line)) return Success{};
            return Error{
                ErrorCode::Incompatible,
                fmt::format("the measuring process of {} is of another version, or another program", m_runtime),
                std::nullopt, fmt::format("build it anew; it began with \"{}\"", shortened(line))};
        }
        const std::size_t before = m_reader.answers().size();
        if (const Status heard = m_reader.hear(line); !heard) {
            return Error{
                ErrorCode::Io,
                fmt::format("the measuring process of {} gave a wrong answer: \"{}\"", m_runtime, shortened(line)),
                std::nullopt, fmt::format("{}; what was measured before is kept", heard.error().message)};
        }
        if (m_observer && m_reader.answers().size() > before) {
            const Answer& answer = m_reader.answers().back();
            m_observer({answer.operation, answer.time, answer.refused});
        }
        return Success{};
    }

    /// Checks that nothing is missing, after the process has ended.
    [[nodiscard]] Status end(const ChildOutput& child) const {
        const std::size_t answered = m_reader.answers().size();
        if (child.exitStatus == 0 && isSetUp() && answered == m_operations.size()) return Success{};
        const std::string why = lastLine(child.errors);
        std::string message = fmt::format("the measuring process of {} ended", m_runtime);
        if (child.exitStatus > Signals)
            message += fmt::format(" by signal {}", child.exitStatus - Signals);
        else if (child.exitStatus != 0)
            message += fmt::format(" with status {}", child.exitStatus);
        if (isSetUp() && answered < m_operations.size()) {
            message += fmt::format(" after {} of {} operations, at {}", answered, m_operations.size(),
                                   text(m_operations[answered]));
        }
        if (!why.empty()) message += fmt::format(": {}", why);
        return Error{ErrorCode::Io, message, std::nullopt, "what was measured before is kept"};
    }

    [[nodiscard]] bool isSetUp() const { return m_reader.isSetUp(); }
    [[nodiscard]] CostProfile profile() const {
        CostProfile profile;
        profile.setup = m_reader.setup();
        profile.drift = m_reader.drift();
        for (const Answer& answer : m_reader.answers()) {
            if (answer.time)
                profile.times.insert_or_assign(answer.operation, *answer.time);
            else
                profile.refused.insert_or_assign(answer.operation, answer.refused);
        }
        return profile;
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

    std::string m_runtime;
    std::span<const Operation> m_operations;
    const MeasureObserver& m_observer;
    bool m_isGreeted = false;
    AnswerReader m_reader;
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
        options.input = requestsText(m_program.settings, operations);
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
        measured.profile = conversation.profile();
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
