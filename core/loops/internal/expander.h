// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a program on its terms: vectors whose length is known are lists of terms, and all else is a term. Private to core/loops.
#pragma once

#include "core/ir/transplant.h"
#include "core/loops/internal/code.h"
#include "core/loops/internal/lengths.h"
#include "core/loops/open_calls.h"

#include <absl/functional/function_ref.h>

#include <deque>
#include <initializer_list>
#include <optional>
#include <string>

namespace mitos::loops {

using ValueId = StrongId<struct StaticValueTag>;

/// The value of a term of the program, as far as it is known.
struct StaticValue {
    enum class Kind : std::uint8_t { Term, Vector, Tuple };
    Kind kind = Kind::Term;
    ir::TypeId type;                  ///< erased
    ir::TermId term = {};             ///< of a Term
    ir::TypeId stated = {};           ///< of a Term: its type with the lengths that are known, as size names
    std::vector<ValueId> parts = {};  ///< of a Vector and a Tuple
    bool isConstant = false;          ///< a Vector that was made by constVec
    /// Of a Vector that is bound to a name: the block in which all its elements are atoms, and the name.
    BlockId owner = {};
    std::string hint = {};
    std::vector<std::pair<BlockId, ir::TermId>> wholes = {};  ///< variables that have the whole vector, by block
};

/// Copies one program from bank to bank, expanding it.
class Expander {
public:
    /// `origins` may be null.
    Expander(const ir::TermBank& from, const ir::Program& program, ir::TermBank& to, OpenCalls& calls,
             ir::TermOrigins* origins);

    ir::Program run();

private:
    using Parts = std::vector<ValueId>;
    using Kind = StaticValue::Kind;

    /// How a function takes its arguments: the parts of a tuple instead of the tuple, and the numbers of a short vector, as a tuple, instead of the
    /// vector. Vectors of vectors are tuples of tuples.
    struct Taken {
        bool isSplit = false;
        std::vector<std::optional<Lengths>> numbers = {};  ///< by part, or one; nothing for what is taken as it is

        friend bool operator==(const Taken&, const Taken&) = default;
    };
    using Signature = std::vector<Taken>;
    /// A function that has no body yet.
    struct Planned {
        ir::FunctionId from;
        ir::FunctionId to;
        Signature signature = {};
        std::optional<std::uint32_t> part = {};  ///< the only part of its tuple that it gives
        Lengths result = {};                     ///< of a short vector that is given as its numbers
    };

    // static_vectors.cpp: functions, control
    void define(const Planned& planned);
    ir::FunctionId declared(ir::FunctionId function);
    /// The value of a term of the program; what must be computed before it is bound in the current block.
    ValueId eval(ir::TermId term, std::string_view hint = {});
    ValueId evalPlain(ir::TermId term, std::string_view hint);
    ValueId evalCore(ir::TermId term, std::string_view hint);
    /// The same for a value that is needed as a whole: it keeps the form that the program gives it where nothing is gained.
    ir::TermId whole(ir::TermId term);
    ir::TermId wholePlain(ir::TermId term);
    ir::TermId wholeBranches(ir::TermId conditional, absl::FunctionRef<ir::TermId(ir::TermId)> wholeOf);
    /// Binds the lets at the start of a term; the term below them.
    void bindLets(ir::TermId& term);
    ValueId conditional(ir::TermId term, std::string_view hint);
    ValueId asserted(ir::TermId term, std::string_view hint);
    ValueId projection(ir::TermId term);
    ValueId partOf(ValueId tuple, std::uint32_t place);
    /// The application of an operator that needs its operands as a whole.
    ir::TermId residual(ir::TermId term);
    ir::TermId lambda(ir::TermId lambda, ir::TypeId stated);
    /// A lambda's body for that argument.
    ValueId applied(ir::TermId lambda, ValueId argument, std::string_view hint = {});
    [[nodiscard]] std::string_view hintOf(ir::TermId binder) const;
    template <typename Work>
    auto inBlock(BlockId block, const Work& work);
    /// Terms are made for that term of the program from now on, but in the body of an opened call for the call.
    void madeFor(ir::TermId term) {
        if (m_opened == 0) m_code.setOrigin(term.value);
    }
    /// Does what may turn out not to pay: without a result, nothing has happened.
    std::optional<ValueId> tried(absl::FunctionRef<std::optional<ValueId>()> work);

