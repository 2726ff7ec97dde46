import Core

extension SignedLinks {
    /// Signs links whose paths differ only in their last segment, with one expiry, for example those of the files of a page.
    /// - Parameter folder: the path before the names, percent-encoded, with a slash at its end.
    package func series(in folder: String) -> LinkSeries { LinkSeries(self, folder) }
}

/// Signs many links at little more than the cost of one: it computes once what all of them share.
///
/// It is a class, so that a value which renders a page's rows holds one reference instead of seven fields.
package final class LinkSeries: Sendable {
    private let links: SignedLinks
    private let folder: String
    /// The bytes of a link before the name, and those between the name and the signature.
    private let head: [UInt8]
    private let tail: [UInt8]
    /// The state of the MAC after the bytes with which all messages begin.
    private let signer: Signer
    /// The rest of the message for a name of `nameLength` bytes, with a gap for the name at `gap`.
    private let message: [UInt8]
    private let gap: Int

    /// Bytes of a UUID. The names of files are UUIDs.
    private static let nameLength = 36
    /// The block size of SHA-256, in bytes.
    private static let blockLength = 64
    /// Characters of a signature in base64url.
    private static let signatureLength = 22

    init(_ links: SignedLinks, _ folder: String) {
        self.links = links
        self.folder = folder
        let expiry = String(links.expiry)
        head = Array((links.publicURL() + folder).utf8)
        tail = Array("?expires=\(expiry)&signature=".utf8)
        let name = String(repeating: "-", count: Self.nameLength)
        let whole = Signer.message(["GET", folder + name, expiry], purpose: SignedLinks.purpose)
        // The expiry and its length follow the name.
        let start = whole.count - expiry.utf8.count - 8 - Self.nameLength
        // The signer hashes only whole blocks in advance. Otherwise its state would contain a partial block, which each link would copy.
        let read = start / Self.blockLength * Self.blockLength
        signer = links.signer.following(whole[..<read])
        message = Array(whole[read...])
        gap = start - read
    }

    /// - Parameter name: the last path segment, percent-encoded.
    package func link(_ name: String) -> String {
        var name = name
        return name.withUTF8 { name in
            guard name.count == Self.nameLength else { return links.signed(folder + String(decoding: name, as: UTF8.self)) }
            return String(unsafeUninitializedCapacity: linkLength) { link in
                write(name, link)
                return linkLength
            }
        }
    }

    /// Passes the same link to `body`, without creating a `String`.
    /// - Parameters:
    ///   - name: UTF-8.
    ///   - body: must copy what it keeps.
    package func withLink(_ name: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        guard name.count == Self.nameLength else {
            var link = links.signed(folder + String(decoding: name, as: UTF8.self))
            return link.withUTF8 { body($0) }
        }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: linkLength) { link in
            write(name, link)
            body(UnsafeBufferPointer(link))
        }
    }

    private var linkLength: Int { head.count + Self.nameLength + tail.count + Self.signatureLength }

    /// - Parameters:
    ///   - name: `nameLength` bytes.
    ///   - link: `linkLength` bytes.
    private func write(_ name: UnsafeBufferPointer<UInt8>, _ link: UnsafeMutableBufferPointer<UInt8>) {
        var end = link.update(fromContentsOf: head)
        end = link[end...].update(fromContentsOf: name)
        end = link[end...].update(fromContentsOf: tail)
        withUnsafeTemporaryAllocation(byteCount: message.count, alignment: 8) { signed in
            signed.copyBytes(from: message)
            UnsafeMutableRawBufferPointer(rebasing: signed[gap...]).copyBytes(from: name)
            signer.sign(UnsafeRawBufferPointer(signed), base64URL: UnsafeMutableBufferPointer(rebasing: link[end...]))
        }
    }
}
