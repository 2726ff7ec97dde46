package import Database

extension JobStore {
    package static let migrations = [
        Migration(
            "jobs/001-job",
            [
                // attempt: the fencing token, which only grows. tries: attempts that count since the last retry by an operator; lost: those
                // whose worker died.
                """
                CREATE TABLE job (
                    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
                    kind TEXT COLLATE "C" NOT NULL,
                    key TEXT COLLATE "C",
                    owner TEXT COLLATE "C",
                    payload TEXT NOT NULL,
                    state TEXT COLLATE "C" NOT NULL,
                    attempt BIGINT NOT NULL,
                    tries BIGINT NOT NULL,
                    lost BIGINT NOT NULL,
                    run_at BIGINT NOT NULL,
                    lease_until BIGINT,
                    worker TEXT,
                    error TEXT,
                    created_at BIGINT NOT NULL,
                    CONSTRAINT job_state CHECK (state IN ('ready', 'running', 'parked')),
                    CONSTRAINT job_counts CHECK (attempt >= tries AND tries >= lost AND lost >= 0),
                    CONSTRAINT job_bounds CHECK (length(kind) <= 100 AND length(key) <= 200
                        AND length(payload) <= 65536 AND length(error) <= 2000),
                    CONSTRAINT job_lease CHECK ((state = 'running' AND lease_until IS NOT NULL AND worker IS NOT NULL)
                        OR (state <> 'running' AND lease_until IS NULL AND worker IS NULL))
                )
                """,
                "CREATE UNIQUE INDEX job_key ON job (kind, key) WHERE key IS NOT NULL",
                "CREATE INDEX job_owner ON job (owner) WHERE owner IS NOT NULL",
                "CREATE INDEX job_ready ON job (kind, run_at, id) WHERE state = 'ready'",
                // The index does not contain lease_until, so that PostgreSQL can renew leases in place. It has at most as many rows as
                // runners have slots.
                "CREATE INDEX job_running ON job (kind, run_at, id) WHERE state = 'running'",
                "CREATE INDEX job_parked ON job (kind, run_at, id) WHERE state = 'parked'",
            ]),
        // This index finds the accounts that wait, and the first job of each.
        Migration(
            "jobs/002-turns",
            ["CREATE INDEX job_turn ON job (kind, owner, run_at, id) WHERE state = 'ready' AND owner IS NOT NULL"], release: 2),
        // turn_key: see `JobTurnKey`. The index finds the keys of jobs without an owner that wait, and the first job of each.
        Migration(
            "jobs/003-turn-key",
            [
                #"ALTER TABLE job ADD COLUMN turn_key TEXT COLLATE "C" CHECK (length(turn_key) BETWEEN 1 AND 200)"#,
                """
                CREATE INDEX job_unowned ON job (kind, turn_key, run_at, id)
                WHERE state = 'ready' AND owner IS NULL AND turn_key IS NOT NULL
                """,
            ], release: 2),
    ]
}
