// SPDX-License-Identifier: GPL-3.0-or-later
// Times of the variants of a function as bars with their spread.
#pragma once

#include "search/experiments/ablation.h"
#include "views/plot/plot_panel.h"

#include <QString>
#include <vector>

class QCPBars;
class QCPErrorBars;
class QCPGraph;
class QCPItemText;

namespace mitos::views {

[[nodiscard]] QString variantTitle(search::experiments::AblationTime::Variant variant);
/// "12.4 µs (11.9 to 13.2 µs), × 3.1 of the function"; `primal` is 0 if that has no time.
[[nodiscard]] QString timeSummary(const codegen::ProgramTime& time, double primal);

class AblationChart final : public PlotPanel {
    Q_OBJECT
public:
    explicit AblationChart(QWidget* parent = nullptr);

    /// Times without a problem are drawn.
    void setTimes(const std::vector<search::experiments::AblationTime>& times);
    [[nodiscard]] int barCount() const { return static_cast<int>(m_bars.size()); }

protected:
    [[nodiscard]] Extent extent() const override;
    void applyColors(const Theme& theme) override;
    [[nodiscard]] bool reacts(const QPointF& /*place*/) const override { return false; }
    void clicked(const QPointF& /*place*/) override {}
    [[nodiscard]] QStringList valuesAt(double /*key*/) const override { return {}; }

private:
    struct Bar {
        QCPBars* bar;
        QCPGraph* point;  ///< the median, with a name, as data
        QCPErrorBars* spread;
        QCPItemText* label;
    };
    void clear();

    std::vector<Bar> m_bars;
    double m_low = 0.0;
    double m_high = 0.0;
    bool m_isLogarithmic = false;
};

}  // namespace mitos::views
