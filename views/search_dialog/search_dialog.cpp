// SPDX-License-Identifier: GPL-3.0-or-later
// The settings of a search.
#include "views/search_dialog/search_dialog.h"

#include "search/saturation/saturation.h"
#include "search/strategies/strategies.h"
#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/document/verdicts.h"
#include "views/search_dialog/internal/parameter_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QGridLayout>
#include <QGroupBox>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <algorithm>
#include <limits>
#include <utility>

namespace mitos::views {

namespace {

constexpr std::uint64_t BytesPerMegabyte = 1ULL << 20U;
constexpr int MaxCount = 2'000'000'000;
constexpr double MaxSeconds = 86'400.0;
constexpr double DefaultSeconds = 10.0;
constexpr int DefaultEvaluations = 20'000;
constexpr int DefaultStates = 1'000'000;
constexpr double SmallestSeconds = 0.1;

QString useKey(const char* name) { return QStringLiteral("search/budget/use.") + QLatin1String(name); }

QString valueKey(const char* name) { return QStringLiteral("search/budget/budget.") + QLatin1String(name); }

constexpr int DefaultSeed = 1;

QString strategyKey() { return QStringLiteral("search/strategy"); }

QString saturationKey() { return QStringLiteral("saturate/strategy"); }

QString seedKey() { return QStringLiteral("search/seed"); }

/// Settings that suit one dialect rarely suit another, so each has its own. Settings of ks and tensor keep their first names.
QString parameterKey(const std::string& strategy, const ir::Dialect& dialect, const std::string& parameter) {
    const QString folder =
        dialect.sharesNodes() ? QStringLiteral("search/graphs/%1/%2") : QStringLiteral("search/%1/%2");
    return folder.arg(fromUtf8(strategy), fromUtf8(parameter));
}

/// The values used last; values that do not parse any more are left out.
ParameterValues rememberedValues(const search::StrategyInfo& info, const ir::Dialect& dialect,
                                 const QSettings& settings) {
    ParameterValues values;
    for (const ParameterInfo& parameter : info.parameters) {
        const QString key = parameterKey(info.name, dialect, parameter.name);
        if (!settings.contains(key)) continue;
        if (auto value = parseParameter(parameter, settings.value(key).toString().toStdString())) {
            values.emplace(parameter.name, *std::move(value));
        }
    }
    return values;
}

}  // namespace

/// The limits of a search: each can be set or omitted.
class BudgetFields : public QWidget {
    Q_OBJECT
public:
    explicit BudgetFields(QWidget* parent = nullptr);

    [[nodiscard]] search::Budget budget() const;
    void setBudget(const search::Budget& budget);

    /// The default budget: ten seconds and the usual memory.
    [[nodiscard]] static search::Budget usual();
    /// The budget stored last; the default one if there is none.
    [[nodiscard]] static search::Budget stored(const QSettings& settings);
    static void store(QSettings& settings, const search::Budget& budget);

Q_SIGNALS:
    void changed();

private:
    template <typename Box>
    void addRow(QCheckBox*& use, Box*& box, const QString& name, const QString& title);

