// SPDX-License-Identifier: GPL-3.0-or-later
// Translates terms to the loop form: expressions where they are short, statements where there are loops. Private to core/loops.
#pragma once

#include "core/ir/term_bank.h"
#include "core/ir/value_range.h"
#include "core/ks/operators.h"
#include "core/loops/form.h"
#include "core/loops/internal/shapes.h"
#include "core/loops/internal/uses.h"
#include "core/loops/lowering.h"
#include "core/loops/names.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <absl/functional/function_ref.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::loops {

/// Thrown for constructs without a loop form; caught by lower().
struct Unsupported {
    std::string message;
    std::string hint = {};
};

enum class Form : std::uint8_t {
    Value,  ///< a temporary
    Path,   ///< an lvalue that persists: a variable, or an element of one
    Local,  ///< a variable with no other reference to it: may be moved from
};

struct Code {
    ExpressionId expression = {};
    Form form = Form::Value;
    bool plainInt = false;  ///< made of int literals only, so its type in C++ is int
    ir::ValueRange range =
        {};  ///< of an Integer; guards against undefined behaviour that it makes unnecessary are left out
};

/// The code of a bound variable; a tuple that is never stored has parts instead of an expression.
struct Binding {
    ExpressionId expression = {};
    std::vector<Binding> parts = {};
    ir::ValueRange range = {};
    bool isMovable = false;    ///< a variable with its own storage that is used once, outside of loops and functions
    bool areElements = false;  ///< the parts are the elements of a vector, not of a tuple
};

/// An lvalue that summands are added to: a tensor, or the only element of a vector of size 1 that does not exist by itself.
struct Target {
    ExpressionId place;
    bool isOnlyElement = false;
    bool isLess = false;  ///< summands are subtracted
};

/// Gives a variable its value back at the end of a scope.
class Restored {
public:
    explicit Restored(bool& variable) : m_variable(variable), m_before(variable) {}
    ~Restored() { m_variable = m_before; }
    Restored(const Restored&) = delete;
    Restored& operator=(const Restored&) = delete;
    Restored(Restored&&) = delete;
    Restored& operator=(Restored&&) = delete;

private:
    bool& m_variable;
    bool m_before;
};

/// A tuple bound by a let whose parts are only added to other places: it is computed where these are known.
struct LaterSum {
    ir::TermId value;
    std::size_t depth = 0;  ///< number of binders around it
    std::vector<Target> targets;
};

/// A vector, or a tuple of vectors, that is being added up.
struct KnownShape {
    ExpressionId target;
    EarlyShape shape;
    ExpressionId length;  ///< of a vector, if it is told by itself
};

/// Whether the few iterations of a sparse build are made one after the other.
[[nodiscard]] bool isUnrolled(const ir::TermBank& bank, ir::TermId sparse);

/// Shared by the functions of a program.
struct Lowering {
    const ir::TermBank& bank;
    const LoweringOptions& options;
    Program& program;
    NameScope scope = {};
    absl::flat_hash_map<ir::FunctionId, FunctionIndex> functions =
        {};  ///< those that give a value; before each is one that adds it
    Uses uses;
    std::vector<FunctionIndex> open = {};            ///< called, but not translated
    absl::flat_hash_set<FunctionIndex> called = {};  ///< ever

    /// The index of a function that is called, in the form that gives its value or adds it to a place.
    FunctionIndex calling(ir::FunctionId function, bool isAdding) {
        const FunctionIndex index(functions.at(function).value - (isAdding ? 1 : 0));
        if (called.insert(index).second) open.push_back(index);
        return index;
    }
};

class FunctionLowerer {
public:
    FunctionLowerer(Lowering& lowering, Function& result)
        : m_lowering(lowering),
          m_bank(lowering.bank),
          m_types(lowering.bank.types()),
          m_scope(lowering.scope),
          m_uses(lowering.uses),
          m_result(result) {}

    /// Fills in the parameters and the body of the result, which adds its value to a sum or gives it.
    void define(const ir::Function& function, ir::TermId body, bool isAdding);

private:
    using TermId = ir::TermId;
    using TypeId = ir::TypeId;

