// SPDX-License-Identifier: GPL-3.0-or-later
// See compared_programs.h.
#include "views/document/compared_programs.h"

#include "views/common/format.h"
#include "views/document/choices.h"
#include "views/document/internal/document_private.h"
#include "views/document/runtime_graph.h"

#include <QDateTime>
#include <QFileInfo>
#include <algorithm>
#include <set>
#include <utility>

namespace mitos::views {

using State = ComparedProgram::State;

struct ComparedPrograms::Entry : ComparedProgram {
    std::string text;                   ///< of the program, as its session stores it
    std::unique_ptr<SessionFile> file;  ///< while its searches run
    /// A program without its history, which the searches start from.
    std::shared_ptr<const Opened> start;
    std::vector<AskedSearch> waiting;
    std::set<RunNumber> active;  ///< until their results are judged
    RunNumber last = 0;          ///< the number given last
};

namespace {

/// Why a program cannot be compared with the open one; empty if it can.
std::optional<Error> misfitOf(const Opened& opened, const ComparedSettings& settings) {
    const std::string& dialect = opened.bank->dialect(opened.history->function()).name;
    if (dialect == settings.dialect) return std::nullopt;
    return Error{.code = ErrorCode::InvalidInput,
                 .message = opened.title + " is a " + dialect + " program, and " + settings.title.toStdString() +
                            " is a " + settings.dialect + " program.",
                 .hint = "Rules, cost models and parameters of the two kinds differ. Compare one kind at a time."};
}

storage::NewProgram newProgram(const Opened& opened, const ComparedSettings& settings) {
    storage::NewProgram program{.title = opened.title,
                                .source = opened.source,
                                .text = opened.text,
                                .rules = settings.rules.book.names(),
                                .assumptions = settings.rules.book.assumptions(),
                                .costModel = settings.costModelName,
                                .states = storage::storedStates(*opened.bank, *opened.history, 0)};
    if (opened.model) program.model = toStored(*opened.model);
    return program;
}

/// A search of the program from its start.
PreparedSearch prepared(const ComparedProgram& program, const std::shared_ptr<const Opened>& start,
                        const AskedSearch& asked, const ComparedSettings& settings, RunNumber number) {
    const std::shared_ptr<const ir::TermBank> bank = start->bank;
    SearchOrder order{.strategy = asked.strategy,
                      .bank = bank,
                      .rules = settings.rules,
                      .problem = {.bank = *bank,
                                  .program = start->history->program(start->history->start()),
                                  .rules = {},
                                  .cost = settings.costModel,
                                  .budget = asked.budget,
                                  .seed = asked.seed,
                                  .parameters = asked.parameters},
                      .model = start->model};
    const std::string& name = asked.strategy->info().name;
    Run run = search::requestedRun(name, order.problem, settings.rules.book.names());
    run.startState = 0;
    run.startedAt = QDateTime::currentDateTimeUtc().toString(Qt::ISODate).toStdString();
    run.allowsAssumptions = settings.rules.book.assumptions() == rules::Assumptions::Allowed;
    run.initialCost = run.bestCost = start->history->state(start->history->start()).cost;
    run.number = number;
    return {ComparedPrograms::tr("%1 on %2").arg(fromUtf8(name), program.title), std::move(order), std::move(run),
            false};
}

OpeningJob openingJob(std::stop_token stop, const JobRunner::Report& report) {
    return {std::move(stop), [&report](const char* doing) { report(-1.0, fromUtf8(doing)); }};
}

}  // namespace

ComparedPrograms::ComparedPrograms(JobRunner& jobs, Searches& searches, SessionFile& session)
    : m_jobs(jobs),
      m_searches(searches),
      m_session(session),
      m_context(std::make_unique<QObject>()) {
    connect(&searches, &Searches::progressedInBackground, this, [this](const QString& path, int number) {
        if (const Entry* const entry = withSession(path)) Q_EMIT runChanged(numberOf(*entry), number);
    });
}

ComparedPrograms::~ComparedPrograms() = default;

// --- reading ---------------------------------------------------------------------------------------------------------------

const ComparedProgram& ComparedPrograms::at(int program) const {
    return *m_entries[static_cast<std::size_t>(program - 1)];
}

std::vector<const Run*> ComparedPrograms::runsOf(int program) const {
    const Entry& entry = *m_entries[static_cast<std::size_t>(program - 1)];
    std::vector<const Run*> runs;
    for (const Run& run : entry.runs) runs.push_back(&run);
    for (const RunNumber number : entry.active) {
        if (const Run* const run = m_searches.findInBackground(entry.session, number)) runs.push_back(run);
    }
    std::ranges::sort(runs, {}, [](const Run* run) { return run->number; });
    return runs;
}

const Run* ComparedPrograms::run(ComparedRunId id) const {
    if (id.program < 1 || id.program > count()) return nullptr;
    const ComparedProgram& program = at(id.program);
    const auto found = std::ranges::find(program.runs, id.run, &Run::number);
    return found != program.runs.end() ? &*found : m_searches.findInBackground(program.session, id.run);
}

QStringList ComparedPrograms::sessions() const {
    QStringList all;
    for (const auto& entry : m_entries) {
        if (entry->last > 0 || entry->state != State::Searching) all << entry->session;
    }
    return all;
}

int ComparedPrograms::waiting() const {
    std::size_t all = 0;
    for (const auto* entries : {&m_entries, &m_opening}) {
        for (const auto& entry : *entries) all += entry->waiting.size();
    }
    return static_cast<int>(all);
}

int ComparedPrograms::active() const {
    std::size_t all = 0;
    for (const auto& entry : m_entries) all += entry->active.size();
    return static_cast<int>(all);
}

int ComparedPrograms::numberOf(const Entry& entry) const {
    const auto found = std::ranges::find(m_entries, &entry, [](const auto& each) { return each.get(); });
    return static_cast<int>(found - m_entries.begin()) + 1;
}

ComparedPrograms::Entry* ComparedPrograms::withSession(const QString& session) const {
    const auto found = std::ranges::find(m_entries, session, [](const auto& each) { return each->session; });
    return found == m_entries.end() ? nullptr : found->get();
}

QString ComparedPrograms::uniqueTitle(const QString& title, const Entry* self) const {
    const auto isTaken = [&](const QString& name) {
        return name == m_settings.title || std::ranges::any_of(m_entries, [&](const auto& each) {
                   return each.get() != self && each->title == name;
               });
    };
    QString name = title;
    for (int n = 2; isTaken(name); ++n) name = tr("%1 (%2)").arg(title).arg(n);
    return name;
}

ComparedPrograms::Reading ComparedPrograms::reading(int program) const {
    return [path = nativePath(at(program).session), around = m_settings.surroundings](const std::stop_token& stop,
                                                                                      const JobRunner::Report& report) {
        return storage::openStored(path, around, openingJob(stop, report));
    };
}

void ComparedPrograms::setStoredValue(int program, const QString& key, const QString& value) {
    m_entries[static_cast<std::size_t>(program - 1)]->viewValues[key.toStdString()] = value.toStdString();
}

// --- opening ---------------------------------------------------------------------------------------------------------------

void ComparedPrograms::add(const std::vector<ProgramChoice>& programs, const std::vector<AskedSearch>& searches,
                           const ComparedSettings& settings) {
    m_settings = settings;
    for (const ProgramChoice& choice : programs) {
        Entry& entry = *m_opening.emplace_back(std::make_unique<Entry>());
        entry.title = QFileInfo(choice.path).fileName();
        entry.waiting = searches;
        m_asked += static_cast<int>(searches.size());
        m_jobs.start(
            tr("Opening %1").arg(entry.title), true, m_context.get(),
            [path = nativePath(QFileInfo(choice.path).absoluteFilePath()), function = choice.function.toStdString(),
             around = settings.surroundings](std::stop_token stop, const JobRunner::Report& report) {
                const OpeningJob job = openingJob(std::move(stop), report);
                return storage::looksLikeSession(path) ? storage::openStoredAnew(path, around, job)
                                                       : storage::openAnyFile(path, function, around, job);
            },
            [this, &entry](Result<Opened> result) { opened(entry, std::move(result)); });
    }
}

/// Forgets a program of which nothing was searched.
void ComparedPrograms::drop(Entry& entry) {
    if (entry.file) entry.file->end(true);
    for (auto* entries : {&m_entries, &m_opening})
        std::erase_if(*entries, [&entry](const auto& each) { return each.get() == &entry; });
}

void ComparedPrograms::reject(Entry& entry, const Error& error) {
    const QString title = entry.title;
    m_asked -= static_cast<int>(entry.waiting.size());
    drop(entry);
    Q_EMIT failed(tr("%1 is not compared").arg(title), fromUtf8(error.render()));
    Q_EMIT searchesChanged();
}

void ComparedPrograms::opened(Entry& entry, Result<Opened> result) {
    if (entry.waiting.empty()) {  // stopped meanwhile
        drop(entry);
        return;
    }
    if (!result) return reject(entry, result.error());
    if (const auto misfit = misfitOf(*result, m_settings)) return reject(entry, *misfit);
    if (!result->notices.empty()) {
        QStringList lines;
        for (const std::string& text : result->notices) lines << fromUtf8(text);
        Q_EMIT notice(tr("%1: %2").arg(entry.title, lines.front()), lines.join(QLatin1Char('\n')));
    }
    const auto start = std::make_shared<const Opened>(std::move(*result));
    // A program that is compared already, unless its session is just being read.
    const auto known = std::ranges::find_if(m_entries, [&](const auto& each) {
        const bool isIdle = each->state == State::Ready && each->opened && each->opened->program;
        return each->text == start->text && (isIdle || each->state == State::Searching);
    });
    Entry* target = &entry;
    if (known != m_entries.end()) {
        target = known->get();
        std::ranges::move(entry.waiting, std::back_inserter(target->waiting));
        drop(entry);
    } else {
        entry.title = uniqueTitle(fromUtf8(start->title), &entry);
        entry.text = start->text;
        const auto own = std::ranges::find(m_opening, &entry, [](const auto& each) { return each.get(); });
        m_entries.push_back(std::move(*own));
        m_opening.erase(own);
    }
    target->start = start;
    if (!target->file) {
        target->file = std::make_unique<SessionFile>(nullptr);
        connect(target->file.get(), &SessionFile::broke, this, [this, title = target->title](const Error& error) {
            Q_EMIT failed(tr("The searches of %1 are not being saved").arg(title), fromUtf8(error.render()));
        });
        if (target->session.isEmpty()) {
            // The number tells programs of one name apart.
            target->file->beginIn(Document::sessionFolder(),
                                  QStringLiteral("%1 %2").arg(numberOf(*target) + 1).arg(target->title),
                                  newProgram(*start, m_settings));
            target->session = target->file->path();
        } else {
            target->file->continueWith(nativePath(target->session), *target->opened->program,
                                       target->opened->storedStates, false);
        }
        m_session.borrow(*target->file);
    }
    target->state = State::Searching;
    Q_EMIT changed();
    Q_EMIT searchesChanged();
}

// --- searching -------------------------------------------------------------------------------------------------------------

bool ComparedPrograms::startNext() {
    const auto next = std::ranges::find_if(
        m_entries, [](const auto& each) { return each->state == State::Searching && !each->waiting.empty(); });
    if (next == m_entries.end()) return false;
    Entry& entry = **next;
    const AskedSearch asked = std::move(entry.waiting.front());
    entry.waiting.erase(entry.waiting.begin());
    const RunNumber number = ++entry.last;
    entry.active.insert(number);
    m_searches.startInBackground(entry.session, prepared(entry, entry.start, asked, m_settings, number),
                                 entry.file->writer());
    if (number == 1) Q_EMIT sessionsChanged();
    Q_EMIT runChanged(numberOf(entry), number);
    return true;
}

void ComparedPrograms::stop() {
    for (const auto& entry : m_opening) m_asked -= static_cast<int>(std::exchange(entry->waiting, {}).size());
    std::vector<Entry*> idle;  // the list may change
    for (const auto& entry : m_entries) {
        m_asked -= static_cast<int>(std::exchange(entry->waiting, {}).size());
        if (!entry->active.empty())
            m_searches.stopInBackground(entry->session);
        else if (entry->state == State::Searching)
            idle.push_back(entry.get());
    }
    for (Entry* const entry : idle) {
        if (entry->last == 0)
            drop(*entry);
        else
            read(*entry);
    }
    if (!idle.empty()) Q_EMIT changed();
    Q_EMIT searchesChanged();
}

void ComparedPrograms::leave() {
    for (const auto& entry : m_entries) {
        if (!entry->active.empty()) m_searches.stopInBackground(entry->session);
        if (entry->file) entry->file->end(entry->last == 0);
    }
    m_context = std::make_unique<QObject>();
    m_asked = 0;
    const bool hadPrograms = !m_entries.empty();
    m_entries.clear();
    m_opening.clear();
    if (hadPrograms) Q_EMIT changed();
}

bool ComparedPrograms::finish(const QString& session, int job, const std::shared_ptr<const SearchOutcome>& outcome) {
    Entry* const entry = withSession(session);
    const RunNumber number = outcome->run.number;
    if (entry == nullptr || !entry->active.contains(number)) return false;
    const QString what = tr("%1 on %2").arg(strategyLabel(fromUtf8(outcome->run.strategy)), entry->title);
    if (outcome->recordError)
        Q_EMIT failed(tr("%1 could not be recorded in the session").arg(what),
                      fromUtf8(outcome->recordError->render()));
    Run& run = entry->runs.emplace_back(outcome->run);
    run.job = 0;
    if (!outcome->result) {
        m_jobs.setOutcome(job, JobInfo::State::Failed, fromUtf8(outcome->error->message));
        Q_EMIT failed(tr("%1 failed").arg(what), fromUtf8(outcome->error->render()));
        endRun(*entry, number);
        return true;
    }
    const search::SearchResult& result = *outcome->result;
    if (!result.check.valid) {
        m_jobs.setOutcome(job, JobInfo::State::Failed, tr("the checker refused its thread"));
        Q_EMIT failed(tr("The checker refused the thread of %1").arg(what), fromUtf8(result.check.reason));
        endRun(*entry, number);
        return true;
    }
    const bool isStopped = result.reason == search::StopReason::Stopped;
    m_jobs.setOutcome(job, isStopped ? JobInfo::State::Stopped : JobInfo::State::Finished,
                      tr("%1; best %2 after %3 steps, %4")
                          .arg(stopText(fromUtf8(search::toString(result.reason))), costText(result.bestCost))
                          .arg(result.thread.steps.size())
                          .arg(durationText(result.statistics.seconds)));
    endRun(*entry, number);
    return true;
}

void ComparedPrograms::endRun(Entry& entry, RunNumber number) {
    entry.active.erase(number);
    const bool isOver = entry.active.empty() && entry.waiting.empty();
    Q_EMIT runChanged(numberOf(entry), number);
    if (isOver) read(entry);
    Q_EMIT searchesChanged();
}

// --- sessions --------------------------------------------------------------------------------------------------------------

void ComparedPrograms::restore(const QStringList& sessions, const ComparedSettings& settings) {
    m_settings = settings;
    for (const QString& session : sessions) {
        Entry& entry = *m_entries.emplace_back(std::make_unique<Entry>());
        entry.session = session;
        entry.title = uniqueTitle(QFileInfo(session).completeBaseName(), &entry);
        read(entry);
    }
    if (!sessions.isEmpty()) Q_EMIT changed();
}

void ComparedPrograms::read(Entry& entry) {
    const bool isUnsaved = entry.file && !entry.file->isWriting();
    if (isUnsaved) {
        entry.file.reset();
        entry.state = State::Lost;
        entry.problem = tr("its session could not be written");
        Q_EMIT changed();
        return;
    }
    entry.state = State::Reading;
    auto writer = entry.file ? entry.file->writer() : m_session.formerWriter(entry.session);
    m_jobs.start(
        tr("Reading the searches of %1").arg(entry.title), false, m_context.get(),
        [open = reading(numberOf(entry)), writer = std::move(writer)](const std::stop_token& stop,
                                                                      const JobRunner::Report& report) {
            if (writer) static_cast<void>(writer->place());  // waits until everything posted is written
            return open(stop, report);
        },
        [this, &entry](Result<Opened> result) {
            if (entry.file) entry.file->end(entry.last == 0);
            entry.file.reset();
            entry.start.reset();
            if (!result) {
                entry.state = State::Lost;
                entry.problem = fromUtf8(result.error().oneLine());
                Q_EMIT failed(tr("A program of this comparison cannot be read"), fromUtf8(result.error().render()));
            } else {
                entry.state = State::Ready;
                entry.runs = std::exchange(result->runs, {});
                entry.last = entry.runs.empty() ? entry.last : std::max(entry.last, entry.runs.back().number);
                entry.text = result->text;
                entry.viewValues = std::exchange(result->viewValues, {});
                entry.runtimeObstacle = runtimeObstacle(result->model.get());
                if (entry.opened == nullptr || entry.title.isEmpty())
                    entry.title = uniqueTitle(fromUtf8(result->title), &entry);
                result->model.reset();  // the weights are needed only to judge
                entry.opened = std::make_shared<const Opened>(std::move(*result));
            }
            Q_EMIT changed();
        });
}

}  // namespace mitos::views
