package import Core
internal import Foundation
package import MediaFrames

/// Reads the text of documents: plain text and Word's newer format in the media worker, PDF with poppler's pdftotext, and Word's older
/// format with catdoc. Both programs run in the same sandbox as the decoders, and get the file as a descriptor.
package struct DocumentReader: Sendable {
    /// Paths of the programs.
    package struct Programs: Sendable {
        package var pdftotext = ProgramPath.find("pdftotext")
        package var catdoc = ProgramPath.find("catdoc")

        package init() {}
    }

    /// Who waits for a text.
    package enum Caller: Sendable, CaseIterable {
        case request
        case job
    }

    /// Maximum length of a text, in Unicode scalars.
    package static let characters = DocumentLimits.characters
    /// A Unicode scalar takes at most four bytes.
    private static let outputByteCount = 4 * DocumentLimits.characters
    /// Character maps of poppler-data and tables of catdoc.
    private static let readable = ["/usr/share/poppler", "/usr/share/catdoc"]
    /// How many documents jobs read at a time.
    package static let jobCount = 2
    /// How far an account that reads few documents is ahead of one that always has some. Most documents take less than 50 ms.
    private static let headStart = Duration.milliseconds(200)

    private let workers: MediaWorkers
    private let tool: SandboxedTool
    private let programs: Programs
    private let shortTime: Duration
    /// A hostile document keeps a core busy until its timeout, so requests and jobs together read at most four documents at a time. The
    /// account and the network whose documents took the least time are next.
    ///
    /// Requests and jobs do not share turns, because a job may keep its turn for 20 s, and a request waits for 5 s. One of the two turns of
    /// requests is only for networks that hold none, so no network holds both.
    private let turnsOfRequests = FairSemaphore(
        .init(
            permits: 2, permitsPerKey: 1, waiting: 256, waitingPerKey: 16, waitingPerNetwork: 128, reserve: 1, small: 1,
            headStart: Self.headStart))
    private let turnsOfJobs = FairSemaphore(
        .init(permits: Self.jobCount, permitsPerKey: 1, waiting: 256, waitingPerKey: 16, headStart: Self.headStart))

    /// - Parameter shortTime: how long the document of a request keeps its turn while documents of other accounts wait. Default 1 s.
    package init(
        workers: MediaWorkers, tool: SandboxedTool, programs: Programs = Programs(), shortTime: Duration = .seconds(1)
    ) {
        self.workers = workers
        self.tool = tool
        self.programs = programs
        self.shortTime = shortTime
    }

    /// Number of documents that wait for a turn; for tests.
    package var waiting: Int { turnsOfRequests.waitingCount + turnsOfJobs.waitingCount }

    /// Waits for a turn and reads a document.
    ///
    /// Two networks can hold both turns of requests, and neither the type nor the length of a document says how long it takes. So the
    /// document of a request keeps its turn for `shortTime` only, if documents of other accounts wait. Then its reading ends, and a job
    /// should read it again. An account that has read few documents is next, so a small document of it waits for `shortTime` and not for
    /// the timeouts of others. While nobody waits, a document has all of its time.
    /// - Parameters:
    ///   - requester: the turn counts for its account and its network, here and at the media workers.
    ///   - caller: who waits for the text. The document of a job keeps its turn until it is read or its time is up.
    ///   - timeout: for pdftotext or catdoc, in wall-clock time. The media worker, which reads the other kinds, has its own.
    ///   - withFile: calls `read` with a descriptor of the document, and returns the text. It runs during the turn, so a document that
    ///     waits needs no local file.
    /// - Returns: at most `characters`, in which tabs and line feeds are the only control characters; `nil` when the document holds no
    ///   text, no reader can open it, or the program that would read it is not installed.
    /// - Throws: `Problem` when too many documents wait; `MediaFailure.timedOut` when reading takes too long, also when it ended after
    ///   `shortTime`; `CancellationError`.
    package func text(
        of kind: DocumentKind, for requester: Requester, from caller: Caller, timeout: Duration,
        withFile: @escaping @Sendable (_ read: (CInt) async throws -> String?) async throws -> String?
    ) async throws -> String? {
        let read: @Sendable () async throws -> String? = {
            try await withFile { descriptor in Self.clean(try await bytes(descriptor, of: kind, timeout: timeout)) }
        }
        let turns = caller == .job ? turnsOfJobs : turnsOfRequests
        do {
            return try await turns.withPermit(for: requester, holder: Requester.source?.turns) {
                // A job has no request that records that this turn is held.
                try await requester.runHoldingTurn {
                    try await caller == .job ? read() : untilOthersWait(besides: requester, read)
                }
            }
        } catch MediaFailure.timedOut {
            throw MediaFailure.timedOut
        } catch is MediaFailure {
            // A program that was cancelled ends like one that crashed, so this checks for cancellation first.
            try Task.checkCancellation()
            return nil
        } catch is FairQueueRefusal {
            throw Problem(.unavailable, "Too many documents wait to be read.", retryAfter: .seconds(10))
        }
    }

    /// Reads the document of a request. Cancels the reading once it has taken `shortTime` and documents of other accounts wait.
    /// - Throws: `MediaFailure.timedOut` when it was cancelled for this reason; what `read` throws.
    private func untilOthersWait(
        besides requester: Requester, _ read: @escaping @Sendable () async throws -> String?
    ) async throws -> String? {
        try await withThrowingTaskGroup(of: String?.self) { group in
            group.addTask { try await read() }
            group.addTask {
                try await Task.sleep(for: shortTime)
                // At most two documents of requests are read at a time, so polling costs little.
                while !turnsOfRequests.isAwaited(besides: requester) { try await Task.sleep(for: .milliseconds(20)) }
                throw MediaFailure.timedOut
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    private func bytes(_ descriptor: CInt, of kind: DocumentKind, timeout: Duration) async throws -> [UInt8] {
        switch kind {
        case .text, .docx: try await workers.text(descriptor, of: kind)
        case .pdf:
            try await run([programs.pdftotext, "-q", "-enc", "UTF-8", "-nopgbrk", "/dev/fd/0", "-"], descriptor, timeout)
        // Word's older format has texts in Windows-1252 and in UTF-16; the arguments must name only the former.
        case .doc: try await run([programs.catdoc, "-s", "cp1252", "-d", "utf-8", "-w", "/dev/fd/0"], descriptor, timeout)
        case .usdz: []
        }
    }

    private func run(_ command: [String], _ descriptor: CInt, _ timeout: Duration) async throws -> [UInt8] {
        guard FileManager.default.isExecutableFile(atPath: command[0]) else { return [] }
        return try await tool.run(
            command, descriptor: descriptor, outputByteCount: Self.outputByteCount, keepsBeginning: true, readable: Self.readable,
            hasLowPriority: true, timeout: timeout)
    }

    /// Removes control characters. The text that a program returned is as untrusted as the document.
    static func clean(_ bytes: [UInt8]) -> String? {
        var text = String.UnicodeScalarView()
        var last: Unicode.Scalar?
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars.prefix(characters) {
            defer { last = scalar }
            switch scalar.value {
            case 0x0A where last == "\r": continue
            // Carriage returns and page breaks end a line.
            case 0x0A, 0x0C, 0x0D: text.append("\n")
            case 0x00...0x08, 0x0B, 0x0E...0x1F, 0x7F...0x9F: continue
            default: text.append(scalar)
            }
        }
        let trimmed = String(text).trimmingCharacters(in: .whitespacesAndNewlines)
        return trimmed.isEmpty ? nil : trimmed
    }

    // MARK: The operator

    /// Reads a small PDF and checks that catdoc starts.
    /// - Throws: `Problem` that names what is missing.
    package func probe() async throws -> String {
        for (program, package) in [(programs.pdftotext, "poppler-utils"), (programs.catdoc, "catdoc")]
        where !FileManager.default.isExecutableFile(atPath: program) {
            throw Problem(.unavailable, "\(program) is missing: install the package \(package)")
        }
        let found = Self.clean(
            try await tool.run(
                [programs.pdftotext, "-q", "-enc", "UTF-8", "-nopgbrk", "/dev/fd/0", "-"], input: Array(Self.sample.utf8),
                outputByteCount: Self.outputByteCount, readable: Self.readable, timeout: .seconds(10)))
        guard found == "keepsake" else { throw Problem(.unavailable, "\(programs.pdftotext) does not read a PDF in the sandbox") }
        _ = try await tool.run(
            [programs.catdoc, "-l"], input: [0], outputByteCount: Self.outputByteCount, readable: Self.readable, timeout: .seconds(10))
        return "sandboxed pdftotext read a PDF, and catdoc starts"
    }

    /// A page with the word "keepsake". It has no cross-reference table, so poppler builds one itself.
    private static let sample = """
        %PDF-1.4
        1 0 obj
        << /Type /Catalog /Pages 2 0 R >>
        endobj
        2 0 obj
        << /Type /Pages /Kids [3 0 R] /Count 1 >>
        endobj
        3 0 obj
        << /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /Contents 4 0 R
        /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>
        endobj
        4 0 obj
        << /Length 38 >>
        stream
        BT /F1 12 Tf 20 50 Td (keepsake) Tj ET
        endstream
        endobj
        trailer
        << /Root 1 0 R >>
        %%EOF
        """
}
