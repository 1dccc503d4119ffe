// SPDX-License-Identifier: GPL-3.0-or-later
// Prints programs as listings.
#include "core/ir/attributes.h"
#include "core/ir/shared.h"
#include "core/tensor/internal/text_names.h"
#include "core/tensor/operator.h"
#include "core/tensor/text.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

namespace mitos::tensor {

using ir::CoreOp;
using ir::TermBank;
using ir::TermId;

namespace {

std::string dimensionName(std::string_view name) {
    const bool isNumber = std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
    const bool isPlain = !isNumber && name != "..." && !name.empty() &&
                         name.find_first_of(",]\"\n#") == std::string::npos && name.front() != ' ' &&
                         name.front() != '-' && name.back() != ' ';
    return isPlain ? std::string(name) : inQuotes(name);
}

/// The attributes as text, "[axis=1,sizes=[64,64]]"; empty if there are none to write.
std::string attributesText(const TermBank& bank, TermId term) {
    const ir::Payload& payload = bank.payload(term);
    if (payload.kind() == ir::PayloadKind::Name) return "[" + inQuotes(bank.text(payload.asSymbol())) + "]";
    if (payload.kind() != ir::PayloadKind::Attributes) return {};
    const ir::OperatorInfo& info = bank.registry().info(bank.op(term));
    const Operator* const op = operatorOf(bank, term);
    const std::vector<std::string_view> values = ir::attributeValues(bank.text(payload.asSymbol()));
    std::vector<std::string> written;
    for (std::size_t i = 0; i < values.size() && i < info.attributes.size(); ++i) {
        if (op != nullptr && !op->attributes[i].defaultText.empty() && op->attributes[i].defaultText == values[i])
            continue;
        written.push_back(fmt::format("{}={}", info.attributes[i], values[i]));
    }
    return written.empty() ? "" : fmt::format("[{}]", fmt::join(written, ","));
}

/// "4.94 MB"; three digits.
std::string sizeText(double bytes) {
    constexpr double Step = 1000.0;
    constexpr std::array Units{"bytes", "kB", "MB", "GB", "TB"};
    std::size_t unit = 0;
    for (; bytes >= 0.9995 * Step && unit + 1 < Units.size(); ++unit) bytes /= Step;
    return fmt::format("{:.3g} {}", bytes, Units.at(unit));
}

/// Whether a listing writes the node in place, at each use.
bool isInline(const TermBank& bank, TermId term) {
    return bank.is(term, CoreOp::Get) || bank.opName(term) == AbsentName;
}

class Printer {
public:
    Printer(const TermBank& bank, const ir::Program& program, const ir::PrintOptions& options)
        : m_bank(bank),
          m_program(program),
          m_options(options),
          m_nodes(bank, program.root),
          m_names(bank) {}

    /// Prints the program. `withSpans` adds the places of all nodes.
    ir::PrintedText print(bool withSpans) {
        nameAll();
        header();
        if (!m_options.compact) weights();
        const bool returnsTuple = m_bank.is(m_program.root, CoreOp::Tuple);
        for (const TermId node : m_nodes) {
            const bool isReturned = returnsTuple && node == m_program.root;
            if (!isInline(m_bank, node) && !isWeight(node) && !m_bank.is(node, CoreOp::Variable) && !isReturned)
                line(node);
        }
        m_text.text += fmt::format("  {} ", ReturnWord);
        if (returnsTuple) {
            const std::size_t begin = m_text.text.size();
            arguments(m_program.root, m_bank.childCount(m_program.root) == 1);
            mark(m_program.root, begin);
        } else {
            reference(m_program.root);
        }
        m_text.text += '\n';
        if (m_options.compact) countedWeights();
        if (withSpans) addSpans();
        return std::move(m_text);
    }

    absl::flat_hash_map<TermId, std::string> names() {
        nameAll();
        absl::flat_hash_map<TermId, std::string> all;
        all.reserve(m_nodes.size());
        for (const TermId node : m_nodes) {  // operands first
            if (m_bank.is(node, CoreOp::Get)) {
                std::string whole = all.at(m_bank.child(node, 0));
                all.emplace(node, fmt::format("{}[{}]", whole, m_bank.payload(node).projectionIndex()));
            } else {
                all.emplace(node, isInline(m_bank, node) ? AbsentWord : m_names.find(node));
            }
        }
        return all;
    }

private:
    struct Run {
        std::size_t begin = 0;
        std::size_t end = 0;
    };

