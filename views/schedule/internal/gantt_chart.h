// SPDX-License-Identifier: GPL-3.0-or-later
// One or two schedules over time: what each device does, and the memory that it needs.
#pragma once

#include "views/schedule/internal/gantt_layout.h"

#include <QPointF>
#include <QString>
#include <QWidget>
#include <optional>
#include <vector>

class QPainter;

namespace mitos::views {

class Theme;

/// The wheel zooms at the pointer, dragging pans, a double click shows everything again; Plus, Minus, Left, Right and Home do the same. A click
/// selects an operation, or a moment of a memory strip. Operations that are less than a pixel wide are drawn together as a density.
class GanttChart : public QWidget {
    Q_OBJECT
public:
    explicit GanttChart(QWidget* parent = nullptr);

    struct Entry {
        ShownSchedulePtr shown;
        QString title;
    };
    /// A moment of a device, whose memory is explained.
    struct Moment {
        int schedule = 0;
        std::uint32_t device = 0;
        double time = 0.0;

        friend bool operator==(const Moment&, const Moment&) = default;
    };

    /// Keeps the part in view if the time scale is the same.
    void show(std::vector<Entry> entries);
    void setShowsLifetimes(bool shows);
    void setSelected(int schedule, std::optional<std::uint32_t> operation);
    [[nodiscard]] std::optional<std::uint32_t> selected() const { return m_selected; }
    /// Marks the moment, and the lifetimes of these copies.
    void setMoment(const std::optional<Moment>& moment, std::vector<std::uint32_t> copies);

    void zoom(double factor, double at);  ///< `at`: the time that stays where it is
    void showAll();
    [[nodiscard]] bool isZoomed() const { return m_from > 0.0 || m_to < m_end; }
    [[nodiscard]] double centre() const { return (m_from + m_to) / 2.0; }

    /// The chart in the widget's size, for pictures.
    void paint(QPainter& painter) const;
    /// The place of an operation's bar, in pixels; empty if it is out of view.
    [[nodiscard]] QRectF barOf(int schedule, std::uint32_t operation) const;
    [[nodiscard]] QPointF placeIn(int schedule, std::uint32_t device, GanttLane::Kind kind, double time) const;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    void operationChosen(int schedule, unsigned operation);
    void momentChosen(int schedule, unsigned device, double time);
    void zoomChanged();

protected:
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

private:
    [[nodiscard]] double xOf(double time) const;
    [[nodiscard]] double timeAt(double x) const;
    [[nodiscard]] const ShownSchedule& shown(const GanttLane& lane) const {
        return *m_entries[static_cast<std::size_t>(lane.schedule)].shown;
    }
    void layOut();
    void fillRoom();
    void pan(double time);
    [[nodiscard]] std::optional<std::uint32_t> operationAt(const QPointF& place) const;
    [[nodiscard]] QString textAt(const QPointF& place) const;
    void paintAxis(QPainter& painter, const Theme& theme) const;
    void paintTitle(QPainter& painter, const Theme& theme, const GanttLane& lane) const;
    void paintOperations(QPainter& painter, const Theme& theme, const GanttLane& lane) const;
    void paintMemory(QPainter& painter, const Theme& theme, const GanttLane& lane) const;
    void paintLifetimes(QPainter& painter, const Theme& theme, const GanttLane& lane) const;
    void paintTransfers(QPainter& painter, const Theme& theme) const;
    void paintLegend(QPainter& painter, const Theme& theme) const;
    void paintMoment(QPainter& painter, const Theme& theme) const;
    void paintMargin(QPainter& painter, const Theme& theme, const GanttLane& lane, const QString& upper,
                     const QString& lower) const;

    std::vector<Entry> m_entries;
    GanttLayout m_layout;
    bool m_showsLifetimes = false;
    int m_leastHeight = 0;
    double m_end = 1.0;  ///< the longest run time
    double m_from = 0.0;
    double m_to = 1.0;
    int m_selectedIn = 0;
    std::optional<std::uint32_t> m_selected;
    std::optional<Moment> m_moment;
    std::vector<std::uint32_t> m_copies;
    std::optional<QPointF> m_pressed;
    bool m_isPanning = false;
};

}  // namespace mitos::views
