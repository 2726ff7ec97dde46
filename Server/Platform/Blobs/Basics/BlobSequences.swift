package import Core
package import NIOCore

/// Reads the elements of a `BlobChunks` or a `BlobListing` from a store, one after the other. Only one task at a time may call it.
package protocol BlobSource<Element>: AnyObject {
    associatedtype Element: Sendable
    /// `nil` at the end.
    func next() async throws -> Element?
}

/// A blob's bytes in pieces; each iteration starts again from the store.
package struct BlobChunks: AsyncSequence, Sendable {
    let makeSource: @Sendable () -> any BlobSource<ByteBuffer>

    package init(makeSource: @escaping @Sendable () -> any BlobSource<ByteBuffer>) { self.makeSource = makeSource }

    package func makeAsyncIterator() -> Iterator { Iterator(source: makeSource()) }

    package struct Iterator: AsyncIteratorProtocol {
        let source: any BlobSource<ByteBuffer>
        package mutating func next() async throws -> ByteBuffer? { try await source.next() }
    }
}

/// A store's blobs in arrays of bounded size; each iteration lists them again.
package struct BlobListing: AsyncSequence, Sendable {
    package struct Entry: Sendable, Hashable {
        package let key: BlobKey
        package let stagedAt: Timestamp

        package init(key: BlobKey, stagedAt: Timestamp) {
            self.key = key
            self.stagedAt = stagedAt
        }
    }

    let makeSource: @Sendable () -> any BlobSource<[Entry]>

    package init(makeSource: @escaping @Sendable () -> any BlobSource<[Entry]>) { self.makeSource = makeSource }

    package func makeAsyncIterator() -> Iterator { Iterator(source: makeSource()) }

    package struct Iterator: AsyncIteratorProtocol {
        let source: any BlobSource<[Entry]>
        /// Never an empty array.
        package mutating func next() async throws -> [Entry]? { try await source.next() }
    }
}
