import Blobs
import Core
import Media
import Web

/// Validation of uploads of a chat. Pure functions.
enum ChatFileRules {
    /// One file in the field `file`. The server answers an infected file with 400.
    static let upload: UploadRules = {
        var kind = MediaLibrary.chatFile
        kind.checkName = { name in name.flatMap(ChatFileType.init(name:)) == nil ? wrongName : nil }
        var rules = UploadRules(kinds: [kind], textFields: ["endpoint", "width", "height", "tool_resource"], keepsTheOthers: false)
        rules.infected = .invalid
        return rules
    }()

    /// How long a file that was never sent in a message is kept.
    static let unsentLife = Duration.seconds(7 * 86_400)
    /// How long an upload waits for the text of its document.
    static let answerTime = Duration.seconds(5)

    private static var wrongName: Problem {
        let endings = ChatFileType.allCases.flatMap(\.fileExtensions).joined(separator: ", ")
        return Problem(.invalid, "The file type is not allowed. The name must end in one of: \(endings).", field: "file")
    }

    /// What the received file is, by its name and its content.
    /// - Throws: `.invalid` when they disagree.
    static func type(of file: ReceivedUpload.File) throws -> ChatFileType {
        guard let name = file.name, let type = ChatFileType(name: name) else { throw wrongName }
        guard type.agrees(with: file.facts.type) else {
            throw Problem(.invalid, "The file's name says \(type.rawValue), but its content is \(file.facts.type).", field: "file")
        }
        return type
    }

    /// Checks that the request states a picture's size, as the API document requires. The server measures the picture itself and does not
    /// use the stated size.
    /// - Throws: `.invalid` unless both are positive whole numbers.
    static func checkSize(_ texts: [String: String]) throws {
        for field in ["width", "height"] {
            guard let text = texts[field], (1...9).contains(text.utf8.count),
                text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), let value = Int(text), value > 0
            else { throw Problem(.invalid, "A picture needs its \(field) in pixels, a positive whole number.", field: field) }
        }
    }

    /// The name of a provider or tool, at most 128 characters.
    static func label(_ text: String?, field: String) throws -> String? { try TextRules.optionalLine(text, field: field, max: 128) }
}

extension Problem {
    static let noSuchChatFile = Problem(.notFound, "There is no such file.")
}