    // making.cpp: statements and expressions
    void append(decltype(Statement::what) what) { m_block.statements.push_back({std::move(what), m_term}); }
    /// The statements that `fill` appends, in a block of their own.
    Block inBlock(absl::FunctionRef<void()> fill);
    /// Opens a loop; the statements up to its closing are its body.
    void openLoop(For loop, const std::string& index);
    void closeLoop();
    SymbolId symbol(std::string_view hint, TypeId type, Storage storage);
    /// Declares a variable with the value, which may be none.
    ExpressionId variable(std::string_view hint, TypeId type, ExpressionId value, bool isConstructed = false);
    /// Declares a vector or tensor whose elements the loop that follows sets.
    ExpressionId overwritten(std::string_view hint, TypeId type, ExpressionId value);
    ExpressionId make(ExpressionKind kind, TypeId type, Expression::Payload payload = {},
                      std::vector<ExpressionId> operands = {});
    ExpressionId name(SymbolId symbol);
    ExpressionId integer(std::int64_t value);
    ExpressionId floating(double value);
    ExpressionId boolean(bool value);
    ExpressionId part(ExpressionId tuple, std::uint32_t place);
    ExpressionId element(ExpressionId vector, std::vector<ExpressionId> indices, bool isChecked = false);
    ExpressionId element(ExpressionId vector, const Binding& index);
    /// A vector or tensor, or the vector of the elements of a tensor.
    ExpressionId elementsOf(ExpressionId tensor);
    ExpressionId run(Operation operation, TypeId type, std::vector<ExpressionId> operands, TypeId told = {});
    ExpressionId unary(Operator op, TypeId type, ExpressionId operand);
    ExpressionId binary(Operator op, TypeId type, ExpressionId left, ExpressionId right);
    ExpressionId choice(TypeId type, ExpressionId condition, ExpressionId value, ExpressionId otherwise);
    ExpressionId tuple(TypeId type, std::vector<ExpressionId> parts);
    /// A vector with zeros, or copies of the element if there is one.
    ExpressionId filled(TypeId type, std::vector<ExpressionId> sizes, ExpressionId element = {});
    ExpressionId zeroLike(TypeId type, ExpressionId value);
    /// A size of a tensor of rank 2 or more.
    ExpressionId dimension(ExpressionId tensor, std::uint32_t place);
    ExpressionId moved(ExpressionId place);
    [[nodiscard]] bool areSame(ExpressionId a, ExpressionId b) const { return loops::areSame(m_result, a, b); }
    /// Whether an expression is a name or a literal without a sign.
    [[nodiscard]] bool isWord(ExpressionId expression) const;
    [[nodiscard]] std::size_t widthOf(ExpressionId expression) const;

    // lowerer.cpp: names, control
    void addParameters(const ir::Function& function, TermId body);
    void defineSizes(const ir::Function& function);
    void lowerReturn(TermId term);
    /// Makes statements if needed, and returns the expression. A hint names the variable if one is created.
    Code lower(TermId term, std::string_view hint = {});
    Code lowered(TermId term, std::string_view hint);
    /// Assigns the term's value to a fresh, default-constructed place.
    void lowerInto(TermId term, ExpressionId target);
    Code lowerCore(TermId term, std::string_view hint);
    Code literal(TermId term);
    Code conditional(TermId term, std::string_view hint);
    Code call(TermId term);
    /// A call in one of the two forms of its function.
    ExpressionId calling(TermId term, bool isAdding);
    /// Whether a term is a call that adds its value to a place.
    [[nodiscard]] bool isAddingCall(TermId term) const;
    Code makeTuple(TermId term);
    Code projection(TermId term);
    /// The binding of a variable, or of an element of a tuple that was never stored; nullptr for anything else.
    [[nodiscard]] const Binding* bindingOf(TermId term) const;
    /// A tuple as its parts, of which only values that have no place are stored.
    Binding unstored(TermId term);
    /// A vector that is written out as its elements.
    Binding unstoredElements(TermId vector);
    /// Translates the value of a let or an applied lambda, and binds the variable to it.
    void bindValue(TermId binder, TermId value, TermId body);
    /// Declares a table with the elements of a vector that is written out.
    ExpressionId table(TermId vector, std::string_view hint);
    Code boundCode(const Binding& binding, TypeId type);
    /// The variable that a term is, if its value may be moved from it; null otherwise.
    [[nodiscard]] const Binding* movable(TermId term) const;
    /// As lower, but a variable that is used only here is moved from.
    Code lowerOwned(TermId term, std::string_view hint = {});
    /// A lambda as the value of a symbol.
    Code functionValue(TermId lambda, std::string_view hint);
    /// Whether child `child` is a lambda, and not another expression with a function as its value.
    [[nodiscard]] bool isInPlace(TermId term, std::uint32_t child) const;
    /// Applies the function that is child `child` to the binding; the body of a lambda is translated in place.
    Code inlined(TermId term, std::uint32_t child, Binding argument, std::string_view hint = {});
    void inlinedInto(TermId term, std::uint32_t child, Binding argument, ExpressionId target);
    ExpressionId declare(std::string_view hint, TypeId type, const Code& code, bool unused = false);
    /// An expression that may occur several times: a name, a literal, a path.
    ExpressionId atom(const Code& code, TypeId type, std::string_view hint = "value");
    /// As atom, but a variable or element (not a literal).
    ExpressionId stored(TermId term, std::string_view hint);
    ExpressionId consume(const Code& code);
    /// The name of a symbol that has no name in the program.
    ExpressionId nameless(ExpressionId name);
    Code shortened(Code code, TypeId type);
    [[nodiscard]] bool isScalar(TypeId type) const;
    [[nodiscard]] bool isSummedFromZero(TypeId type) const;
    [[nodiscard]] std::string hintOf(TermId binder, std::string_view otherwise) const;
    /// An error for what has no loop form.
    [[nodiscard]] Unsupported without(std::string_view what, std::string hint = {}) const;

