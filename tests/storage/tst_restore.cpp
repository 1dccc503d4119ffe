// SPDX-License-Identifier: GPL-3.0-or-later
// A history of real rules comes back from a session as it was, in another bank; what does not replay is said.
#include "core/base/random.h"
#include "core/cost/cost_model.h"
#include "core/dialects/dialects.h"
#include "core/ks/module.h"
#include "core/ks/operators.h"
#include "core/rewrite/rewriter.h"
#include "core/rewrite/substitution_text.h"
#include "tests/storage/scratch.h"
#include "tests/support/test_program.h"

#include <QObject>
#include <algorithm>
#include <fstream>

namespace tst_restore {

using namespace mitos;
using namespace mitos::storage;
using namespace mitos::storage::test;

namespace {

constexpr const char* Text = "(div (div 1.0 x) (add 1.0 (div 1.0 x)))";

struct Place {
    explicit Place(std::string_view rules, const std::string& text = Text)
        : book(*rules::RuleBook::load(rules, ks::makeRegistry())),
          bank(book.registry()),
          program(*ks::parseProgram(bank, "text", text)) {}
    rules::RuleBook book;
    ir::TermBank bank;
    ir::Program program;
};

/// A tree of `steps` random steps, each from a random state, with names and origins here and there. One of five takes the
/// state's own step back.
rewrite::History wander(Place& place, int steps, std::uint64_t seed) {
    const auto cost = (*cost::findCostModel("ks-2021"))->evaluator(place.bank, place.program.function);
    rewrite::History history(place.program, *cost->cost(place.program.root));
    rewrite::Rewriter rewriter(place.bank, place.book.directions());
    Random random(seed);
    for (int i = 0; i < steps; ++i) {
        const rewrite::StateId from(static_cast<std::uint32_t>(random.below(history.size())));
        if (history.state(from).step && random.chance(0.2)) {
            rewrite::Step back = *history.state(from).step;
            back.isReversed = !back.isReversed;
            const rewrite::HistoryState& parent = history.state(history.state(from).parent);
            history.add(from, back, parent.root, parent.cost);
            continue;
        }
        const std::vector<rewrite::Rewrite> rewrites = rewriter.all(history.state(from).root);
        if (rewrites.empty()) continue;
        const rewrite::Rewrite& chosen = rewrites[random.below(rewrites.size())];
        const rewrite::StateId added = history.add(from, chosen.step, chosen.result, *cost->cost(chosen.result),
                                                   random.chance(0.5) ? "astar #3" : "");
        if (random.chance(0.2)) {
            history.mark(added, {.name = "named " + std::to_string(added.value),
                                 .note = "two\nlines",
                                 .pinned = random.chance(0.5),
                                 .color = static_cast<std::uint32_t>(random.below(8))});
        }
    }
    return history;
}

std::string lossOf(const Result<RestoredHistory>& restored) {
    return restored && restored->firstLost ? restored->firstLost->message : messageOf(restored);
}

std::vector<StoredState> storedStates(Place& place, const rewrite::History& history) {
    std::vector<StoredState> states;
    for (std::uint32_t i = 0; i < history.size(); ++i) {
        states.push_back(toStored(place.bank, history, rewrite::StateId(i)));
    }
    return states;
}

}  // namespace

class TestRestore : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void restoresTheWholeTree();
    void saysWhichStateDoesNotReplay();
    void losesOnlyWhatComesAfter();
    void saysWhichReversedStepDoesNotReplay();
    void stepsTakenBackInABareExpressionComeBack();
    void stepsAtOneRootOfSeveralComeBack();
    void stepsAtSeveralPositionsComeBack();
    void stepsWithinRegionsComeBack();
};

