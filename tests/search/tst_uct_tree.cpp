// SPDX-License-Identifier: GPL-3.0-or-later
// The tree of Monte Carlo tree search on games whose values are known.
#include "search/uct_tree.h"
#include "tests/support/test_program.h"

#include <QObject>
#include <QTest>
#include <cmath>
#include <map>
#include <string>

namespace tst_uct_tree {

using namespace mitos;
using namespace mitos::search;

namespace {

/// Two moves, A and B, from the start; each ends the game. `met` gets a letter for each rollout.
struct TwoMoves {
    double a = 4.0;
    double b = 2.0;
    std::string met = {};

    static std::vector<char> children(char state) { return state == 'S' ? std::vector{'A', 'B'} : std::vector<char>(); }
    double rollOut(char state) {
        met += state;
        return state == 'B' ? b : a;
    }
};

/// Words of three letters, from a to c, one letter a move; a letter is worth 0, 1 or 2, and only the word counts. A child is added
/// at a time, in the order of the letters. A rollout goes on with the letter a.
struct Words {
    std::map<std::string, std::vector<std::string>> known = {};

    const std::vector<std::string>& children(const std::string& word) { return known[word]; }
    std::optional<std::string> expand(const std::string& word) {
        std::vector<std::string>& children = known[word];
        if (word.size() == 3 || children.size() == 3) return std::nullopt;
        children.push_back(word + static_cast<char>('a' + static_cast<char>(children.size())));
        return children.back();
    }
    static double rollOut(const std::string& word) {
        double worth = 0.0;
        for (const char letter : word) worth += letter - 'a';
        return worth;
    }
};

/// The same moves, of which B looks four times as good.
struct MovesWithPrior : TwoMoves {
    static std::vector<double> prior(char /*state*/, const std::vector<char>& /*children*/) { return {0.2, 0.8}; }
};

template <typename Game = TwoMoves>
std::string played(UctBonus bonus, double exploration, double b, int iterations) {
    UctTree<char> tree({.bonus = bonus, .exploration = exploration});
    Game game;
    game.b = b;
    Random random(1);
    for (int i = 0; i < iterations; ++i) tree.iterate('S', game, random);
    return game.met;
}

}  // namespace

class TestUctTree : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void selectsByEquation6();
    void selectsByUcb1();
    void selectsByPuct();
    void countsVisitsAndRewards();
    void findsTheBetterMove();
    void expandsOneChildAtATime();
    void theStopDecidesBetweenWidthAndDepth();
};

/// The first rollout is from the start, the next two are from the children, which were not visited. From then on, with
/// n(A), n(B), n(S): 1, 1, 3: 4 + 8 sqrt(ln 3 / 2) = 9.93 against 7.93; 2, 1, 4: 9.44 against 8.66; 3, 1, 5: 9.07 against 9.18.
void TestUctTree::selectsByEquation6() {
    QCOMPARE(played(UctBonus::Knossos, 8.0, 2.0, 13), std::string("SABAABAAABAAB"));
}

/// 1, 1, 3: 4 + 8 sqrt(ln 3) = 12.39 against 10.39; 2, 1, 4: 4 + 8 sqrt(ln 4 / 2) = 10.66 against 2 + 8 sqrt(ln 4) = 11.42.
void TestUctTree::selectsByUcb1() {
    QCOMPARE(played(UctBonus::Ucb1, 8.0, 2.0, 13), std::string("SABABAABAABAA"));
    QCOMPARE(played(UctBonus::Ucb1, 0.0, 2.0, 6), std::string("SABAAA"));
}

