internal import Core

/// The accounts and networks whose sound took longer than its count promised. For ten minutes, all their sound is long work, so that files
/// that lie about their length do not occupy the worker that long jobs leave free.
struct SlowAudioRequesters {
    /// At most this many accounts and networks; the earliest is forgotten.
    static let mostShares = 1_024
    static let time: Duration = .seconds(600)

    private var ends: [Requester.Share: ContinuousClock.Instant] = [:]

    var count: Int { ends.count }

    mutating func add(_ requester: Requester, at now: ContinuousClock.Instant) {
        for share in Set([requester.share, requester.networkShare]) {
            if ends[share] == nil, ends.count >= Self.mostShares, let earliest = ends.min(by: { $0.value < $1.value }) {
                ends[earliest.key] = nil
            }
            ends[share] = now + Self.time
        }
    }

    func contains(_ requester: Requester, at now: ContinuousClock.Instant) -> Bool {
        [requester.share, requester.networkShare].contains { share in ends[share].map { $0 > now } ?? false }
    }
}
