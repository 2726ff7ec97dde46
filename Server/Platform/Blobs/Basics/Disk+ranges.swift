import NIOCore

/// Reads of a part of a file. They block.
extension Disk {
    private static let scratchByteCount = 64 * 1_024

    /// - Returns: the bytes of `range`, or fewer if the file ends earlier.
    static func read(_ descriptor: CInt, _ range: Range<Int64>) throws -> ByteBuffer {
        var buffer = ByteBufferAllocator().buffer(capacity: range.count)
        try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: range.count) { target in
            try read(descriptor, into: UnsafeMutableRawBufferPointer(rebasing: target[..<range.count]), at: range.lowerBound)
        }
        return buffer
    }

    /// Reads all bytes of `range` into the page cache.
    /// - Returns: `false` if the file ends earlier.
    static func cache(_ descriptor: CInt, _ range: Range<Int64>) throws -> Bool {
        willRead(descriptor, range)
        // A read is the only call that returns when the pages are in the cache. The copy that it makes stays in the processor's cache.
        return try withUnsafeTemporaryAllocation(byteCount: scratchByteCount, alignment: 16) { scratch in
            var position = range.lowerBound
            while position < range.upperBound {
                let count = Int(min(Int64(scratch.count), range.upperBound - position))
                let target = UnsafeMutableRawBufferPointer(rebasing: scratch[..<count])
                guard try read(descriptor, into: target, at: position) == count else { return false }
                position += Int64(count)
            }
            return true
        }
    }
}
