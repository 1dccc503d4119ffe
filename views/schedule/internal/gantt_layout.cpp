// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/schedule/internal/gantt_layout.h"

#include <algorithm>

namespace mitos::views {

namespace {

constexpr int Gap = 4;
constexpr int SmallestRow = 2;
constexpr int LargestRow = 9;
constexpr int MostOfLifetimes = 240;
constexpr int MostLines = 6;  // by which a memory strip grows

/// Gives each lifetime of a device the first row that is free, in the order in which they begin.
void fillRows(const ShownSchedule& shown, GanttLane& lane) {
    const std::vector<schedule::Lifetime>& all = shown.lifetimes().all();
    lane.rows.assign(all.size(), -1);
    std::vector<std::uint32_t> busyUntil;  // by row: the event
    for (std::size_t i = 0; i < all.size(); ++i) {
        const schedule::Lifetime& life = all[i];
        if (life.device != lane.device) continue;
        auto free = std::ranges::find_if(busyUntil, [&](std::uint32_t end) { return end <= life.begin; });
        if (free == busyUntil.end()) free = busyUntil.insert(free, 0U);
        *free = life.end;
        lane.rows[i] = static_cast<int>(free - busyUntil.begin());
    }
    lane.rowCount = std::max(1, static_cast<int>(busyUntil.size()));
    lane.height = std::clamp(MostOfLifetimes / lane.rowCount, SmallestRow, LargestRow) * lane.rowCount;
}

}  // namespace

GanttLayout::GanttLayout(std::span<const ShownSchedulePtr> schedules, bool showsLifetimes, int line, int room)
    : m_axisHeight(line + 2 * Gap) {
    int y = m_axisHeight;
    int strips = 0;
    for (int number = 0; number < static_cast<int>(schedules.size()); ++number) {
        const ShownSchedule& shown = *schedules[static_cast<std::size_t>(number)];
        add({.kind = GanttLane::Kind::Title, .schedule = number, .height = line + Gap}, y);
        for (std::uint32_t device = 0; device < shown.deviceCount(); ++device, ++strips) {
            add({.kind = GanttLane::Kind::Operations, .schedule = number, .device = device, .height = line + 3 * Gap},
                y);
            add({.kind = GanttLane::Kind::Memory, .schedule = number, .device = device, .height = 2 * line + 3 * Gap},
                y);
            if (showsLifetimes) {
                GanttLane lane{.kind = GanttLane::Kind::Lifetimes, .schedule = number, .device = device};
                fillRows(shown, lane);
                add(std::move(lane), y);
            }
            y += Gap;
        }
    }
    const int own = strips > 0 ? std::clamp((room - y - Gap) / strips, 0, MostLines * line) : 0;
    int added = 0;
    for (GanttLane& lane : m_lanes) {
        lane.top += added;
        if (lane.kind != GanttLane::Kind::Memory) continue;
        lane.height += own;
        added += own;
    }
    m_height = y + added + Gap;
}

void GanttLayout::add(GanttLane lane, int& y) {
    lane.top = y;
    y = lane.bottom() + Gap;
    m_lanes.push_back(std::move(lane));
}

const GanttLane* GanttLayout::laneAt(int y) const {
    const auto found =
        std::ranges::find_if(m_lanes, [y](const GanttLane& lane) { return lane.top <= y && y < lane.bottom(); });
    return found == m_lanes.end() ? nullptr : &*found;
}

const GanttLane* GanttLayout::find(GanttLane::Kind kind, int schedule, std::uint32_t device) const {
    const auto found = std::ranges::find_if(m_lanes, [&](const GanttLane& lane) {
        return lane.kind == kind && lane.schedule == schedule && lane.device == device;
    });
    return found == m_lanes.end() ? nullptr : &*found;
}

}  // namespace mitos::views
