// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ks/internal/math_words.h"

#include "core/ks/internal/printer.h"
#include "core/ks/names.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::ks {

namespace {

struct Letter {
    std::string_view name;
    const char* letter;
};
constexpr std::array Greek{
    Letter{"alpha", "α"}, Letter{"beta", "β"}, Letter{"gamma", "γ"}, Letter{"delta", "δ"}, Letter{"epsilon", "ε"},
    Letter{"zeta", "ζ"},  Letter{"eta", "η"},  Letter{"theta", "θ"}, Letter{"kappa", "κ"}, Letter{"lambda", "λ"},
    Letter{"mu", "μ"},    Letter{"nu", "ν"},   Letter{"xi", "ξ"},    Letter{"rho", "ρ"},   Letter{"sigma", "σ"},
    Letter{"tau", "τ"},   Letter{"phi", "φ"},  Letter{"chi", "χ"},   Letter{"psi", "ψ"},   Letter{"omega", "ω"},
};

/// The functions that LaTeX has a command for.
constexpr std::array<std::string_view, 7> Commands{"log", "exp", "sin", "cos", "tanh", "cosh", "max"};

std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (std::string_view("$%&#_{}").find(c) != std::string_view::npos) result += '\\';
        if (c == '^') {
            result += "\\text{\\textasciicircum}";
        } else if (c == '~') {
            result += "\\text{\\textasciitilde}";
        } else if (c == '\\') {
            result += "\\text{\\textbackslash}";
        } else {
            result += c;
        }
    }
    return result;
}

}  // namespace

std::string MathWords::name(std::string_view name) const {
    const std::size_t cut = std::min(name.find('_'), name.size());
    const std::string_view head = name.substr(0, cut);
    const auto greek = std::ranges::find(Greek, head, &Letter::name);
    if (!m_isLatex) return greek == Greek.end() ? std::string(name) : greek->letter + std::string(name.substr(cut));
    const std::size_t digits = head.find_last_not_of("0123456789") + 1;
    const std::string_view word = greek == Greek.end() ? head.substr(0, digits) : head;
    std::string text = greek != Greek.end() ? "\\" + std::string(head)
                       : word.size() == 1   ? std::string(word)
                                            : "\\mathit{" + escaped(word) + "}";
    std::string below(head.substr(word.size()));
    if (cut < name.size()) below += (below.empty() ? "" : "\\_") + escaped(name.substr(cut + 1));
    if (below.empty()) return text;
    const bool isPlain = below.size() == 1 || std::ranges::all_of(below, isDigit);
    // In braces, since the name may get a subscript of its own, and LaTeX refuses two.
    return "{" + text + "_{" + (isPlain ? below : "\\mathit{" + below + "}") + "}}";
}
std::string MathWords::function(std::string_view name) const {
    if (!m_isLatex) return std::string(name);
    const bool isCommand = std::ranges::find(Commands, name) != Commands.end();
    return isCommand ? "\\" + std::string(name) : "\\operatorname{" + escaped(name) + "}";
}
std::string MathWords::number(double value) const {
    std::string text = floatText(value);
    if (text.ends_with(".0")) text.resize(text.size() - 2);
    if (value != value) return m_isLatex ? "\\mathrm{NaN}" : "NaN";
    if (text.ends_with("1e999")) text.replace(text.size() - 5, 5, m_isLatex ? "\\infty" : "∞");
    return withSign(std::move(text));
}
std::string MathWords::withSign(std::string number) const {
    if (number.starts_with('-') && !m_isLatex) number.replace(0, 1, "−");
    return number;
}

std::string MathWords::literal(const ir::TermBank& bank, const ir::Payload& payload) const {
    switch (payload.kind()) {
        case ir::PayloadKind::Integer: return withSign(fmt::format("{}", payload.asInteger()));
        case ir::PayloadKind::Float: return number(payload.asFloat());
        case ir::PayloadKind::Bool: return function(payload.asBool() ? "true" : "false");
        default: break;
    }
    const std::string text = stringText(bank.text(payload.asSymbol()));
    return m_isLatex ? "\\text{" + escaped(text) + "}" : text;
}

}  // namespace mitos::ks
