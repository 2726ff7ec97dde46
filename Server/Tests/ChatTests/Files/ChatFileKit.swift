import Core
import Database
import Foundation
import Jobs
import KeepsakeWire
import Media
import MediaTools
import TestKit

@testable import Chat
@testable import FeatureTestKit
@testable import keepsake

/// A small real file of each type that a chat takes.
struct ChatFixture: Sendable {
    let type: ChatFileType
    let data: Data
    /// What the response's `text` contains; `nil` for a file without one.
    let words: String?

    var name: String { "letter.\(type.fileExtensions[0])" }

    static func all() throws -> [ChatFixture] {
        try ChatFileType.allCases.map { try ChatFixture($0) }
    }

    init(_ type: ChatFileType) throws {
        self.type = type
        switch type {
        case .jpeg: (data, words) = (try Fixture.data("photo.jpg"), nil)
        case .png: (data, words) = (try Fixture.data("palette.png"), nil)
        case .gif: (data, words) = (try Fixture.data("still87a.gif"), nil)
        case .mp4: (data, words) = (try Fixture.data("moov-last.mp4"), nil)
        case .mov: (data, words) = (try Fixture.data("branded.mov"), nil)
        case .markdown: (data, words) = (Data("# A lighthouse\n\nIt was *closed*.\n".utf8), "# A lighthouse")
        // Windows-1252.
        case .text: (data, words) = (Data("The caf".utf8) + [0xE9] + Data(" by the lighthouse".utf8), "The café by the lighthouse")
        case .pdf: (data, words) = (DocumentBytes.pdf("The lighthouse was closed"), "The lighthouse was closed")
        case .docx: (data, words) = (ZipBytes.docx(["The lighthouse", "was closed &amp; dark"]), "The lighthouse\nwas closed & dark")
        case .doc:
            (data, words) = (
                DocumentBytes.doc("Dear friend,\nthe lighthouse was closed.\n" + String(repeating: "Words of a letter. ", count: 60)),
                "the lighthouse was closed."
            )
        case .usdz: (data, words) = (ZipBytes.usdz(), nil)
        }
    }

    /// The same file with EICAR's test string at a place where the format allows any bytes.
    func infected() throws -> Data {
        let virus = Data(Eicar.bytes)
        switch type {
        case .jpeg:
            // A comment after the start of the image.
            return data.prefix(2) + Data([0xFF, 0xFE, 0, UInt8(virus.count + 2)]) + virus + data.dropFirst(2)
        case .png:
            let chunk = Data("tEXt".utf8) + Data("note\0".utf8) + virus
            let crc = ZipBytes.checksum(chunk)
            // The chunk goes before the last one, IEND, which has 12 bytes.
            return data.dropLast(12) + Self.number(UInt32(chunk.count - 4)) + chunk + Self.number(crc) + data.suffix(12)
        case .gif: return data.dropLast() + Data([0x21, 0xFE, UInt8(virus.count)]) + virus + Data([0, 0x3B])
        case .mp4, .mov:
            // A free box at the end.
            return data + Self.number(UInt32(virus.count + 8)) + Data("free".utf8) + virus
        case .markdown, .text: return data + Data("\n".utf8) + virus
        case .pdf: return Data("%PDF-1.4\n%".utf8) + virus + Data("\n".utf8) + data
        case .docx: return ZipBytes.docx(["The lighthouse"], and: [.init("word/media/note.txt", virus)])
        case .doc: return DocumentBytes.doc(String(repeating: "Words. ", count: 200) + String(decoding: virus, as: UTF8.self))
        case .usdz: return ZipBytes.usdz([.init("textures/note.txt", virus)])
        }
    }

    /// The value as four big-endian bytes.
    private static func number(_ value: UInt32) -> Data { Data((0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }) }
}

/// The response to an upload as the existing chat app decodes it.
struct DocumentedUploadedFile: Codable {
    let fileID: String
    let objectID: String?
    let filename: String
    let filepath: String?
    let type: String
    let size: Int
    let width: Int?
    let height: Int?

    enum CodingKeys: String, CodingKey {
        case fileID = "file_id"
        case objectID = "_id"
        case filename, filepath, type, size, width, height
    }

    var servePath: String { "/api/chat/files/serve\(filepath ?? "")" }
}

extension TestServer {
    static let chatUploadPath = "/api/chat/files/upload"

    /// Uploads as the existing chat app does: the file, then the fields.
    func chatUpload(
        _ name: String, _ data: Data, _ fields: [(String, String)] = [("endpoint", "google"), ("width", "4032"), ("height", "3024")],
        as person: Person, key: String? = nil
    ) async throws -> Answer {
        var body = MultipartBody()
        body.add("file", fileName: name, type: "application/octet-stream", data)
        for (field, value) in fields { body.add(field, value) }
        body.close()
        return try await upload(body, to: Self.chatUploadPath, as: person, key: key)
    }

    /// The number of chat files that have rows.
    func chatFileCount() async throws -> Int64 {
        try await backend.database.read { tx in try tx.row("SELECT COUNT(*) AS n FROM chat_file")?.get("n") ?? 0 }
    }

    /// The part of the feature that keeps files, on this server's database.
    func chatFiles() -> ChatFileStore {
        ChatFileStore(
            database: backend.database, library: backend.media.library,
            jobs: JobQueue(clock: clock.wall, identifiers: Identifiers(clock: clock.wall, entropy: .system)), clock: clock.wall)
    }
}
