import Core
import KeepsakeWire
import Web

/// Validation of what clients send. Pure.
enum ChatRules {
    static let textLength = 100_000
    /// The most characters of a message that are taken as a question.
    static let questionLength = 1_000
    static let endpointLength = 64
    static let fileCount = 20
    /// The most messages that may hold the same file: the write that deletes the file drops it from all of them.
    static let holderCount = 1_000
    static let titleLength = 60
    static let renamedLength = 200
    /// The parent id that clients of this surface use for a conversation's first message.
    static let noParent = "00000000-0000-0000-0000-000000000000"
    /// How long after an answer's end a client can resume its stream.
    static let resumption: Duration = .seconds(300)
    /// How long the server remembers the id of a deleted message, because phones repeat queued messages after weeks.
    static let tombstoneLifetime: Duration = .days(90)
    /// Once the server remembers this many ids of an account, it remembers further ones only for `shortTombstoneLifetime`: they do not count
    /// against the quota.
    static let maxTombstones = 200_000
    static let shortTombstoneLifetime: Duration = .days(1)

    /// A client's message, checked.
    struct Question: Sendable {
        var text: String
        var endpoint: String
        var model: String?
        /// `nil` lets the server choose one.
        var messageID: String?
        /// `nil` starts a new conversation.
        var conversation: String?
        /// The ids of the files, without repetitions.
        var files: [String]
        /// Whether `messageID` is derived from the request's `Idempotency-Key`.
        var isNamedByKey = false
    }

    /// - Parameter keyID: an id derived from the request's `Idempotency-Key`. It becomes the message's id if the client chose none.
    /// - Throws: `.invalid` naming the field.
    static func question(_ input: SendChatMessageInput, keyID: String? = nil) throws -> Question {
        let files = input.files ?? []
        guard files.count <= fileCount else {
            throw Problem(.invalid, "Send at most \(fileCount) files; got \(files.count).", field: "files")
        }
        guard !input.text.utf8.contains(0) else { throw Problem(.invalid, "text must not contain a NUL character.", field: "text") }
        guard input.text.unicodeScalars.count <= textLength else {
            throw Problem(.invalid, "text is longer than \(textLength) characters.", field: "text")
        }
        guard !files.isEmpty || input.text.contains(where: { !$0.isWhitespace }) else {
            throw Problem(.invalid, "text must not be blank without files. Write a text or attach a file.", field: "text")
        }
        guard isEndpoint(input.endpoint) else {
            throw Problem(.invalid, "endpoint must have 1 to \(endpointLength) characters, and no control characters.", field: "endpoint")
        }
        let messageID = input.messageId.map(TextRules.trimmed)
        if let messageID, !isName(messageID, max: 128) {
            throw Problem(.invalid, "messageId must be 1…128 ASCII letters, digits, '.', '_' or '-'.", field: "messageId")
        }
        var seen: Set<String> = []
        // An id that cannot be a file's id gets the same error as a file that does not exist.
        let ids = files.map { TextRules.trimmed($0.fileId) }.filter { seen.insert($0).inserted }
        guard ids.allSatisfy({ isName($0, max: 128) }) else { throw Problem.noSuchAttachment }
        return Question(
            text: input.text, endpoint: input.endpoint, model: input.model.map(TextRules.trimmed),
            messageID: messageID ?? keyID.map { "key-" + $0 },
            conversation: input.conversationId.map(TextRules.trimmed).flatMap { $0.isEmpty || $0 == "new" ? nil : $0 }, files: ids,
            isNamedByKey: messageID == nil && keyID != nil)
    }

    /// - Returns: the text without U+0000, which the databases refuse.
    static func storable(_ text: String) -> String { text.utf8.contains(0) ? text.replacing("\0", with: "") : text }

    /// The beginning of a message, which is taken as a question. A character may consist of any number of Unicode scalars, so the number of
    /// these is limited, too.
    static func questionText(of text: String) -> String {
        String(TextRules.prefix(text, 4 * questionLength).prefix(questionLength))
    }

    /// - Throws: `.invalid` naming `title`.
    static func title(_ title: String) throws -> String {
        let line = try TextRules.line(title, field: "title", max: renamedLength)
        guard !line.isEmpty else { throw Problem(.invalid, "title must not be empty.", field: "title") }
        return line.split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    /// The title of a conversation that the user has not named: the beginning of its first message, else the name of its first file.
    static func title(of text: String, firstFile: String?) -> String {
        for source in [text, firstFile ?? ""] {
            // Only the beginning is split into words: a text may have 100,000 characters.
            let beginning = source.drop(while: \.isWhitespace).prefix(4 * titleLength)
            let line = beginning.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            // The title is cut between Unicode scalars, because the column's limit counts those.
            let cut = TextRules.prefix(line, titleLength)
            if !cut.isEmpty { return cut }
        }
        return "New Chat"
    }

    /// - Parameters:
    ///   - limit: the limit that the request asks for.
    ///   - usual: the limit if the request has none.
    /// - Throws: `.invalid` naming `limit`.
    static func limit(_ limit: Int?, usual: Int, most: Int) throws -> Int {
        guard let limit else { return usual }
        guard 1...most ~= limit else { throw Problem(.invalid, "limit must be 1…\(most).", field: "limit") }
        return limit
    }

    /// Clients know provider names with spaces and in any script. A name that no provider has selects the default provider.
    private static func isEndpoint(_ name: String) -> Bool {
        let characters = name.unicodeScalars
        return 1...endpointLength ~= characters.count && characters.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    }

    private static func isName(_ text: String, max: Int) -> Bool {
        (1...max).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "-._".utf8.contains(byte)
                }
            }
    }
}

extension Problem {
    static let noSuchConversation = Problem(.notFound, "There is no such conversation.", field: "conversationId")
    static let messageDeleted = Problem(
        .gone, "The message with this messageId has been deleted. Use a new messageId for each message.", field: "messageId")
    static let noSuchAttachment = Problem(.notFound, "There is no such file. Upload it again.", field: "files")
    static let attachedTooOften = Problem(
        .invalid, "A file may be attached to at most \(ChatRules.holderCount) messages. Upload it again and attach the new file.",
        field: "files")
}
