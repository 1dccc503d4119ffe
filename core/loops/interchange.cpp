// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/interchange.h"

#include "core/loops/internal/effects.h"
#include "core/loops/internal/outside.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <utility>

namespace mitos::loops {

namespace {

/// How reads of vectors step from one iteration of a loop to the next.
struct Strides {
    std::size_t along = 0;   ///< to the next element
    std::size_t across = 0;  ///< to another row, or to an element farther away
};

class Interchange {
public:
    Interchange(const ir::TypeTable& types, Function& function)
        : m_types(types),
          m_function(function),
          m_effects(function) {}

    void run(Block& block) {
        for (std::size_t i = 0; i < block.statements.size(); ++i) {
            if (auto* const loop = std::get_if<For>(&block.statements[i].what)) {
                if (std::optional<Block> changed = changedPlaces(*loop, block.statements[i].term)) {
                    const auto at = block.statements.begin() + static_cast<std::ptrdiff_t>(i);
                    const auto after = block.statements.erase(at);
                    block.statements.insert(after, std::make_move_iterator(changed->statements.begin()),
                                            std::make_move_iterator(changed->statements.end()));
                    --i;
                    continue;
                }
            }
            forEachBlock(block.statements[i], [this](Block& inner) { run(inner); });
        }
    }

private:
    /// The statements instead of a loop, if it is one over elements whose sums are better added up for all elements at once.
    std::optional<Block> changedPlaces(For& elements, ir::TermId term) {
        if (!isPlain(elements)) return std::nullopt;
        std::vector<Statement>& body = elements.body.statements;
        const auto inner = std::ranges::find_if(
            body, [](const Statement& statement) { return std::holds_alternative<For>(statement.what); });
        if (inner == body.begin() || inner == body.end()) return std::nullopt;
        For& summands = std::get<For>(inner->what);
        const auto declared = std::find_if(body.begin(), inner, [&](const Statement& statement) {
            const auto* const declare = std::get_if<Declare>(&statement.what);
            return declare != nullptr && isSumFromZero(*declare) && mentions(summands.body, declare->symbol);
        });
        if (declared == inner) return std::nullopt;
        const SymbolId sum = std::get<Declare>(declared->what).symbol;
        const bool areSimple = std::all_of(body.begin(), inner, [](const Statement& statement) {
            return std::holds_alternative<Require>(statement.what) || std::holds_alternative<Declare>(statement.what);
        });
        const SymbolSet parts = constantsOf(body, inner, summands, sum);
        if (!areSimple || !isPlain(summands) || !isIndependent(elements, summands, sum, parts)) return std::nullopt;
        if (!isBetter(summands, elements.index)) return std::nullopt;

        Block made;
        For rest{elements.index, {}, elements.end};
        Block summand;
        for (auto each = body.begin(); each != inner; ++each) {
            if (each == declared) continue;
            if (const auto* const declare = std::get_if<Declare>(&each->what);
                declare != nullptr && parts.contains(declare->symbol)) {
                summand.statements.push_back(std::move(*each));
                continue;
            }
            if (std::holds_alternative<Declare>(each->what)) {
                rest.body.statements.push_back(std::move(*each));
                continue;
            }
            made.statements.push_back(
                {requiredIfAny(m_types, m_function, std::get<Require>(each->what), elements.end), each->term});
        }
        SymbolInfo info = m_function.at(sum);
        info.storage = Storage::Series;
        if (info.hint == "sum") info.hint = "sums";
        const SymbolId sums = m_function.add(std::move(info));
        const ExpressionId zeros = m_function.add({ExpressionKind::Filled, m_types.floating(), false, {elements.end}});
        made.statements.push_back({Declare{sums, zeros, false, true}, term});

        // One loop of the elements inside that of the summands, and another one for what is done with the sums.
        const ExpressionId element = elementOf(sums, nameOf(elements.index));
        const SymbolId index = m_function.add(SymbolInfo(m_function.at(elements.index)));
        std::move(summands.body.statements.begin(), summands.body.statements.end(),
                  std::back_inserter(summand.statements));
        For row{index, {}, elements.end, std::move(summand)};
        replaceIn(row.body, sum, element);
        renameIndex(m_function, row.body, elements.index, index);
        For outer{summands.index, {}, summands.end};
        outer.body.statements.push_back({std::move(row), inner->term});
        made.statements.push_back({std::move(outer), inner->term});

        for (auto each = std::next(inner); each != body.end(); ++each) rest.body.statements.push_back(std::move(*each));
        replaceIn(rest.body, sum, element);
        if (!rest.body.isEmpty()) made.statements.push_back({std::move(rest), term});
        m_effects.learn(made);
        return made;
    }

    [[nodiscard]] bool mentions(const Block& block, SymbolId symbol) const {
        return std::ranges::any_of(block.statements, [&](const Statement& statement) {
            SymbolSet symbols;
            addMentioned(m_function, statement, symbols);
            return symbols.contains(symbol);
        });
    }

