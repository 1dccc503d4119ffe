-- SPDX-License-Identifier: GPL-3.0-or-later
-- Steps that take a rule instance back are found by matching the program after them, which is kept for that.

ALTER TABLE states ADD COLUMN reversed INTEGER NOT NULL DEFAULT 0;  -- 0 or 1
ALTER TABLE states ADD COLUMN text TEXT NOT NULL DEFAULT '';        -- ks, of a reversed step's state; else empty
