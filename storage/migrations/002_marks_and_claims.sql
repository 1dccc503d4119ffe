-- SPDX-License-Identifier: GPL-3.0-or-later
-- What users put on states, and who goes on with a history.

ALTER TABLE states ADD COLUMN note TEXT NOT NULL DEFAULT '';
ALTER TABLE states ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE states ADD COLUMN color INTEGER NOT NULL DEFAULT 0;  -- 1, 2, …: a categorical colour; 0: none

-- The session that goes on with the history of a program. A row counts only while its process runs, and only in the file
-- it was written to: copies are claimed by nobody.
CREATE TABLE claims (
    program       INTEGER PRIMARY KEY REFERENCES programs(id) ON DELETE CASCADE,
    process       INTEGER NOT NULL,
    process_start TEXT NOT NULL,
    file          TEXT NOT NULL  -- device and inode
);
