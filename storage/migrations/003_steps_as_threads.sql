-- SPDX-License-Identifier: GPL-3.0-or-later
-- Steps that rule, position and number of the match do not find again: those that take an instance back, and those whose match
-- leaves variables open. They are kept as threads of one step.

ALTER TABLE states ADD COLUMN thread TEXT NOT NULL DEFAULT '';  -- empty: rule, position and match do