void TestRestore::restoresTheWholeTree() {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const Scratch scratch;
        Place place("ks-simple");
        const rewrite::History history = wander(place, 60, seed);
        QVERIFY(history.size() > 20);
        {
            Result<Session> session = Session::open(scratch.path("a.mitos"));
            const ProgramId program = *session->addProgram("t", "", Text);
            QVERIFY(session->addStates(program, storedStates(place, history)).ok());
        }
        Result<Session> session = Session::open(scratch.path("a.mitos"));
        Place other("ks-simple");
        const auto restored = restoreHistory(other.bank, other.program, *session->states(ProgramId(1)), other.book);
        QVERIFY2(restored.ok(), messageOf(restored).c_str());
        QCOMPARE(restored->lost, std::size_t{0});
        QCOMPARE(restored->history.size(), history.size());
        for (std::uint32_t i = 0; i < history.size(); ++i) {
            const rewrite::HistoryState& before = history.state(rewrite::StateId(i));
            const rewrite::HistoryState& after = restored->history.state(rewrite::StateId(i));
            QCOMPARE(other.bank.hash(after.root), place.bank.hash(before.root));
            QCOMPARE(after.parent, before.parent);
            QCOMPARE(after.cost, before.cost);
            QVERIFY(after.marks == before.marks);
            QCOMPARE(after.origin, before.origin);
            QCOMPARE(after.children, before.children);
            QCOMPARE(after.sameAs, before.sameAs);
            QCOMPARE(after.step.has_value(), before.step.has_value());
            if (after.step) QCOMPARE(after.step->name(), before.step->name());
            const rewrite::Thread thread = restored->history.threadTo(rewrite::StateId(i));
            QVERIFY(rewrite::check(other.bank, thread).valid);
        }
    }
}

void TestRestore::saysWhichStateDoesNotReplay() {
    Place place("ks-simple");
    const std::vector<StoredState> good = storedStates(place, wander(place, 10, 3));
    QVERIFY(good.size() > 5);
    const auto message = [&](const std::function<void(std::vector<StoredState>&)>& spoil) {
        std::vector<StoredState> states = good;
        spoil(states);
        return lossOf(restoreHistory(place.bank, place.program, states, place.book));
    };
    QCOMPARE(message([](auto&) {}), std::string("no error"));
    const std::string begin = "state 4 of the history does not replay: ";
    QVERIFY(message([](auto& s) { s[4].rule = "no_such_rule"; }) ==
            begin + "there is no rule no_such_rule in ks-simple");
    QVERIFY(message([](auto& s) { s[4].position = "/9/9"; }).starts_with(begin + "the program has no position /9/9"));
    QVERIFY(message([](auto& s) { s[4].position = "nowhere"; }).starts_with(begin));
    QVERIFY(message([](auto& s) { s[4].substitution = "nothing"; }).starts_with(begin));
    QVERIFY(message([](auto& s) { s[4].substitution = ""; }).starts_with(begin));
    const auto numbered = [](StoredState& state, std::uint32_t match) {
        state.substitution.reset();
        state.match = match;
    };
    QVERIFY(message([&](auto& s) { numbered(s[4], 1000); }).ends_with("there is no #1001"));
    QCOMPARE(message([&](auto& s) { numbered(s[4], 0); }), std::string("no error"));
    QVERIFY(message([](auto& s) { s[4].hash += 1; }) == begin + good[4].rule + " leads to another program now");
    QVERIFY(message([](auto& s) { s[4].parent = 7; }) == begin + "its place in the tree is damaged");
    QVERIFY(message([](auto& s) { s[4].parent.reset(); }) == begin + "its place in the tree is damaged");
    QVERIFY(message([](auto& s) { s[0].hash += 1; }).ends_with("begins with another program"));
    QVERIFY(message([](auto& s) { s.clear(); }).ends_with("the start is missing"));
    std::vector<StoredState> prefix(good.begin(), good.begin() + 4);
    QCOMPARE(lossOf(restoreHistory(place.bank, place.program, prefix, place.book)), std::string("no error"));
}

void TestRestore::losesOnlyWhatComesAfter() {
    Place place("ks-simple");
    const rewrite::History history = wander(place, 60, 3);
    std::vector<StoredState> states = storedStates(place, history);
    states[4].rule = "no_such_rule";
    Place other("ks-simple");
    const Result<RestoredHistory> restored = restoreHistory(other.bank, other.program, states, other.book);
    QVERIFY2(restored.ok(), messageOf(restored).c_str());
    std::size_t lost = 0;
    for (std::uint32_t i = 0; i < history.size(); ++i) {
        bool isBehind = false;
        for (rewrite::StateId at(i); at.isValid(); at = history.state(at).parent) isBehind = isBehind || at.value == 4;
        lost += isBehind ? 1 : 0;
        QCOMPARE(restored->states[i].has_value(), !isBehind);
        if (isBehind) continue;
        const rewrite::HistoryState& after = restored->history.state(*restored->states[i]);
        QCOMPARE(other.bank.hash(after.root), place.bank.hash(history.state(rewrite::StateId(i)).root));
        QVERIFY(rewrite::check(other.bank, restored->history.threadTo(*restored->states[i])).valid);
    }
    QVERIFY(lost >= 1 && lost + 5 < history.size());
    QCOMPARE(restored->lost, lost);
    QCOMPARE(restored->history.size(), history.size() - lost);
}

