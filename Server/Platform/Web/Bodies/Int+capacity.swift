extension Int {
    /// The memory, in bytes, that NIO allocates for a buffer of this many bytes: the next power of two.
    var bufferCapacity: Int { self > 1 ? 1 << (Int.bitWidth - (self - 1).leadingZeroBitCount) : self }
}
