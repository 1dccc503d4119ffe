// SPDX-License-Identifier: GPL-3.0-or-later
// Loops of a do form: `while` becomes `loop`, and `for` becomes `fold`, or `loop` if it has a break.
#include "core/ks/internal/statement_reader.h"
#include "core/ks/loops.h"
#include "core/ks/names.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::ks {

using ir::CoreOp;
using ir::TermId;
using ir::TypeId;

// --- counters ---------------------------------------------------------------------------------------------------------

/// The operands of nested (and a b).
void StatementReader::splitConditions(FormId form, std::vector<FormId>& conditions) const {
    if (headOf(form) != "and" || argumentsOf(form).size() != 2) {
        conditions.push_back(form);
        return;
    }
    for (const FormId part : argumentsOf(form)) splitConditions(part, conditions);
}

bool StatementReader::mentionsAny(FormId form, const std::vector<Symbol>& names) const {
    if (forms().is(form, FormKind::List)) {
        return std::ranges::any_of(forms().children(form), [&](FormId part) { return mentionsAny(part, names); });
    }
    return forms().is(form, FormKind::Name) &&
           std::ranges::find(names, m_bank.symbols().intern(forms().text(form))) != names.end();
}

/// Whether the statement is (set k (add k 1)).
bool StatementReader::increases(FormId statement, std::string_view name) const {
    if (headOf(statement) != "set") return false;
    const Statements parts = argumentsOf(statement);
    if (parts.size() != 2 || !forms().isName(parts[0], name) || withoutAlias(headOf(parts[1])) != "add") return false;
    const Statements sum = argumentsOf(parts[1]);
    const auto isOne = [&](FormId form) { return forms().is(form, FormKind::Integer) && forms().text(form) == "1"; };
    return sum.size() == 2 &&
           ((forms().isName(sum[0], name) && isOne(sum[1])) || (isOne(sum[0]) && forms().isName(sum[1], name)));
}

/// Finds a condition k < t (k <= t, t > k, t >= k) such that every iteration increases k by one and leaves t unchanged.
std::optional<StatementReader::Counter> StatementReader::counterOf(const std::vector<FormId>& conditions,
                                                                   Statements body) {
    std::vector<Symbol> own;
    std::vector<Symbol> assigned;
    collectAssigned(body, own, assigned);
    for (std::size_t i = 0; i < conditions.size(); ++i) {
        const std::string_view order = withoutAlias(headOf(conditions[i]));
        const bool isBelow = order == "lt" || order == "lte";
        if (!isBelow && order != "gt" && order != "gte") continue;
        const Statements operands = argumentsOf(conditions[i]);
        if (operands.size() != 2) continue;
        const FormId name = operands[isBelow ? 0 : 1];
        const FormId limit = operands[isBelow ? 1 : 0];
        if (!forms().is(name, FormKind::Name)) continue;
        const Symbol symbol = m_bank.symbols().intern(forms().text(name));
        const Variable* const variable = find(symbol);
        if (variable == nullptr || variable->type != m_bank.types().integer()) continue;
        if (std::ranges::count(assigned, symbol) != 1 || mentionsAny(limit, assigned)) continue;
        const auto place =
            std::ranges::find_if(body, [&](FormId statement) { return increases(statement, forms().text(name)); });
        if (place == body.end()) continue;
        const auto at = static_cast<std::size_t>(place - body.begin());
        if (canLeave(body.first(at), "continue")) continue;
        const bool leavesAfter = canLeave(body.subspan(at + 1), "break");
        const bool leavesBefore = canLeave(body.first(at), "break") || conditions.size() > 1;
        return Counter{
            symbol, limit, order == "lte" || order == "gte", leavesAfter && leavesBefore, leavesAfter && !leavesBefore,
            i};
    }
    return std::nullopt;
}

/// The counter's value after that number of iterations.
TermId StatementReader::counted(const Counter& counter, TermId iterations) {
    if (find(counter.name)->known == 0) return iterations;
    return *m_bank.make(opId(Op::Add), Terms{m_reader.findVariable(counter.name), iterations});
}

