// SPDX-License-Identifier: GPL-3.0-or-later
// E-matching of left-hand sides without binders, on numbers only.
#pragma once

#include "core/egraph/egraph.h"
#include "core/rules/language/compiled.h"

#include <absl/functional/function_ref.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace mitos::egraph {

/// Returns whether a search may continue; called now and then.
using MayGoOn = absl::FunctionRef<bool()>;

/// A class matched by the root with that number.
struct RootClass {
    std::size_t root = 0;
    std::uint32_t eclass = 0;
};
/// Whether two classes may be roots of one match; called as soon as both are known.
using MayJoin = absl::FunctionRef<bool(RootClass, RootClass)>;

/// The left-hand sides of a rule (several for a multi-pattern rule) whose nodes are operators, with or without
/// attributes, variables and literals. Matching reads only the graph's index (nodes by operator, members of classes by
/// operator, uses of classes) and the attributes of heads.
///
/// On request only new matches are found (semi-naive evaluation): a match is new if one of its nodes has changed since
/// the watermark. For each operator node j of the pattern there is a pass in which node j is new, those before j are
/// old and those after j are either; the pass begins at the new nodes and climbs to the root along the uses of their
/// classes. Further roots are joined in the same way: from a class that a shared variable is bound to, up to the root.
/// So each match is found once, and roots that share a variable are never enumerated as a cross product.
class FlatPattern {
public:
    /// Returns nothing if the left-hand sides contain unsupported features: binders, sequences, function variables,
    /// named patterns, constant arrays, a variable for both an attribute and a term.
    static std::optional<FlatPattern> compile(const rules::CompiledRule& rule, std::span<const std::uint32_t> roots);

    static constexpr std::uint32_t None = 0xFFFFFFFFU;

    /// Number of operators in the pattern. A match lists the nodes that these operators matched (in pre-order, root by
    /// root); all other bindings follow from them.
    [[nodiscard]] std::size_t operatorCount() const { return m_operators; }
    /// The first occurrence of a variable: its parent operator and its place among the children.
    struct VariableUse {
        std::uint32_t variable = 0;  ///< rules::VarIndex
        std::uint32_t operatorNumber = 0;
        std::uint32_t place = 0;
    };
    [[nodiscard]] const std::vector<VariableUse>& variables() const { return m_uses; }
    /// A requirement on an attribute, or on an element of an attribute that is a list, and what it binds.
    struct AttributePattern {
        enum class Kind : std::uint8_t {
            List,      ///< a list of `length` elements
            Variable,  ///< binds `variable`, or equals its value
            Literal,   ///< the value of `literal`
            Any,
        };
        Kind kind = Kind::Any;
        std::uint32_t operatorNumber = 0;
        std::uint32_t attribute = 0;  ///< number of the attribute among those of the operator
        std::uint32_t element = None;
        std::uint32_t length = 0;
        std::uint32_t variable = 0;            ///< rules::VarIndex
        const rules::Node* literal = nullptr;  ///< Literal, Text or Approx

        /// The literal that it refers to, given the attribute values of a node.
        [[nodiscard]] ir::TermId in(const ir::TermBank& bank, std::span<const ir::TermId> values) const {
            return element == None ? values[attribute] : bank.child(values[attribute], element);
        }
    };
    /// In pre-order of the operators.
    [[nodiscard]] const std::vector<AttributePattern>& attributes() const { return m_attributes; }
    /// Operators with attributes, ascending: their heads determine the values of all attribute variables.
    [[nodiscard]] const std::vector<std::uint32_t>& attributeOperators() const { return m_attributeOperators; }
    [[nodiscard]] bool isAttribute(std::uint32_t variable) const { return m_isAttribute[variable]; }
    /// A value that a substitution records as a choice (rules::VarKind::Choices); choices are in matching order.
    struct Choice {
        bool isAttribute = false;
        std::uint32_t index = 0;  ///< in `attributes()`, otherwise in `nodes()`
    };
    [[nodiscard]] const std::vector<Choice>& choices() const { return m_choices; }

    [[nodiscard]] std::size_t rootCount() const { return m_roots.size(); }
    /// Number of a root among the operators.
    [[nodiscard]] std::uint32_t rootOperator(std::size_t root) const { return m_nodes[m_roots[root]].number; }

