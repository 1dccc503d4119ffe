// SPDX-License-Identifier: GPL-3.0-or-later
// Translates terms to C++: expressions where they are short, statements where there are loops. Private to core/codegen.
#pragma once

#include "core/codegen/internal/helpers.h"
#include "core/codegen/internal/names.h"
#include "core/codegen/internal/shapes.h"
#include "core/ir/term_bank.h"
#include "core/ir/value_range.h"
#include "core/ks/operators.h"

#include <absl/container/flat_hash_map.h>
#include <absl/functional/function_ref.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::codegen {

/// Thrown for constructs without a C++ equivalent; caught by emitProgram().
struct Unsupported {
    std::string message;
    std::string hint = {};
};

/// The functions of one program as text, and the helpers that they need.
struct EmittedProgram {
    std::string functions;
    std::string entry;        ///< name of the program's function
    std::string declaration;  ///< of the program's function, without ';'
    Helpers helpers;
};

/// Errors: as emitCpp.
[[nodiscard]] Result<EmittedProgram> emitProgram(const ir::TermBank& bank, const ir::Program& program,
                                                 const std::string& functionName);
/// The C++ type of a ks type. Throws Unsupported.
[[nodiscard]] std::string cppType(const ir::TypeTable& types, ir::TypeId type, Helpers& helpers);

/// Precedence of the C++ operators that are emitted, weakest first.
enum Precedence : std::uint8_t {
    Conditional,
    LogicalOr,
    LogicalAnd,
    Equality,
    Relational,
    Additive,
    Multiplicative,
    Unary,
    Primary
};

enum class Form : std::uint8_t {
    Value,  ///< a temporary
    Path,   ///< an lvalue that persists: a variable, or an element of one
    Local,  ///< a variable with no other reference to it: may be moved from
};

struct Code {
    std::string text;
    Precedence precedence = Primary;
    Form form = Form::Value;
    bool plainInt = false;  ///< made of int literals only, so its C++ type is int
    ir::ValueRange range =
        {};  ///< of an Integer; guards against undefined behaviour that it makes unnecessary are left out
};

/// The code of a bound variable; a tuple that is never stored has parts instead of a text.
struct Binding {
    std::string text;
    std::vector<Binding> parts;
    ir::ValueRange range = {};
    bool isMovable = false;    ///< a variable with its own storage that is used once, outside of loops and functions
    bool areElements = false;  ///< the parts are the elements of a vector, not of a tuple
};

/// A sum that was computed before the loop that contains it, and the place of its value.
struct KnownSum {
    ir::TermId term;
    std::size_t depth = 0;  ///< number of binders around it; at another depth the same term means something else
    std::string text;
};

/// An lvalue that summands are added to: a tensor, or the only element of a vector of size 1 that does not exist by itself.
struct Target {
    std::string text;
    bool isOnlyElement = false;
};

/// A sparse build bound by a let whose tensors are only added to other places: its loop is emitted where these are known.
struct LaterSum {
    ir::TermId sparse;
    std::size_t depth = 0;  ///< number of binders around it
    std::vector<Target> targets;
};

/// A vector, or a tuple of vectors, that is being added up.
struct KnownShape {
    std::string target;
    EarlyShape shape;
    std::string length;  ///< of a vector, if it is told by itself
};

[[nodiscard]] inline bool is(const ir::TermBank& bank, ir::TermId term, ks::Op op) {
    return ks::ksOp(bank.op(term)) == op;
}

/// Occurrences of a bound variable, or of one of its parts, as far as 2. One in a function counts as many.
[[nodiscard]] int usesOf(const ir::TermBank& bank, ir::TermId term, std::uint32_t variable,
                         std::optional<std::uint32_t> part = {});

/// Whether the few iterations of a sparse build are emitted one after the other.
[[nodiscard]] bool isUnrolled(const ir::TermBank& bank, ir::TermId sparse);

/// Names of the functions already emitted.
using FunctionNames = absl::flat_hash_map<ir::FunctionId, std::string>;

class FunctionEmitter {
public:
    FunctionEmitter(const ir::TermBank& bank, Helpers& helpers, const FunctionNames& functions, NameScope& names)
        : m_bank(bank),
          m_types(bank.types()),
          m_helpers(helpers),
          m_functions(functions),
          m_scope(names) {}

