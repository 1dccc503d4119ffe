// SPDX-License-Identifier: GPL-3.0-or-later
// The direction of dependence holds: first the checks themselves are tried on small made-up files, then they
// read the whole source tree.
#include "tests/architecture/dependence.h"
#include "tests/support/test_program.h"

#include <QDir>
#include <QDirIterator>
#include <QFileInfo>
#include <QTest>

namespace tst_architecture {

using namespace Qt::StringLiterals;
using namespace mitos::architecture;

class TstArchitecture : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tableHasNoCycle();
    void cyclesInATableAreSeen();
    void includesAreJudged_data();
    void includesAreJudged();
    void linksAreJudged_data();
    void linksAreJudged();
    void houseRulesAreJudged();
    void referencesAreJudged_data();
    void referencesAreJudged();
    void sourceTreeKeepsTheDirection();
    void buildFilesKeepTheDirection();
    void everySourceFileKeepsTheHouseRules();
    void referencesOfPagesResolve();
    void topLevelHoldsWhatTheArchitectureLists();
};

namespace {

/// Files of the source tree with these name patterns, as paths from the root, in order.
QStringList filesOf(const QStringList& patterns) {
    const QDir root(QStringLiteral(MITOS_SOURCE_DIR));
    QStringList paths;
    for (const QString& folder : {u"app"_s, u"core"_s, u"search"_s, u"storage"_s, u"tests"_s, u"views"_s}) {
        QDirIterator files(root.filePath(folder), patterns, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            paths << root.relativeFilePath(files.next());
        }
    }
    paths.sort();
    return paths;
}

/// The Markdown pages of the project, as paths from the root.
QStringList pages() {
    const QDir root(QStringLiteral(MITOS_SOURCE_DIR));
    QStringList paths{u"README.md"_s};
    for (const QString& folder :
         {u"app"_s, u"core"_s, u"resources"_s, u"samples"_s, u"search"_s, u"storage"_s, u"tests"_s, u"views"_s}) {
        QDirIterator files(root.filePath(folder), {u"*.md"_s}, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            paths << root.relativeFilePath(files.next());
        }
    }
    return paths;
}

QString textOf(const QString& path) {
    QFile file(QDir(QStringLiteral(MITOS_SOURCE_DIR)).filePath(path));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// All complaints about these files, checked by `check`, for a comparison with an empty list.
template <typename Check>
QStringList complaintsAbout(const QStringList& paths, Check check) {
    QStringList found;
    for (const QString& path : paths) {
        found << check(path, textOf(path));
    }
    return found;
}

}  // namespace

void TstArchitecture::tableHasNoCycle() { QCOMPARE(checkTable(folders()), QStringList()); }

void TstArchitecture::cyclesInATableAreSeen() {
    const std::vector<Folder> table{{u"a"_s, {u"b"_s}}, {u"b"_s, {u"a"_s}}};
    QCOMPARE(checkTable(table), QStringList{u"a points at b, which does not stand before it"_s});
}

void TstArchitecture::includesAreJudged_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("include");
    QTest::addColumn<QString>("complaint");