void TestRestore::saysWhichReversedStepDoesNotReplay() {
    Place place("ks-simple");
    const std::vector<StoredState> good = storedStates(place, wander(place, 60, 3));
    const auto found = std::find_if(good.begin(), good.end(), [](const StoredState& s) { return !s.thread.empty(); });
    QVERIFY(found != good.end());
    const auto index = static_cast<std::size_t>(found - good.begin());
    const auto message = [&](const std::function<void(std::string&, StoredState&)>& spoil) {
        std::vector<StoredState> states = good;
        spoil(states[index].thread, states[index]);
        return lossOf(restoreHistory(place.bank, place.program, states, place.book));
    };
    const auto replaced = [](std::string& text, const std::string& what, const std::string& by) {
        const std::size_t at = text.find(what);
        if (at == std::string::npos) qFatal("no '%s' in\n%s", what.c_str(), text.c_str());
        text.replace(at, what.size(), by);
    };
    const std::string begin = "state " + std::to_string(index) + " of the history does not replay: ";
    QCOMPARE(message([](auto&, auto&) {}), std::string("no error"));
    QVERIFY(message([](auto& text, auto&) { text.resize(text.size() / 2); }).starts_with(begin));
    QVERIFY(message([&](auto& text, auto&) { replaced(text, " with ", " without "); }).starts_with(begin));
    QVERIFY(message([&](auto& text, auto&) { replaced(text, "reversed ", ""); }).starts_with(begin));
    QVERIFY(message([&](auto& text, auto&) {
                replaced(text, "steps 1", "steps 0");
                text.erase(text.find("\n1. ") + 1);
                text += "end\n";
            }) == begin + "its step is one of another state");
    QVERIFY(message([](auto&, auto& s) { s.hash += 1; }) == begin + "its step leads to another program now");
}

void TestRestore::stepsTakenBackInABareExpressionComeBack() {
    // The parameters of a bare expression stand in the order of their first appearance: after the first step, b would be the first.
    Place place("ks-simple", "(add (mul a b) c)");
    const auto evaluator = (*cost::findCostModel("ks-2021"))->evaluator(place.bank, place.program.function);
    rewrite::History history(place.program, *evaluator->cost(place.program.root));
    rewrite::Step step;
    step.rule = place.book.find("commute_mul");
    QVERIFY(step.setPlace("/0").ok());
    step.substitution = *rewrite::matchOf(place.bank, step, place.program.root, 1);
    const ir::TermId turned = *rewrite::Rewriter(place.bank, {}).apply(place.program, step);
    const rewrite::StateId there = history.add(history.start(), step, turned, 5.0, "");
    step.isReversed = true;
    history.add(there, step, place.program.root, 5.0, "");
    Place other("ks-simple", "(add (mul a b) c)");
    const auto restored = restoreHistory(other.bank, other.program, storedStates(place, history), other.book);
    QCOMPARE(lossOf(restored), std::string("no error"));
    QCOMPARE(restored->history.size(), std::size_t(3));
}

void TestRestore::stepsAtOneRootOfSeveralComeBack() {
    // exp(x) becomes y because of another term, x * y, which is nowhere in the program: no match says what y is.
    const Scratch scratch;
    const std::string file = scratch.path("several.rules");
    std::ofstream(file) << "use ks\nrule several: exp(x), x * y => y, x * y\n";
    const rules::RuleBook book = *rules::RuleBook::load(file, ks::makeRegistry());
    ir::TermBank bank(book.registry());
    constexpr const char* Twice = "(def f Float ((x : Float) (y : Float)) (mul (exp x) (exp x)))";
    const ir::Program program = *ks::parseProgram(bank, "text", Twice);
    rewrite::Step step{book.find("several.0"), {{1}}, {}};
    for (const std::string& name : step.rule->variables()) {
        step.substitution.values.push_back({bank.variable(bank.symbols().intern(name), bank.types().floating()), {}});
    }
    const Result<ir::TermId> next = rewrite::Rewriter(bank, {}).apply(program, step);
    QVERIFY2(next.ok(), messageOf(next).c_str());
    rewrite::History history(program, 10.0);
    history.add(history.start(), step, *next, 6.0);
    std::vector<StoredState> states;
    for (std::uint32_t i = 0; i < 2; ++i) states.push_back(toStored(bank, history, rewrite::StateId(i)));
    QVERIFY(!states[1].thread.empty());

    ir::TermBank other(book.registry());
    const ir::Program again = *ks::parseProgram(other, "text", Twice);
    const auto restored = restoreHistory(other, again, states, book);
    QVERIFY2(restored.ok(), messageOf(restored).c_str());
    QVERIFY(rewrite::check(other, restored->history.threadTo(rewrite::StateId(1))).valid);
    QCOMPARE(ks::printTerm(other, restored->history.state(rewrite::StateId(1)).root), std::string("(mul (exp x) y)"));
}