    [[nodiscard]] std::uint32_t rootNode(std::size_t root) const { return m_roots[root]; }

    struct Node {
        enum class Kind : std::uint8_t { Operator, Variable, Literal };
        Kind kind = Kind::Variable;
        std::uint32_t number = 0;  ///< Operator: among operators; Variable: its VarIndex
        std::uint32_t op = 0;
        std::uint32_t arity = 0;
        std::optional<std::uint32_t> projection;  ///< of `get`: the index of the projection
        const rules::Node* literal = nullptr;     ///< Literal: the value to match
        std::uint32_t parent = None;
        std::uint32_t parentNumber = 0;    ///< number of the parent among operators
        std::uint32_t place = 0;           ///< among the parent's children
        std::uint32_t root = 0;            ///< number of the root it belongs to
        std::uint32_t firstAttribute = 0;  ///< Operator: its range of `attributes()`
        std::uint32_t attributeEnd = 0;
        std::vector<std::uint32_t> children;

        [[nodiscard]] bool hasAttributes() const { return firstAttribute != attributeEnd; }
    };
    /// In pre-order, root by root.
    [[nodiscard]] const std::vector<Node>& nodes() const { return m_nodes; }

    /// The meaning of one graph's heads to a pattern; heads keep their numbers while the graph changes or is undone.
    struct HeadMemo {
        /// By operator and head: whether a node's attributes are the literals, and the lists of the length, that the pattern names.
        enum class Form : std::uint8_t { Unknown, Fits, Differs };
        std::vector<std::vector<Form>> forms;
        /// By attribute pattern and head that fits: the value of a variable.
        std::vector<std::vector<std::uint32_t>> values;
    };
    /// Calls `found` with every match of which at least one node has changed in the epoch `since` or later (0: every
    /// match), until it returns false. The graph must be clean. Returns false if `found` or `mayGoOn` ended the search.
    /// `memo`: of this pattern and graph.
    bool search(EGraph& graph, std::uint32_t since, HeadMemo& memo,
                absl::FunctionRef<bool(std::span<const std::uint32_t>)> found, MayJoin mayJoin, MayGoOn mayGoOn) const;

private:
    friend class FlatSearch;
    /// One node of a root, in matching order: the leaves of an operator before its operator children.
    struct Step {
        std::uint32_t node = 0;
        bool binds = false;  ///< the variable is bound here; if false, its class must equal the bound one
    };
    /// A root, and how it is reached once the roots before it are matched.
    struct RootPlan {
        std::uint32_t root = 0;
        std::uint32_t anchor = None;  ///< a node of it whose variable is already bound; None if all nodes must be tried
        std::vector<Step> steps;
        std::vector<bool> bindsAttribute;  ///< by attribute pattern: the variable is bound here
    };

    std::uint32_t addNode(const rules::CompiledRule& rule, const rules::Node& node, std::uint32_t parent,
                          std::uint32_t place, std::uint32_t root, bool& isFlat);
    bool addAttributes(const rules::CompiledRule& rule, const rules::Node& node, std::uint32_t number);
    bool addAttribute(const rules::CompiledRule& rule, const rules::Node& node, AttributePattern place);
    void orderOf(std::uint32_t node, std::vector<std::uint32_t>& order) const;
    [[nodiscard]] std::vector<RootPlan> planFrom(std::uint32_t first) const;

    std::vector<Node> m_nodes;
    std::vector<std::uint32_t> m_roots;  // nodes
    std::vector<std::vector<RootPlan>>
        m_plans;                              // by the root that is matched first: all roots in the order of matching
    std::vector<std::uint32_t> m_byOperator;  // the node of each operator
    std::uint32_t m_operators = 0;
    std::uint32_t m_variables = 0;  // variables of the rule
    std::vector<VariableUse> m_uses;
    std::vector<AttributePattern> m_attributes;
    std::vector<std::uint32_t> m_attributeOperators;
    std::vector<bool> m_isAttribute;  // by variable of the rule
    std::vector<Choice> m_choices;
};

}  // namespace mitos::egraph
