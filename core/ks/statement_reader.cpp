// SPDX-License-Identifier: GPL-3.0-or-later
// Statements of a do form: assignments and branches.
#include "core/ks/internal/statement_reader.h"

#include "core/base/suggestion.h"
#include "core/ir/binding.h"
#include "core/ks/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace mitos::ks {

using ir::CoreOp;
using ir::TermId;
using ir::TypeId;

namespace {

constexpr std::array<std::string_view, 9> Words{"var", "set",   "if",       "while", "for",
                                                "do",  "break", "continue", "return"};

/// Whether a value that is not used may be left out: it is small, and computing it has no effect.
bool isPlain(const ir::TermBank& bank, TermId value) {
    constexpr std::uint64_t Small = 16;
    if (bank.treeSize(value) > Small) return false;
    const Op op = ksOp(bank.op(value));
    const bool isPart = bank.childCount(value) == 0 || bank.is(value, CoreOp::Get) || bank.is(value, CoreOp::Tuple);
    if (!isPart && op != Op::Add && op != Op::Sub && op != Op::Lt && op != Op::If) return false;
    return std::ranges::all_of(bank.children(value), [&](TermId child) { return isPlain(bank, child); });
}

/// Whether the term is the variable 0, or a tuple of tuples, variables and literals in which it stands once.
bool isHandedOn(const ir::TermBank& bank, TermId term) {
    std::uint32_t uses = 0;
    std::vector<TermId> open{term};
    while (!open.empty()) {
        const TermId at = open.back();
        open.pop_back();
        if (bank.is(at, CoreOp::Bound) && bank.payload(at).asIndex() == 0) ++uses;
        if (bank.childCount(at) > 0 && !bank.is(at, CoreOp::Tuple)) return false;
        open.insert(open.end(), bank.children(at).begin(), bank.children(at).end());
    }
    return uses == 1;
}

}  // namespace

// --- bindings ---------------------------------------------------------------------------------------------------------

void StatementReader::Scope::bind(Symbol name, Symbol hint, TermId value) {
    m_bindings.push_back({hint, value});
    m_reader.m_reader.enter({name, m_reader.m_bank.type(value)});
}

TermId StatementReader::Scope::close(TermId result) {
    m_reader.m_reader.leaveTo(m_outer);
    if (!result.isValid()) return {};
    ir::TermBank& bank = m_reader.m_bank;
    for (std::size_t i = m_bindings.size(); i-- > 0;) {
        const auto& [hint, value] = m_bindings[i];
        const bool isDropped = isPlain(bank, value) && !ir::mentions(bank, result, 0);
        // The start of a variable that is assigned later, and the last assignment, need no name.
        const bool isStart = bank.is(value, CoreOp::Literal) && m_reader.m_assigned.contains(hint);
        const bool isInlined = isDropped || isStart || isHandedOn(bank, result);
        result = isInlined ? ir::instantiate(bank, result, value) : bank.let(hint, value, result);
    }
    return result;
}

StatementReader::Variable* StatementReader::find(Symbol name) {
    const auto found = std::ranges::find(m_variables.rbegin(), m_variables.rend(), name, &Variable::name);
    return found == m_variables.rend() ? nullptr : &*found;
}

TermId StatementReader::local(std::size_t place) {
    const auto index = static_cast<std::uint32_t>(m_reader.m_locals.size() - place);
    return m_bank.bound(index, m_reader.m_locals[place - 1].type);
}

TermId StatementReader::packed(const std::vector<Symbol>& names) {
    std::vector<TermId> values;
    for (const Symbol name : names) values.push_back(m_reader.findVariable(name));
    return values.size() == 1 ? values[0] : m_bank.tuple(values);
}

void StatementReader::unpack(Scope& scope, const std::vector<Symbol>& names, absl::FunctionRef<TermId()> value) {
    for (std::uint32_t i = 0; i < names.size(); ++i) {
        const TermId whole = value();
        scope.bind(names[i], names[i], names.size() == 1 ? whole : m_bank.get(whole, i));
        if (Variable* const variable = find(names[i])) variable->known.reset();
    }
}

// --- what statements do -----------------------------------------------------------------------------------------------

std::string_view StatementReader::headOf(FormId form) const {
    if (!forms().is(form, FormKind::List) || forms().children(form).empty()) return {};
    const FormId head = forms().children(form)[0];
    return forms().is(head, FormKind::Name) ? forms().text(head) : std::string_view();
}

StatementReader::Statements StatementReader::branch(const FormId& form) const {
    return headOf(form) == "do" ? argumentsOf(form) : Statements(&form, 1);
}

