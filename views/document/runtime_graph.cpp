// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/document/runtime_graph.h"

#include "core/base/child_process.h"
#include "core/dialects/dialects.h"
#include "core/ir/shared.h"
#include "core/ir/transplant.h"
#include "core/onnx/export.h"
#include "core/onnx/import.h"
#include "core/tensor/operator.h"
#include "views/common/format.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <filesystem>
#include <utility>

namespace mitos::views {

namespace {

QString comparedKey() { return QStringLiteral("compared-program"); }
QString titleField() { return QStringLiteral("title"); }
QString remarkField() { return QStringLiteral("remark"); }
QString listingField() { return QStringLiteral("listing"); }

/// The current state, with all that a job needs to write it.
struct State {
    Snapshot program;
    std::shared_ptr<const OpenModel> model;
};

/// Writes the state as a model, and the graph that ONNX Runtime makes of it to `output`.
Status optimize(const State& state, const std::filesystem::path& output, onnx::RuntimeOptions options,
                const std::stop_token& stop, const JobRunner::Report& report) {
    options.stop = stop;
    MITOS_TRY(const TemporaryFolder folder, TemporaryFolder::make());
    const std::filesystem::path input = std::filesystem::path(folder.path()) / "state.onnx";
    tensor::Model model = state.model->model;
    model.program = state.program.program;
    report(-1.0, RuntimeGraph::tr("writing the model"));
    MITOS_REQUIRE(onnx::exportFile(*state.program.bank, model, input));
    report(-1.0, RuntimeGraph::tr("ONNX Runtime optimizes it"));
    MITOS_REQUIRE(onnx::writeOptimized(input, output, options));
    return Success{};
}

}  // namespace

QString runtimeObstacle(const Document& document) {
    return runtimeObstacle(document.isOpen() ? document.model().get() : nullptr);
}

QString runtimeObstacle(const OpenModel* model) {
    if (model == nullptr) return RuntimeGraph::tr("ONNX Runtime runs only networks.");
    if (!model->isSampled || model->model.weights->size() == 0) return {};
    return model->source.kind == storage::ModelSource::Kind::File
               ? RuntimeGraph::tr("The weights of this session were not found; find the model first.")
               : RuntimeGraph::tr("A listing has no numbers for its weights; open the model itself.");
}

QString levelText(onnx::OptimizationLevel level) {
    switch (level) {
        case onnx::OptimizationLevel::Disabled: return RuntimeGraph::tr("no optimizations");
        case onnx::OptimizationLevel::Basic: return RuntimeGraph::tr("basic optimizations");
        case onnx::OptimizationLevel::Extended: return RuntimeGraph::tr("extended optimizations");
        case onnx::OptimizationLevel::All: break;
    }
    return RuntimeGraph::tr("all optimizations");
}

RuntimeGraph::RuntimeGraph(Document& document, Selection& selection, JobRunner& jobs, QObject* parent)
    : QObject(parent),
      m_document(document),
      m_selection(selection),
      m_jobs(jobs),
      m_program(std::make_unique<QObject>()) {
    connect(&m_document, &Document::closed, this, [this] {
        m_jobs.discard(std::exchange(m_job, 0));
        m_program = std::make_unique<QObject>();
    });
    connect(&m_document, &Document::opened, this, &RuntimeGraph::recall);
    connect(&m_selection, &Selection::comparedChanged, this, [this] {
        if (!m_selection.comparedProgram()) m_document.setViewValue(comparedKey(), {});
    });
}

/// Reads the graph into a bank of its own.
Result<RuntimeGraph::Read> RuntimeGraph::read(const std::string& path) {
    auto bank = std::make_shared<ir::TermBank>(dialects::makeRegistry());
    MITOS_TRY(const tensor::Model model, onnx::importFile(*bank, path));
    Read read;
    read.program = model.program;
    read.listing = fromUtf8(dialects::printProgram(*bank, model.program));
    const ir::SharedNodes nodes(*bank, model.program.root);
    const auto unknown =
        std::ranges::count_if(nodes, [&bank](ir::TermId term) { return bank->opName(term) == tensor::OpaqueName; });
    if (unknown > 0) {
        read.remark = unknown == 1 ? tr("1 operator has no price") : tr("%L1 operators have no price").arg(unknown);
    }
    read.bank = std::move(bank);
    return read;
}

bool RuntimeGraph::begin() {
    const QString obstacle = runtimeObstacle(m_document);
    if (!obstacle.isEmpty()) Q_EMIT failed(inputError(obstacle.toStdString(), {}));
    m_jobs.discard(std::exchange(m_job, 0));  // a newer wish replaces the older one
    return obstacle.isEmpty();
}

void RuntimeGraph::compare(const onnx::RuntimeOptions& options) {
    if (!begin()) return;
    m_job = m_jobs.start(
        tr("ONNX Runtime's graph of %1").arg(m_document.title()), true, m_program.get(),
        [state = State{m_document.snapshot(m_document.current()), m_document.model()}, options](
            const std::stop_token& stop, const JobRunner::Report& report) -> Result<Read> {
            MITOS_TRY(const TemporaryFolder folder, TemporaryFolder::make());
            const std::filesystem::path file = std::filesystem::path(folder.path()) / "optimized.onnx";
            MITOS_REQUIRE(optimize(state, file, options, stop, report));
            report(-1.0, tr("reading it"));
            MITOS_TRY(Read graph, read(file.string()));
            graph.title = tr("ONNX Runtime's graph (%1)").arg(levelText(options.level));
            return graph;
        },
        [this](const Result<Read>& graph) {
            const JobId job = std::exchange(m_job, 0);
            if (graph) {
                show(*graph);
                Q_EMIT compared();
            } else if (graph.error().code == ErrorCode::Cancelled) {
                m_jobs.setOutcome(job, JobInfo::State::Stopped, tr("stopped by you"));
            } else {
                m_jobs.setOutcome(job, JobInfo::State::Failed, fromUtf8(graph.error().message));
                Q_EMIT failed(graph.error());
            }
        });
}

void RuntimeGraph::show(const Read& read) {
    // As all programs shown, in the document's bank; one graph takes a few milliseconds at most.
    ir::Transplanter transplanter(*read.bank, m_document.bank());
    m_selection.setComparedProgram({transplanter.program(read.program), read.title, read.remark});
    const QJsonObject value{{titleField(), read.title}, {remarkField(), read.remark}, {listingField(), read.listing}};
    m_document.setViewValue(comparedKey(), QString::fromUtf8(QJsonDocument(value).toJson(QJsonDocument::Compact)));
}

void RuntimeGraph::recall() {
    const QJsonObject value = QJsonDocument::fromJson(m_document.viewValue(comparedKey()).toUtf8()).object();
    const QString listing = value[listingField()].toString();
    if (listing.isEmpty()) return;
    m_jobs.start(
        tr("Reading the compared program"), false, m_program.get(),
        [listing, title = value[titleField()].toString(), remark = value[remarkField()].toString()](
            const std::stop_token&, const JobRunner::Report&) -> Result<Read> {
            auto bank = std::make_shared<ir::TermBank>(dialects::makeRegistry());
            MITOS_TRY(const ir::Program program,
                      dialects::parseProgram(*bank, title.toStdString(), listing.toStdString()));
            return Read{bank, program, title, remark, listing};
        },
        [this](const Result<Read>& graph) {
            if (graph) show(*graph);
        });
}

void RuntimeGraph::write(const onnx::RuntimeOptions& options, const QString& path) {
    if (!begin()) return;
    m_job = m_jobs.start(
        tr("ONNX Runtime's graph of %1").arg(m_document.title()), true, m_program.get(),
        [state = State{m_document.snapshot(m_document.current()), m_document.model()}, options,
         file = QFile::encodeName(path).toStdString()](const std::stop_token& stop, const JobRunner::Report& report) {
            return optimize(state, file, options, stop, report);
        },
        [this, path](const Status& made) {
            const JobId job = std::exchange(m_job, 0);
            if (made) {
                Q_EMIT written(path);
            } else if (made.error().code == ErrorCode::Cancelled) {
                m_jobs.setOutcome(job, JobInfo::State::Stopped, tr("stopped by you"));
            } else {
                m_jobs.setOutcome(job, JobInfo::State::Failed, fromUtf8(made.error().message));
                Q_EMIT failed(made.error());
            }
        });
}

}  // namespace mitos::views
