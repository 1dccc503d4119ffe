// SPDX-License-Identifier: GPL-3.0-or-later
// Where the lanes of a Gantt chart lie: for each schedule a title, and for each of its devices the operations, the memory in use and, if
// asked for, the lifetimes of tensors.
#pragma once

#include "views/schedule/shown_schedule.h"

#include <optional>
#include <span>
#include <vector>

namespace mitos::views {

struct GanttLane {
    enum class Kind { Title, Operations, Memory, Lifetimes };
    Kind kind = Kind::Title;
    int schedule = 0;
    std::uint32_t device = 0;
    int top = 0;  ///< pixels
    int height = 0;
    std::vector<int> rows = {};  ///< of lifetimes: by their number in the schedule, those of other devices −1
    int rowCount = 0;

    [[nodiscard]] int bottom() const { return top + height; }
};

class GanttLayout {
public:
    GanttLayout() = default;
    /// `line` is the height of a line of text. What is left of the room is shared by the memory strips, within reason.
    GanttLayout(std::span<const ShownSchedulePtr> schedules, bool showsLifetimes, int line, int room = 0);

    [[nodiscard]] const std::vector<GanttLane>& lanes() const { return m_lanes; }
    [[nodiscard]] int height() const { return m_height; }
    [[nodiscard]] int axisHeight() const { return m_axisHeight; }
    [[nodiscard]] const GanttLane* laneAt(int y) const;
    [[nodiscard]] const GanttLane* find(GanttLane::Kind kind, int schedule, std::uint32_t device) const;

private:
    void add(GanttLane lane, int& y);

    std::vector<GanttLane> m_lanes;
    int m_height = 0;
    int m_axisHeight = 0;
};

}  // namespace mitos::views
