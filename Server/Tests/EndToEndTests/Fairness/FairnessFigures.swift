import Foundation
import Synchronization
import TestKit

/// The latencies of one operation in milliseconds, and its refusals.
struct OperationFigures: Decodable {
    let count: Int
    let p50: Double
    let p95: Double
    let p99: Double
    let most: Double
    /// The number of refusals by status or by the name of the error.
    let refused: [String: Int]

    var refusedCount: Int { refused.values.reduce(0, +) }
}

typealias PeopleFigures = [String: OperationFigures]

/// The measurements while one account or network took all it could get of a resource.
struct PartFigures {
    let resource: GreedyResource
    let victims: PeopleFigures
    /// The figures of a client with the attacker's account and network.
    let control: OperationFigures?
    /// The attacker's summary of its responses.
    let attack: String
    /// The peak memory of the server's process in bytes.
    let memory: Int
    /// The growth of the stored and staged files in bytes.
    let stored: Int

    /// The refusals that victims got.
    var refusals: [String] {
        victims.filter { $0.value.refusedCount > 0 }.map { "\($0.key) \($0.value.refused)" }.sorted()
    }

    /// The operations that exceeded their limit, each with a line for the report. Compares the 99th percentile; the small form, which has
    /// too few samples for it, compares the median. A resource with `mostWait` has limits of its own.
    func slow(_ idle: PeopleFigures, _ scale: FairnessScale) -> [String: String] {
        if let most = resource.mostWait { return exceeding(idle, most) }
        var slow: [String: String] = [:]
        for (name, figures) in victims {
            // A debug build hashes a password in a second, so the small form sees one or two sign-ins and judges only their refusals.
            if name == "signin", !scale.isFull { continue }
            let usual = idle[name].map { scale.isFull ? $0.p99 : $0.p50 } ?? 0
            let measured = scale.isFull ? figures.p99 : figures.p50
            let limit = max(3 * usual, scale.floor)
            if measured > limit { slow[name] = "\(name): \(measured) ms of \(limit) ms" }
        }
        return slow
    }

    private func exceeding(_ idle: PeopleFigures, _ most: (median: Double, longest: Double)) -> [String: String] {
        var slow: [String: String] = [:]
        for (name, figures) in victims {
            if let median = resource.mostMedian(of: name) {
                if figures.p50 > median { slow[name] = "\(name): median \(figures.p50) ms of \(median) ms" }
                continue
            }
            let usual = idle[name]
            let median = max(3 * (usual?.p50 ?? 0), most.median)
            let longest = max(3 * (usual?.p99 ?? 0), most.longest)
            guard figures.p50 > median || figures.most > longest else { continue }
            slow[name] = "\(name): median \(figures.p50) ms of \(median) ms, longest \(figures.most) ms of \(longest) ms"
        }
        return slow
    }

    /// A number of `attack`: how often the attacker got a response, or the most that it held.
    func attackCount(_ name: String) -> Int {
        let counts = try? JSONDecoder().decode([String: [String: Int]].self, from: Data(attack.utf8))
        return counts?[resource.rawValue]?[name] ?? 0
    }

    /// Whether a client with the attacker's account and network was refused or slow.
    func isControlHurt(_ idle: PeopleFigures) -> Bool {
        guard let control, let operation = resource.controlOperation else { return true }
        return control.refusedCount > 0 || control.p50 > max(3 * (idle[operation]?.p50 ?? 100), 100)
    }
}

/// The table that the campaign prints, in Markdown.
enum FairnessTable {
    static func head(_ idle: PeopleFigures) -> String {
        let names = GreedyResource.operations
        return """
            | resource | \(names.joined(separator: " | ")) | refused | the attacker's own | memory, MB |
            |\(String(repeating: "---|", count: names.count + 4))
            | idle: p99, ms | \(names.map { number(idle[$0]?.p99) }.joined(separator: " | ")) | 0 | | |
            """
    }

    static func row(_ part: PartFigures) -> String {
        let names = GreedyResource.operations
        let refused = part.refusals.isEmpty ? "0" : part.refusals.joined(separator: "; ")
        let control = part.control.map {
            "\(part.resource.controlOperation ?? ""): p50 \(number($0.p50)), \($0.refusedCount) of \($0.count) refused"
        }
        let waits = names.map { number(part.victims[$0]?.p99) }.joined(separator: " | ")
        return "| \(part.resource.title) | \(waits) | \(refused) | \(control ?? "") | \(part.memory >> 20) |"
    }

    /// The median and the longest wait of each operation, for a resource with `mostWait`. The table has neither.
    static func waits(_ part: PartFigures) -> String {
        let names = GreedyResource.operations.filter { part.victims[$0] != nil }
        return names.map { "\($0) \(number(part.victims[$0]?.p50)), \(number(part.victims[$0]?.most))" }.joined(separator: "; ")
    }

    private static func number(_ value: Double?) -> String {
        guard let value else { return "" }
        return value < 10 ? "\((value * 10).rounded() / 10)" : "\(Int(value.rounded()))"
    }
}

/// Records the peak memory of a process, sampled twenty times a second on its own thread, because the test's threads are blocked.
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

    /// - Returns: the peak so far in bytes.
    func end() -> Int {
        isOver.withLock { $0 = true }
        return most.withLock { $0 }
    }
}