    /// The definition of a function.
    std::string define(const ir::Function& function, const std::string& name, ir::TermId body);

private:
    using TermId = ir::TermId;
    using TypeId = ir::TypeId;

    // emitter.cpp: statements, names, control
    void line(const std::string& text);
    void open(const std::string& head);
    void close(std::string_view after = {});
    std::string signature(const ir::Function& function, const std::string& name, TermId body);
    void defineSizes(const ir::Function& function, TermId body);
    void emitReturn(TermId term);
    /// Emits statements if needed, and returns the expression. A hint names the variable if one is created.
    Code emit(TermId term, std::string_view hint = {});
    /// Assigns the term's value to a fresh, default-constructed place.
    void emitInto(TermId term, const std::string& target);
    Code emitCore(TermId term, std::string_view hint);
    Code conditional(TermId term, std::string_view hint);
    Code call(TermId term);
    Code makeTuple(TermId term);
    Code projection(TermId term);
    /// The binding of a variable, or of an element of a tuple that was never stored; nullptr for anything else.
    [[nodiscard]] const Binding* bindingOf(TermId term) const;
    /// A tuple as its parts, of which only values that have no place are stored.
    Binding unstored(TermId term);
    /// A vector that is written out as its elements.
    Binding unstoredElements(TermId vector);
    /// Emits the body of a let or an applied lambda with its variable bound to a value.
    void bindValue(TermId binder, TermId value, TermId body);
    /// Declares an array on the stack with the elements of a vector that is written out.
    std::string table(TermId vector, std::string_view hint);
    Code boundCode(const Binding& binding, TypeId type);
    /// The variable that a term is, if its value may be moved from it; null otherwise.
    [[nodiscard]] const Binding* movable(TermId term) const;
    /// As emit, but a variable that is used only here is moved from.
    Code emitOwned(TermId term, std::string_view hint = {});
    /// Stores a lambda in a variable of type std::function.
    Code functionValue(TermId lambda, std::string_view hint);
    /// Whether child `child` is a lambda, and not another expression with a function as its value.
    [[nodiscard]] bool isInPlace(TermId term, std::uint32_t child) const;
    /// Applies the function that is child `child` to the binding; the body of a lambda is emitted in place.
    Code inlined(TermId term, std::uint32_t child, Binding argument, std::string_view hint = {});
    void inlinedInto(TermId term, std::uint32_t child, Binding argument, const std::string& target);
    std::string declare(std::string_view hint, TypeId type, const Code& code, bool unused = false);
    /// A text that may occur several times: a name, a literal, a path.
    std::string atom(const Code& code, TypeId type, std::string_view hint = "value");
    /// As atom, but a variable or element (not a literal).
    std::string stored(TermId term, std::string_view hint);
    static std::string consume(const Code& code);
    Code shortened(Code code, TypeId type);
    std::string type(TypeId type) { return cppType(m_types, type, m_helpers); }
    [[nodiscard]] bool isScalar(TypeId type) const;
    [[nodiscard]] bool isSummedFromZero(TypeId type) const;
    std::string ksCall(const std::string& helper, const std::string& arguments);
    [[nodiscard]] std::string hintOf(TermId binder, std::string_view otherwise) const;

    // emit_numbers.cpp
    Code emitNumber(ks::Op op, TermId term);
    Code binary(const char* symbol, Precedence precedence, TermId term, bool associative);
    Code joined(const char* symbol, Precedence precedence, Code left, const Code& right, bool associative);
    Code comparison(const char* symbol, Precedence precedence, TermId term);
    Code arithmetic(ks::Op op, TermId term);
    Code standard(const char* function, TermId term);
    static std::string wrapped(const Code& code, Precedence least);

