// SPDX-License-Identifier: GPL-3.0-or-later
// The same for the views and the desktop: Qt Widgets too.
#pragma once

#include "cmake/precompiled/core.h"

#include <QtWidgets>
