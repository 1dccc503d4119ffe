// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/measuring/answers.h"

#include "core/base/number_text.h"
#include "core/base/printable.h"
#include "core/cost/measuring/requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

namespace mitos::cost {

namespace {

constexpr std::string_view FirstLine = "mitos-measure\t1";

Error wrong(const char* why) { return {ErrorCode::Io, why}; }

/// A time; none if it is not one.
std::optional<double> secondsFrom(std::string_view text) {
    const auto value = numberFrom<double>(text);
    if (!value || !std::isfinite(*value) || *value < 0.0 || *value > LongestSeconds) return std::nullopt;
    return value;
}

}  // namespace

bool AnswerReader::isGreeting(std::string_view line) { return line == FirstLine; }

Status AnswerReader::hear(std::string_view line) {
    const std::vector<std::string_view> fields = fieldsOf(line);
    if (m_isWhole) return wrong("something follows the end");
    if (!m_isSetUp) return hearSetup(fields);
    if (fields[0] == "calibration") return hearCalibration(fields);
    if (fields[0] == "when") return hearMoment(fields);
    if (fields[0] == "operation") return hearOperation(line);
    if (fields[0] == "time") return hearTime(fields);
    if (fields[0] == "refused") return hearRefusal(fields);
    if (fields[0] == "end") return hearEnd(fields);
    return wrong("there are no such lines");
}

double AnswerReader::drift() const {
    if (m_calibrations.empty()) return 0.0;
    const auto [fastest, slowest] = std::ranges::minmax_element(m_calibrations);
    return *slowest / *fastest - 1.0;
}

Status AnswerReader::hearSetup(const std::vector<std::string_view>& fields) {
    const std::array<std::pair<std::string_view, std::string*>, 6> texts{{{"device", &m_setup.device},
                                                                          {"processor", &m_setup.processor},
                                                                          {"features", &m_setup.features},
                                                                          {"runtime", &m_setup.runtime},
                                                                          {"blas", &m_setup.blas},
                                                                          {"settings", &m_setup.settings}}};
    const std::array<std::pair<std::string_view, std::int64_t*>, 2> numbers{
        {{"protocol", &m_setup.protocol}, {"threads", &m_setup.threads}}};
    std::set<std::string_view> known;
    for (std::size_t i = 1; i < fields.size(); ++i) {
        const std::size_t equals = fields[i].find('=');
        const std::string_view key = fields[i].substr(0, equals);
        const std::string_view value = equals == std::string_view::npos ? "" : fields[i].substr(equals + 1);
        const auto isKey = [&key](const auto& each) { return each.first == key; };
        if (const auto found = std::ranges::find_if(texts, isKey); found != texts.end()) {
            *found->second = printable(value);
        } else if (const auto number = std::ranges::find_if(numbers, isKey); number != numbers.end()) {
            const auto parsed = numberFrom<std::int64_t>(value);
            if (!parsed || *parsed < 1) return wrong("a number of the setup is not from 1 on");
            *number->second = *parsed;
        } else {
            return wrong("the setup is missing, or has an unknown field");
        }
        if (!known.insert(key).second) return wrong("the setup has a field twice");
    }
    if (fields[0] != "setup" || known.size() != texts.size() + numbers.size()) {
        return wrong("the setup is missing, or a field of it");
    }
    if (m_setup.protocol != MeasuringProtocol) return wrong("it was measured in another way");
    m_isSetUp = true;
    return Success{};
}

Status AnswerReader::hearCalibration(const std::vector<std::string_view>& fields) {
    const auto seconds = fields.size() == 2 ? secondsFrom(fields[1]) : std::nullopt;
    if (!seconds || *seconds < ShortestSeconds) return wrong("the time of a calibration is not a time");
    m_calibrations.push_back(*seconds);
    return Success{};
}

Status AnswerReader::hearMoment(const std::vector<std::string_view>& fields) {
    const auto moment = fields.size() == 2 ? numberFrom<std::int64_t>(fields[1]) : std::nullopt;
    if (!moment || *moment < 0) return wrong("the moment is not in seconds since 1970");
    m_moment = std::min(*moment, secondsNow());  // a clock that is fast would make its times the newest for ever
    return Success{};
}

Status AnswerReader::hearOperation(std::string_view line) {
    if (m_asked) {
        const std::size_t next = m_answers.size();
        const bool isAsked = next < m_asked->size() && requestLine((*m_asked)[next]) == line;
        return isAsked ? Status(Success{}) : wrong("another operation was asked for");
    }
    if (m_named) return wrong("the operation before has no answer");
    MITOS_TRY(Operation operation, requestedOperation(line));
    if (!m_seen.insert(operation).second) return wrong("the operation was answered before");
    m_named = std::move(operation);
    return Success{};
}

Result<Operation> AnswerReader::answered(const std::vector<std::string_view>& fields, std::size_t count) {
    if (fields.size() != count) return wrong("the number of fields is wrong");
    if (numberFrom<std::uint64_t>(fields[1]) != m_answers.size() + 1) return wrong("it answers another operation");
    if (m_asked && m_answers.size() >= m_asked->size()) return wrong("there are more answers than operations");
    if (!m_asked && !m_named) return wrong("it does not name its operation");
    Operation operation = m_asked ? (*m_asked)[m_answers.size()] : *m_named;
    m_named.reset();
    return operation;
}

Status AnswerReader::hearTime(const std::vector<std::string_view>& fields) {
    constexpr std::size_t Fields = 7;
    MITOS_TRY(Operation operation, answered(fields, Fields));
    const auto minimum = secondsFrom(fields[2]);
    const auto median = secondsFrom(fields[3]);
    const auto spread = secondsFrom(fields[4]);
    const auto launches = numberFrom<std::uint32_t>(fields[5]);
    const auto batches = numberFrom<std::uint32_t>(fields[6]);
    if (!minimum || !median || !spread || *minimum < ShortestSeconds) return wrong("a time is not a time");
    if (*median < *minimum) return wrong("the median is below the minimum");
    if (!launches || !batches || *launches < 1 || *batches < 1) return wrong("a number is not from 1 on");
    const std::int64_t when = m_moment.value_or(secondsNow());
    m_answers.push_back({std::move(operation), Measurement{*minimum, *median, *spread, *launches, *batches, when}});
    return Success{};
}

Status AnswerReader::hearRefusal(const std::vector<std::string_view>& fields) {
    constexpr std::size_t Fields = 3;
    constexpr std::size_t LongestReason = 300;
    MITOS_TRY(Operation operation, answered(fields, Fields));
    if (fields[2].empty()) return wrong("the reason is missing");
    m_answers.push_back({std::move(operation), std::nullopt, printable(fields[2].substr(0, LongestReason))});
    return Success{};
}

Status AnswerReader::hearEnd(const std::vector<std::string_view>& fields) {
    if (m_named) return wrong("the operation before has no answer");
    if (fields.size() != 2 || numberFrom<std::uint64_t>(fields[1]) != m_answers.size()) {
        return wrong("the number of answers is another one");
    }
    m_isWhole = true;
    return Success{};
}

Result<AnswersFile> readAnswers(std::string name, std::string_view text) {
    constexpr std::size_t LongestQuotation = 80;
    const auto fails = [&name](const std::string& what, ErrorCode code = ErrorCode::Parse) {
        return Error{code, fmt::format("{}: {}", name, what), std::nullopt,
                     "mitos-measure < REQUESTS > ANSWERS writes answers; mitos-cli measure --requests writes requests"};
    };
    AnswerReader reader(std::nullopt);
    std::size_t number = 0;
    while (true) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) break;  // what follows was cut off
        std::string_view line = text.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        text.remove_prefix(end + 1);
        if (++number == 1) {
            if (AnswerReader::isGreeting(line)) continue;
            return fails("these are no answers of mitos-measure, or those of another version", ErrorCode::Incompatible);
        }
        if (const Status heard = reader.hear(line); !heard) {
            return fails(fmt::format("line {} is wrong: {}: \"{}\"", number, heard.error().message,
                                     printable(line.substr(0, LongestQuotation))));
        }
    }
    if (number == 0) return fails("these are no answers of mitos-measure", ErrorCode::Incompatible);
    if (!reader.isSetUp()) return fails("it ends before the first answer");
    return AnswersFile{std::move(name), reader.setup(), reader.answers(), reader.drift(), reader.isWhole()};
}

