internal import Foundation

/// Makes a JSON body in which some texts are files in base64. `PiecewiseBody` encodes the files piece by piece while it is sent, so memory
/// never holds a whole file in base64.
package struct JSONUpload {
    /// The text that stands in the JSON before a file's number. It is random, so no text of a user contains it.
    private let mark = "keepsake-\(UUID().uuidString)-"
    private var files: [[UInt8]] = []

    package init() {}

    /// - Returns: a text for the JSON object. The file's base64 replaces it in the body. It may be a part of a longer text.
    package mutating func add(_ file: [UInt8]) -> String {
        files.append(file)
        return "\(mark)\(files.count - 1)."
    }

    /// - Parameter object: contains each text that `add` returned, exactly once.
    package func body(_ object: [String: Any]) throws -> PiecewiseBody {
        let json = try [UInt8](JSONSerialization.data(withJSONObject: object, options: [.withoutEscapingSlashes]))
        guard !files.isEmpty else { return PiecewiseBody([.plain(json)]) }
        let mark = Array(mark.utf8)
        var parts: [PiecewiseBody.Part] = []
        var (start, position) = (0, 0)
        while position + mark.count <= json.count {
            guard json[position] == mark[0], json[position..<position + mark.count].elementsEqual(mark) else {
                position += 1
                continue
            }
            parts.append(.plain(Array(json[start..<position])))
            position += mark.count
            var number = 0
            while json[position] != UInt8(ascii: ".") {
                number = 10 * number + Int(json[position] - UInt8(ascii: "0"))
                position += 1
            }
            position += 1
            start = position
            parts.append(.base64(files[number]))
        }
        parts.append(.plain(Array(json[start...])))
        return PiecewiseBody(parts)
    }
}
