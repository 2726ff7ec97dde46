import CConsole

/// A file of the console, as it stands in `Console/App`.
package struct ConsoleFile: Sendable {
    /// Below `/console/`, for example `lib/api.js`.
    package let path: String
    package let type: String
    package let bytes: [UInt8]

    /// All of them; part of the program.
    package static let all: [ConsoleFile] = {
        var files: [ConsoleFile] = []
        while let file = console_file_at(files.count)?.pointee {
            files.append(
                ConsoleFile(
                    path: String(cString: file.path), type: String(cString: file.type),
                    bytes: Array(UnsafeBufferPointer(start: file.bytes, count: file.count))))
        }
        return files
    }()
}
