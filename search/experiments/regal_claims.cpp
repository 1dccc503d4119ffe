// SPDX-License-Identifier: GPL-3.0-or-later
// See regal_claims.h.
#include "search/experiments/regal_claims.h"

#include "search/experiments/regal_tables.h"
#include "search/report/html.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace mitos::search::experiments {

namespace {

constexpr std::string_view OwnAim = "aim of this project";

/// The results with what claims ask for.
class RegalJudge {
public:
    explicit RegalJudge(const RegalResults& results) : m_results(results) {}

    [[nodiscard]] RegalKey key(RegalTask task, RegalMethod method, RegalSet set = RegalSet::Unseen) const {
        return usualKey(m_results.plan(), task, set, method);
    }
    [[nodiscard]] double paper(std::string_view name) const {
        const NamedNumber* const number = m_results.paper().find(name);
        return number == nullptr ? 0.0 : number->value;
    }
    [[nodiscard]] std::string evaluations() const { return groupedText(m_results.plan().evaluations); }
    [[nodiscard]] std::string longEvaluations() const { return groupedText(m_results.plan().longEvaluations()); }

    /// "REGAL gains +2.10 % (…) on 100 graphs", or which runs are missing.
    [[nodiscard]] std::string gainOf(const RegalKey& key) const {
        const auto summary = m_results.summary(key);
        if (!summary) return fmt::format("There are no runs of {}.", m_results.title(key));
        if (summary->comparison.count() == 0)
            return fmt::format("{} and BRKGA have no graph on which all schedules fit.", m_results.title(key));
        return fmt::format("{} gains {} on {}.", m_results.title(key), gainText(summary->comparison.improvement),
                           report::plural(summary->comparison.count(), "graph", "graphs"));
    }

    /// The mean gain of a method has a limit.
    [[nodiscard]] Claim gain(const std::string& text, const std::string& place, const RegalKey& key,
                             double limit) const {
        Claim claim{text, place, Verdict::Open, gainOf(key)};
        const auto summary = m_results.summary(key);
        if (!summary) return claim;
        const IntervalMean& mean = summary->comparison.improvement;
        claim.verdict = limit > 0.0 ? reaches(mean, limit) : exceeds(mean, limit);
        return claim;
    }

    /// The share of graphs on which REGAL is not worse has a limit.
    [[nodiscard]] Claim share(RegalTask task, double limit) const {
        Claim claim{fmt::format("{}: REGAL matches or beats BRKGA on {:g} % of the graphs.", titleOf(task), limit),
                    "section 5.4; " + std::string(OwnAim), Verdict::Open, gainOf(key(task, RegalMethod::Regal))};
        const auto summary = m_results.summary(key(task, RegalMethod::Regal));
        if (!summary || summary->comparison.count() == 0) return claim;
        const IntervalMean share = summary->comparison.notWorse();
        claim.verdict = reaches(share, limit);
        claim.finding =
            fmt::format("It does on {:.1f} % ({:.1f} to {:.1f}): {} better, {} equal, {} worse.", share.mean, share.low,
                        share.high, summary->comparison.better, summary->comparison.equal, summary->comparison.worse);
        return claim;
    }

    /// The gain of REGAL is so many times that of the next best method of Table 1.
    [[nodiscard]] Claim timesNext(RegalTask task, double times, const std::string& place) const {
        Claim claim{
            fmt::format("{}: the gain of REGAL is {:g} times that of the next best method.", titleOf(task), times),
            place, Verdict::Open, gainOf(key(task, RegalMethod::Regal))};
        const auto next = m_results.nextBest(task, RegalSet::Unseen);
        const auto regal = m_results.summary(key(task, RegalMethod::Regal));
        if (!next || !regal) return claim;
        const IntervalMean own = regal->comparison.improvement;
        const double second = next->comparison.improvement.mean;
        claim.finding += fmt::format(" The next best is {} with {}", m_results.title(next->key),
                                     gainText(next->comparison.improvement));
        if (second <= 0.0) {
            // A multiple of nothing gained is nothing.
            claim.verdict = exceeds(own, 0.0);
            claim.finding += ", which is no gain, so that it is enough if REGAL has one.";
            return claim;
        }
        claim.verdict = reaches(m_results.advantage(key(task, RegalMethod::Regal), next->key, times), 0.0);
        claim.finding += own.mean > 0.0 ? fmt::format(": {:.1f} times.", own.mean / second) : std::string(".");
        return claim;
    }

