import CConsole

/// A file of the console, from `Console/App`.
package struct ConsoleFile: Sendable {
    /// Relative to `/console/`, for example `lib/api.js`.
    package let path: String
    package let type: String
    package let bytes: [UInt8]

    /// All files; they are embedded in the program.
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