namespace {

class AnswersMeasurer final : public Measurer {
public:
    explicit AnswersMeasurer(AnswersFile file) : m_file(std::move(file)) {
        for (const Answer& answer : m_file.answers) m_answers.emplace(answer.operation, &answer);
    }
    AnswersMeasurer(const AnswersMeasurer&) = delete;
    AnswersMeasurer& operator=(const AnswersMeasurer&) = delete;

    Result<MeasuringSetup> setup(const std::stop_token& /*stop*/) override { return m_file.setup; }

    MeasuredProfile measure(std::span<const Operation> operations, const MeasureObserver& observer,
                            const std::stop_token& stop) override {
        MeasuredProfile measured;
        measured.profile.setup = m_file.setup;
        measured.profile.drift = m_file.drift;
        std::vector<const Operation*> missing;
        for (const Operation& operation : operations) {
            if (stop.stop_requested()) {
                measured.ended = Error{ErrorCode::Cancelled, "the reading of the answers was stopped"};
                return measured;
            }
            const auto found = m_answers.find(operation);
            if (found == m_answers.end()) {
                missing.push_back(&operation);
                continue;
            }
            const Answer& answer = *found->second;
            if (observer) observer({operation, answer.time, answer.refused});
            if (answer.time)
                measured.profile.times.emplace(operation, *answer.time);
            else
                measured.profile.refused.emplace(operation, answer.refused);
        }
        if (!missing.empty()) {
            measured.ended =
                inputError(fmt::format("{} has no answer for {} of {} operations, for instance {}", m_file.name,
                                       missing.size(), operations.size(), text(*missing.front())),
                           "the other answers are kept; with -o, --requests leaves out what the profile has");
        }
        return measured;
    }

private:
    AnswersFile m_file;
    std::map<Operation, const Answer*> m_answers;  ///< elements of m_file
};

}  // namespace

std::unique_ptr<Measurer> answersMeasurer(AnswersFile file) {
    return std::make_unique<AnswersMeasurer>(std::move(file));
}

}  // namespace mitos::cost
