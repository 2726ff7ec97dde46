import Foundation
import Synchronization
import TestKit

/// How one operation went, in milliseconds.
struct OperationFigures: Decodable {
    let count: Int
    let p50: Double
    let p95: Double
    let p99: Double
    let most: Double
    /// By status, or by the name of the error.
    let refused: [String: Int]

    var refusedCount: Int { refused.values.reduce(0, +) }
}

typealias PeopleFigures = [String: OperationFigures]

/// What was measured while one account or network took all it could get of a resource.
struct PartFigures {
    let resource: GreedyResource
    let victims: PeopleFigures
    /// The same account and network as the attacker.
    let control: OperationFigures?
    /// What the attacker was answered.
    let attack: String
    /// The most the server's process held, in bytes.
    let memory: Int
    /// By how much the files grew, in bytes.
    let stored: Int

    /// What was refused to victims.
    var refusals: [String] {
        victims.filter { $0.value.refusedCount > 0 }.map { "\($0.key) \($0.value.refused)" }.sorted()
    }

    /// Which operations took longer than they may: by the 99th percentile, and in the small form, which has too few of each for that, by
    /// the median.
    func slow(_ idle: PeopleFigures, _ scale: FairnessScale) -> [String: String] {
        var slow: [String: String] = [:]
        for (name, figures) in victims {
            // A debug build takes a second for a password, so the small form sees one or two sign-ins: it judges refusals only.
            if name == "signin", !scale.isFull { continue }
            let usual = idle[name].map { scale.isFull ? $0.p99 : $0.p50 } ?? 0
            let measured = scale.isFull ? figures.p99 : figures.p50
            let limit = max(3 * usual, scale.floor)
            if measured > limit { slow[name] = "\(name): \(measured) ms of \(limit) ms" }
        }
        return slow
    }

    /// Whether who shares the attacker's account and network was refused, or waited.
    func isControlHurt(_ idle: PeopleFigures) -> Bool {
        guard let control, let operation = resource.controlOperation else { return true }
        return control.refusedCount > 0 || control.p50 > max(3 * (idle[operation]?.p50 ?? 100), 100)
    }
}

/// The table that the campaign prints, in Markdown.
enum FairnessTable {
    static func head(_ idle: PeopleFigures) -> String {
        let names = GreedyResource.victims + ["export"]
        return """
            | resource | \(names.joined(separator: " | ")) | refused | the attacker's own | memory, MB |
            |\(String(repeating: "---|", count: names.count + 4))
            | idle: p99, ms | \(names.map { number(idle[$0]?.p99) }.joined(separator: " | ")) | 0 | | |
            """
    }

    static func row(_ part: PartFigures) -> String {
        let names = GreedyResource.victims + ["export"]
        let refused = part.refusals.isEmpty ? "0" : part.refusals.joined(separator: "; ")
        let control = part.control.map {
            "\(part.resource.controlOperation ?? ""): p50 \(number($0.p50)), \($0.refusedCount) of \($0.count) refused"
        }
        return
            "| \(part.resource.title) | \(names.map { number(part.victims[$0]?.p99) }.joined(separator: " | ")) | \(refused) | \(control ?? "") | \(part.memory >> 20) |"
    }

    private static func number(_ value: Double?) -> String {
        guard let value else { return "" }
        return value < 10 ? "\((value * 10).rounded() / 10)" : "\(Int(value.rounded()))"
    }
}

/// Looks at a process twenty times a second and remembers the most it held. On a thread of its own: the test's threads wait for programs.
final class MemoryWatch: Sendable {
    private let most = Mutex(0)
    private let isOver = Mutex(false)

    init(_ process: Int32) {
        Thread.detachNewThread { [self] in
            while !isOver.withLock({ $0 }) {
                let now = ProcessTree.residentByteCount(of: process)
                most.withLock { $0 = max($0, now) }
                Thread.sleep(forTimeInterval: 0.05)
            }
        }
    }

    /// - Returns: the most so far, in bytes.
    func end() -> Int {
        isOver.withLock { $0 = true }
        return most.withLock { $0 }
    }
}
