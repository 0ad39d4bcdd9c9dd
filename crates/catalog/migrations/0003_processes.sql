-- The processes that share counters in Redis: a copy of its register, should Redis lose it.
-- In the words that SQLite and PostgreSQL share.
CREATE TABLE processes (
    fleet      TEXT   NOT NULL,
    process    TEXT   NOT NULL,
    node_id    TEXT   NOT NULL,
    first_seen BIGINT NOT NULL,
    last_seen  BIGINT NOT NULL,
    life       BIGINT NOT NULL,
    PRIMARY KEY (fleet, process)
);
