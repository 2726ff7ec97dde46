import Blobs
import Core

extension MediaRules {
    /// One file of at most 100 MB in the field `file`: a picture, a film or a document. Any refusal ends the request: with 413 for a file
    /// that is too large, otherwise with 400.
    static let chatFile: UploadRules.FileKind = {
        let media: Set<MediaType> = [.jpeg, .png, .gif, .mp4, .mov]
        let words = "JPEG, PNG, GIF, MP4, MOV, Markdown, text, PDF, Word and USDZ"
        let refusal = MediaRules.refusal(.invalid, words, ["file"])
        @Sendable func type(_ found: MediaType?, _ head: [UInt8]) -> String? {
            // A sound or a picture of another type is not a document, even if its first bytes are text.
            if let found { return media.contains(found) ? found.rawValue : nil }
            return DocumentType.sniff(head)
        }
        return UploadRules.FileKind(
            fields: ["file"], maxCount: 1, maxByteCount: 100 * 1_048_576, windowByteCount: Sniffer.windowByteCount,
            tailByteCount: Sniffer.tailByteCount,
            types: Set(media.map(\.rawValue)).union(DocumentType.allCases.map(\.rawValue)), refusal: refusal,
            recognise: { head, isWhole in
                let isTaken = type(Sniffer.sniff(head: head, byteCount: isWhole ? head.count : nil), head) != nil
                return isTaken ? nil : MediaRules.fault(of: head, isWhole: isWhole, media, refusal)
            },
            conclude: { sample in
                let found = Sniffer.verify(head: sample.head, tail: sample.tail, byteCount: Int(sample.byteCount))
                guard let type = type(found, sample.head) else {
                    throw MediaRules.fault(of: sample.head, isWhole: sample.byteCount == 0, media, refusal)
                }
                return type
            })
    }()
}
