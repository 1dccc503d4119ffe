// SPDX-License-Identifier: GPL-3.0-or-later
// See gain_overlay.h.
#include "views/program/internal/gain_overlay.h"

#include "search/learned/model_fields.h"
#include "search/rewriting/value_model.h"
#include "views/common/flow_row.h"
#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/document/model_files.h"
#include "views/theme/theme.h"

#include <QComboBox>
#include <QEvent>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QSettings>
#include <QSignalBlocker>
#include <QSpinBox>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

QString functionKey() { return QStringLiteral("program/gain"); }
QString stepsKey() { return QStringLiteral("program/gainSteps"); }

constexpr QLatin1String Learned("learned");
/// The data of the item for the model of a file: "learned:FILE".
QString modelItem(const QString& path) { return Learned + QLatin1Char(':') + path; }
/// The file of such an item; empty for others.
QString modelOf(const QString& item) {
    const QString begin = modelItem({});
    return item.startsWith(begin) ? item.mid(begin.size()) : QString();
}

/// The value function of an item as parameters of a search.
ParameterValues parametersOf(const QString& item) {
    const QString model = modelOf(item);
    if (model.isEmpty()) return {{"value", item.toStdString()}};
    return {{"value", std::string(Learned.data(), static_cast<std::size_t>(Learned.size()))},
            {"model", QFile::encodeName(model).toStdString()}};
}

QLabel* plainLabel(const char* name) {
    auto* label = new QLabel;
    label->setObjectName(QLatin1String(name));
    label->setTextFormat(Qt::PlainText);
    return label;
}

}  // namespace

