-- Rules with their revisions, overrides beside them, and the nodes that run them.
-- Written in the words that SQLite and PostgreSQL share: whole numbers, texts, moments in microseconds.

CREATE TABLE schema_version (
    one        BIGINT NOT NULL PRIMARY KEY CHECK (one = 1),
    version    BIGINT NOT NULL,
    min_reader BIGINT NOT NULL
);

CREATE TABLE revisions (
    number     BIGINT NOT NULL PRIMARY KEY,
    hash       TEXT   NOT NULL,
    kind       TEXT   NOT NULL,
    back_to    BIGINT,
    author     TEXT   NOT NULL,
    reason     TEXT,
    created_at BIGINT NOT NULL,
    changed    BIGINT NOT NULL
);

-- An item is part of every revision n with from_revision <= n < to_revision. What is still in force ends at
-- the largest number there is. Rows are closed, never changed or deleted: this is the history.
CREATE TABLE items (
    kind             TEXT   NOT NULL,
    id               TEXT   NOT NULL,
    name             TEXT   NOT NULL,
    position         BIGINT NOT NULL,
    body             TEXT   NOT NULL,
    hash             TEXT   NOT NULL,
    created_revision BIGINT NOT NULL,
    from_revision    BIGINT NOT NULL,
    to_revision      BIGINT NOT NULL,
    PRIMARY KEY (kind, id, from_revision)
);
CREATE INDEX items_from ON items (from_revision);
CREATE INDEX items_to ON items (to_revision);

-- Overrides made through the API. seq is that of the last write to the row, the removal included;
-- gone_at is when it ends by itself or was removed. rule_id stays when the rule is renamed; rule is what it
-- is called now.
CREATE TABLE overrides (
    id         BIGINT NOT NULL PRIMARY KEY,
    seq        BIGINT NOT NULL,
    rule_id    TEXT,
    rule       TEXT,
    facts      TEXT   NOT NULL,
    body       TEXT   NOT NULL,
    gone_at    BIGINT,
    author     TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    removed_at BIGINT,
    removed_by TEXT
);
CREATE INDEX overrides_seq ON overrides (seq, id);
CREATE INDEX overrides_rule ON overrides (rule);
CREATE INDEX overrides_facts ON overrides (facts);
CREATE INDEX overrides_gone ON overrides (gone_at);

-- One row for every write to the overrides. mark is a hash of the write and of the mark before it, so that
-- two catalogs with equal marks have equal pasts. last_id is the last id that was given.
CREATE TABLE override_marks (
    seq        BIGINT NOT NULL PRIMARY KEY,
    mark       TEXT   NOT NULL,
    last_id    BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE nodes (
    node_id      TEXT   NOT NULL PRIMARY KEY,
    revision     BIGINT NOT NULL,
    content_hash TEXT   NOT NULL,
    override_seq BIGINT NOT NULL,
    started_at   BIGINT NOT NULL,
    seen_at      BIGINT NOT NULL,
    alive_until  BIGINT NOT NULL
);

INSERT INTO schema_version (one, version, min_reader) VALUES (1, 0, 0);