void StatementReader::collectAssigned(Statements statements, std::vector<Symbol>& own, std::vector<Symbol>& found) {
    const std::size_t outside = own.size();
    for (const FormId& statement : statements) {
        const std::string_view word = headOf(statement);
        const Statements arguments = word.empty() ? Statements() : argumentsOf(statement);
        const bool isNamed = !arguments.empty() && forms().is(arguments[0], FormKind::Name);
        if (word == "var" && isNamed) own.push_back(m_bank.symbols().intern(forms().text(arguments[0])));
        if (word == "set" && isNamed) {
            const Symbol name = m_bank.symbols().intern(forms().text(arguments[0]));
            if (std::ranges::find(own, name) == own.end()) found.push_back(name);
        }
        if (word == "if") {
            for (const FormId& part : arguments.subspan(std::min<std::size_t>(1, arguments.size()))) {
                collectAssigned(branch(part), own, found);
            }
        }
        if (word == "while" || word == "for" || word == "do") collectAssigned(arguments, own, found);
    }
    own.resize(outside);
}

/// The variables of the surroundings that the statements assign, in the order of their declarations.
std::vector<Symbol> StatementReader::assignedIn(Statements statements) {
    std::vector<Symbol> own;
    std::vector<Symbol> found;
    collectAssigned(statements, own, found);
    std::vector<Symbol> names;
    for (const Variable& variable : m_variables) {
        if (std::ranges::find(found, variable.name) != found.end()) names.push_back(variable.name);
    }
    return names;
}

bool StatementReader::canLeave(Statements statements, std::string_view how) const {
    return std::ranges::any_of(statements, [&](const FormId& statement) {
        const std::string_view word = headOf(statement);
        if (word == "if" || word == "do") {
            return std::ranges::any_of(argumentsOf(statement),
                                       [&](const FormId& part) { return canLeave(Statements(&part, 1), how); });
        }
        return how.empty() ? word == "break" || word == "continue" : word == how;
    });
}

bool StatementReader::alwaysLeaves(Statements statements) const {
    return std::ranges::any_of(statements, [&](const FormId& statement) {
        const std::string_view word = headOf(statement);
        if (word == "do") return alwaysLeaves(argumentsOf(statement));
        if (word == "if") {
            const Statements parts = argumentsOf(statement);
            return parts.size() == 3 && alwaysLeaves(branch(parts[1])) && alwaysLeaves(branch(parts[2]));
        }
        return word == "break" || word == "continue";
    });
}

void StatementReader::noteAssigned(FormId form) {
    if (!forms().is(form, FormKind::List)) return;
    const Statements parts = forms().children(form);
    if (headOf(form) == "set" && parts.size() > 1 && forms().is(parts[1], FormKind::Name)) {
        m_assigned.insert(m_bank.symbols().intern(forms().text(parts[1])));
    }
    for (const FormId part : parts) noteAssigned(part);
}

// --- reading ----------------------------------------------------------------------------------------------------------

TermId StatementReader::read(FormId form) {
    const Statements statements = argumentsOf(form);
    if (statements.empty() || headOf(statements.back()) != "return") {
        const FormId place = statements.empty() ? form : statements.back();
        return m_file.fail(place, "the last statement of do must return a value", "write (return e) at its end");
    }
    noteAssigned(form);
    return run(statements, [&](Exit, FormId place) { return TermId(m_file.fail(place, "nothing is returned here")); });
}

/// Reads statements whose declarations end with them.
TermId StatementReader::runInner(Statements statements, Leave leave) {
    constexpr std::uint32_t Most = 500;
    if (m_inner == Most && !statements.empty()) {
        return m_file.fail(statements[0],
                           fmt::format("more than {} branches and exits are nested or follow each other", Most));
    }
    const std::vector<Variable> outside = m_variables;
    ++m_inner;
    const TermId result = run(statements, leave);
    --m_inner;
    m_variables = outside;
    return result;
}

TermId StatementReader::run(Statements statements, Leave leave) {
    Scope scope(*this);
    for (std::size_t at = 0; at < statements.size(); ++at) {
        if (const std::optional<TermId> end = step(scope, statements, at, leave)) return scope.close(*end);
    }
    return scope.close(statements.empty() ? leave(Exit::End, 0) : leave(Exit::End, statements.back()));
}

