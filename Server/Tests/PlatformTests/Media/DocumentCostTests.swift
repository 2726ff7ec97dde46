import Foundation
import MediaFrames
import MediaTools
import TestKit
import TestThreads
import Testing

/// Small documents that take the worker much longer than their size suggests.
@Suite("Cost of documents", .blocksThreads)
struct DocumentCostTests {
    /// Short work that uses this much processor time is done again as long work, so the jobs show it. A document here takes a tenth.
    private static let limit: Duration = .milliseconds(100)

    /// How many jobs the check of a document takes, and how it ends.
    private static func check(_ document: [UInt8]) async throws -> (jobs: Int, kind: DocumentKind?, failure: MediaFailure?) {
        try await WorkerFixture.run {
            $0.quickReadTimeout = Self.limit
        } _: { workers in
            let before = workers.taken
            let file = try MemoryFile(document)
            do {
                let kind = try await workers.document(file.descriptor)
                return (workers.taken - before, kind, nil)
            } catch let failure as MediaFailure {
                return (workers.taken - before, nil, failure)
            }
        }
    }

    private static func little(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }

    /// 30 marks in an order that makes Unicode's normalisation slow.
    private static let marks: [UInt16] =
        [UInt16](repeating: 0x345, count: 2) + [UInt16](repeating: 0x344, count: 10) + [UInt16](repeating: 0xF81, count: 18)

    /// A compound file of 12 KB whose directory is one sector, which follows itself.
    private static func circle() -> [UInt8] {
        let signature: [UInt8] = [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]
        var header = signature + [UInt8](repeating: 0, count: 4_096 - signature.count)
        // Sectors of 4,096 bytes. The directory is sector 1, the allocation table sector 0.
        header.replaceSubrange(30..<32, with: little(12, 2))
        header.replaceSubrange(48..<52, with: little(1, 4))
        header.replaceSubrange(68..<72, with: little(0xFFFF_FFFE, 4))
        header.replaceSubrange(80..<512, with: [UInt8](repeating: 0xFF, count: 432))
        var table = [UInt8](repeating: 0, count: 4_096)
        table.replaceSubrange(4..<8, with: little(1, 4))
        var directory: [UInt8] = []
        for number in 0..<32 {
            let name = ([UInt16(0x41 + number)] + marks).flatMap { little(Int($0), 2) }
            directory += name + little(0, 2) + little(name.count + 2, 2) + [UInt8](repeating: 0, count: 62)
        }
        return header + table + directory
    }

    @Test("a compound file's directory that follows itself is read no further than the file is long")
    func directory() async throws {
        let document = Self.circle()
        #expect(document.count == 12_288)
        let result = try await Self.check(document)
        #expect(result.failure == .refused(.unreadable) && result.jobs == 1)
    }

    @Test("names of an archive are compared by their bytes")
    func names() async throws {
        // 502 marks of two bytes each, in an order that makes Unicode's normalisation slow.
        let marks = [("\u{345}", 2), ("\u{301}", 200), ("\u{316}", 200), ("\u{5B0}", 100)].map { String(repeating: $0, count: $1) }.joined()
        let entries = (0..<220).map { ZipBytes.Entry("word/\(1_000 + $0)" + marks) }
        let document = [UInt8](ZipBytes.docx(["words"], and: entries))
        // A larger document is long work.
        #expect(entries[0].name.utf8.count <= DocumentLimits.nameByteCount && document.count <= 500_000)
        let result = try await Self.check(document)
        #expect(result.kind == .docx && result.jobs == 1)
        // Two names that Unicode regards as equal are two names.
        let equal = [ZipBytes.Entry("word/\u{E9}.xml"), ZipBytes.Entry("word/e\u{301}.xml")]
        #expect(try await Self.check([UInt8](ZipBytes.docx(["words"], and: equal))).kind == .docx)
        let same = [ZipBytes.Entry("word/\u{E9}.xml"), ZipBytes.Entry("word/\u{E9}.xml")]
        #expect(try await Self.check([UInt8](ZipBytes.docx(["words"], and: same))).failure == .refused(.unsafePath))
    }

    @Test("the directory of an older document is read to its end")
    func older() async throws {
        let result = try await Self.check([UInt8](DocumentBytes.doc("words")))
        #expect(result.kind == .doc && result.jobs == 1)
    }
}
