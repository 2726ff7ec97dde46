import MediaFrames

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A whole file, mapped for reading. If another process truncates it meanwhile, the worker crashes, as it may on any malformed file.
final class MappedFile {
    let bytes: UnsafeRawBufferPointer

    /// - Throws: `.empty`, `.tooManyBytes`; `.unreadable` when it is not a regular file.
    init(takingOver descriptor: CInt, limit: Int = PictureLimits.byteCount, isReadWhole: Bool = true) throws(MediaRefused) {
        defer { _ = close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw MediaRefused(.unreadable) }
        let count = Int(status.st_size)
        guard count > 0 else { throw MediaRefused(.empty) }
        guard count <= limit else { throw MediaRefused(.tooManyBytes) }
        #if os(Linux)
            let flags = MAP_PRIVATE | (isReadWhole ? CInt(MAP_POPULATE) : 0)
        #else
            let flags = MAP_PRIVATE
        #endif
        guard let start = mmap(nil, count, PROT_READ, flags, descriptor, 0), start != MAP_FAILED else {
            throw MediaRefused(.outOfMemory)
        }
        bytes = UnsafeRawBufferPointer(start: start, count: count)
    }

    deinit { munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count) }
}
