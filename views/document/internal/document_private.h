// SPDX-License-Identifier: GPL-3.0-or-later
// The private data of Document, shared by its implementation files.
#pragma once

#include "core/base/cache_folder.h"
#include "views/document/compared_programs.h"
#include "views/document/document.h"
#include "views/document/internal/searches.h"
#include "views/document/internal/session_file.h"
#include "views/document/internal/thread_arrivals.h"

#include <QTimer>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace mitos::views {

struct Document::Private {
    explicit Private(JobRunner& jobs) : searches(jobs), further(jobs, searches, session) {}

    std::shared_ptr<const ir::OperatorRegistry> registry;
    QString ruleNames;
    QString costModelName;
    /// Rules and cost model for opening programs, by dialect.
    std::map<std::string, storage::Choice> choices;
    bool rulesLoaded = false;

    std::shared_ptr<eval::RuleTrust> trust = std::make_shared<eval::RuleTrust>(cacheFolder());
    bool isForeign = false;                      ///< some rules in force do not come with Mitos
    bool isInsisting = false;                    ///< failed rules are applied all the same
    std::vector<eval::DoubtfulRule> failed;      ///< of the rules in force
    std::vector<eval::DoubtfulRule> untested;    ///< rules in force that could not be tested
    std::vector<rewrite::Step> appliedUntested;  ///< steps taken by hand before their rules' test ended
    JobId testJob = 0;

    std::vector<std::optional<QStringList>> assumed;  ///< by state, as far as requested

    std::unique_ptr<QObject> program;  ///< context of jobs about the open program; deleting it drops their results
    std::unique_ptr<rewrite::Rewriter> rewriter;
    std::unique_ptr<ThreadArrivals> arrivals;
    /// Another cost model prices the history a few states at a time and then comes into force.
    struct Pricing {
        QString name;
        std::shared_ptr<const cost::CostModel> model;
        std::shared_ptr<cost::CostEvaluator> evaluator;
        std::vector<double> costs;
    };
    std::optional<Pricing> pricing;
    QTimer pricingTimer;
    Searches searches;
    /// The searches of a comparison.
    struct Comparing {
        std::deque<PreparedSearch> waiting;
        std::set<RunNumber> active;    ///< until their results are judged
        std::set<RunNumber> compared;  ///< all since the program was opened
        int searches = 0;              ///< of the comparison started last, with those that it goes on with
    };
    Comparing comparing;
    std::shared_ptr<const ir::TermBank> frozen;  ///< the bank of the snapshots taken last
    JobId openingJob = 0;
    JobId rulesJob = 0;
    bool isReloadDue = false;        ///< a file of the rules changed while they were being loaded
    std::function<void()> openNext;  ///< called once the rules are loaded

    SessionFile session{nullptr};
    ComparedPrograms further;     ///< the programs that are compared beside the open one
    std::set<QString> untouched;  ///< sessions left without changes; they are deleted in the end
    /// Deletions of such sessions that are in progress; an opening of the same session waits for its end.
    std::map<QString, std::shared_future<void>> deletions;
    [[nodiscard]] std::shared_future<void> deletionOf(const QString& session) const {
        const auto found = deletions.find(session);
        return found == deletions.end() ? std::shared_future<void>() : found->second;
    }
    std::string storedText;  ///< the program as its session stores it
};

}  // namespace mitos::views
