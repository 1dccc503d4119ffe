// SPDX-License-Identifier: GPL-3.0-or-later
// Sets variables where their values are computed.
#pragma once

#include "core/ir/type_table.h"
#include "core/loops/form.h"

namespace mitos::loops {

/// A constant whose value a variable of the blocks around gets later becomes that variable, unless something would see the difference. A branch
/// does not set variables to the zeros that they are declared with. A vector that is copied where it is used last is moved.
void setDirectly(const ir::TypeTable& types, Function& function);

}  // namespace mitos::loops
