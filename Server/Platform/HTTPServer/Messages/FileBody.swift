package import NIOCore

/// A part of a response's body that the kernel sends from a file. `HTTPResponsePart` has only bytes in memory, so the part is triggered on
/// the channel as an outbound event, in order with the parts that are written. Only channels of plain HTTP/1.1 handle this event; on other
/// channels it fails.
package struct FileBody: Sendable {
    /// The region's file handle must stay open until the event's promise has completed.
    package let region: FileRegion

    package init(_ region: FileRegion) { self.region = region }
}