    // emit_tensors.cpp
    Code emitTensor(ks::Op op, TermId term, std::string_view hint);
    Code build(TermId term, std::string_view hint);
    /// Assigns the elements of a build to those of `target`, or adds them to these.
    void fillBuild(TermId term, const std::string& target, const std::vector<Code>& sizes, bool adds = false);
    /// Adds the sum over every element of the build at once (emit_tensors.cpp) to `target`, a vector of zeros.
    void addAcross(TermId build, TermId sum, const std::string& target, const Code& size);
    /// If it may be empty, the sum of no summands is zero.
    Code sumbuild(TermId term, std::string_view hint, bool mayBeEmpty = false);
    /// The numbers of summands of a sumbuild, which are required to be positive unless it may be empty.
    std::vector<Code> sizesOfSum(TermId term, bool mayBeEmpty);
    Code fold(TermId term, std::string_view hint);
    /// A vector that a loop goes through; one of the indices 0, 1, … is never made, and has no name.
    struct Folded {
        std::string vector;
        Code size;
    };
    Folded folded(TermId vector);
    static Binding elementOf(const Folded& folded, const Binding& index);
    Code mapOver(TermId term, bool two, std::string_view hint);
    Code index(TermId term);
    Code diag(TermId term, std::string_view hint);
    Code sizeOf(TermId term);
    Code sizeCode(const std::string& vector);
    /// The components of an index or a size of rank k.
    std::vector<Code> components(TermId term, std::uint32_t rank, bool atoms);
    /// A size as the argument of a vector's constructor.
    std::string sizeArgument(const Code& size);
    /// Emits a statement that ends the program with a message if the condition does not hold.
    void require(const std::string& condition, std::string_view otherwise);
    /// Opens one loop per dimension; returns the index as a binding.
    Binding openLoops(const std::vector<Code>& sizes, TermId lambda);
    static std::string element(const std::string& target, const Binding& index);
    static std::string list(const std::vector<Code>& parts);
    static std::string list(const std::vector<std::string>& parts);

    // emit_adding.cpp
    /// buildFromSparse and buildFromSparseTupled.
    Code sparse(TermId term, std::string_view hint);
    /// The tensors of a buildFromSparseTupled, each in a variable of its own.
    Binding scattered(TermId term);
    /// The tensors of a sparse build that a let binds around `body`; those that the body only adds to each other are one variable.
    Binding scattered(TermId sparse, TermId body);
    /// Declares a variable with a zero for each number of a tensor with the shape of part `part` of a sparse build.
    std::string declareZeros(TermId sparse, std::size_t part, std::string_view hint);
    /// Emits the check that a target has the shape of part `part` of a sparse build.
    void requireShape(TermId sparse, std::size_t part, const Target& target);
    /// Emits the loop of a sparse build that adds its contributions to the targets, one for each tensor.
    void scatterInto(TermId sparse, const std::vector<Target>& targets);
    /// Emits the additions of one iteration, whose value is `term`.
    void contribute(TermId sparse, TermId term, const std::vector<Target>& targets);
    /// The same for a value in a variable.
    void addContribution(TermId sparse, const std::string& pairs, const std::vector<Target>& targets);
    /// Adds the term's value to a place; tensors that the term makes are added element by element, and never exist as a whole.
    void addInto(TermId term, const std::string& target);
    /// Adds the value of the function that is child `child` to a place.
    void inlinedAdded(TermId term, std::uint32_t child, Binding argument, const std::string& target);
    void addDeltaVec(TermId term, const std::string& target);
    /// Whether the term is a let of a sparse build whose vectors are only added up by the rest.
    [[nodiscard]] bool isAddedByRest(TermId term) const;
    /// Emits the rest of a let whose value is a sparse build with tensors that the rest only adds to something, then the loop of the build.
    void addedLater(TermId sparse, absl::FunctionRef<void()> emitRest);
    /// Whether the term is a tensor of such a build; its target is kept then, if there is one.
    bool isAddedLater(TermId term, const std::string* target);
    /// Emits the value of a let and then its rest.
    void boundFor(TermId let, absl::FunctionRef<void()> emitRest);
    void eitherWay(TermId conditional, absl::FunctionRef<void(TermId)> emitBranch);
    /// The element of a target at an index.
    std::string placeIn(const Target& target, TermId at);
    /// A name for a place.
    std::string reference(const std::string& place, TypeId placeType);
    [[nodiscard]] bool hasNumbers(TypeId type) const;