    // values.cpp
    ValueId add(StaticValue value);
    ValueId ofTerm(ir::TermId term, ir::TypeId stated = {});
    ValueId ofParts(Kind kind, ir::TypeId type, Parts parts);
    [[nodiscard]] const StaticValue& at(ValueId value) const { return m_values[value.value]; }
    /// The same value from atoms, each bound to a name if it is not one.
    ValueId bound(ValueId value, std::string_view hint, bool isTemporary = false);
    ir::TermId atom(ir::TermId term, std::string_view hint);
    /// The value as one term.
    ir::TermId term(ValueId value);
    ir::TermId wholeVector(ValueId value);
    /// Keeps the parts of a value that is not used, if they may fail.
    void drop(ValueId value);
    void dropTerm(ir::TermId term);
    /// The length of a vector, if it is known.
    [[nodiscard]] std::optional<std::int64_t> lengthOf(ValueId value) const;
    /// The elements of a vector of known length, at most MostElements, or the parts of a tuple; nothing for other values.
    std::optional<Parts> partsOf(ValueId value);
    [[nodiscard]] bool isStatic(ValueId value) const;
    /// Whether no part of it is a vector whose elements are not known.
    [[nodiscard]] bool isFlat(ValueId value) const;
    /// A vector type with a stated length.
    ir::TypeId statedVector(std::int64_t length, ir::TypeId element);
    std::optional<ValueId> zeroLike(ValueId value);
    std::optional<ValueId> zeroOfShape(ir::TypeId type, ValueId shape);
    std::optional<ValueId> shapeOf(ValueId value);
    [[nodiscard]] bool hasTrivialShape(ir::TypeId type) const;

    /// How two values agree in their structure.
    struct Shape {
        Kind kind = Kind::Term;
        ir::TypeId type;
        std::vector<Shape> parts = {};
    };
    [[nodiscard]] Shape shape(ValueId value) const;
    [[nodiscard]] Shape commonShape(ValueId a, ValueId b) const;
    [[nodiscard]] bool hasVector(const Shape& shape) const;
    /// Whether arithmetic on the value is done part by part: it has vectors of known length, or no other ones.
    [[nodiscard]] bool isSplit(ValueId value) const;
    [[nodiscard]] bool isNumbers(const Shape& shape) const;
    [[nodiscard]] bool fits(const Shape& shape, ValueId value) const;
    void flatten(const Shape& shape, ValueId value, std::vector<ir::TermId>& leaves);
    ValueId rebuild(const Shape& shape, std::span<const ir::TermId> leaves, std::size_t& next);
    static std::size_t countLeaves(const Shape& shape);

    // arithmetic.cpp
    ir::TermId made(ks::Op op, std::initializer_list<ir::TermId> children);
    ir::TermId scalar(ks::Op op, ir::TermId a, ir::TermId b);
    ir::TermId knownProduct(ir::TermId a, ir::TermId b);
    [[nodiscard]] std::optional<std::int64_t> integer(ir::TermId term) const;
    [[nodiscard]] std::optional<bool> truth(ir::TermId term) const;
    ValueId arithmetic(ks::Op op, ir::TermId term);
    ValueId combined(ks::Op op, ValueId a, ValueId b);
    ValueId scaled(ir::TermId factor, ValueId value);
    ValueId mapped(ValueId value, absl::FunctionRef<ValueId(ValueId)> f);
    ir::TermId innerProduct(ValueId a, ValueId b);
    /// The sum of two values of a loop, as sumbuild adds them.
    std::optional<ValueId> accumulated(ValueId a, ValueId b);
    /// (add 0.0 x), or x if that is the same.
    ir::TermId addedToZero(ir::TermId x);
    ValueId inner(ir::TermId term);

    // vectors.cpp
    ValueId index(ir::TermId term);
    ValueId vector(ks::Op op, ir::TermId term, std::string_view hint);
    ValueId build(ir::TermId term);
    ValueId sumbuild(ir::TermId term, std::string_view hint);
    ValueId fold(ir::TermId term, std::string_view hint);
    std::optional<ValueId> foldOfNumbers(ir::TermId term, ValueId start, ir::TermId vector, ir::TypeId element,
                                         std::string_view hint);
    ValueId map(ir::TermId term);
    ValueId sum(ir::TermId term);
    ValueId deltaVec(ir::TermId term);
    ValueId sparse(ir::TermId term);
    std::optional<ValueId> sparseOfFew(ir::TermId term, ValueId shapes, std::int64_t count, bool isTupled);
    bool addedAt(Parts& elements, ir::TermId place, ValueId summand);
    /// Whether a loop of that many iterations is written out.
    bool isWrittenOut(ir::TermId lambda, std::optional<std::int64_t> iterations);
    /// Whether a term mentions a variable that is a vector of elements.
    [[nodiscard]] bool mentionsElements(ir::TermId term) const;

