-- SPDX-License-Identifier: GPL-3.0-or-later
-- The first schema. Never edited after its release: changes are further migrations.

CREATE TABLE programs (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    title     TEXT NOT NULL,
    source    TEXT NOT NULL,  -- path of the file; empty for typed text
    text      TEXT NOT NULL,  -- ks
    opened_at TEXT NOT NULL   -- ISO 8601, UTC
);

-- The history of a program: a tree. State 0 is the start and has no parent.
CREATE TABLE states (
    program  INTEGER NOT NULL REFERENCES programs(id) ON DELETE CASCADE,
    id       INTEGER NOT NULL,
    parent   INTEGER,
    rule     TEXT NOT NULL,     -- direction name
    position TEXT NOT NULL,     -- "/0/2"
    match    INTEGER NOT NULL,  -- number among the matches of that rule there
    hash     INTEGER NOT NULL,  -- content hash of the state's term, as a signed 64-bit number
    cost     REAL,              -- NULL: not a number
    origin   TEXT NOT NULL,
    name     TEXT NOT NULL,
    PRIMARY KEY (program, id),
    FOREIGN KEY (program, parent) REFERENCES states(program, id) DEFERRABLE INITIALLY DEFERRED
) WITHOUT ROWID;

CREATE TABLE runs (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    program        INTEGER NOT NULL REFERENCES programs(id) ON DELETE CASCADE,
    start_state    INTEGER NOT NULL,
    strategy       TEXT NOT NULL,
    parameters     TEXT NOT NULL,     -- JSON object
    rules          TEXT NOT NULL,
    cost_model     TEXT NOT NULL,
    budget         TEXT NOT NULL,     -- JSON object
    seed           INTEGER NOT NULL,  -- as a signed 64-bit number
    started_at     TEXT NOT NULL,     -- ISO 8601, UTC
    status         TEXT NOT NULL CHECK (status IN ('running', 'finished', 'interrupted')),
    process        INTEGER NOT NULL,  -- id of the process that runs it, and when that process began
    process_start  TEXT NOT NULL,
    stop           TEXT NOT NULL,
    initial_cost   REAL,
    best_cost      REAL,
    thread_checked INTEGER NOT NULL,
    thread         TEXT NOT NULL,
    statistics     TEXT NOT NULL      -- JSON object
);
CREATE INDEX runs_of_program ON runs(program);

CREATE TABLE events (
    run          INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
    number       INTEGER NOT NULL,  -- 0, 1, … in order of arrival
    kind         INTEGER NOT NULL,  -- 0 started, 1 progress, 2 improved, 3 finished
    seconds      REAL NOT NULL,
    evaluations  INTEGER NOT NULL,
    states       INTEGER NOT NULL,
    frontier     INTEGER NOT NULL,
    memory_bytes INTEGER NOT NULL,
    cost         REAL,
    best         REAL,
    path_length  INTEGER NOT NULL,
    rule         TEXT,              -- improved: of the last step
    reason       TEXT,              -- finished: why
    PRIMARY KEY (run, number)
) WITHOUT ROWID;

-- View state and settings of this session.
CREATE TABLE session_values (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
