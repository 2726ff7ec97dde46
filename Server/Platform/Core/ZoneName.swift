package import Foundation
internal import Synchronization

/// Time zones by their names in the IANA database. Abbreviations such as EST are refused: they mean different times in different countries.
package enum ZoneName {
    /// The zones that were looked up, by name. Names that do not exist are not kept, so the table stays below a thousand entries.
    private static let known = Mutex<[String: TimeZone]>(Dictionary(uniqueKeysWithValues: namesOfUTC.map { ($0, TimeZone.gmt) }))

    /// The names of UTC without a slash. Devices in UTC call it `GMT`, as Foundation does.
    private static let namesOfUTC = ["UTC", "GMT", "GMT0", "GMT+0", "GMT-0", "Greenwich", "UCT", "Universal", "Zulu"]

    /// The other names without a slash in the IANA database's file `backward`, except those that Foundation reads as abbreviations.
    private static let countries: Set<String> = [
        "Cuba", "Egypt", "Eire", "GB", "GB-Eire", "Hongkong", "Iceland", "Iran", "Israel", "Jamaica", "Japan", "Kwajalein", "Libya", "NZ",
        "NZ-CHAT", "Navajo", "PRC", "Poland", "Portugal", "ROC", "ROK", "Singapore", "Turkey", "W-SU",
    ]

    /// - Parameter name: for example `Europe/Berlin`, or `UTC`.
    /// - Returns: `nil` for any other text.
    package static func zone(named name: String) -> TimeZone? {
        if let zone = known.withLock({ $0[name] }) { return zone }
        let isCountry = countries.contains(name)
        guard isCountry || (3...64).contains(name.utf8.count) && name.contains("/"), let zone = TimeZone(identifier: name),
            isCountry || zone.identifier == name
        else { return nil }
        known.withLock { $0[name] = zone }
        return zone
    }

    /// The zone's name in responses, which `zone(named:)` accepts: `UTC` for what Foundation calls `GMT`.
    package static func name(of zone: TimeZone) -> String { zone.identifier == "GMT" ? "UTC" : zone.identifier }
}
