import Core

extension SignedLinks {
    /// Links of one moment to addresses that differ at their end: those of a page's files.
    /// - Parameter folder: what stands before the names, as it stands in the request line; ends with a slash.
    package func series(in folder: String) -> LinkSeries { LinkSeries(self, folder) }
}

/// Signs fifty links as it signs one: what is the same in all is put together once.
///
/// A class, so that what words a page's rows has one thing to hold and not seven.
package final class LinkSeries: Sendable {
    private let links: SignedLinks
    private let folder: String
    /// The link up to the name, and from there to its signature.
    private let head: [UInt8]
    private let tail: [UInt8]
    /// Has read what all messages begin with.
    private let seal: Seal
    /// The rest of what is signed for a name of `nameLength` bytes, with a gap at `gap` where it belongs.
    private let message: [UInt8]
    private let gap: Int

    /// Bytes of a UUID, which the names of files are.
    private static let nameLength = 36
    /// Bytes that SHA-256 takes at a time.
    private static let blockLength = 64
    /// Letters that stand for a signature in base 64.
    private static let signatureLength = 22

    init(_ links: SignedLinks, _ folder: String) {
        self.links = links
        self.folder = folder
        let expiry = String(links.expiry)
        head = Array((links.publicURL() + folder).utf8)
        tail = Array("?expires=\(expiry)&signature=".utf8)
        let name = String(repeating: "-", count: Self.nameLength)
        let whole = Seal.message(["GET", folder + name, expiry], purpose: SignedLinks.purpose)
        // Behind the name: the expiry and its length.
        let start = whole.count - expiry.utf8.count - 8 - Self.nameLength
        // Whole blocks of the hash: a part of one would be copied with each link.
        let read = start / Self.blockLength * Self.blockLength
        seal = links.seal.following(whole[..<read])
        message = Array(whole[read...])
        gap = start - read
    }

    /// - Parameter name: as it stands in the request line.
    package func link(_ name: String) -> String {
        var name = name
        return name.withUTF8 { name in
            guard name.count == Self.nameLength else { return links.signed(folder + String(decoding: name, as: UTF8.self)) }
            let length = head.count + name.count + tail.count + Self.signatureLength
            return String(unsafeUninitializedCapacity: length) { link in
                var end = link.update(fromContentsOf: head)
                end = link[end...].update(fromContentsOf: name)
                end = link[end...].update(fromContentsOf: tail)
                withUnsafeTemporaryAllocation(byteCount: message.count, alignment: 8) { signed in
                    signed.copyBytes(from: message)
                    UnsafeMutableRawBufferPointer(rebasing: signed[gap...]).copyBytes(from: name)
                    seal.sign(UnsafeRawBufferPointer(signed), base64URL: UnsafeMutableBufferPointer(rebasing: link[end...]))
                }
                return length
            }
        }
    }
}
