// SPDX-License-Identifier: GPL-3.0-or-later
// Random well-typed inputs of a signature.
#include "core/eval/internal/scalars.h"
#include "core/eval/samples.h"
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
constexpr double MostNumbersOfSize = 2e4;  // in inputs whose sizes are constants of the program
constexpr double PlainElements = 0.5;      // probability of a plain element in a tensor of a region
constexpr double SpecialChance = 0.2;      // probability that a Float is one of the special values
constexpr double OneSign = 0.6;            // probability that all Floats beside wide Integers have one sign

class InputMaker {
public:
    InputMaker(const ir::TermBank& bank, Random& random, const InputOptions& options)
        : m_bank(bank),
          m_types(bank.types()),
          m_random(random),
          m_options(options),
          m_commonSize(random.integer(options.minSize, options.maxSize)) {
        // Integers that wrap around often decide only about a sign, which Floats of both signs would hide.
        if (options.region == Region::Wide && random.chance(OneSign)) m_sign = random.chance(0.5) ? 1.0 : -1.0;
    }

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
        const bool isPlain =
            m_region == Region::Plain || m_region == Region::Wide || (m_isElement && m_random.chance(PlainElements));
        if (!isPlain) return number(m_region);
        if (m_sign != 0.0) return m_sign * m_random.uniform(0.1, m_options.range);
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
            case Region::Plain:
            case Region::Wide: return m_random.uniform(-m_options.range, m_options.range);
            case Region::Negative: return -ofSize(-2.0, 3.0);
            case Region::Constants: return givenNumber();
            case Region::Large: return withSign(ofSize(1.0, 6.0));
            case Region::Zero: return withSign(0.0);
            case Region::Tiny: return withSign(m_random.chance(0.3) ? subnormal() : ofSize(-307.0, -3.0));
            case Region::Huge:
                return withSign(m_random.chance(0.3) ? std::numeric_limits<double>::max() : ofSize(6.0, 308.0));
            case Region::Mixed: return number(anyRegion());
            case Region::Infinite: return withSign(std::numeric_limits<double>::infinity());
            case Region::NotANumber: return std::numeric_limits<double>::quiet_NaN();
        }
        return 0.0;
    }

    double subnormal() {
        return m_random.chance(0.5) ? std::numeric_limits<double>::denorm_min() : ofSize(-323.0, -308.0);
    }

    /// One of the regions that Region::Mixed consists of.
    Region anyRegion() { return static_cast<Region>(m_random.below(static_cast<std::size_t>(Region::Mixed))); }

    double givenNumber() {
        const std::vector<double>& given = m_options.numbers.floats;
        return given.empty() ? withSign(ofSize(-1.0, 2.0)) : given[m_random.below(given.size())];
    }

    std::int64_t integer() { return integer(m_region); }

    /// Integers are often sizes or indices, so most are small and not negative.
    std::int64_t integer(Region region) {
        if (region == Region::Mixed) return integer(anyRegion());
        if (region == Region::Zero) return 0;
        if (region == Region::Negative) return m_random.integer(-10, -1);
        if (region == Region::Large) return m_random.chance(0.5) ? m_random.integer(5, 20) : m_random.integer(-20, -5);
        if (region == Region::Wide) return wideInteger(m_random);
        const std::vector<std::int64_t>& given = m_options.numbers.integers;
        if (region == Region::Constants && !given.empty()) return given[m_random.below(given.size())];
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
    double m_sign = 0.0;       ///< of all plain Floats; 0: both signs
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

double numbersIn(const ir::TermBank& bank, const ir::Function& function, std::int64_t size) {
    double numbers = 0.0;
    for (const ir::Parameter& parameter : function.parameters)
        numbers += numbersIn(bank.types(), parameter.type, static_cast<double>(size));
    return numbers;
}

}  // namespace

std::int64_t wideInteger(Random& random) {
    using Limits = std::numeric_limits<std::int64_t>;
    constexpr std::array Ends{Limits::max(), Limits::min(), Limits::max() - 1, Limits::min() + 1};
    if (random.chance(0.3)) return Ends[random.below(Ends.size())];
    // A power of two and its neighbours, or any number with a uniform number of bits.
    const std::uint64_t power = std::uint64_t{1} << static_cast<std::uint64_t>(random.integer(30, 63));
    const std::uint64_t size = random.chance(0.3) ? power + static_cast<std::uint64_t>(random.integer(-1, 1))
                                                  : power | (random.next() % power);
    return static_cast<std::int64_t>(random.chance(0.5) ? size : 0 - size);
}

std::vector<std::int64_t> affordableSizes(const ir::TermBank& bank, const ir::Function& function,
                                          const std::vector<std::int64_t>& integers) {
    std::vector<std::int64_t> sizes;
    for (const std::int64_t size : integers) {
        const bool isAffordable =
            size >= 0 && size <= LargestUsualInteger && numbersIn(bank, function, size) <= MostNumbersOfSize;
        if (isAffordable && std::ranges::find(sizes, size) == sizes.end()) sizes.push_back(size);
    }
    return sizes;
}

Result<Inputs> randomTreeInputs(const ir::TermBank& bank, const ir::Function& function, Random& random,
                                const InputOptions& options) {
    return InputMaker(bank, random, options).make(function);
}

Result<Inputs> sizedInputs(const ir::TermBank& bank, const ir::Function& function, Random& random,
                           std::int64_t defaultSize) {
    const double numbers = numbersIn(bank, function, defaultSize);
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
