package import NIOCore

#if canImport(Glibc)
    import Glibc
#endif

extension Channel {
    /// Limits how many unsent bytes the kernel buffers for this connection (TCP_NOTSENT_LOWAT). A socket with more is not writable. Without
    /// this limit the kernel buffers up to 4 MB for a client that does not read. Does nothing where the system has no such limit, and for a
    /// stream of HTTP/2, whose channel ends the process when it gets an option that it does not know. Call it on the channel's event loop.
    package func limitUnsent(_ byteCount: Int) throws {
        #if canImport(Glibc)
            guard parent?.parent == nil else { return }
            try syncOptions?.setOption(.tcpOption(NIOBSDSocket.Option(rawValue: TCP_NOTSENT_LOWAT)), value: byteCount)
        #endif
    }
}