    const auto row = [](const char* name, const QString& path, const QString& include, const QString& complaint) {
        QTest::newRow(name) << path << include << complaint;
    };
    row("downwards", u"core/ks/parser.cpp"_s, u"\"core/ir/term_bank.h\""_s, {});
    row("own folder", u"core/ks/parser.cpp"_s, u"\"core/ks/lexer.h\""_s, {});
    row("standard library", u"core/ks/parser.cpp"_s, u"<queue>"_s, {});
    row("sibling, allowed", u"core/rewrite/step.cpp"_s, u"\"core/cost/model.h\""_s, {});
    row("sibling, reverse", u"core/cost/model.cpp"_s, u"\"core/rewrite/step.h\""_s,
        u"core/cost may not use core/rewrite"_s);
    row("upwards", u"core/ir/term_bank.cpp"_s, u"\"core/ks/parser.h\""_s, u"core/ir may not use core/ks"_s);
    row("core to search", u"core/rewrite/step.cpp"_s, u"\"search/rewriting/astar.h\""_s,
        u"core/rewrite may not use search/rewriting"_s);
    row("search to storage", u"search/rewriting/astar.cpp"_s, u"\"storage/session.h\""_s,
        u"search/rewriting may not use storage"_s);
    row("strategy to another family", u"search/rewriting/astar.cpp"_s, u"\"search/saturation/saturation.h\""_s,
        u"search/rewriting may not use search/saturation"_s);
    row("strategy to the list of all", u"search/rewriting/astar.cpp"_s, u"\"search/strategies/strategies.h\""_s,
        u"search/rewriting may not use search/strategies"_s);
    row("base of the searches to a family", u"search/series.cpp"_s, u"\"search/rewriting/rewriting.h\""_s,
        u"search may not use search/rewriting"_s);
    row("list to the families", u"search/strategies/strategies.cpp"_s, u"\"search/saturation/saturation.h\""_s, {});
    row("storage to views", u"storage/session.cpp"_s, u"\"views/step/page.h\""_s, u"storage may not use views"_s);
    row("desktop to views", u"app/mitos/main.cpp"_s, u"\"views/step/page.h\""_s, {});
    row("command line to views", u"app/cli/main.cpp"_s, u"\"views/step/page.h\""_s, u"app/cli may not use views"_s);
    row("Qt in the command line", u"app/cli/main.cpp"_s, u"<QString>"_s, u"Qt may not be seen here (QString)"_s);
    row("Qt in core", u"core/ir/term_bank.h"_s, u"<QString>"_s, u"Qt may not be seen here (QString)"_s);
    row("Qt module in search", u"search/rewriting/astar.h"_s, u"<QtCore/QString>"_s,
        u"Qt may not be seen here (QtCore/QString)"_s);
    row("old Qt header in storage", u"storage/session.h"_s, u"<qstring.h>"_s, u"Qt may not be seen here (qstring.h)"_s);
    row("Qt in views", u"views/step/page.h"_s, u"<QWidget>"_s, {});
    row("SQL in views", u"views/step/page.h"_s, u"<SQLiteCpp/SQLiteCpp.h>"_s,
        u"SQLite may not be seen here (SQLiteCpp/SQLiteCpp.h)"_s);
    row("SQL in storage", u"storage/session.cpp"_s, u"<SQLiteCpp/SQLiteCpp.h>"_s, {});
    row("Torch in search", u"search/rewriting/astar.cpp"_s, u"<torch/torch.h>"_s,
        u"LibTorch may not be seen here (torch/torch.h)"_s);
    row("Torch in the learned strategies", u"search/learned/net.cpp"_s, u"<torch/torch.h>"_s, {});
    row("beside, not from the root", u"core/ks/parser.cpp"_s, u"\"lexer.h\""_s,
        u"\"lexer.h\" is not written from the project's root"_s);
    row("moc output", u"tests/ks/tst_ks.cpp"_s, u"\"tst_ks.moc\""_s, {});
    row("tests may use everything", u"tests/storage/tst_session.cpp"_s, u"\"core/ir/term_bank.h\""_s, {});
    row("program to tests", u"app/mitos/main.cpp"_s, u"\"tests/support/tree.h\""_s, u"only tests may use tests"_s);
    row("private header, own folder", u"core/eval/testing/rule_test.cpp"_s, u"\"core/eval/internal/meter.h\""_s, {});
    row("private header, below", u"core/eval/inputs.cpp"_s, u"\"core/eval/testing/internal/choices.h\""_s, {});
    row("private header, elsewhere", u"core/rewrite/step.cpp"_s, u"\"core/eval/internal/meter.h\""_s,
        u"core/eval/internal/meter.h is private to core/eval"_s);
    row("private header, tests", u"tests/eval/tst_eval.cpp"_s, u"\"core/eval/internal/meter.h\""_s, {});
    row("unknown folder", u"core/misc/helpers.cpp"_s, u"<vector>"_s,
        u"no folder of the architecture holds this file"_s);
}

void TstArchitecture::includesAreJudged() {
    QFETCH(const QString, path);
    QFETCH(const QString, include);
    QFETCH(const QString, complaint);
    const QStringList found = checkIncludes(path, u"#include "_s + include + u'\n');
    QCOMPARE(found, complaint.isEmpty() ? QStringList() : QStringList{path + u":1: "_s + complaint});
}

