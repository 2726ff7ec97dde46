package import Core
package import NIOCore

/// Where an engine's pieces come from. Asked by one task at a time.
protocol BlobSource<Element>: AnyObject {
    associatedtype Element: Sendable
    /// `nil` at the end.
    func next() async throws -> Element?
}

/// A blob's bytes, piece by piece; each iteration reads anew.
package struct BlobChunks: AsyncSequence, Sendable {
    let makeSource: @Sendable () -> any BlobSource<ByteBuffer>

    package func makeAsyncIterator() -> Iterator { Iterator(source: makeSource()) }

    package struct Iterator: AsyncIteratorProtocol {
        let source: any BlobSource<ByteBuffer>
        package mutating func next() async throws -> ByteBuffer? { try await source.next() }
    }
}

/// A store's blobs, a bounded number at a time; each iteration lists anew.
package struct BlobListing: AsyncSequence, Sendable {
    package struct Entry: Sendable, Hashable {
        package let key: BlobKey
        package let stagedAt: Timestamp
    }

    let makeSource: @Sendable () -> any BlobSource<[Entry]>

    package func makeAsyncIterator() -> Iterator { Iterator(source: makeSource()) }

    package struct Iterator: AsyncIteratorProtocol {
        let source: any BlobSource<[Entry]>
        /// Never an empty array.
        package mutating func next() async throws -> [Entry]? { try await source.next() }
    }
}