    [[nodiscard]] bool isWeight(TermId term) const { return m_bank.opName(term) == WeightName; }

    /// Names parameters and weights first, since they keep their own names.
    void nameAll() {
        for (const TermId node : m_nodes) {
            if (m_bank.is(node, CoreOp::Variable)) {
                m_names.give(node, std::string(m_bank.text(m_bank.payload(node).asSymbol())));
            }
        }
        if (m_program.function.isValid()) {  // a parameter that is not used keeps its name too
            for (const ir::Parameter& p : m_bank.function(m_program.function).parameters) {
                const auto isUsed = [&](TermId node) {
                    return m_bank.is(node, CoreOp::Variable) && m_bank.payload(node).asSymbol() == p.name;
                };
                if (std::ranges::none_of(m_nodes, isUsed)) m_names.give(TermId(), std::string(m_bank.text(p.name)));
            }
        }
        for (const TermId node : m_nodes) {
            if (isWeight(node)) m_names.give(node, std::string(m_bank.text(m_bank.payload(node).asSymbol())));
        }
        for (const TermId node : m_nodes) {
            if (m_names.find(node).empty() && !isInline(m_bank, node)) m_names.give(node);
        }
    }

    void mark(TermId term, std::size_t begin) { m_runs.try_emplace(term, Run{begin, m_text.text.size()}); }

    void header() {
        const ir::Function& function = m_bank.function(m_program.function);
        m_text.text = fmt::format("{} {}(", GraphWord, quoted(function.name));
        for (std::size_t i = 0; i < function.parameters.size(); ++i) {
            const ir::Parameter& p = function.parameters[i];
            if (i > 0) m_text.text += ", ";
            const std::size_t begin = m_text.text.size();
            m_text.text += fmt::format("{}: {}", quoted(m_bank.text(p.name)), typeText(m_bank.types(), p.type));
            for (const TermId node : m_nodes) {
                if (m_bank.is(node, CoreOp::Variable) && m_bank.payload(node).asSymbol() == p.name) mark(node, begin);
            }
        }
        m_text.text += ")\n";
    }

    void weights() {
        for (const TermId node : m_nodes) {
            if (isWeight(node)) weight(node);
        }
    }

    /// The weights below their number and size; a network has hundreds, and readers look for its layers.
    void countedWeights() {
        std::size_t number = 0;
        double bytes = 0.0;
        bool isSized = true;
        for (const TermId node : m_nodes) {
            if (!isWeight(node)) continue;
            ++number;
            const ir::TypeTable& types = m_bank.types();
            const ir::TypeId type = m_bank.type(node);
            isSized = isSized && types.isArray(type) && types.hasRank(type);
            if (!isSized) continue;
            auto size = static_cast<double>(ir::dtypeBytes(types.dtype(type)));
            for (const ir::Dimension& dimension : types.dimensions(type)) {
                isSized = isSized && dimension.isKnown();
                size *= static_cast<double>(dimension.size);
            }
            bytes += size;
        }
        if (number == 0) return;
        m_text.text += fmt::format("\n  {} {}", number, number == 1 ? "weight" : "weights");
        if (isSized) m_text.text += ", " + sizeText(bytes);
        m_text.text += '\n';
        weights();
    }

    void weight(TermId node) {
        const std::string own(m_bank.text(m_bank.payload(node).asSymbol()));
        m_text.text += fmt::format("  {} ", WeightWord);
        const std::size_t begin = m_text.text.size();
        m_text.text += quoted(m_names.find(node));
        if (m_names.find(node) != own) m_text.text += " = " + inQuotes(own);
        m_text.text += ": " + typeText(m_bank.types(), m_bank.type(node));
        mark(node, begin);
        m_text.text += '\n';
    }

