import Core
import Foundation
import MediaFrames
import TestKit
import TestThreads
import Testing

@testable import MediaTools

/// Small documents that take the worker much longer than their size suggests.
@Suite("Cost of documents", .blocksThreads)
struct DocumentCostTests {
    /// A worker repeats short work that uses this much processor time as long work, so the number of jobs shows it. The documents of these
    /// tests take a tenth of this time.
    private static let limit: Duration = .milliseconds(100)

    /// How many jobs the check of a document takes, and how it ends.
    private static func check(
        _ document: [UInt8], limit: Duration = Self.limit
    ) async throws -> (jobs: Int, kind: DocumentKind?, failure: MediaFailure?) {
        try await WorkerFixture.run {
            $0.quickReadTimeout = limit
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

    /// A compound file of 12 KB whose directory has one sector. The allocation table says that this sector follows itself.
    private static func circle() -> [UInt8] {
        let signature: [UInt8] = [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]
        var header = signature + [UInt8](repeating: 0, count: 4_096 - signature.count)
        // The file has sectors of 4,096 bytes. Sector 0 is the allocation table, and sector 1 the directory.
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
        // A larger document would be long work.
        #expect(entries[0].name.utf8.count <= DocumentLimits.nameByteCount && document.count <= 500_000)
        let result = try await Self.check(document)
        #expect(result.kind == .docx && result.jobs == 1)
        // The worker treats two names as different although Unicode regards them as equal.
        let equal = [ZipBytes.Entry("word/\u{E9}.xml"), ZipBytes.Entry("word/e\u{301}.xml")]
        #expect(try await Self.check([UInt8](ZipBytes.docx(["words"], and: equal))).kind == .docx)
        let same = [ZipBytes.Entry("word/\u{E9}.xml"), ZipBytes.Entry("word/\u{E9}.xml")]
        #expect(try await Self.check([UInt8](ZipBytes.docx(["words"], and: same))).failure == .refused(.unsafePath))
    }

    /// A Word document of two words. Between them lie `zeros` bytes that belong to no text.
    private static func docx(zeros: Int) -> [UInt8] {
        var words = ZipBytes.Entry("word/document.xml", Data("<w:document><w:p><w:r><w:t>first</w:t>".utf8), zeros: zeros)
        words.tail = Data("<w:t>last</w:t></w:r></w:p></w:document>".utf8)
        // An archive may unpack to at most 200 times its size, so this entry makes the archive larger.
        let rest = ZipBytes.Entry("word/media/rest.bin", Data(count: zeros / 190))
        return [UInt8](ZipBytes.archive([ZipBytes.Entry("[Content_Types].xml", Data("<Types/>".utf8)), words, rest]))
    }

    @Test("a small document that unpacks to more than 16 MB is long work from the beginning")
    func unpacked() async throws {
        for (zeros, jobs) in [(15 << 20, 1), (17 << 20, 2)] {
            let document = Self.docx(zeros: zeros)
            #expect(document.count < 500_000)
            let result = try await Self.check(document, limit: .seconds(5))
            #expect(result.kind == .docx && result.jobs == jobs, "\(zeros >> 20) MB")
        }
        // A document with a photo, which is not compressed.
        let photo = ZipBytes.Entry("word/media/photo.jpg", Data(count: 400_000))
        let result = try await Self.check([UInt8](ZipBytes.docx(["words"], and: [photo])))
        #expect(result.kind == .docx && result.jobs == 1)
    }

    @Test("the text of a Word document ends after 32 MB of XML, and what was read until then is its text")
    func text() async throws {
        for (zeros, expected) in [(0, "firstlast\n"), (31 << 20, "firstlast\n"), (33 << 20, "first")] {
            let document = Self.docx(zeros: max(1, zeros))
            try await WorkerFixture.run { workers in
                let before = workers.taken
                let file = try MemoryFile(document)
                let text = try await workers.text(file.descriptor, of: .docx)
                #expect(String(decoding: text, as: UTF8.self) == expected, "\(zeros >> 20) MB")
                // The worker refuses the larger documents as short work, because reading them may take long.
                #expect(workers.taken == before + (zeros == 0 ? 1 : 2))
                #expect(!workers.slowWork.contains(.server, of: .texts, at: .now))
            }
        }
    }

    @Test("tags are recognised with and without the prefix of a namespace, and a section of data is text")
    func tags() async throws {
        let xml = "<document><a:p><r><a:b:t>one</a:b:t><tab/></r></a:p><:p><w:t><![CDATA[<t>]]&]]]></w:t><br/></p><t/>no</document>"
        let document = ZipBytes.archive([
            ZipBytes.Entry("[Content_Types].xml", Data("<Types/>".utf8)), ZipBytes.Entry("word/document.xml", Data(xml.utf8)),
        ])
        try await WorkerFixture.run { workers in
            let file = try MemoryFile([UInt8](document))
            let text = try await workers.text(file.descriptor, of: .docx)
            #expect(String(decoding: text, as: UTF8.self) == "one\t\n<t>]]&]\n\n")
        }
    }

    @Test("the directory of an older document is read to its end")
    func older() async throws {
        let result = try await Self.check([UInt8](DocumentBytes.doc("words")))
        #expect(result.kind == .doc && result.jobs == 1)
    }
}
