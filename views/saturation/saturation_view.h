// SPDX-License-Identifier: GPL-3.0-or-later
// The growth of an e-graph: its iterations, e-nodes and classes over them, and the effect of each rule.
#pragma once

#include "views/document/egraph_document.h"

#include <QTimer>
#include <QWidget>

class QComboBox;
class QLabel;
class QSlider;
class QStackedWidget;
class QTabWidget;
class QToolButton;

namespace mitos::views {

class EmptyState;
class GrowthChart;
class GuideTreeView;
class HeatmapModel;
class HeatmapTable;

class SaturationView : public QWidget {
    Q_OBJECT
public:
    explicit SaturationView(EGraphDocument& document, QWidget* parent = nullptr);

    /// Moves to another snapshot, relative to the one shown; stops playing.
    void step(int by);
    /// Lets the empty state offer saturation, because a program is open.
    void offerSaturation();

Q_SIGNALS:
    /// Emitted by the button of the empty state.
    void saturateRequested();
    void cheapestRequested();
    /// A goal should be asked for.
    void proofRequested();

private:
    QWidget* buildIterations();
    QWidget* buildHeatmap();
    void togglePlaying();
    void refresh();
    /// Lets the heatmap offer gains only if they are known.
    void offerGains();
    void showStep();
    void updateIcons();
    [[nodiscard]] QString summary() const;

    EGraphDocument& m_document;
    bool m_stale = true;
    QTimer m_playing;
    QTimer m_liveTimer;  ///< limits updates while an e-graph grows to a few per second
    QStackedWidget* m_stack;
    EmptyState* m_empty;
    QSlider* m_slider;
    QToolButton* m_play;
    QToolButton* m_back;
    QToolButton* m_on;
    QToolButton* m_take;
    QLabel* m_label;
    QLabel* m_unused;
    QComboBox* m_count;
    QComboBox* m_order;
    GrowthChart* m_chart;
    HeatmapModel* m_model;
    HeatmapTable* m_heatmap;
    QTabWidget* m_tabs;
    GuideTreeView* m_tree;
};

}  // namespace mitos::views
