// SPDX-License-Identifier: GPL-3.0-or-later
// The same for tests without widgets.
#pragma once

#include "cmake/precompiled/core.h"

#include <QtCore>
#include <QtTest>
#include <fstream>
#include <iostream>
#include <sstream>
