import Foundation
import Outbound

/// The checks that the settings of the transcriber, the analyzer and the chat models share.
extension Settings.Source {
    /// - Parameter key: the setting's key, for the error.
    /// - Throws: `Settings.Wrong` unless paths can be appended to the URL, and secrets may be sent to it.
    func checkEngineURL(_ url: String, _ key: String) throws {
        guard policy.allows(url), let parts = URL(string: url), parts.query == nil, parts.fragment == nil else {
            throw Settings.Wrong(description: "\(name(key)) must be https, or http on this machine, without a query or a fragment: \(url)")
        }
    }

    /// - Throws: `Settings.Wrong` for a secret that is empty or cannot be the value of a header. The error does not quote it.
    func checkEngineKey(_ secret: String, _ key: String) throws {
        guard !secret.isEmpty, secret.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Settings.Wrong(description: "\(name(key)) must be visible ASCII characters without spaces")
        }
    }

    /// Whether the name of a model may contain the character. The name becomes a part of a URL's path.
    static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "-._:/@".utf8.contains(byte)
        }
    }
}
