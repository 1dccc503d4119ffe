// SPDX-License-Identifier: GPL-3.0-or-later
// Random well-typed inputs of a signature.
#include "core/eval/internal/scalars.h"
#include "core/eval/signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace mitos::eval {

namespace {

using ir::TypeId;
using ir::TypeKind;

constexpr double MaxNumbers = 30e6;        // in inputs for timing
constexpr double MaxRandomNumbers = 4e6;   // in random inputs: types may be nested hundreds of levels deep
constexpr double LargestInteger = 1000.0;  // sizes are Integers too
constexpr double PlainElements = 0.5;      // probability of a plain element in a tensor of a region
constexpr double SpecialChance = 0.2;      // probability that a Float is one of the special values

class InputMaker {
public:
    InputMaker(const ir::TermBank& bank, Random& random, const InputOptions& options)
        : m_bank(bank),
          m_types(bank.types()),
          m_random(random),
          m_options(options),
          m_commonSize(random.integer(options.minSize, options.maxSize)) {}

    Result<Inputs> make(const ir::Function& function) {
        Inputs inputs;
        for (std::size_t i = 0; i < function.parameters.size(); ++i) {
            const ir::Parameter& parameter = function.parameters[i];
            m_region = m_options.parameter.value_or(i) == i ? m_options.region : Region::Plain;
            if (!isSupported(parameter.type)) {
                return Error{ErrorCode::Unsupported,
                             fmt::format("there are no random inputs for the parameter {} : {} of {}",
                                         m_bank.text(parameter.name), m_types.toString(parameter.type), function.name),
                             std::nullopt, "choose a function whose parameters are numbers, tuples and tensors"};
            }
            inputs.arguments.push_back(value(parameter.type));
            if (m_numbers <= MaxRandomNumbers) continue;
            return Error{ErrorCode::Limit,
                         fmt::format("random values of the parameter {} of {} would be too large",
                                     m_bank.text(parameter.name), function.name),
                         std::nullopt, "give inputs of your own"};
        }
        for (const ir::SizeName& size : function.sizes) {
            if (!size.parameter) inputs.extraSizes.push_back(namedSize(size.name));
        }
        return inputs;
    }

private:
    [[nodiscard]] bool isSupported(TypeId type) const {
        const TypeKind kind = m_types.kind(type);
        if (kind == TypeKind::Lambda || kind == TypeKind::LinearMap) return false;
        const auto parts = m_types.children(type);
        return std::ranges::all_of(parts, [this](TypeId part) { return isSupported(part); });
    }

    Value value(TypeId type) {
        switch (m_types.kind(type)) {
            case TypeKind::Float: return Value(floating());
            case TypeKind::Integer: return Value(integer());
            case TypeKind::Bool: return Value(m_random.chance(0.5));
            case TypeKind::String: return Value(std::string(m_random.chance(0.5) ? "a" : "text"));
            case TypeKind::Tuple: {
                TupleValue tuple;
                for (const TypeId part : m_types.children(type)) tuple.elements.push_back(value(part));
                return Value(std::move(tuple));
            }
            default: {
                std::vector<std::int64_t> unnamed;
                drawUnnamed(type, unnamed);
                return tensor(type, unnamed, 0);
            }
        }
    }

    /// Draws sizes of the dimensions without a name, outermost first: one per dimension of the type, so that vectors of vectors are
    /// rectangular unless ragged ones are requested.
    void drawUnnamed(TypeId type, std::vector<std::int64_t>& sizes) {
        for (; m_types.isTensor(type); type = m_types.element(type)) {
            for (std::uint32_t d = 0; d < m_types.rank(type); ++d) sizes.push_back(freshSize());
        }
    }

    Value tensor(TypeId type, const std::vector<std::int64_t>& unnamed, std::size_t level) {
        TensorValue result;
        double numbers = 1.0;
        for (std::uint32_t d = 0; d < m_types.rank(type); ++d) {
            const Symbol name = m_types.sizes(type).empty() ? Symbol() : m_types.sizes(type)[d];
            const bool isOwn = m_options.isRagged && level > 0;
            result.dims.push_back(name.isValid() ? namedSize(name) : isOwn ? freshSize() : unnamed[level + d]);
            numbers *= static_cast<double>(result.dims.back());
        }
        m_numbers += numbers;
        if (m_numbers > MaxRandomNumbers) return Value(std::move(result));  // make() gives up
        const auto count = static_cast<std::size_t>(numbers);
        const TypeId element = m_types.element(type);
        result.elements.reserve(count);
        m_isElement = m_region != Region::Zero && m_region != Region::Negative;
        for (std::size_t i = 0; i < count; ++i) {
            result.elements.push_back(m_types.isTensor(element) ? tensor(element, unnamed, level + m_types.rank(type))
                                                                : value(element));
        }
        m_isElement = false;
        return Value(std::move(result));
    }

