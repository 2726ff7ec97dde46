import MediaFrames

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The whole file as memory, for reading. If somebody cuts it meanwhile, the worker dies of it, as of any broken file.
final class MappedFile {
    let bytes: UnsafeRawBufferPointer

    /// - Throws: `.empty`, `.tooManyBytes`; `.unreadable` when it is no file.
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
