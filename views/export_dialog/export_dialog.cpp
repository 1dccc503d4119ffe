// SPDX-License-Identifier: GPL-3.0-or-later
// Exports the current state.
#include "views/export_dialog/export_dialog.h"

#include "core/base/source_text.h"
#include "core/timing/time_ratio.h"
#include "views/common/format.h"
#include "views/common/save_dialog.h"
#include "views/common/widgets.h"
#include "views/document/result_times.h"
#include "views/document/verdicts.h"
#include "views/export_dialog/internal/onnx_panel.h"
#include "views/theme/theme.h"

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFile>
#include <QFormLayout>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QRegularExpressionValidator>
#include <utility>

namespace mitos::views {

/// "Compile and check": compiles the exported C++, compares its results with the program's, and measures its time.
class CheckPanel : public QWidget {
public:
    CheckPanel(std::shared_ptr<ExportSource> source, JobRunner& jobs, QWidget* parent = nullptr);
    ~CheckPanel() override;

private:
    void start();
    [[nodiscard]] static JobOutcome outcomeOf(const Result<codegen::CheckReport>& outcome);
    void finish(const Result<codegen::CheckReport>& outcome);
    void showReport(const codegen::CheckReport& report);
    void showRunning(bool running);

    std::shared_ptr<ExportSource> m_source;
    Query m_checking;
    QPushButton* m_start;
    QPushButton* m_stop;
    QLabel* m_verdict;
    QWidget* m_details;
    QLabel* m_times = nullptr;
    QLabel* m_ratio = nullptr;
    QLabel* m_sizes = nullptr;
    QLabel* m_compiler = nullptr;
    QPlainTextEdit* m_message;
};

CheckPanel::CheckPanel(std::shared_ptr<ExportSource> source, JobRunner& jobs, QWidget* parent)
    : QWidget(parent),
      m_source(std::move(source)),
      m_checking(jobs),
      m_start(new QPushButton(tr("Compile and Check"), this)),
      m_stop(new QPushButton(tr("Stop"), this)),
      m_verdict(new QLabel(this)),
      m_details(new QWidget(this)),
      m_message(new QPlainTextEdit(this)) {
    setObjectName(QStringLiteral("checkPanel"));
    setUpWidget(m_start, "checkStart",
                tr("Compiles the start program and this one, compares both with the evaluator, and times them"));
    m_stop->setObjectName(QStringLiteral("checkStop"));
    setUpPlainLabel(m_verdict, "checkVerdict");
    setUpWidget(m_message, "checkMessage", {}, tr("Error message"));
    m_message->setReadOnly(true);
    m_message->setFont(programFont());
    m_message->setMaximumHeight(fontMetrics().height() * 9);
    m_message->hide();

    auto* form = new QFormLayout(m_details);
    form->setContentsMargins(0, 0, 0, 0);
    m_times = addTextRow(*form, "checkTimes", tr("Wall time of a call"));
    m_ratio = addTextRow(*form, "checkRatio", tr("Compared"));
    m_sizes = addTextRow(*form, "checkSizes", tr("Timed with"));
    m_compiler = addTextRow(*form, "checkCompiler", tr("Compiler"));
    m_details->hide();

    auto* line = rowOf({m_start, m_stop, {m_verdict, 1}});
    fillColumn(this, {line, m_details, m_message}, {.margins = NoMargins});

    connect(m_start, &QPushButton::clicked, this, &CheckPanel::start);
    connect(m_stop, &QPushButton::clicked, this, [this] {
        m_checking.stop();
        m_stop->setEnabled(false);
        m_verdict->setText(tr("Stopping…"));
    });
    showRunning(false);
}

CheckPanel::~CheckPanel() { m_checking.letGo(); }

void CheckPanel::showRunning(bool running) {
    m_start->setEnabled(!running);
    m_stop->setVisible(running);
    m_stop->setEnabled(running);
}

void CheckPanel::start() {
    m_details->hide();
    m_message->hide();
    m_verdict->setText(tr("Compiling and running both programs…"));
    showRunning(true);
    m_checking.askInJobsView(
        tr("Compile and check %1").arg(fromUtf8(m_source->functionName())),
        [source = m_source](const std::stop_token& stop, const JobRunner::Report&) {
            static_cast<void>(source->threadText());  // required before using the bank, see ExportSource
            codegen::CheckOptions options;
            options.stop = stop;
            options.assumptions = source->assumptions();
            return codegen::checkCpp(source->bank(), source->thread().start, source->thread().end(), options);
        },
        &CheckPanel::outcomeOf, [this](const Result<codegen::CheckReport>& outcome) { finish(outcome); });
}

JobOutcome CheckPanel::outcomeOf(const Result<codegen::CheckReport>& outcome) {
    if (!outcome.ok() && outcome.error().code == ErrorCode::Cancelled)
        return {JobInfo::State::Stopped, tr("Stopped by you.")};
    if (!outcome.ok()) return {JobInfo::State::Failed, tr("✗ %1").arg(fromUtf8(outcome.error().message))};
    const QString error = QLocale().toString(outcome->maxError, 'g', 3);
    if (!outcome->compiled) return {JobInfo::State::Failed, tr("✗ The C++ does not compile.")};
    if (!outcome->passed) {
        return {JobInfo::State::Failed,
                tr("✗ The results of the C++ differ from those of the start program; largest error %1 on %L2 inputs.")
                    .arg(error)
                    .arg(outcome->samples)};
    }
    return {JobInfo::State::Finished,
            tr("✓ Agrees with the evaluator on %L1 random inputs; largest error %2.").arg(outcome->samples).arg(error)};
}

void CheckPanel::finish(const Result<codegen::CheckReport>& outcome) {
    showRunning(false);
    const JobOutcome sum = outcomeOf(outcome);
    m_verdict->setText(sum.status);
    if (outcome.ok()) return showReport(*outcome);
    m_message->setVisible(sum.state != JobInfo::State::Stopped);
    m_message->setPlainText(fromUtf8(outcome.error().render()));
}

void CheckPanel::showReport(const codegen::CheckReport& report) {
    m_message->setVisible(!report.message.empty());
    m_message->setPlainText(fromUtf8(report.message));
    m_details->show();
    m_compiler->setText(fromUtf8(report.compilerVersion + "\n" + report.flags));
    const bool timed = report.passed && report.isTimed();
    if (!timed) {
        m_times->setText(tr("not timed"));
        m_ratio->setText(tr("not timed"));
        m_sizes->setText(tr("not timed"));
        return;
    }
    m_times->setText(tr("start program %1, this program %2 (medians)")
                         .arg(durationText(report.input.seconds.median), durationText(report.output.seconds.median)));
    m_ratio->setText(tr("%1 of the start program's time: %2")
                         .arg(ratioText(report.ratio), fromUtf8(timing::wordsFor(report.ratio.pace()))));
    QString how = tr("%L1 batches of calls each, alternating").arg(report.input.count);
    if (report.timingSize > 0) how = tr("every size %L1; %2").arg(report.timingSize).arg(how);
    if (report.tooShort()) how += tr("; calls this short are mostly overhead, so the comparison says little");
    m_sizes->setText(how);
}

namespace {

const rewrite::Verdict& verdictOf(const rewrite::Judged& judged) {
    return judged.refused ? *judged.refused : judged.verdict;
}

constexpr int DelayMs = 120;  // typing a name makes one preview, not one per key

struct FormatKind {
    QString title;
    const char* suffix;
};

FormatKind kindOf(ExportFormat format) {
    switch (format) {
        case ExportFormat::Cpp: break;
        case ExportFormat::CppHeader: return {ExportDialog::tr("C++ header"), "h"};
        case ExportFormat::Ks: return {ExportDialog::tr("ks"), "ks"};
        case ExportFormat::Onnx: return {ExportDialog::tr("ONNX model"), "onnx"};
        case ExportFormat::Listing: return {ExportDialog::tr("Listing"), "txt"};
    }
    return {ExportDialog::tr("C++"), "cpp"};
}

}  // namespace

ExportDialog::ExportDialog(Document& document, JobRunner& jobs, QWidget* parent)
    : QDialog(parent),
      m_source(std::make_shared<ExportSource>(document)),
      m_format(new QComboBox(this)),
      m_name(new QLineEdit(this)),
      m_nameLabel(new QLabel(tr("Function"), this)),
      m_nameSpace(new QLineEdit(this)),
      m_nameSpaceLabel(new QLabel(tr("Namespace"), this)),
      m_testMain(new QCheckBox(tr("With a test main()"), this)),
      m_withThread(new QCheckBox(tr("Thread in a comment"), this)),
      m_preview(new QPlainTextEdit(this)),
      m_verdict(new QLabel(this)),
      m_stopJudging(new QPushButton(tr("Stop Comparing"), this)),
      m_insist(new QCheckBox(tr("Save it although its values differ"), this)),
      m_status(new QLabel(this)),
      m_copy(new QPushButton(tr("Copy"), this)),
      m_save(new QPushButton(tr("Save As…"), this)),
      m_check(new CheckPanel(m_source, jobs, this)),
      m_onnx(new OnnxPanel(m_source, jobs, this)),
      m_previewing(jobs),
      m_judging(jobs),
      m_saving(jobs) {
    setObjectName(QStringLiteral("exportDialog"));
    setWindowTitle(tr("Export %1").arg(document.title()));
    build();
    m_delay.setSingleShot(true);
    m_delay.setInterval(DelayMs);
    connect(&m_delay, &QTimer::timeout, this, &ExportDialog::refresh);
    connect(m_format, &QComboBox::currentIndexChanged, this, &ExportDialog::updateFormat);
    connect(m_name, &QLineEdit::textChanged, this, [this] { m_delay.start(); });
    connect(m_nameSpace, &QLineEdit::textChanged, this, [this] { m_delay.start(); });
    connect(m_stopJudging, &QPushButton::clicked, this, [this] {
        m_judging.stop();
        m_stopJudging->setEnabled(false);
    });
    connect(m_insist, &QCheckBox::toggled, this, &ExportDialog::updateSave);
    connect(m_testMain, &QCheckBox::toggled, this, &ExportDialog::refresh);
    connect(m_withThread, &QCheckBox::toggled, this, &ExportDialog::refresh);
    connect(m_copy, &QPushButton::clicked, this, &ExportDialog::copy);
    connect(m_save, &QPushButton::clicked, this, &ExportDialog::saveAs);
    connect(m_onnx, &OnnxPanel::runningChanged, this, [this](bool running) {
        m_hasText = !running;
        updateSave();
        m_format->setEnabled(!running);
    });
    updateFormat();
    judge(document);
}

ExportDialog::~ExportDialog() { m_saving.letGo(); }

void ExportDialog::build() {
    setUpWidget(m_format, "exportFormat", {}, tr("Format"));
    for (const ExportFormat format : exportFormats(m_source->bank().dialect(m_source->thread().start.function))) {
        m_format->addItem(kindOf(format).title, static_cast<int>(format));
    }
    m_name->setObjectName(QStringLiteral("exportFunction"));
    m_name->setPlaceholderText(fromUtf8(m_source->functionName()));
    static const QRegularExpression identifier(QStringLiteral("[A-Za-z_][A-Za-z0-9_]*"));
    m_name->setValidator(new QRegularExpressionValidator(identifier, m_name));
    m_name->setToolTip(tr("Name of the C++ function; empty: the program's"));
    m_nameLabel->setBuddy(m_name);
    setUpWidget(m_nameSpace, "exportNamespace",
                tr("The C++ namespace of all but main(), so that several files can be linked into one program"));
    m_nameSpace->setPlaceholderText(fromUtf8(codegen::nameSpaceFor(m_source->bank(), m_source->thread().start, {})));
    m_nameSpace->setValidator(new QRegularExpressionValidator(identifier, m_nameSpace));
    m_nameSpaceLabel->setBuddy(m_nameSpace);
    setUpPlainLabel(m_verdict, "exportVerdict");
    m_verdict->hide();
    m_stopJudging->setObjectName(QStringLiteral("exportStop"));
    m_stopJudging->hide();
    m_insist->setObjectName(QStringLiteral("exportInsist"));
    m_insist->hide();
    m_testMain->setObjectName(QStringLiteral("exportTestMain"));
    setUpWidget(m_withThread, "exportThread",
                tr("The rewrite steps from the start program to this one, as they can be replayed"));
    m_withThread->setChecked(true);
    setUpWidget(m_preview, "exportPreview", {}, tr("Exported text"));
    m_preview->setReadOnly(true);
    m_preview->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_preview->setFont(programFont());
    setUpPlainLabel(m_status, "exportStatus");
    m_copy->setObjectName(QStringLiteral("exportCopy"));
    m_save->setObjectName(QStringLiteral("exportSave"));

    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &ExportDialog::reject);
    // Enter in the name field must not press a button.
    for (QPushButton* button : findChildren<QPushButton*>()) button->setAutoDefault(false);

