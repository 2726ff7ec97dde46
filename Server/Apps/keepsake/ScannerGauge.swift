import Synchronization
import Web

/// Reports on the metrics page whether clamd answers. `refresh` asks it every 30 seconds, because the page must not wait for it.
final class ScannerGauge: Sendable {
    /// How often `refresh` should run.
    static let pause = Duration.seconds(30)

    /// Whether clamd answered the last time; `nil` before the first time.
    private let isUp = Mutex<Bool?>(nil)
    private let reach: @Sendable () async throws -> Void

    /// - Parameter reach: throws if the scanner does not answer.
    init(_ metrics: Metrics, reach: @escaping @Sendable () async throws -> Void) {
        self.reach = reach
        metrics.gauges("keepsake_scanner_up", help: "1 if clamd answers, 0 if not: uploads then get 503.") { [self] in
            isUp.withLock { $0 }.map { [Metrics.Sample($0 ? 1 : 0)] } ?? []
        }
    }

    func refresh() async {
        let answers: Bool
        do {
            try await reach()
            answers = true
        } catch {
            // The request was cancelled because the server is stopping, so its failure says nothing about clamd.
            if Task.isCancelled { return }
            answers = false
        }
        isUp.withLock { $0 = answers }
    }
}