/// A step within a region comes back with it, and is refused if the region in the file is another one.
void TestRestore::stepsWithinRegionsComeBack() {
    const auto book = *rules::RuleBook::load("tensor-default", dialects::makeRegistry());
    constexpr const char* Chain = "graph f(x: f32[2,2], w: f32[2,2])\n  return Exp(Relu(Relu(MatMul(x, w))))\n";
    ir::TermBank bank(book.registry());
    const ir::Program program = *dialects::parseProgram(bank, "text", Chain);
    const rewrite::Rewriter rewriter(bank, book.directions(), ir::Sharing::Graph);
    const std::vector<rewrite::Rewrite> all = rewriter.all(program.root);
    const auto found =
        std::ranges::find_if(all, [](const rewrite::Rewrite& r) { return r.step.name() == "tensor_relu_relu"; });
    QVERIFY(found != all.end());
    rewrite::Step step = found->step;
    step.region = std::make_shared<const rewrite::StepRegion>(*rewrite::parseStepRegion("/0 over /0/0/0 in Chain 1"));
    rewrite::History history(program, 10.0);
    history.add(history.start(), step, found->result, 6.0);
    std::vector<StoredState> states;
    for (std::uint32_t i = 0; i < 2; ++i) states.push_back(toStored(bank, history, rewrite::StateId(i)));
    QCOMPARE(states[1].region, std::string("/0 over /0/0/0 in Chain 1"));

    const Scratch scratch;
    Session session = *Session::open(scratch.path("s.mitos"));
    const ProgramId id = *session.addProgram("f", "", Chain);
    QVERIFY(session.addStates(id, states).ok());
    states = *session.states(id);
    ir::TermBank other(book.registry());
    const ir::Program again = *dialects::parseProgram(other, "text", Chain);
    const auto restored = restoreHistory(other, again, states, book);
    QCOMPARE(lossOf(restored), std::string("no error"));
    QCOMPARE(rewrite::toString(*restored->history.state(rewrite::StateId(1)).step->region), states[1].region);
    states[1].region = "/0 over /0/0 in Chain 1";
    const auto refused = restoreHistory(other, again, states, book);
    QVERIFY(lossOf(refused).find("the rule reaches beyond its inputs") != std::string::npos);
}

void TestRestore::stepsAtSeveralPositionsComeBack() {
    const auto book = *rules::RuleBook::load("tensor-multi", dialects::makeRegistry());
    constexpr const char* Products =
        "graph f(x: f32[2,3], y: f32[3,4], z: f32[3,4])\n  return Add(Relu(MatMul(x, y)), MatMul(x, z))\n";
    ir::TermBank bank(book.registry());
    const ir::Program program = *dialects::parseProgram(bank, "text", Products);
    const rewrite::Rewriter rewriter(bank, book.directions(), ir::Sharing::Graph);
    const rewrite::Rewrite merged = rewriter.all(program.root).at(0);
    rewrite::History history(program, 10.0);
    history.add(history.start(), merged.step, merged.result, 6.0);
    std::vector<StoredState> states;
    for (std::uint32_t i = 0; i < 2; ++i) states.push_back(toStored(bank, history, rewrite::StateId(i)));
    QCOMPARE(states[1].rule, std::string("merge_matmul_left"));
    QCOMPARE(states[1].position, std::string("/0/0,/1"));
    QVERIFY(states[1].thread.empty());

    ir::TermBank other(book.registry());
    const ir::Program again = *dialects::parseProgram(other, "text", Products);
    const auto restored = restoreHistory(other, again, states, book);
    QVERIFY2(restored.ok(), messageOf(restored).c_str());
    QCOMPARE(other.hash(restored->history.state(rewrite::StateId(1)).root), bank.hash(merged.result));
    QVERIFY(rewrite::check(other, restored->history.threadTo(rewrite::StateId(1))).valid);
    for (const char* place : {"/0/0", "/1,/0/0", "/0/0,/9", "/0/0,", "/0/0,/1,/0"}) {
        states[1].position = place;
        QVERIFY2(restoreHistory(other, again, states, book)->lost == 1, place);
    }
}

MITOS_TEST(TestRestore)

}  // namespace tst_restore

#include "tst_restore.moc"