    /// One method is better than another.
    [[nodiscard]] Claim better(const std::string& text, const std::string& place, const RegalKey& one,
                               const RegalKey& other) const {
        Claim claim{text, place, Verdict::Open, gainOf(one)};
        if (!m_results.summary(other)) {
            claim.finding = gainOf(other);
            return claim;
        }
        if (!m_results.summary(one)) return claim;
        const IntervalMean difference = m_results.advantage(one, other);
        claim.verdict = exceeds(difference, 0.0);
        claim.finding += " " + gainOf(other) + fmt::format(" The difference is {}.", gainText(difference));
        return claim;
    }

    [[nodiscard]] static const char* titleOf(RegalTask task) {
        switch (task) {
            case RegalTask::Memory: return "Peak memory";
            case RegalTask::Time: return "Run time";
            case RegalTask::Capped: return "Run time under a limit of memory";
        }
        return "";
    }

    [[nodiscard]] const RegalResults& results() const { return m_results; }

private:
    const RegalResults& m_results;
};

/// REGAL against all baselines at once.
Claim beatsAll(const RegalJudge& judge, RegalTask task) {
    Claim claim{fmt::format("{}: REGAL outperforms all baselines of Table 1.", RegalJudge::titleOf(task)),
                "section 5.3, Table 1", Verdict::Open, "There are no runs of REGAL."};
    const RegalKey regal = judge.key(task, RegalMethod::Regal);
    if (!judge.results().summary(regal)) return claim;
    std::vector<std::string> ahead;
    std::vector<std::string> near;
    std::vector<std::string> missing;
    std::size_t compared = 0;
    for (const RegalMethodInfo& info : regalMethods()) {
        if (info.group != RegalGroup::Paper || info.method == RegalMethod::Regal) continue;
        const RegalKey other = judge.key(task, info.method);
        if (!judge.results().summary(other)) {
            missing.emplace_back(info.title);
            continue;
        }
        ++compared;
        const Verdict verdict = exceeds(judge.results().advantage(regal, other), 0.0);
        if (verdict == Verdict::Fails) ahead.emplace_back(info.title);
        if (verdict == Verdict::Open) near.emplace_back(info.title);
    }
    claim.verdict = !ahead.empty() ? Verdict::Fails : near.empty() && missing.empty() ? Verdict::Holds : Verdict::Open;
    claim.finding = fmt::format("Of {} baselines with runs it is clearly better than {}.", compared,
                                compared - ahead.size() - near.size());
    const auto list = [&](const char* what, const std::vector<std::string>& names) {
        if (!names.empty()) claim.finding += fmt::format(" {}: {}.", what, fmt::join(names, ", "));
    };
    list("As good or better", ahead);
    list("Not told apart", near);
    list("Without runs", missing);
    return claim;
}

Claim moreEvaluations(const RegalJudge& judge, RegalTask task) {
    RegalKey longer = judge.key(task, RegalMethod::Regal);
    longer.evaluations = judge.results().plan().longEvaluations();
    return judge.better(fmt::format("{}: REGAL improves with more evaluations than its usual {}.",
                                    RegalJudge::titleOf(task), judge.evaluations()),
                        "section 5.4, Figure 3", longer, judge.key(task, RegalMethod::Regal));
}

Claim longSearchDoesNotMatch(const RegalJudge& judge, RegalTask task) {
    RegalKey longer = judge.key(task, RegalMethod::Brkga);
    longer.evaluations = judge.results().plan().longEvaluations();
    return judge.better(fmt::format("{}: BRKGA with {} evaluations does not match REGAL with {}.",
                                    RegalJudge::titleOf(task), judge.longEvaluations(), judge.evaluations()),
                        "section 5.4, Figure 3", judge.key(task, RegalMethod::Regal), longer);
}

/// The paper's Figure 4(b): by the rewards on validation graphs.
Claim messagesHelp(const RegalJudge& judge, placement::Objective objective) {
    Claim claim{fmt::format("{}: models with messages (T > 0) reach higher validation rewards than without.",
                            objective == placement::Objective::Memory ? "Peak memory" : "Run time"),
                "section 5.5, Figure 4(b)", Verdict::Open, "There are no models with and without messages."};
    const std::vector<const RegalModel*> models = bestByRounds(judge.results(), objective);
    if (models.size() < 2 || models.front()->model.shape.rounds != 0) return claim;
    const auto best = std::ranges::max_element(models.begin() + 1, models.end(), {},
                                               [](const RegalModel* model) { return model->bestPoint()->improvement; });
    const auto least = std::ranges::min_element(
        models.begin() + 1, models.end(), {}, [](const RegalModel* model) { return model->bestPoint()->improvement; });
    const double without = models.front()->bestPoint()->improvement;
    claim.verdict = (*least)->bestPoint()->improvement > without ? Verdict::Holds : Verdict::Fails;
    claim.finding = fmt::format(
        "Rewards: −{:.4f} without messages, −{:.4f} to −{:.4f} with 1 to {} rounds, the best with T = {}. The same "
        "validation graphs for all, one training "
        "for each.",
        1.0 - without, 1.0 - (*least)->bestPoint()->improvement, 1.0 - (*best)->bestPoint()->improvement,
        models.back()->model.shape.rounds, (*best)->model.shape.rounds);
    return claim;
}

/// Neither constant nor uniform: the mean entropy is well inside the range.
Claim actionsVary(const RegalJudge& judge, RegalTask task) {
    Claim claim{fmt::format("{}: the actions are neither uniform random nor constant.", RegalJudge::titleOf(task)),
                "section 5.5, Figure 4(a)", Verdict::Open, "There are no runs of REGAL."};
    const RegalKey key = judge.key(task, RegalMethod::Regal);
    const RegalModel* const model = judge.results().models().find(objectiveOf(task), RegalRole::Regal);
    std::vector<double> entropies;
    for (std::uint32_t i = 0; i < judge.results().plan().graphs; ++i) {
        const RegalOutcome* const outcome = judge.results().outcome(key, i);
        if (outcome != nullptr && outcome->actions) entropies.push_back(outcome->actions->devices);
    }
    if (entropies.empty() || model == nullptr) return claim;
    const IntervalMean mean = intervalMean(entropies);
    const double most = RegalDevices * std::log(static_cast<double>(model->model.betas.size()));
    constexpr double Margin = 0.05;  // of the whole range; nearer to an end is as good as there
    const bool isInside = mean.low > Margin * most && mean.high < (1.0 - Margin) * most;
    claim.verdict = isInside ? Verdict::Holds : Verdict::Fails;
    const auto [least, highest] = std::ranges::minmax(entropies);
    claim.finding = fmt::format(
        "The entropy of the actions for devices is {:.2f} nats on average, {:.2f} to {:.2f} by graph; {:.2f} would be "
        "uniform (the paper: {:.2f} of "
        "{:.2f}).",
        mean.mean, least, highest, most, judge.paper("entropy"), std::log(judge.paper("actions")));
    return claim;
}

/// The gain as a part of what the best known schedules gain.
Claim roomGained(const RegalJudge& judge) {
    const RegalResults& results = judge.results();
    const RegalKey key = judge.key(RegalTask::Memory, RegalMethod::Regal);
    const double part = judge.paper("memory_headroom") / report::Percent;
    Claim claim{fmt::format("Peak memory: REGAL gains {:g} % of the room that is known.", report::Percent * part),
                "the paper's first version", Verdict::Open, judge.gainOf(key)};
    const auto summary = results.summary(key);
    if (!summary || summary->comparison.count() == 0) return claim;
    const double gain = summary->comparison.improvement.mean;
    const double room = gain - results.beyondRoom(key, 1.0).mean;
    claim.verdict = reaches(results.beyondRoom(key, part), 0.0);
    claim.finding += fmt::format(" The best schedules known here gain {}", gainText(room));
    claim.finding +=
        room > 0.0 && gain > 0.0 ? fmt::format(": REGAL has {:.0f} % of that.", report::Percent * gain / room) : ".";
    return claim;
}

/// Graphs of another kind. The finding says how large they are.
Claim transfers(const RegalJudge& judge, RegalTask task) {
    const RegalPlan& plan = judge.results().plan();
    Claim claim =
        judge.gain(fmt::format("{}: REGAL improves larger graphs of another kind (the paper's are ten times larger).",
                               RegalJudge::titleOf(task)),
                   "section 5.3", judge.key(task, RegalMethod::Regal, RegalSet::Networks), 0.0);
    const auto meanSize = [&](RegalSet set) {
        double sum = 0.0;
        std::size_t count = 0;
        for (std::uint32_t i = 0; i < plan.graphCount(set); ++i) {
            const RegalOutcome* const outcome = judge.results().outcome(judge.key(task, RegalMethod::Brkga, set), i);
            if (outcome == nullptr) continue;
            sum += outcome->operations;
            ++count;
        }
        return count == 0 ? 0.0 : sum / static_cast<double>(count);
    };
    const double ratio = meanSize(RegalSet::Networks) / meanSize(RegalSet::Unseen);
    if (std::isfinite(ratio) && ratio > 0.0)
        claim.finding +=
            fmt::format(" The networks have {:.1f} times as many operations as the generated graphs.", ratio);
    return claim;
}

/// Where some schedules do not fit, a gain on the others is not all.
Claim betterUnderLimit(const RegalJudge& judge) {
    const RegalKey key = judge.key(RegalTask::Capped, RegalMethod::Regal);
    Claim claim = judge.gain("Run time under a limit of memory: REGAL is better than BRKGA.", "section 1", key, 0.0);
    const auto regal = judge.results().summary(key);
    const auto brkga = judge.results().summary(judge.key(RegalTask::Capped, RegalMethod::Brkga));
    if (!regal || !brkga) return claim;
    claim.finding += fmt::format(" {} of its {} schedules do not fit, and {} of {} of BRKGA.", regal->unfit,
                                 regal->searches, brkga->unfit, brkga->searches);
    if (claim.verdict == Verdict::Holds && regal->unfit > brkga->unfit) claim.verdict = Verdict::Open;
    return claim;
}

/// Training with noise helps on graphs with noise, if there are models with and without.
Claim noiseHelps(const RegalJudge& judge, RegalTask task) {
    const RegalModels& models = judge.results().models();
    const RegalModel* const regal = models.find(objectiveOf(task), RegalRole::Regal);
    const bool isRegalNoisy = regal != nullptr && regal->model.noise > 0.0;
    const RegalKey one = judge.key(task, RegalMethod::Regal, RegalSet::Noisy);
    const RegalKey other = judge.key(task, RegalMethod::OtherNoise, RegalSet::Noisy);
    return judge.better(
        fmt::format("{}: on noisy variants REGAL is better if it was trained with noise.", RegalJudge::titleOf(task)),
        "section 5.1", isRegalNoisy ? one : other, isRegalNoisy ? other : one);
}

Claim takesASecond(const RegalJudge& judge) {
    Claim claim{"REGAL takes about one second for a graph on average.", "section 6", Verdict::Open,
                "There are no runs of REGAL."};
    double longest = 0.0;
    std::string text;
    for (const RegalTask task : {RegalTask::Memory, RegalTask::Time}) {
        const auto summary = judge.results().summary(judge.key(task, RegalMethod::Regal));
        if (!summary) continue;
        const double seconds = summary->seconds + summary->inferenceSeconds;
        longest = std::max(longest, seconds);
        text += fmt::format("{}{}: {} ({} of it the network)", text.empty() ? "" : "; ", RegalJudge::titleOf(task),
                            report::durationText(seconds), report::durationText(summary->inferenceSeconds));
    }
    if (text.empty()) return claim;
    claim.verdict = longest <= judge.paper("seconds") ? Verdict::Holds : Verdict::Fails;
    claim.finding = text + ".";
    return claim;
}

}  // namespace

