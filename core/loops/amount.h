// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers of operations or bytes as polynomials in the sizes of a program.
#pragma once

#include <absl/functional/function_ref.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::loops {

/// A polynomial whose variables are sizes, by name: 2*l*m*n + m*n.
class Amount {
public:
    Amount() = default;
    /// A number.
    explicit Amount(double number);
    /// The size of that name.
    static Amount named(std::string name);

    Amount& operator+=(const Amount& other);
    Amount& operator-=(const Amount& other);
    friend Amount operator+(Amount a, const Amount& b) { return a += b; }
    friend Amount operator-(Amount a, const Amount& b) { return a -= b; }
    friend Amount operator*(const Amount& a, const Amount& b);
    /// An upper bound of both, as long as the sizes are not negative: the larger of each two coefficients.
    friend Amount larger(const Amount& a, const Amount& b);
    friend bool operator==(const Amount&, const Amount&) = default;

    [[nodiscard]] bool isZero() const { return m_coefficients.empty(); }
    /// The number for sizes of these values.
    [[nodiscard]] double at(absl::FunctionRef<double(std::string_view)> sizeOf) const;
    /// The products of most sizes alone.
    [[nodiscard]] Amount leading() const;
    /// The products of most sizes come first, then by name; 0 if there are none.
    [[nodiscard]] std::string text() const;

private:
    using Product = std::vector<std::string>;  ///< of names, sorted
    void add(const Product& product, double coefficient);

    std::map<Product, double> m_coefficients;  ///< none is 0
};

}  // namespace mitos::loops