    // lower_numbers.cpp
    Code lowerNumber(ks::Op op, TermId term);
    Code joined(Operator op, TypeId type, Code left, const Code& right);
    Code joinedChildren(Operator op, TermId term);
    Code negated(const Code& code, TypeId type);
    Code comparison(Operator op, TermId term);
    Code logical(Operator op, TermId term);
    Code arithmetic(ks::Op op, TermId term);
    Code standard(Operation operation, TermId term);
    /// The first operand, marked if the second is the same.
    ExpressionId differentFrom(ExpressionId right, ExpressionId left);

    // lower_tensors.cpp
    Code lowerTensor(ks::Op op, TermId term, std::string_view hint);
    Code build(TermId term, std::string_view hint);
    /// Assigns the elements of a build to those of `target`, or adds them to these.
    void fillBuild(TermId term, ExpressionId target, const std::vector<Code>& sizes, bool adds = false);
    /// If it may be empty, the sum of no summands is zero.
    Code sumbuild(TermId term, std::string_view hint, bool mayBeEmpty = false);
    void addSummand(ExpressionId sum, ExpressionId first, const Code& code, TypeId type);
    /// The numbers of summands of a sumbuild, which are required to be positive unless it may be empty.
    std::vector<Code> sizesOfSum(TermId term, bool mayBeEmpty);
    Code fold(TermId term, std::string_view hint);
    /// A vector that a loop goes through; one of the indices 0, 1, … is never made, and has no name.
    struct Folded {
        ExpressionId vector;
        Code size;
    };
    Folded folded(TermId vector);
    Binding elementOf(const Folded& folded, const Binding& index);
    Code mapOver(TermId term, bool two, std::string_view hint);
    Code index(TermId term);
    Code constantVector(TermId term);
    Code deltaVector(TermId term);
    Code delta(TermId term);
    Code diag(TermId term, std::string_view hint);
    Code sizeOf(TermId term);
    Code sizeCode(ExpressionId vector);
    /// The components of an index or a size of rank k.
    std::vector<Code> components(TermId term, std::uint32_t rank, bool atoms);
    [[nodiscard]] std::uint32_t rankOfIndex(TypeId indexType) const;
    /// A size as the argument of a vector's constructor.
    ExpressionId sizeArgument(const Code& size);
    std::vector<ExpressionId> sizeArguments(const std::vector<Code>& sizes);
    /// Makes a statement that ends the program with a message if the condition does not hold.
    void require(ExpressionId condition, std::string_view otherwise);
    ExpressionId isAtLeast(const Code& size, std::int64_t least);
    /// Opens one loop per dimension; returns the index as a binding.
    Binding openLoops(const std::vector<Code>& sizes, TermId lambda);
    static std::vector<ExpressionId> list(const std::vector<Code>& parts);

