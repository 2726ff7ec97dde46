package import KeepsakeWire

/// A page of moods with realistic texts, for measuring how fast lists are encoded.
package enum MoodPage {
    /// - Parameter count: number of moods; 20 make about 10 KB.
    package static func make(_ count: Int = 20, seed: UInt64 = 1) -> MoodListResponse {
        var random = SplitMix64(seed: seed)
        let moods = (0..<count).map { number in mood(number, &random) }
        return MoodListResponse(
            moods: moods, pagination: Pagination(nextCursor: "MTc5NjA3MDAwMDAwMDAwMHwwMTlhYTg0Ni1hNmM3.\(text(43, &random))"))
    }

    private static func mood(_ number: Int, _ random: inout SplitMix64) -> MoodData {
        let note = notes.randomElement(using: &random)!
        return MoodData(
            id: identifier(&random), mood: moods.randomElement(using: &random)!, note: note,
            voiceNote: number % 4 == 0 ? link(&random) : nil, voiceNoteDuration: number % 4 == 0 ? 12.48 : nil,
            reason: number % 3 == 0 ? nil : "Weekend with the family", tags: Array(tags.shuffled(using: &random).prefix(2 + number % 2)),
            interests: ["music", "hiking"], moodIntensity: 1 + number % 10, createdAt: 1_796_070_000_000 - number * 86_400_123,
            imageUrls: [link(&random), link(&random)], category: "general", groupId: number % 2 == 0 ? identifier(&random) : nil,
            files: (["image/jpeg", "image/jpeg"] + (number % 4 == 0 ? ["audio/mp4"] : [])).map {
                EntryFile(id: identifier(&random), type: $0)
            })
    }

    private static let moods = ["happy", "calm", "grateful", "anxious", "müde"]
    private static let tags = ["summer", "family", "berlin", "Grüße", "work"]
    private static let notes = [
        "Ein schöner Tag am See, das Wasser war noch warm 🌊 und niemand hatte es eilig.",
        "Finally finished the big project. Slept badly, but it was worth it.",
        "Lunch with Jörg: he said \"let's go back there\", and we will.",
    ]

    private static func link(_ random: inout SplitMix64) -> String {
        "https://keepsake.example.org/api/users/user/\(identifier(&random))/multimedia/files/\(identifier(&random))?expires=1796774400&signature=\(text(22, &random))"
    }

    private static func identifier(_ random: inout SplitMix64) -> String {
        let hex = Array("0123456789abcdef")
        return String((0..<36).map { [8, 13, 18, 23].contains($0) ? "-" : hex.randomElement(using: &random)! })
    }

    private static func text(_ length: Int, _ random: inout SplitMix64) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        return String((0..<length).map { _ in letters.randomElement(using: &random)! })
    }
}
