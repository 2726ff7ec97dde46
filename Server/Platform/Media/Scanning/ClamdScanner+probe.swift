import Blobs
import Core
import NIOCore

extension ClamdScanner {
    /// 100 MB: the largest upload, unless the operator allows larger general uploads. Recordings of capsules may have 200 MB; the probe
    /// does not cover them.
    package static let largestByteCount: Int64 = 104_857_600

    /// Proves that clamd finds a virus in the last bytes of the largest upload, by scanning such a file; for `keepsake doctor`. If a file
    /// exceeds clamd's MaxFileSize, clamd replies OK without reading the data, which no other check would notice.
    ///
    /// The file is a tar archive slightly larger than the largest upload, whose last member is EICAR's test file. The official signatures
    /// detect EICAR only as a separate file; within an archive, both they and the project's own signature find it.
    /// - Parameter byteCount: the size of the largest upload.
    /// - Throws: `ScannerUnavailable`, whose reason says which settings to change.
    package func probe(byteCount: Int64 = ClamdScanner.largestByteCount, within time: Duration = .seconds(90)) async throws -> ClamdReport {
        let scan = scan()
        return try await withThrowingTaskGroup(of: ClamdReport?.self) { group in
            group.addTask { try await examine(scan, byteCount, within: time) }
            group.addTask {
                try? await Task.sleep(for: time)
                return nil
            }
            let first = await group.nextResult()
            group.cancelAll()
            // Cancelling a task does not end its wait for the network.
            await scan.abort()
            guard let report = try first?.get() else { throw ScannerUnavailable("the probe took longer than \(time)") }
            return report
        }
    }

    private func examine(_ scan: any ScanStream, _ byteCount: Int64, within time: Duration) async throws -> ClamdReport {
        let version = try await version(within: min(time, limits.progress))
        let start = ContinuousClock.now
        try await scan.append(TarArchive.header(name: "filling", byteCount: byteCount))
        let piece = ByteBuffer(repeating: 0, count: 262_144)
        var left = TarArchive.padded(byteCount)
        while left > 0 {
            try await scan.append(piece.getSlice(at: 0, length: Int(min(left, 262_144)))!)
            left -= 262_144
        }
        try await scan.append(TarArchive.header(name: "eicar.com", byteCount: Int64(Eicar.bytes.count)))
        var last = ByteBuffer(bytes: Eicar.bytes)
        last.writeRepeatingByte(0, count: 512 - Eicar.bytes.count)
        try await scan.append(last)
        try await scan.append(ByteBuffer(repeating: 0, count: 1_024))
        switch try await scan.finish() {
        case .infected(let name) where name.lowercased().contains("eicar"):
            return ClamdReport(version: version, byteCount: byteCount, duration: .now - start)
        case .infected(let name):
            throw ScannerUnavailable(
                "it does not read a file of \(SizeText.rounded(byteCount)) to its end (\(name)); set \(Self.advice(byteCount))")
        case .clean:
            throw ScannerUnavailable(
                "it did not find EICAR's test file after \(SizeText.rounded(byteCount)): it has no signatures, or stops reading before; "
                    + "set \(Self.advice(byteCount))")
        }
    }

    /// clamd's settings: a file may have twice the size of the largest upload, and an archive may unpack to four times that size.
    private static func advice(_ byteCount: Int64) -> String {
        let megabytes = 2 * byteCount / 1_048_576
        return "StreamMaxLength and MaxFileSize to \(megabytes)M, MaxScanSize to \(2 * megabytes)M, AlertExceedsMax to yes"
    }

    /// Asks clamd for its version. This proves only that it answers.
    /// - Throws: `ScannerUnavailable`.
    package func version(within time: Duration) async throws -> String {
        let connection = try await connect("zVERSION\0")
        defer { connection.close() }
        connection.flush()
        switch await connection.reply(within: time) {
        case .text(let text) where text.hasPrefix("ClamAV "): return String(text.prefix(200))
        case .text(let text): throw ScannerUnavailable("it calls itself \(text.prefix(200))")
        case .none(let reason): throw ScannerUnavailable(reason)
        }
    }
}
