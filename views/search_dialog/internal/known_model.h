// SPDX-License-Identifier: GPL-3.0-or-later
// A trained model of any kind, as a list shows it: what it is for, how it was trained, and whether it fits the open program.
#pragma once

#include "search/placement/policy_model.h"
#include "search/rewriting/value_model.h"
#include "views/document/document.h"
#include "views/document/model_files.h"
#include "views/search_dialog/search_dialog.h"

#include <QDateTime>
#include <QList>
#include <QString>
#include <memory>
#include <optional>
#include <stop_token>
#include <variant>
#include <vector>

namespace mitos::views {

struct KnownModel {
    QString name;  ///< as listed
    QString path;  ///< empty: it comes with the program
    /// Nothing if it cannot be read: `problem` says why.
    std::variant<std::monostate, search::placement::PolicyModel, search::ValueModel> model = {};
    QString problem = {};
    QString misfit = {};  ///< why it does not fit the open program; empty if it does
    QString remark = {};  ///< on a model that fits
    qint64 bytes = 0;     ///< of its file; 0 without one
    QDateTime changedAt = {};
    bool canGoOn = false;  ///< the state of its training is stored beside it

    [[nodiscard]] const search::placement::PolicyModel* policy() const {
        return std::get_if<search::placement::PolicyModel>(&model);
    }
    [[nodiscard]] const search::ValueModel* value() const { return std::get_if<search::ValueModel>(&model); }
    [[nodiscard]] bool isReadable() const { return !std::holds_alternative<std::monostate>(model); }
    [[nodiscard]] bool isUsable() const { return isReadable() && misfit.isEmpty(); }
    [[nodiscard]] std::string kind() const;  ///< "policy" or "value"; empty if it is not known
    [[nodiscard]] const std::vector<search::CurvePoint>& curve() const;  ///< empty for a model that cannot be read
    /// How a strategy's parameter names it.
    [[nodiscard]] QString parameterValue() const { return path.isEmpty() ? QStringLiteral("shipped") : path; }

    // in words, for the columns of the list
    [[nodiscard]] QString fitText() const;
    [[nodiscard]] QString purposeText() const;   ///< "peak memory, 2 devices", "ks-2021, ks-simple"
    [[nodiscard]] QString subjectsText() const;  ///< what it was trained on
    [[nodiscard]] QString lengthText() const;    ///< "30 epochs"
    [[nodiscard]] QString seedText() const;
    [[nodiscard]] QString sizeText() const;     ///< "21.9 kB"
    [[nodiscard]] std::size_t numbers() const;  ///< parameters of the network
    [[nodiscard]] QString improvementText() const;
    [[nodiscard]] QString details() const;  ///< on several lines
};

/// The settings that models have to fit; a copy, for jobs.
struct ModelUse {
    std::optional<Snapshot> program = {};  ///< the current state; nothing if no program is open
    std::vector<std::shared_ptr<const rules::DirectedRule>> rules = {};
    std::shared_ptr<const cost::CostModel> cost = {};
    std::vector<ScheduleGoal> goals = {};  ///< empty if the program is not scheduled

    [[nodiscard]] static ModelUse of(const Document& document);
};

/// Reads the files, and the models that come with the program, those last. A file that cannot be read is listed with the reason.
[[nodiscard]] std::vector<KnownModel> readModels(const QList<KnownModelFile>& files, const ModelUse& use,
                                                 const std::stop_token& stop);

}  // namespace mitos::views
