import Foundation
import TestKit
import Testing

@testable import KeepsakeKit

/// Files in a queue's folder that are damaged or do not belong to the queue.
@Suite("KeepsakeKit's offline queue: its folder", .timeLimit(.minutes(1)))
final class QueueFolderTests {
    private let folder: TemporaryFolder
    private let scope: QueueScope

    init() throws {
        let folder = try TemporaryFolder()
        scope = QueueFolder(root: URL(filePath: folder.path + "/queue"), server: "http://test").scope(of: "ada")
        self.folder = folder
    }

    /// Adds an entry.
    /// - Parameter change: changes the entry before it is written.
    private func add(_ id: String, _ change: (inout StoredEntry) -> Void = { _ in }) async throws {
        let draft = try QueueDraft(id: id, in: scope)
        var entry = StoredEntry(
            id: id, server: "http://test", userID: "ada", kind: "mood", label: "", queuedAt: Date(timeIntervalSince1970: 0))
        change(&entry)
        try await draft.commit(entry)
    }

    private var waiting: [String] { get throws { try scope.all().map(\.entry.id) } }

    @Test("a hidden file of the system among the entries does not stop the queue")
    func hiddenFile() async throws {
        try await add("a")
        try Data().write(to: URL(filePath: scope.path + "/waiting/.DS_Store"))
        #expect(try scope.names(.waiting).count == 1)
        #expect(try waiting == ["a"])
    }

    @Test(
        "a damaged file with the last number does not end the process",
        arguments: ["9223372036854775807", "-9223372036854775808", "x", ""])
    func damagedNumber(_ text: String) async throws {
        try await add("a")
        try Data(text.utf8).write(to: URL(filePath: scope.path + "/number"))
        try await add("b")
        try await add("c")
        #expect(try waiting == ["a", "b", "c"])
    }

    @Test("an entry with impossible numbers is passed over, and the next one is read")
    func damagedEntry() async throws {
        try await add("a") { $0.step = -1 }
        try await add("b") { $0.step = 1 }
        try await add("c") { $0.attempts = .max }
        try await add("d")
        #expect(try waiting == ["d"])
    }

    @Test("an entry of which enqueue cannot say that it is durable does not wait: the app adds it again")
    func notDurable() async throws {
        try await add("a")
        let draft = folder.path + "/draft"
        try FileManager.default.createDirectory(atPath: draft, withIntermediateDirectories: false)
        // Without this folder, syncing the folder of the drafts fails.
        try FileManager.default.removeItem(atPath: scope.path + "/new")
        await #expect(throws: CocoaError.self) { try await scope.append(draft, id: "b") }
        #expect(try scope.names(.waiting).count == 1)
        #expect(try waiting == ["a"])
    }

    @Test("a capture that cannot be read now waits; one that is missing or damaged is parked")
    func unreadableCapture() throws {
        let step = StoredEntry.Step(
            method: StoredEntry.Step.capture, path: "", surface: "captures", contentType: nil, body: "body-0", key: nil, takes: [:])
        func verdict() -> QueueRules.Verdict? {
            do {
                _ = try step.capture(in: folder.path)
                return nil
            } catch {
                return QueueRules.verdict(KeepsakeError(transport: error), attempts: 1, wasSent: false, age: 0)
            }
        }
        let file = URL(filePath: folder.path + "/body-0")
        #expect(verdict() == .park)
        try Data("{".utf8).write(to: file)
        #expect(verdict() == .park)
        try JSONEncoder().encode(CaptureInput(id: "a", timestamp: Date(timeIntervalSince1970: 0))).write(to: file)
        #expect(verdict() == nil)
        // A folder stands in for a file that cannot be read while the device is locked.
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        #expect(verdict() == .wait)
    }
}
