import Testing

@testable import Intelligence

@Suite("Words of contacts' names")
struct ContactWordsTests {
    /// 2,000 different names of 100 words. Each word is one letter.
    private static let long = (0..<2_000).map { (number: Int) -> String in
        let different = [number % 26, number / 26 % 26, number / 676 % 26]
        let letters = different + (3..<100).map { (7 * $0 + number) % 26 }
        return letters.map { String(Character(Unicode.Scalar(UInt8(97 + $0)))) }.joined(separator: " ")
    }

    @Test("eight words of a name are compared, and in a question only names whose first word it contains")
    func counts() {
        #expect(Set(Self.long).count == 2_000)
        #expect(NameFinder(contacts: Self.long).contactWordCount <= 8 * 2_000)
        #expect(NameFinder(contacts: Self.long, in: Words("Where is Nora?")).contactWordCount == 0)
        // 77 of the names begin with this letter.
        let some = NameFinder(contacts: Self.long, in: Words("Who is X?")).contactWordCount
        #expect(some > 0 && some <= 8 * 77, "\(some)")
    }

    @Test("a long name is found by its first eight words, and not at all if they are very long")
    func longNames() {
        let name = "Anna Maria Luise Charlotte Sophie von und zu Hohenlohe"
        let read = Words("Who is \(name)?")
        for contacts in [[name], [name + String(repeating: " Langenburg", count: 13)]] {
            let names = NameFinder(contacts: contacts, in: read).names(in: read)
            #expect(names.first == "Anna Maria Luise Charlotte Sophie von und zu", "\(names)")
        }
        let tail = String(repeating: "x", count: 120)
        #expect(NameFinder(contacts: ["Anna " + tail, tail]).contactWordCount == 0)
        #expect(NameFinder(contacts: ["Anna " + String(repeating: "x", count: 95)]).contactWordCount == 2)
    }

    @Test("whether only the names of a text are read or all, the same ones are found, whatever their case, accents and marks")
    func same() {
        let contacts = [
            "Xanthippe", "May Lindqvist", "May", "Bob", "Élodie Dubois", "O’Neil Kavanagh", "Jean-Luc", "“Nora” Berg", "- 'Zed' Okafor",
            "İpek Kaya", "Ωμέγα", "🎉", "", "…", "Anna", "Anna Schmidt",
        ]
        for text in [
            "xanthippe called again", "Have we met may lindqvist in May?", "told bob the server was down", "We saw E\u{301}lodie Dubois.",
            "WE SAW ÉLODIE DUBOIS.", "Was o'neil kavanagh there?", "Where is JEAN-LUC?", "Did Nora Berg's boat leak?",
            "Zed Okafor laughed.",
            "When did İpek Kaya leave?", "who is ωμέγα", "Anna Schmidt came, and Anna left with Bob.", "", "🎉", "Nobody came.",
        ] {
            let read = Words(text)
            let all = NameFinder(contacts: contacts).names(in: text)
            #expect(NameFinder(contacts: contacts, in: read).names(in: read) == all, "\(text)")
        }
        let read = Words("We saw E\u{301}lodie Dubois.")
        #expect(NameFinder(contacts: contacts, in: read).names(in: read) == ["Élodie Dubois"])
    }

    @Test("a text is read up to the last of the words that are wanted")
    func words() {
        for text in ["Anna Schmidt", "“Anna”, Schmidt", "Anna.Schmidt", "'Anna's Schmidt", "Anna\nSchmidt", "… Anna"] {
            #expect(Words(text, limit: 1).all == Array(Words(text).all.prefix(1)), "\(text)")
        }
        #expect(Words("Anna", limit: 0).all.isEmpty)
    }
}
