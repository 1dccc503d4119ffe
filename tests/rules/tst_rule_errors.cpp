// SPDX-License-Identifier: GPL-3.0-or-later
// The exact messages for mistakes in rule files: file, line, column, the line with a caret, and what
// would be accepted.
#include "tests/rules/rule_helpers.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

namespace tst_rule_errors {

using namespace mitos;
using namespace mitos::tests;

namespace {

struct Mistake {
    const char* name;
    const char* source;
    const char* message;
};

constexpr Mistake Mistakes[] = {
    {"unfinished rule", "rule r: a + b",
     R"(test.rules:1:14: error: expected '=>' or '<=>' and the right side, found the end of the file
  rule r: a + b
               ^
)"},
    {"no item", "use ks\nrewrite r: a => a", R"(test.rules:2:1: error: expected an item, found 'rewrite'
  rewrite r: a => a
  ^
  hint: items begin with use, include, op, class, analysis, pattern or rule
)"},
    {"word of the language as a name", "rule r: where + a => a",
     R"(test.rules:1:9: error: expected an expression, found 'where'
  rule r: where + a => a
          ^
  hint: 'where' is a word of the language
)"},
    {"unclosed call", "rule r: add(a, b => a", R"(test.rules:1:18: error: expected ',' or ')', found '=>'
  rule r: add(a, b => a
                   ^
)"},
    {"unknown dialect", "use tensors\nrule r: a => a", R"(test.rules:1:5: error: there is no dialect tensors
  use tensors
      ^
  hint: the dialects are ks
)"},
    {"unknown operator", "rule r: exq(a) => a", R"(test.rules:1:9: error: there is no operator exq
  rule r: exq(a) => a
          ^
  hint: did you mean exp?
)"},
    {"wrong number of arguments", "rule r: exp(a, b) => a", R"(test.rules:1:9: error: exp takes 1 argument, 2 given
  rule r: exp(a, b) => a
          ^
  hint: exponential, of a Float or of each element of a (Vec Float)
)"},
    {"unbound on the right", "rule r: a * 0 => a + b",
     R"(test.rules:1:22: error: b is not bound: it does not occur on the side that is matched
  rule r: a * 0 => a + b
                       ^
  hint: every variable of the result must occur in the pattern
)"},
    {"types that cannot agree", "rule r: a => gt(a, a)",
     R"(test.rules:1:9: error: the result can never have the type of what it replaces
  rule r: a => gt(a, a)
          ^
  hint: the matched side can be a Float, for instance
)"},
    {"escaping variable", "rule r: let x = e in b => b",
     R"(test.rules:1:27: error: b may mention x, which is not bound here
  rule r: let x = e in b => b
                            ^
  hint: put it below a binder named x, replace it with b[x := …], or require `x not in b`
)"},
    {"two kinds of variable", "rule r: F(x) + F => x",
     R"(test.rules:1:16: error: F is a term here and a function variable elsewhere
  rule r: F(x) + F => x
                 ^
  hint: use two names
)"},
    {"substitution on the left", "rule r: a[x := b] => a",
     R"(test.rules:1:9: error: a substitution e[x := …] cannot be matched
  rule r: a[x := b] => a
          ^
  hint: it can stand on a right side; a rule with it goes one way only (=>)
)"},
    {"unknown attribute of a term", "rule r: a => a where a.colour == 1",
     R"(test.rules:1:24: error: there is no attribute colour
  rule r: a => a where a.colour == 1
                         ^
  hint: the attributes are type, dtype, rank, is_const, is_var, is_let, is_lambda, is_tuple, is_scalar, has_effects, is_total, is_zero, has_one_shape, value, length, nodes, op, name, arity, binds, may_fail, effectful, commutative, pointwise, shape, is_static, is_floating, is_weight, is_positive, is_nonnegative, is_nonzero, is_negative, is_nonpositive
)"},
    {"unknown class", "rule r: F(a) => a where F: linear",
     R"(test.rules:1:28: error: there is no class of operators linear
  rule r: F(a) => a where F: linear
                             ^
  hint: the classes are pointwise, unary_pointwise, binary_pointwise, commutative, binder
)"},
    {"name twice", "rule r: a + b => b + a\nrule r: a * b => b * a", R"(test.rules:2:6: error: there is a rule r already
  rule r: a * b => b * a
       ^
  hint: rules of a file have different names
)"},
    {"unproductive recursion", "pattern P(x) = Q(x)\npattern Q(y) = P(y)",
     R"(test.rules:1:9: error: P can unfold forever without consuming an operator: P -> Q -> P
  pattern P(x) = Q(x)
          ^
  hint: put the recursive use below an operator
test.rules:2:9: error: Q can unfold forever without consuming an operator: Q -> P -> Q
  pattern Q(y) = P(y)
          ^
  hint: put the recursive use below an operator
)"},
    {"unproductive match constraint", "pattern P(x) = x  with x <= P(x)",
     R"(test.rules:1:9: error: P can unfold forever without consuming an operator: P -> P
  pattern P(x) = x  with x <= P(x)
          ^
  hint: put the recursive use below an operator
)"},
    {"a constraint that may begin anywhere", "pattern P(x) = exp(z)  with local z, x <= exp(P(x))",
     R"(test.rules:1:9: error: P can unfold forever without consuming an operator: P -> P
  pattern P(x) = exp(z)  with local z, x <= exp(P(x))
          ^
  hint: put the recursive use below an operator
)"},
    {"no parameter", "pattern P(x) = x * c", R"(test.rules:1:20: error: c is not a parameter of this pattern
  pattern P(x) = x * c
                     ^
  hint: add it to the parameters, or declare it: with local c
)"},
    {"local that is never bound", "pattern P(x) = exp(x)  with local y",
     R"(test.rules:1:35: error: the local variable y can never be bound
  pattern P(x) = exp(x)  with local y
                                    ^
  hint: it must stand in the pattern or in a match constraint: x <= P(y)
)"},
    {"constraint before its variable", "pattern P(x) = exp(x)  with local y, y <= exp(x)",
     R"(test.rules:1:38: error: y is not bound where its match constraint is checked
  pattern P(x) = exp(x)  with local y, y <= exp(x)
                                       ^
  hint: it must stand in the pattern, or in a match constraint before this one
)"},
    {"alternates with other parameters", "pattern P(x) = exp(x)\npattern P(x, y) = x + y",
     R"(test.rules:2:9: error: P had 1 parameter above, here it has 2
  pattern P(x, y) = x + y
          ^
  hint: all alternates of a pattern have the same parameters
)"},
    {"pattern on the right", "pattern P(x) = exp(x)\nrule r: a => P(a)",
     R"(test.rules:2:14: error: the pattern P can only be matched
  rule r: a => P(a)
               ^
  hint: write the result out
)"},
    {"attribute nobody declared", "op conv[stride](x)\nrule r: conv[step=1](x) => x",
     R"(test.rules:2:9: error: conv has no attribute step
  rule r: conv[step=1](x) => x
          ^
  hint: its attributes are stride
)"},
    {"attribute missing on the right", "op conv[stride](x)\nrule r: conv[stride=s](x) => conv(x)",
     R"(test.rules:2:30: error: the attribute stride of conv is missing
  rule r: conv[stride=s](x) => conv(x)
                               ^
  hint: conv[stride=1](…): a number, a name of the matched side, or a computation
)"},
    {"attribute matched with a computation", "op conv[stride](x)\nrule r: conv[stride=1 + 1](x) => x",
     R"(test.rules:2:21: error: an attribute is matched with a number, a string, true, false, a list or a name
  rule r: conv[stride=1 + 1](x) => x
                      ^
  hint: bind it, [axis=a], and state more after `where`
)"},
    {"two directions with a constraint", "rule r: a + b <=> b + a with a <= exp(b)",
     R"(test.rules:1:6: error: a rule in two directions has no local variables and no match constraints
  rule r: a + b <=> b + a with a <= exp(b)
       ^
  hint: write two rules with =>
)"},
    {"a type nobody knows", "rule r: a + b => b + a where a.type == Flaot",
     R"(test.rules:1:40: error: expected a type
  rule r: a + b => b + a where a.type == Flaot
                                         ^
  hint: Float, Integer, Bool, String, Vec(T), Tensor(2, T), Tuple(T, T)
)"},
    {"an operator nobody knows, in a condition", "rule r: F(F(x)) => F(x) where F == exq",
     R"(test.rules:1:36: error: there is no operator exq
  rule r: F(F(x)) => F(x) where F == exq
                                     ^
  hint: did you mean exp?
)"},
    {"a number is no condition", "rule r: a + b => b + a where a.is_const and a.nodes",
     R"(test.rules:1:45: error: expected a truth value, this is a number
  rule r: a + b => b + a where a.is_const and a.nodes
                                              ^
  hint: a condition asks for something, for instance a.is_const, or compares: a.rank == 2
)"},
    {"a type compared with a number", "rule r: a + b => b + a where a.type == 1",
     R"(test.rules:1:30: error: a type is compared with a number
  rule r: a + b => b + a where a.type == 1
                               ^
  hint: they are never equal, and never different
)"},
    {"an order of types", "rule r: a + b => b + a if a.type < 2",
     R"(test.rules:1:27: error: expected a number, this is a type
  rule r: a + b => b + a if a.type < 2
                            ^
  hint: there are literals, constants of the program by the name of their variable, rank, nodes, length and arity
)"},
    {"a computed type", "rule r: a + b => const(a.type)",
     R"(test.rules:1:24: error: expected a number or a truth value, this is a type
  rule r: a + b => const(a.type)
                         ^
  hint: there are literals, constants of the program by the name of their variable, rank, nodes, length and arity
)"},
    {"a sequence has no type", "rule r: tuple(a..., b) => tuple(b, a...) where a.type == Float",
     R"(test.rules:1:50: error: a is a sequence: it has a length, but no type
  rule r: tuple(a..., b) => tuple(b, a...) where a.type == Float
                                                   ^
  hint: a sequence a... stands for any number of arguments
)"},
    {"an operator has no rank", "rule r: F(x) => F(x) where F.rank == 1",
     R"(test.rules:1:30: error: F is a function variable and has no rank
  rule r: F(x) => F(x) where F.rank == 1
                               ^
  hint: operators have op, arity, binds, may_fail, effectful, commutative, pointwise
)"},
    {"two comparisons in a row", "rule r: a + b => b + a where 0 < a < 2",
     R"(test.rules:1:36: error: comparisons cannot be chained
  rule r: a + b => b + a where 0 < a < 2
                                     ^
  hint: join them with `and`: a < b and b < c
)"},
    {"an operator declared twice", "op fused(x)\nop fused(x, y)\nrule r: a + b => b + a",
     R"(test.rules:2:4: error: there is an operator named fused already
  op fused(x, y)
     ^
  hint: choose another name, or declare it as it is declared there
)"},
    {"a class declared twice", "class c = sin\nclass c = cos\nrule r: a + b => b + a",
     R"(test.rules:2:7: error: there is a class c already
  class c = cos
        ^
  hint: choose another name
)"},
    {"a parameter named twice", "pattern P(x, x) = x + x\nrule r: a + b => b + a",
     R"(test.rules:1:14: error: the parameter x is named twice
  pattern P(x, x) = x + x
               ^
  hint: write the pattern with two names, and one variable for both where it is used
)"},
    {"types of several roots", "rule r: exp(a), log(b) => exp(b), gt(a, b)",
     R"(test.rules:1:9: error: the result can never have the type of what it replaces
  rule r: exp(a), log(b) => exp(b), gt(a, b)
          ^
  hint: the matched side can be a (Tuple Float Float), for instance
)"},
    {"roots and results", "rule r: exp(a), log(a) => exp(a)",
     R"(test.rules:1:27: error: the rule matches 2 roots and gives 1 result
  rule r: exp(a), log(a) => exp(a)
                            ^
  hint: there must be one result for each root
)"},
};

}  // namespace

class TestRuleErrors : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void mistakes_data();
    void mistakes();
};

void TestRuleErrors::mistakes_data() {
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("expected");
    for (const Mistake& mistake : Mistakes) {
        QTest::newRow(mistake.name) << QString::fromUtf8(mistake.source) << QString::fromUtf8(mistake.message);
    }
}

void TestRuleErrors::mistakes() {
    QFETCH(const QString, source);
    QFETCH(const QString, expected);
    const Result<rules::LoadedRules> loaded = load(source.toStdString());
    std::string rendered;
    if (!loaded) {
        rendered = loaded.error().render();
    } else {
        for (const Error& error : loaded->errors) rendered += error.render();
    }
    QCOMPARE(QString::fromStdString(rendered), expected);
}

MITOS_TEST(TestRuleErrors)

}  // namespace tst_rule_errors

#include "tst_rule_errors.moc"
