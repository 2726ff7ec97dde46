package import Core
package import Database

/// Lets one node of an installation do periodic work that would be wasteful on all of them. The work must be correct on several nodes at
/// once: a node that is slow may still be at work when the next turn begins.
package struct Turns: TableOwner {
    /// A turn that begins later than this, in addition to the pause, was taken by a node whose clock was ahead. Without this bound, no node
    /// would do the work until that time comes.
    private static let mostAhead = Duration.days(1)

    private let database: any Database
    private let clock: WallClock

    package init(database: any Database, clock: WallClock) {
        self.database = database
        self.clock = clock
    }

    package static let migrations = [
        Migration(
            "nodes/002-turn",
            [
                // next_at: when the work is due again. One row for each kind of work.
                #"CREATE TABLE node_turn (work TEXT COLLATE "C" PRIMARY KEY NOT NULL, next_at BIGINT NOT NULL)"#
            ])
    ]

    package static var localTables: [String] { ["node_turn"] }

    /// Asks for the turn to do `work`, a constant of the program. If the node then dies, the work waits for the next turn.
    /// - Parameter pause: until the next turn of any node.
    /// - Returns: whether the work is due and no other node has taken it.
    package func take(_ work: String, every pause: Duration) async throws -> Bool {
        try await database.run(Self.take(work, now: clock.now, pause)) == 1
    }

    static func take(_ work: String, now: Timestamp, _ pause: Duration) -> SQL {
        """
        INSERT INTO node_turn (work, next_at) VALUES (\(work), \(now + pause))
        ON CONFLICT (work) DO UPDATE SET next_at = excluded.next_at
        WHERE node_turn.next_at <= \(now) OR node_turn.next_at > \(now + pause + mostAhead)
        """
    }
}
