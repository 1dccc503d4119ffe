-- SPDX-License-Identifier: GPL-3.0-or-later
-- Steps say their substitution, so that restoring a history needs no matching.

ALTER TABLE states ADD COLUMN substitution TEXT;  -- NULL: `thread` or, in rows of earlier versions, `match` says the instance
