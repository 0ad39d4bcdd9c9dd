-- API keys, quotas, blocks and tokens beside the revisions; who changed what; what was used; what waits to be approved.
-- Only new tables: the release before runs on, and does not know of them.

-- seq is that of the last write to the row, the removal included, in the same order as overrides (override_marks).
-- gone_at is when it ends by itself without leaving a trace, or was removed; user_name, org and name are what it is
-- found by.
CREATE TABLE entries (
    kind       TEXT   NOT NULL,
    id         TEXT   NOT NULL,
    seq        BIGINT NOT NULL,
    user_name  TEXT,
    org        TEXT,
    name       TEXT,
    body       TEXT   NOT NULL,
    gone_at    BIGINT,
    removed_at BIGINT,
    created_at BIGINT NOT NULL,
    created_by TEXT   NOT NULL,
    changed_at BIGINT NOT NULL,
    changed_by TEXT   NOT NULL,
    PRIMARY KEY (kind, id)
);
CREATE INDEX entries_seq ON entries (seq, kind, id);
CREATE INDEX entries_kind ON entries (kind, seq, id);
CREATE INDEX entries_user ON entries (kind, user_name);
CREATE INDEX entries_org ON entries (kind, org);
CREATE INDEX entries_gone ON entries (gone_at);

-- Who changed what. Rows are only ever added; triggers see to that.
CREATE TABLE audit (
    id           BIGINT NOT NULL PRIMARY KEY,
    at           BIGINT NOT NULL,
    actor        TEXT   NOT NULL,
    role         TEXT,
    from_address TEXT,
    request_id   TEXT,
    action       TEXT   NOT NULL,
    object_kind  TEXT   NOT NULL,
    object_id    TEXT   NOT NULL,
    before_json  TEXT,
    after_json   TEXT,
    reason       TEXT,
    ended        TEXT   NOT NULL,
    times        BIGINT NOT NULL
);
CREATE INDEX audit_at ON audit (at, id);
CREATE INDEX audit_actor ON audit (actor, id);
CREATE INDEX audit_object ON audit (object_kind, object_id, id);

-- Days are days since 1970, UTC.
CREATE TABLE usage_days (
    kind    TEXT   NOT NULL,
    id      TEXT   NOT NULL,
    day     BIGINT NOT NULL,
    allowed BIGINT NOT NULL,
    denied  BIGINT NOT NULL,
    last_at BIGINT NOT NULL,
    PRIMARY KEY (kind, id, day)
);
CREATE INDEX usage_days_day ON usage_days (day);

CREATE TABLE usage_totals (
    kind    TEXT   NOT NULL,
    id      TEXT   NOT NULL,
    allowed BIGINT NOT NULL,
    denied  BIGINT NOT NULL,
    last_at BIGINT NOT NULL,
    PRIMARY KEY (kind, id)
);

-- The last telling of each run of a node: what is told again counts once.
CREATE TABLE usage_nodes (
    node    TEXT   NOT NULL PRIMARY KEY,
    number  BIGINT NOT NULL,
    told_at BIGINT NOT NULL
);
CREATE INDEX usage_nodes_told ON usage_nodes (told_at);

-- Changes that wait for somebody else to approve them. settled_* is none while they wait.
CREATE TABLE proposals (
    id             BIGINT NOT NULL PRIMARY KEY,
    asked          TEXT   NOT NULL,
    author         TEXT   NOT NULL,
    role           TEXT,
    from_address   TEXT,
    request_id     TEXT,
    reason         TEXT,
    created_at     BIGINT NOT NULL,
    expires_at     BIGINT NOT NULL,
    state          TEXT   NOT NULL,
    settled_by     TEXT,
    settled_at     BIGINT,
    settled_reason TEXT
);
CREATE INDEX proposals_state ON proposals (state, expires_at);

-- What holds for the whole database: the fingerprint of the secret that API keys are hashed with.
CREATE TABLE settings (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);
