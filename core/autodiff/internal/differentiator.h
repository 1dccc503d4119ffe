// SPDX-License-Identifier: GPL-3.0-or-later
// Differentiates one function body. A sweep emits the primal values as variables and records how they were computed; a second walk over
// the record emits tangents, forward or in reverse.
#pragma once

#include "core/autodiff/internal/operator_texts.h"
#include "core/autodiff/internal/places.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <absl/functional/function_ref.h>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mitos::autodiff {

/// The functions that derivatives call. Implemented by the worklist of derive.cpp.
class Callees {
public:
    virtual ~Callees() = default;
    /// The derivative of a called function. Throws NotDifferentiable.
    virtual ir::FunctionId derivative(ir::FunctionId base) = 0;
};

/// A term of the primal, after the sweep.
struct Record {
    struct Let {
        Symbol name;
        std::size_t value = 0;  ///< index into `parts`
    };

    Origin origin = {};     ///< in the body that is differentiated
    ir::TermId term;        ///< over named variables; for lets the innermost body
    ir::TermId value;       ///< an atom if the record is active
    bool isActive = false;  ///< whether the value depends on a variable with a tangent, and may change with it
    std::vector<Record> parts = {};
    std::vector<Let> lets = {};                  ///< the record of their body is the last part
    std::optional<Place> place = {};             ///< set if the value is a part of a variable with a tangent
    const OperatorTexts::Case* texts = nullptr;  ///< the operator's derivative, if given by texts
};

/// A tangent of a record's value: zero but for the part at the path.
struct Cotangent {
    PartPath path;
    ir::TermId value;  ///< an atom
    bool isGuarded = false;
};

class Differentiator {
public:
    Differentiator(ir::TermBank& bank, Names& names, Callees& callees, OperatorTexts& texts, Form form)
        : m_bank(bank),
          m_names(names),
          m_callees(callees),
          m_texts(texts),
          m_make(bank, names),
          m_combiner(bank, names, m_make, form,
                     [this](const Block& block, ir::TermId index, const Place& tensor) {
                         return isInRange(block, index, tensor);
                     }),
          m_form(form) {}

    Differentiator(const Differentiator&) = delete;  // the combiner refers to it
    Differentiator& operator=(const Differentiator&) = delete;

    [[nodiscard]] TermMaker& make() { return m_make; }

    /// Declares a variable that the body depends on. `declared` may name sizes.
    void addVariable(ir::TermId variable, ir::TypeId declared);
    /// The tangent of a variable, for forward mode.
    void setTangent(ir::TermId variable, ir::TermId tangent) { m_tangents[symbolOf(variable)] = tangent; }

    /// Forward: the tangent of the body, a term over variables of the block.
    ir::TermId forward(Block& block, ir::TermId body);
    /// Reverse: adds what the variables contribute to, if the body's tangent is `dt`. Then tangentOf() returns their tangents.
    void reverse(Block& block, ir::TermId body, ir::TermId dt) { reverse(block, primal(block, body), dt); }
    ir::TermId tangentOf(Block& block, ir::TermId variable);
    /// Emits the primal alone; then reverse() of its record is emitted separately.
    [[nodiscard]] Record primal(Block& block, ir::TermId body) { return sweep(block, body); }
    void reverse(Block& block, const Record& record, ir::TermId dt) { pull(block, record, {{}, block.emit(dt, "dt")}); }
    /// The code of the primal stays as it was emitted.
    void leavePrimal() { m_keepsValues = false; }
    /// The value of a variable, through other names of it.
    [[nodiscard]] ir::TermId definitionOf(const Block& block, ir::TermId variable) const;

private:
    using Env = std::vector<ir::TermId>;  ///< atoms, or tuples of them, for loose indices, outermost first
    using Sums = absl::flat_hash_map<Symbol, std::vector<Contribution>>;

    [[nodiscard]] Symbol symbolOf(ir::TermId variable) const { return m_bank.payload(variable).asSymbol(); }
    [[nodiscard]] ks::Op ksOp(const Record& record) const { return ks::ksOp(m_bank.op(record.term)); }
    [[nodiscard]] bool isVariable(ir::TermId term) const { return m_bank.is(term, ir::CoreOp::Variable); }
    [[noreturn]] void fail(ir::TermId term, std::string reason) const;