    auto* options = rowOf(
        {m_format, gap(8), m_nameLabel, {m_name, 1}, m_nameSpaceLabel, {m_nameSpace, 1}, m_testMain, m_withThread});
    auto* judging = rowOf({{m_verdict, 1}, m_stopJudging});
    auto* actions = rowOf({{m_status, 1}, m_copy, m_save});
    fillColumn(this, {options, {m_preview, 1}, {m_onnx, 1}, judging, m_insist, actions, m_check, buttons});
    resize(820, 640);
}

ExportFormat ExportDialog::format() const { return static_cast<ExportFormat>(m_format->currentData().toInt()); }

ExportOptions ExportDialog::options() const {
    return {.format = format(),
            .functionName = m_name->text().toStdString(),
            .nameSpace = m_nameSpace->text().toStdString(),
            .testMain = m_testMain->isChecked(),
            .withThread = m_withThread->isChecked(),
            .verdict = m_judged ? m_judged->toString() : std::string()};
}

void ExportDialog::updateFormat() {
    const bool isCpp = format() == ExportFormat::Cpp;
    const bool isModel = format() == ExportFormat::Onnx;
    for (QWidget* widget : std::initializer_list<QWidget*>{m_testMain, m_check}) widget->setVisible(isCpp);
    for (QWidget* widget : std::initializer_list<QWidget*>{m_nameLabel, m_name, m_nameSpaceLabel, m_nameSpace})
        widget->setVisible(isCpp || format() == ExportFormat::CppHeader);
    for (QWidget* widget : std::initializer_list<QWidget*>{m_preview, m_copy}) widget->setVisible(!isModel);
    m_onnx->setVisible(isModel);
    m_withThread->setVisible(format() != ExportFormat::CppHeader);
    m_withThread->setText(isModel ? tr("Thread in the model's metadata") : tr("Thread in a comment"));
    m_status->clear();
    refresh();
}

