// SPDX-License-Identifier: GPL-3.0-or-later
// Terms under construction, as blocks of named values. Private to core/loops.
#pragma once

#include "core/base/strong_id.h"
#include "core/ir/term_bank.h"
#include "core/ir/term_origins.h"
#include "core/ks/operators.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace mitos::loops {

/// A function body, a lambda's body or a branch of an `if`.
using BlockId = StrongId<struct BlockTag>;

/// While code is built, its local variables are free variables with names that no program can have ("x#7"), and lambdas and branches are
/// free variables, too, that stand for their blocks. close() makes lets and lambdas of them, each once, so that building takes time linear
/// in the size of the code. Values that nothing uses are dropped, but for numbers that may fail.
class NamedBlocks {
public:
    /// `origins`, which may be null, is told what terms are made for.
    NamedBlocks(ir::TermBank& bank, ir::TermOrigins* origins) : m_bank(bank), m_origins(origins) {}

    /// The part of the program that terms are made for from now on.
    [[nodiscard]] std::uint32_t origin() const { return m_origin; }
    void setOrigin(std::uint32_t origin) { m_origin = origin; }
    /// The term is made for that part.
    void noteMade(ir::TermId term) {
        if (m_origins != nullptr && !isAtom(term)) m_origins->note(term, m_origin);
    }

    /// A block inside of another one; an invalid id for the outermost one.
    BlockId open(BlockId outer);
    /// A branch of a choice on that condition: the first one where it is true. What an earlier choice on it has computed in the same branch
    /// is not computed again.
    BlockId openBranch(BlockId outer, ir::TermId condition, std::size_t branch);
    [[nodiscard]] BlockId outer(BlockId block) const { return resolved(m_blocks[block.value].outer); }
    /// Whether the block is `outer` or inside of it.
    [[nodiscard]] bool isIn(BlockId block, BlockId outer) const;
    [[nodiscard]] bool isLambda(BlockId block) const { return m_blocks[block.value].parameter.isValid(); }
    [[nodiscard]] bool isEmpty(BlockId block) const { return m_blocks[block.value].bindings.empty(); }

    /// Makes the block a lambda's body, and returns the lambda's variable.
    ir::TermId parameter(BlockId block, std::string_view hint, ir::TypeId type);
    /// A variable with that value: a new one of the block, or one that has it already there or around the block. A temporary one that
    /// is used once, in its block, is written where it is used.
    ir::TermId bind(BlockId block, ir::TermId value, std::string_view hint, bool isTemporary = false);
    /// Writes the value of a variable where it is bound, even if it is temporary and used once.
    void keep(ir::TermId variable);
    /// Variables for the leaves of a choice between two blocks, or of a sum over the iterations of a block (the only one). `leaves` has
    /// the values at the end of each block, which must be total or variables. Leaves that nothing uses are not computed.
    /// A temporary choice of one leaf that is used once is written there.
    std::vector<ir::TermId> bindLeaves(BlockId block, ks::Op op, ir::TermId operand, std::span<const BlockId> blocks,
                                       std::vector<std::vector<ir::TermId>> leaves, std::string_view hint,
                                       bool isTemporary);
    /// Moves the variables of a block to the end of the one around it, which it is a part of from then on.
    void splice(BlockId inner);
    /// The block that the block is a part of, itself unless it was spliced.
    [[nodiscard]] BlockId resolved(BlockId block) const;
    /// Stands for the lambda with that body, and may be used once.
    ir::TermId lambda(BlockId block, ir::TermId result);
    /// Stands for the block's value, and may be used once.
    ir::TermId branch(BlockId block, ir::TermId result);

    /// A variable with that value that can be seen in the block; invalid if there is none.
    ir::TermId known(BlockId block, ir::TermId value);
    /// The value of a variable; the term itself if it is not one with a value.
    [[nodiscard]] ir::TermId definition(ir::TermId term) const;
    /// A variable or a literal, which may be used more than once.
    [[nodiscard]] bool isAtom(ir::TermId term) const;
    /// Whether evaluating the term cannot fail, as far as its operators tell.
    [[nodiscard]] bool isTotal(ir::TermId term);
    /// Whether a value that nothing uses need not be computed: numbers that may fail are, vectors are not worth it.
    [[nodiscard]] bool mayDrop(ir::TermId term);
    /// States that evaluating the term cannot fail.
    void setTotal(ir::TermId term) { m_total[term] = true; }
    /// States that an Integer is not negative.
    void setSize(ir::TermId term) { m_sizes.insert(term); }
    /// Whether a Float is known not to be -0.0.
    [[nodiscard]] bool isNeverNegativeZero(ir::TermId term, int levels = 4) const;

    /// The term of an outermost block.
    ir::TermId close(BlockId block, ir::TermId result);

private:
    /// The blocks around a block in which a value is looked for.
    static constexpr int MostBlocks = 16;
    /// The earlier choices in which a value is looked for, and the nodes of such a value.
    static constexpr std::size_t MostChoices = 4;
    static constexpr std::uint64_t LargestKnown = 64;

