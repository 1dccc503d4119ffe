// SPDX-License-Identifier: GPL-3.0-or-later
// Reads what mitos-measure answers (app/measure/README.md), from a process or from a file that another machine wrote. Answers are
// checked, not trusted.
#pragma once

#include "core/base/result.h"
#include "core/cost/measuring/measurer.h"
#include "core/cost/profile.h"

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::cost {

/// The time of an operation, or why it has none.
struct Answer {
    Operation operation;
    std::optional<Measurement> time = {};
    std::string refused = {};
};

/// Reads answers line by line.
class AnswerReader {
public:
    /// `asked`, which must outlive the reader, has the operations whose answers are expected, in their order. Without it, the answers
    /// themselves have to name their operations.
    explicit AnswerReader(std::optional<std::span<const Operation>> asked) : m_asked(asked) {}

    /// Whether a first line is that of this version of mitos-measure.
    [[nodiscard]] static bool isGreeting(std::string_view line);

    /// Reads a line that follows the first one, without its end. Fails if it is wrong there; the message says why.
    [[nodiscard]] Status hear(std::string_view line);

    [[nodiscard]] bool isSetUp() const { return m_isSetUp; }
    /// Whether the answers are stated to be all.
    [[nodiscard]] bool isWhole() const { return m_isWhole; }
    [[nodiscard]] const MeasuringSetup& setup() const { return m_setup; }
    [[nodiscard]] const std::vector<Answer>& answers() const { return m_answers; }
    /// See CostProfile::drift.
    [[nodiscard]] double drift() const;

private:
    Status hearSetup(const std::vector<std::string_view>& fields);
    Status hearCalibration(const std::vector<std::string_view>& fields);
    Status hearMoment(const std::vector<std::string_view>& fields);
    Status hearOperation(std::string_view line);
    Status hearTime(const std::vector<std::string_view>& fields);
    Status hearRefusal(const std::vector<std::string_view>& fields);
    Status hearEnd(const std::vector<std::string_view>& fields);
    /// The operation whose turn it is, if an answer with these fields can be to it.
    Result<Operation> answered(const std::vector<std::string_view>& fields, std::size_t count);

    std::optional<std::span<const Operation>> m_asked;
    bool m_isSetUp = false;
    bool m_isWhole = false;
    MeasuringSetup m_setup;
    std::vector<Answer> m_answers;
    std::optional<Operation> m_named;  ///< by the line before
    std::set<Operation> m_seen;        ///< those that answers named
    std::optional<std::int64_t> m_moment;
    std::vector<double> m_calibrations;
};

/// The answers in a file. Its operations are distinct.
struct AnswersFile {
    std::string name;
    MeasuringSetup setup;
    std::vector<Answer> answers;
    double drift = 0.0;
    bool isWhole = false;  ///< false: the end is missing, as the measuring was interrupted or the file was cut off
};

/// Reads a file of answers. Errors name the line: no answers of mitos-measure, or of another version; a line that is not one of its; an
/// answer to another operation than the one that it names, or to one that was answered before. A line without an end is left out.
[[nodiscard]] Result<AnswersFile> readAnswers(std::string name, std::string_view text);

/// A measurer whose times are those of the file: nothing runs. Operations that the file does not answer end the measuring with an error,
/// after all others had their turn.
[[nodiscard]] std::unique_ptr<Measurer> answersMeasurer(AnswersFile file);

}  // namespace mitos::cost
