// SPDX-License-Identifier: GPL-3.0-or-later
// The searches of a comparison.
#include "views/search_dialog/compare_dialog.h"

#include "search/parallel.h"
#include "search/strategies/strategies.h"
#include "views/common/format.h"
#include "views/common/parameter_form.h"
#include "views/common/widgets.h"
#include "views/document/gain_text.h"
#include "views/document/session_names.h"
#include "views/search_dialog/internal/budget_fields.h"
#include "views/search_dialog/internal/program_list.h"
#include "views/search_dialog/search_dialog.h"
#include "views/theme/style.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QGroupBox>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace mitos::views {

namespace {

constexpr int UsualSeeds = 3;
constexpr int MostSeeds = 100;
constexpr int ListWidth = 230;
constexpr int ShortestFrom = 18;  // letters

QString contestantsKey(const ir::Dialect& dialect) {
    return QStringLiteral("compare/strategies.") + fromUtf8(dialect.name);
}

QString seedsKey() { return QStringLiteral("compare/seeds"); }

QString firstSeedKey() { return QStringLiteral("compare/first-seed"); }

/// What is compared at first: the usual strategy, and the best known ones.
QStringList usualContestants(const ir::Dialect& dialect) {
    QStringList names{QStringLiteral("greedy"), QStringLiteral("astar"), QStringLiteral("mcts"),
                      fromUtf8(dialect.defaultStrategy)};
    names.removeDuplicates();
    return names;
}

}  // namespace

CompareDialog::CompareDialog(Document& document, JobRunner& jobs, const std::vector<ProgramCandidate>& programs,
                             QWidget* parent)
    : QDialog(parent),
      m_document(document),
      m_programs(new ProgramList(document, jobs, this)),
      m_from(new QComboBox(this)),
      m_list(new QListWidget(this)),
      m_copy(new QPushButton(tr("Add a &Variant"), this)),
      m_remove(new QPushButton(tr("Remove &Variant"), this)),
      m_description(new QLabel(this)),
      m_formPlace(new QVBoxLayout),
      m_budget(new BudgetFields(this)),
      m_seeds(new QSpinBox(this)),
      m_firstSeed(new QSpinBox(this)),
      m_message(new QLabel(this)),
      m_buttons(new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this)) {
    setObjectName(QStringLiteral("compareDialog"));
    setWindowTitle(tr("Compare Searches"));
    build();
    fill();
    for (int program = 1; program <= document.comparedPrograms().count(); ++program) {
        const ComparedProgram& compared = document.comparedPrograms().at(program);
        if (compared.opened != nullptr) m_programs->add({programName(compared.title), {compared.session}, true});
    }
    for (const ProgramCandidate& program : programs) m_programs->add(program);
    fillFrom();
    connect(m_from, &QComboBox::currentIndexChanged, this, &CompareDialog::validate);
    connect(m_programs, &ProgramList::changed, this, &CompareDialog::validate);
    connect(m_list, &QListWidget::currentRowChanged, this, &CompareDialog::showSelected);
    connect(m_list, &QListWidget::itemChanged, this, &CompareDialog::validate);
    connect(m_copy, &QPushButton::clicked, this, &CompareDialog::copySelected);
    connect(m_remove, &QPushButton::clicked, this, &CompareDialog::removeSelected);
    connect(m_budget, &BudgetFields::changed, this, &CompareDialog::validate);
    connect(m_seeds, &QSpinBox::valueChanged, this, &CompareDialog::validate);
    connect(m_buttons, &QDialogButtonBox::accepted, this, &CompareDialog::accept);
    connect(m_buttons, &QDialogButtonBox::rejected, this, &CompareDialog::reject);
    connect(&document, &Document::trustChanged, this, &CompareDialog::validate);
    m_list->setCurrentRow(0);
    showSelected();
}

