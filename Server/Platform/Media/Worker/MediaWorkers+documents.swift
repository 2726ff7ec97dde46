package import MediaFrames

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Documents. Their content is checked and their text is read in the worker's process, from the file's descriptor.
extension MediaWorkers {
    /// Recognises a document by its content. An archive is unpacked, without keeping anything, to find out whether it is safe to open.
    /// - Throws: as `inspect`; `.refused(.unreadable)` also for a file that is not a document.
    package func document(_ fileDescriptor: CInt) async throws -> DocumentKind {
        guard
            case .answer(.document(let kind), _) = try await shortFirst(
                .document, fileDescriptor, .inspection, size: Self.byteCount(fileDescriptor))
        else {
            throw MediaFailure.crashed
        }
        return kind
    }

    /// The text of a document whose kind is `text` or `docx`.
    /// - Returns: at most `DocumentLimits.characters` in UTF-8. Do not trust the content: the file determines it.
    /// - Throws: as `inspect`; `.refused(.empty)` when it holds no text.
    package func text(_ fileDescriptor: CInt, of kind: DocumentKind) async throws -> [UInt8] {
        guard
            case .answer(.text, let content) = try await shortFirst(
                .text(kind), fileDescriptor, size: Self.byteCount(fileDescriptor))
        else {
            throw MediaFailure.crashed
        }
        return try content.bytes()
    }

    static func byteCount(_ fileDescriptor: CInt) -> Int {
        var status = stat()
        return fstat(fileDescriptor, &status) == 0 ? Int(status.st_size) : .max
    }
}
