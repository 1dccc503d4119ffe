// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/optimize.h"

#include "core/loops/buffers.h"
#include "core/loops/fuse.h"
#include "core/loops/hoist.h"
#include "core/loops/in_place.h"
#include "core/loops/interchange.h"
#include "core/loops/products.h"
#include "core/loops/share.h"
#include "core/loops/sizes.h"

namespace mitos::loops {

void optimize(const ir::TypeTable& types, Program& program) {
    for (Function& function : program.functions) {
        nameSizes(types, function);
        fuse(types, function);
        interchange(types, function);
        share(types, function);
        hoist(types, function);
        reuseInPlace(types, function);
        findProducts(types, function);
        reuseBuffers(types, function);
    }
}

}  // namespace mitos::loops