    /// The constants before a loop of summands that only these use: each summand may compute them.
    [[nodiscard]] SymbolSet constantsOf(const std::vector<Statement>& body,
                                        std::vector<Statement>::const_iterator inner, const For& summands,
                                        SymbolId sum) const {
        SymbolSet read;
        for (const Statement& statement : summands.body.statements) addMentioned(m_function, statement, read);
        SymbolSet others;
        for (auto each = std::next(inner); each != body.end(); ++each) addMentioned(m_function, *each, others);
        SymbolSet constants;
        for (auto each = inner; each != body.begin();) {
            --each;
            const auto* const declare = std::get_if<Declare>(&each->what);
            const bool isConstant = declare != nullptr && declare->symbol != sum && declare->value.isValid() &&
                                    m_function.at(declare->symbol).storage == Storage::Constant;
            if (isConstant && read.contains(declare->symbol) && !others.contains(declare->symbol) &&
                isArithmetic(declare->value)) {
                constants.insert(declare->symbol);
                addMentioned(m_function, *each, read);
            } else {
                addMentioned(m_function, *each, others);
            }
        }
        return constants;
    }
    /// Whether an expression is cheap, and has a value whatever its names stand for.
    [[nodiscard]] bool isArithmetic(ExpressionId expression) const {
        const Expression& at = m_function.at(expression);
        const bool isDivision = at.payload == Expression::Payload(Operator::Div) &&
                                (at.type == m_types.floating() || mayDivideByZero(m_types, m_function, at));
        const bool isPlainKind = at.kind == ExpressionKind::Literal || at.kind == ExpressionKind::Name ||
                                 at.kind == ExpressionKind::Unary || at.kind == ExpressionKind::Choice ||
                                 (at.kind == ExpressionKind::Binary && !isDivision);
        return isPlainKind &&
               std::ranges::all_of(at.operands, [this](ExpressionId operand) { return isArithmetic(operand); });
    }

    [[nodiscard]] bool isSumFromZero(const Declare& declare) const {
        const SymbolInfo& symbol = m_function.at(declare.symbol);
        if (symbol.storage != Storage::Variable || symbol.type != m_types.floating() || !declare.value.isValid())
            return false;
        const Expression& value = m_function.at(declare.value);
        return value.kind == ExpressionKind::Literal && value.payload == Expression::Payload(0.0);
    }

    /// Whether iterations of the loop over elements have nothing to do with each other, and the number of summands is the same in all.
    [[nodiscard]] bool isIndependent(const For& elements, const For& summands, SymbolId sum,
                                     const SymbolSet& parts) const {
        SymbolSet changed;
        m_effects.addChanged(elements.body, changed);
        changed.insert(elements.index);
        if (m_effects.mentionsAny(summands.end, changed)) return false;
        for (const Statement& statement : elements.body.statements) {
            if (const auto* const require = std::get_if<Require>(&statement.what);
                require != nullptr && (require->isAlways || m_effects.mentionsAny(require->condition, changed)))
                return false;
        }
        // The summands change the sum, and what is declared among them.
        SymbolSet inside;
        m_effects.addChanged(summands.body, inside);
        SymbolSet own;
        addDeclared(summands.body, own);
        own.insert(sum);
        if (!std::ranges::all_of(inside, [&](SymbolId symbol) { return own.contains(symbol); })) return false;
        if (!isOnlyAddedTo(summands.body, sum)) return false;
        // The summands do not read results of the sums.
        SymbolSet rest;
        bool isAfter = false;
        for (const Statement& statement : elements.body.statements) {
            const auto* const declare = std::get_if<Declare>(&statement.what);
            const bool isOwn = declare != nullptr && (declare->symbol == sum || parts.contains(declare->symbol));
            if (isAfter || (declare != nullptr && !isOwn)) m_effects.addChanged(statement, rest);
            isAfter = isAfter || isLoop(statement, summands);
        }
        const auto isPart = [&](const Statement& statement) {
            const auto* const declare = std::get_if<Declare>(&statement.what);
            return declare != nullptr && parts.contains(declare->symbol);
        };
        return !readsAny(summands.body, rest) &&
               std::ranges::none_of(elements.body.statements, [&](const Statement& statement) {
                   return isPart(statement) && m_effects.mentionsAny(std::get<Declare>(statement.what).value, rest);
               });
    }
    [[nodiscard]] static bool isLoop(const Statement& statement, const For& loop) {
        return std::get_if<For>(&statement.what) == &loop;
    }

    /// Whether a number is only added to; a sum of sums is added up where it stands.
    [[nodiscard]] bool isOnlyAddedTo(const Block& block, SymbolId sum) const {
        return std::ranges::all_of(block.statements, [&](const Statement& statement) {
            if (const auto* const add = std::get_if<Accumulate>(&statement.what))
                return (isName(m_function, add->place, sum) || !mentionsName(m_function, add->place, sum)) &&
                       !mentionsName(m_function, add->value, sum);
            bool isFine = !std::holds_alternative<DefineFunction>(statement.what) &&
                          !std::holds_alternative<Print>(statement.what);
            forEachExpression(statement, [&](ExpressionId expression) {
                isFine = isFine && !mentionsName(m_function, expression, sum);
            });
            forEachBlock(statement, [&](const Block& inner) { isFine = isFine && isOnlyAddedTo(inner, sum); });
            return isFine;
        });
    }

