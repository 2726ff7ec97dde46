package import Foundation
internal import Synchronization

/// Time zones by their names in the IANA database. Abbreviations such as EST are refused: they mean different times in different countries.
package enum ZoneName {
    /// Only names that exist are kept, so this stays below a thousand entries.
    private static let known = Mutex<[String: TimeZone]>(["UTC": .gmt])

    /// - Parameter name: for example `Europe/Berlin`, or `UTC`.
    /// - Returns: `nil` for any other text.
    package static func zone(named name: String) -> TimeZone? {
        if let zone = known.withLock({ $0[name] }) { return zone }
        guard (3...64).contains(name.utf8.count), name.contains("/"), let zone = TimeZone(identifier: name), zone.identifier == name else {
            return nil
        }
        known.withLock { $0[name] = zone }
        return zone
    }
}
