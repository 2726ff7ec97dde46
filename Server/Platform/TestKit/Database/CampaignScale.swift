internal import Foundation

/// `make campaign NAME=kill` runs one campaign at full scale. Every other test run uses the small scale.
package enum CampaignScale {
    private static let named = ProcessInfo.processInfo.environment["KEEPSAKE_CAMPAIGN"]

    package static func isFull(_ name: String) -> Bool { named == name }
    package static func runs(_ name: String) -> Bool { named == nil || named == name }

    /// `make campaign NAME=rows ENGINE=postgres` runs the campaign on one engine, since each engine takes an hour.
    package static var engines: [Engine] {
        let wanted = ProcessInfo.processInfo.environment["KEEPSAKE_CAMPAIGN_ENGINE"].flatMap { $0.isEmpty ? nil : $0 }
        return Engine.allCases.filter { wanted == nil || $0.rawValue.lowercased().hasPrefix(wanted ?? "") }
    }

    /// The storage pairs of `engines`.
    package static var pairs: [StoragePair] { engines.map { StoragePair($0) } }

    package static func progress(_ done: Int, of total: Int) {
        guard named != nil, done % max(1, total / 100) == 0 else { return }
        FileHandle.standardError.write(Data("\r\(done) of \(total)\(done == total ? "\n" : "")".utf8))
    }
}
