import Foundation

/// A file of `Sets`: lines with fields between ` | `, comments after `#`. The lines before the line `judge` are for developing rules; those
/// after it only judge them.
struct LabelledSet {
    enum Half: String, CaseIterable { case develop, judge }

    private let lines: [(half: Half, fields: [String])]

    init(_ name: String) throws {
        let url = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Sets/\(name)")
        var half = Half.develop
        var lines: [(half: Half, fields: [String])] = []
        for line in try String(contentsOf: url, encoding: .utf8).split(separator: "\n") where !line.hasPrefix("#") {
            if line == "judge" {
                half = .judge
            } else {
                lines.append((half, line.components(separatedBy: " | ")))
            }
        }
        self.lines = lines
    }

    var all: [[String]] { lines.map(\.fields) }

    func half(_ half: Half) -> [[String]] { lines.filter { $0.half == half }.map(\.fields) }

    /// The values of a field: separated by commas, in lower case; `-` means none.
    static func values(_ field: String) -> Set<String> {
        field == "-" ? [] : Set(field.components(separatedBy: ", ").map { $0.lowercased() })
    }
}

/// How many of the expected things were found, and how many others.
struct Score {
    private(set) var right = 0
    private(set) var wrong = 0
    private(set) var missed = 0

    mutating func add(wanted: Set<String>, found: Set<String>) {
        right += wanted.intersection(found).count
        wrong += found.subtracting(wanted).count
        missed += wanted.subtracting(found).count
    }

    var precision: Double { right + wrong == 0 ? 1 : Double(right) / Double(right + wrong) }
    var recall: Double { right + missed == 0 ? 1 : Double(right) / Double(right + missed) }
}

/// The table that `make quality` prints.
enum QualityTable {
    static func row(_ what: String, _ half: LabelledSet.Half, _ figures: String, bar: String) {
        func padded(_ text: String, _ width: Int) -> String { text + String(repeating: " ", count: max(1, width - text.count)) }
        print("quality  " + padded(what, 26) + padded(half.rawValue, 9) + padded(figures, 44) + bar)
    }

    static func figure(_ value: Double) -> String { String(format: "%.3f", value) }
}
