import Blobs
import Core
import Foundation
import Logging
import MediaTools
import NIOCore
import TestKit

/// A scanner, and test files.
struct ScanFixture: Sendable {
    /// The address of the clamd that `scripts/services.sh start` starts.
    static let address = ClamdAddress(ClamdService.everybodys)!
    static let silent = Logger(label: "scan") { _ in SwiftLogNoOpLogHandler() }

    let scanner: ClamdScanner

    init(_ address: ClamdAddress = ScanFixture.address, _ limits: ClamdLimits = ClamdLimits()) {
        scanner = ClamdScanner(address, limits: limits, logger: Self.silent)
    }

    init(_ address: String, _ limits: ClamdLimits = ClamdLimits()) { self.init(ClamdAddress(address)!, limits) }

    /// - Parameter pieces: the sizes of the chunks that the file arrives in; they repeat.
    func verdict(on file: ByteBuffer, pieces: [Int] = [65_536]) async throws -> ScanVerdict {
        let scan = scanner.scan()
        try await Self.feed(file, to: scan, pieces: pieces)
        return try await scan.finish()
    }

    static func feed(_ file: ByteBuffer, to scan: any ScanStream, pieces: [Int] = [65_536]) async throws {
        var rest = file
        var turn = 0
        while rest.readableBytes > 0 {
            try await scan.append(rest.readSlice(length: min(rest.readableBytes, pieces[turn % pieces.count]))!)
            turn += 1
        }
    }

    /// Bytes without a repetition within 1 MiB. clamd finds nothing in them.
    static func clean(_ byteCount: Int) -> ByteBuffer {
        var block = ByteBuffer()
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        for _ in 0..<(min(byteCount, 1_048_576) + 7) / 8 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            block.writeInteger(state)
        }
        var file = ByteBuffer()
        file.reserveCapacity(byteCount)
        while file.readableBytes < byteCount {
            file.writeImmutableBuffer(block.getSlice(at: 0, length: min(block.readableBytes, byteCount - file.readableBytes))!)
        }
        return file
    }

    /// Like `clean`, with the EICAR string at `offset`.
    static func infected(_ byteCount: Int, at offset: Int) -> ByteBuffer {
        var file = clean(byteCount)
        file.setBytes(Eicar.bytes, at: file.readerIndex + offset)
        return file
    }

    /// The reason why there was no verdict; `nil` if there was one.
    static func reason(_ body: () async throws -> some Any) async -> String? {
        do {
            _ = try await body()
            return nil
        } catch let error as ScannerUnavailable {
            return error.reason
        } catch {
            return "not ScannerUnavailable but \(error)"
        }
    }

    static let eicar = ScanVerdict.infected(name: "Eicar-Test-Signature.UNOFFICIAL")

    /// The resident memory of the process in bytes.
    static var residentByteCount: Int {
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        return (pages.flatMap { Int($0[1]) } ?? 0) * 4_096
    }
}