    // emit_pointwise.cpp
    /// A vector of Floats by its elements: a vector in a place, one whose elements are made where they are used, or sums and multiples.
    struct Pointwise {
        TermId term;
        std::vector<Pointwise> parts = {};  ///< the vectors that the term adds up, subtracts or multiplies
        Code factor = {};
        std::string vector = {};  ///< the place
        Code size = {};
        bool isMovable = false;  ///< the place is used here only
    };
    /// The operations of a term that are made at each element; 0 for a vector that is made as a whole.
    [[nodiscard]] std::size_t pointwiseOperations(TermId term) const;
    /// Whether a sum of vectors has no summand that is added up by a loop of its own.
    [[nodiscard]] bool isPointwiseAlone(TermId term);
    /// Emits what stands before the loop.
    Pointwise pointwise(TermId term);
    Code elementAt(const Pointwise& vector, const Binding& index);
    Code pointwiseVector(TermId term, std::string_view hint);
    void addPointwise(TermId term, const std::string& target);

    // emit_sums.cpp
    /// Whether values of the type are vectors of numbers, or made of them.
    [[nodiscard]] bool isAddable(TypeId type) const;
    /// Whether the term is a sum of such values.
    [[nodiscard]] bool isSum(TermId term) const;
    /// A term of a value's shape, emitted before the value.
    Code early(const EarlyTerm& term);
    Code earlySize(const EarlyShape& shape);
    /// A zero for each number of a value of the shape.
    std::string zeros(const EarlyShape& shape, TypeId type);
    /// The length of a vector, computed before it.
    std::optional<Code> sizeOfSum(TermId vector);
    /// A sum of vectors in a variable of its own, without vectors for its summands; nothing if its shape is not known before it.
    std::optional<Code> summed(TermId term, std::string_view hint);
    void know(const std::string& target, const EarlyShape& shape, TypeId type);
    /// Whether a target is known to have the shape of a value.
    [[nodiscard]] bool isKnown(const std::string& target, TermId value) const;
    /// Emits the check that a vector has a length, unless it is known.
    void requireLength(const std::string& target, const Code& size);
    void addSumbuild(TermId term, const std::string& target, bool mayBeEmpty);
    /// Adds (if (gt n 0) (sumbuild n f) zeros) without a test, if the term is one.
    bool addSumOrZero(TermId term, const std::string& target);

    // emit_special.cpp
    Code emitSpecial(ks::Op op, TermId term, std::string_view hint);
    Code loop(TermId term, std::string_view hint);
    void round(TermId pair, const std::string& state);
    [[nodiscard]] bool leaves(TermId pair) const;
    void leaveOrGoOn(const Code& pair, ir::TypeId pairType, const std::string& state);
    Code forwardFold(TermId term);
    Code reverseFold(TermId term);
    /// The places of a reverse fold: sums for what the step captures, and the tangent of the vector's element.
    struct PulledBack {
        std::string captured;
        std::string element;
    };
    /// Emits one step back, whose value is `term`; returns the tangent of the state before it, a variable.
    std::string pullBack(TermId term, const PulledBack& into);
    /// The same for a value that is computed.
    std::string pullBackValue(TypeId valueType, const Code& value, const PulledBack& into);
    /// Whether the tensors of a sparse build are only added to the parts of a step back, its let's body.
    [[nodiscard]] bool isAddedByStep(TermId sparse, TermId body) const;
    /// The sparse build of whose tensors a term is a sum, if they are added later.
    [[nodiscard]] const LaterSum* laterOf(TermId term) const;
    /// The term's value, with zeros for tensors that are added later.
    std::string startOf(TermId term);
    /// Makes a place that has this value the target of the tensors that are added later.
    void addLaterParts(TermId term, const std::string& target);
    Code check(TermId term);

    const ir::TermBank& m_bank;
    const ir::TypeTable& m_types;
    Helpers& m_helpers;
    const FunctionNames& m_functions;
    NameScope& m_scope;  // left as it was found
    std::vector<std::size_t> m_marks;
    std::vector<Binding> m_bound;
    std::vector<KnownSum> m_sums;
    std::vector<LaterSum> m_later;
    std::vector<KnownShape> m_known;
    DeclaredShapes m_declared;
    absl::flat_hash_map<Symbol, Code> m_variables;
    std::string m_out;
    int m_indent = 0;
};

}  // namespace mitos::codegen
