public import Foundation

/// A body of `multipart/form-data` (RFC 7578): text fields, then files.
public struct MultipartForm: Sendable {
    public struct File: Sendable {
        /// The field's name, for example `file`.
        public var name: String
        public var fileName: String
        /// The media type, for example `image/jpeg`. The server detects the type from the content.
        public var type: String
        public var content: Content

        public init(name: String, fileName: String, type: String = "application/octet-stream", content: Content) {
            self.name = name
            self.fileName = fileName
            self.type = type
            self.content = content
        }
    }

    public enum Content: Sendable {
        case data(Data)
        case file(URL)
    }

    public var fields: [(name: String, value: String)] = []
    public var files: [File] = []

    public init() {}

    /// Adds a field, unless the value is `nil`.
    public mutating func add(_ name: String, _ value: String?) {
        if let value { fields.append((name, value)) }
    }

    /// Adds a field with the texts separated by commas, unless there are none.
    public mutating func add(_ name: String, _ values: [String]) {
        if !values.isEmpty { fields.append((name, values.joined(separator: ","))) }
    }

    /// Writes the body to a file, once, so that each attempt sends the same bytes. Takes at most 256 KiB of memory.
    func compose(in file: URL, boundary: String) throws {
        try Data().write(to: file)
        let output = try FileHandle(forWritingTo: file)
        defer { try? output.close() }
        for field in fields {
            try output.write(
                contentsOf: Data(
                    "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(Self.quote(field.name))\"\r\n\r\n\(field.value)\r\n".utf8))
        }
        for part in files {
            let head =
                "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(Self.quote(part.name))\"; "
                + "filename=\"\(Self.quote(part.fileName))\"\r\nContent-Type: \(Self.oneLine(part.type))\r\n\r\n"
            try output.write(contentsOf: Data(head.utf8))
            switch part.content {
            case .data(let data): try output.write(contentsOf: data)
            case .file(let url): try Self.copy(url, to: output)
            }
            try output.write(contentsOf: Data("\r\n".utf8))
        }
        try output.write(contentsOf: Data("--\(boundary)--\r\n".utf8))
    }

    private static func copy(_ url: URL, to output: FileHandle) throws {
        let input = try FileHandle(forReadingFrom: url)
        defer { try? input.close() }
        var isAtEnd = false
        while !isAtEnd {
            try pool {
                if let chunk = try input.read(upToCount: 262_144), !chunk.isEmpty {
                    try output.write(contentsOf: chunk)
                } else {
                    isAtEnd = true
                }
            }
        }
    }

    /// On Apple's systems, runs `body` in an autorelease pool: `FileHandle` returns autoreleased objects there, which only the end of the
    /// pool frees.
    static func pool(_ body: () throws -> Void) rethrows {
        #if canImport(ObjectiveC)
            try autoreleasepool(invoking: body)
        #else
            try body()
        #endif
    }

    /// Escapes a name as the WHATWG's form encoding does, so that the name cannot end its header.
    private static func quote(_ text: String) -> String {
        text.replacingOccurrences(of: "\"", with: "%22").replacingOccurrences(of: "\r", with: "%0D")
            .replacingOccurrences(of: "\n", with: "%0A")
    }

    private static func oneLine(_ text: String) -> String { String(text.filter { !$0.isNewline }) }
}
