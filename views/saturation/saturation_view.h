// SPDX-License-Identifier: GPL-3.0-or-later
// How an e-graph grew: the iterations to go through, e-nodes and classes over them, and what each rule did.
#pragma once

#include "views/document/egraph_document.h"

#include <QTimer>
#include <QWidget>

class QComboBox;
class QLabel;
class QSlider;
class QStackedWidget;
class QToolButton;

namespace mitos::views {

class EmptyState;
class GrowthChart;
class HeatmapModel;
class HeatmapTable;

class SaturationView : public QWidget {
    Q_OBJECT
public:
    explicit SaturationView(EGraphDocument& document, QWidget* parent = nullptr);

    /// To the next or the previous snapshot; ends playing.
    void step(int by);
    /// A program is open that could be saturated: the empty state offers it.
    void offerSaturation();

Q_SIGNALS:
    /// The button of the empty state.
    void saturateRequested();
    void cheapestRequested();

protected:
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    QWidget* buildIterations();
    QWidget* buildHeatmap();
    void togglePlaying();
    void refresh();
    /// Offers the gains to the heatmap only where they are known.
    void offerGains();
    void showStep();
    void updateIcons();
    [[nodiscard]] QString summary() const;

    EGraphDocument& m_document;
    bool m_stale = true;
    QTimer m_playing;
    QTimer m_liveTimer;  ///< while an e-graph grows, a few looks a second are enough
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
};

}  // namespace mitos::views
