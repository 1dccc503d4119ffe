// SPDX-License-Identifier: GPL-3.0-or-later
// See schedule_value.h.
#include "search/placement/schedule_value.h"

#include "core/base/readable_number.h"
#include "core/ir/shared.h"
#include "core/schedule/files/schedule_files.h"
#include "core/schedule/timeline_check.h"
#include "core/tasks/program.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace mitos::search::placement {

namespace {

using schedule::NoNode;

constexpr std::uint32_t NoOperation = NoNode;

/// Compares a timeline with the program that it is about.
class ProgramCheck {
public:
    ProgramCheck(const ir::TermBank& bank, ir::TermId root, const schedule::ScheduledGraph& scheduled,
                 const schedule::Timeline& timeline)
        : m_bank(bank),
          m_nodes(bank, root),
          m_scheduled(scheduled),
          m_timeline(timeline) {}

    std::optional<std::string> fault() {
        for (const ir::TermId node : m_nodes) m_number.emplace(node, static_cast<std::uint32_t>(m_number.size()));
        m_operation.assign(m_nodes.size(), NoOperation);
        const std::size_t once = m_scheduled.repeated ? m_scheduled.repeated->first : m_scheduled.nodes.size();
        for (std::uint32_t operation = 0; operation < m_scheduled.nodes.size(); ++operation) {
            const std::uint32_t node = m_scheduled.nodes[operation];
            if (node == NoNode) continue;
            if (node >= m_nodes.size()) return fmt::format("the program has no node {}", node);
            const std::uint32_t known = m_operation[node];
            if (operation >= once) {
                // What a node needs was there before it ran for the first time.
                if (known == NoOperation || m_timeline.operations[operation].start < m_timeline.operations[known].end)
                    return fmt::format("{} runs again, but not after its first run", nameOf(operation));
                continue;
            }
            if (known != NoOperation) return fmt::format("the node {} runs twice", node);
            m_operation[node] = operation;
        }
        return orderFault();
    }

private:
    [[nodiscard]] std::optional<std::string> orderFault() {
        m_readyAt.assign(m_nodes.size(), 0.0);
        std::vector<bool> isFromInputs(m_nodes.size(), false);
        std::uint32_t number = 0;
        for (const ir::TermId node : m_nodes) {
            const auto children = m_bank.children(node);
            double ready = 0.0;
            bool fromInputs = m_bank.is(node, ir::CoreOp::Variable);
            for (const ir::TermId child : children) {
                ready = std::max(ready, m_readyAt[m_number.at(child)]);
                fromInputs = fromInputs || isFromInputs[m_number.at(child)];
            }
            isFromInputs[number] = fromInputs;
            if (const std::uint32_t operation = m_operation[number]; operation != NoOperation) {
                const schedule::OperationRun& run = m_timeline.operations[operation];
                if (run.start < ready) return fmt::format("{} starts before what it needs is there", nameOf(operation));
                ready = std::max(ready, run.end);
            } else if (m_bank.opName(node) == tasks::TaskName ||
                       (fromInputs && !children.empty() && !m_bank.is(node, ir::CoreOp::Get) &&
                        !m_bank.is(node, ir::CoreOp::Tuple))) {
                return fmt::format("the node {} ({}) is not scheduled", number, m_bank.opName(node));
            }
            m_readyAt[number++] = ready;
        }
        return std::nullopt;
    }
    [[nodiscard]] const std::string& nameOf(std::uint32_t operation) const {
        return m_scheduled.graph.operations[operation].name;
    }

    const ir::TermBank& m_bank;
    const ir::SharedNodes m_nodes;
    const schedule::ScheduledGraph& m_scheduled;
    const schedule::Timeline& m_timeline;
    absl::flat_hash_map<ir::TermId, std::uint32_t> m_number;
    std::vector<std::uint32_t> m_operation;  // by node
    std::vector<double> m_readyAt;           // by node
};

std::string devicesText(std::size_t count) { return count == 1 ? "1 device" : fmt::format("{} devices", count); }

}  // namespace

std::uint64_t highestPeakOf(const schedule::ScheduledGraph& scheduled, const schedule::Timeline& timeline) {
    return timeline.highestPeak() + scheduled.residentBytes;
}

ScheduleValue::ScheduleValue(schedule::ScheduledGraph scheduled, schedule::Timeline timeline)
    : m_scheduled(std::move(scheduled)),
      m_timeline(std::move(timeline)) {}

std::string ScheduleValue::summary() const {
    return fmt::format("{}, {}, peak {}", devicesText(m_scheduled.machine.devices.size()),
                       amountText(m_timeline.runtime, m_scheduled.unit.empty() ? "units" : m_scheduled.unit),
                       amountText(static_cast<double>(highestPeakOf(m_scheduled, m_timeline)), "bytes"));
}

std::string ScheduleValue::text() const { return schedule::scheduleJson(m_scheduled, m_timeline); }

std::optional<std::string> ScheduleValue::fault(const ir::TermBank& bank, const ir::Program& program,
                                                const std::stop_token& /*stop*/) const {
    const std::vector<std::string> faults = schedule::faultsOf(m_scheduled.graph, m_scheduled.machine,
                                                               m_scheduled.options, m_scheduled.schedule, m_timeline);
    if (!faults.empty()) return faults.front();
    if (!m_timeline.isFeasible()) {
        return fmt::format("it needs {} more than a device has",
                           amountText(static_cast<double>(m_timeline.overflow), "bytes"));
    }
    return ProgramCheck(bank, program.root, m_scheduled, m_timeline).fault();
}

}  // namespace mitos::search::placement