    void line(TermId node) {
        m_text.text += "  ";
        const std::size_t begin = m_text.text.size();
        const bool isNamed = m_options.compact && m_bank.opName(node) == OpaqueName;  // it is not read back
        m_text.text += quoted(m_names.find(node)) + " = ";
        m_text.text +=
            isNamed ? operatorText(m_bank, node) : quoted(m_bank.opName(node)) + attributesText(m_bank, node);
        arguments(node, false);
        const std::string type = typeText(m_bank.types(), m_bank.type(node));
        const bool isStated = m_bank.registry().info(m_bank.op(node)).typeRule == nullptr &&
                              m_bank.op(node).value >= ir::opId(CoreOp::Count).value;
        if (isStated && !isNamed) m_text.text += ": " + type;
        mark(node, begin);
        if (!isStated && !m_options.compact) {
            constexpr std::size_t CommentColumn = 60;
            const std::size_t width = m_text.text.size() - begin;
            m_text.text.append(width < CommentColumn ? CommentColumn - width : 2, ' ');
            m_text.text += "# " + type;
        }
        m_text.text += '\n';
    }

    /// Writes "(a, b)", or "(a,)" for a tuple of one.
    void arguments(TermId node, bool isTupleOfOne) {
        m_text.text += '(';
        for (std::size_t i = 0; i < m_bank.childCount(node); ++i) {
            if (i > 0) m_text.text += ", ";
            reference(m_bank.child(node, i));
        }
        m_text.text += isTupleOfOne ? ",)" : ")";
    }

    void reference(TermId term) {
        const std::size_t begin = m_text.text.size();
        if (m_bank.opName(term) == AbsentName) {
            m_text.text += AbsentWord;
            mark(term, begin);
            return;
        }
        std::vector<TermId> gets;
        TermId inner = term;
        while (m_bank.is(inner, CoreOp::Get)) {
            gets.push_back(inner);
            inner = m_bank.child(inner, 0);
        }
        m_text.text += quoted(m_names.find(inner));
        while (!gets.empty()) {
            m_text.text += fmt::format("[{}]", m_bank.payload(gets.back()).projectionIndex());
            mark(gets.back(), begin);
            gets.pop_back();
        }
    }

    void addSpans() {
        ir::forEachShared(m_bank, m_program.root, [&](const ir::Path& path, TermId term) {
            const Run run = m_runs.at(term);
            m_text.places.add(path);
            m_text.spans.push_back({run.begin, run.end});
            return true;
        });
    }