    // sweep.cpp
    Record sweep(Block& block, ir::TermId term, Env& env);
    Record sweep(Block& block, ir::TermId named);
    /// The body of a function that is a part of a record; a branch that is one.
    Record sweepFunction(Block& block, const Record& function, Env& env);
    Record sweepBranch(Block& block, const Record& branch);
    Record sweepLets(Block& block, ir::TermId term, Env& env);
    ir::TermId addLet(Block& block, Record& lets, Record value, ir::TermId atom);
    Record withBody(Record lets, Record body);
    Record sweepLeaf(ir::TermId term, const Env& env);
    Record sweepParts(Block& block, ir::TermId term, Env& env);
    Record sweepOperator(Block& block, ks::Op op, Record record);
    std::optional<Record> sweepRewritten(Block& block, ks::Op op, Record& record);
    Record rewritten(Block& block, Record& record, absl::FunctionRef<ir::TermId(const std::vector<ir::TermId>&)> make);
    Record sweepLoop(Block& block, Record record);
    ir::TermId componentwise(ks::Op op, ir::TermId a, ir::TermId b);
    ir::TermId foldOfPairs(const std::vector<ir::TermId>& operands);
    ir::TermId simpler(ir::TermId term, const std::vector<ir::TermId>& operands);
    ir::TermId overIndices(ir::TermId tensor, std::string_view hint, ir::TermId body);
    ir::TermId elementOf(ir::TermId tensor);
    ir::TermId unzipped(ir::TermId tensor);
    [[nodiscard]] ir::TermId named(ir::TermId term, const Env& env);
    [[nodiscard]] bool mentionsActive(ir::TermId term) const;
    void setActive(Symbol name, const Place& place) { m_places.insert_or_assign(name, place); }

    [[nodiscard]] std::string hintText(ir::TermId lambda, std::string_view otherwise) const;
    [[nodiscard]] std::string tangentHint(const Block& block, Symbol name) const { return "d" + block.hint(name); }

    // linear_maps.cpp
    Record sweepApplied(Block& block, ir::TermId term, Env& env);
    [[nodiscard]] ir::TermId applied(Block& block, ir::TermId map, ir::TermId x, bool isTransposed);
    [[nodiscard]] ir::TermId overMaps(ks::Op loop, ir::TermId maps,
                                      absl::FunctionRef<ir::TermId(ir::TermId map, ir::TermId index)> each);

    // forward.cpp
    /// The tangent of a record's value; invalid if it is zero.
    ir::TermId tangent(Block& block, const Record& record);
    ir::TermId tangentOrZero(Block& block, const Record& record);
    ir::TermId forwardOperator(Block& block, const Record& record);
    ir::TermId forwardBranches(Block& block, const Record& record);
    ir::TermId forwardCall(Block& block, const Record& record);
    ir::TermId calledDerivative(const Record& record, ir::TermId point, ir::TermId tangent);
    ir::TermId forwardLoop(Block& block, const Record& record, std::size_t lambda);
    ir::TermId forwardFold(Block& block, const Record& record);
    ir::TermId forwardReverseFold(Block& block, const Record& record);
    ir::TermId dualStep(Block& block, ir::TermId function, ir::TypeId pairs,
                        absl::FunctionRef<ir::TermId(ir::TermId pairs, std::uint32_t which)> regroup,
                        absl::FunctionRef<ir::TermId(ir::TermId value, ir::TermId tangent)> result);
    ir::TermId forwardSparse(Block& block, const Record& record);
    ir::TermId forwardTexts(Block& block, const Record& record);

