// SPDX-License-Identifier: GPL-3.0-or-later
// See dependence.h.
#include "tests/architecture/dependence.h"

#include <QDir>
#include <QRegularExpression>
#include <algorithm>
#include <vector>

using namespace Qt::StringLiterals;

namespace mitos::architecture {

namespace {

/// A library that only some folders may see, however many of its headers and targets there are.
struct Guarded {
    QString name;
    QRegularExpression header;
    QRegularExpression target;
    QStringList folders;
};

const std::vector<Guarded>& guarded() {
    static const std::vector<Guarded> table{
        {u"Qt"_s,
         QRegularExpression(u"^(Q[A-Z]|Qt|q[a-z]+\\.h$)"_s),
         QRegularExpression(u"^(Qt6::|QCustomPlot|mitos_qt_flags$)"_s),
         {u"views"_s, u"app/mitos"_s, u"tests"_s}},
        {u"SQLite"_s,
         QRegularExpression(u"^(SQLiteCpp/|sqlite3)"_s),
         QRegularExpression(u"^(SQLiteCpp|SQLite::)"_s),
         {u"storage"_s, u"tests/storage"_s}},
        {u"LibTorch"_s,
         QRegularExpression(u"^(torch|ATen|c10)/"_s),
         QRegularExpression(u"(?i)^\\$?\\{?torch"_s),
         {u"search/learned"_s, u"app/measure"_s}},
        {u"CUDA"_s, QRegularExpression(u"^cu(da|blas|dnn)"_s), QRegularExpression(u"^CUDA::"_s), {u"app/measure"_s}},
        {u"ONNX"_s,
         QRegularExpression(u"^(onnx|google/protobuf)/"_s),
         QRegularExpression(u"(?i)^(onnx|protobuf)[^.]*$"_s),  // not onnx_mapping.cpp, a source
         {u"core/onnx"_s}},
        {u"Gecode"_s, QRegularExpression(u"^gecode/"_s), QRegularExpression(u"^Gecode::"_s), {u"search/placement"_s}},
        {u"MPI"_s, QRegularExpression(u"^mpi\\.h$"_s), QRegularExpression(u"^MPI::"_s), {u"app/cli/mpi"_s}},
        {u"METIS"_s, QRegularExpression(u"^metis\\.h$"_s), QRegularExpression(u"^METIS::"_s), {u"search/placement"_s}},
    };
    return table;
}

bool liesIn(const QString& path, const QString& folder) { return path == folder || path.startsWith(folder + u'/'); }

bool liesInOneOf(const QString& path, const QStringList& folderNames) {
    return std::ranges::any_of(folderNames, [&](const QString& name) { return liesIn(path, name); });
}

QString complaint(const QString& path, qsizetype line, const QString& what) {
    return u"%1:%2: %3"_s.arg(path).arg(line).arg(what);
}

/// The folder of the table with the longest name that `matches`, or nullptr.
template <typename Matches>
const Folder* innermost(const Matches& matches) {
    const Folder* found = nullptr;
    for (const Folder& folder : folders()) {
        if (matches(folder) && (found == nullptr || folder.name.size() > found->name.size())) found = &folder;
    }
    return found;
}

/// The folder a target of this project stands for (core_ks is core/ks), or nothing for targets from
/// elsewhere.
const Folder* folderOfTarget(const QString& target) {
    return innermost([&](const Folder& folder) {
        const QString name = QString(folder.name).replace(u'/', u'_');
        return target == name || target.startsWith(name + u'_');
    });
}

/// Complaint about `user` linking or including `used`, or an empty string.
QString judge(const QString& user, const Folder* used) {
    const Folder* const folder = folderOf(user);
    if (folder == nullptr || used == nullptr || used == folder || folder->mayUse.contains(used->name)) {
        return {};
    }
    return u"%1 may not use %2"_s.arg(folder->name, used->name);
}

/// The folder whose sources may include a private header: core/eval of core/eval/testing/internal/choices.h. Empty for public headers.
QString ownerOf(const QString& header) {
    const qsizetype end = header.indexOf(u"/internal/"_s);
    return end < 0 ? QString() : header.left(end).section(u'/', 0, 1);
}

/// Complaints about one `mitos_library(…)`, `mitos_program(…)` or `target_link_libraries(…)` call.
QStringList judgeCall(const QString& folder, const QString& command, const QStringList& words) {
    QStringList found;
    const QString& target = words.front();
    const bool isLibrary = (command == u"mitos_library" || command == u"mitos_view") && !target.startsWith(u'$');
    if (const Folder* const own = folderOf(folder); isLibrary && own != nullptr && folderOfTarget(target) != own) {
        found << u"the name of a library of %1 begins with %2"_s.arg(own->name, QString(own->name).replace(u'/', u'_'));
    }
    for (const QString& word : words.sliced(1)) {
        if (const QString wrong = judge(folder, folderOfTarget(word)); !wrong.isEmpty()) {
            found << wrong;
        }
        for (const Guarded& library : guarded()) {
            if (library.target.match(word).hasMatch() && !liesInOneOf(folder, library.folders)) {
                found << u"%1 may not link %2 (%3)"_s.arg(target, library.name, word);
            }
        }
    }
    return found;
}

/// The name of a heading in links: "Adding a rule" is adding-a-rule, "core/ir" is coreir.
QString anchorOf(const QString& heading) {
    static const QRegularExpression dropped(u"[^\\w -]"_s, QRegularExpression::UseUnicodePropertiesOption);
    return heading.trimmed().toLower().remove(dropped).replace(u' ', u'-');
}

/// Whether a Markdown page has a heading with that anchor.
bool hasHeading(const QString& page, const QString& anchor) {
    static const QRegularExpression heading(u"^#+ (.*)$"_s, QRegularExpression::MultilineOption);
    for (auto headings = heading.globalMatch(page); headings.hasNext();) {
        if (anchorOf(headings.next().captured(1)) == anchor) {
            return true;
        }
    }
    return false;
}

}  // namespace

std::span<const Folder> folders() {
    static const std::vector<Folder> table = [] {
        const QString base = u"core/base"_s;
        const QString randomKeys = u"core/random_keys"_s;
        const QString schedule = u"core/schedule"_s;
        const QString timing = u"core/timing"_s;
        const QString ir = u"core/ir"_s;
        const QString ks = u"core/ks"_s;
        const QString tensor = u"core/tensor"_s;
        const QString tasks = u"core/tasks"_s;
        const QString facts = u"core/facts"_s;
        const QString dialects = u"core/dialects"_s;
        const QString rules = u"core/rules"_s;
        const QString cost = u"core/cost"_s;
        const QString eval = u"core/eval"_s;
        const QString rewrite = u"core/rewrite"_s;
        const QString partition = u"core/partition"_s;
        const QString egraph = u"core/egraph"_s;
        const QString loops = u"core/loops"_s;
        const QStringList groundwork{base,  randomKeys, timing, ir,   facts,   ks,     tensor,
                                     tasks, rules,      cost,   eval, rewrite, egraph, dialects};
        const QStringList core = groundwork + QStringList{u"core/extract"_s, u"core/autodiff"_s, u"core/coarsening"_s,
                                                          u"core/codegen"_s, u"core/onnx"_s,     u"core/networks"_s,
                                                          schedule,          partition,          loops};
        const QString rewriting = u"search/rewriting"_s;
        const QString saturation = u"search/saturation"_s;
        const QString strategies = u"search/strategies"_s;
        const QString compare = u"search/compare"_s;
        const QString report = u"search/report"_s;
        const QString experiments = u"search/experiments"_s;
        const QString workspace = u"storage/workspace"_s;
        const QStringList searches =
            core +
            QStringList{
                u"search"_s, u"search/learned"_s, u"search/placement"_s, rewriting, saturation, strategies, compare,
                report,      experiments};
        return std::vector<Folder>{
            {base, {}},
            {randomKeys, {base}},
            {timing, {base}},
            {ir, {base}},
            {facts, {base, ir}},
            {ks, {base, ir}},
            {tensor, {base, ir}},
            {tasks, {base, ir}},
            {rules, {base, ir, facts, ks, tensor}},
            {eval, {base, ir, ks, tensor, rules}},
            {loops, {base, ir, facts, ks, eval}},
            {cost, {base, ir, ks, tensor, tasks, rules, loops}},
            {schedule, {base, ir, tensor, tasks, cost}},
            {u"core/autodiff"_s, {base, ir, facts, ks, tensor, eval}},
            {dialects, {base, ir, ks, tensor, tasks, eval, u"core/autodiff"_s}},
            {rewrite, {base, ir, facts, ks, rules, cost, eval}},
            {partition, {base, ir, rules, cost, rewrite}},
            {egraph, {base, ir, facts, rules, cost, eval, rewrite}},
            {u"core/coarsening"_s, {base, ir, ks, rules, rewrite, u"core/autodiff"_s}},
            {u"core/extract"_s, groundwork},
            {u"core/codegen"_s, groundwork + QStringList{loops}},
            {u"core/onnx"_s, groundwork},
            {u"core/networks"_s, {base, ir, tensor}},
            {u"search"_s, core},
            {u"search/learned"_s, core + QStringList{u"search"_s}},
            {u"search/placement"_s, core + QStringList{u"search"_s, u"search/learned"_s}},
            {rewriting, core + QStringList{u"search"_s, u"search/learned"_s}},
            {saturation, core + QStringList{u"search"_s}},
            {strategies, core + QStringList{u"search"_s, u"search/placement"_s, rewriting, saturation}},
            {compare, core + QStringList{u"search"_s}},
            {report, core + QStringList{u"search"_s, compare}},
            {experiments, core + QStringList{u"search"_s, u"search/learned"_s, u"search/placement"_s, rewriting,
                                             saturation, strategies, compare, report}},
            {u"storage"_s, searches},
            {workspace, searches + QStringList{u"storage"_s}},
            {u"views"_s, searches + QStringList{u"storage"_s, workspace}},
            {u"app/measure"_s, {}},
            {u"app/cli"_s, searches + QStringList{u"storage"_s, workspace}},
            {u"app/mitos"_s, searches + QStringList{u"storage"_s, workspace, u"views"_s}},
        };
    }();
    return table;
}

QStringList checkTable(std::span<const Folder> table) {
    QStringList found;
    QStringList before;
    for (const Folder& folder : table) {
        for (const QString& used : folder.mayUse) {
            if (!before.contains(used)) {
                found << u"%1 points at %2, which does not stand before it"_s.arg(folder.name, used);
            }
        }
        before << folder.name;
    }
    return found;
}

const Folder* folderOf(const QString& path) {
    return innermost([&](const Folder& folder) { return liesIn(path, folder.name); });
}

QStringList checkIncludes(const QString& path, const QString& text) {
    static const QRegularExpression include(u"^\\s*#\\s*include\\s*([<\"])([^>\"]+)[>\"]"_s);
    static const QRegularExpression generated(u"^(moc_\\w+\\.cpp|\\w+\\.moc|ui_\\w+\\.h)$"_s);
    QStringList found;
    if (folderOf(path) == nullptr && !liesIn(path, u"tests"_s)) {
        found << complaint(path, 1, u"no folder of the architecture holds this file"_s);
    }
    const QStringList lines = text.split(u'\n');
    for (qsizetype i = 0; i < lines.size(); ++i) {
        const auto match = include.match(lines[i]);
        if (!match.hasMatch()) {
            continue;
        }
        const QString header = match.captured(2);
        if (match.captured(1) == u"\"") {
            const Folder* const used = folderOf(header);
            if (const QString wrong = judge(path, used); !wrong.isEmpty()) {
                found << complaint(path, i + 1, wrong);
            } else if (used == nullptr && !liesIn(header, u"tests"_s) && !generated.match(header).hasMatch()) {
                found << complaint(path, i + 1, u"\"%1\" is not written from the project's root"_s.arg(header));
            } else if (liesIn(header, u"tests"_s) && !liesIn(path, u"tests"_s)) {
                found << complaint(path, i + 1, u"only tests may use tests"_s);
            } else if (const QString owner = ownerOf(header);
                       !owner.isEmpty() && !liesIn(path, owner) && !liesIn(path, u"tests"_s)) {
                found << complaint(path, i + 1, u"%1 is private to %2"_s.arg(header, owner));
            }
        }
        for (const Guarded& library : guarded()) {
            if (library.header.match(header).hasMatch() && !liesInOneOf(path, library.folders)) {
                found << complaint(path, i + 1, u"%1 may not be seen here (%2)"_s.arg(library.name, header));
            }
        }
    }
    return found;
}

QStringList checkLinks(const QString& path, const QString& text) {
    static const QRegularExpression comment(u"#[^\\n]*"_s);
    static const QRegularExpression call(
        u"\\b(mitos_library|mitos_view|mitos_program|mitos_tests|target_link_libraries)\\s*\\(([^)]*)\\)"_s);
    static const QRegularExpression space(u"\\s+"_s);
    const QString folder = path.section(u'/', 0, -2);
    const QString code = QString(text).replace(comment, QString());
    QStringList found;
    for (auto calls = call.globalMatch(code); calls.hasNext();) {
        const auto match = calls.next();
        const QStringList words = match.captured(2).split(space, Qt::SkipEmptyParts);
        if (words.isEmpty()) {
            continue;
        }
        const qsizetype line = code.left(match.capturedStart()).count(u'\n') + 1;
        for (const QString& wrong : judgeCall(folder, match.captured(1), words)) {
            found << complaint(path, line, wrong);
        }
    }
    return found;
}

QStringList checkHouseRules(const QString& path, const QString& text) {
    QStringList found;
    const QStringList lines = text.split(u'\n');
    const bool licensed = std::ranges::any_of(
        lines.first(std::min<qsizetype>(2, lines.size())),
        [](const QString& line) { return line.contains(u"SPDX-License-Identifier: GPL-3.0-or-later"_s); });
    if (!licensed) {
        found << complaint(path, 1, u"the SPDX license line is missing"_s);
    }
    if (lines.size() - 1 > LongestFile) {
        found << complaint(path, LongestFile + 1, u"longer than %1 lines"_s.arg(LongestFile));
    }
    return found;
}

QStringList checkReferences(const QString& path, const QString& text,
                            const std::function<std::optional<QString>(const QString&)>& textOf) {
    static const QRegularExpression codeSpan(u"`[^`]*`"_s);
    static const QRegularExpression link(u"\\]\\(([^)\\s]+)\\)"_s);
    static const QRegularExpression elsewhere(u"^[a-z]+:"_s);
    const QString folder = path.contains(u'/') ? path.section(u'/', 0, -2) + u'/' : QString();
    QStringList found;
    bool isFenced = false;
    const QStringList lines = text.split(u'\n');
    for (qsizetype i = 0; i < lines.size(); ++i) {
        if (lines[i].startsWith(u"```"_s)) isFenced = !isFenced;
        if (isFenced || lines[i].startsWith(u"    "_s)) {
            continue;  // code
        }
        const QString prose = QString(lines[i]).remove(codeSpan);
        for (auto links = link.globalMatch(prose); links.hasNext();) {
            const QString target = links.next().captured(1);
            if (elsewhere.match(target).hasMatch()) {
                continue;
            }
            const QString file = target.section(u'#', 0, 0);
            const QString anchor = target.section(u'#', 1);
            const auto page = file.isEmpty() ? std::optional(text) : textOf(QDir::cleanPath(folder + file));
            if (!page) {
                found << complaint(path, i + 1, u"%1 does not exist"_s.arg(file));
            } else if (!anchor.isEmpty() && !hasHeading(*page, anchor)) {
                found << complaint(path, i + 1, u"%1 has no heading #%2"_s.arg(file, anchor));
            }
        }
    }
    return found;
}

}  // namespace mitos::architecture