// --- loops ------------------------------------------------------------------------------------------------------------

bool StatementReader::readWhile(Scope& scope, FormId form) {
    const Statements parts = argumentsOf(form);
    if (parts.size() < 2) {
        static_cast<void>(m_file.fail(form, "while takes a condition and statements"));
        return false;
    }
    Loop loop{.form = form, .body = parts.subspan(1)};
    if (headOf(parts[1]) == "bound") {
        if (argumentsOf(parts[1]).size() != 1) {
            static_cast<void>(m_file.fail(parts[1], "bound takes a number of iterations", "write (bound 1000)"));
            return false;
        }
        loop.bound = argumentsOf(parts[1])[0];
        loop.body = parts.subspan(2);
    }
    splitConditions(parts[0], loop.tests);
    if (!loop.bound) {
        loop.counter = counterOf(loop.tests, loop.body);
        if (!loop.counter) {
            static_cast<void>(m_file.fail(form, "this loop has no bound",
                                          "write (while c (bound n) ...) for at most n iterations, or a condition "
                                          "(lt k n) on a variable that every iteration increases by 1"));
            return false;
        }
        loop.tests.erase(loop.tests.begin() + static_cast<std::ptrdiff_t>(loop.counter->condition));
    }
    return readLoop(scope, loop);
}

/// (for i n statement ...): i = 0, 1, … below n.
bool StatementReader::readFor(Scope& scope, FormId form) {
    const Statements parts = argumentsOf(form);
    if (parts.size() < 3) {
        static_cast<void>(
            m_file.fail(form, "for takes an index, a number of iterations and statements", "write (for i n ...)"));
        return false;
    }
    const std::optional<Symbol> index = m_reader.binderName(parts[0]);
    if (!index) return false;
    if (find(*index) != nullptr) {
        static_cast<void>(m_file.fail(parts[0], fmt::format("{} is declared already", forms().text(parts[0])),
                                      "the index of for is a new name"));
        return false;
    }
    Loop loop{.form = form, .bound = parts[1], .index = *index, .body = parts.subspan(2)};
    return readLoop(scope, loop);
}

TermId StatementReader::boundOf(const Loop& loop) {
    const FormId form = loop.counter ? loop.counter->limit : *loop.bound;
    const TermId limit = m_reader.read(form);
    if (!limit.isValid()) return {};
    if (m_bank.type(limit) != m_bank.types().integer()) {
        return m_file.fail(form, fmt::format("the bound of a loop is an Integer; this is a {}",
                                             m_bank.types().toShortString(m_bank.type(limit))));
    }
    if (!loop.counter) return limit;
    const std::optional<std::int64_t> known = find(loop.counter->name)->known;
    const std::int64_t more = loop.counter->isInclusive ? 1 : 0;
    TermId bound = limit;
    if (known != 0) bound = made(form, Op::Sub, {bound, m_reader.findVariable(loop.counter->name)});
    return more == 0 ? bound : made(form, Op::Add, {bound, m_bank.integer(more)});
}

bool StatementReader::readLoop(Scope& scope, Loop& loop) {
    std::vector<Symbol> names = assignedIn(loop.body);
    if (names.empty()) {
        static_cast<void>(m_file.fail(loop.form, "this loop has no effect: it assigns no variable from outside"));
        return false;
    }
    if (loop.counter && !loop.counter->isCarried) std::erase(names, loop.counter->name);
    TermId bound = boundOf(loop);
    if (!bound.isValid()) return false;
    const bool isFold = loop.index.isValid() && !canLeave(loop.body, "break");
    std::optional<std::size_t> boundPlace;
    if (loop.counter && loop.counter->isAhead && m_bank.childCount(bound) > 0) {
        scope.bind({}, m_bank.symbols().intern("n"), bound);
        boundPlace = m_reader.m_locals.size();
        bound = local(*boundPlace);
    }
    const TermId start = packed(names);
    const TermId result = isFold ? foldOver(loop, names, bound, start) : exitLoop(loop, names, bound, start);
    if (!result.isValid()) return false;
    if (isFold && names.size() == 1) {
        unpack(scope, names, [&] { return result; });
        return true;
    }
    scope.bind({}, m_bank.symbols().intern("r"), result);
    const std::size_t place = m_reader.m_locals.size();
    unpack(scope, names, [&] { return isFold ? local(place) : m_bank.get(local(place), 1); });
    if (loop.counter && !loop.counter->isCarried) {
        TermId iterations = m_bank.get(local(place), 0);
        if (loop.counter->isAhead) {
            const TermId limit = boundPlace ? local(*boundPlace) : boundOf(loop);
            iterations = roundsOfLoop(m_bank, limit, iterations);
        }
        scope.bind(loop.counter->name, loop.counter->name, counted(*loop.counter, iterations));
        find(loop.counter->name)->known.reset();
    }
    return true;
}

