// SPDX-License-Identifier: GPL-3.0-or-later
// See shown_gain.h.
#include "views/program/shown_gain.h"

#include "views/common/format.h"
#include "views/program/code_view.h"

#include <QCoreApplication>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

QString inWords(const char* text) { return QCoreApplication::translate("mitos::views::gain", text); }

}  // namespace

QString withinText(std::uint32_t steps) {
    return steps == 1 ? inWords("within 1 step") : inWords("within %1 steps").arg(steps);
}

ShownGain::ShownGain(search::GainMap map, std::uint32_t steps, QString unit)
    : m_map(std::move(map)),
      m_steps(steps),
      m_unit(std::move(unit)) {}

std::optional<double> ShownGain::heat(NodeIndex node) const {
    return node < m_map.size() ? m_map.heat(node, m_steps) : std::nullopt;
}

QString ShownGain::signedAmount(double gain) const {
    return gain > 0.0 ? QStringLiteral("▼ −%1").arg(views::amountText(gain, m_unit)) : views::amountText(0.0, m_unit);
}

QString ShownGain::shortText(NodeIndex node) const {
    const std::optional<double> gain = node < m_map.size() ? m_map.gain(node, m_steps) : std::nullopt;
    if (!gain) return QStringLiteral("–");
    return *gain > 0.0 ? deltaText(-*gain, m_unit) : costText(0.0);
}

QString ShownGain::amountText(NodeIndex node) const {
    const std::optional<double> gain = node < m_map.size() ? m_map.gain(node, m_steps) : std::nullopt;
    return gain ? signedAmount(*gain) : QStringLiteral("–");
}

QString ShownGain::text(NodeIndex node) const {
    const std::optional<double> gain = node < m_map.size() ? m_map.gain(node, m_steps) : std::nullopt;
    if (!gain) return inWords("No estimate of a gain");
    const QString within = withinText(m_steps);
    if (*gain <= 0.0) return inWords("No gain expected %1").arg(within);
    const QString all =
        inWords("Gain %1 of %2 %3").arg(signedAmount(*gain), views::amountText(m_map.cost(node), m_unit), within);
    const double own = m_map.arising(node, m_steps).value_or(0.0);
    if (own <= 0.0) return inWords("%1, all of it in smaller parts").arg(all);
    if (isNoChange(own - *gain, *gain)) return all;
    return inWords("%1; %2 of it in no smaller part").arg(all, views::amountText(own, m_unit));
}

QString ShownGain::largestText() const { return signedAmount(m_map.largest(m_steps)); }

std::vector<HeatRange> ShownGain::ranges(const ProgramText& text, ProgramText::Form form) const {
    struct Hot {
        TextRange range;
        double heat = 0.0;
    };
    std::vector<Hot> hot;
    const std::size_t count = std::min(m_map.size(), text.nodes().size());
    for (std::size_t node = 0; node < count; ++node) {
        const double heat = m_map.heat(node, m_steps).value_or(0.0);
        const TextRange range = text.range(static_cast<NodeIndex>(node), form);
        if (heat > 0.0 && range.begin < range.end) hot.push_back({range, heat});
    }
    // Outer ranges come before those in them: nodes are in pre-order, and longer ranges contain shorter ones.
    std::ranges::stable_sort(hot, [](const Hot& a, const Hot& b) {
        return a.range.begin != b.range.begin ? a.range.begin < b.range.begin : a.range.end > b.range.end;
    });
    std::vector<HeatRange> ranges;
    qsizetype at = 0;
    const auto add = [&](qsizetype end, double heat) {
        if (at < end) ranges.push_back({{at, end}, heat});
        at = std::max(at, end);
    };
    std::vector<Hot> open;
    const auto closeUntil = [&](qsizetype position) {
        while (!open.empty() && open.back().range.end <= position) {
            add(open.back().range.end, open.back().heat);
            open.pop_back();
        }
    };
    for (const Hot& next : hot) {
        closeUntil(next.range.begin);
        if (!open.empty()) add(next.range.begin, open.back().heat);
        at = std::max(at, next.range.begin);
        open.push_back(next);
    }
    closeUntil(text.text(form).size());
    return ranges;
}

}  // namespace mitos::views
