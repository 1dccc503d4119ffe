// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/search_dialog/internal/known_model.h"

#include "search/learned/model_fields.h"
#include "search/learned/model_value.h"
#include "search/placement/shipped_models.h"
#include "views/common/format.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QLocale>
#include <QStringList>
#include <algorithm>
#include <string_view>
#include <utility>

namespace mitos::views {

namespace {

using search::ValueModel;
using search::placement::Objective;
using search::placement::PolicyModel;

constexpr std::string_view PolicyKind = "policy";

QString said(const char* text) { return QCoreApplication::translate("mitos::views::models", text); }

QString objectiveText(Objective objective) {
    return objective == Objective::Memory ? said("peak memory") : said("run time");
}

/// A small problem for that many devices, which is all that the check of a model reads of one: the graph of a large program takes a while.
Result<schedule::Problem> anyProblem(std::size_t devices) {
    schedule::TaskGraph graph;
    graph.operations.emplace_back();
    return schedule::Problem::make(std::move(graph), schedule::equalDevices(devices));
}

/// The reason without the name of the model, which stands beside it.
QString withoutName(const Error& error, const QString& name) {
    QString text = fromUtf8(error.message);
    const QString begin = QStringLiteral("%1 does not fit: ").arg(name);
    if (text.startsWith(begin)) text.remove(0, begin.size());
    return text;
}

QString misfitOf(const PolicyModel& model, const QString& name, const ModelUse& use) {
    if (use.goals.empty()) return said("the program cannot be scheduled");
    const auto problem = anyProblem(model.devices);
    if (!problem) return fromUtf8(problem.error().oneLine());
    QString reason;
    for (const ScheduleGoal& goal : use.goals) {
        const Status fits =
            search::placement::checkFit(model, name.toStdString(), *problem, goal.objective, model.decode);
        if (fits) return {};
        if (goal.isInForce) reason = fromUtf8(fits.error().message);
    }
    return reason;
}

QString remarkOn(const PolicyModel& model, const ModelUse& use) {
    const QString devices =
        model.devices == 1 ? said("on 1 device") : said("on %1 devices").arg(QLocale().toString(model.devices));
    const auto goal = std::ranges::find(use.goals, model.objective, &ScheduleGoal::objective);
    if (goal != use.goals.end() && goal->isInForce) return devices;
    return said("%1, for %2").arg(devices, objectiveText(model.objective));
}

/// The first of them and how many more there are.
QString listText(const std::vector<std::string>& names, const char* many) {
    if (names.size() == 1) return fromUtf8(names.front());
    return said(many).arg(countText(names.size()));
}

/// Without those that validate.
std::vector<std::string> trainedOn(const ValueModel& model) {
    constexpr std::string_view Validation = " (validation)";
    std::vector<std::string> names = model.programs;
    std::erase_if(names, [&](const std::string& name) { return name.ends_with(Validation); });
    return names.empty() ? model.programs : names;
}

QString networkText(const ValueModel& model) {
    const search::learned::ValueNetworkShape& shape = model.shape;
    const QString numbers = countText(shape.hidden);
    if (shape.kind == search::learned::ValueNetworkKind::Terms)
        return said("network of terms, %1 numbers a node").arg(numbers);
    return said("graph network of the Knossos paper, %1 numbers a node, %2 rounds")
        .arg(numbers, countText(shape.rounds));
}

void judge(KnownModel& known, const ModelUse& use) {
    if (!known.isReadable()) return;
    if (!use.program) {
        known.misfit = said("no program is open");
    } else if (const PolicyModel* const policy = known.policy()) {
        known.misfit = misfitOf(*policy, known.name, use);
        known.remark = remarkOn(*policy, use);
    } else {
        const ValueModel& value = *known.value();
        const search::SearchProblem problem{*use.program->bank, use.program->program, use.rules, use.cost, {}, 1, {}};
        const std::string name = known.name.toStdString();
        if (const Status fits = search::checkFit(value, name, problem); !fits)
            known.misfit = withoutName(fits.error(), known.name);
        known.remark = search::remarkOn(value, name, problem) ? said("yes, trained with other rules") : said("yes");
    }
}

KnownModel readFile(const QString& path) {
    const std::string file = QFile::encodeName(path).toStdString();
    const QFileInfo info(path);
    KnownModel known{.name = info.fileName(), .path = path};
    known.bytes = info.size();
    known.changedAt = info.lastModified();
    known.canGoOn = QFileInfo::exists(QFile::decodeName(search::learned::trainingPath(file).c_str()));
    const auto take = [&known](auto model) {
        if (model)
            known.model = *std::move(model);
        else
            known.problem = fromUtf8(model.error().oneLine());
    };
    const Result<search::learned::ModelFile> any = search::learned::loadModel(file);
    if (!any)
        known.problem = fromUtf8(any.error().oneLine());
    else if (any->kind == search::ValueModelKind)
        take(search::loadValueModel(file));
    else if (any->kind == PolicyKind)
        take(search::placement::loadPolicy(file));
    else if (any->kind.ends_with("training"))
        known.problem = said("it is the state of a training; the model stands beside it");
    else
        known.problem = said("it is a model of a kind that this version does not have: %1").arg(fromUtf8(any->kind));
    known.problem.replace(path, known.name);
    return known;
}

}  // namespace

std::string KnownModel::kind() const {
    if (policy() != nullptr) return std::string(PolicyKind);
    return value() != nullptr ? std::string(search::ValueModelKind) : std::string();
}

const std::vector<search::CurvePoint>& KnownModel::curve() const {
    static const std::vector<search::CurvePoint> none;
    if (const PolicyModel* const own = policy()) return own->curve;
    return value() != nullptr ? value()->curve : none;
}

QString KnownModel::fitText() const {
    if (!isReadable()) return QStringLiteral("⚠ ") + problem;
    return misfit.isEmpty() ? remark : said("no: %1").arg(misfit);
}

QString KnownModel::purposeText() const {
    if (const PolicyModel* const own = policy()) {
        const QString keys =
            own->decode == search::placement::Decode::Paper ? said("devices and priorities") : said("priorities");
        return said("schedules: %1, %2 devices, %3")
            .arg(objectiveText(own->objective), QLocale().toString(own->devices), keys);
    }
    if (value() == nullptr) return {};
    return said("rewriting: %1, %2").arg(fromUtf8(value()->cost), fromUtf8(value()->rules));
}

QString KnownModel::subjectsText() const {
    if (policy() != nullptr) return listText(policy()->graphs, "%1 graphs");
    return value() != nullptr ? listText(trainedOn(*value()), "%1 programs") : QString();
}

QString KnownModel::lengthText() const {
    if (curve().empty()) return {};
    const QString steps = countText(curve().back().step);
    return policy() != nullptr ? said("%1 steps").arg(steps) : said("%1 epochs").arg(steps);
}

QString KnownModel::seedText() const {
    if (policy() != nullptr) return QString::number(policy()->seed);
    return value() != nullptr ? QString::number(value()->seed) : QString();
}

QString KnownModel::sizeText() const {
    constexpr auto OfNumber = static_cast<qint64>(sizeof(float));
    const qint64 size = bytes > 0 ? bytes : static_cast<qint64>(numbers()) * OfNumber;
    return QLocale().formattedDataSize(size, 1, QLocale::DataSizeSIFormat);
}

std::size_t KnownModel::numbers() const {
    if (policy() != nullptr) return policy()->parameters.size();
    return value() != nullptr ? value()->parameters.size() : 0;
}

QString KnownModel::improvementText() const {
    const search::CurvePoint* const best = search::bestIn(curve());
    constexpr double Percent = 100.0;
    return best != nullptr ? QString::asprintf("%+.2f %%", Percent * best->improvement) : QString();
}

QString KnownModel::details() const {
    if (!isReadable()) return QStringLiteral("⚠ %1\n%2").arg(problem, path);
    QStringList lines{
        said("%1; %2 numbers").arg(fromUtf8(search::learned::improvementText(curve())), countText(numbers()))};
    if (const ValueModel* const own = value()) {
        lines.front() += said("; %1; %2 evaluations a search").arg(networkText(*own), countText(own->evaluations));
        QStringList programs;
        for (const std::string& name : own->programs) programs << QFileInfo(fromUtf8(name)).fileName();
        constexpr qsizetype Longest = 300;
        lines << said("Trained on %1").arg(shortened(programs.join(QStringLiteral(", ")), Longest));
        lines << fromUtf8(own->command);
    } else {
        lines << fromUtf8(policy()->command);
    }
    if (!path.isEmpty()) lines << path;
    return lines.join(QLatin1Char('\n'));
}

ModelUse ModelUse::of(const Document& document) {
    if (!document.isOpen()) return {};
    return {.program = document.snapshot(document.current()),
            .rules = document.rules().directions(),
            .cost = document.sharedCostModel(),
            .goals = document.dialect().can(ir::Capability::Schedule) ? scheduleGoals(document)
                                                                      : std::vector<ScheduleGoal>()};
}

std::vector<KnownModel> readModels(const QList<KnownModelFile>& files, const ModelUse& use,
                                   const std::stop_token& stop) {
    std::vector<KnownModel> models;
    for (const KnownModelFile& file : files) {
        if (stop.stop_requested()) return models;
        models.push_back(readFile(file.path));
    }
    const auto shippedName = [](const std::string& name) { return said("shipped: %1").arg(fromUtf8(name)); };
    for (search::ShippedValue& one : search::shippedValues())
        models.push_back({.name = shippedName(one.name), .path = {}, .model = std::move(one.model)});
    for (search::placement::ShippedModel& one : search::placement::shippedModels())
        models.push_back({.name = shippedName(one.name), .path = {}, .model = std::move(one.model)});
    for (KnownModel& known : models) judge(known, use);
    return models;
}

}  // namespace mitos::views