    // lower_adding.cpp
    /// buildFromSparse and buildFromSparseTupled.
    Code sparse(TermId term, std::string_view hint);
    /// The tensors of a buildFromSparseTupled, each in a variable of its own.
    Binding scattered(TermId term);
    /// The tensors of a sparse build that a let binds around `body`; those that the body only adds to each other are one variable.
    Binding scattered(TermId sparse, TermId body);
    /// Declares a variable with a zero for each number of a tensor with the shape of part `part` of a sparse build.
    ExpressionId declareZeros(TermId sparse, std::size_t part, std::string_view hint);
    /// Makes the check that a target has the shape of part `part` of a sparse build.
    void requireShape(TermId sparse, std::size_t part, const Target& target);
    /// Makes the loop of a sparse build that adds its contributions to the targets, one for each tensor.
    void scatterInto(TermId sparse, const std::vector<Target>& targets);
    /// Makes the additions of one iteration, whose value is `term`.
    void contribute(TermId sparse, TermId term, const std::vector<Target>& targets);
    /// The same for a value in a variable.
    void addContribution(TermId sparse, ExpressionId pairs, const std::vector<Target>& targets);
    /// Adds the term's value to a place; tensors that the term makes are added element by element, and never exist as a whole.
    void addInto(TermId term, ExpressionId target);
    /// The same for a tensor or a tuple, if its loops can add to the place; false if its value has to exist first.
    bool addInLoops(TermId term, ExpressionId target);
    /// Adds the value of the function that is child `child` to a place.
    void inlinedAdded(TermId term, std::uint32_t child, Binding argument, ExpressionId target);
    void addDeltaVec(TermId term, ExpressionId target);
    /// Adds a value to a place, or subtracts it.
    void accumulate(ExpressionId place, ExpressionId value, bool isByParts = false);
    /// Adds each element of a vector that is written as its elements.
    void addElements(TermId term, ExpressionId target);
    /// Whether the term is a let of a tuple whose parts are only added up by the rest, and can be added where they are computed.
    [[nodiscard]] bool isAddedByRest(TermId term) const;
    /// Translates the rest of a let whose value is such a tuple, then the value.
    void addedLater(TermId value, absl::FunctionRef<void()> lowerRest);
    /// Adds each part of a tuple to its target; parts without a target are not needed.
    void addPartsInto(TermId term, std::vector<Target> targets);
    /// Whether the term is a part of such a tuple; its target is kept then, if there is one.
    bool isAddedLater(TermId term, const ExpressionId* target);
    /// Translates the value of a let and then its rest.
    void boundFor(TermId let, absl::FunctionRef<void()> lowerRest);
    void eitherWay(TermId conditional, absl::FunctionRef<void(TermId)> lowerBranch);
    /// The element of a target at an index.
    ExpressionId placeIn(const Target& target, TermId at);
    /// A name for a place.
    ExpressionId reference(ExpressionId place, TypeId placeType);
    [[nodiscard]] bool hasNumbers(TypeId type) const;

    // lower_pointwise.cpp
    /// A vector of Floats by its elements: a vector in a place, one whose elements are made where they are used, or sums and multiples.
    struct Pointwise {
        TermId term;
        std::vector<Pointwise> parts = {};  ///< the vectors that the term adds up, subtracts or multiplies
        Code factor = {};
        ExpressionId vector = {};  ///< the place
        Code size = {};
        bool isMovable = false;  ///< the place is used here only
    };
    /// The operations of a term that are made at each element; 0 for a vector that is made as a whole.
    [[nodiscard]] std::size_t pointwiseOperations(TermId term) const;
    /// Whether such a vector is made by one loop.
    [[nodiscard]] bool isMadePointwise(TermId term) const;
    /// Whether a sum of vectors has no summand that is added up by a loop of its own.
    [[nodiscard]] bool isPointwiseAlone(TermId term);
    /// Makes what stands before the loop.
    Pointwise pointwise(TermId term);
    Code elementAt(const Pointwise& vector, const Binding& index);
    Code pointwiseVector(TermId term, std::string_view hint);
    void addPointwise(TermId term, ExpressionId target);