std::optional<TermId> StatementReader::step(Scope& scope, Statements statements, std::size_t at, Leave leave) {
    const FormId form = statements[at];
    const std::string_view word = headOf(form);
    const auto goOn = [](bool isRead) { return isRead ? std::nullopt : std::optional(TermId()); };
    if (word == "var" || word == "set") return goOn(assign(scope, form, word == "var"));
    if (word == "if") return choose(scope, statements, at, leave);
    if (word == "while") return goOn(readWhile(scope, form));
    if (word == "for") return goOn(readFor(scope, form));
    if (word == "do") {
        std::vector<FormId> all(argumentsOf(form).begin(), argumentsOf(form).end());
        all.insert(all.end(), statements.begin() + static_cast<std::ptrdiff_t>(at) + 1, statements.end());
        return run(all, leave);
    }
    const bool isLast = at + 1 == statements.size();
    if (word == "break" || word == "continue") {
        if (m_loops == 0) return m_file.fail(form, fmt::format("{} stands outside of a loop", word));
        if (!argumentsOf(form).empty()) return m_file.fail(form, fmt::format("{} takes no arguments", word));
        if (!isLast) return m_file.fail(statements[at + 1], fmt::format("this is not reached, after {}", word));
        return leave(word == "break" ? Exit::Break : Exit::Continue, form);
    }
    if (word == "return") {
        if (m_loops > 0 || !isLast) {
            return m_file.fail(form, "return can only be the last statement of do",
                               "leave a loop with (break), and return at the end");
        }
        if (argumentsOf(form).size() != 1) return m_file.fail(form, "return takes one value", "write (return e)");
        return m_reader.read(argumentsOf(form)[0]);
    }
    return m_file.fail(form, fmt::format("{} is not a statement", forms().shortText(form)),
                       suggestion(word, std::vector<std::string_view>(Words.begin(), Words.end()),
                                  "statements are (var x e), (set x e), (if c s1 s2), (while c ...), (for i n ...), "
                                  "(do ...), (break), (continue) and (return e)"));
}

/// (var x e), (var x : T e) and (set x e).
bool StatementReader::assign(Scope& scope, FormId form, bool isDeclaration) {
    const auto fail = [&](FormId place, std::string message, std::string hint = {}) {
        static_cast<void>(m_file.fail(place, std::move(message), std::move(hint)));
        return false;
    };
    const Statements parts = argumentsOf(form);
    const bool isTyped = isDeclaration && parts.size() >= 4 && forms().isName(parts[1], ":");
    if (!isTyped && parts.size() != 2) {
        return fail(form, fmt::format("{} takes a variable and a value", headOf(form)),
                    isDeclaration ? "write (var x e), or (var x : Float e)" : "write (set x e)");
    }
    const std::optional<Symbol> name = m_reader.binderName(parts[0]);
    if (!name) return false;
    Variable* const known = find(*name);
    if (isDeclaration && known != nullptr) {
        return fail(parts[0], fmt::format("{} is declared already", forms().text(parts[0])),
                    "(set x e) gives a variable another value");
    }
    if (!isDeclaration && known == nullptr) {
        const std::string_view text = forms().text(parts[0]);
        const bool isValue = m_reader.findVariable(*name).isValid();
        return fail(parts[0],
                    isValue ? fmt::format("{} is not a variable of this do, so it cannot be assigned", text)
                            : fmt::format("{} is not declared", text),
                    "declare a variable first: (var x e)");
    }
    TypeId type = known != nullptr ? known->type : TypeId();
    if (isTyped) {
        type = m_reader.m_types.typeOf(parts.subspan(2, parts.size() - 3), parts[1]);
        if (!type.isValid()) return false;
        type = m_bank.types().erased(type);
    }
    const TermId value = m_reader.read(parts.back());
    if (!value.isValid()) return false;
    if (type.isValid() && m_bank.type(value) != type) {
        return fail(parts.back(),
                    fmt::format("{} is a {}, but this is a {}", forms().text(parts[0]),
                                m_bank.types().toShortString(type), m_bank.types().toShortString(m_bank.type(value))),
                    type == m_bank.types().floating() ? "a Float literal has a point, 2.0; (to_float n) turns an "
                                                        "Integer into a Float"
                                                      : "a variable keeps its type");
    }
    scope.bind(*name, *name, value);
    if (isDeclaration) m_variables.push_back({*name, m_bank.type(value)});
    const bool isLiteral =
        m_bank.is(value, CoreOp::Literal) && m_bank.payload(value).kind() == ir::PayloadKind::Integer;
    find(*name)->known = isLiteral ? std::optional(m_bank.payload(value).asInteger()) : std::nullopt;
    return true;
}

TermId StatementReader::condition(FormId form) {
    const TermId value = m_reader.read(form);
    if (!value.isValid() || m_bank.type(value) == m_bank.types().boolean()) return value;
    return m_file.fail(
        form, fmt::format("a condition is a Bool; this is a {}", m_bank.types().toShortString(m_bank.type(value))));
}

TermId StatementReader::made(FormId form, Op op, const Terms& children) {
    for (const TermId child : children) {
        if (!child.isValid()) return {};
    }
    const Result<TermId> term = m_bank.make(opId(op), children);
    return term ? *term : TermId(m_file.fail(form, term.error().message));
}

// --- branches ---------------------------------------------------------------------------------------------------------

