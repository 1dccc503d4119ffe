// SPDX-License-Identifier: GPL-3.0-or-later
// The precompiled headers need a source of their own to be compiled with.
