// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/search_dialog/internal/training_progress.h"

#include "search/events.h"
#include "search/learned/model_value.h"
#include "views/common/format.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>
#include <algorithm>

namespace mitos::views {

namespace {

QString phrase(const char* text) { return QCoreApplication::translate("mitos::views::training", text); }

std::uint32_t limitOf(const search::Run& run, const std::string& name) {
    const auto found = run.parameters.find(name);
    const auto* const value = found != run.parameters.end() ? std::get_if<std::int64_t>(&found->second) : nullptr;
    return value != nullptr ? static_cast<std::uint32_t>(*value) : 0;
}

}  // namespace

TrainingProgressNow progressOf(const search::Run& run, const std::string& steps, double elapsed) {
    TrainingProgressNow now{.steps = limitOf(run, steps), .elapsed = elapsed};
    const std::vector<search::CurvePoint> points = search::learningCurveIn(run.events);
    if (!points.empty()) now.step = points.back().step;
    const auto reach = [&now](double share, double left) {
        if (!now.secondsLeft || left < *now.secondsLeft) {
            now.share = std::clamp(share, 0.0, 1.0);
            now.secondsLeft = std::max(0.0, left);
        }
    };
    std::optional<double> seconds = run.budget.seconds;
    const bool endsEarly = limitOf(run, "early_stop") > 0;
    if (!seconds && now.steps == 0 && !endsEarly) seconds = search::learned::UsualTrainingSeconds;
    if (seconds && *seconds > 0.0) reach(elapsed / *seconds, *seconds - elapsed);
    if (now.steps == 0 || points.size() < 2) return now;
    const search::CurvePoint& first = points.front();
    const search::CurvePoint& last = points.back();
    if (last.step <= first.step) return now;
    const double perStep = (last.seconds - first.seconds) / (last.step - first.step);
    const double left = perStep * (now.steps - std::min(now.steps, last.step));
    // The time since the last point is part of it.
    const double since = std::max(0.0, elapsed - run.events.back().seconds);
    reach(static_cast<double>(last.step) / now.steps, left - std::min(since, perStep));
    return now;
}

QString progressText(const TrainingProgressNow& now, const QString& stepTitle) {
    QStringList parts;
    const QString step = QLocale().toString(now.step);
    parts << (now.steps > 0 ? phrase("%1 %2 of %3").arg(stepTitle, step, QLocale().toString(now.steps))
                            : phrase("%1 %2").arg(stepTitle, step));
    parts << phrase("%1 so far").arg(durationText(now.elapsed));
    if (now.secondsLeft) parts << phrase("at most about %1 left").arg(durationText(*now.secondsLeft));
    return parts.join(QStringLiteral(", "));
}

}  // namespace mitos::views
