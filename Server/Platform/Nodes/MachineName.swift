#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

package enum MachineName {
    /// The machine's name as its administrator set it, without a request to a name server.
    package static var current: String {
        var name = [CChar](repeating: 0, count: 256)
        let status = gethostname(&name, 255)
        let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return status == 0 && !text.isEmpty ? text : "unnamed"
    }
}
