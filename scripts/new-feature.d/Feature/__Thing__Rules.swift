import Blobs
import Core
import KeepsakeWire
import Media

/// Validation of __things__. Pure functions.
enum __Thing__Rules {
    /// The most characters of a title.
    static let titleLength = 200

    /// An upload has one picture or film in the field `file`, and the text field `title`.
    static let upload = UploadRules(kinds: [MediaLibrary.attachments], textFields: ["title"], keepsTheOthers: false)

    /// - Throws: `.invalid` naming `title`.
    static func title(_ text: String?) throws -> String {
        guard let title = try TextRules.optionalLine(text, field: "title", max: titleLength) else {
            throw Problem(.invalid, "title is missing.", field: "title")
        }
        return title
    }

    /// Counts the words of a title. White space separates words.
    static func wordCount(_ title: String) -> Int { title.split(whereSeparator: \.isWhitespace).count }
}

extension Problem {
    /// The error for a __thing__ that does not exist, and for one that belongs to another account.
    static let noSuch__Thing__ = Problem(.notFound, "There is no such __thing__.")
}
