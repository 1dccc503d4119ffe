// SPDX-License-Identifier: GPL-3.0-or-later
// The only include of QCustomPlot. Its header uses Qt's keywords, which are disabled in the rest of the code.
#pragma once

#include <QtGlobal>

#define signals Q_SIGNALS
#define slots Q_SLOTS
#define emit Q_EMIT
#define foreach(declaration, container) for (declaration : container)  // NOLINT(bugprone-macro-parentheses)

#include <qcustomplot.h>

#undef signals
#undef slots
#undef emit
#undef foreach
