// SPDX-License-Identifier: GPL-3.0-or-later
// Tensor programs in the document, without any window: opening models, listings and networks, stepping, searching, sessions
// and what becomes of the weights, and what goes wrong.
#include "core/ir/shared.h"
#include "core/ks/dialect.h"
#include "core/tensor/dialect.h"
#include "storage/workspace/open_model.h"
#include "tests/gui/gui_support.h"
#include "tests/gui/small_models.h"
#include "tests/support/test_program.h"
#include "views/document/choices.h"

#include <QProcess>
#include <QTemporaryDir>

namespace tst_tensor_document {

using namespace mitos;
using namespace mitos::views;

namespace {

QString inFolder(const QTemporaryDir& folder, const char* name) { return folder.filePath(QLatin1String(name)); }

std::string nameOf(const Document& document) { return document.costModel().info().name; }

/// The error message of opening that file.
QString messageFor(const QString& path) {
    test::Desk desk;
    QSignalSpy failed(&desk.document, &Document::failed);
    desk.document.openFile(path);
    if (!desk.settle() || failed.count() != 1 || desk.document.isOpen()) return QStringLiteral("no message");
    return failed.front().at(1).toString();
}

double firstElement(const Document& document, const char* weight) {
    const auto array = document.model()->model.weights->find(weight)->read();
    return array ? (*array)->elements.front() : 0.0;
}

}  // namespace

class TestTensorDocument : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QDir(Document::sessionFolder()).removeRecursively(); }

    void aSessionOfTheCommandLineHasItsWeightsAndItsRules() {
        const QTemporaryDir folder;
        const QString path = test::writeModel(inFolder(folder, "branches.onnx"), test::TwoBranches);
        const QString session = inFolder(folder, "found.mitos");
        QProcess search;
        search.setWorkingDirectory(folder.path());
        search.start(QStringLiteral(MITOS_BINARY_DIR "/app/mitos-cli"),
                     {QStringLiteral("optimize"), QStringLiteral("branches.onnx"), QStringLiteral("--strategy"),
                      QStringLiteral("greedy"), QStringLiteral("--rules"), QStringLiteral("tensor"),
                      QStringLiteral("--session"), session});
        QVERIFY(search.waitForFinished());
        QVERIFY2(search.exitCode() == 0, search.readAllStandardError().constData());
        test::Desk model;
        model.document.openFile(path);
        QVERIFY(model.settle());
        test::Desk desk;
        QSignalSpy notices(&desk.document, &Document::notice);
        desk.document.openSession(session);
        QVERIFY(desk.settle());
        QCOMPARE(notices.count(), 0);
        QCOMPARE(desk.document.rules().names(), std::string("tensor"));
        QVERIFY(desk.document.model()->givenWeights() != nullptr);
        QCOMPARE(firstElement(desk.document, "w1"), firstElement(model.document, "w1"));
        QCOMPARE(desk.document.title(), QStringLiteral("branches.onnx"));
        // Another model of the same form stands there.
        QVERIFY(!test::writeModel(path, test::TwoBranches, 6).isEmpty());
        test::Desk later;
        QSignalSpy said(&later.document, &Document::notice);
        later.document.openSession(session);
        QVERIFY(later.settle());
        QCOMPARE(said.count(), 1);
        QVERIFY(said.front().front().toString().contains(QLatin1String("has other weights now")));
        QVERIFY(later.document.model()->isSampled);
    }

    void aModelOpensUnderRulesAndCostsOfItsKind() {
        const QTemporaryDir folder;
        const QString path = test::writeModel(inFolder(folder, "branches.onnx"), test::TwoBranches);
        QVERIFY(!path.isEmpty());
        test::Desk desk;
        desk.document.openFile(path);
        QVERIFY(desk.settle());
        QVERIFY(desk.document.isOpen());
        QCOMPARE(desk.document.dialect().sharing, ir::Sharing::Graph);
        QCOMPARE(desk.document.rules().names(), std::string("tensor-default"));
        QCOMPARE(nameOf(desk.document), std::string("roofline:laptop,kernels=onnxruntime"));
        QCOMPARE(desk.document.title(), QStringLiteral("branches.onnx"));
        QCOMPARE(desk.document.model()->model.outputs, std::vector<std::string>{"sum"});
        QVERIFY(!desk.document.model()->isSampled);
        // Six operators, two weights, one input.
        QCOMPARE(ir::sharedSize(desk.document.bank(), desk.document.current().root), std::size_t(9));
        // A job that people can see and stop.
        QCOMPARE(desk.jobs.jobs().size(), std::size_t(1));
        QCOMPARE(desk.jobs.jobs().front().state, JobInfo::State::Finished);

        // A program of the other kind brings its own, and both are remembered.
        desk.document.setCostModel(QStringLiteral("peak-memory"));
        QVERIFY(desk.open(QLatin1String(test::CancelText)));
        QCOMPARE(desk.document.dialect().sharing, ir::Sharing::Tree);
        QVERIFY(desk.document.model() == nullptr);
        QCOMPARE(nameOf(desk.document), std::string("ks-2021"));
        QCOMPARE(desk.document.rules().names(), std::string("ks-all"));
        QVERIFY(desk.open(QLatin1String(test::TwoBranches)));
        QCOMPARE(nameOf(desk.document), std::string("peak-memory"));
        QCOMPARE(desk.document.rules().names(), std::string("tensor-default"));
        QVERIFY(desk.document.model()->isSampled);
    }

    void whatIsChosenBeforehandWaitsForItsKind() {
        test::Desk desk;
        desk.document.setCostModel(QStringLiteral("roofline:laptop"));
        desk.document.setRules(QStringLiteral("tensor-conv,tensor-elementwise"));
        QVERIFY(desk.settle());
        QCOMPARE(nameOf(desk.document), std::string("ks-2021"));  // nothing is open that it prices
        QVERIFY(desk.open(QLatin1String(test::CancelText)));
        QCOMPARE(desk.document.rules().names(), std::string("ks-all"));
        QVERIFY(desk.open(QLatin1String(test::TwoBranches)));
        QCOMPARE(nameOf(desk.document), std::string("roofline:laptop"));
        QCOMPARE(desk.document.rules().names(), std::string("tensor-conv,tensor-elementwise"));
        // A model of trees is refused, and the one in force stays.
        QSignalSpy failed(&desk.document, &Document::failed);
        desk.document.setCostModel(QStringLiteral("ks-2019"));
        QCOMPARE(failed.count(), 1);
        QCOMPARE(nameOf(desk.document), std::string("roofline:laptop"));
        // So are rules of trees.
        desk.document.setRules(QStringLiteral("ks-all"));
        QVERIFY(desk.settle());
        QCOMPARE(failed.count(), 2);
        QVERIFY(failed.back().at(1).toString().contains(QLatin1String("and this is a tensor program")));
        QCOMPARE(desk.document.rules().names(), std::string("tensor-conv,tensor-elementwise"));
    }

    /// A file that nobody has read may be for either kind.
    void rulesOfTheOtherKindLeaveTheirPlaceToTheDefault() {
        const QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("own.rules"));
        QFile rules(file);
        QVERIFY(rules.open(QIODevice::WriteOnly) && rules.write("use ks\nrule bind: a => let x = a in x\n") > 0);
        rules.close();
        test::Desk desk;
        desk.document.setRules(file);
        QVERIFY(desk.settle());
        QSignalSpy notice(&desk.document, &Document::notice);
        QVERIFY(desk.open(QLatin1String(test::TwoBranches)));
        QCOMPARE(desk.document.rules().names(), std::string("tensor-default"));
        QVERIFY(notice.count() == 1 &&
                notice.front().front().toString().contains(QLatin1String("bind is a rule for ks")));
    }

    void choicesFitTheKindOfProgram() {
        const ir::Dialect graphs = tensor::dialect();
        const ir::Dialect trees = ks::dialect();
        const auto names = [](const ir::Dialect& dialect) {
            QStringList found;
            for (const CostModelChoice& choice : costModelChoices(&dialect, QStringLiteral("roofline:N=8"))) {
                found << choice.name;
            }
            return found;
        };
        const QStringList ofGraphs = names(graphs);
        QCOMPARE(ofGraphs.front(), QStringLiteral("roofline"));
        for (const char* name : {"roofline:laptop", "peak-memory", "size", "roofline:N=8"}) {
            QVERIFY2(ofGraphs.contains(QLatin1String(name)), name);
        }
        QVERIFY(!ofGraphs.contains(QStringLiteral("ks-2021")));
        const QStringList ofTrees = names(trees);
        QCOMPARE(ofTrees, (QStringList{QStringLiteral("ks-2021"), QStringLiteral("ks-2019"), QStringLiteral("ks-sized"),
                                       QStringLiteral("loops"), QStringLiteral("size")}));
        const QStringList mine{QStringLiteral("/tmp/mine.rules")};
        const QStringList tensor = ruleSetChoices(graphs, mine);
        QVERIFY(tensor.contains(QStringLiteral("tensor-multi")));
        QVERIFY(tensor.contains(mine.front()));
        QVERIFY(!tensor.contains(QStringLiteral("ks-simple")));
        QVERIFY(!ruleSetChoices(trees, mine).contains(QStringLiteral("tensor")));
    }

    void networksAreMade() {
        test::Desk desk;
        desk.document.openNetwork(QStringLiteral("squeezenet"), false);
        QVERIFY(desk.settle());
        QCOMPARE(desk.document.title(), QStringLiteral("SqueezeNet 1.1, as in the papers"));
        QCOMPARE(desk.document.model()->source.place, std::string("squeezenet"));
        QVERIFY(desk.document.sourcePath().isEmpty());
        QSignalSpy failed(&desk.document, &Document::failed);
        QVERIFY(desk.settle());
        desk.document.openNetwork(QStringLiteral("gpt"), false);
        QVERIFY(desk.settle());
        QCOMPARE(failed.count(), 1);
        QVERIFY(failed.front().at(1).toString().contains(QLatin1String("there is no network \"gpt\"")));
        QVERIFY(desk.document.isOpen());
    }

    void stepsUndoAndGoEverywhere() {
        test::Desk desk;
        QVERIFY(desk.open(QLatin1String(test::TwoBranches)));
        const double before = desk.document.history().state(rewrite::StateId(0)).cost;
        const auto step = test::findStep(desk.document, "tensor_relu_relu");
        QVERIFY(step);
        desk.document.apply(*step);
        QCOMPARE(desk.document.history().size(), std::size_t(2));
        QCOMPARE(ir::sharedSize(desk.document.bank(), desk.document.current().root), std::size_t(8));
        QVERIFY(desk.document.cost(desk.document.current().root) < before);
        desk.document.undo();
        QCOMPARE(desk.document.history().current(), desk.document.history().start());
        desk.document.applyEverywhere(*step);
        QVERIFY(desk.settle());
        QCOMPARE(desk.document.history().size(), std::size_t(2));
        QCOMPARE(desk.document.history().current(), rewrite::StateId(1));
    }

    void aSessionFindsItsModelAgain() {
        const QTemporaryDir folder;
        const QString path = test::writeModel(inFolder(folder, "branches.onnx"), test::TwoBranches, 5);
        QString session;
        std::uint64_t hash = 0;
        double weight = 0.0;
        {
            test::Desk desk;
            desk.document.openFile(path);
            QVERIFY(desk.settle());
            desk.document.apply(*test::findStep(desk.document, "tensor_relu_relu"));
            SearchSettings settings;
            settings.strategy = QStringLiteral("greedy");
            settings.budget.evaluations = 200;
            desk.document.startSearch(settings);
            QVERIFY(desk.settle());
            QVERIFY(desk.document.runs().front().threadChecked);
            QVERIFY(desk.document.runs().front().verdict->values == rewrite::Values::Same);
            hash = desk.document.bank().hash(desk.document.current().root);
            weight = firstElement(desk.document, "w1");
            session = desk.document.sessionPath();
        }
        {
            test::Desk desk;
            QSignalSpy noticed(&desk.document, &Document::notice);
            desk.document.openSession(session);
            QVERIFY(desk.settle());
            QVERIFY(desk.document.isOpen());
            QCOMPARE(noticed.count(), 0);
            QCOMPARE(desk.document.bank().hash(desk.document.current().root), hash);
            QCOMPARE(desk.document.runs().size(), std::size_t(1));
            QVERIFY(!desk.document.model()->isSampled);
            QCOMPARE(firstElement(desk.document, "w1"), weight);
            QCOMPARE(desk.document.model()->model.outputs, std::vector<std::string>{"sum"});
        }
        // The file is moved: the program is there, with random weights, and the reason is said.
        const auto reopened = [&](const char* wanted) {
            test::Desk desk;
            QSignalSpy noticed(&desk.document, &Document::notice);
            desk.document.openSession(session);
            if (!desk.settle() || noticed.count() != 1) return false;
            return noticed.front().front().toString().contains(QLatin1String(wanted)) &&
                   desk.document.model()->isSampled && desk.document.bank().hash(desk.document.current().root) == hash;
        };
        QVERIFY(QFile::rename(path, path + QStringLiteral(".away")));
        QVERIFY(reopened("branches.onnx"));
        // Another model stands there.
        QVERIFY(!test::writeModel(path, test::TwoBranches, 6).isEmpty());
        QVERIFY(reopened("has other weights now"));
        QVERIFY(!test::writeModel(path, "graph g(x: f32[2])\n  y = Relu(x)\n  return y\n").isEmpty());
        QVERIFY(reopened("holds another program now"));
        // It comes back.
        QVERIFY(QFile::remove(path) && QFile::rename(path + QStringLiteral(".away"), path));
        QVERIFY(!reopened(""));
    }

    void aMovedModelIsPointedTo() {
        const QTemporaryDir folder;
        const QString path = test::writeModel(inFolder(folder, "branches.onnx"), test::TwoBranches, 5);
        QString session;
        double weight = 0.0;
        {
            test::Desk desk;
            desk.document.openFile(path);
            QVERIFY(desk.settle());
            QVERIFY(!desk.document.isModelMissing());
            desk.document.apply(*test::findStep(desk.document, "tensor_relu_relu"));
            weight = firstElement(desk.document, "w1");
            session = desk.document.sessionPath();
        }
        const QString moved = inFolder(folder, "elsewhere.onnx");
        QVERIFY(QFile::rename(path, moved));
        const QString wrong = test::writeModel(inFolder(folder, "wrong.onnx"), test::TwoBranches, 6);
        {
            test::Desk desk;
            desk.document.openSession(session);
            QVERIFY(desk.settle());
            QVERIFY(desk.document.isModelMissing());
            QSignalSpy failed(&desk.document, &Document::failed);
            QSignalSpy found(&desk.document, &Document::modelChanged);
            for (const QString& other : {wrong, inFolder(folder, "nothing.onnx")}) {
                desk.document.findModel(other);
                QVERIFY(desk.settle());
            }
            QCOMPARE(failed.count(), 2);
            QVERIFY(failed.front().at(1).toString().contains(QLatin1String("has other weights now")));
            QCOMPARE(found.count(), 0);
            QVERIFY(desk.document.isModelMissing());
            desk.document.findModel(moved);
            QVERIFY(desk.settle());
            QCOMPARE(found.count(), 1);
            QVERIFY(!desk.document.isModelMissing());
            QCOMPARE(firstElement(desk.document, "w1"), weight);
            QCOMPARE(desk.document.model()->model.outputs, std::vector<std::string>{"sum"});
            // Searches go on with it.
            SearchSettings settings;
            settings.strategy = QStringLiteral("greedy");
            settings.budget.evaluations = 200;
            desk.document.startSearch(settings);
            QVERIFY(desk.settle());
            QVERIFY(desk.document.runs().front().threadChecked);
        }
        // The session knows where it is now.
        test::Desk desk;
        QSignalSpy noticed(&desk.document, &Document::notice);
        desk.document.openSession(session);
        QVERIFY(desk.settle());
        QCOMPARE(noticed.count(), 0);
        QCOMPARE(firstElement(desk.document, "w1"), weight);
        QCOMPARE(desk.document.model()->source.place, moved.toStdString());
    }

    void aSessionOfANetworkMakesItAgain() {
        QString session;
        double weight = 0.0;
        {
            test::Desk desk;
            desk.document.openNetwork(QStringLiteral("squeezenet"), true);
            QVERIFY(desk.settle());
            desk.document.apply(*test::anyStep(desk.document));
            weight = firstElement(desk.document, "w");
            session = desk.document.sessionPath();
        }
        test::Desk desk;
        QSignalSpy noticed(&desk.document, &Document::notice);
        desk.document.openSession(session);
        QVERIFY(desk.settle());
        QCOMPARE(noticed.count(), 0);
        QCOMPARE(desk.document.history().size(), std::size_t(2));
        QCOMPARE(firstElement(desk.document, "w"), weight);
    }

    void hostileFilesAreRefusedInOneMessage() {
        const QTemporaryDir folder;
        const QString path = test::writeModel(inFolder(folder, "whole.onnx"), test::TwoBranches);
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray bytes = file.readAll();
        const auto said = [&](const QByteArray& content) {
            return messageFor(test::writeText(folder, QStringLiteral("bad.onnx"), content));
        };
        for (const QByteArray& content : {bytes.left(bytes.size() / 2), QByteArray(), QByteArray("graph g(x: f32[2])"),
                                          QByteArray(200'000, '\xff')}) {
            const QString message = said(content);
            QVERIFY2(message.contains(QLatin1String("bad.onnx")), qPrintable(message));
        }
        QVERIFY(messageFor(inFolder(folder, "missing.onnx")).contains(QLatin1String("missing.onnx")));
        QVERIFY(QDir(folder.path()).mkdir(QStringLiteral("folder.onnx")));
        QVERIFY(messageFor(inFolder(folder, "folder.onnx")).contains(QLatin1String("folder.onnx")));
        const QString window = messageFor(test::writeText(
            folder, QStringLiteral("window.onnxtxt"),
            "<ir_version: 8, opset_import: [\"\" : 17]> g (float[1, 1, 6, 6] x) => (float[1, 1, 8, 4] y) "
            "{ y = MaxPool <kernel_shape = [-1, 3]> (x) }"));
        QVERIFY2(window.contains(QLatin1String("window.onnxtxt: the node that produces y (MaxPool): its kernel_shape "
                                               "cannot be -1")),
                 qPrintable(window));
        const QString pool =
            messageFor(test::writeText(folder, QStringLiteral("pool.txt"),
                                       "graph g(x: f32[1,1,6,6])\n  return "
                                       "MaxPool[kernel_shape=[-1,3],strides=[1,1],pads=[0,0,0,0],dilations=[1,1],"
                                       "ceil_mode=false](x)\n"));
        QVERIFY2(pool.contains(QLatin1String("pool.txt:2")), qPrintable(pool));
        // A listing with a mistake says where.
        const QString listing =
            test::writeText(folder, QStringLiteral("bad.txt"), "graph g(x: f32[2])\n  y = Nope(x)\n");
        QVERIFY(messageFor(listing).contains(QLatin1String("bad.txt:2")));
    }

    void openingCanBeStopped() {
        test::Desk desk;
        QSignalSpy failed(&desk.document, &Document::failed);
        QVERIFY(desk.settle());
        desk.document.openNetwork(QStringLiteral("vit-huge"), false);
        QCOMPARE(desk.jobs.runningVisible(), 1);  // nobody has run the event loop since
        desk.jobs.stop(desk.jobs.jobs().front().id);
        QVERIFY(desk.settle());
        QCOMPARE(failed.count(), 0);
        QVERIFY(!desk.document.isOpen());
        QCOMPARE(desk.jobs.jobs().front().state, JobInfo::State::Stopped);
    }
};

MITOS_TEST(TestTensorDocument)

}  // namespace tst_tensor_document

#include "tst_tensor_document.moc"
