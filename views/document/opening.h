// SPDX-License-Identifier: GPL-3.0-or-later
// Reading programs and sessions: the work of Document's opening jobs. Nothing here knows the GUI.
#pragma once

#include "core/base/source_text.h"
#include "views/document/document.h"
#include "views/document/open_model.h"

#include <QJsonValue>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace mitos::views {

/// The thread of a run that ended when its session was left, in a bank of its own.
struct RecoveredThread {
    RunNumber run = 0;
    std::shared_ptr<ir::TermBank> bank;
    rewrite::Thread thread;
    std::vector<double> costs;
};

/// Everything that is new when another program is open; in a bank that nobody else knows yet.
struct Opened {
    std::shared_ptr<ir::TermBank> bank;
    std::optional<rewrite::History> history;
    rules::RuleBook rules;
    std::string costModelName;
    std::shared_ptr<const cost::CostModel> costModel;
    std::unique_ptr<cost::CostEvaluator> costs;
    std::shared_ptr<const OpenModel> model;  ///< of a tensor program
    std::vector<Run> runs;
    std::vector<RecoveredThread> recovered;  ///< not judged yet
    std::string title;
    std::string source;
    std::string text;         ///< as the session keeps it
    std::string sessionPath;  ///< of a restored session; empty: a new one is to be made
    std::optional<storage::ProgramId> program;
    std::size_t storedStates = 0;  ///< of the history, in that session
    std::map<std::string, std::string> viewValues;
    std::vector<std::string> notices;
};

/// Rules and cost model, by name.
struct Choice {
    std::string rules;
    std::string costModel;
};

/// What is in force in the document: programs are opened under what was chosen for their kind, sessions bring their own.
struct Surroundings {
    std::shared_ptr<const ir::OperatorRegistry> registry;  ///< without what rule files declare
    std::optional<rules::RuleBook> rules;                  ///< those in force, if they are loaded already
    std::array<Choice, 2> choices;                         ///< by ir::Sharing

    [[nodiscard]] const Choice& choice(ir::Sharing sharing) const {
        return choices.at(static_cast<std::size_t>(sharing));
    }
};

/// The job that opens something: asked between the parts of its work.
struct OpeningJob {
    std::stop_token stop;
    std::function<void(const char* doing)> report;

    /// Error: Cancelled.
    [[nodiscard]] Status enter(const char* doing) const;
};

/// Keys of Session::value that Document itself uses, besides those of storage/model_source.h.
using storage::AssumptionsKey;
using storage::CostModelKey;
using storage::CurrentStateKey;
using storage::ModelKey;
using storage::RulesKey;
inline constexpr const char* ViewValuesKey = "views";

/// Fields that Document adds to a stored run's statistics.
inline constexpr const char* ResultStateField = "result_state";
inline constexpr const char* FailedRulesField = "rules_failed";
inline constexpr const char* AllowsAssumptionsField = "allow_assumptions";

/// Name of a run as the origin of its states.
[[nodiscard]] std::string originOf(const Run& run);
/// The JSON object with one more field.
void addField(std::string& json, const char* key, const QJsonValue& value);

/// A session, an ONNX model, or a text.
[[nodiscard]] Result<Opened> openAnyFile(const std::string& path, const std::string& function,
                                         const Surroundings& surroundings, const OpeningJob& job);
/// A ks module or the listing of a tensor program.
[[nodiscard]] Result<Opened> openSource(const SourceText& source, const std::string& path, const std::string& function,
                                        const Surroundings& surroundings, const OpeningJob& job);
[[nodiscard]] Result<Opened> openNetwork(const std::string& name, bool realistic, const Surroundings& surroundings,
                                         const OpeningJob& job);
[[nodiscard]] Result<Opened> openStored(const std::string& path, const Surroundings& surroundings,
                                        const OpeningJob& job);

}  // namespace mitos::views
