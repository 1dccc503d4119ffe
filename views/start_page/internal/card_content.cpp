// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/start_page/internal/card_content.h"

#include "core/dialects/dialects.h"
#include "search/strategies/strategies.h"
#include "storage/session_summary.h"
#include "storage/workspace/opening.h"
#include "views/common/format.h"

namespace mitos::views {

namespace {

using storage::Opened;

constexpr const char* Strategy = "phases";
constexpr std::uint64_t Evaluations = 1'000;

class CurveObserver final : public search::Observer {
public:
    explicit CurveObserver(search::Run& run) : m_run(run) {}
    void onEvent(const search::SearchEvent& event) override { m_run.events.push_back(event); }

private:
    search::Run& m_run;
};

storage::Surroundings usualSurroundings() {
    storage::Surroundings around;
    around.registry = dialects::makeRegistry();
    for (const auto& dialect : around.registry->dialects()) {
        around.choices[dialect->name] = {dialect->defaultRules, cost::settledName(dialect->defaultCost).name};
    }
    return around;
}

storage::OpeningJob jobOf(const std::stop_token& stop) {
    return {stop, [](const char*) {}};
}

CardContent contentOf(Opened& opened, const QFont& font) {
    const ir::Program program = opened.history->program(opened.history->start());
    return {.program = ProgramThumbnail::layOut(*opened.bank, program, *opened.costs, font),
            .unit = fromUtf8(opened.costModel->info().unit)};
}

}  // namespace

Result<CardContent> programCard(const std::string& path, const QFont& font, const std::stop_token& stop) {
    MITOS_TRY(Opened opened, storage::openAnyFile(path, {}, usualSurroundings(), jobOf(stop)));
    return contentOf(opened, font);
}

Result<CardContent> searchCard(const std::string& path, const QFont& font, const std::stop_token& stop) {
    MITOS_TRY(Opened opened, storage::openAnyFile(path, {}, usualSurroundings(), jobOf(stop)));
    CardContent content = contentOf(opened, font);
    MITOS_TRY(const auto strategy, search::findStrategy(Strategy));
    search::Run run;
    CurveObserver observer(run);
    const search::SearchProblem problem{.bank = *opened.bank,
                                        .program = opened.history->program(opened.history->start()),
                                        .rules = opened.rules.directions(),
                                        .cost = opened.costModel,
                                        .budget = {.evaluations = Evaluations},
                                        .parameters = {}};
    MITOS_TRY(const search::SearchResult result, strategy->run(problem, stop, observer));
    content.curve = search::curveOf(run);
    content.curve.push_back({result.statistics.evaluations, result.statistics.seconds, result.bestCost});
    return content;
}

Result<CardContent> sessionCard(const std::string& path, const QFont& font, const std::stop_token& stop) {
    MITOS_TRY(const std::string text, storage::programTextOf(path));
    MITOS_TRY(Opened opened, storage::openTyped(SourceText(path, text), usualSurroundings(), jobOf(stop)));
    return contentOf(opened, font);
}

Result<CardContent> networkCard(const std::string& name, const QFont& font, const std::stop_token& stop) {
    MITOS_TRY(Opened opened, storage::openNetwork(name, false, usualSurroundings(), jobOf(stop)));
    return contentOf(opened, font);
}

}  // namespace mitos::views
