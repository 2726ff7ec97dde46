internal import Foundation

/// `make campaign NAME=kill` runs the full form of one campaign; every other run the small form of each.
package enum CampaignScale {
    private static let named = ProcessInfo.processInfo.environment["KEEPSAKE_CAMPAIGN"]

    package static func isFull(_ name: String) -> Bool { named == name }
    package static func runs(_ name: String) -> Bool { named == nil || named == name }

    /// `make campaign NAME=rows ENGINE=postgres` runs it on one engine: an hour each is enough for one sitting.
    package static var engines: [Engine] {
        let wanted = ProcessInfo.processInfo.environment["KEEPSAKE_CAMPAIGN_ENGINE"].flatMap { $0.isEmpty ? nil : $0 }
        return Engine.allCases.filter { wanted == nil || $0.rawValue.lowercased().hasPrefix(wanted ?? "") }
    }

    package static func progress(_ done: Int, of total: Int) {
        guard named != nil, done % max(1, total / 100) == 0 else { return }
        FileHandle.standardError.write(Data("\r\(done) of \(total)\(done == total ? "\n" : "")".utf8))
    }
}
