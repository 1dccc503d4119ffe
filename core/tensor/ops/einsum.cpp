// SPDX-License-Identifier: GPL-3.0-or-later
// Einstein's sums: products of arrays, whose axes have letters, summed over the letters that the result does not have.
#include "core/tensor/internal/elementwise.h"
#include "core/tensor/internal/gradients.h"
#include "core/tensor/onnx_hooks.h"
#include "core/tensor/ops/ops.h"
#include "core/tensor/work.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>

namespace mitos::tensor {

namespace {

using ir::Dimension;

/// Letters in the order in which equations use them.
constexpr std::string_view Letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
/// The letters of an array without axes in terms, since a name is never empty.
constexpr std::string_view NoLetters = "_";

std::string_view lettersOf(std::string_view word) { return word == NoLetters ? std::string_view() : word; }

/// The size of each letter: the larger one if an axis of 1 is repeated.
Result<std::vector<Dimension>> letterSizes(const ShapeInput& in) {
    const std::vector<std::string>& words = in.attributes.names("equation");
    if (words.size() != in.inputs.size() + 1) {
        return shapeError(
            fmt::format("Einsum: the equation [{}] is not for {} arrays", fmt::join(words, ","), in.inputs.size()));
    }
    std::vector<Dimension> sizes(Letters.size(), Dimension::of(1));
    std::string seen;
    for (std::size_t i = 0; i < in.inputs.size(); ++i) {
        const std::string_view letters = lettersOf(words[i]);
        if (letters.size() != in.inputs[i].rank()) {
            return shapeError(
                fmt::format("Einsum: {} letters for an array of rank {}", letters.size(), in.inputs[i].rank()));
        }
        for (std::size_t axis = 0; axis < letters.size(); ++axis) {
            const std::size_t letter = Letters.find(letters[axis]);
            if (letter == std::string_view::npos)
                return shapeError(fmt::format("Einsum: {} is no letter", letters[axis]));
            seen += letters[axis];
            const std::array own{sizes[letter]};
            const Result<std::vector<Dimension>> both =
                broadcast(own, std::span(in.inputs[i].dimensions).subspan(axis, 1), in.symbols);
            if (!both) return shapeError(fmt::format("Einsum: the letter {} has two sizes", letters[axis]));
            sizes[letter] = both->front();
        }
    }
    std::string result(lettersOf(words.back()));
    for (const char letter : result) {
        if (seen.find(letter) == std::string::npos)
            return shapeError(fmt::format("Einsum: no array has the axis {}", letter));
    }
    std::ranges::sort(result);
    if (std::adjacent_find(result.begin(), result.end()) != result.end())
        return shapeError("Einsum: the result has an axis twice");
    return sizes;
}

Result<std::vector<ArrayType>> einsumShape(const ShapeInput& in) {
    MITOS_REQUIRE(checkElements(in, Takes::Numbers));
    ArrayType result{.dtype = in.inputs[0].dtype};
    result.hasRank = std::ranges::all_of(in.inputs, &ArrayType::hasRank);
    if (!result.hasRank) return std::vector<ArrayType>{std::move(result)};
    MITOS_TRY(const std::vector<Dimension> sizes, letterSizes(in));
    for (const char letter : lettersOf(in.attributes.names("equation").back()))
        result.dimensions.push_back(sizes[Letters.find(letter)]);
    return std::vector<ArrayType>{std::move(result)};
}

Result<std::vector<ArrayPtr>> einsum(const EvaluateInput& in) {
    const std::vector<std::string>& words = in.attributes.names("equation");
    std::string letters(lettersOf(words.back()));
    const std::size_t kept = letters.size();
    for (std::size_t i = 0; i < in.inputs.size(); ++i) {
        for (const char letter : lettersOf(words[i])) {
            if (letters.find(letter) == std::string::npos) letters += letter;
        }
    }
    Shape shape(letters.size(), 1);
    std::vector<Shape> steps(in.inputs.size(), Shape(letters.size(), 0));
    for (std::size_t i = 0; i < in.inputs.size(); ++i) {
        const Shape own = strides(in.inputs[i]->shape);
        for (std::size_t axis = 0; axis < own.size(); ++axis) {
            const std::size_t letter = letters.find(lettersOf(words[i])[axis]);
            const std::int64_t size = in.inputs[i]->shape[axis];
            shape[letter] = shape[letter] == 1 ? size : shape[letter];
            if (size != 1) steps[i][letter] += own[axis];
        }
    }
    const std::shared_ptr<Array> result = blank(in.outputs[0]);
    const std::int64_t summands = elementCount(std::span(shape).subspan(kept));
    if (!ir::isFloating(result->dtype)) {
        double most = static_cast<double>(summands);
        for (const ArrayPtr& input : in.inputs) most *= std::max(1.0, largestMagnitude(input->elements));
        if (most >= EndOfExact) return inexact();
    }
    Shape index(letters.size(), 0);
    Shape at(in.inputs.size(), 0);
    for (double& element : result->elements) {
        for (std::int64_t summand = 0; summand < summands; ++summand) {
            double product = 1.0;
            for (std::size_t i = 0; i < at.size(); ++i)
                product *= in.inputs[i]->elements[static_cast<std::size_t>(at[i])];
            element += product;
            for (std::size_t d = shape.size(); d-- > 0;) {
                const bool isInside = ++index[d] < shape[d];
                for (std::size_t i = 0; i < at.size(); ++i) at[i] += steps[i][d] * (isInside ? 1 : 1 - shape[d]);
                if (isInside) break;
                index[d] = 0;
            }
        }
        element = held(result->dtype, element);
    }
    return std::vector<ArrayPtr>{result};
}

/// The work of a product and a sum for each combination of letters.
Work einsumWork(const ShapeInput& in, std::span<const ArrayType> outputs) {
    Work work = movement(in, outputs);
    const Result<std::vector<Dimension>> sizes = outputs[0].hasRank ? letterSizes(in) : std::vector<Dimension>();
    if (sizes) work.flops = static_cast<double>(in.inputs.size()) * elements({.dimensions = *sizes});
    return work;
}

// --- ONNX -------------------------------------------------------------------------------------------------------------

/// The letters of one operand, with `ellipsis`, the letters of the axes without names, in place of "...".
std::string spelledOut(std::string_view term, std::string_view ellipsis) {
    std::string result(term);
    if (const std::size_t at = result.find("..."); at != std::string::npos) result.replace(at, 3, ellipsis);
    return result;
}

/// The equation with letters for all axes. Fails if it does not fit the ranks.
Result<std::vector<std::string>> lettersIn(std::string equation, const OnnxNode& node, const OnnxContext& context) {
    std::erase(equation, ' ');
    const std::size_t arrow = equation.find("->");
    std::vector<std::string> terms(1);
    for (const char c : std::string_view(equation).substr(0, arrow)) {
        if (c == ',')
            terms.emplace_back();
        else
            terms.back() += c;
    }
    if (terms.size() != node.inputs.size())
        return notThisForm("the equation of Einsum is for another number of inputs");
    std::string free;  // letters for the axes that "..." means, the last axis first
    for (const char letter : Letters) {
        if (equation.find(letter) == std::string::npos) free += letter;
    }
    std::size_t most = 0;
    std::vector<std::string> result;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        MITOS_TRY(const ArrayType type, rankedInput(node, context, i));
        const bool hasEllipsis = terms[i].find("...") != std::string::npos;
        const std::size_t named = terms[i].size() - (hasEllipsis ? 3 : 0);
        const std::size_t more = type.rank() - std::min(named, type.rank());
        if (more > free.size() || named > type.rank() || (more > 0 && !hasEllipsis))
            return notThisForm("the equation of Einsum does not fit the ranks");
        most = std::max(most, more);
        std::string letters = free.substr(0, more);
        std::ranges::reverse(letters);
        result.push_back(spelledOut(terms[i], letters));
    }
    std::string all = free.substr(0, most);
    std::ranges::reverse(all);
    std::string output = all;
    if (arrow != std::string::npos) {
        output = spelledOut(std::string_view(equation).substr(arrow + 2), all);
    } else {  // letters that occur once, in alphabetical order
        std::string once;
        for (const std::string& term : terms) once += term;
        std::ranges::sort(once);
        for (const char letter : once) {
            if (letter != '.' && std::ranges::count(once, letter) == 1) output += letter;
        }
    }
    result.push_back(std::move(output));
    return result;
}

/// Renames letters in the order of their first occurrence, so that equal sums have equal equations.
std::vector<std::string> canonicalEquation(std::vector<std::string> words) {
    std::string seen;
    for (std::string& word : words) {
        for (char& letter : word) {
            if (seen.find(letter) == std::string::npos) seen += letter;
            letter = Letters[std::min(seen.find(letter), Letters.size() - 1)];
        }
        if (word.empty()) word = NoLetters;
    }
    return words;
}

Result<Imported> importEinsum(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    MITOS_TRY(std::vector<std::string> words, lettersIn(wordOf(node, "equation", ""), node, context));
    for (const std::string& word : words) {
        if (!std::ranges::all_of(word, [](char c) { return Letters.find(c) != std::string_view::npos; }))
            return notThisForm("the equation of Einsum has other signs than letters");
    }
    Attributes attributes(op);
    attributes.set("equation", canonicalEquation(std::move(words)));
    return Imported{.attributes = std::move(attributes), .inputs = firstInputs(node, node.inputs.size())};
}

Exported exportEinsum(const Attributes& attributes, std::span<const ArrayType> /*inputs*/) {
    const std::vector<std::string>& words = attributes.names("equation");
    std::string equation;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) equation += i + 1 == words.size() ? "->" : ",";
        equation += lettersOf(words[i]);
    }
    return {.type = "Einsum", .attributes = {{"equation", std::move(equation)}}};
}

