// SPDX-License-Identifier: GPL-3.0-or-later
// A ks program of the samples to search, and the check of what a search claims about it.
#pragma once

#include "core/ks/module.h"
#include "core/ks/operators.h"
#include "tests/search/running.h"

#include <QTest>

namespace mitos::search::test {

/// A program of the samples with the rules and the cost model it is searched with.
class Job {
public:
    Job(const std::string& sample, std::string_view rules)
        : Job(readSourceFile(MITOS_SOURCE_DIR "/samples/" + sample), rules) {}
    Job(const Result<SourceText>& source, std::string_view rules)
        : m_book(*rules::RuleBook::load(rules, ks::makeRegistry())),
          m_bank(m_book.registry()) {
        if (!source) qFatal("%s", source.error().render().c_str());
        const Result<ks::Module> module = ks::parseModule(m_bank, *source);
        if (!module) qFatal("%s", module.error().render().c_str());
        m_program = *ks::selectProgram(m_bank, *module, "");
    }

    [[nodiscard]] SearchProblem problem(std::uint64_t evaluations, ParameterValues parameters = {},
                                        const char* model = "ks-2021") const {
        Budget budget;
        budget.evaluations = evaluations;
        return {m_bank, m_program, m_book.directions(), *cost::findCostModel(model), budget, 1, std::move(parameters)};
    }
    /// The rules of Table 3 below its middle line only.
    [[nodiscard]] SearchProblem bindingProblem(std::uint64_t evaluations) const {
        SearchProblem result = problem(evaluations);
        result.rules.clear();
        for (const char* name : {"new_bind", "lift_bind", "cse_bind", "inline_let", "delete_let"}) {
            result.rules.push_back(m_book.find(name));
        }
        return result;
    }
    [[nodiscard]] const rules::RuleBook& book() const { return m_book; }

private:
    rules::RuleBook m_book;
    ir::TermBank m_bank;
    ir::Program m_program;
};

/// What a result claims, worked out again from its text in a bank of its own.
inline void verify(const SearchResult& result, const rules::RuleBook& book, const char* model = "ks-2021") {
    QVERIFY2(result.check.valid, result.check.reason.c_str());
    QCOMPARE(result.costs.size(), result.thread.steps.size() + 1);
    QCOMPARE(result.costs.front(), result.initialCost);
    QCOMPARE(result.costs.back(), result.bestCost);
    const std::string text = rewrite::writeThread(*result.bank, result.thread, result.costs);
    ir::TermBank fresh(book.registry());
    const Result<rewrite::Replay> replay = rewrite::readThread(fresh, SourceText("thread", text), book);
    QVERIFY2(replay.ok(), replay.ok() ? "" : replay.error().render().c_str());
    QVERIFY2(replay->report.valid, replay->report.reason.c_str());
    const rewrite::Thread& read = replay->thread;
    QCOMPARE(fresh.hash(read.end().root), result.bank->hash(result.thread.end().root));
    const auto cost = (*cost::findCostModel(model))->evaluator(fresh, read.start.function);
    QCOMPARE(*cost->cost(read.start.root), result.initialCost);
    QCOMPARE(*cost->cost(read.end().root), result.bestCost);
}

}  // namespace mitos::search::test