    /// Whether the reads in a loop of summands run along rows with the index of the elements, and its innermost loop steps across rows.
    [[nodiscard]] bool isBetter(const For& summands, SymbolId element) const {
        Strides ofElement;
        addStrides(summands.body, element, ofElement);
        return ofElement.along > 0 && ofElement.across == 0 && stepsAcross(summands);
    }

    /// Whether an innermost loop of a nest steps from row to row.
    [[nodiscard]] bool stepsAcross(const For& loop) const {
        bool isInnermost = true;
        for (const Statement& statement : loop.body.statements) {
            const auto* const inner = std::get_if<For>(&statement.what);
            if (inner == nullptr) continue;
            if (stepsAcross(*inner)) return true;
            isInnermost = false;
        }
        Strides strides;
        if (isInnermost) addStrides(loop.body, loop.index, strides);
        return strides.across > 0;
    }

    void addStrides(const Block& block, SymbolId index, Strides& strides) const {
        for (const Statement& statement : block.statements) {
            forEachExpression(statement, [&](ExpressionId expression) { addStrides(expression, index, strides); });
            forEachBlock(statement, [&](const Block& inner) { addStrides(inner, index, strides); });
        }
    }
    void addStrides(ExpressionId expression, SymbolId index, Strides& strides) const {
        const Expression& at = m_function.at(expression);
        if (at.kind == ExpressionKind::Element) {
            const std::size_t last = at.operands.size() - 1;
            bool isAcross = false;
            for (std::size_t i = 0; i < last; ++i) isAcross = isAcross || dependsOn(at.operands[i], index);
            const std::optional<int> step = stepOf(at.operands[last], index);
            if (isAcross || !step || std::abs(*step) > 1) {
                ++strides.across;
            } else if (*step != 0) {
                ++strides.along;
            }
        }
        for (const ExpressionId operand : at.operands) addStrides(operand, index, strides);
    }

    [[nodiscard]] bool dependsOn(ExpressionId expression, SymbolId index) const {
        const Expression& at = m_function.at(expression);
        if (at.kind == ExpressionKind::Name) {
            const SymbolId symbol = std::get<SymbolId>(at.payload);
            if (symbol == index) return true;
            const ExpressionId definition = m_effects.definition(symbol);
            return definition.isValid() && dependsOn(definition, index);
        }
        return std::ranges::any_of(at.operands, [&](ExpressionId operand) { return dependsOn(operand, index); });
    }

    /// By how much an Integer grows with the index; nothing if that is not one number.
    [[nodiscard]] std::optional<int> stepOf(ExpressionId expression, SymbolId index) const {
        if (!dependsOn(expression, index)) return 0;
        const Expression& at = m_function.at(expression);
        if (at.kind == ExpressionKind::Name) {
            const SymbolId symbol = std::get<SymbolId>(at.payload);
            return symbol == index ? std::optional(1) : stepOf(m_effects.definition(symbol), index);
        }
        const auto isOf = [&](Operator op, Operation guarded) {
            return at.payload == Expression::Payload(op) || at.payload == Expression::Payload(guarded);
        };
        const bool isSum = isOf(Operator::Add, Operation::Plus);
        if (at.operands.size() != 2 || !(isSum || isOf(Operator::Sub, Operation::Minus))) return std::nullopt;
        const std::optional<int> left = stepOf(at.operands[0], index);
        const std::optional<int> right = stepOf(at.operands[1], index);
        if (!left || !right) return std::nullopt;
        return isSum ? *left + *right : *left - *right;
    }

    [[nodiscard]] bool readsAny(const Block& block, const SymbolSet& symbols) const {
        return std::ranges::any_of(block.statements, [&](const Statement& statement) {
            bool reads = false;
            forEachExpression(statement, [&](ExpressionId expression) {
                reads = reads || m_effects.mentionsAny(expression, symbols);
            });
            forEachBlock(statement, [&](const Block& inner) { reads = reads || readsAny(inner, symbols); });
            return reads;
        });
    }

    ExpressionId nameOf(SymbolId index) {
        return m_function.add({ExpressionKind::Name, m_types.integer(), index, {}, {}, 0, ir::sizeRange()});
    }
    ExpressionId elementOf(SymbolId series, ExpressionId at) {
        const ExpressionId name = m_function.add({ExpressionKind::Name, m_types.floating(), series});
        return m_function.add({ExpressionKind::Element, m_types.floating(), false, {name, at}});
    }

    void replaceIn(Block& block, SymbolId sum, ExpressionId element) {
        for (Statement& statement : block.statements) {
            replaceExpressions(statement,
                               [&](ExpressionId expression) { return replaced(m_function, expression, sum, element); });
            forEachBlock(statement, [&](Block& inner) { replaceIn(inner, sum, element); });
        }
    }

    const ir::TypeTable& m_types;
    Function& m_function;
    Effects m_effects;
};

}  // namespace

void interchange(const ir::TypeTable& types, Function& function) { Interchange(types, function).run(function.body); }

}  // namespace mitos::loops
