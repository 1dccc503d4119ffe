// SPDX-License-Identifier: GPL-3.0-or-later
// A schedule of a run, with all that is drawn of it.
#pragma once

#include "core/schedule/files/schedule_files.h"
#include "core/schedule/lifetimes.h"

#include <QString>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mitos::views {

/// The operations of one kind: those of one operator, or, where that says nothing, those whose names begin with the same word.
struct OperationKind {
    QString name;
    double share = 0.0;  ///< of the time of all operations, 0…1
};

/// Immutable, so that it is made in a job and drawn elsewhere.
class ShownSchedule {
public:
    /// Reads the text of a run's outcome. Fails as schedule::readSchedule does.
    [[nodiscard]] static Result<std::shared_ptr<const ShownSchedule>> read(const std::string& text);

    [[nodiscard]] const schedule::ScheduledGraph& scheduled() const { return m_read.scheduled; }
    [[nodiscard]] const schedule::Timeline& timeline() const { return m_read.timeline; }
    [[nodiscard]] const schedule::Problem& problem() const { return m_problem; }
    [[nodiscard]] const schedule::Lifetimes& lifetimes() const { return m_lifetimes; }

    [[nodiscard]] std::uint32_t deviceCount() const { return m_problem.deviceCount(); }
    [[nodiscard]] std::uint32_t operationCount() const { return m_problem.operationCount(); }
    [[nodiscard]] const std::string& nameOf(std::uint32_t operation) const {
        return scheduled().graph.operations[operation].name;
    }
    /// Operations of a device in the order of their starts.
    [[nodiscard]] const std::vector<std::uint32_t>& operationsOn(std::uint32_t device) const {
        return m_onDevice[device];
    }
    /// Whether a task (Timeline::order) is on the critical path.
    [[nodiscard]] bool isCritical(std::uint32_t task) const { return m_isCritical[task]; }
    [[nodiscard]] double busyShare(std::uint32_t device) const;  ///< 0…1
    /// Kinds of operations, those that take most time first.
    [[nodiscard]] const std::vector<OperationKind>& kinds() const { return m_kinds; }
    [[nodiscard]] std::uint32_t kindOf(std::uint32_t operation) const { return m_kindOf[operation]; }
    /// The bytes on a device when it needs most, weights that are always there included.
    [[nodiscard]] std::uint64_t peakOf(std::uint32_t device) const {
        return timeline().peak[device] + scheduled().residentBytes;
    }
    /// The operation that is a node of the program (ir::SharedNodes); NoNode if none is.
    [[nodiscard]] std::uint32_t operationOf(std::uint32_t node) const;
    /// The device whose peak is highest.
    [[nodiscard]] std::uint32_t fullestDevice() const;
    /// How far the objective is above what is proven, in per cent; nothing if no bound is known.
    [[nodiscard]] std::optional<double> gapPercent() const;

private:
    ShownSchedule(schedule::ReadSchedule read, schedule::Problem problem);

    schedule::ReadSchedule m_read;
    schedule::Problem m_problem;
    schedule::Lifetimes m_lifetimes;
    std::vector<std::vector<std::uint32_t>> m_onDevice;
    std::vector<bool> m_isCritical;
    std::vector<OperationKind> m_kinds;
    std::vector<std::uint32_t> m_kindOf;
};

using ShownSchedulePtr = std::shared_ptr<const ShownSchedule>;

/// A time of that unit; "units" if the unit is not known.
[[nodiscard]] QString timeText(double time, const schedule::ScheduledGraph& scheduled);
[[nodiscard]] QString bytesText(std::uint64_t bytes);
[[nodiscard]] QString tensorsText(std::size_t count);  ///< "1 tensor", "226 tensors"

}  // namespace mitos::views
