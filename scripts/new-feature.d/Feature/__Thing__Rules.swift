import Blobs
import Core
import KeepsakeWire
import Media

/// Pure decisions about __things__.
enum __Thing__Rules {
    /// Characters.
    static let titleLength = 200

    /// One picture or film under `file`, and the text field `title`.
    static let upload = UploadRules(kinds: [MediaLibrary.attachments], textFields: ["title"], keepsTheOthers: false)

    /// - Throws: `.invalid` naming `title`.
    static func title(_ text: String?) throws -> String {
        guard let title = try TextRules.optionalLine(text, field: "title", max: titleLength) else {
            throw Problem(.invalid, "title is missing.", field: "title")
        }
        return title
    }

    /// Words are parted by white space.
    static func wordCount(_ title: String) -> Int { title.split(whereSeparator: \.isWhitespace).count }
}

extension Problem {
    /// The same for what does not exist and for what is somebody else's.
    static let noSuch__Thing__ = Problem(.notFound, "There is no such __thing__.")
}