std::optional<TermId> StatementReader::choose(Scope& scope, Statements statements, std::size_t at, Leave leave) {
    const FormId form = statements[at];
    const Statements parts = argumentsOf(form);
    if (parts.size() != 2 && parts.size() != 3) {
        return m_file.fail(form,
                           fmt::format("if takes a condition and one or two statements; found {} forms", parts.size()),
                           "write (if c s1 s2), with (do ...) for several statements");
    }
    if (canLeave(Statements(&form, 1), "return")) {
        return m_file.fail(form, "return can only be the last statement of do",
                           "give a variable the value in the branches, and return it at the end");
    }
    if (!canLeave(Statements(&form, 1), {})) {
        return chooseValues(scope, form) ? std::nullopt : std::optional(TermId());
    }
    const Statements rest = statements.subspan(at + 1);
    const Statements first = branch(parts[1]);
    const Statements second = parts.size() == 3 ? branch(parts[2]) : Statements();
    const bool firstLeaves = alwaysLeaves(first);
    const bool secondLeaves = alwaysLeaves(second);
    if (firstLeaves && secondLeaves && !rest.empty()) return m_file.fail(rest[0], "this is not reached");
    if (!firstLeaves && !secondLeaves && !rest.empty()) return chooseExit(scope, form, rest, leave);
    // A branch that leaves has no rest.
    const auto with = [&](Statements own, bool leaves) {
        std::vector<FormId> all(own.begin(), own.end());
        if (!leaves) all.insert(all.end(), rest.begin(), rest.end());
        if (all.empty()) return leave(Exit::End, form);
        return runInner(all, leave);
    };
    const TermId test = condition(parts[0]);
    if (!test.isValid()) return test;
    const TermId one = with(first, firstLeaves);
    const TermId other = one.isValid() ? with(second, secondLeaves) : TermId();
    return made(form, Op::If, {test, one, other});
}

/// Branches that only assign variables: the values of these.
bool StatementReader::chooseValues(Scope& scope, FormId form) {
    const Statements parts = argumentsOf(form);
    const std::vector<Symbol> names = assignedIn(Statements(&form, 1));
    if (names.empty()) {
        static_cast<void>(m_file.fail(form, "this if has no effect: its branches assign no variable from outside"));
        return false;
    }
    const auto values = [&](Exit, FormId) { return packed(names); };
    const TermId test = condition(parts[0]);
    if (!test.isValid()) return false;
    const TermId one = runInner(branch(parts[1]), values);
    if (!one.isValid()) return false;
    const TermId other = parts.size() == 3 ? runInner(branch(parts[2]), values) : packed(names);
    const TermId chosen = made(form, Op::If, {test, one, other});
    if (!chosen.isValid()) return false;
    if (names.size() == 1) {
        unpack(scope, names, [&] { return chosen; });
        return true;
    }
    scope.bind({}, m_bank.symbols().intern("t"), chosen);
    const std::size_t place = m_reader.m_locals.size();
    unpack(scope, names, [&] { return local(place); });
    return true;
}

/// Branches that may go on or leave: the way, and the values of the variables that they assign; then the rest of the statements.
TermId StatementReader::chooseExit(Scope& scope, FormId form, Statements rest, Leave leave) {
    const Statements parts = argumentsOf(form);
    const std::vector<Symbol> names = assignedIn(Statements(&form, 1));
    const auto values = [&](Exit exit, FormId) {
        const std::vector<TermId> pair{m_bank.integer(static_cast<std::int64_t>(exit)), packed(names)};
        return m_bank.tuple(pair);
    };
    const TermId test = condition(parts[0]);
    if (!test.isValid()) return {};
    const TermId one = runInner(branch(parts[1]), values);
    if (!one.isValid()) return {};
    const TermId other = parts.size() == 3 ? runInner(branch(parts[2]), values) : values(Exit::End, form);
    const TermId chosen = made(form, Op::If, {test, one, other});
    if (!chosen.isValid()) return {};
    scope.bind({}, m_bank.symbols().intern("t"), chosen);
    const std::size_t place = m_reader.m_locals.size();
    unpack(scope, names, [&] { return m_bank.get(local(place), 1); });
    const auto isExit = [&](Exit exit) {
        return made(form, Op::Eq, {m_bank.get(local(place), 0), m_bank.integer(static_cast<std::int64_t>(exit))});
    };
    const TermId isEnd = isExit(Exit::End);
    const bool breaks = canLeave(Statements(&form, 1), "break");
    const bool continues = canLeave(Statements(&form, 1), "continue");
    TermId left = leave(breaks ? Exit::Break : Exit::Continue, form);
    if (breaks && continues) left = made(form, Op::If, {isExit(Exit::Break), left, leave(Exit::Continue, form)});
    const TermId goOn = left.isValid() ? runInner(rest, leave) : TermId();
    return made(form, Op::If, {isEnd, goOn, left});
}

}  // namespace mitos::ks
