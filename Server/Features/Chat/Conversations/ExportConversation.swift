import Core
import KeepsakeWire
import NIOCore
import Web

/// `GET /api/chat/convos/{id}/export`: a conversation as Markdown. The server makes the file while it sends it, and holds one piece of it
/// in memory. It reads a long message again for each piece.
struct ExportConversation: Sendable {
    let store: ChatStore
    let presenter = ChatPresenter()

    /// The most messages that are read at a time.
    private static let pageCount = 10

    /// Where the next piece begins.
    private struct Place: Sendable {
        /// The position of the last message that was sent to its end.
        var message: Int64 = 0
        /// How many bytes of the next message were sent, and which version of that message it was.
        var sent = 0
        var version: Timestamp?
    }

    /// A piece of the file.
    private struct Piece: Sendable {
        var bytes = ByteBuffer()
        var next: Place
        /// How many messages were read, and how many of them end in this piece.
        var readCount = 0
        var endedCount = 0
    }

    func handle(_ input: ItemPath, _ context: WebContext) async throws -> Download {
        let owner = try context.requireViewer().accountID
        guard let conversation = try await store.conversation(input.id, owner: owner) else {
            throw Problem(.notFound, "There is no such conversation.", field: "id")
        }
        let name = conversation.title.filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" }.prefix(60)
        return Download(contentType: "text/markdown; charset=utf-8", fileName: (name.isEmpty ? "conversation" : String(name)) + ".md") {
            body in
            try await body.write(ByteBuffer(string: "# \(Self.line(conversation.title))\n"))
            var (place, limit) = (Place(), Self.pageCount)
            while true {
                let (start, count) = (place, Int64(limit))
                let piece = try await body.making {
                    let page = try await store.exportPage(of: conversation.id, owner: owner, after: start.message, limit: count)
                    return try self.piece(of: page, from: start)
                }
                guard piece.readCount > 0 else { return }
                place = piece.next
                // If long messages filled the piece before the end of the page, the rest of the page was read in vain: read fewer next
                // time.
                limit = piece.endedCount < piece.readCount ? max(1, piece.endedCount) : min(limit * 2, Self.pageCount)
                try await body.write(piece.bytes)
            }
        }
    }

    /// - Throws: when a message changed after a part of it was sent. The client then gets no complete file.
    private func piece(of page: [ChatStore.Whole], from start: Place) throws -> Piece {
        var piece = Piece(next: start)
        piece.readCount = page.count
        for whole in page {
            let version = whole.message.updatedAt
            guard piece.next.version == nil || piece.next.version == version else {
                throw Problem(.conflict, "The conversation changed while it was exported. Export it again.")
            }
            let rest = section(whole).utf8.dropFirst(piece.next.sent)
            let part = rest.prefix(DownloadBody.pieceByteCount - piece.bytes.readableBytes)
            piece.bytes.writeBytes(part)
            guard part.endIndex == rest.endIndex else {
                piece.next.sent += part.count
                piece.next.version = version
                break
            }
            piece.next = Place(message: whole.message.position)
            piece.endedCount += 1
        }
        return piece
    }

    private func section(_ whole: ChatStore.Whole) -> String {
        let message = presenter.message(whole)
        let time = WireDate.format(microseconds: whole.message.createdAt.microseconds, .wholeSeconds)
        var section = "\n## \(message.sender), \(time)\(message.unfinished ? " (unfinished)" : "")\n\n\(message.text)\n"
        if !whole.files.isEmpty { section += "\n" + whole.files.map { "- Attached: \(Self.line($0.name))\n" }.joined() }
        return section
    }

    /// The text on one line, with Markdown's special characters escaped.
    private static func line(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ").map { character in
            "\\`*_[]<>#".contains(character) ? "\\" + String(character) : String(character)
        }.joined()
    }
}