void ExportDialog::judge(const Document& document) {
    if (m_source->model() != nullptr || m_source->thread().steps.empty()) return;
    m_verdict->setText(tr("Comparing with the start program…"));
    m_verdict->show();
    m_stopJudging->show();
    m_judging.askInJobsView(
        tr("Comparing what is exported with its start"),
        [source = m_source,
         judging = document.judgingOf(m_source->sharedBank(), m_source->thread(), m_source->costs(), 1)](
            const std::stop_token& stop, const JobRunner::Report& report) {
            static_cast<void>(source->threadText());  // see ExportSource
            return judging(stop, report);
        },
        [](const rewrite::Judged& judged) -> JobOutcome {
            const rewrite::Verdict& verdict = verdictOf(judged);
            return {verdict.isRefuted() ? JobInfo::State::Failed : JobInfo::State::Finished, verdictText(verdict)};
        },
        [this](const rewrite::Judged& judged) { showVerdict(verdictOf(judged)); });
}

void ExportDialog::showVerdict(const rewrite::Verdict& verdict) {
    m_judged = verdict;
    m_verdict->setText(verdictText(verdict));
    m_verdict->setToolTip(fromUtf8(verdict.counterexample));
    m_stopJudging->hide();
    m_insist->setVisible(verdict.isRefuted());
    updateSave();
    refresh();  // the comment contains the verdict
}

