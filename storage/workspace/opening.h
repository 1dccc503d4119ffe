// SPDX-License-Identifier: GPL-3.0-or-later
// Opens programs of any dialect, models, networks and sessions.
#pragma once

#include "core/base/source_text.h"
#include "core/cost/cost_model.h"
#include "core/rewrite/history.h"
#include "core/rules/rule.h"
#include "storage/session.h"
#include "storage/session_labels.h"
#include "storage/workspace/open_model.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace mitos::storage {

/// The thread of a run that ended when its session was closed, in its own bank.
struct RecoveredThread {
    int run = 0;  ///< its number
    std::shared_ptr<ir::TermBank> bank;
    rewrite::Thread thread;
    std::vector<double> costs;
};

/// Everything that changes when another program is opened; the bank is not shared with other threads yet.
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
    std::string text;         ///< as stored in the session
    std::string sessionPath;  ///< of a restored session; empty if a new one is to be created
    std::optional<ProgramId> program;
    std::size_t storedStates = 0;  ///< number of states in the session file
    std::map<std::string, std::string> viewValues;
    SessionLabels labels;
    std::string begunAt;  ///< when the session was begun: ISO 8601, UTC; empty if it is new
    std::vector<std::string> notices;
};

/// Rules and cost model, by name.
struct Choice {
    std::string rules;
    std::string costModel;
};

/// The settings in force: programs are opened with the choice for their dialect, sessions with their own.
struct Surroundings {
    std::shared_ptr<const ir::OperatorRegistry> registry;  ///< without operators declared by rule files
    std::optional<rules::RuleBook> rules;                  ///< those in force, if they are loaded already
    std::map<std::string, Choice> choices;                 ///< by dialect
};

/// The interface of the opening job, called between the steps of the work.
struct OpeningJob {
    std::stop_token stop;
    std::function<void(const char* doing)> report;

    /// Reports the next step. Returns Cancelled if a stop was requested.
    [[nodiscard]] Status enter(const char* doing) const;
};

/// Key of Session::setValue(): small values of the views, as a JSON object.
inline constexpr const char* ViewValuesKey = "views";
/// Stores one of these values; the others stay.
[[nodiscard]] Status storeViewValue(Session& session, const std::string& name, const std::string& value);
/// The name of such a value: the sessions of the programs that are compared with the one of this session, as a JSON array of paths.
inline constexpr const char* ComparedSessionsKey = "compared-sessions";

/// Opens a session, an ONNX model, or a text.
[[nodiscard]] Result<Opened> openAnyFile(const std::string& path, const std::string& function,
                                         const Surroundings& surroundings, const OpeningJob& job);
/// Opens a text that is in no file, of any dialect. Its name is the program's title.
[[nodiscard]] Result<Opened> openTyped(const SourceText& text, const Surroundings& surroundings, const OpeningJob& job);
[[nodiscard]] Result<Opened> openNetwork(const std::string& name, bool realistic, const Surroundings& surroundings,
                                         const OpeningJob& job);
/// Opens the program of a session as a new one: from its start, with the rules and the cost model of the surroundings.
[[nodiscard]] Result<Opened> openStoredAnew(const std::string& path, const Surroundings& surroundings,
                                            const OpeningJob& job);
/// The names of the functions among which openAnyFile() chooses; empty for other files than ks programs, and for a bare expression.
[[nodiscard]] Result<std::vector<std::string>> functionsIn(const std::string& path,
                                                           const std::shared_ptr<const ir::OperatorRegistry>& registry);
[[nodiscard]] Result<Opened> openStored(const std::string& path, const Surroundings& surroundings,
                                        const OpeningJob& job);

}  // namespace mitos::storage
