import Foundation
import Synchronization

/// Prints what a campaign of hours is doing: one line for each phase, and one every ten seconds within it.
final class CampaignLines: Sendable {
    private let name: String
    private let isSilent: Bool
    private let start = ContinuousClock.now
    private let state: Mutex<(phase: String, printedAt: ContinuousClock.Instant)>

    /// - Parameter isSilent: prints nothing, as in the small form of a campaign.
    init(_ name: String, isSilent: Bool) {
        self.name = name
        self.isSilent = isSilent
        state = Mutex((phase: "start", printedAt: ContinuousClock.now))
    }

    func begin(_ phase: String) {
        state.withLock { $0 = (phase: phase, printedAt: ContinuousClock.now) }
        print(phase)
    }

    /// - Parameter detail: how far the phase is.
    func show(_ detail: String) {
        let phase: String? = state.withLock { state in
            let now = ContinuousClock.now
            guard now - state.printedAt >= .seconds(10) else { return nil }
            state.printedAt = now
            return state.phase
        }
        if let phase { print("\(phase): \(detail)") }
    }

    private func print(_ text: String) {
        guard !isSilent else { return }
        let seconds = (ContinuousClock.now - start).components.seconds
        FileHandle.standardError.write(Data("\(name) campaign, after \(seconds) s: \(text)\n".utf8))
    }
}