/// The colours from no heat to the most, with a line below them that becomes thicker, as in the text.
class HeatScale : public QWidget {
public:
    HeatScale() {
        setObjectName(QStringLiteral("gainScale"));
        followFont(this, [this] { setFixedSize(fontMetrics().averageCharWidth() * 16, fontMetrics().height()); });
    }

protected:
    void paintEvent(QPaintEvent* /*event*/) override {
        constexpr double ThinLine = 1.0;
        constexpr double ThickLine = 3.0;
        QPainter painter(this);
        const Theme theme(palette());
        for (int x = 0; x < width(); ++x) {
            const double share = static_cast<double>(x) / std::max(1, width() - 1);
            const double thick = ThinLine + (ThickLine - ThinLine) * share;
            painter.fillRect(QRectF(x, 0, 1, height()), theme.heat(share));
            if (x > 0) painter.fillRect(QRectF(x, height() - thick, 1, thick), theme.costBar());
        }
        painter.setPen(theme.border());
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
};

GainOverlay::GainOverlay(Document& document, JobRunner& jobs, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_jobs(jobs),
      m_view(*parent),
      m_query(jobs),
      m_choice(new QComboBox(parent)),
      m_model(new QPushButton(tr("Model…"))),
      m_steps(new QSpinBox),
      m_scale(new HeatScale),
      m_least(plainLabel("gainLeast")),
      m_most(plainLabel("gainMost")),
      m_note(plainLabel("gainNote")) {
    setObjectName(QStringLiteral("gainLegend"));
    setUpWidget(m_choice, "gainChoice", tr("Colours the parts of the program by what can still be gained in them"),
                tr("Gain"));
    m_choice->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_choice->installEventFilter(this);
    setUpWidget(m_model, "gainModel", tr("Estimate with the trained value function of another file"));
    setUpWidget(m_steps, "gainSteps", tr("Steps of rewriting in which the cost is expected to fall"),
                tr("Number of steps"));
    m_steps->setRange(static_cast<int>(Steps.least), static_cast<int>(Steps.most));
    m_steps->setSuffix(tr(" steps"));
    m_note->setWordWrap(true);
    auto* row = new FlowRow(Qt::AlignLeft);
    row->setSpacing(8);
    for (QWidget* widget :
         {static_cast<QWidget*>(m_least), static_cast<QWidget*>(m_scale), static_cast<QWidget*>(m_most),
          static_cast<QWidget*>(m_steps), static_cast<QWidget*>(m_model)}) {
        row->addWidget(widget);
    }
    fillColumn(this, {row, m_note}, {.margins = QMargins(8, 3, 8, 3), .spacing = 2});
    restore();
    connect(m_choice, &QComboBox::currentIndexChanged, this, &GainOverlay::choose);
    connect(m_model, &QPushButton::clicked, this, &GainOverlay::askForModel);
    connect(m_steps, &QSpinBox::valueChanged, this, [this](int chosen) {
        QSettings().setValue(stepsKey(), chosen);
        if (!m_shown) return;
        show(std::make_shared<ShownGain>(m_shown->map(), steps(), unit()));
    });
    setVisible(isOn());
    m_model->setVisible(m_choice->currentData().toString().startsWith(Learned));
    say({});
}

GainOverlay::~GainOverlay() = default;

void GainOverlay::follow() {
    connect(&m_document, &Document::closed, this, &GainOverlay::drop);
    connect(&m_document, &Document::opened, this, &GainOverlay::ask);
    connect(&m_document, &Document::currentChanged, this, &GainOverlay::ask);
    connect(&m_document, &Document::costModelChanged, this, &GainOverlay::ask);
    connect(&m_document, &Document::rulesChanged, this, &GainOverlay::ask);
    connect(&m_document, &Document::runEnded, this, [this](RunNumber number) {
        const Run* const run = m_document.run(number);
        if (run == nullptr || !search::isTraining(*run)) return;
        listAgain();
        if (!modelOf(m_choice->currentData().toString()).isEmpty()) ask();  // it may have been trained on
    });
    connect(&m_jobs, &JobRunner::jobChanged, this, &GainOverlay::showProgress);
    whenShown(&m_view, Qt::QueuedConnection, [this] {
        if (m_isOutdated) ask();
    });
}

void GainOverlay::drop() {
    m_query.cancel();
    m_isOutdated = true;
    say({});
    show(nullptr);
}

void GainOverlay::list(const QString& chosen) {
    const QSignalBlocker blocker(m_choice);
    m_choice->clear();
    m_choice->addItem(tr("Gain: off"), QString());
    for (const search::ValueInfo& value : search::allValueFunctions()) {
        if (value.name == "zero") continue;
        m_choice->addItem(tr("Gain: %1").arg(fromUtf8(value.name)), fromUtf8(value.name));
        m_choice->setItemData(m_choice->count() - 1, tr("The expected cost reduction: %1").arg(fromUtf8(value.meaning)),
                              Qt::ToolTipRole);
    }
    for (const KnownModelFile& file : knownModelFiles(m_document)) {
        if (file.kind == fromUtf8(search::ValueModelKind)) addModelItem(file.path);
    }
    const QString model = modelOf(chosen);
    if (!model.isEmpty() && m_choice->findData(chosen) < 0 && QFileInfo::exists(model)) addModelItem(model);
    m_choice->setCurrentIndex(std::max(0, m_choice->findData(chosen)));
}

void GainOverlay::listAgain() {
    const QString chosen = m_choice->currentData().toString();
    list(chosen);
    if (m_choice->currentData().toString() != chosen) choose();  // the file is not there any more
}

void GainOverlay::addModelItem(const QString& path) {
    constexpr qsizetype LongestName = 24;
    m_choice->addItem(tr("Gain: %1").arg(shortened(QFileInfo(path).fileName(), LongestName)), modelItem(path));
    m_choice->setItemData(m_choice->count() - 1,
                          tr("The expected cost reduction: that of the trained network in %1").arg(path),
                          Qt::ToolTipRole);
}

bool GainOverlay::eventFilter(QObject* watched, QEvent* event) {
    // Models may have been trained since, in this window or another one.
    if (watched == m_choice && event->type() == QEvent::FocusIn) listAgain();
    return QWidget::eventFilter(watched, event);
}

void GainOverlay::askForModel() {
    auto* dialog = new QFileDialog(this, tr("Estimate with a Trained Value Function"));
    dialog->setObjectName(QStringLiteral("gainModelDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({tr("Models (*%1)").arg(fromUtf8(search::learned::ModelEnding)), tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        list(modelItem(QFileInfo(path).absoluteFilePath()));
        choose();
    });
    dialog->open();
}

void GainOverlay::restore() {
    const QSettings settings;
    list(settings.value(functionKey()).toString());
    m_steps->setValue(settings.value(stepsKey(), UsualSteps).toInt());
}

bool GainOverlay::isOn() const { return m_choice->currentIndex() > 0; }

std::uint32_t GainOverlay::steps() const { return static_cast<std::uint32_t>(m_steps->value()); }

void GainOverlay::choose() {
    QSettings().setValue(functionKey(), m_choice->currentData().toString());
    setVisible(isOn());
    m_model->setVisible(m_choice->currentData().toString().startsWith(Learned));
    ask();
}

void GainOverlay::ask() {
    drop();
    m_isOutdated = isOn() && !m_view.isVisible();
    if (!isOn() || !m_document.isOpen() || m_isOutdated) return;
    m_most->setText(tr("Estimating gains…"));
    m_most->show();
    setAccessibleDescription(m_most->text());
    m_root = m_document.current().root;
    m_query.ask(
        tr("Estimating gains"),
        [parameters = parametersOf(m_choice->currentData().toString()),
         snapshot = m_document.snapshot(m_document.current()), rules = m_document.rules().directions(),
         model = m_document.sharedCostModel()](const std::stop_token& stop, const JobRunner::Report& report) {
            const search::SearchProblem problem{*snapshot.bank, snapshot.program, rules, model, {}, 1, parameters};
            return search::gainMap(search::allValueFunctions(), problem, Steps, {}, stop,
                                   [&report](double done) { report(done, {}); });
        },
        [this](Result<search::GainMap> found) { take(std::move(found)); });
}

void GainOverlay::showProgress(JobId job) {
    if (job != m_query.job() || !m_query.isRunning()) return;
    const auto found = std::ranges::find(m_jobs.jobs(), job, &JobInfo::id);
    if (found == m_jobs.jobs().end() || !(found->progress > 0.0)) return;
    m_most->setText(tr("Estimating gains… %1 %").arg(QLocale().toString(100.0 * found->progress, 'f', 0)));
}

void GainOverlay::take(Result<search::GainMap> found) {
    if (found) return show(std::make_shared<ShownGain>(*std::move(found), steps(), unit()));
    m_most->hide();
    QString text = fromUtf8(found.error().oneLine());
    if (const QString model = modelOf(m_choice->currentData().toString()); !model.isEmpty())
        text.replace(model, QFileInfo(model).fileName());
    say(text, fromUtf8(found.error().hint));
}

void GainOverlay::show(std::shared_ptr<const ShownGain> gain) {
    const bool isOther = m_shown || gain;
    m_shown = std::move(gain);
    showLegend();
    if (isOther) Q_EMIT changed();
}

void GainOverlay::say(const QString& text, const QString& toolTip) {
    m_note->setText(text);
    m_note->setToolTip(toolTip);
    m_note->setVisible(!text.isEmpty());
    setAccessibleDescription(text);
}

QString GainOverlay::unit() const { return fromUtf8(m_document.costModel().info().unit); }

void GainOverlay::showLegend() {
    const bool hasScale = m_shown && m_shown->map().largest(steps()) > 0.0;
    m_least->setVisible(hasScale);
    m_scale->setVisible(hasScale);
    m_most->setVisible(m_shown != nullptr);
    if (!m_shown) return;
    const std::size_t large = m_shown->map().large();
    say(large > 0 ? tr("%1 parts are too large for an estimate.").arg(countText(large)) : QString());
    m_least->setText(amountText(0.0, unit()));
    m_most->setText(hasScale ? tr("%1 within").arg(m_shown->largestText()) : tr("No gain is expected within"));
    const QString scale =
        hasScale ? tr("Colours from %1 to %2 %3.").arg(m_least->text(), m_shown->largestText(), withinText(steps()))
                 : tr("No gain is expected %1.").arg(withinText(steps()));
    setAccessibleDescription(QStringList{scale, m_note->text()}.join(QLatin1Char(' ')).trimmed());
}

}  // namespace mitos::views