    // reverse.cpp
    void pull(Block& block, const Record& record, const Cotangent& dt);
    void pullLets(Block& block, const Record& record, const Cotangent& dt);
    /// A let whose value only one branch of a choice, the body, needs: where that is not taken, its tangent is zero.
    struct BranchLet {
        const Record* choice;
        std::size_t branch = 0;
        Symbol name;
        const Record* value;
    };
    void pullLet(Block& block, Symbol name, const Record& value, const std::vector<Contribution>& contributions);
    [[nodiscard]] std::vector<BranchLet> branchLetsOf(const Record& record) const;
    [[nodiscard]] static bool mentions(const ir::TermBank& bank, const Record& record, Symbol name);
    [[nodiscard]] bool isPlainLoop(const Record& record) const;
    void pullOperator(Block& block, const Record& record, const Cotangent& dt);
    /// A part of a variable to which a branch contributes.
    struct BranchPart {
        ir::TermId base;
        PartPath path;  ///< in the terms of the branches' surroundings
        std::array<std::vector<Contribution>, 2> contributions = {};
    };
    void collectBranch(Block& block, const Block& inner, Sums& sums, std::size_t branch,
                       std::vector<BranchPart>& parts);
    [[nodiscard]] static BranchPart& partAt(std::vector<BranchPart>& parts, ir::TermId base, const PartPath& path);
    void joinElements(Block& block, ir::TermId condition, std::vector<BranchPart>& parts);
    /// In the step of a fold, which passes on whole tangents: the number of steps of a place up to the last element that has a name where the
    /// block is. Such elements exist. Elsewhere 0: loops add up whole tangents sparsely.
    [[nodiscard]] std::size_t namedSteps(const Block& block, const Place& place);
    [[nodiscard]] std::vector<BranchPart> withZeros(const Block& block, std::vector<BranchPart> parts);
    void addBranchPart(Block& block, ir::TermId condition, BranchPart part, ir::TermId value);
    bool guardIndices(Block& block, Place& place, ir::TermId condition, bool exists);
    void pullBranches(Block& block, const Record& record, const Cotangent& dt);
    void pullCall(Block& block, const Record& record, ir::TermId dt);
    void pullDeltaVec(Block& block, const Record& record, const Cotangent& dt);
    void pullTexts(Block& block, const Record& record, ir::TermId dt);
    [[nodiscard]] ir::TermId overKnownValues(const Block& block, ir::TermId term, ir::TermId condition);
    void pullElement(Block& block, const Record& record, const Cotangent& dt, const PathStep& step, std::size_t part);
    [[nodiscard]] ir::TermId dense(Block& block, const Record& record, const Cotangent& dt);
    void add(const Place& place, const Cotangent& dt);
    [[nodiscard]] std::vector<Contribution> take(Symbol name);
    [[nodiscard]] static std::vector<Symbol> sortedNames(const Sums& sums);
    [[nodiscard]] static std::vector<ir::TermId> termsOf(const Sums& sums);
    [[nodiscard]] ir::TermId baseOf(Symbol name) const { return m_places.at(name).base; }
    /// The steps of a path that can be told outside of the inner block, in its terms.
    [[nodiscard]] PartPath outerPrefix(Block& outer, const Block& inner, const PartPath& path);
    /// Whether the index is that of a loop over all elements of the tensor.
    [[nodiscard]] bool isInRange(const Block& block, ir::TermId index, const Place& tensor);

    // loops.cpp
    void pullLoop(Block& block, const Record& record, const Cotangent& dt);
    /// The computation of a loop's iterations: their block, its index, the value, and the last variable that it takes (invalid if it takes none).
    struct Iteration {
        Block& block;
        ir::TermId index;
        ir::TermId value;
        ir::TermId last;
    };
    /// An iteration of a loop that runs twice.
    struct Twice {
        const Block* block = nullptr;
        bool isForStep =
            false;  ///< only since the step of a fold runs twice, which keeps what is as large as the state
        std::vector<ir::TermId> sizes = {};  ///< in such a step: of the loops around, outermost first
    };
    [[nodiscard]] std::optional<Twice> runningTwice(const Block& block, const Record& record, const Cotangent& dt);
    void keepValues(Block& block, const Record& record, const Iteration& iteration);
    void pullSparse(Block& block, const Record& record, const Cotangent& dt);

    // folds.cpp
    /// The step of a fold that is differentiated.
    struct Step {
        const Block& block;
        ir::TermId value;  ///< the next state
        std::vector<std::vector<ir::TermId>>
            sizes;  ///< of each tensor of the state and of the element, outermost first
    };
    void addSizes(const Block& block, const Place& place, std::vector<std::vector<ir::TermId>>& sizes);
    /// Whether a tensor of these sizes takes no more room than one of the state, as far as the sizes are no numbers.
    [[nodiscard]] bool isOfState(const std::vector<ir::TermId>& sizes) const;
    /// A size in terms of what has no other name.
    [[nodiscard]] ir::TermId plainSize(const Block& block, ir::TermId size);
    /// Whether a value of the step is kept for the step back, which needs it.
    [[nodiscard]] bool isKeptByStep(const Block& block, ir::TermId variable, ir::TermId value);
    void pullFold(Block& block, const Record& record, ir::TermId dt);
    [[nodiscard]] std::vector<std::pair<Place, std::vector<Contribution>>> byNamedPart(
        const Block& block, ir::TermId base, std::vector<Contribution> contributions);

