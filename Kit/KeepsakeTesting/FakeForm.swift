import Foundation

/// A parsed body of `multipart/form-data` (RFC 7578), as KeepsakeKit composes it.
struct FakeForm: Equatable {
    struct File: Equatable {
        var name: String
        var fileName: String
        var data: Data
    }

    var fields: [String: String] = [:]
    var files: [File] = []

    init() {}

    /// - Throws: 400 when the body is malformed.
    init(_ body: Data, contentType: String) throws {
        guard let range = contentType.range(of: "boundary=") else { throw Self.malformed }
        let delimiter = Data("--\(contentType[range.upperBound...])".utf8)
        var rest = body[...]
        guard let first = rest.range(of: delimiter) else { throw Self.malformed }
        rest = rest[first.upperBound...]
        while rest.starts(with: Data("\r\n".utf8)) {
            guard let headEnd = rest.range(of: Data("\r\n\r\n".utf8)),
                let next = rest.range(of: Data("\r\n".utf8) + delimiter, in: headEnd.upperBound..<rest.endIndex)
            else { throw Self.malformed }
            let head = String(decoding: rest[rest.startIndex..<headEnd.lowerBound], as: UTF8.self)
            guard let name = Self.parameter("name", of: head) else { throw Self.malformed }
            let content = Data(rest[headEnd.upperBound..<next.lowerBound])
            if let fileName = Self.parameter("filename", of: head) {
                files.append(File(name: name, fileName: fileName, data: content))
            } else {
                fields[name] = String(decoding: content, as: UTF8.self)
            }
            rest = rest[next.upperBound...]
        }
    }

    private static let malformed = FakeProblem(400, "The form is malformed.")

    private static func parameter(_ name: String, of head: String) -> String? {
        guard let start = head.range(of: " \(name)=\""), let end = head.range(of: "\"", range: start.upperBound..<head.endIndex) else {
            return nil
        }
        return String(head[start.upperBound..<end.lowerBound]).replacingOccurrences(of: "%22", with: "\"")
    }

    subscript(_ name: String) -> String? { fields[name].flatMap { $0.isEmpty ? nil : $0 } }

    func list(_ name: String) -> [String] {
        (self[name] ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }
}

/// Detects the type of a file from its first bytes.
enum FakeFileType {
    static func of(_ data: Data) -> String? {
        let start = [UInt8](data.prefix(12))
        func has(_ bytes: [UInt8], at offset: Int = 0) -> Bool { start.dropFirst(offset).starts(with: bytes) }
        func has(_ text: String, at offset: Int) -> Bool { has(Array(text.utf8), at: offset) }
        if has([0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if has([0x89, 0x50, 0x4E, 0x47]) { return "image/png" }
        if has("GIF8", at: 0) { return "image/gif" }
        if has("RIFF", at: 0) { return has("WEBP", at: 8) ? "image/webp" : has("WAVE", at: 8) ? "audio/wav" : nil }
        if has("ID3", at: 0) || has([0xFF, 0xFB]) { return "audio/mpeg" }
        guard has("ftyp", at: 4) else { return nil }
        if has("M4A", at: 8) { return "audio/mp4" }
        if has("hei", at: 8) || has("mif1", at: 8) || has("hevc", at: 8) { return "image/heic" }
        return has("qt", at: 8) ? "video/quicktime" : "video/mp4"
    }
}