void TstArchitecture::linksAreJudged_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QStringList>("complaints");

    const auto row = [](const char* name, const QString& path, const QString& text, const QStringList& complaints) {
        QTest::newRow(name) << path << text << complaints;
    };
    row("downwards", u"core/ks/CMakeLists.txt"_s,
        u"mitos_library(core_ks\n    SOURCES lexer.cpp\n    DEPENDS core_base core_ir fmt::fmt)"_s, {});
    row("upwards", u"core/ks/CMakeLists.txt"_s,
        u"\nmitos_library(core_ks DEPENDS core_ir\n PRIVATE_DEPENDS core_eval)"_s,
        {u"core/ks/CMakeLists.txt:2: core/ks may not use core/eval"_s});
    row("upwards, by hand", u"search/CMakeLists.txt"_s, u"target_link_libraries(search PRIVATE storage)"_s,
        {u"search/CMakeLists.txt:1: search may not use storage"_s});
    row("in a comment", u"core/ks/CMakeLists.txt"_s, u"# target_link_libraries(core_ks PRIVATE search)"_s, {});
    row("a view", u"views/jobs/CMakeLists.txt"_s, u"mitos_view(views_jobs DEPENDS search Qt6::Widgets SQLiteCpp)"_s,
        {u"views/jobs/CMakeLists.txt:1: views_jobs may not link SQLite (SQLiteCpp)"_s});
    row("wrong name", u"core/ks/CMakeLists.txt"_s, u"mitos_library(ks DEPENDS core_ir)"_s,
        {u"core/ks/CMakeLists.txt:1: the name of a library of core/ks begins with core_ks"_s});
    row("Qt in core", u"core/ir/CMakeLists.txt"_s, u"mitos_library(core_ir DEPENDS core_base Qt6::Core)"_s,
        {u"core/ir/CMakeLists.txt:1: core_ir may not link Qt (Qt6::Core)"_s});
    row("SQLite in search", u"search/CMakeLists.txt"_s, u"mitos_library(search DEPENDS SQLiteCpp)"_s,
        {u"search/CMakeLists.txt:1: search may not link SQLite (SQLiteCpp)"_s});
    row("SQLite in storage", u"storage/CMakeLists.txt"_s, u"mitos_library(storage DEPENDS search SQLiteCpp)"_s, {});
    row("desktop", u"app/mitos/CMakeLists.txt"_s, u"mitos_program(mitos SOURCES main.cpp DEPENDS views Qt6::Widgets)"_s,
        {});
    row("command line without Qt", u"app/cli/CMakeLists.txt"_s, u"mitos_program(mitos-cli DEPENDS Qt6::Core)"_s,
        {u"app/cli/CMakeLists.txt:1: mitos-cli may not link Qt (Qt6::Core)"_s});
    row("command line without views", u"app/cli/CMakeLists.txt"_s,
        u"mitos_program(mitos-cli DEPENDS storage views_jobs)"_s,
        {u"app/cli/CMakeLists.txt:1: app/cli may not use views"_s});
}

void TstArchitecture::linksAreJudged() {
    QFETCH(const QString, path);
    QFETCH(const QString, text);
    QFETCH(const QStringList, complaints);
    QCOMPARE(checkLinks(path, text), complaints);
}

void TstArchitecture::houseRulesAreJudged() {
    const QString license = u"// SPDX-License-Identifier: GPL-3.0-or-later\n"_s;
    QCOMPARE(checkHouseRules(u"a.h"_s, license + u"int x;\n"_s), QStringList());
    QCOMPARE(checkHouseRules(u"run"_s, u"#!/bin/sh\n"_s + license), QStringList());
    QCOMPARE(checkHouseRules(u"a.h"_s, u"int x;\n"_s), QStringList{u"a.h:1: the SPDX license line is missing"_s});
    QCOMPARE(checkHouseRules(u"a.h"_s, QString()), QStringList{u"a.h:1: the SPDX license line is missing"_s});
    QCOMPARE(checkHouseRules(u"a.h"_s, license + QString(799, u'\n')), QStringList());
    QCOMPARE(checkHouseRules(u"a.h"_s, license + QString(800, u'\n')),
             QStringList{u"a.h:801: longer than 800 lines"_s});
}

