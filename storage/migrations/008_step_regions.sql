-- SPDX-License-Identifier: GPL-3.0-or-later
-- Steps say the region of a partition that they are taken within.

ALTER TABLE states ADD COLUMN region TEXT NOT NULL DEFAULT '';  -- as rewrite::toString writes it; '': none, or `thread` says it