std::vector<Claim> regalClaims(const RegalResults& results) {
    const RegalJudge judge(results);
    constexpr std::array PaperTasks{RegalTask::Memory, RegalTask::Time};
    const std::string aim(OwnAim);
    std::vector<Claim> claims;
    claims.push_back(judge.gain(fmt::format("Peak memory: REGAL is {:g} % better than BRKGA with as many evaluations.",
                                            judge.paper("memory_gain")),
                                "the paper's first version; " + aim, judge.key(RegalTask::Memory, RegalMethod::Regal),
                                judge.paper("memory_gain")));
    claims.push_back(judge.share(RegalTask::Memory, judge.paper("memory_not_worse")));
    claims.push_back(judge.timesNext(RegalTask::Time, judge.paper("time_times_next"), "section 5.3; " + aim));
    claims.push_back(judge.share(RegalTask::Time, judge.paper("time_not_worse")));
    claims.push_back(judge.timesNext(RegalTask::Memory, judge.paper("memory_times_next"), "section 5.3"));
    claims.push_back(roomGained(judge));
    for (const RegalTask task : PaperTasks) claims.push_back(beatsAll(judge, task));
    for (const RegalTask task : PaperTasks) claims.push_back(longSearchDoesNotMatch(judge, task));
    for (const RegalTask task : PaperTasks) claims.push_back(moreEvaluations(judge, task));
    for (const RegalTask task : PaperTasks) {
        const char* const title = RegalJudge::titleOf(task);
        claims.push_back(judge.gain(fmt::format("{}: a sequence model (GAS) is better than BRKGA.", title),
                                    "section 5.2, Table 1", judge.key(task, RegalMethod::Sequence), 0.0));
        claims.push_back(judge.better(
            fmt::format("{}: the structure of graphs is useful: REGAL is better than GAS.", title),
            "section 5.2, Table 1", judge.key(task, RegalMethod::Regal), judge.key(task, RegalMethod::Sequence)));
        claims.push_back(messagesHelp(judge, objectiveOf(task)));
        claims.push_back(
            judge.better(fmt::format("{}: REGAL is better than without messages (T = 0), on unseen graphs.", title),
                         "section 5.5", judge.key(task, RegalMethod::Regal), judge.key(task, RegalMethod::Isolated)));
        claims.push_back(actionsVary(judge, task));
        claims.push_back(judge.better(fmt::format("{}: REGAL is better than one action for all operations.", title),
                                      "control; section 5.5", judge.key(task, RegalMethod::Regal),
                                      judge.key(task, RegalMethod::Constant)));
        claims.push_back(judge.better(fmt::format("{}: REGAL is better than mutants made by hand.", title), aim,
                                      judge.key(task, RegalMethod::Regal), judge.key(task, RegalMethod::CriticalPath)));
        claims.push_back(transfers(judge, task));
        claims.push_back(judge.gain(fmt::format("{}: REGAL improves noisy variants of unseen graphs.", title),
                                    "section 5.1", judge.key(task, RegalMethod::Regal, RegalSet::Noisy), 0.0));
        claims.push_back(noiseHelps(judge, task));
    }
    claims.push_back(betterUnderLimit(judge));
    claims.push_back(takesASecond(judge));
    return claims;
}

}  // namespace mitos::search::experiments
