// SPDX-License-Identifier: GPL-3.0-or-later
// Which calls are replaced by the bodies of their functions before loops are made of a program.
#pragma once

#include "core/ir/term_bank.h"

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mitos::loops {

/// The nodes that a program may grow by while its calls are opened and its small loops written out. Copies of a term cost its nodes.
class Growth {
public:
    explicit Growth(std::uint64_t nodes) : m_left(nodes) {}
    /// Whether that many nodes are left; they are used up then.
    [[nodiscard]] bool take(std::uint64_t nodes) {
        if (nodes > m_left) return false;
        m_left -= nodes;
        return true;
    }

private:
    std::uint64_t m_left;
};

/// Decides about the calls of a program. A call may be opened if its function has a body, is part of no recursion and is not called between
/// two of them, takes or gives vectors, and takes no functions. Functions of numbers alone stay functions, because opening them saves no
/// vector.
class OpenCalls {
public:
    OpenCalls(const ir::TermBank& bank, const ir::Program& program);

    [[nodiscard]] bool mayOpen(ir::FunctionId function) { return factsOf(function).mayOpen; }
    /// Whether a call is opened even if the lengths of its vectors are not known: the body is small, or the function is called once.
    [[nodiscard]] bool isOpenedAlways(ir::FunctionId function) {
        return factsOf(function).isSmall || factsOf(function).calls == 1;
    }
    /// Whether the body states the length of the vector that it gives.
    [[nodiscard]] bool statesLength(ir::FunctionId function) { return factsOf(function).statesLength; }
    /// The nodes of the program and of all functions that it calls.
    [[nodiscard]] std::uint64_t size() const { return m_size; }
    /// Whether the program prints, traces or measures something.
    [[nodiscard]] bool hasEffects() const { return m_hasEffects; }

private:
    struct Facts {
        std::size_t calls = 0;
        bool isKnown = false;
        bool isRecursive = false;
        bool mayOpen = false;
        bool isSmall = false;
        bool statesLength = false;
    };

    const Facts& factsOf(ir::FunctionId function);
    void count(ir::TermId body);
    void findRecursions(const std::vector<ir::FunctionId>& functions);

    const ir::TermBank& m_bank;
    const ir::Program m_program;
    absl::flat_hash_map<ir::FunctionId, Facts> m_facts;
    std::uint64_t m_size = 0;
    bool m_hasEffects = false;
};

}  // namespace mitos::loops
