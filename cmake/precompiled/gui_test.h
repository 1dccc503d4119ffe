// SPDX-License-Identifier: GPL-3.0-or-later
// The same for tests that drive widgets.
#pragma once

#include "cmake/precompiled/qt.h"

#include <QtTest>
