internal import CMedia
internal import Foundation
internal import MediaFrames

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension MediaWorkers {
    /// Decodes a small file of every format and makes every format of variant. `run` must be running.
    /// - Returns: what works, as text for the operator.
    /// - Throws: a `MediaProbeError` that names what this machine's libraries cannot do.
    package func probe() async throws -> String {
        for sample in MediaSample.pictures {
            try await Self.proving("libvips does not read \(sample.kind.rawValue)") {
                guard let data = Data(base64Encoded: sample.base64) else { throw MediaFailure.refused(.unreadable) }
                let facts = try await withMemory([UInt8](data)) { try await self.inspect($0) }
                guard facts.kind == sample.kind else { throw MediaFailure.refused(.unreadable) }
                for format in VariantRequest.Format.allCases {
                    try await Self.proving("libvips does not make \(format.rawValue) of \(sample.kind.rawValue)") {
                        _ = try await withMemory([UInt8](data)) {
                            try await self.variant($0, VariantRequest(width: 16, height: 16, format: format))
                        }
                    }
                }
            }
        }
        try await Self.proving("ffmpeg (\(options.ffmpeg)) does not decode audio") {
            _ = try await withMemory(MediaSample.sound) { try await self.audioFacts($0) }
        }
        guard access(options.ffprobe, X_OK) == 0 else { throw MediaProbeError("there is no ffprobe at \(options.ffprobe)") }
        let kinds = MediaSample.pictures.map(\.kind.rawValue).joined(separator: ", ")
        let formats = VariantRequest.Format.allCases.map(\.rawValue).joined(separator: ", ")
        return "the sandboxed worker read \(kinds), made \(formats), and ffmpeg decoded audio"
    }

    private func withMemory<T>(_ bytes: [UInt8], _ body: (CInt) async throws -> T) async throws -> T {
        let memory = bytes.withUnsafeBytes { media_sealed_memory($0.baseAddress!, $0.count) }
        guard memory >= 0 else { throw FrameError.system(errno) }
        defer { _ = close(memory) }
        return try await body(memory)
    }

    private static func proving(_ words: String, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as MediaProbeError {
            throw error
        } catch {
            throw MediaProbeError("\(words): \(error)")
        }
    }
}

/// A capability that the media worker lacks on this machine.
package struct MediaProbeError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