void ExportDialog::updateSave() {
    const bool mayBeWritten = !m_judging.isRunning() && (!m_judged || !m_judged->isRefuted() || m_insist->isChecked());
    m_save->setEnabled(m_hasText && mayBeWritten);
}

void ExportDialog::refresh() {
    m_delay.stop();  // a name that was typed meanwhile is in the options already
    m_previewing.cancel();
    if (format() == ExportFormat::Onnx) {
        m_hasText = true;
        updateSave();
        return;
    }
    m_hasText = false;
    updateSave();
    m_previewing.ask(
        tr("Export preview"),
        [source = m_source, options = options()](const std::stop_token&, const JobRunner::Report&) {
            return exportText(*source, options);
        },
        [this](const Result<std::string>& text) { showText(text); });
}

void ExportDialog::showText(const Result<std::string>& text) {
    m_copy->setEnabled(text.ok());
    m_hasText = text.ok();
    updateSave();
    if (text.ok()) {
        m_preview->setPlainText(fromUtf8(*text));
        m_status->setText(tr("%L1 lines").arg(m_preview->blockCount()));
    } else {
        m_preview->setPlainText(fromUtf8(text.error().render()));
        m_status->setText(tr("✗ This program cannot be exported in this format."));
    }
}

void ExportDialog::copy() {
    QGuiApplication::clipboard()->setText(m_preview->toPlainText());
    m_status->setText(tr("Copied."));
}