/// With c P = 0.8 and 3.2, and the average of the start for a move that was not played. n = 1: 4.8 against 7.2; n = 2, whose average is 3:
/// 3 + 0.8 sqrt(2) = 4.13 against 2 + 3.2 sqrt(2) / 2 = 4.26; n = 3, average 8 / 3: 2.67 + 1.39 = 4.05 against 2 + 3.2 sqrt(3) / 3 = 3.85;
/// n = 4: 4 + 0.8 · 2 / 2 = 4.8 against 4.13; n = 5: 4.60 against 4.39; n = 6: 4.49 against 4.61; n = 7: 4.53 against 4.12.
/// With equal probabilities, c P = 2, n = 1: equal, the first; n = 2: 4 + 2 sqrt(2) / 2 = 5.41 against 4 + 2 sqrt(2) = 6.83; n = 3: 5.73
/// against 2 + 2 sqrt(3) / 2 = 3.73; n = 4: 5.33 against 4; n = 5: 5.12 against 4.24.
void TestUctTree::selectsByPuct() {
    QCOMPARE(played<MovesWithPrior>(UctBonus::Puct, 4.0, 2.0, 8), std::string("SBBAAABA"));
    QCOMPARE(played(UctBonus::Puct, 4.0, 2.0, 6), std::string("SABAAA"));
    QCOMPARE(played<MovesWithPrior>(UctBonus::Ucb1, 8.0, 2.0, 13), played(UctBonus::Ucb1, 8.0, 2.0, 13));
    const UctTree<char> tree({.bonus = UctBonus::Puct, .exploration = 1.0});
    QVERIFY(!tree.select('A', std::vector<char>()).has_value());
}

void TestUctTree::countsVisitsAndRewards() {
    UctTree<char> tree({.bonus = UctBonus::Knossos, .exploration = 8.0});
    QCOMPARE(tree.visits('S'), std::uint64_t{0});
    TwoMoves game;
    Random random(1);
    QCOMPARE(tree.iterate('S', game, random), 4.0);
    for (int i = 0; i < 5; ++i) tree.iterate('S', game, random);  // A, B, A, A, B
    QCOMPARE(tree.visits('S'), std::uint64_t{6});
    QCOMPARE(tree.visits('A'), std::uint64_t{3});
    QCOMPARE(tree.visits('B'), std::uint64_t{2});
    QCOMPARE(tree.average('A'), 4.0);
    QCOMPARE(tree.average('B'), 2.0);
    QCOMPARE(tree.average('S'), 20.0 / 6.0);
    QVERIFY(tree.bytes() > 0);
    tree.backUp({'B'}, 5.0);
    QCOMPARE(tree.average('B'), 3.0);
    QVERIFY(!tree.select('A', std::vector<char>()).has_value());
}

void TestUctTree::findsTheBetterMove() {
    for (const UctBonus bonus : {UctBonus::Knossos, UctBonus::Ucb1}) {
        const std::string met = played(bonus, 1.0, 3.0, 1000);
        QVERIFY(std::ranges::count(met, 'A') > 950);
        QVERIFY(std::ranges::count(met, 'B') >= 5);  // a bonus that grows with the logarithm never ends the exploration
    }
}

/// 39 words: 3 + 9 + 27, all of which are met if exploration counts for much. The best of each level has the highest average.
void TestUctTree::expandsOneChildAtATime() {
    UctTree<std::string> tree({.bonus = UctBonus::Ucb1, .exploration = 20.0, .stop = 0.5});
    Words game;
    Random random(7);
    for (int i = 0; i < 4000; ++i) tree.iterate("", game, random);
    QCOMPARE(tree.visits(""), std::uint64_t{4000});
    std::uint64_t words = 0;
    for (const auto& [word, children] : game.known) words += children.size();
    QCOMPARE(words, std::uint64_t{39});
    QVERIFY(tree.average("c") > tree.average("b") && tree.average("b") > tree.average("a"));
    QVERIFY(tree.average("cc") > tree.average("cb") && tree.average("ccc") == 6.0);
    QVERIFY(tree.visits("c") > tree.visits("b") && tree.visits("b") > tree.visits("a"));
}

void TestUctTree::theStopDecidesBetweenWidthAndDepth() {
    const auto first = [](double stop) {
        UctTree<std::string> tree({.bonus = UctBonus::Ucb1, .exploration = 2.0, .stop = stop});
        Words game;
        Random random(1);
        for (int i = 0; i < 3; ++i) tree.iterate("", game, random);
        return game.known;
    };
    QCOMPARE(first(1.0).at(""), (std::vector<std::string>{"a", "b", "c"}));
    const auto deep = first(0.0);
    QCOMPARE(deep.at(""), std::vector<std::string>{"a"});
    QCOMPARE(deep.at("a"), std::vector<std::string>{"aa"});
    QCOMPARE(deep.at("aa"), std::vector<std::string>{"aaa"});
}

MITOS_TEST(TestUctTree)

}  // namespace tst_uct_tree

#include "tst_uct_tree.moc"