    QCheckBox* m_useSeconds = nullptr;
    QCheckBox* m_useEvaluations = nullptr;
    QCheckBox* m_useStates = nullptr;
    QCheckBox* m_useMemory = nullptr;
    QDoubleSpinBox* m_seconds = nullptr;
    QSpinBox* m_evaluations = nullptr;
    QSpinBox* m_states = nullptr;
    QSpinBox* m_megabytes = nullptr;
};

BudgetFields::BudgetFields(QWidget* parent) : QWidget(parent) {
    auto* layout = new QGridLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setColumnStretch(1, 1);
    addRow(m_useSeconds, m_seconds, QStringLiteral("seconds"), tr("Time"));
    addRow(m_useEvaluations, m_evaluations, QStringLiteral("evaluations"), tr("Expressions evaluated"));
    addRow(m_useStates, m_states, QStringLiteral("states"), tr("States kept"));
    addRow(m_useMemory, m_megabytes, QStringLiteral("memory"), tr("Memory"));
    m_seconds->setDecimals(1);
    m_seconds->setRange(SmallestSeconds, MaxSeconds);
    m_seconds->setSuffix(tr(" s"));
    m_megabytes->setSuffix(tr(" MB"));
    for (QSpinBox* box : {m_evaluations, m_states, m_megabytes}) {
        box->setRange(1, MaxCount);
        box->setGroupSeparatorShown(true);
        box->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
    }
    m_evaluations->setValue(DefaultEvaluations);
    m_states->setValue(DefaultStates);
    setBudget(usual());
}

search::Budget BudgetFields::usual() {
    return search::completed({.evaluations = {}, .seconds = DefaultSeconds, .states = {}, .memoryBytes = {}});
}

void BudgetFields::setBudget(const search::Budget& budget) {
    m_useSeconds->setChecked(budget.seconds.has_value());
    m_useEvaluations->setChecked(budget.evaluations.has_value());
    m_useStates->setChecked(budget.states.has_value());
    m_useMemory->setChecked(budget.memoryBytes.has_value());
    if (budget.seconds) m_seconds->setValue(*budget.seconds);
    const auto count = [](std::uint64_t value) {
        return static_cast<int>(std::clamp<std::uint64_t>(value, 1, std::uint64_t{MaxCount}));
    };
    if (budget.evaluations) m_evaluations->setValue(count(*budget.evaluations));
    if (budget.states) m_states->setValue(count(*budget.states));
    if (budget.memoryBytes) m_megabytes->setValue(count(*budget.memoryBytes / BytesPerMegabyte));
}

template <typename Box>
void BudgetFields::addRow(QCheckBox*& use, Box*& box, const QString& name, const QString& title) {
    auto* layout = static_cast<QGridLayout*>(this->layout());
    const int row = layout->rowCount();
    use = new QCheckBox(title, this);
    use->setObjectName(QStringLiteral("use.") + name);
    box = new Box(this);
    box->setObjectName(QStringLiteral("budget.") + name);
    box->setAccessibleName(title);
    box->setEnabled(false);
    layout->addWidget(use, row, 0);
    layout->addWidget(box, row, 1);
    connect(use, &QCheckBox::toggled, box, &QWidget::setEnabled);
    connect(use, &QCheckBox::toggled, this, &BudgetFields::changed);
    connect(box, &Box::valueChanged, this, &BudgetFields::changed);
}

search::Budget BudgetFields::budget() const {
    search::Budget budget;
    if (m_useSeconds->isChecked()) budget.seconds = m_seconds->value();
    if (m_useEvaluations->isChecked()) budget.evaluations = static_cast<std::uint64_t>(m_evaluations->value());
    if (m_useStates->isChecked()) budget.states = static_cast<std::uint64_t>(m_states->value());
    if (m_useMemory->isChecked())
        budget.memoryBytes = static_cast<std::uint64_t>(m_megabytes->value()) * BytesPerMegabyte;
    return budget;
}

search::Budget BudgetFields::stored(const QSettings& settings) {
    search::Budget budget = usual();
    const auto read = [&settings](const char* name, auto& limit, auto usualValue, auto take) {
        const QVariant use = settings.value(useKey(name));
        if (use.isValid() ? !use.toBool() : !limit.has_value()) {
            limit.reset();
            return;
        }
        limit = take(settings.value(valueKey(name)), limit.value_or(usualValue));
    };
    const auto count = [](const QVariant& value, std::uint64_t otherwise) {
        const int number = value.toInt();
        return number > 0 ? static_cast<std::uint64_t>(std::min(number, MaxCount)) : otherwise;
    };
    read("seconds", budget.seconds, DefaultSeconds, [](const QVariant& value, double otherwise) {
        const double seconds = value.toDouble();
        return seconds >= SmallestSeconds ? std::min(seconds, MaxSeconds) : otherwise;  // also rejects NaN
    });
    read("evaluations", budget.evaluations, std::uint64_t{DefaultEvaluations}, count);
    read("states", budget.states, std::uint64_t{DefaultStates}, count);
    read("memory", budget.memoryBytes, search::DefaultMemoryBytes,
         [&count](const QVariant& value, std::uint64_t otherwise) {
             return count(value, otherwise / BytesPerMegabyte) * BytesPerMegabyte;
         });
    return budget;
}

void BudgetFields::store(QSettings& settings, const search::Budget& budget) {
    const auto write = [&settings](const char* name, bool used, const QVariant& value) {
        settings.setValue(useKey(name), used);
        if (used) settings.setValue(valueKey(name), value);
    };
    const auto count = [](const std::optional<std::uint64_t>& limit) {
        return static_cast<qulonglong>(limit.value_or(0));
    };
    write("seconds", budget.seconds.has_value(), budget.seconds.value_or(0.0));
    write("evaluations", budget.evaluations.has_value(), count(budget.evaluations));
    write("states", budget.states.has_value(), count(budget.states));
    write("memory", budget.memoryBytes.has_value(),
          static_cast<qulonglong>(budget.memoryBytes.value_or(0) / BytesPerMegabyte));
}

SearchSettings rememberedSearch(const ir::Dialect& dialect, const QString& strategy) {
    const QSettings stored;
    SearchSettings last;
    last.strategy = strategy.isEmpty() ? stored.value(strategyKey()).toString() : strategy;
    auto found = search::findStrategy(last.strategy.toStdString());
    if (!found) {
        last.strategy = fromUtf8(dialect.defaultStrategy);
        found = search::findStrategy(dialect.defaultStrategy);
    }
    if (found) last.parameters = rememberedValues((*found)->info(), dialect, stored);
    last.budget = BudgetFields::stored(stored);
    last.seed = static_cast<std::uint64_t>(std::max(0, stored.value(seedKey(), DefaultSeed).toInt()));
    return last;
}

SearchSettings rememberedSaturation(const ir::Dialect& dialect) {
    const QString last = QSettings().value(saturationKey()).toString();
    return rememberedSearch(dialect, last == QLatin1String("tensat") ? last : QStringLiteral("saturation"));
}

SearchDialog::SearchDialog(Document& document, QWidget* parent)
    : SearchDialog(document, rememberedSearch(document.dialect()), parent) {}

SearchDialog::SearchDialog(Document& document, const SearchSettings& begin, QWidget* parent)
    : SearchDialog(document, begin, search::allStrategies(), strategyKey(), parent) {}

SearchDialog* SearchDialog::forSaturation(Document& document, QWidget* parent) {
    auto* dialog = new SearchDialog(document, rememberedSaturation(document.dialect()),
                                    {search::makeSaturation(), search::makeTensat()}, saturationKey(), parent);
    dialog->setObjectName(QStringLiteral("saturateDialog"));
    dialog->setWindowTitle(tr("Saturate the Program"));
    dialog->m_buttons->button(QDialogButtonBox::Ok)->setText(tr("Saturate"));
    return dialog;
}

SearchDialog::SearchDialog(Document& document, const SearchSettings& begin, Strategies strategies, QString strategyKey,
                           QWidget* parent)
    : QDialog(parent),
      m_document(document),
      m_strategies(std::move(strategies)),
      m_strategyKey(std::move(strategyKey)),
      m_strategy(new QComboBox(this)),
      m_description(new QLabel(this)),
      m_formPlace(new QVBoxLayout),
      m_budget(new BudgetFields(this)),
      m_seed(new QSpinBox(this)),
      m_insist(new QCheckBox(tr("&Insist: apply rules that failed their test"), this)),
      m_assume(new QCheckBox(tr("Allow &assumptions about signs"), this)),
      m_context(new QLabel(this)),
      m_message(new QLabel(this)),
      m_buttons(new QDialogButtonBox(
          QDialogButtonBox::Ok | QDialogButtonBox::Cancel | QDialogButtonBox::RestoreDefaults, this)) {
    setObjectName(QStringLiteral("searchDialog"));
    setWindowTitle(tr("Search"));
    build();

    m_budget->setBudget(begin.budget);
    m_seed->setValue(static_cast<int>(
        std::min<std::uint64_t>(begin.seed, static_cast<std::uint64_t>(std::numeric_limits<int>::max()))));
    m_strategy->setCurrentIndex(std::max(0, m_strategy->findData(begin.strategy)));
    showParameters(begin.parameters);

    connect(m_strategy, &QComboBox::currentIndexChanged, this, &SearchDialog::showStrategy);
    const auto showDoubts = [this] {
        const QString details =
            failedRulesDetails(m_document.failedRules()) + failedRulesDetails(m_document.untestedRules());
        m_insist->setVisible(m_document.hasDoubtfulRules());
        m_insist->setToolTip(details.isEmpty() ? tr("The rules are being tested") : details);
        validate();
    };
    connect(&document, &Document::trustChanged, this, showDoubts);
    connect(m_insist, &QCheckBox::clicked, this, &SearchDialog::validate);
    m_insist->setChecked(document.isInsisting());
    m_assume->setChecked(document.allowsAssumptions());
    showDoubts();
    connect(m_budget, &BudgetFields::changed, this, &SearchDialog::validate);
    connect(m_buttons, &QDialogButtonBox::accepted, this, &SearchDialog::accept);
    connect(m_buttons, &QDialogButtonBox::rejected, this, &SearchDialog::reject);
    connect(m_buttons->button(QDialogButtonBox::RestoreDefaults), &QPushButton::clicked, this, [this] {
        m_form->setDefaults();
        m_budget->setBudget(BudgetFields::usual());
        m_seed->setValue(DefaultSeed);
        m_insist->setChecked(false);
        m_assume->setChecked(false);
        validate();
    });
}

void SearchDialog::build() {
    m_strategy->setObjectName(QStringLiteral("searchStrategy"));
    for (const auto& strategy : m_strategies) {
        m_strategy->addItem(fromUtf8(strategy->info().title), fromUtf8(strategy->info().name));
    }
    setUpPlainLabel(m_description, "searchDescription");
    setUpWidget(m_seed, "searchSeed", tr("The same seed gives the same search, as long as time does not end it"));
    m_seed->setRange(0, std::numeric_limits<int>::max());
    m_insist->setObjectName(QStringLiteral("searchInsist"));
    setUpWidget(m_assume, "searchAssume", assumptionsHelp());
    setUpPlainLabel(m_context, "searchContext");
    setUpPlainLabel(m_message, "searchMessage");
    m_buttons->setObjectName(QStringLiteral("searchButtons"));
    m_buttons->button(QDialogButtonBox::Ok)->setText(tr("Run"));

    auto* strategyBox = new QGroupBox(tr("Strategy"), this);
    fillColumn(strategyBox, {m_strategy, m_description, m_formPlace});
    auto* budgetBox = new QGroupBox(tr("Stop when one of these is reached"), this);
    fillColumn(budgetBox, {m_budget});
    auto* seedLine = new QFormLayout;
    seedLine->addRow(tr("Seed"), m_seed);

    fillColumn(this,
               {m_context, strategyBox, budgetBox, seedLine, m_assume, m_insist, m_message, stretch(), m_buttons});
    setMinimumWidth(460);

    if (m_document.isOpen()) {
        const rewrite::History& history = m_document.history();
        const cost::CostModelInfo& model = m_document.costModel().info();
        m_context->setText(tr("From state #%1 of %2, cost %3 %4 (%5). Rules: %6.")
                               .arg(history.current().value)
                               .arg(m_document.title(), costText(history.state(history.current()).cost),
                                    fromUtf8(model.unit), fromUtf8(model.name), fromUtf8(m_document.rules().names())));
    }
}

const search::StrategyInfo& SearchDialog::strategy() const {
    return m_strategies[static_cast<std::size_t>(std::max(0, m_strategy->currentIndex()))]->info();
}

void SearchDialog::showStrategy() { showParameters(rememberedValues(strategy(), m_document.dialect(), QSettings())); }

void SearchDialog::showParameters(const ParameterValues& values) {
    const search::StrategyInfo& info = strategy();
    m_description->setText(fromUtf8(info.description));
    delete m_form;
    m_form = new ParameterForm(search::fitted(info, m_document.dialect()).parameters, values, this);
    m_formPlace->addWidget(m_form);
    connect(m_form, &ParameterForm::changed, this, &SearchDialog::validate);
    validate();
}

void SearchDialog::validate() {
    QString problem;
    QString remark;
    const search::Budget budget = m_budget->budget();
    const auto resolved = search::resolveParameters(strategy(), m_form->values());
    if (!m_document.isOpen()) {
        problem = tr("There is no program to search from. Open one first.");
    } else if (m_document.rules().directions().empty()) {
        problem = tr("No rule of %1 can be executed. Choose other rules.").arg(fromUtf8(m_document.rules().names()));
    } else if (!resolved.ok()) {
        problem = fromUtf8(resolved.error().message);
    } else if (const auto doubtful =
                   static_cast<int>(m_document.failedRules().size() + m_document.untestedRules().size());
               doubtful > 0 && m_insist->isChecked()) {
        remark =
            tr("⚠ Rules that failed their test or could not be tested are applied: the result may compute something "
               "else. It is compared "
               "with its start on random inputs, as always.");
    } else if (doubtful > 0) {
        remark = tr("Rules left out, as they failed their test or could not be tested: %1.").arg(doubtful);
    } else if (!budget.seconds && !budget.evaluations && !budget.states) {
        const std::optional<std::uint64_t> evaluations = search::completed(budget).evaluations;
        remark = evaluations ? tr("Without any limit %1 expressions are evaluated.").arg(countText(*evaluations))
                             : tr("The search goes on until you stop it, memory is full, or nothing is left to try.");
    }
    m_message->setText(problem.isEmpty() ? remark : tr("⚠ %1").arg(problem));
    m_buttons->button(QDialogButtonBox::Ok)->setEnabled(problem.isEmpty());
}

SearchSettings SearchDialog::settings() const {
    return {.strategy = fromUtf8(strategy().name),
            .parameters = m_form->values(),
            .budget = m_budget->budget(),
            .seed = static_cast<std::uint64_t>(m_seed->value())};
}

void SearchDialog::remember() {
    QSettings settings;
    const search::StrategyInfo& info = strategy();
    settings.setValue(m_strategyKey, fromUtf8(info.name));
    settings.setValue(seedKey(), m_seed->value());
    for (const auto& [name, value] : m_form->values()) {
        settings.setValue(parameterKey(info.name, m_document.dialect(), name), fromUtf8(parameterText(value)));
    }
    BudgetFields::store(settings, m_budget->budget());
}

void SearchDialog::accept() {
    if (!m_buttons->button(QDialogButtonBox::Ok)->isEnabled()) return;
    remember();
    m_document.setInsisting(m_insist->isChecked());
    m_document.setAllowingAssumptions(m_assume->isChecked());
    QDialog::accept();
}

}  // namespace mitos::views

#include "search_dialog.moc"
