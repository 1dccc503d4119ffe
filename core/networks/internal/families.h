// SPDX-License-Identifier: GPL-3.0-or-later
// The builders of the networks.
#pragma once

#include "core/networks/internal/network_builder.h"

namespace mitos::networks {

tensor::Model buildBert(ir::TermBank& bank, Style style);
tensor::Model buildInception(ir::TermBank& bank, Style style);
tensor::Model buildMobileNet(ir::TermBank& bank, Style style);
tensor::Model buildNasNet(ir::TermBank& bank, Style style);
tensor::Model buildNasRnn(ir::TermBank& bank, Style style);
tensor::Model buildResNet(ir::TermBank& bank, Style style);
tensor::Model buildResNext(ir::TermBank& bank, Style style);
tensor::Model buildSqueezeNet(ir::TermBank& bank, Style style);
tensor::Model buildVgg(ir::TermBank& bank, Style style);
tensor::Model buildTransducer(ir::TermBank& bank, Style style);
tensor::Model buildVitBase(ir::TermBank& bank, Style style);
tensor::Model buildVitLarge(ir::TermBank& bank, Style style);
tensor::Model buildVitHuge(ir::TermBank& bank, Style style);

}  // namespace mitos::networks
