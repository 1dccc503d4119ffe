// SPDX-License-Identifier: GPL-3.0-or-later
// See regal_models.h.
#include "search/experiments/regal_models.h"

#include "core/base/hash.h"
#include "search/learned/model_fields.h"
#include "search/learned/model_file.h"
#include "search/placement/policy_trainer.h"
#include "search/placement/shipped_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>

namespace mitos::search::experiments {

namespace {

using placement::Objective;

const char* objectiveName(Objective objective) { return objective == Objective::Memory ? "memory" : "time"; }

/// Fails for a model that cannot be used here, and says why.
Status checkUse(const placement::PolicyModel& model) {
    if (model.decode != placement::Decode::Paper)
        return inputError("it is for keys that mean priorities alone, not for those of the paper", "");
    if (model.devices != RegalDevices)
        return inputError(fmt::format("it is for {} devices, not for two", model.devices), "");
    const bool isUnknown = model.machine.empty();
    if (!isUnknown && model.machine.find("instant") == std::string::npos)
        return inputError(fmt::format("it is for {}, not for instant transfers", model.machine), "");
    return Success{};
}

/// Reads a model. The error says why it cannot be used here.
Result<RegalModel> usableModel(const std::filesystem::path& path) {
    MITOS_TRY(const learned::ModelFile file, learned::loadModel(path.string()));
    RegalModel found{.file = path.filename().string()};
    MITOS_TRY(found.model, placement::loadPolicy(path.string()));
    found.digest = fmt::format("{:016x}", hashText(learned::toBytes(file)));
    MITOS_REQUIRE(checkUse(found.model));
    return found;
}

/// A message that names a file, with its name alone: reports do not say where the models were.
std::string withoutFolder(std::string message, const std::filesystem::path& path) {
    const std::string whole = path.string();
    if (const std::size_t at = message.find(whole); at != std::string::npos)
        message.replace(at, whole.size(), path.filename().string());
    return message;
}

/// How far two numbers of evaluations are apart, as a ratio.
double distance(std::uint64_t one, std::uint64_t other) {
    return std::abs(std::log(static_cast<double>(std::max<std::uint64_t>(one, 1))) -
                    std::log(static_cast<double>(std::max<std::uint64_t>(other, 1))));
}

}  // namespace

RegalRole RegalModel::role() const {
    if (model.shape.kind == learned::NetworkKind::Sequence) return RegalRole::Sequence;
    if (model.generations == 1) return RegalRole::Random;
    if (model.features == placement::PolicyView::Nothing) return RegalRole::Constant;
    return model.shape.rounds == 0 ? RegalRole::Isolated : RegalRole::Regal;
}

const learned::CurvePoint* RegalModel::bestPoint() const { return bestIn(model.curve); }

Objective objectiveOf(RegalTask task) { return task == RegalTask::Memory ? Objective::Memory : Objective::Runtime; }

Result<RegalModels> RegalModels::in(const std::string& folder, std::uint64_t evaluations) {
    RegalModels models;
    if (folder.empty()) {
        for (placement::ShippedModel& shipped : placement::shippedModels()) {
            RegalModel own{.file = shipped.name + std::string(learned::ModelEnding)};
            own.digest = fmt::format("{:016x}", hashText(learned::toBytes(placement::toFile(shipped.model))));
            own.model = std::move(shipped.model);
            if (const Status use = checkUse(own.model); use)
                models.m_all.push_back(std::move(own));
            else
                models.m_ignored.emplace_back(own.file, use.error().message);
        }
        models.choose(evaluations);
        return models;
    }
    std::error_code failure;
    std::vector<std::filesystem::path> paths;
    for (std::filesystem::directory_iterator entry(folder, failure), end; !failure && entry != end;
         entry.increment(failure)) {
        if (entry->path().extension() == learned::ModelEnding) paths.push_back(entry->path());
    }
    if (failure) {
        return inputError(fmt::format("the models in {} cannot be read: {}", folder, failure.message()),
                          "--models names a folder with files that `mitos-cli train policy` wrote");
    }
    std::ranges::sort(paths);
    for (const std::filesystem::path& path : paths) {
        if (auto model = usableModel(path))
            models.m_all.push_back(*std::move(model));
        else
            models.m_ignored.emplace_back(path.filename().string(), withoutFolder(model.error().message, path));
    }
    models.choose(evaluations);
    return models;
}

void RegalModels::choose(std::uint64_t evaluations) {
    const auto isBetter = [&](const RegalModel& one, const RegalModel& other) {
        const double apart = distance(one.model.evaluations, evaluations);
        const double otherApart = distance(other.model.evaluations, evaluations);
        if (apart != otherApart) return apart < otherApart;
        const learned::CurvePoint* const point = one.bestPoint();
        const learned::CurvePoint* const otherPoint = other.bestPoint();
        return point != nullptr && (otherPoint == nullptr || point->improvement > otherPoint->improvement);
    };
    const auto offer = [&](RegalRole role, std::size_t number) {
        const auto [entry, isNew] = m_chosen.try_emplace({m_all[number].model.objective, role}, number);
        if (!isNew && isBetter(m_all[number], m_all[entry->second])) entry->second = number;
    };
    for (std::size_t i = 0; i < m_all.size(); ++i) offer(m_all[i].role(), i);
    for (std::size_t i = 0; i < m_all.size(); ++i) {
        if (m_all[i].role() != RegalRole::Regal) continue;
        const RegalModel* const chosen = find(m_all[i].model.objective, RegalRole::Regal);
        using placement::PolicyView;
        const bool seesMethods = m_all[i].model.features == PolicyView::Methods;
        if ((chosen->model.features == PolicyView::Methods) != seesMethods)
            offer(RegalRole::Alone, i);
        else if ((chosen->model.noise > 0.0) != (m_all[i].model.noise > 0.0))
            offer(RegalRole::Other, i);
    }
}

const RegalModel* RegalModels::find(Objective objective, RegalRole role) const {
    const auto found = m_chosen.find({objective, role});
    return found == m_chosen.end() ? nullptr : &m_all[found->second];
}

std::string RegalModels::missingText(Objective objective, RegalRole role, bool hasFolder) {
    const char* setting = "";
    switch (role) {
        case RegalRole::None:
        case RegalRole::Regal: break;
        case RegalRole::Other: setting = " --set variants=4 (without it, if REGAL's model has it)"; break;
        case RegalRole::Sequence: setting = " --set network=sequence"; break;
        case RegalRole::Random: setting = " --set generations=1"; break;
        case RegalRole::Isolated: setting = " --set rounds=0"; break;
        case RegalRole::Constant: setting = " --set features=nothing"; break;
        case RegalRole::Alone: setting = " --set features=all --set imitation_steps=0"; break;
    }
    return fmt::format(
        "{}; train one: mitos-cli train policy -o FOLDER/my.model --objective {} --set decode=paper --set "
        "starts=false{}",
        hasFolder ? "there is no such model in the folder"
                  : "no such model comes with the program, and no folder of models is given (--models)",
        objectiveName(objective), setting);
}

}  // namespace mitos::search::experiments