void TstArchitecture::referencesAreJudged_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("complaint");

    const auto row = [](const char* name, const QString& text, const QString& complaint) {
        QTest::newRow(name) << text << complaint;
    };
    row("page", u"[it](other/README.md)"_s, {});
    row("folder", u"[it](../tests)"_s, {});
    row("heading", u"[it](other/README.md#how-it-ends-coreir)"_s, {});
    row("heading of the same page", u"# Why\n[it](#why)"_s, {});
    row("elsewhere", u"[it](https://example.org/none)"_s, {});
    row("in code", u"`[it](none)`\n```\n[it](none)\n```\n    [it](none)"_s, {});
    row("no page", u"\n[it](none.md)"_s, u"core/README.md:2: none.md does not exist"_s);
    row("no heading", u"[it](other/README.md#it-ends)"_s,
        u"core/README.md:1: other/README.md has no heading #it-ends"_s);
}

void TstArchitecture::referencesAreJudged() {
    QFETCH(const QString, text);
    QFETCH(const QString, complaint);
    const auto tree = [](const QString& path) -> std::optional<QString> {
        if (path == u"core/other/README.md"_s) return u"# One\n\n## How it ends: core/ir\n"_s;
        return path == u"tests"_s ? std::optional(QString()) : std::nullopt;
    };
    QCOMPARE(checkReferences(u"core/README.md"_s, text, tree).join(u'\n'), complaint);
}

void TstArchitecture::sourceTreeKeepsTheDirection() {
    const QStringList paths = filesOf({u"*.h"_s, u"*.cpp"_s});
    QVERIFY(paths.contains(u"tests/architecture/dependence.h"_s));
    QVERIFY(paths.contains(u"core/base/result.h"_s));
    QCOMPARE(complaintsAbout(paths, checkIncludes).join(u'\n'), QString());
}

void TstArchitecture::buildFilesKeepTheDirection() {
    const QStringList paths = filesOf({u"CMakeLists.txt"_s});
    QVERIFY(paths.contains(u"core/base/CMakeLists.txt"_s));
    QCOMPARE(complaintsAbout(paths, checkLinks).join(u'\n'), QString());
}

void TstArchitecture::everySourceFileKeepsTheHouseRules() {
    const QStringList paths =
        filesOf({u"*.h"_s, u"*.cpp"_s, u"*.cmake"_s, u"*.sh"_s, u"*.sql"_s, u"CMakeLists.txt"_s, u"run"_s});
    QVERIFY(paths.contains(u"app/run"_s));
    QCOMPARE(complaintsAbout(paths, checkHouseRules).join(u'\n'), QString());
}

void TstArchitecture::referencesOfPagesResolve() {
    const auto tree = [](const QString& path) -> std::optional<QString> {
        const bool exists = QFileInfo::exists(QDir(QStringLiteral(MITOS_SOURCE_DIR)).filePath(path));
        return exists ? std::optional(textOf(path)) : std::nullopt;
    };
    const QStringList paths = pages();
    QVERIFY(paths.contains(u"resources/decisions.md"_s));
    const auto check = [&tree](const QString& path, const QString& text) { return checkReferences(path, text, tree); };
    QCOMPARE(complaintsAbout(paths, check).join(u'\n'), QString());
}

void TstArchitecture::topLevelHoldsWhatTheArchitectureLists() {
    const QDir root(QStringLiteral(MITOS_SOURCE_DIR));
    QStringList found = root.entryList(QDir::AllEntries | QDir::NoDotAndDotDot, QDir::Name);
    found.removeAll(u"build"_s);  // what the build writes; git ignores it
    found.removeAll(u"compile_commands.json"_s);
    found.removeAll(u"CMakeUserPresets.json"_s);
    const QStringList listed{
        u"CMakeLists.txt"_s, u"CMakePresets.json"_s, u"LICENSE"_s, u"README.md"_s, u"app"_s,   u"core"_s,
        u"resources"_s,      u"samples"_s,           u"search"_s,  u"storage"_s,   u"tests"_s, u"views"_s};
    QCOMPARE(found.join(u' '), listed.join(u' '));
}

MITOS_TEST(TstArchitecture)

}  // namespace tst_architecture

#include "tst_architecture.moc"
