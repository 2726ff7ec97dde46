package import Foundation

/// A document or archive that costs much more than its size to open, or that is unsafe to open.
package struct HostileDocument: Sendable {
    package let name: String
    package let fileName: String
    package let data: Data
    /// Whether the server must refuse it. The other files are valid documents: the server stores them, even if it can read no text.
    package let isRefused: Bool

    /// One of each sort.
    /// - Parameter generator: varies the files in ways that keep them hostile.
    package static func all(_ generator: inout some RandomNumberGenerator) -> [HostileDocument] {
        archives(&generator) + documents(&generator)
    }

    private typealias Entry = ZipBytes.Entry

    private static func archives(_ generator: inout some RandomNumberGenerator) -> [HostileDocument] {
        let size = Int.random(in: 10_000_000...30_000_000, using: &generator)
        let noise = Data((0..<200_000).map { _ in UInt8.random(in: 0...255, using: &generator) })
        func refused(_ name: String, _ fileName: String, _ data: Data) -> HostileDocument {
            HostileDocument(name: name, fileName: fileName, data: data, isRefused: true)
        }
        func docx(_ name: String, _ entries: [Entry]) -> HostileDocument { refused(name, "a.docx", ZipBytes.docx(["words"], and: entries)) }
        var lying = Entry("word/media/z.bin", zeros: size)
        lying.statedByteCount = 100
        var shared = Entry("word/media/shared.bin", zeros: 60_000)
        let first = shared
        // In the archive, two entries of the document come before those below, so `first` has the index 2. The 999 copies of `shared` have
        // no header of their own: they refer to the header of `first`.
        shared.sharesHeader = 2
        let overlapping = [first] + [Entry](repeating: shared, count: 999)
        var link = Entry("word/link", Data("/etc/passwd".utf8))
        link.unixMode = 0xA1FF
        var locked = Entry("word/locked.xml", Data("words".utf8))
        locked.flags = 1
        let whole = ZipBytes.docx(["words"])
        let inner = ZipBytes.docx(["words"])
        return [
            docx("an entry that unpacks to a thousand times its size", [Entry("word/media/z.bin", zeros: size)]),
            refused("the same in a scene", "a.usdz", ZipBytes.usdz([Entry("z.png", zeros: size)])),
            docx("more than a gigabyte in many entries", (0..<45).map { Entry("word/media/\($0).bin", zeros: 25_000_000) }),
            docx("an entry that states a smaller size", [Entry("word/media/noise.bin", noise), lying]),
            docx("a thousand entries with the same bytes", overlapping),
            docx("10,001 entries", (0..<9_999).map { Entry("word/\($0)") }),
            refused(
                "more entries than its end states", "a.docx",
                ZipBytes.archive(
                    [Entry("[Content_Types].xml"), Entry("word/document.xml"), Entry("word/hidden.bin", noise)], countStated: 2)),
            docx("a path that leaves it", [Entry("word/../../../etc/passwd", Data("root".utf8))]),
            docx("an absolute path", [Entry("/etc/passwd", Data("root".utf8))]),
            docx("a path with backslashes", [Entry("..\\..\\windows\\a.dll", Data("code".utf8))]),
            docx("a symbolic link", [link]),
            docx("two entries of one name", [Entry("word/a.xml", Data("a".utf8)), Entry("word/a.xml", Data("b".utf8))]),
            docx("an encrypted entry", [locked]),
            docx("an archive outside of the embedded documents", [Entry("word/media/a.png", inner)]),
            docx("a 7z archive", [Entry("word/embeddings/a.docx", Data([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]) + noise)]),
            refused("an archive in a scene", "a.usdz", ZipBytes.usdz([Entry("textures/a.png", inner)])),
            refused("bytes after the end", "a.docx", whole + Data("<script>".utf8)),
            refused("a part of an archive", "a.docx", whole.prefix(whole.count - Int.random(in: 1...100, using: &generator))),
            refused("a compound file whose directory is a circle", "a.doc", circle()),
        ]
    }

    /// A compound file whose chain of directory sectors returns to itself.
    private static func circle() -> Data {
        var data = DocumentBytes.compound([("WordDocument", Data(count: 4_096))])
        // The second entry of the allocation table, in the first sector after the header.
        data.replaceSubrange(516..<520, with: [1, 0, 0, 0])
        return data
    }

    private static func documents(_ generator: inout some RandomNumberGenerator) -> [HostileDocument] {
        let count = Int.random(in: 50_000...100_000, using: &generator)
        func kept(_ name: String, _ fileName: String, _ data: Data) -> HostileDocument {
            HostileDocument(name: name, fileName: fileName, data: data, isRefused: false)
        }
        func word(_ name: String, _ xml: String) -> HostileDocument {
            kept(
                name, "a.docx",
                ZipBytes.archive([Entry("[Content_Types].xml", Data("<Types/>".utf8)), Entry("word/document.xml", Data(xml.utf8))]))
        }
        let entities = (1...9).map { "<!ENTITY e\($0) \"\(String(repeating: "&e\($0 - 1);", count: 10))\">" }.joined()
        var old = DocumentBytes.doc(String(repeating: "words ", count: 300))
        // The length of the text and of its pieces.
        old.replaceSubrange(1_536 + 0x4C..<1_536 + 0x50, with: [0xFF, 0xFF, 0xFF, 0x7F])
        old.replaceSubrange(1_536 + 0x1A6..<1_536 + 0x1AA, with: [0xFF, 0xFF, 0xFF, 0x7F])
        let noise = Data((0..<8_192).map { _ in UInt8.random(in: 0...255, using: &generator) })
        return [
            word("XML nested \(count) deep", String(repeating: "<w:p>", count: count)),
            word("entities that expand to a gigabyte", "<!DOCTYPE w [<!ENTITY e0 \"words\">\(entities)]><w:t>&e9;</w:t>"),
            word("an endless name", "<w:" + String(repeating: "a", count: 10 * count)),
            word("an endless comment", "<!--" + String(repeating: "-", count: 10 * count)),
            kept("a page tree that contains itself", "a.pdf", pages("<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 1000000000 >>")),
            kept("a page with arrays nested \(count) deep", "a.pdf", DocumentBytes.pdf(content: String(repeating: "[", count: count))),
            kept(
                "a stream of two gigabytes", "a.pdf",
                DocumentBytes.pdf(content: "/X Do", more: ["<< /Length 2147483647 /Filter /FlateDecode >>\nstream\nx\nendstream"])),
            kept("a table of objects that follows itself", "a.pdf", circularTable()),
            kept("forms that draw forms, for ever", "a.pdf", forms(depth: 12)),
            kept("an older document with impossible lengths", "a.doc", old),
            kept("an older document of noise", "a.doc", DocumentBytes.compound([("WordDocument", noise)])),
            kept("a text of one line of marks", "a.txt", Data(("e" + String(repeating: "\u{301}", count: 20 * count)).utf8)),
        ]
    }

    private static func pages(_ tree: String) -> Data {
        Data(
            "%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n\(tree)\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n"
                .utf8)
    }

    private static func circularTable() -> Data {
        let head = "%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 1 0 R >>\nendobj\n"
        return Data(
            (head + "xref\n0 1\n0000000000 65535 f \ntrailer\n<< /Size 2 /Root 1 0 R /Prev \(head.utf8.count) >>\n"
                + "startxref\n\(head.utf8.count)\n%%EOF\n").utf8)
    }

    /// A PDF with forms (reusable drawings). Each form draws the next one ten times, and the last one draws a word, so the number of words
    /// grows tenfold with each form.
    private static func forms(depth: Int) -> Data {
        let objects = (0..<depth).map { number -> String in
            let isLast = number == depth - 1
            let content = isLast ? "BT /F1 12 Tf (words) Tj ET" : String(repeating: "/X Do ", count: 10)
            let resources = isLast ? "/Font << /F1 3 0 R >>" : "/XObject << /X \(7 + number) 0 R >>"
            return "<< /Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << \(resources) >> /Length \(content.utf8.count) >>\n"
                + "stream\n\(content)\nendstream"
        }
        return DocumentBytes.pdf(content: "/X Do", resources: "/XObject << /X 6 0 R >>", more: objects)
    }
}
