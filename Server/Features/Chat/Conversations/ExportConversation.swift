import Core
import KeepsakeWire
import NIOCore
import Web

/// `GET /api/chat/convos/{id}/export`: a conversation as Markdown. It is read page by page while it is sent.
struct ExportConversation: Sendable {
    let store: ChatStore
    let presenter = ChatPresenter()

    private static let pageCount: Int64 = 10

    func handle(_ input: ItemPath, _ context: WebContext) async throws -> Download {
        let owner = try context.requireViewer().accountID
        guard let conversation = try await store.conversation(input.id, owner: owner) else {
            throw Problem(.notFound, "There is no such conversation.", field: "id")
        }
        let name = conversation.title.filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" }.prefix(60)
        return Download(contentType: "text/markdown; charset=utf-8", fileName: (name.isEmpty ? "conversation" : String(name)) + ".md") {
            body in
            try await body.write(ByteBuffer(string: "# \(Self.line(conversation.title))\n"))
            var last: Int64 = 0
            while true {
                let after = last
                let piece: (text: String, end: Int64)? = try await body.making {
                    let page = try await store.exportPage(of: conversation.id, owner: owner, after: after, limit: Self.pageCount)
                    return page.last.map { (page.map(section).joined(), $0.message.position) }
                }
                guard let piece else { return }
                last = piece.end
                try await body.write(ByteBuffer(string: piece.text))
            }
        }
    }

    private func section(_ whole: ChatStore.Whole) -> String {
        let message = presenter.message(whole)
        let time = WireDate.format(microseconds: whole.message.createdAt.microseconds, .wholeSeconds)
        var section = "\n## \(message.sender), \(time)\(message.unfinished ? " (unfinished)" : "")\n\n\(message.text)\n"
        if !whole.files.isEmpty { section += "\n" + whole.files.map { "- Attached: \(Self.line($0.name))\n" }.joined() }
        return section
    }

    /// On one line, and without a meaning in Markdown.
    private static func line(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ").map { character in
            "\\`*_[]<>#".contains(character) ? "\\" + String(character) : String(character)
        }.joined()
    }
}