    double floating() {
        const bool isPlain = m_region == Region::Plain || (m_isElement && m_random.chance(PlainElements));
        if (!isPlain) return number(m_region);
        if (m_options.positive) return m_random.uniform(0.1, m_options.range);
        constexpr std::array Special{0.0, 1.0, -1.0, 2.0};
        if (m_random.chance(SpecialChance)) return Special[m_random.below(Special.size())];
        return m_random.uniform(-m_options.range, m_options.range);
    }

    double withSign(double size) { return m_random.chance(0.5) ? size : -size; }
    /// A number between the two powers of ten, with a uniform exponent.
    double ofSize(double least, double largest) { return std::pow(10.0, m_random.uniform(least, largest)); }

    double number(Region region) {
        switch (region) {
            case Region::Plain: return m_random.uniform(-m_options.range, m_options.range);
            case Region::Negative: return -ofSize(-2.0, 3.0);
            case Region::Constants: return givenNumber();
            case Region::Large: return withSign(ofSize(1.0, 6.0));
            case Region::Zero: return 0.0;
            case Region::Tiny: return withSign(m_random.chance(0.3) ? 5e-324 : ofSize(-307.0, -3.0));
            case Region::Huge:
                return withSign(m_random.chance(0.3) ? std::numeric_limits<double>::max() : ofSize(6.0, 308.0));
            case Region::Mixed:
                return number(static_cast<Region>(m_random.below(static_cast<std::size_t>(Region::Mixed))));
            case Region::Infinite: return withSign(std::numeric_limits<double>::infinity());
            case Region::NotANumber: return std::numeric_limits<double>::quiet_NaN();
        }
        return 0.0;
    }

    double givenNumber() {
        if (m_options.numbers.empty()) return withSign(ofSize(-1.0, 2.0));
        return m_options.numbers[m_random.below(m_options.numbers.size())];
    }

    /// Integers are often sizes or indices, so most are small and not negative.
    std::int64_t integer() {
        if (m_region == Region::Zero) return 0;
        if (m_region == Region::Negative) return m_random.integer(-10, -1);
        if (m_region == Region::Large)
            return m_random.chance(0.5) ? m_random.integer(5, 20) : m_random.integer(-20, -5);
        if (m_region == Region::Constants && !m_options.numbers.empty()) {
            const double number = givenNumber();
            if (std::abs(number) < LargestInteger) return static_cast<std::int64_t>(number);
        }
        const bool oneSize = m_options.minSize == m_options.maxSize && m_commonSize > 0;
        if (m_options.equalSizes && (oneSize || m_random.chance(0.5))) return m_commonSize;
        if (m_random.chance(0.8)) return m_random.integer(0, std::max<std::int64_t>(m_options.maxSize, 2));
        return m_random.integer(m_options.positive ? 1 : -3, 5);
    }

    std::int64_t freshSize() {
        return m_options.equalSizes ? m_commonSize : m_random.integer(m_options.minSize, m_options.maxSize);
    }

    std::int64_t namedSize(Symbol name) {
        if (const std::optional<std::int64_t> constant = constantSize(m_bank, name)) return *constant;
        for (const auto& [known, size] : m_named) {
            if (known == name) return size;
        }
        m_named.emplace_back(name, freshSize());
        return m_named.back().second;
    }

    const ir::TermBank& m_bank;
    const ir::TypeTable& m_types;
    Random& m_random;
    const InputOptions& m_options;
    std::int64_t m_commonSize;
    Region m_region = Region::Plain;
    bool m_isElement = false;  ///< inside a tensor, in which some numbers may stay plain
    double m_numbers = 0.0;    // in all tensors, at every level
    std::vector<std::pair<Symbol, std::int64_t>> m_named;
};

double numbersIn(const ir::TypeTable& types, TypeId type, double size) {
    double numbers = 0.0;
    for (const TypeId part : types.children(type)) numbers += numbersIn(types, part, size);
    if (types.isTensor(type)) return numbers * std::pow(size, types.rank(type));
    return types.isTuple(type) ? numbers : 1.0;
}

}  // namespace

Result<Inputs> randomTreeInputs(const ir::TermBank& bank, const ir::Function& function, Random& random,
                                const InputOptions& options) {
    return InputMaker(bank, random, options).make(function);
}

Result<Inputs> sizedInputs(const ir::TermBank& bank, const ir::Function& function, Random& random,
                           std::int64_t defaultSize) {
    double numbers = 0.0;
    for (const ir::Parameter& parameter : function.parameters) {
        numbers += numbersIn(bank.types(), parameter.type, static_cast<double>(defaultSize));
    }
    if (numbers > MaxNumbers) {
        return Error{ErrorCode::Limit, fmt::format("inputs of size {} would hold {:.1e} numbers", defaultSize, numbers),
                     std::nullopt, "choose a smaller size"};
    }
    InputOptions options;
    options.minSize = defaultSize;
    options.maxSize = defaultSize;
    options.equalSizes = true;
    return randomInputs(bank, function, random, options);
}

}  // namespace mitos::eval
