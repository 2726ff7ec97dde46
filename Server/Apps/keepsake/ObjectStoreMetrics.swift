import S3Blobs
import Web

extension Metrics {
    /// Counts a request to the object store.
    func count(_ request: S3Observation) {
        let operation = [("operation", request.operation.rawValue)]
        count(
            "keepsake_s3_received_bytes_total", operation, by: Double(request.receivedByteCount),
            help: "Bytes of bodies received from the object store.")
        guard !request.isBody else { return }
        let status = request.status.map { "\($0)" } ?? "none"
        count(
            "keepsake_s3_requests_total", operation + [("status", status)],
            help: "Requests sent to the object store, by the status of the response; none: no response.")
        // The first request adds these counters even if they are 0, because an alert cannot compute with a counter that does not exist.
        count(
            "keepsake_s3_retries_total", operation, by: request.isRetry ? 1 : 0, help: "Requests sent again to the object store.")
        let isError = request.status.map { $0 >= 400 && $0 != 404 } ?? true
        count(
            "keepsake_s3_errors_total", operation, by: isError ? 1 : 0,
            help: "Requests to the object store without a response, or with an error other than 404.")
        count(
            "keepsake_s3_sent_bytes_total", operation, by: Double(request.sentByteCount), help: "Bytes of bodies sent to the object store.")
        observe(
            "keepsake_s3_request_seconds", operation, seconds: request.duration / .seconds(1),
            help: "Time from a request to the object store to the head of its response.")
    }
}