    // lower_sums.cpp
    /// Whether values of the type are vectors of numbers, or made of them.
    [[nodiscard]] bool isAddable(TypeId type) const;
    /// Whether the term is a sum of such values.
    [[nodiscard]] bool isSum(TermId term) const;
    /// A term of a value's shape, translated before the value.
    Code early(const EarlyTerm& term);
    Code earlySize(const EarlyShape& shape);
    /// A zero for each number of a value of the shape.
    ExpressionId zeros(const EarlyShape& shape, TypeId type);
    /// The length of a vector, computed before it.
    std::optional<Code> sizeOfSum(TermId vector);
    /// A sum of vectors in a variable of its own, without vectors for its summands; nothing if its shape is not known before it.
    std::optional<Code> summed(TermId term, std::string_view hint);
    void know(ExpressionId target, const EarlyShape& shape, TypeId type);
    /// Whether a target is known to have the shape of a value.
    [[nodiscard]] bool isKnown(ExpressionId target, TermId value) const;
    /// Makes the check that a vector has a length, unless it is known.
    void requireLength(ExpressionId target, const Code& size);
    void addSumbuild(TermId term, ExpressionId target, bool mayBeEmpty);
    /// Adds (if (gt n 0) (sumbuild n f) zeros) without a test, if the term is one.
    bool addSumOrZero(TermId term, ExpressionId target);

    // lower_special.cpp
    Code lowerSpecial(ks::Op op, TermId term, std::string_view hint);
    Code addedTangents(TermId term, std::string_view hint);
    Code scaledTangent(TermId term, std::string_view hint);
    Code bench(TermId term);
    Code applied(TermId term, std::string_view hint);
    Code loop(TermId term, std::string_view hint);
    void round(TermId pair, ExpressionId state);
    [[nodiscard]] bool leaves(TermId pair) const;
    void leaveOrGoOn(const Code& pair, TypeId pairType, ExpressionId state);
    Code forwardFold(TermId term);
    Code reverseFold(TermId term);
    /// The tangents that a reverse fold gives, each in a variable: those of what its function captures, of the first state, and of the elements.
    struct FoldTangents {
        Code captured;
        Code state;
        Code elements;
    };
    /// If not all of them are used, compilers are told so.
    FoldTangents foldBack(TermId term, bool areAllUsed);
    /// The vectors that the loop forwards of a reverse fold stores.
    struct Forwards {
        Binding states;  ///< what the steps back read of the states before each step, in series; the rest is not stored
        ExpressionId kept;  ///< a series of what the steps keep; invalid if they keep nothing
    };
    Forwards runForwards(TermId term, const Folded& folded, const Code& start);
    /// Lowers the value of a step forwards, which binds the argument, stores what it keeps, and gives the next state.
    Code stepForwards(TermId fold, Binding argument, ExpressionId keptHere, std::string_view hint);
    Code keepOf(TermId pair, ExpressionId keptHere, std::string_view hint);
    Code keepPart(const Code& pair, TypeId pairType, ExpressionId keptHere);
    /// The state before a step.
    Binding stateAt(const Binding& states, const Binding& index);
    /// The places of a reverse fold: sums for what the step captures, and the tangent of the vector's element.
    struct PulledBack {
        ExpressionId captured;
        ExpressionId element;
    };
    /// Makes one step back, whose value is `term`; returns the tangent of the state before it, a place.
    ExpressionId pullBack(TermId term, const PulledBack& into);
    /// The same for a value that is computed.
    ExpressionId pullBackValue(TypeId valueType, const Code& value, const PulledBack& into);
    /// Whether the tensors of a sparse build are only added to the parts of a step back, its let's body.
    [[nodiscard]] bool isAddedByStep(TermId sparse, TermId body) const;
    /// The sparse build of whose tensors a term is a sum, if they are added later.
    [[nodiscard]] const LaterSum* laterOf(TermId term) const;
    /// The term's value, with zeros for tensors that are added later.
    ExpressionId startOf(TermId term);
    /// A zero of the shape of the first element of a tensor of a sparse build.
    ExpressionId zeroElement(TermId sparse, std::size_t part, TypeId type);
    /// Makes a place that has this value the target of the tensors that are added later.
    void addLaterParts(TermId term, ExpressionId target);
    Code check(TermId term);

    Lowering& m_lowering;
    const ir::TermBank& m_bank;
    const ir::TypeTable& m_types;
    NameScope& m_scope;  // left as it was found
    Uses& m_uses;
    Function& m_result;
    Block m_block;  ///< the statements so far of the block that is being filled
    struct OpenLoop {
        For loop;
        Block outside;
        TermId term;
        std::size_t mark;
    };
    std::vector<OpenLoop> m_open;
    TermId m_term;  ///< the term that is being translated
    std::vector<Binding> m_bound;
    bool m_isLess = false;  ///< what is added to places is subtracted
    std::vector<LaterSum> m_later;
    std::vector<KnownShape> m_known;
    DeclaredShapes m_declared;
    absl::flat_hash_map<Symbol, Code> m_variables;
};

}  // namespace mitos::loops