QString ExportDialog::suggestedName() const {
    static const QRegularExpression other(QStringLiteral("[^A-Za-z0-9_]+"));
    QString name = m_name->text().isEmpty() ? fromUtf8(m_source->functionName()) : m_name->text();
    name.replace(other, QStringLiteral("_"));
    return name + QLatin1Char('.') + QLatin1String(kindOf(format()).suffix);
}

void ExportDialog::saveAs() {
    const FormatKind kind = kindOf(format());
    const SaveRequest request{.objectName = QStringLiteral("exportSaveDialog"),
                              .title = tr("Save Export"),
                              .kinds = {{kind.title, QLatin1String(kind.suffix)}},
                              .fileName = suggestedName()};
    askWhereToSave(this, request, [this](const QString& path) {
        if (format() == ExportFormat::Onnx)
            m_onnx->write(path, m_withThread->isChecked());
        else
            write(path);
    });
}

void ExportDialog::write(const QString& path) {
    m_status->setText(tr("Saving…"));
    m_saving.askInJobsView(
        tr("Saving the export"),
        [path = QFile::encodeName(path).toStdString(), text = m_preview->toPlainText().toStdString()](
            const std::stop_token&, const JobRunner::Report&) { return writeFile(path, text); },
        [path](const Status& written) -> JobOutcome {
            return {written ? JobInfo::State::Finished : JobInfo::State::Failed, savedText(path, written)};
        },
        [this, path](const Status& written) { m_status->setText(savedText(path, written)); });
}

}  // namespace mitos::views
