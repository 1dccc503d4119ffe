// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/schedule/shown_schedule.h"

#include "core/schedule/critical_path.h"
#include "views/common/format.h"

#include <absl/container/flat_hash_map.h>

#include <QCoreApplication>
#include <algorithm>
#include <cctype>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

namespace mitos::views {

namespace {

/// "Conv" of "Conv[strides=[2,2]]", "weights of Conv" of that, and "task" of "task12".
std::string_view kindName(std::string_view name) {
    const std::size_t end = name.find_first_of("[(@#:");
    name = name.substr(0, end);
    while (!name.empty() &&
           (std::isdigit(static_cast<unsigned char>(name.back())) != 0 || name.back() == '_' || name.back() == ' '))
        name.remove_suffix(1);
    return name;
}

}  // namespace

Result<std::shared_ptr<const ShownSchedule>> ShownSchedule::read(const std::string& text) {
    MITOS_TRY(schedule::ReadSchedule read, schedule::readSchedule(SourceText("the schedule", text)));
    MITOS_TRY(schedule::Problem problem,
              schedule::Problem::make(read.scheduled.graph, read.scheduled.machine, read.scheduled.options));
    return std::shared_ptr<const ShownSchedule>(new ShownSchedule(std::move(read), std::move(problem)));
}

ShownSchedule::ShownSchedule(schedule::ReadSchedule read, schedule::Problem problem)
    : m_read(std::move(read)),
      m_problem(std::move(problem)),
      m_lifetimes(m_problem, m_read.scheduled.schedule, m_read.timeline),
      m_onDevice(m_problem.deviceCount()),
      m_isCritical(m_read.timeline.order.size(), false) {
    for (const std::uint32_t task : timeline().order) {
        if (task < operationCount()) m_onDevice[timeline().operations[task].device].push_back(task);
    }
    for (std::vector<std::uint32_t>& operations : m_onDevice)
        std::ranges::stable_sort(operations, {}, [this](std::uint32_t o) { return timeline().operations[o].start; });
    for (const std::uint32_t task : schedule::criticalPath(m_problem, timeline())) m_isCritical[task] = true;

    absl::flat_hash_map<std::string_view, std::uint32_t> numbers;
    double all = 0.0;
    // All operations of a task graph have the same operator.
    const std::set<std::string> distinct(scheduled().operators.begin(), scheduled().operators.end());
    const bool hasOperators = distinct.size() > 2;
    for (std::uint32_t operation = 0; operation < operationCount(); ++operation) {
        const std::vector<std::string>& operators = scheduled().operators;
        const bool isKnown = hasOperators && !operators[operation].empty();
        const std::string_view name = isKnown ? std::string_view(operators[operation]) : kindName(nameOf(operation));
        const auto number = numbers.emplace(name, static_cast<std::uint32_t>(m_kinds.size())).first->second;
        if (number == m_kinds.size()) m_kinds.push_back({fromUtf8(name), 0.0});
        const schedule::OperationRun& run = timeline().operations[operation];
        m_kinds[number].share += run.end - run.start;
        m_kindOf.push_back(number);
        all += run.end - run.start;
    }
    std::vector<std::uint32_t> order(m_kinds.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, std::greater<>(), [this](std::uint32_t kind) { return m_kinds[kind].share; });
    std::vector<OperationKind> sorted;
    std::vector<std::uint32_t> place(m_kinds.size());
    for (const std::uint32_t kind : order) {
        place[kind] = static_cast<std::uint32_t>(sorted.size());
        sorted.push_back(m_kinds[kind]);
        if (all > 0.0) sorted.back().share /= all;
    }
    m_kinds = std::move(sorted);
    for (std::uint32_t& kind : m_kindOf) kind = place[kind];
}

double ShownSchedule::busyShare(std::uint32_t device) const {
    double busy = 0.0;
    for (const std::uint32_t operation : m_onDevice[device])
        busy += timeline().operations[operation].end - timeline().operations[operation].start;
    return timeline().runtime > 0.0 ? busy / timeline().runtime : 0.0;
}

std::uint32_t ShownSchedule::operationOf(std::uint32_t node) const {
    const auto found = std::ranges::find(scheduled().nodes, node);
    return found == scheduled().nodes.end() ? schedule::NoNode
                                            : static_cast<std::uint32_t>(found - scheduled().nodes.begin());
}

std::uint32_t ShownSchedule::fullestDevice() const {
    return static_cast<std::uint32_t>(std::ranges::max_element(timeline().peak) - timeline().peak.begin());
}

std::optional<double> ShownSchedule::gapPercent() const {
    constexpr double Percent = 100.0;
    const std::optional<double>& bound = scheduled().bound;
    if (!bound || *bound <= 0.0) return std::nullopt;
    const double value = scheduled().isForMemory ? static_cast<double>(peakOf(fullestDevice())) : timeline().runtime;
    return std::max(0.0, Percent * (value / *bound - 1.0));
}

QString timeText(double time, const schedule::ScheduledGraph& scheduled) {
    return amountText(time, scheduled.unit.empty() ? QStringLiteral("units") : fromUtf8(scheduled.unit));
}

QString bytesText(std::uint64_t bytes) { return amountText(static_cast<double>(bytes), QStringLiteral("bytes")); }

QString tensorsText(std::size_t count) {
    return count == 1 ? QCoreApplication::translate("ShownSchedule", "1 tensor")
                      : QCoreApplication::translate("ShownSchedule", "%1 tensors").arg(countText(count));
}

}  // namespace mitos::views