    // loops.cpp
    struct Loop {
        ir::TermId size;
        Block* body = nullptr;
        ir::TermId index;
        bool isNotEmpty = false;
        Sums sums = {};
    };
    struct Slot {
        Place place;            ///< in the terms of the loop's surroundings
        ir::TermId index = {};  ///< invalid: the value is added to the whole part
        std::vector<Contribution> contributions = {};
        ir::TermId value = {};  ///< of an iteration
        bool isGuarded = false;
    };
    void addLoop(Block& block, Loop& loop);
    void addDelta(Block& block, Loop& loop);
    void addScattered(Block& block, Loop& loop);
    [[nodiscard]] std::size_t firstUnsure(const Block& block, const Loop& loop, const Place& place);
    void addUnsure(Block& block, const Loop& loop, const Slot& slot);
    [[nodiscard]] static bool areOfOneTensor(const std::vector<Slot>& slots);
    void addGuardedTogether(Block& block, const Loop& loop, const std::vector<Slot>& slots);
    void openNests(Block& block, Loop& loop);
    [[nodiscard]] std::shared_ptr<const Nest> opened(const Loop& loop, const Contribution& contribution) const;
    [[nodiscard]] std::vector<Slot> slotsOf(Block& block, Loop& loop);
    [[nodiscard]] bool isLoopOver(const Block& block, const Loop& loop, const Slot& slot);
    [[nodiscard]] ir::TermId alone(Block& block, const Loop& loop, const Slot& slot);
    /// A product as what does not change in a loop, and the rest.
    struct Product {
        ir::TermId factor = {};  ///< invalid if there is none
        ir::TermId rest;
        bool isOfNumbers = true;  ///< the factor is made of literals
    };
    [[nodiscard]] Product factored(const Block& body, ir::TermId value);
    [[nodiscard]] std::vector<ir::TermId> summedTogether(Block& block, const Loop& loop,
                                                         const std::vector<Slot>& slots);
    [[nodiscard]] std::vector<ir::TermId> together(Block& block, const Loop& loop, const std::vector<Slot>& slots);
    [[nodiscard]] ir::TermId guarded(ir::TermId sum, const Loop& loop, const Place& place);
    [[nodiscard]] bool sameSize(const Block& block, ir::TermId a, ir::TermId b) const;
    [[nodiscard]] ir::TermId resolved(const Block& block, ir::TermId term) const;
    [[nodiscard]] ir::TermId elementAt(const Block& block, ir::TermId vector, ir::TermId index);

    ir::TermBank& m_bank;
    Names& m_names;
    Callees& m_callees;
    OperatorTexts& m_texts;
    TermMaker m_make;
    Combiner m_combiner;
    Form m_form;
    absl::flat_hash_map<Symbol, Place> m_places;  ///< of variables that have tangents: themselves, or what they name
    absl::flat_hash_map<Symbol, ir::TermId> m_tangents;  ///< forward mode
    absl::flat_hash_map<Symbol, ir::TermId> m_ranges;    ///< of the indices of loops: their sizes
    Sums m_sums;                                         ///< reverse mode: by variable
    std::vector<BranchLet> m_branchLets;            ///< of the choices around, those of one in the order of the lets
    std::vector<ir::TermId> m_pending;              ///< reverse mode: tangents of operands that are not passed on yet
    const Step* m_step = nullptr;                   ///< reverse mode: of the innermost fold around, if there is one
    std::optional<Twice> m_twice = {};              ///< reverse mode: the innermost iteration of such a loop
    absl::flat_hash_set<ir::TermId> m_keptVectors;  ///< of values of iterations
    bool m_keepsValues = true;                      ///< whether values of loops' iterations may be kept in vectors
};

}  // namespace mitos::autodiff
