import Intelligence
import Testing

/// The bars for precision and recall: 0.9 and 0.8 for names, 0.9 and 0.5 for names in texts without capital letters and full stops, and 0.8
/// and 0.6 for themes.
@Suite("Quality: names and themes")
struct SentenceQualityTests {
    private static func inLowerCase(_ text: String) -> String { text.lowercased().filter { !".,!?;:".contains($0) } }

    private func names(_ set: LabelledSet, _ half: LabelledSet.Half, isLowerCase: Bool) -> Score {
        var score = Score()
        for fields in set.half(half) {
            let text = isLowerCase ? Self.inLowerCase(fields[2]) : fields[2]
            score.add(wanted: LabelledSet.values(fields[0]), found: Set(NameFinder().names(in: text).map { $0.lowercased() }))
        }
        return score
    }

    @Test("names: precision and recall over 150 sentences, one half to develop rules on and one to judge them", arguments: [false, true])
    func names(isLowerCase: Bool) throws {
        let set = try LabelledSet("sentences.txt")
        #expect(set.half(.develop).count == 75 && set.half(.judge).count == 75)
        let bar = isLowerCase ? 0.5 : 0.8
        for half in LabelledSet.Half.allCases {
            let score = names(set, half, isLowerCase: isLowerCase)
            QualityTable.row(
                isLowerCase ? "names in lower case" : "names", half,
                "precision \(QualityTable.figure(score.precision))  recall \(QualityTable.figure(score.recall))", bar: "0.9, \(bar)")
            if half == .judge { #expect(score.precision >= 0.9 && score.recall >= bar) }
        }
    }

    @Test("themes: precision and recall over the same sentences")
    func themes() throws {
        let set = try LabelledSet("sentences.txt")
        for half in LabelledSet.Half.allCases {
            var score = Score()
            for fields in set.half(half) {
                let wanted = LabelledSet.values(fields[1])
                #expect(wanted.isSubset(of: Themes.all), "\(fields[1])")
                score.add(wanted: wanted, found: Set(Themes.find(in: fields[2])))
            }
            QualityTable.row(
                "themes", half, "precision \(QualityTable.figure(score.precision))  recall \(QualityTable.figure(score.recall))",
                bar: "0.8, 0.6"
            )
            if half == .judge { #expect(score.precision >= 0.8 && score.recall >= 0.6) }
        }
    }
}
