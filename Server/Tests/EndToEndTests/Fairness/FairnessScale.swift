import Foundation
import TestKit

/// The size of the campaign. `KEEPSAKE_FAIRNESS_SECONDS` and `KEEPSAKE_FAIRNESS_PARTS` shorten the full form.
/// `KEEPSAKE_FAIRNESS_BINARY` tests another build of the program; with a build without shares, each part fails.
struct FairnessScale {
    let isFull = CampaignScale.isFull("fairness")

    private static func setting(_ name: String) -> String? {
        ProcessInfo.processInfo.environment["KEEPSAKE_FAIRNESS_\(name)"].flatMap { $0.isEmpty ? nil : $0 }
    }

    let binary = Self.setting("BINARY")

    /// The length of each part, and of the idle measurement before them, in seconds.
    var seconds: Double { Self.setting("SECONDS").flatMap { Double($0) } ?? (isFull ? 30 : 1) }

    /// A delay in milliseconds that is always acceptable for a victim, because attackers and server share the processors.
    /// The small form runs a debug build, in which an upload beside rewrites and deletions takes 60 to 80 ms; without shares it takes seconds.
    var floor: Double { isFull ? 25 : 100 }

    /// The most attempts at a part. A part ends earlier, once no operation was slow in every attempt. Refusals count in each attempt.
    var tries: Int { binary != nil ? 1 : isFull ? 2 : 3 }

    var victimCount: Int { isFull ? 20 : 3 }
    var quotaMegabytes: Int { isFull ? 128 : 48 }
    /// The number of accounts that are deleted while others write.
    var leavingCount: Int { isFull ? 10 : 1 }
    /// Random bytes in SQLite's file, so that rewriting the whole file would be slow.
    var ballastByteCount: Int { isFull ? 385 << 20 : 0 }
    var notes: Int { isFull ? 400 : 40 }
    var filmByteCount: Int { isFull ? 8_800_000 : 4_000_000 }

    /// Settings for the Python clients. The full form opens 100 unfinished forms on each connection, and up to 50 new streams a second in
    /// place of those that ended. A debug build needs about 4 ms of processor time for each, so the small form opens fewer: otherwise it
    /// would measure the build.
    var numbers: [String: Any] {
        isFull
            ? [
                "places": 512, "bodies": 1_200, "downloads": 300, "streams": 10, "forms_each": 100, "reopened": 50, "staged": 12,
                "staged_bytes": 40_000_000,
                "seconds_between_deletions": 3, "longest_start": 8, "entries": 600,
            ]
            : [
                "places": 512, "bodies": 240, "downloads": 300, "streams": 3, "forms_each": 30, "reopened": 9, "staged": 6,
                "staged_bytes": 20_000_000,
                "seconds_between_deletions": 1, "longest_start": 1.5, "entries": 60,
            ]
    }

    /// The small form tests each of its resources on one of the engines, and everything at once on the first.
    func parts(_ engine: Engine) -> [GreedyResource] {
        if let named = Self.setting("PARTS") { return named.split(separator: ",").compactMap { GreedyResource(rawValue: String($0)) } }
        if isFull { return GreedyResource.allCases }
        return GreedyResource.allCases.filter(\.isInSmallForm).enumerated().filter { index, _ in
            (index % 2 == 0) == (engine == .sqlite)
        }.map(\.element)
    }
}
