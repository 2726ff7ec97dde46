import Synchronization

/// Counters, gauges and histograms, written as the text page that Prometheus reads (exposition format 0.0.4).
/// Label values come from us (routes, methods, statuses), never from a client, so the number of series is bounded.
///
/// Names follow Prometheus's conventions: a unit in seconds or bytes at the end, and `_total` after the name of a counter.
package final class Metrics: Sendable {
    /// The value of one series of a gauge.
    package struct Sample: Sendable {
        let labels: [(String, String)]
        let value: Double

        package init(_ value: Double, _ labels: [(String, String)] = []) {
            self.labels = labels
            self.value = value
        }
    }

    private struct Series {
        var buckets = [Int](repeating: 0, count: Metrics.bounds.count)
        var sum = 0.0
        var count = 0

        mutating func add(_ seconds: Double) {
            for (index, bound) in Metrics.bounds.enumerated() where seconds <= bound { buckets[index] += 1 }
            sum += seconds
            count += 1
        }

        mutating func add(_ other: Series) {
            for index in buckets.indices { buckets[index] += other.buckets[index] }
            sum += other.sum
            count += other.count
        }
    }
    private struct RequestKey: Hashable {
        let route: String
        let status: Int
        let method: String
    }
    private struct State {
        var counters: [String: [String: Double]] = [:]
        var histograms: [String: [String: Series]] = [:]
        var gauges: [String: @Sendable () -> [Sample]] = [:]
        /// Counters whose value another object keeps; the closure reads it.
        var readings: [String: @Sendable () -> Double] = [:]
        var help: [String: String] = [:]
        var requests: [RequestKey: Series] = [:]

        /// Adds the requests as a counter by method, route and status, and as a histogram by route.
        mutating func renderRequests() {
            guard !requests.isEmpty else { return }
            let (total, seconds) = ("keepsake_http_requests_total", "keepsake_http_request_seconds")
            help[total] = "Requests answered."
            help[seconds] = "Time from the head of a request to the head of its response."
            for (key, series) in requests {
                let labels = Metrics.render([("method", key.method), ("route", key.route), ("status", String(key.status))])
                counters[total, default: [:]][labels] = Double(series.count)
                histograms[seconds, default: [:]][Metrics.render([("route", key.route)]), default: Series()].add(series)
            }
        }
    }

    /// Upper bounds of the histogram buckets in seconds, from a cached row to a large upload.
    private static let bounds: [Double] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
    private let state = Mutex(State())

    package init() {}

    package func count(_ name: String, _ labels: [(String, String)] = [], by amount: Double = 1, help: String) {
        let key = Self.render(labels)
        state.withLock {
            $0.help[name] = help
            $0.counters[name, default: [:]][key, default: 0] += amount
        }
    }

    package func observe(_ name: String, _ labels: [(String, String)] = [], seconds: Double, help: String) {
        let key = Self.render(labels)
        state.withLock {
            $0.help[name] = help
            $0.histograms[name, default: [:]][key, default: Series()].add(seconds)
        }
    }

    /// Counts a completed request. Renders its labels when the page is requested, not for each request.
    package func countRequest(method: String, route: String, status: Int, seconds: Double) {
        let key = RequestKey(route: route, status: status, method: method)
        state.withLock { $0.requests[key, default: Series()].add(seconds) }
    }

    /// - Parameter read: called at each request of the page; must not block.
    package func gauge(_ name: String, help: String, _ read: @escaping @Sendable () -> Double) {
        gauges(name, help: help) { [Sample(read())] }
    }

    /// A gauge with labels.
    /// - Parameter read: called at each request of the page; must not block. Returns no sample for what is not known yet.
    package func gauges(_ name: String, help: String, _ read: @escaping @Sendable () -> [Sample]) {
        state.withLock {
            $0.help[name] = help
            $0.gauges[name] = read
        }
    }

    /// A counter whose value another object keeps.
    /// - Parameter read: called at each request of the page; must not block. Its value never decreases.
    package func counter(_ name: String, help: String, _ read: @escaping @Sendable () -> Double) {
        state.withLock {
            $0.help[name] = help
            $0.readings[name] = read
        }
    }

    package func page() -> String {
        var state = state.withLock { $0 }
        state.renderRequests()
        for (name, read) in state.readings { state.counters[name] = ["": read()] }
        var page = ""
        func head(_ name: String, _ type: String) { page += "# HELP \(name) \(state.help[name] ?? "")\n# TYPE \(name) \(type)\n" }
        for (name, series) in state.counters.sorted(by: { $0.key < $1.key }) {
            head(name, "counter")
            for (labels, value) in series.sorted(by: { $0.key < $1.key }) {
                page += "\(name)\(Self.braces(labels)) \(Self.number(value))\n"
            }
        }
        for (name, read) in state.gauges.sorted(by: { $0.key < $1.key }) {
            let samples = read()
            guard !samples.isEmpty else { continue }
            head(name, "gauge")
            for sample in samples { page += "\(name)\(Self.braces(Self.render(sample.labels))) \(Self.number(sample.value))\n" }
        }
        for (name, all) in state.histograms.sorted(by: { $0.key < $1.key }) {
            head(name, "histogram")
            for (labels, series) in all.sorted(by: { $0.key < $1.key }) {
                let comma = labels.isEmpty ? "" : ","
                for (bound, count) in zip(Self.bounds, series.buckets) {
                    page += "\(name)_bucket{\(labels)\(comma)le=\"\(Self.number(bound))\"} \(count)\n"
                }
                page += "\(name)_bucket{\(labels)\(comma)le=\"+Inf\"} \(series.count)\n"
                page +=
                    "\(name)_sum\(Self.braces(labels)) \(Self.number(series.sum))\n\(name)_count\(Self.braces(labels)) \(series.count)\n"
            }
        }
        return page
    }

    private static func render(_ labels: [(String, String)]) -> String {
        var text = ""
        for (name, value) in labels {
            if !text.isEmpty { text += "," }
            text += name
            text += "=\""
            // Route templates and methods need no escaping. Checking that first is much cheaper than the three searches of `escaped`.
            text += value.utf8.contains(where: isEscaped) ? escaped(value) : value
            text += "\""
        }
        return text
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\n")
    }
    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
    private static func braces(_ labels: String) -> String { labels.isEmpty ? "" : "{\(labels)}" }
    private static func number(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
    }
}
