// SPDX-License-Identifier: GPL-3.0-or-later
// The kinds of trainings, as data: what each learns from, its parameters, and what its curve means.
#pragma once

#include "search/strategy.h"
#include "views/document/document.h"

#include <QString>
#include <QStringList>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mitos::views {

/// What a training may learn from.
struct TrainingSource {
    QString title;
    QString toolTip;
    /// The subjects, one a line, as the training's parameter has them; `others` are the sessions of the other open programs. Null: the files
    /// that the user lists.
    std::function<std::string(const QStringList& others)> subjects;
    bool needsOpenProgram = false;
};

struct TrainingKind {
    std::string strategy;   ///< its name: "train-policy"
    std::string modelKind;  ///< of the file it writes: "policy"
    QString title;
    QString intro;
    QString subjectsTitle;  ///< the name of the field with the sources
    QString filesHelp;
    QString fileFilter;
    QString usualFile;
    std::string subjects;      ///< the parameter with them
    std::string validation;    ///< the parameter with paths that validate; empty: there is none
    std::string steps;         ///< the parameter that limits the points of the curve
    QString stepTitle;         ///< such a step in a sentence: "epoch"
    QString stepsTitle;        ///< the axis of these: "epochs"
    bool usesRules = false;    ///< whether rules and cost model in force matter
    QString improvementTitle;  ///< of the axis, with its unit
    QString rewardTitle;       ///< of the axis for minus the reward of the points
    std::vector<TrainingSource> sources;
    std::vector<ParameterInfo> parameters;  ///< without those that have fields of their own
    /// Why the document's program cannot take part; empty if it can.
    std::function<QString(const Document& document)> obstacle;
    /// The training, with the rules that are in force.
    std::function<std::shared_ptr<const search::Strategy>(const Document& document)> make;
};

/// All kinds, in the order of the dialog.
[[nodiscard]] std::vector<TrainingKind> trainingKinds();

}  // namespace mitos::views