    struct Binding {
        Symbol hint;
        ir::TermId value = {};      ///< invalid for leaves
        std::vector<Symbol> names;  ///< one, or that of each leaf
        bool isTemporary = false;
        bool isTotal = true;
        ks::Op op = ks::Op::Count;  ///< of leaves
        ir::TermId operand = {};    ///< the condition, or the number of iterations
        std::vector<BlockId> blocks = {};
        std::vector<std::vector<ir::TermId>> leaves = {};
        std::vector<bool> isNeeded = {};  ///< by leaf
        bool isReached = false;
    };
    struct Block {
        BlockId outer;
        Symbol parameter = {};
        Symbol hint = {};
        ir::TypeId parameterType = {};
        std::vector<Binding> bindings = {};
        absl::flat_hash_map<ir::TermId, ir::TermId> known = {};                    ///< variables by value
        absl::flat_hash_map<ir::TermId, std::vector<std::uint32_t>> choices = {};  ///< bindings by condition
        ir::TermId condition = {};                                                 ///< of a branch
        std::size_t branch = 0;
        bool isTotal = true;
        bool isSpliced = false;
    };
    struct Place {
        BlockId block;
        std::uint32_t binding = 0;
        std::uint32_t leaf = 0;
    };
    struct Nested {
        BlockId block;
        ir::TermId result;
    };
    struct Use {
        int count = 0;
        bool isInside = false;  ///< in an inner block
    };

    Symbol fresh(std::string_view hint);
    Symbol hintFor(std::string_view hint);
    ir::TermId standIn(BlockId block, ir::TermId result, ir::TypeId type);
    Binding& bindingAt(const Place& place) { return m_blocks[place.block.value].bindings[place.binding]; }
    [[nodiscard]] const Binding& bindingAt(const Place& place) const {
        return m_blocks[place.block.value].bindings[place.binding];
    }
    void note(BlockId block, Binding binding);

    /// Whether the term's own operation cannot fail.
    [[nodiscard]] bool isOwnTotal(ir::TermId term) const;

    // Which variables are needed, and how often.
    void reach(BlockId block, ir::TermId result);
    void enter(BlockId block);
    void visit(ir::TermId term, BlockId at);
    void visitVariable(Symbol name, BlockId at);
    /// Whether all that may fail in a value is computed by what is needed already.
    bool isCovered(ir::TermId value, BlockId at);
    void need(const Place& place);

    /// A variable for a value that an earlier choice on the condition of a branch has computed; invalid if there is none.
    ir::TermId knownByChoice(BlockId branch, ir::TermId value);
    /// A new leaf of a choice, with a value of one of its branches; the other branch has a zero.
    ir::TermId addLeaf(Binding& binding, const Place& place, std::size_t branch, ir::TermId value);
    /// The term with the leaves of a choice replaced by their values at the end of a branch.
    ir::TermId inBranch(ir::TermId term, const Binding& binding, std::size_t branch);
    /// The earlier choices on the condition of a branch, the last one first, at most MostChoices.
    [[nodiscard]] std::vector<Place> choicesOn(ir::TermId condition, BlockId block) const;
    [[nodiscard]] ir::TermId zeroOf(ir::TypeId type);
    [[nodiscard]] bool isInlined(const Binding& binding) const;
    ir::TermId closed(BlockId block, std::span<const ir::TermId> results, std::uint32_t depth);
    ir::TermId placed(ir::TermId term, std::uint32_t depth);
    ir::TermId placedPlain(ir::TermId term, std::uint32_t depth);
    /// States of the value of a binding what its names were made for.
    void noteValue(const Binding& binding, ir::TermId value);
    ir::TermId placedVariable(ir::TermId variable, std::uint32_t depth);
    ir::TermId placedLeaves(const Binding& binding, std::uint32_t depth);
    ir::TermId lambdaOver(BlockId block, std::span<const ir::TermId> results, std::uint32_t depth);
    /// The variable of all leaves if the tuple has these in order; invalid otherwise.
    ir::TermId allLeaves(ir::TermId tuple, std::uint32_t depth);

    ir::TermBank& m_bank;
    ir::TermOrigins* m_origins;
    std::uint32_t m_origin = 0;
    std::vector<Block> m_blocks;
    absl::flat_hash_map<Symbol, Place> m_places;
    absl::flat_hash_map<Symbol, Nested> m_nested;
    absl::flat_hash_map<Symbol, Use> m_uses;
    absl::flat_hash_map<Symbol, std::uint32_t> m_levels;
    absl::flat_hash_map<ir::TermId, bool> m_total;
    absl::flat_hash_set<ir::TermId> m_sizes;
    std::vector<std::pair<ir::TermId, BlockId>> m_open;
    std::vector<Place> m_pending;  ///< variables that nothing uses yet, but whose values may fail
    absl::flat_hash_set<std::pair<ir::TermId, BlockId>> m_computed;  ///< operations that may fail
    std::uint64_t m_next = 0;
};

}  // namespace mitos::loops