/// The cotangent of each input is a sum of the same form, with the result in its place. Letters that only this input has are repeated.
std::vector<ir::TermId> einsumGradient(const GradientInput& in) {
    std::vector<ir::TermId> result(in.inputs.size());
    const std::vector<std::string>& words = in.attributes.names("equation");
    for (std::size_t i = 0; i < result.size(); ++i) {
        if (!in.isWanted[i]) continue;
        const std::string_view own = lettersOf(words[i]);
        std::string known(lettersOf(words.back()));
        std::vector<std::string> equation;
        std::vector<ir::TermId> factors;
        for (std::size_t other = 0; other < result.size(); ++other) {
            if (other == i) continue;
            factors.push_back(in.inputs[other]);
            equation.push_back(words[other]);
            known += lettersOf(words[other]);
        }
        factors.push_back(in.cotangents[0]);
        equation.push_back(words.back());
        std::string found;
        for (const char letter : own) {
            if (found.find(letter) != std::string::npos) {
                in.make.fail(shapeError(fmt::format("it takes a diagonal: the letter {} is repeated", letter)));
                return result;
            }
            if (known.find(letter) == std::string::npos) {
                in.make.fail(shapeError(fmt::format("the letter {} is summed in one input alone", letter)));
                return result;
            }
            found += letter;
        }
        equation.emplace_back(found.empty() ? NoLetters : std::string_view(found));
        result[i] = summedTo(in.make, in.make.node("Einsum", factors, {{"equation", equation}}), in.inputs[i]);
    }
    return result;
}

}  // namespace

void addEinsum(std::vector<Operator>& table) {
    table.push_back({.name = "Einsum",
                     .doc = "products summed over axes: each array's axes have letters, the result's come last",
                     .inputs = {{.name = "Inputs", .kind = InputInfo::Kind::Variadic}},
                     .attributes = {{.name = "equation",
                                     .kind = AttributeKind::Names,
                                     .doc = "[ab,bc,ac] is the product of matrices; _ for no axes"}},
                     .shape = einsumShape,
                     .evaluate = einsum,
                     .work = einsumWork,
                     .onnx = {.import = importEinsum, .exportNode = exportEinsum},
                     .gradient = {.rule = einsumGradient}});
}

}  // namespace mitos::tensor