/// (fold (lam (q : (Tuple A Integer)) next) start (build n (lam (i : Integer) i))).
TermId StatementReader::foldOver(const Loop& loop, const std::vector<Symbol>& names, TermId count, TermId start) {
    ir::TypeTable& types = m_bank.types();
    const std::vector<TypeId> elements{m_bank.type(start), types.integer()};
    const TypeId point = types.tuple(elements);
    const std::vector<Variable> outside = m_variables;
    m_reader.enter({Symbol(), point});
    const std::size_t place = m_reader.m_locals.size();
    Scope scope(*this);
    scope.bind(loop.index, loop.index, m_bank.get(local(place), 1));
    unpack(scope, names, [&] { return m_bank.get(local(place), 0); });
    ++m_loops;
    const TermId next = scope.close(runInner(loop.body, [&](Exit, FormId) { return packed(names); }));
    --m_loops;
    m_reader.leaveTo(place - 1);
    m_variables = outside;
    if (!next.isValid()) return {};
    const TermId step = m_bank.lambda(m_bank.symbols().intern("q"), point, next);
    const TermId index = m_bank.lambda(loop.index, types.integer(), m_bank.bound(0, types.integer()));
    return made(loop.form, Op::Fold, {step, start, made(loop.form, Op::Build, {count, index})});
}

/// (loop n start (lam (p : (Tuple Integer A)) (tuple done next))).
TermId StatementReader::exitLoop(const Loop& loop, const std::vector<Symbol>& names, TermId bound, TermId start) {
    ir::TypeTable& types = m_bank.types();
    const std::vector<TypeId> elements{types.integer(), m_bank.type(start)};
    const TypeId point = types.tuple(elements);
    const std::vector<Variable> outside = m_variables;
    m_reader.enter({Symbol(), point});
    const std::size_t place = m_reader.m_locals.size();
    Scope scope(*this);
    const TermId iterations = m_bank.get(local(place), 0);
    if (loop.index.isValid()) scope.bind(loop.index, loop.index, iterations);
    if (loop.counter && !loop.counter->isCarried) {
        scope.bind(loop.counter->name, loop.counter->name, counted(*loop.counter, iterations));
        find(loop.counter->name)->known.reset();
    }
    unpack(scope, names, [&] { return m_bank.get(local(place), 1); });
    ++m_loops;
    const TermId pair = scope.close(tested(loop, names, 0));
    --m_loops;
    m_reader.leaveTo(place - 1);
    m_variables = outside;
    if (!pair.isValid()) return {};
    return made(loop.form, Op::Loop, {bound, start, m_bank.lambda(m_bank.symbols().intern("p"), point, pair)});
}

/// An iteration, after the test with that number and those that follow.
TermId StatementReader::tested(const Loop& loop, const std::vector<Symbol>& names, std::size_t test) {
    const auto leave = [&](Exit exit, FormId) {
        const std::vector<TermId> pair{m_bank.boolean(exit == Exit::Break), packed(names)};
        return m_bank.tuple(pair);
    };
    if (test == loop.tests.size()) return runInner(loop.body, leave);
    const TermId goesOn = condition(loop.tests[test]);
    if (!goesOn.isValid()) return {};
    return made(loop.form, Op::If, {goesOn, tested(loop, names, test + 1), leave(Exit::Break, loop.form)});
}

}  // namespace mitos::ks
