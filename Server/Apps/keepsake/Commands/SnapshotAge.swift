import ArgumentParser

/// The age up to which `keepsake backup prune` keeps snapshots: `12h`, `30d`. `Lifetime` also accepts minutes; this type does not, because
/// `1m` looks like a month, and would delete all snapshots but the newest.
struct SnapshotAge: Equatable {
    let duration: Duration

    /// - Throws: `ValidationError`, which says what to write.
    @Sendable
    static func parse(_ text: String) throws -> SnapshotAge {
        if Int64(text) != nil { throw ValidationError("The unit is missing. Write \(text)h for hours or \(text)d for days.") }
        guard let unit = text.last, unit == "h" || unit == "d" else {
            throw ValidationError("Write a number and its unit, h for hours or d for days: 12h, 30d.")
        }
        guard let lifetime = Lifetime(argument: text) else { throw ValidationError("The number must be between 1 and 1000000.") }
        return SnapshotAge(duration: lifetime.duration)
    }
}