    // calls.cpp
    /// A call, or one part of its value.
    ValueId call(ir::TermId term, std::string_view hint, std::optional<std::uint32_t> part = {});
    bool isOpened(ir::FunctionId function, const Parts& arguments);
    ValueId opened(ir::FunctionId function, Parts arguments, std::string_view hint);
    struct KnownSize {
        Symbol name;
        ir::TermId size;
    };
    /// The value with the lengths that a parameter's type states, which are checked where they are not known.
    ValueId withStatedSizes(ir::TypeId type, ValueId value, std::vector<KnownSize>& known);
    /// Checks that a vector has the length of that name; its length if that is known by the check only.
    std::optional<std::int64_t> checkedLength(Symbol name, ValueId value, std::vector<KnownSize>& known);
    /// Whether a value has the lengths that a parameter's type states, and equal ones where it gives them one name.
    enum class Fit : std::uint8_t { Always, Unknown, Never };
    Fit fitOf(ir::TypeId type, ValueId value, std::vector<KnownSize>& known);
    ir::TermId lengthTerm(ValueId value);

    // signatures.cpp: functions whose calls are not opened
    ValueId handed(ir::FunctionId function, ir::TypeId type, const Parts& arguments, std::optional<std::uint32_t> part);
    /// The function in a form that takes such arguments, and gives that part only.
    const Planned& taking(ir::FunctionId function, Signature signature, std::optional<std::uint32_t> part);
    void declare(Planned& planned);
    /// Whether a parameter is a tuple with vectors that the function only reads parts of.
    bool isSplit(ir::FunctionId function, std::size_t parameter);
    /// The lengths of a vector of elements that are numbers, few and each more than one; nothing for others.
    [[nodiscard]] std::optional<Lengths> numbersIn(ValueId value) const;
    [[nodiscard]] static bool isShort(const Lengths& lengths);
    /// The lengths that are known of a value, and of a term in the function that is being defined.
    [[nodiscard]] std::optional<Lengths> lengthsOf(ValueId value) const;
    std::optional<Lengths> lengthsOf(ir::TermId term);
    /// The type with these lengths stated.
    ir::TypeId statedType(const Lengths& lengths);
    /// The type of a tuple of the numbers of a vector, and such a tuple.
    ir::TypeId numbersType(std::span<const std::int64_t> lengths);
    ir::TermId packed(ValueId value, std::span<const std::int64_t> lengths);
    ValueId unpacked(ir::TermId tuple, std::span<const std::int64_t> lengths);
    /// The value of a body that is given as its numbers.
    ir::TermId wholeNumbers(ir::TermId body, const Lengths& lengths);
    /// The value of one part of a body's tuple.
    ir::TermId wholePart(ir::TermId body, std::uint32_t part);
    /// The size that the function's form tells.
    [[nodiscard]] static std::optional<std::int64_t> knownSize(const Planned& planned, const ir::SizeName& size);
    ValueId parameterOf(const Planned& planned, std::size_t parameter, std::size_t& next);

    ir::TermId sizeIn(ValueId value, std::span<const std::uint32_t> steps, std::uint32_t dimension);

    const ir::TermBank& m_from;
    const ir::Program m_program;
    ir::TermBank& m_to;
    OpenCalls& m_calls;
    Growth m_growth;
    ir::Transplanter m_map;  ///< of types and names
    NamedBlocks m_code;
    std::deque<StaticValue> m_values;  ///< never moved
    std::vector<ValueId> m_bound;      ///< values of the bound variables of the function that is being expanded
    absl::flat_hash_map<Symbol, ValueId> m_parameters;
    absl::flat_hash_map<Symbol, ir::TermId> m_sizeNames;  ///< the sizes that the parameters of the function name
    BlockId m_block;
    int m_opened = 0;  ///< calls that are being opened
    absl::flat_hash_map<ir::FunctionId, std::deque<Planned>>
        m_functions;                 ///< that were declared, by the function in m_from
    std::vector<Planned> m_waiting;  ///< declared, but not defined
    KnownLengths m_lengths;
    absl::flat_hash_map<std::pair<ir::FunctionId, std::size_t>, bool> m_isSplit;
    absl::flat_hash_map<std::string, int> m_names;  ///< how many functions of the program have a name
};

template <typename Work>
auto Expander::inBlock(BlockId block, const Work& work) {
    const BlockId before = m_block;
    m_block = block;
    auto result = work();
    m_block = before;
    return result;
}

/// The longest vector that becomes its elements.
inline constexpr std::int64_t MostElements = 16;

}  // namespace mitos::loops