void CompareDialog::build() {
    setUpWidget(m_list, "compareStrategies", tr("Those with a check mark are compared"), tr("Strategies"));
    m_list->setFixedWidth(ListWidth);
    setUpWidget(
        m_from, "compareDialogFrom",
        tr("The state of this program where the searches begin; the other programs are searched from their starts"),
        tr("From"));
    m_from->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);  // names may be long
    m_from->setMinimumContentsLength(ShortestFrom);
    setUpWidget(m_copy, "compareVariant", tr("List the strategy again, to compare other parameters"));
    setUpWidget(m_remove, "compareRemove", tr("Remove this variant from the list"));
    setUpPlainLabel(m_description, "compareDescription");
    setUpWidget(m_seeds, "compareSeeds", tr("How often each strategy that depends on chance searches"), tr("Seeds"));
    m_seeds->setRange(1, MostSeeds);
    setUpWidget(m_firstSeed, "compareFirstSeed", tr("The others follow it"), tr("First seed"));
    m_firstSeed->setRange(0, std::numeric_limits<int>::max() - MostSeeds);
    setUpPlainLabel(m_message, "compareMessage");
    m_buttons->setObjectName(QStringLiteral("compareButtons"));
    m_buttons->button(QDialogButtonBox::Ok)->setText(tr("Compare"));
    setMainButton(m_buttons->button(QDialogButtonBox::Ok));

    auto* right = new QGroupBox(tr("Parameters"), this);
    fillColumn(right, {m_description, m_formPlace, stretch()});
    auto* budget = new QGroupBox(tr("Each search stops when one of these is reached"), this);
    auto* seeds = new QFormLayout;
    seeds->addRow(tr("Seeds"), m_seeds);
    seeds->addRow(tr("First seed"), m_firstSeed);
    fillRow(budget, {{m_budget, 1}, gap(12), seeds});
    auto* programs = new QGroupBox(tr("Programs"), this);
    auto* from = new QLabel(tr("&From"), this);
    from->setBuddy(m_from);
    fillColumn(programs, {{m_programs, 1}, rowOf({from, {m_from, 1}}, {.margins = NoMargins})});
    auto* left = new QGroupBox(tr("Strategies"), this);
    fillColumn(left, {{m_list, 1}, rowOf({m_copy, m_remove})});
    fillColumn(this, {{rowOf({programs, left, {right, 1}}), 1}, budget, m_message, m_buttons});
    setMinimumSize(900, 560);
}

void CompareDialog::fill() {
    const QSettings settings;
    const ir::Dialect& dialect = m_document.dialect();
    const QStringList usual = usualContestants(dialect);
    const QStringList stored = settings.value(contestantsKey(dialect)).toStringList();
    for (const auto& strategy : search::strategiesFor(m_document.dialect())) {
        const search::StrategyInfo& info = strategy->info();
        const QString name = fromUtf8(info.name);
        const SearchSettings last = rememberedSearch(dialect, name);
        bool isListed = false;
        for (const QString& entry : stored) {
            const QStringList lines = entry.split(QLatin1Char('\n'));
            if (lines.front() != name) continue;
            ParameterValues values;
            for (const ParameterInfo& parameter : info.parameters) {
                const QString begin = fromUtf8(parameter.name) + QLatin1Char('=');
                for (const QString& line : lines.mid(1)) {
                    if (!line.startsWith(begin)) continue;
                    if (auto value = parseParameter(parameter, line.mid(begin.size()).toStdString()))
                        values.emplace(parameter.name, *std::move(value));
                }
            }
            add({strategy, std::move(values)}, true, m_list->count());
            isListed = true;
        }
        if (!isListed) add({strategy, last.parameters}, stored.isEmpty() && usual.contains(name), m_list->count());
    }
    m_budget->setBudget(BudgetFields::stored(settings));
    m_seeds->setValue(settings.value(seedsKey(), UsualSeeds).toInt());
    m_firstSeed->setValue(settings.value(firstSeedKey(), 1).toInt());
}

void CompareDialog::fillFrom() {
    if (!m_document.isOpen()) return;
    const rewrite::History& history = m_document.history();
    const auto offer = [this, &history](const QString& text, rewrite::StateId state) {
        m_from->addItem(tr("%1, %2").arg(text, costText(history.state(state).cost)), state.value);
    };
    offer(tr("The start"), history.start());
    const rewrite::StateId current = history.current();
    if (current != history.start()) offer(tr("The current state, %1").arg(stateName(history, current)), current);
    for (std::uint32_t id = 1; id < history.size(); ++id) {
        const rewrite::StateId state(id);
        if (state != current && !history.state(state).marks.name.empty()) offer(stateName(history, state), state);
    }
}

rewrite::StateId CompareDialog::from() const { return rewrite::StateId(m_from->currentData().toUInt()); }

void CompareDialog::add(Contestant contestant, bool chosen, int row) {
    auto* item = new QListWidgetItem(fromUtf8(contestant.strategy->info().label));
    item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
    item->setToolTip(fromUtf8(contestant.strategy->info().title));
    item->setCheckState(chosen ? Qt::Checked : Qt::Unchecked);
    m_contestants.insert(m_contestants.begin() + row, std::move(contestant));
    m_list->insertItem(row, item);
}

bool CompareDialog::isCopied(int row) const {
    const auto& strategy = m_contestants[static_cast<std::size_t>(row)].strategy->info().name;
    return std::ranges::count_if(m_contestants,
                                 [&](const Contestant& each) { return each.strategy->info().name == strategy; }) > 1;
}

void CompareDialog::copySelected() {
    const int row = m_list->currentRow();
    if (row < 0) return;
    add(m_contestants[static_cast<std::size_t>(row)], true, row + 1);
    m_list->setCurrentRow(row + 1);
    validate();
}

void CompareDialog::removeSelected() {
    const int row = m_list->currentRow();
    if (row < 0 || !isCopied(row)) return;
    m_contestants.erase(m_contestants.begin() + row);
    delete m_list->takeItem(row);  // selects a neighbour
    showSelected();
}