    const TermBank& m_bank;
    ir::Program m_program;
    const ir::PrintOptions& m_options;
    ir::SharedNodes m_nodes;
    NodeNames m_names;
    ir::PrintedText m_text;
    absl::flat_hash_map<TermId, Run> m_runs;  ///< the position of each node in the text
};

void writeTerm(const TermBank& bank, TermId term, int levels, std::string& text) {
    constexpr std::size_t MostArguments = 8;
    if (bank.is(term, CoreOp::Variable) || bank.opName(term) == WeightName) {
        text += quoted(bank.text(bank.payload(term).asSymbol()));
        return;
    }
    if (bank.opName(term) == AbsentName) {
        text += AbsentWord;
        return;
    }
    if (bank.is(term, CoreOp::Get)) {
        writeTerm(bank, bank.child(term, 0), levels, text);
        text += fmt::format("[{}]", bank.payload(term).projectionIndex());
        return;
    }
    if (levels <= 0) {
        text += bank.hint(term).isValid() ? quoted(bank.text(bank.hint(term))) : "…";
        return;
    }
    if (!bank.is(term, CoreOp::Tuple)) text += quoted(bank.opName(term)) + attributesText(bank, term);
    text += '(';
    for (std::size_t i = 0; i < bank.childCount(term); ++i) {
        if (i > 0) text += ", ";
        if (i == MostArguments) {
            text += "…";
            break;
        }
        writeTerm(bank, bank.child(term, i), levels - 1, text);
    }
    text += ')';
}

/// Writes a use of a node: its name, with the number of the output.
void writeReference(const TermBank& bank, const NodeNames& names, TermId term, std::string& text) {
    if (bank.opName(term) == AbsentName) {
        text += AbsentWord;
    } else if (bank.is(term, CoreOp::Get)) {
        writeReference(bank, names, bank.child(term, 0), text);
        text += fmt::format("[{}]", bank.payload(term).projectionIndex());
    } else {
        text += quoted(names.find(term));
    }
}

}  // namespace

std::string typeText(const ir::TypeTable& types, ir::TypeId type) {
    if (types.isTuple(type)) {
        std::vector<std::string> elements;
        for (const ir::TypeId element : types.children(type)) elements.push_back(typeText(types, element));
        return fmt::format("({}{})", fmt::join(elements, ", "), elements.size() == 1 ? "," : "");
    }
    if (!types.isArray(type)) return types.toString(type);
    const std::string dtype(ir::dtypeName(types.dtype(type)));
    if (!types.hasRank(type)) return dtype + "[...]";
    std::vector<std::string> sizes;
    for (const ir::Dimension& d : types.dimensions(type)) {
        sizes.push_back(d.isKnown() ? fmt::format("{}", d.size) : dimensionName(types.symbols().text(d.name)));
    }
    return fmt::format("{}[{}]", dtype, fmt::join(sizes, ","));
}

ir::PrintedText printListing(const TermBank& bank, const ir::Program& program, const ir::PrintOptions& options) {
    return Printer(bank, program, options).print(true);
}

std::string listingText(const TermBank& bank, const ir::Program& program, const ir::PrintOptions& options) {
    return Printer(bank, program, options).print(false).text;
}

absl::flat_hash_map<TermId, std::string> listingNames(const TermBank& bank, const ir::Program& program) {
    const ir::PrintOptions options;
    return Printer(bank, program, options).names();
}

std::string nodeText(const TermBank& bank, TermId node) {
    if (bank.is(node, CoreOp::Get)) {
        return fmt::format("{}[{}]", nodeText(bank, bank.child(node, 0)), bank.payload(node).projectionIndex());
    }
    if (bank.is(node, CoreOp::Variable) || bank.opName(node) == WeightName) {
        return std::string(bank.text(bank.payload(node).asSymbol()));
    }
    if (bank.hint(node).isValid() && !bank.text(bank.hint(node)).empty()) {
        return std::string(bank.text(bank.hint(node)));
    }
    return termText(bank, node, 1);
}

std::string operatorText(const TermBank& bank, TermId term) {
    if (bank.opName(term) == OpaqueName) {  // "com.acme::Fancy#7"
        const std::string_view name = bank.text(bank.payload(term).asSymbol());
        return std::string(name.substr(0, name.find('#')));
    }
    return std::string(bank.opName(term)) + attributesText(bank, term);
}

std::string_view operatorName(const TermBank& bank, TermId term) {
    if (bank.opName(term) != OpaqueName) return bank.opName(term);
    std::string_view name = bank.text(bank.payload(term).asSymbol());  // "com.acme::Fancy#7"
    name = name.substr(0, name.find('#'));
    const std::size_t colon = name.rfind(':');
    return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

std::string termText(const TermBank& bank, TermId term, int levels) {
    std::string text;
    writeTerm(bank, term, levels, text);
    return text;
}

PrintedNodes printNodes(const TermBank& bank, std::span<const TermId> nodes) {
    NodeNames names(bank);
    const auto hasLine = [&bank](TermId node) {
        return !isInline(bank, node) && !bank.is(node, CoreOp::Variable) && bank.opName(node) != WeightName;
    };
    const auto name = [&](TermId node) {
        while (bank.is(node, CoreOp::Get)) node = bank.child(node, 0);
        if (!names.find(node).empty() || isInline(bank, node)) return;
        if (hasLine(node))
            names.give(node);
        else
            names.give(node, std::string(bank.text(bank.payload(node).asSymbol())));
    };
    for (const TermId node : nodes) {
        for (const TermId child : bank.children(node)) name(child);
        name(node);
    }
    PrintedNodes printed;
    for (const TermId node : nodes) {
        if (!hasLine(node)) continue;
        const std::size_t begin = printed.text.size();
        const std::string op = bank.is(node, CoreOp::Tuple) ? "" : quoted(bank.opName(node));
        printed.text += fmt::format("{} = {}{}(", quoted(names.find(node)), op, attributesText(bank, node));
        for (std::size_t i = 0; i < bank.childCount(node); ++i) {
            if (i > 0) printed.text += ", ";
            writeReference(bank, names, bank.child(node, i), printed.text);
        }
        printed.text += ')';
        printed.nodes.push_back({node, begin, printed.text.size()});
        printed.text += '\n';
    }
    return printed;
}

}  // namespace mitos::tensor
