internal import Foundation

/// Cities of the world by position and by name. Pure.
package enum Places {
    struct City: Sendable {
        let name: String
        /// ISO 3166, two letters.
        let country: String
        /// Degrees.
        let latitude: Double
        let longitude: Double

        /// `Lisbon, Portugal`
        var description: String {
            Locale(identifier: "en_US").localizedString(forRegionCode: country).map { "\(name), \($0)" } ?? name
        }
    }

    /// The greatest distance from a position to the city that is named for it, in kilometres.
    private static let reach = 60.0

    static let cities: [City] = list.split(whereSeparator: \.isWhitespace).compactMap { entry -> City? in
        let parts = entry.split(separator: "|")
        guard parts.count == 4, let latitude = Double(parts[2]), let longitude = Double(parts[3]) else { return nil }
        return City(
            name: String(parts[0]).replacing("_", with: " "), country: String(parts[1]), latitude: latitude / 100,
            longitude: longitude / 100)
    }

    /// The nearest city of the table; `nil` when none is within 60 km.
    static func nearest(latitude: Double, longitude: Double) -> City? {
        let close = cities.lazy.map { ($0, distance(latitude, longitude, $0.latitude, $0.longitude)) }.min { $0.1 < $1.1 }
        return close.flatMap { $0.1 <= reach ? $0.0 : nil }
    }

    /// Kilometres between two positions (haversine).
    private static func distance(_ latitude: Double, _ longitude: Double, _ otherLatitude: Double, _ otherLongitude: Double) -> Double {
        let radian = Double.pi / 180
        let half = sin((otherLatitude - latitude) * radian / 2)
        let across = sin((otherLongitude - longitude) * radian / 2)
        let a = half * half + cos(latitude * radian) * cos(otherLatitude * radian) * across * across
        return 2 * 6_371 * asin(min(1, a.squareRoot()))
    }

    /// The names of the larger cities by their words in lower case. A city whose name is an everyday word is not among them.
    private static let byName: [String: String] = {
        var names: [String: String] = [:]
        for city in cities.prefix(2_000) {
            let plain = city.name.lowercased().replacing("’", with: "'")
            if !everydayWords.contains(plain), plain.count > 2, names[plain] == nil { names[plain] = city.name }
        }
        for country in Words.set(countries) {
            let name = country.replacing("_", with: " ")
            names[name] = name.split(separator: " ").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: " ")
        }
        names["new york"] = "New York"
        return names
    }()

    static func isKnown(_ plain: String) -> Bool { byName[plain] != nil }

    /// The place that a text names: a city or country after a preposition, or a kind of place with an article, "the coffee shop".
    package static func find(in text: String) -> String? { find(Words(text)) }

    static func find(_ words: Words) -> String? {
        var kind: String?
        for (index, word) in words.all.enumerated() where prepositions.contains(word.plain) {
            for count in [3, 2, 1] where index + count < words.all.count {
                let part = words.all[(index + 1)...(index + count)]
                guard part.dropFirst().allSatisfy({ !$0.followsMark && !$0.startsSentence }), let first = part.first, !first.startsSentence,
                    words.isLowerCase || first.isCapitalised, let name = byName[part.map(\.plain).joined(separator: " ")]
                else { continue }
                return name
            }
            if kind == nil { kind = self.kind(after: index, words.all) }
        }
        return kind
    }

    /// "at the coffee shop" → "coffee shop".
    private static func kind(after index: Int, _ words: [Words.Word]) -> String? {
        guard index + 2 < words.count, articles.contains(words[index + 1].plain), !words[index + 1].startsSentence else { return nil }
        for last in (index + 2)...min(index + 4, words.count - 1) {
            guard !words[last].followsMark, !words[last].startsSentence else { return nil }
            guard kinds.contains(words[last].plain) else { continue }
            // Takes all of "the coffee shop", but only "the park" of "the park bench".
            if last + 1 < words.count, !words[last + 1].followsMark, kinds.contains(words[last + 1].plain), last + 1 <= index + 4 {
                continue
            }
            return words[(index + 2)...last].map(\.text).joined(separator: " ")
        }
        return nil
    }

    private static let prepositions = Words.set("in at to from near around through into outside inside via on towards toward behind by")
    private static let articles = Words.set("the a an my our his her their this that")
    private static let kinds = Words.set(
        """
        shop store market supermarket mall park garden beach lake river forest mountain mountains bridge station airport harbour harbor port
        office home house apartment flat kitchen balcony roof yard school university library museum gallery theatre theater cinema church
        mosque temple synagogue cathedral hospital clinic gym pool stadium restaurant café cafe bar pub bakery hotel hostel village city town
        street square farm field playground zoo castle island bay coast court bank studio club barn train bus plane car boat
        """)
    private static let everydayWords = Words.set(
        """
        nice reading mobile bath orange split of best mary male san los most same bar van see can ha men man date era due ube tours angers
        nancy lens bury hull deal worth sale enterprise independence surprise victoria florence charlotte jackson madison austin aurora
        salem garland irving lincoln henderson chandler gilbert anna paulista leon león jerez natal salvador santiago george valencia
        david kent warren hope dale temple march crawley split sandy grace victorville
        """)
    private static let countries = """
        afghanistan albania algeria andorra angola argentina armenia australia austria azerbaijan bahrain bangladesh barbados belarus belgium
        belize benin bhutan bolivia botswana brazil bulgaria cambodia cameroon canada chile china colombia croatia cuba cyprus czechia denmark
        ecuador egypt england estonia eswatini ethiopia fiji finland france gambia germany ghana greece greenland guatemala haiti honduras
        hungary iceland india indonesia iran iraq ireland israel italy jamaica japan jordan kazakhstan kenya kosovo kuwait laos latvia lebanon
        liberia libya liechtenstein lithuania luxembourg madagascar malawi malaysia mali malta mexico moldova monaco mongolia montenegro
        morocco mozambique myanmar namibia nepal new_zealand nicaragua nigeria norway oman pakistan panama paraguay peru philippines poland
        portugal qatar romania russia rwanda saudi_arabia scotland senegal serbia singapore slovakia slovenia somalia south_africa south_korea
        spain sri_lanka sudan sweden switzerland syria taiwan tanzania thailand tunisia uganda ukraine uruguay uzbekistan venezuela vietnam
        wales yemen zambia zimbabwe
        """
}