void CompareDialog::showSelected() {
    delete std::exchange(m_form, nullptr);
    const int row = m_list->currentRow();
    m_copy->setEnabled(row >= 0);
    m_remove->setEnabled(row >= 0 && isCopied(row));
    if (row >= 0) {
        const Contestant& contestant = m_contestants[static_cast<std::size_t>(row)];
        const search::StrategyInfo info = search::fitted(contestant.strategy->info(), m_document.dialect());
        m_description->setText(fromUtf8(info.description));
        m_form = new ParameterForm(info.parameters, contestant.values, this);
        m_formPlace->addWidget(m_form);
        connect(m_form, &ParameterForm::changed, this, [this, row] {
            m_contestants[static_cast<std::size_t>(row)].values = m_form->values();
            validate();
        });
    }
    validate();
}

std::vector<const CompareDialog::Contestant*> CompareDialog::chosen() const {
    std::vector<const Contestant*> all;
    for (int row = 0; row < m_list->count(); ++row) {
        if (m_list->item(row)->checkState() == Qt::Checked)
            all.push_back(&m_contestants[static_cast<std::size_t>(row)]);
    }
    return all;
}

std::vector<SearchSettings> CompareDialog::searches() const {
    std::vector<SearchSettings> all;
    for (const Contestant* contestant : chosen()) {
        const search::StrategyInfo& info = contestant->strategy->info();
        for (int i = 0; i < (info.randomized ? m_seeds->value() : 1); ++i) {
            all.push_back({.strategy = fromUtf8(info.name),
                           .parameters = contestant->values,
                           .budget = m_budget->budget(),
                           .seed = static_cast<std::uint64_t>(m_firstSeed->value() + i)});
        }
    }
    return all;
}

std::vector<ProgramChoice> CompareDialog::programs() const { return m_programs->choices(); }

void CompareDialog::validate() {
    QString problem;
    const search::Budget budget = search::completed(m_budget->budget());
    const std::vector<SearchSettings> all = searches();
    for (const Contestant* contestant : chosen()) {
        const auto resolved = search::resolveParameters(contestant->strategy->info(), contestant->values);
        if (!resolved && problem.isEmpty()) problem = fromUtf8(resolved.error().message);
    }
    const auto rewrites = [](const Contestant* one) { return one->strategy->info().needs != ir::Capability::Schedule; };
    if (!m_document.isOpen())
        problem = tr("There is no program to search from. Open one first.");
    else if (m_document.rules().directions().empty() && std::ranges::any_of(chosen(), rewrites))
        problem =
            m_document.rules().names().empty()
                ? tr("There are no rules for %1 programs.").arg(fromUtf8(m_document.dialect().name))
                : tr("No rule of %1 can be executed. Choose other rules.").arg(fromUtf8(m_document.rules().names()));
    else if (all.empty())
        problem = tr("Choose at least one strategy.");
    QString text = tr("⚠ %1").arg(problem);
    if (problem.isEmpty()) {
        const auto atATime = static_cast<int>(search::defaultJobs());
        const std::size_t count = 1 + programs().size();
        const std::size_t searches = count * all.size();
        text = searches == 1 ? tr("1 search")
               : count == 1  ? tr("%1 searches, %2 at a time").arg(searches).arg(atATime)
                             : tr("%1 searches of %2 programs, %3 at a time").arg(searches).arg(count).arg(atATime);
        if (budget.seconds) {
            const double rounds = std::ceil(static_cast<double>(searches) / atATime);
            text +=
                tr("; at most %1, and the time for checking each result").arg(durationText(rounds * *budget.seconds));
        }
        text += QLatin1Char('.');
        if (count > 1 && from().value != 0)
            text +=
                QLatin1Char('\n') + tr("The other programs are searched from their starts, and listed by themselves.");
        if (const auto left = m_document.failedRules().size() + m_document.untestedRules().size();
            left > 0 && !m_document.isInsisting()) {
            text += QLatin1Char('\n') +
                    tr("Rules left out, as they failed their test or could not be tested: %1.").arg(left);
        }
    }
    m_message->setText(text);
    m_buttons->button(QDialogButtonBox::Ok)->setEnabled(problem.isEmpty());
}

void CompareDialog::remember() const {
    QSettings settings;
    QStringList entries;
    for (const Contestant* contestant : chosen()) {
        QStringList lines{fromUtf8(contestant->strategy->info().name)};
        for (const auto& [name, value] : contestant->values)
            lines << fromUtf8(name) + QLatin1Char('=') + fromUtf8(parameterText(value));
        entries << lines.join(QLatin1Char('\n'));
    }
    settings.setValue(contestantsKey(m_document.dialect()), entries);
    settings.setValue(seedsKey(), m_seeds->value());
    settings.setValue(firstSeedKey(), m_firstSeed->value());
    BudgetFields::store(settings, m_budget->budget());
}

void CompareDialog::accept() {
    if (!m_buttons->button(QDialogButtonBox::Ok)->isEnabled()) return;
    remember();
    QDialog::accept();
}

}  // namespace mitos::views
